# SPDX-License-Identifier: Apache-2.0
"""Trouble with the database delays what is written and nothing else."""
import contextlib
import sqlite3

from conftest import QUICK, wait_for


@contextlib.contextmanager
def locked(path):
    db = sqlite3.connect(path, isolation_level=None, timeout=30)
    db.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        db.execute("ROLLBACK")
        db.close()


def start(daemon, repository):
    d = daemon(config=f"[repository disk]\npath = {repository}\nprobes = quick\n{QUICK}").wait_ready()
    d.wait_runs("disk", 1)
    d.wait_sql("SELECT count(*) FROM runs_v", [(1,)])
    return d


def test_probing_goes_on_while_another_process_locks_it(daemon, repository):
    d = start(daemon, repository)
    with locked(d.database):
        d.probe("disk", times=3)
        wait_for(lambda: d.metric("repoprobe_database_queue_length") >= 1, "a queue")
        wait_for(lambda: d.metric("repoprobe_database_write_failures_total") >= 1, "a failed attempt")
        banners = wait_for(lambda: d.json("/api/v1/overview")["banners"], "a banner")
        assert [b["about"] for b in banners] == ["database"]
        # Our own trouble is not the repository's.
        assert d.repository("disk")["state"] == "ok"
        assert d.json("/api/v1/runs")["runs"][0]["id"] == 1  # what is read is what is committed
        assert d.sql("SELECT count(*) FROM runs_v") == [(1,)]
    d.wait_sql("SELECT count(*) FROM runs_v", [(4,)])
    d.wait_metric("repoprobe_database_queue_length", 0)
    assert d.metric("repoprobe_database_lost_total") == 0
    wait_for(lambda: not d.json("/api/v1/overview")["banners"], "the banner to go")
    assert d.sql("SELECT id FROM runs_v ORDER BY id") == [(1,), (2,), (3,), (4,)]


def test_a_stop_while_it_is_locked_is_quick_and_says_what_is_lost(daemon, repository):
    d = start(daemon, repository)
    with locked(d.database):
        d.probe("disk", times=2)
        code, taken = d.stop()
        assert code == 0 and taken < 10
        assert d.count_lines(r"2 results could not be written") == 1, d.log
    d.start().wait_ready()
    d.wait_runs("disk", 1)
    d.wait_sql("SELECT count(*) FROM runs_v", [(2,)])
    assert d.sql("PRAGMA integrity_check") == [("ok",)]


def test_a_full_state_directory_delays_the_rows_until_there_is_space(daemon, directory, repository, mount):
    state = mount.tmpfs("8M")
    d = daemon(
        config=f"[repository disk]\npath = {repository}\nprobes = quick\n{QUICK}", state=state
    ).wait_ready()
    d.wait_runs("disk", 1)
    d.wait_sql("SELECT count(*) FROM runs_v", [(1,)])
    filler = state / "filler"
    with open(filler, "wb", buffering=0) as f, contextlib.suppress(OSError):
        while True:
            f.write(bytes(4096))
    d.probe("disk", times=200 // 8)
    wait_for(lambda: d.metric("repoprobe_database_queue_length") >= 1, lambda: f"a queue\n{d.log}")
    assert d.repository("disk")["state"] == "ok"
    banner = wait_for(lambda: d.json("/api/v1/overview")["banners"], "a banner")[0]
    assert "results wait in memory: history: database or disk is full" in banner["text"]
    runs, _ = d.runs("disk")
    filler.unlink()
    d.wait_sql("SELECT count(*) FROM runs_v", [(runs,)])
    d.wait_metric("repoprobe_database_queue_length", 0)
    assert d.metric("repoprobe_database_lost_total") == 0
