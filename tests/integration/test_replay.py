# SPDX-License-Identifier: Apache-2.0
"""`rule replay` on what a real daemon measured: against what was normal then, and at the time when it was not."""
import datetime
import json

import pytest

from conftest import QUICK, run_cli

# Waiting is most of it, and a second time under sanitizers finds nothing more.
pytestmark = pytest.mark.plain

NORMAL_RUNS = 37  # one more than what makes a normal
KEYS = "confirm_after = 0\nlimit = 0\nsplay = 0\ndaily_write_budget = 10T\n"


def seconds(instant):
    return datetime.datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp()


def replay(d, *arguments):
    done = run_cli("rule", "replay", *arguments, "--state-directory", d.state, "--config", d.config_path)
    assert done.returncode == 0, done
    return done.stdout


@pytest.fixture
def measured(daemon, slow):
    """37 runs at 2 ms, three at 20 ms, two at 2 ms; the daemon has ended."""
    slow.delay(2)
    d = daemon(config=f"[repository nas]\npath = {slow.path}\nprobes = quick\n{KEYS}{QUICK}").wait_ready()
    d.wait_runs("nas", 1)
    d.probe("nas", times=NORMAL_RUNS - 1)
    slow.delay(20)
    d.probe("nas", times=3)
    slow.delay(2)
    d.probe("nas", times=2)
    d.stop()
    return d


def test_a_rule_about_what_is_normal_fires_when_it_was_not(measured):
    d = measured
    runs = d.sql("SELECT started_usec, duration_nsec FROM run ORDER BY started_usec")
    ends = [(started + nsec // 1000) / 1e6 for started, nsec in runs]
    assert len(ends) == NORMAL_RUNS + 5
    rule = ("--repository=nas", "--probe=quick", "--clear=avg < x1.5 normal for 2", "write avg > x3 normal")
    found = json.loads(replay(d, "--json", *rule))
    (firing,) = found["firings"]
    assert (firing["repository"], firing["probe"], firing["operation"]) == ("nas", "quick", "write")
    assert firing["value_seconds"] >= 0.02 and 0.002 <= firing["normal_seconds"] < 0.01, firing
    fired, cleared = (seconds(firing[key]) for key in ("fired", "cleared"))
    assert abs(fired - ends[NORMAL_RUNS + 1]) < 0.002  # the second of the slow ones
    assert abs(cleared - ends[-1]) < 0.002
    assert abs(firing["duration_seconds"] - (cleared - fired)) < 0.002
    assert found["duration_seconds"] == firing["duration_seconds"]
    assert (found["runs"], found["judged"]) == (NORMAL_RUNS + 5, NORMAL_RUNS + 5)
    text = replay(d, *rule)
    assert "would have fired 1 time in 28 days (42 runs), " in text and text.endswith(" in all\n"), text
    assert len(json.loads(replay(d, "--json", "avg > x3 normal"))["firings"]) == 2  # reads, and writes
    for load, firings in (("idle", 2), ("busy", 0)):  # the counters of such a file system are not known: idle
        found = json.loads(replay(d, "--json", f"--load={load}", "avg > x3 normal"))
        assert len(found["firings"]) == firings, (load, found)
    assert json.loads(replay(d, "--json", "--hold=4 of 4", "avg > x3 normal"))["firings"] == []
