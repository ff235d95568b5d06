# SPDX-License-Identifier: Apache-2.0
"""Files of an open history (and the control socket) that are removed or replaced are noticed and put back."""
import contextlib
import os
import shutil
import sqlite3

import pytest

from conftest import QUICK, run_cli, wait_for

LIMIT = "limit = 15ms\nlimit_critical = 1s\nconfirm_after = 0\n"


@pytest.fixture
def known(daemon, slow):
    """A daemon with an incident, a mute, a budget, a first identity and some runs."""
    slow.delay(20)
    d = daemon(config=f"[repository slow]\npath = {slow.path}\nprobes = quick\n{LIMIT}{QUICK}").wait_ready()
    d.wait_runs("slow", 1)
    d.probe("slow", times=3)
    d.wait_state("slow", "warning")
    done = run_cli("mute", "slow", "--for=1h", "--reason=firmware", "--state-directory", d.state)
    assert done.returncode == 0, done.stderr
    d.wait_metric("repoprobe_database_queue_length", 0)
    d.wait_sql("SELECT count(*) FROM mute", [(1,)])
    return d


def count(path):
    """None while it cannot be read."""
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute("SELECT count(*) FROM run").fetchone()[0]
    return None


def remove_all(d):
    for name in ("", "-wal", "-shm"):
        os.unlink(f"{d.database}{name}")


def remove_directory(d):
    shutil.rmtree(d.state)


def put_another(d):
    """A valid history of ours, with nothing of this one."""
    other = d.state / "other.db"
    done = run_cli("backup", other, "--state-directory", d.state)
    assert done.returncode == 0, done.stderr
    with contextlib.closing(sqlite3.connect(other)) as db, db:
        db.execute("DELETE FROM run")
        db.execute("INSERT INTO meta VALUES ('whose', 'another')")
    os.replace(other, d.database)


def put_rubbish(d):
    (d.state / "rubbish").write_bytes(b"no database " * 1000)
    os.replace(d.state / "rubbish", d.database)


