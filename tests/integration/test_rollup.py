# SPDX-License-Identifier: Apache-2.0
"""The daemon merges its runs by hours and days, drops them when they are old, and answers from what is left."""
import os

import conftest
import pytest
from conftest import QUICK

DAY = 86400
SPAN = "repository=disk&probe=quick&operation=write&from=now-3d&to=now"
STORE = "[store]\nkeep_runs = 1d\nkeep_hours = 30d\n"


def totals(d):
    series = d.json(f"/api/v1/series?{SPAN}&points=2")["series"]
    heatmap = d.json(f"/api/v1/heatmap?{SPAN}&columns=1")["heatmap"]
    return sum(series["counts"]["ok"]), sum(map(sum, filter(None, heatmap["ios"]))), max(series["max"]), min(series["min"])


@pytest.mark.skipif(not conftest.TEST_HOOKS, reason="needs a build with --enable-test-hooks")
def test_what_was_dropped_still_tells_the_same(daemon, directory, repository):
    clock = directory / "clock"
    clock.write_text("0")
    config = f"{STORE}[repository disk]\npath = {repository}\nprobes = quick\nschedule = *-01-01 00:00\n{QUICK}"
    d = daemon(config=config.replace("interval = 1h\n", ""), environment={"REPOPROBE_TEST_CLOCK": str(clock)}).wait_ready()
    d.probe("disk", times=3)
    before = totals(d)
    assert before[0] == 3
    ios = d.sql("SELECT sum(write_ios) FROM runs_v")[0][0]
    assert before[1] == ios
    d.stop()

    clock.write_text(str(2.5 * DAY))  # what was is over, and older than a day
    d.start()
    d.wait_ready()
    d.wait_sql("SELECT sum(ok) FROM days_v", [(3,)])
    assert d.sql("SELECT count(*) FROM runs_v") == [(3,)]  # not in the first ten minutes
    clock.write_text(str(2.5 * DAY + 700))
    assert d.control(command="tend")["ok"]
    d.wait_sql("SELECT count(*) FROM runs_v", [(0,)])
    assert d.sql("SELECT sum(ok), sum(write_ios) FROM hours_v") == [(3, ios)]
    d.wait_sql("SELECT sum(ok), sum(write_ios) FROM days_v", [(3, ios)])
    assert totals(d) == before
    assert d.sql("PRAGMA integrity_check") == [("ok",)]


@pytest.mark.skipif(not conftest.TEST_HOOKS, reason="needs a build with --enable-test-hooks")
def test_a_clock_that_is_set_ahead_drops_nothing(daemon, directory, repository):
    """Monotonic time and realtime are moved together by the first number, realtime alone by the second."""
    clock = directory / "clock"
    clock.write_text("0")
    config = f"[store]\nkeep_runs = 35d\n[repository disk]\npath = {repository}\nprobes = quick\n{QUICK}"
    d = daemon(config=config, environment={"REPOPROBE_TEST_CLOCK": str(clock)}).wait_ready()
    d.wait_runs("disk", 1)
    d.probe("disk", times=2)
    d.wait_sql("SELECT count(*) FROM runs_v", [(3,)])
    clock.write_text(f"700 {40 * DAY}")
    assert d.control(command="tend")["ok"]
    d.wait_line("the system clock was set by more than 5 minutes since the start; nothing of the history is dropped")
    d.wait_sql("SELECT sum(ok) FROM hours_v", [(3,)])  # so it was tended
    d.probe("disk")
    d.wait_sql("SELECT count(*) FROM runs_v", [(4,)])
    future = d.sql("SELECT max(id) FROM runs_v")[0][0]
    clock.write_text("760")
    assert d.control(command="tend")["ok"]
    d.probe("disk")
    d.wait_sql("SELECT count(*) FROM runs_v", [(5,)])
    newest = d.sql("SELECT max(id) FROM runs_v")[0][0]
    d.stop()
    # The run of the wrong clock is not the newest of the next daemon, and is said to be what it is.
    d.start().wait_ready()
    shown = d.repository("disk")["probes"][0]["last_run"]["id"]
    assert shown >= newest and shown != future
    same_clock = {**os.environ, "REPOPROBE_TEST_CLOCK": str(clock)}
    done = conftest.run_cli("runs", "disk", "--state-directory", d.state, env=same_clock)
    lines = [line for line in done.stdout.splitlines() if "in the future" in line]
    assert len(lines) == 1, done.stdout
