# SPDX-License-Identifier: Apache-2.0
"""A history that hangs, is damaged or newer stops neither probes nor alarms, and nothing is thrown away."""
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import sqlite3
import subprocess
import time

import pytest

from conftest import QUICK, DelayFs, need, run_cli, wait_for, without_leak_check

ANCHOR = 9999
RUNS_OF_A_BASELINE = 36
STRANGER = 54321  # a group that nobody has


def config(path, more=""):
    return f"[repository disk]\npath = {path}\nprobes = quick\n{more}{QUICK}"


@pytest.fixture
def state_fs(directory):
    """A file system for the state directory that can stop answering altogether."""
    need(os.path.exists("/dev/fuse"), "needs /dev/fuse")
    place = directory / "place"
    place.mkdir()
    fs = DelayFs(place)
    fs.cache()  # SQLite maps its index
    yield fs
    fs.process.send_signal(signal.SIGCONT)
    fs.end()


@pytest.mark.plain
def test_a_state_directory_that_hangs_stops_neither_probes_nor_alarms(daemon, slow, state_fs, directory):
    probe = QUICK.replace("interval = 1h", "interval = 1s")
    d = daemon(
        config=f"[daemon]\nruntime_directory = {directory}/run\n"
        f"[repository slow]\npath = {slow.path}\nprobes = quick\nlimit = 15ms\n{probe}",
        state=str(state_fs.path),
    ).wait_ready()
    d.wait_runs_at_least("slow", 1)
    d.wait_metric("repoprobe_database_queue_length", 0)
    state_fs.process.send_signal(signal.SIGSTOP)
    runs, _ = d.runs("slow")
    slow.delay(20)
    d.wait_state("slow", "warning")
    d.wait_runs_at_least("slow", runs + 5)
    assert d.metric("repoprobe_database_queue_length") >= 4
    # The message does not wait for the disk for more than 10 s …
    told = d.wait_line(r"slow: (reads|writes) of quick take").group(1)
    assert d.metric("repoprobe_database_queue_length") >= 4
    state_fs.process.send_signal(signal.SIGCONT)
    slow.delay(0)
    # … and the commit that follows has it as delivered.
    wait_for(lambda: d.metric("repoprobe_database_queue_length") <= 1, "the queue to be written")
    query = "SELECT count(*) > 0 AND count(delivered_usec) = count(*) FROM outbox"
    d.wait_sql(query, [(1,)])
    assert d.sql("SELECT count(*) FROM run WHERE id NOT IN (SELECT run FROM run_operation)") == [(0,)]
    assert d.metric("repoprobe_database_lost_total") == 0
    assert d.count_lines(rf"slow: {told} of quick take .*\(2 of the last") <= 1, d.log