LOG_LOST = r"lost its log \(-wal\) or index \(-shm\) while it was open"
LOSSES = {
    "the file": (lambda d: os.unlink(d.database), "was removed while it was open"),
    "all files": (remove_all, "was removed while it was open"),
    "the directory": (remove_directory, "was removed while it was open"),
    "the log": (lambda d: os.unlink(f"{d.database}-wal"), LOG_LOST),
    "the index": (lambda d: os.unlink(f"{d.database}-shm"), LOG_LOST),
    "replaced": (put_another, "was replaced by another file while it was open"),
    "overwritten": (put_rubbish, "was replaced by another file while it was open"),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_a_history_that_is_lost_while_open_is_put_back_whole(known, loss):
    d = known
    lose, words = LOSSES[loss]
    before = d.sql("SELECT count(*) FROM run")[0][0]
    lose(d)
    if loss == "the directory":  # with the socket that runs are asked for by
        d.wait_line(r"control\.sock was removed or replaced; it was made again")
    d.probe("slow")  # a result that nobody would ever see
    d.wait_line(rf"history\.db {words}; it was restored completely")
    d.wait_metric("repoprobe_database_rescues_total", 1)
    wait_for(lambda: count(d.database) == before + 1, lambda: f"{before + 1} runs, not {count(d.database)}")
    assert any("was restored" in b["text"] for b in d.json("/api/v1/overview")["banners"])
    d.probe("slow")
    wait_for(lambda: count(d.database) == before + 2, "what comes later")
    assert len(d.json("/api/v1/runs?repository=slow")["runs"]) == before + 2
    found = [p for p in d.state.glob("history.db.found-*") if not p.name.endswith(("-wal", "-shm"))]
    assert len(found) == (loss in ("replaced", "overwritten")), found
    if loss == "replaced":
        with contextlib.closing(sqlite3.connect(found[0])) as db:
            assert db.execute("SELECT value FROM meta WHERE key = 'whose'").fetchall() == [("another",)]
    assert not list(d.state.glob("*.rescued"))
    assert d.database.stat().st_mode & 0o777 == 0o640
    assert run_cli("database", "check", "--state-directory", d.state).returncode == 0
    # A restart goes on where this one was.
    d.kill()
    d.start().wait_ready()
    shown = d.wait_state("slow", "warning")
    assert shown["incident"]["id"] == 1 and shown["mute"]["reason"] == "firmware"
    d.wait_sql("SELECT count(*) FROM first_identity, budget", [(1,)])


def test_what_is_known_is_kept_when_the_file_cannot_be_copied(daemon, slow, mount):
    """No room for a copy beside the removed file: a new one has the present."""
    slow.delay(20)
    state = mount.tmpfs("4M")
    d = daemon(config=f"[repository slow]\npath = {slow.path}\nprobes = quick\n{LIMIT}{QUICK}", state=state).wait_ready()
    d.wait_runs("slow", 1)
    d.probe("slow", times=3)
    d.wait_state("slow", "warning")
    done = run_cli("mute", "slow", "--for=1h", "--reason=firmware", "--state-directory", d.state)
    assert done.returncode == 0, done.stderr
    with contextlib.closing(sqlite3.connect(d.database)) as db, db:
        db.execute("CREATE TABLE ballast (x BLOB) STRICT")
        db.execute("INSERT INTO ballast VALUES (zeroblob(1200000))")
    d.wait_metric("repoprobe_database_queue_length", 0)
    remove_all(d)
    with open(state / "filler", "wb", buffering=0) as f, contextlib.suppress(OSError):
        while True:
            f.write(bytes(4096))
    os.truncate(state / "filler", max(0, (state / "filler").stat().st_size - (700 << 10)))
    d.wait_line(r"was removed while it was open and could not be copied back \(.*\); a new one was started with what")
    d.wait_sql("SELECT count(*) FROM incident WHERE closed_usec IS NULL", [(1,)])
    d.wait_sql("SELECT reason FROM mute", [("firmware",)])
    d.wait_sql("SELECT count(*) FROM first_identity, budget", [(1,)])
    d.wait_sql("SELECT count(*) FROM target WHERE alarm IS NOT NULL", [(1,)])
    d.kill()
    d.start().wait_ready()
    shown = d.wait_state("slow", "warning")
    assert shown["incident"]["id"] == 1 and shown["mute"]["reason"] == "firmware"


@pytest.mark.parametrize("replaced", [False, True])
def test_a_control_socket_that_is_lost_is_made_again(daemon, repository, replaced):
    d = daemon(config=f"[repository disk]\npath = {repository}\nprobes = quick\n{QUICK}").wait_ready()
    d.wait_runs("disk", 1)
    control = d.state / "control.sock"
    control.unlink()
    if replaced:
        control.write_text("not a socket")
    d.wait_line(r"control\.sock was removed or replaced; it was made again")
    d.probe("disk")
    assert control.stat().st_mode & 0o777 == 0o666
    assert d.count_lines("it was made again") == 1, d.log


def test_the_log_says_when_it_cannot_be_written_and_when_it_can_again(daemon, repository):
    d = daemon(config=f"[repository disk]\npath = {repository}\nprobes = quick\n{QUICK}").wait_ready()
    d.wait_runs("disk", 1)
    d.wait_metric("repoprobe_database_queue_length", 0)
    with contextlib.closing(sqlite3.connect(d.database, isolation_level=None, timeout=30)) as db:
        db.execute("BEGIN EXCLUSIVE")
        d.probe("disk", times=3)
        d.wait_line(r"the history cannot be written: history: database is locked; results wait in memory")
        d.probe("disk")
        db.execute("ROLLBACK")
    d.wait_line(r"the history is written again, after \d+s")
    d.wait_sql("SELECT count(*) FROM run", [(5,)])
    assert d.count_lines("the history cannot be written") == 1, d.log
    assert d.count_lines("the history is written again") == 1, d.log
