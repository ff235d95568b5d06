# SPDX-License-Identifier: Apache-2.0
"""The daemon merges its runs by hours and days, drops them when they are old, and answers from what is left."""
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
    d.wait_sql("SELECT count(*) FROM runs_v", [(0,)])
    assert d.sql("SELECT sum(ok), sum(write_ios) FROM hours_v") == [(3, ios)]
    d.wait_sql("SELECT sum(ok), sum(write_ios) FROM days_v", [(3, ios)])
    assert totals(d) == before
    assert d.sql("PRAGMA integrity_check") == [("ok",)]
