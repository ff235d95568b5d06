# SPDX-License-Identifier: Apache-2.0
"""Slots, with a clock that the test moves (--enable-test-hooks): nothing waits for hours."""
import re

import pytest

from conftest import QUICK, TEST_HOOKS, need, wait_for

HOUR = 3600


@pytest.fixture
def clock(directory):
    need(TEST_HOOKS, "needs a build with --enable-test-hooks")
    path = directory / "clock"
    path.write_text("0")

    class Clock:
        environment = {"REPOPROBE_TEST_CLOCK": str(path)}
        seconds = 0

        def move(self, seconds):
            self.seconds += seconds
            new = path.with_name("clock.new")
            new.write_text(str(self.seconds))
            new.rename(path)

    return Clock()


def start(daemon, path, clock):
    d = daemon(
        config=f"[repository nas]\npath = {path}\nprobes = quick\n{QUICK}", environment=clock.environment
    ).wait_ready()
    return d


def test_a_run_comes_with_each_interval(daemon, repository, clock):
    d = start(daemon, repository, clock)
    d.wait_runs("nas", 1)
    for i in range(2, 6):
        before = d.metric("repoprobe_probe_next_run_timestamp_seconds", repository="nas", probe="quick")
        clock.move(HOUR * 1.5)  # past the next slot, wherever the splay put it
        d.wait_runs("nas", i)
        after = d.metric("repoprobe_probe_next_run_timestamp_seconds", repository="nas", probe="quick")
        assert before < after and (after - before) % HOUR < 1e-3
    assert d.metric("repoprobe_probe_skips_total", repository="nas", probe="quick", reason="overlap") == 0
    d.wait_sql("SELECT count(*) FROM runs_v WHERE status = 'ok'", [(5,)])
    # The latencies are real ones: the clock of the worker was not moved.
    assert d.sql("SELECT max(read_max_ms) < 60000 AND max(duration_ms) < 600000 FROM runs_v") == [(1,)]


def test_the_slot_is_kept_over_restarts_and_other_probes_have_others(daemon, directory, repository, clock):
    (directory / "other").mkdir()
    sections = "".join(f"[repository {n}]\npath = {directory}/{n}\nprobes = quick\n" for n in ("repository", "other"))
    d = daemon(config=sections + QUICK, environment=clock.environment).wait_ready()

    def slots():
        for name in ("repository", "other"):
            d.wait_runs(name, 1)
        return {
            labels["repository"]: round(value % HOUR, 3)
            for name, labels, value in d.metrics()
            if name == "repoprobe_probe_next_run_timestamp_seconds"
        }

    first = slots()
    assert first["repository"] != first["other"]
    d.stop()
    d.start().wait_ready()
    assert slots() == first


def test_slots_that_pass_during_a_run_are_skipped_and_counted(daemon, slow, clock):
    slow.delay(1)
    d = start(daemon, slow.path, clock)
    d.wait_runs("nas", 1)
    slow.delay(200)  # 24 I/Os: some five seconds
    assert d.control(command="probe-now", repository="nas") == {"ok": True}
    d.wait_metric("repoprobe_probe_running", 1, repository="nas", probe="quick")
    clock.move(HOUR * 2.6)
    labels = {"repository": "nas", "probe": "quick"}
    d.wait_line(r"nas/quick: skipped: ")
    assert d.runs("nas") == (1, True)
    slow.delay(1)
    d.wait_runs("nas", 2)
    d.wait_runs("nas", 3)  # the slot that was waiting; not one for each hour
    skips = d.metric("repoprobe_probe_skips_total", reason="overlap", **labels)
    assert 1 <= skips <= 2
    d.wait_sql("SELECT count(*) FROM runs_v WHERE status = 'skipped' AND skip_reason = 'overlap'", [(skips,)])
    assert d.repository("nas")["state"] == "ok"  # neither good nor bad
    assert d.repository("nas")["probes"][0]["last_run"]["status"] == "ok"
    assert not re.search(r"timeout|stuck", d.log)
    d.wait_sql("SELECT count(*) FROM runs_v WHERE status = 'ok'", [(3,)])


CALENDAR = QUICK.replace("interval = 1h", "schedule = *:30 UTC")


def test_a_calendar_s_run_comes_at_its_time_and_not_at_the_start(daemon, directory, repository, clock):
    often = QUICK.replace("[probe quick]", "[probe often]")
    (directory / "other").mkdir()
    sections = f"[repository nas]\npath = {repository}\nprobes = quick\n"
    other = f"[repository other]\npath = {directory}/other\nprobes = often\n"
    d = daemon(config=sections + other + CALENDAR + often, environment=clock.environment).wait_ready()
    labels = {"repository": "nas", "probe": "quick"}
    d.wait_runs("other", 1, probe="often")
    slot = d.metric("repoprobe_probe_next_run_timestamp_seconds", **labels)
    assert slot % HOUR == HOUR / 2
    assert d.metric("repoprobe_probe_interval_seconds", **labels) == HOUR
    assert d.metric("repoprobe_probe_runs_total", **labels) == 0
    probe = d.repository("nas")["probes"][0]
    assert probe["schedule"] == "*-*-* *:30:00 UTC" and probe["last_run"] is None
    assert d.repository("other")["probes"][0]["schedule"] is None
    # Many slots pass at once: one run makes up for all of them, and says how late it is.
    clock.move(HOUR * 6)
    d.wait_metric("repoprobe_probe_runs_total", 1, **labels)
    d.wait_sql("SELECT status, start_delay_ms > 18e6 FROM runs_v WHERE probe = 'quick'", [("ok", 1)])
    following = d.metric("repoprobe_probe_next_run_timestamp_seconds", **labels)
    assert following - slot == HOUR * 6
    clock.move(HOUR * 7)
    d.wait_metric("repoprobe_probe_runs_total", 2, **labels)
    assert d.metric("repoprobe_probe_skips_total", reason="overlap", **labels) == 0


def test_a_reload_takes_a_schedule_over_and_refuses_a_bad_one(daemon, repository, clock):
    sections = f"[repository nas]\npath = {repository}\nprobes = quick\n"
    d = daemon(config=sections + QUICK, environment=clock.environment).wait_ready()
    d.wait_runs("nas", 1)
    d.config_path.write_text(sections + CALENDAR)
    d.hang_up()
    d.wait_line("configuration reloaded")
    wait_for(lambda: d.repository("nas")["probes"][0]["schedule"], "the schedule to be shown")
    assert d.repository("nas")["probes"][0]["next_run"].endswith(":30:00.000000Z")
    d.config_path.write_text(sections + CALENDAR.replace("*:30", "*:60"))
    d.hang_up()
    d.wait_line(r"schedule: \*:60 UTC: at position 3: the minute must be from 0 to 59")
    assert d.repository("nas")["probes"][0]["schedule"] == "*-*-* *:30:00 UTC"


def test_a_clock_that_goes_back_stops_nothing(daemon, repository, clock):
    clock.move(HOUR * 100)
    d = start(daemon, repository, clock)
    d.wait_runs("nas", 1)
    clock.move(-HOUR * 50)
    d.probe("nas", times=2)
    clock.move(HOUR * 51.5)
    d.wait_runs("nas", 4)
