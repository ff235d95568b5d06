# SPDX-License-Identifier: Apache-2.0
"""[alarm NAME] with the real daemon: fires and clears by its own rule, under its own name, also over a kill -9."""
import pytest

from conftest import QUICK, run_cli, wait_for

# Three runs are 900 I/Os, which tell no p99; four are enough.
WRITES = (
    QUICK.replace("write = 50", "write = 100")
    .replace("queue_depth = 1", "queue_depth = 12")
    .replace("block_size = 64K", "block_size = 4K")
    .replace("max_ios = 24", "max_ios = 300")
)
TAIL = "[alarm slow-tail]\nwhen = write p99 > 50ms\nclear = write p99 < 50ms for 1\nhold = "
LABELS = {"repository": "nas", "probe": "quick", "alarm": "slow-tail", "level": "warning"}


def config(path, alarm, probe=WRITES):
    keys = "confirm_after = 0\ndaily_write_budget = 10T\nsplay = 0\nlimit = 0\n"
    return f"[repository nas]\npath = {path}\nprobes = quick\n{keys}\n{probe}\n{alarm}\n"


def incidents(d):
    return d.sql("SELECT state, level, reason FROM incidents_v ORDER BY id")


def reload(d, text):
    d.config_path.write_text(text)
    before = d.count_lines("configuration reloaded")
    d.hang_up()
    wait_for(lambda: d.count_lines("configuration reloaded") > before, "the reload")


@pytest.mark.plain
def test_a_slow_tail_fires_and_clears_under_its_name_also_over_a_restart(daemon, slow):
    d = daemon(config=config(slow.path, TAIL + "2 of 3")).wait_ready()
    d.wait_runs("nas", 1)
    d.probe("nas", times=2)
    slow.delay(60)
    d.probe("nas")
    slow.delay(0)
    d.probe("nas")
    assert incidents(d) == []  # a third of all were slow, but it is not judged by less than 1000

    reload(d, config(slow.path, TAIL + "2 of 4"))
    d.probe("nas", times=3)
    d.wait_sql("SELECT count(*) FROM run", [(8,)])
    d.kill()
    slow.delay(60)
    d.start().wait_ready()
    # Four runs with those of before, which come from the history: the first one, or what was read too late for it.
    d.wait_runs("nas", 1)
    if not incidents(d):
        d.probe("nas")
    wait_for(lambda: incidents(d) == [("open", "warning", "slow-tail")], lambda: f"{incidents(d)}\n{d.log}")
    assert d.sql("SELECT count(*) < 11 FROM run") == [(1,)]
    d.wait_line(r"warning: nas: alarm slow-tail \(write p99 > 50ms\): [\d.]+ m?s, writes of quick \(the last 4 runs")
    d.wait_metric("repoprobe_alarm_firing", 1, **LABELS)
    shown = d.wait_state("nas", "warning")
    assert shown["incident"]["reasons"] == ["slow-tail"]
    assert "alarm slow-tail: writes of quick" in shown["reason"]
    listed = d.json("/api/v1/incidents")["incidents"]
    assert [i["alarm"] for i in listed] == ["slow-tail"]
    explained = run_cli("incidents", "--explain", "1", "--config", d.config_path, "--state-directory", d.state)
    assert "alarm slow-tail (write p99 > 50ms): write, measured" in explained.stdout, explained

    d.kill()
    slow.delay(0)
    d.start().wait_ready()
    d.wait_metric("repoprobe_alarm_firing", 1, **LABELS)  # not forgotten
    wait_for(lambda: d.probe("nas") or incidents(d)[0][0] == "closed", lambda: str(incidents(d)))
    d.wait_metric("repoprobe_alarm_firing", 0, **LABELS)
    assert incidents(d) == [("closed", "warning", "slow-tail")]
    changes = d.sql("SELECT change, alarm, condition FROM incident_event ORDER BY sequence")
    assert changes == [(0, "slow-tail", "write p99 > 50ms"), (2, "slow-tail", "write p99 > 50ms")]  # nor repeated
    assert d.wait_state("nas", "ok")["incident"] is None


def test_an_alarm_comes_with_a_reload_and_goes_with_one(daemon, repository):
    alarm = "[alarm too-slow]\nwhen = throughput < 1T\nhold = 1 of 1\nlevel = critical\n"
    d = daemon(config=config(repository, "", QUICK)).wait_ready()
    d.wait_runs("nas", 1)
    assert d.metric("repoprobe_alarm_firing", **dict(LABELS, alarm="too-slow")) is None
    reload(d, config(repository, alarm, QUICK))
    d.probe("nas")
    wait_for(lambda: incidents(d) == [("open", "critical", "too-slow")], lambda: str(incidents(d)))
    d.wait_line(r"critical: nas: alarm too-slow \(throughput < 1T\): [\d.]+ \w+/s, (reads|writes) of quick \(in the last run\)")
    reload(d, config(repository, "", QUICK))
    d.probe("nas")
    wait_for(lambda: incidents(d) == [("closed", "critical", "too-slow")], lambda: str(incidents(d)))
    d.wait_line(r"cleared: alarm too-slow: (reads|writes) of quick are no longer judged")
    wait_for(lambda: d.metric("repoprobe_alarm_firing", **dict(LABELS, alarm="too-slow")) is None, "its series to go")