def test_a_stop_does_not_wait_for_a_state_directory_that_hangs(daemon, repository, state_fs, directory):
    """Not even with a reader that waits for it."""
    d = daemon(
        config=f"[daemon]\nruntime_directory = {directory}/run\n" + config(repository),
        state=str(state_fs.path),
        environment={"ASAN_OPTIONS": without_leak_check()},  # which would wait for the hung threads
    ).wait_ready()
    d.wait_runs("disk", 1)
    d.wait_sql("SELECT count(*) FROM run", [(1,)])
    port = d.port
    state_fs.process.send_signal(signal.SIGSTOP)
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(b"GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert d.get("/metrics")[0] == 200
        d.process.send_signal(signal.SIGTERM)
        d.wait_line("stopping")
        begin = time.monotonic()
        # Its end waits for its files to be closed; what it decides does not.
        wait_for(lambda: not is_thread_alive(d.process.pid), "the main thread to end")
        assert time.monotonic() - begin < 10
    state_fs.process.send_signal(signal.SIGCONT)
    assert d.process.wait(60) == 0


def is_thread_alive(pid):
    """False once the process is in its exit."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except OSError:
        return False


def overwrite(path):
    """Everything past the first two pages, as a disk gone mad would."""
    with open(path, "r+b") as f:
        size = os.fstat(f.fileno()).st_size
        f.seek(8192)
        f.write(os.urandom(size - 8192))


def only(paths):
    paths = list(paths)
    assert len(paths) == 1, paths
    return paths[0]


def banner_texts(d):
    return [banner["text"] for banner in d.json("/api/v1/overview")["banners"]]


@pytest.mark.parametrize("content", ["text", "overwritten"])
def test_a_damaged_history_is_kept_aside_at_the_start(daemon, directory, repository, content):
    d = daemon(config=config(repository)).wait_ready()
    d.wait_runs("disk", 1)
    d.wait_sql("SELECT count(*) FROM run", [(1,)])
    d.stop()
    if content == "text":
        d.database.write_bytes(b"this is no database, but it is mine\n" * 200)
    else:
        overwrite(d.database)
    before = d.database.read_bytes()
    d.start().wait_ready()
    d.wait_line(r"the history was damaged \(.*\); it is kept as .*history\.db\.corrupt-\d{8}T\d{6}Z")
    d.wait_runs("disk", 1)
    d.wait_sql("SELECT count(*) FROM run", [(1,)])
    kept = only(p for p in d.state.glob("history.db.corrupt-*") if p.name.endswith("Z"))
    assert kept.read_bytes() == before
    assert any(str(kept) in text for text in banner_texts(d))
    assert len(d.json("/api/v1/runs")["runs"]) == 1


def test_damage_found_while_it_runs_loses_nothing_of_what_comes(daemon, repository):
    d = daemon(config=config(repository)).wait_ready()
    d.wait_runs("disk", 1)
    d.wait_sql("SELECT count(*) FROM run", [(1,)])
    assert [run["id"] for run in d.json("/api/v1/runs")["runs"]] == [1]
    with sqlite3.connect(d.database) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    overwrite(d.database)
    # The writer has its pages in memory still: another change makes it read them anew.
    with sqlite3.connect(d.database) as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        db.execute(f"PRAGMA user_version = {version}")
    d.probe("disk")
    d.wait_line(r"the history was damaged")
    d.probe("disk")
    d.wait_sql("SELECT group_concat(id) FROM run", [("2,3",)])
    assert sorted(run["id"] for run in d.json("/api/v1/runs")["runs"]) == [2, 3]
    assert d.metric("repoprobe_database_lost_total") == 0
    assert any("the history was damaged" in text for text in banner_texts(d))


def test_a_history_of_before_the_first_release_is_kept_aside(daemon, directory, repository):
    state = directory / "state"
    state.mkdir(mode=0o750)
    path = state / "history.db"
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE trial (x)")
        db.execute("PRAGMA application_id = 1919971938")
        db.execute("PRAGMA user_version = 7")
    before = path.read_bytes()
    done = run_cli("runs", "disk", "--state-directory", state)
    assert done.returncode == 1 and "a development version before the first release" in done.stderr
    assert path.read_bytes() == before
    d = daemon(config=config(repository)).wait_ready()
    sentence = r"made by a development version before the first release; it is kept as .*history\.db\.trial-\d{8}T\d{6}Z,"
    d.wait_line(sentence)
    assert any(re.search(sentence, text) for text in banner_texts(d))
    d.wait_runs("disk", 1)
    d.wait_sql("SELECT count(*) FROM run", [(1,)])
    kept = only(p for p in state.glob("history.db.trial-*") if p.name.endswith("Z"))
    assert kept.read_bytes() == before
    d.stop()
    d.start().wait_ready()
    assert d.count_lines("before the first release") == 0 and not banner_texts(d)


def test_a_newer_history_is_left_alone_and_recorded_beside(daemon, directory, repository):
    state = directory / "state"
    state.mkdir(mode=0o750)
    path = state / "history.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE future (x)")
        db.execute("PRAGMA application_id = 1919971951")
        db.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    done = run_cli("runs", "disk", "--state-directory", state)
    assert done.returncode == 1 and "newer repoprobe" in done.stderr
    d = daemon(config=config(repository)).wait_ready()
    line = d.wait_line(r"made by a newer repoprobe and is left alone; this version \(schema (\d+)\) records in (.*)")
    beside = pathlib.Path(line.group(2))
    assert beside.name == f"history-{line.group(1)}.db"
    d.wait_runs("disk", 1)
    wait_for(lambda: len(d.json("/api/v1/runs")["runs"]) == 1, "the run")
    assert any("is left alone" in text for text in banner_texts(d))
    done = run_cli("runs", "disk", "--state-directory", state)
    assert done.returncode == 0 and "quick" in done.stdout
    d.stop()
    d.start().wait_ready()
    wait_for(lambda: len(d.json("/api/v1/runs")["runs"]) == 2, "both runs")
    assert path.read_bytes() == before


def test_a_history_that_nobody_may_read_at_the_start_is_waited_for(daemon, repository):
    """What may be written where stands in it, so probing waits too; all else is there."""
    d = daemon(config=config(repository)).wait_ready()
    d.wait_runs("disk", 1)
    d.wait_sql("SELECT count(*) FROM run", [(1,)])
    d.stop()
    db = sqlite3.connect(d.database, isolation_level=None)
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    db.execute("INSERT INTO meta VALUES ('x', 'y')")
    d.start().wait_ready()
    d.wait_line(r"the history is not open yet: .*locked; probing waits for it")
    assert any("results wait in memory" in text for text in banner_texts(d))
    assert d.get("/-/ready")[0] == 503
    assert d.runs("disk") == (0, False)
    db.close()
    d.wait_line(r"the history is open; 0 results waited for it")
    d.wait_sql("SELECT group_concat(id) FROM run", [("1,2",)])
    assert d.get("/-/ready")[0] == 200
    wait_for(lambda: not banner_texts(d), "the banner to go")


@pytest.mark.plain
def test_what_was_normal_before_is_read_and_kept_when_the_history_opens_late(daemon, repository):
    """Locked for longer than whoever reads it waits: no baseline learned since takes the place of the stored one."""
    d = daemon(config=config(repository)).wait_ready()
    d.wait_runs("disk", 1)
    d.wait_sql("SELECT count(*) FROM run", [(1,)])
    d.stop()
    db = sqlite3.connect(d.database, isolation_level=None)
    db.execute(
        "INSERT INTO baseline (series, operation, built_usec, anchor, anchor_usec, valley_nsec, since_usec)"
        " SELECT id, value, 1, ?, 1, 0, 0 FROM series, (SELECT 0 AS value UNION SELECT 1)",
        (ANCHOR,),
    )
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    db.execute("INSERT INTO meta VALUES ('x', 'y')")
    d.start().wait_ready()
    d.wait_line(r"the history is not open yet: .*locked")
    for _ in range(2):  # each reader thread has waited in vain
        assert d.get("/api/v1/runs")[0] == 503
    db.close()
    d.wait_line(r"the history is open")
    d.probe("disk", times=RUNS_OF_A_BASELINE)
    d.wait_sql("SELECT count(*) FROM baseline WHERE built_usec > 1", [(2,)])
    assert d.sql("SELECT anchor FROM baseline") == [(ANCHOR,), (ANCHOR,)]


def as_member(*command):
    stranger = ["setpriv", "--reuid=nobody", f"--regid={STRANGER}", "--clear-groups"]
    return subprocess.run([*stranger, *map(str, command)], capture_output=True, text=True, check=False)


def test_a_member_of_the_group_reads_it_while_the_daemon_is_up_and_down(daemon, directory, repository, root):
    d = daemon(config=config(repository)).wait_ready()
    d.wait_runs("disk", 1)
    d.wait_sql("SELECT count(*) FROM run", [(1,)])
    for path in [d.state, *d.state.glob("history.db*")]:
        os.chown(path, -1, STRANGER)
    query = ["/usr/bin/python3", "-c", "import sqlite3, sys\n"
             "print(sqlite3.connect(sys.argv[1], uri=True).execute('SELECT count(*) FROM runs_v').fetchall())",
             f"file:{d.database}?mode=ro"]
    for is_up in (True, False):
        if not is_up:
            d.stop()
        done = as_member(*query)
        assert (done.stdout, done.returncode) == ("[(1,)]\n", 0), (is_up, done.stderr)
    assert as_member("touch", d.state / "x").returncode != 0
    done = subprocess.run(["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *query],
                          capture_output=True, check=False)
    assert done.returncode != 0


def test_the_place_of_the_history_is_warned_about(daemon, directory, repository, mount):
    d = daemon(config=config(repository)).wait_ready()
    d.wait_line(r"warning: disk: the history in .* is on the file system that is probed")
    d.stop()
    elsewhere = daemon(config=config(repository), state=str(mount.tmpfs())).wait_ready()
    elsewhere.wait_runs("disk", 1)
    assert elsewhere.count_lines("is on the file system that is probed") == 0, elsewhere.log


def test_a_history_on_another_host_is_warned_about(daemon, directory, repository):
    """A FUSE file system of sshfs' name: what the kernel says of it is the same."""
    need(os.path.exists("/dev/fuse"), "needs /dev/fuse")
    place = directory / "place"
    place.mkdir()
    fs = DelayFs(place, "-osubtype=sshfs")
    try:
        fs.cache()
        done = run_cli("doctor", "--json", "--state-directory", fs.path, repository)
        found = [f["text"] for f in json.loads(done.stdout)["findings"] if f["about"] == "history"]
        assert len(found) == 1 and "is on a network file system" in found[0], found
        d = daemon(
            config=f"[daemon]\nruntime_directory = {directory}/run\n" + config(repository), state=str(fs.path)
        ).wait_ready()
        d.wait_line(r"warning: the history in .* is on a network file system \(fuse\.sshfs\)")
        d.wait_runs("disk", 1)
        d.end()
    finally:
        fs.end()
