# SPDX-License-Identifier: Apache-2.0
"""Trouble with the database delays what is written and nothing else."""
import contextlib
import os
import pathlib
import re
import sqlite3
import time

import conftest
import pytest
from conftest import QUICK, wait_for

LOCK_SECONDS = float(os.environ.get("REPOPROBE_LOCK_SECONDS", "0"))  # make check-slow: 30
QUEUE_MAX = 1024  # results
QUEUE_BYTES = 60e6  # as repoprobed(8) says
REPOSITORIES = 100
# Without I/O (a test hook), so that many results do not take long.
NULL = """
[daemon]
parallel_runs = 8
[defaults]
interval = 1s
daily_write_budget = 0
when_busy = run
[probe null]
block_size = 64K
write = 50
pattern = random
max_ios = 100
file_size = 4M
timeout = 30s
"""


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
        end = time.monotonic() + LOCK_SECONDS
        d.probe("disk", times=3)
        while time.monotonic() < end:
            d.probe("disk")
        wait_for(lambda: d.metric("repoprobe_database_queue_length") >= 1, "a queue")
        wait_for(lambda: d.metric("repoprobe_database_write_failures_total") >= 1, "a failed attempt")
        banners = wait_for(lambda: d.json("/api/v1/overview")["banners"], "a banner")
        assert [b["about"] for b in banners] == ["database"]
        # Our own trouble is not the repository's.
        assert d.repository("disk")["state"] == "ok"
        assert d.json("/api/v1/runs")["runs"][0]["id"] == 1  # what is read is what is committed
        assert d.sql("SELECT count(*) FROM runs_v") == [(1,)]
    runs, _ = d.runs("disk")
    d.wait_sql("SELECT count(*) FROM runs_v", [(runs,)])
    d.wait_metric("repoprobe_database_queue_length", 0)
    assert d.metric("repoprobe_database_lost_total") == 0
    wait_for(lambda: not d.json("/api/v1/overview")["banners"], "the banner to go")
    assert d.sql("SELECT id FROM runs_v ORDER BY id") == [(i + 1,) for i in range(runs)]


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


def resident_bytes(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024


@pytest.mark.skipif(not conftest.TEST_HOOKS, reason="needs a build with --enable-test-hooks")
@pytest.mark.plain  # sanitizers keep what was freed
def test_a_queue_that_is_full_gives_up_the_oldest_and_takes_no_more_memory(daemon, directory):
    sections = []
    for i in range(REPOSITORIES):
        (directory / f"r{i}").mkdir()
        sections.append(f"[repository r{i}]\npath = {directory}/r{i}\nprobes = null\ngroup = g{i % 8}")
    d = daemon(config="\n".join(sections) + NULL, environment={"REPOPROBE_TEST_NULL_KIND": "1"}).wait_ready()
    d.wait_sql("SELECT count(DISTINCT repository) FROM runs_v", [(REPOSITORIES,)])
    with locked(d.database):
        before = resident_bytes(d.process)
        d.wait_line(r"the history cannot be written and its queue is full: the oldest result is lost")
        wait_for(lambda: d.metric("repoprobe_database_lost_total") >= 1, "it to be counted")
        assert d.metric("repoprobe_database_queue_length") <= QUEUE_MAX + 64  # of an attempt
        grown = resident_bytes(d.process) - before
        assert grown < QUEUE_BYTES, grown
        assert "results wait in memory" in d.json("/api/v1/overview")["banners"][0]["text"]
    wait_for(lambda: d.metric("repoprobe_database_queue_length") <= 50, "the queue to be written")
    lost = d.metric("repoprobe_database_lost_total")
    assert d.count_lines("the oldest result is lost") == lost
    d.stop()
    # All but those are there, and those are the oldest that waited, but for what an attempt has at hand.
    (first, last, count), = d.sql("SELECT min(id), max(id), count(*) FROM run")
    assert last - first + 1 - count == lost >= 1
    (gap,), = d.sql("SELECT max(next - id) FROM (SELECT id, lead(id) OVER (ORDER BY id) AS next FROM run)")
    assert gap - 1 == lost
