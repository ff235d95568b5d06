# SPDX-License-Identifier: Apache-2.0
"""Nothing is written beyond the daily budget, no busy disk is made busier, nothing is left behind."""
import json
import os
import re
import signal
import subprocess
import time

import pytest

from conftest import QUICK, TEST_HOOKS, need, run_cli, tree, wait_for

HOUR = 3600
MIB = 1 << 20
LABELS = {"repository": "nas", "probe": "quick"}
# 24 writes of 64K: 1.5M a run.
WRITES = QUICK.replace("write = 50", "write = 100").replace("warmup = 2", "warmup = 0")
SKIPS = "SELECT count(*) FROM runs_v WHERE skip_reason = 'budget'"
WRITTEN = "SELECT coalesce(sum(layout_bytes), 0) + coalesce(sum(write_bytes), 0) FROM runs_v"


@pytest.fixture
def clock(directory):
    need(TEST_HOOKS, "needs a build with --enable-test-hooks")
    path = directory / "clock"
    path.write_text("0")

    class Clock:
        environment = {"REPOPROBE_TEST_CLOCK": str(path)}
        both = realtime = 0

        def move(self, both, realtime=0):
            self.both += both
            self.realtime += realtime
            new = path.with_name("clock.new")
            new.write_text(f"{self.both} {self.realtime}")
            new.rename(path)

    return Clock()


def config(path, budget, probe=WRITES, extra=""):
    return f"[repository nas]\npath = {path}\nprobes = quick\nlimit = 0\ndaily_write_budget = {budget}\n{extra}{probe}"


def skipped(d, reason="budget"):
    return d.metric("repoprobe_probe_skips_total", reason=reason, **LABELS)


def ask(d, probe="quick"):
    assert d.control(command="probe-now", repository="nas", probe=probe) == {"ok": True}


def attempt(d, ask_for):
    """Asks, and waits until that run is over or skipped."""

    def done():
        runs, is_running = d.runs("nas")
        return 0 if is_running else runs + skipped(d)

    before = done()
    ask_for()
    wait_for(lambda: done() > before, lambda: f"a run, or a skipped one\n{d.log}")


# --- The budget


def test_the_budget_bounds_what_is_written_over_any_kill(daemon, repository, clock):
    """6M at once: the layout is cut to what is left beside the run, then runs are skipped."""
    d = daemon(config=config(repository, "60M"), environment=clock.environment).wait_ready()
    d.wait_runs("nas", 1)
    d.wait_sql("SELECT status, trust LIKE '%warming%', layout_bytes < 5 << 20 FROM runs_v", [("ok", 1, 1)])
    for i in range(1, 4):
        ask(d)
        wait_for(lambda i=i: skipped(d) == i, lambda: f"{i} skipped runs\n{d.log}")
    d.wait_sql(SKIPS, [(3,)])
    assert d.runs("nas") == (1, False)
    assert re.search(r"the run may write 1.5 MiB, and of daily_write_budget .* are left now", d.log)
    shown = d.wait_state("nas", "warning")  # three in a row
    assert shown["reason"] == "the last 3 runs of quick were skipped (budget)"
    assert d.sql(WRITTEN)[0][0] <= 6 * MIB
    d.kill()
    d.start().wait_ready()
    wait_for(lambda: skipped(d) == 1, lambda: f"a skipped run\n{d.log}")  # it gave nothing
    assert d.sql(WRITTEN)[0][0] <= 6 * MIB
    clock.move(HOUR * 1.7)  # 4M
    d.wait_runs("nas", 1)
    d.wait_state("nas", "ok")
    assert d.sql(WRITTEN)[0][0] <= 6 * MIB + 60 * MIB * 2 // 24
    clock.move(HOUR * 12)  # not more than a tenth of a day, however long it takes
    d.wait_runs("nas", 2)
    for _ in range(4):
        attempt(d, lambda: ask(d))
    assert skipped(d) >= 2
    assert sum(f.stat().st_size for f in (repository / ".repoprobe").iterdir()) <= 5 * MIB + 4096


def test_another_path_gets_a_file_of_its_own_within_the_budget(daemon, directory, repository):
    """The file at the old path is whole; the one at the new path is laid out from what the budget leaves."""
    other = directory / "other"
    other.mkdir()
    probe = WRITES.replace("file_size = 4M", "file_size = 24M")
    assert probe != WRITES
    d = daemon(config=config(repository, "0", probe)).wait_ready()
    d.wait_runs("nas", 1)
    d.wait_sql("SELECT count(*) FROM runs_v", [(1,)])
    before = d.sql(WRITTEN)[0][0]
    assert before >= 24 * MIB
    d.config_path.write_text(config(other, "52M", probe))
    assert d.control(command="reload") == {"ok": True}
    d.probe("nas")
    d.wait_sql("SELECT status, trust LIKE '%warming%' FROM runs_v WHERE id = 2", [("ok", 1)])
    assert d.sql(WRITTEN)[0][0] - before <= 5.2 * MIB


def test_a_smaller_file_size_shrinks_the_file_after_a_reload(daemon, repository):
    def size():
        return sum(f.stat().st_size for f in (repository / ".repoprobe").glob("*.dat"))

    d = daemon(config=config(repository, "0")).wait_ready()
    d.wait_runs("nas", 1)
    assert size() == 5 * MIB
    d.config_path.write_text(config(repository, "0", WRITES.replace("file_size = 4M", "file_size = 2M")))
    assert d.control(command="reload") == {"ok": True}
    d.probe("nas")
    assert size() == 3 * MIB
    d.wait_sql("SELECT status FROM runs_v ORDER BY id", [("ok",), ("ok",)])


def test_a_run_at_a_path_that_was_left_says_nothing_of_the_new_one(daemon, slow, repository):
    d = daemon(config=config(slow.path, "0")).wait_ready()
    d.wait_runs("nas", 1)
    slow.delay(200)
    ask(d)
    d.wait_metric("repoprobe_probe_running", 1, **LABELS)
    worker = d.workers()
    d.config_path.write_text(config(repository, "0"))
    assert d.control(command="reload") == {"ok": True}
    d.wait_metric("repoprobe_probe_running", 0, **LABELS)
    d.probe("nas")  # beside the worker that is still at work at the old path
    assert set(d.workers()) >= set(worker)
    slow.delay(0)
    d.wait_sql("SELECT status FROM runs_v ORDER BY id", [("ok",)] * 3)
    assert d.runs("nas")[0] == 2
    d.wait_sql("SELECT count(*) FROM first_identity WHERE fs_type LIKE 'fuse%'", [(0,)])
    d.probe("nas")  # not the wrong target


def test_a_daemon_that_dies_with_a_run_pays_for_all_that_it_might_have_written(daemon, slow):
    slow.delay(150)
    d = daemon(config=config(slow.path, "60M")).wait_ready()
    d.wait_metric("repoprobe_probe_running", 1, **LABELS)
    wait_for(lambda: d.sql("SELECT level_bytes < 100000 FROM budget") == [(1,)], "the reservation to be kept")
    d.kill()
    slow.delay(1)
    d.start().wait_ready()
    wait_for(lambda: skipped(d) == 1, lambda: f"a skipped run\n{d.log}")
    assert d.sql("SELECT count(*) FROM runs_v WHERE status = 'ok'") == [(0,)]


def test_a_worker_that_is_killed_counts_with_all_it_might_have_written(daemon, slow):
    d = daemon(config=config(slow.path, "100M")).wait_ready()
    d.wait_runs("nas", 1)
    slow.delay(200)
    level = d.sql("SELECT level_bytes FROM budget")[0][0]
    ask(d)
    os.kill(d.wait_at_work(slow.path), signal.SIGKILL)
    d.wait_runs("nas", 2)
    wait_for(
        lambda: d.sql("SELECT level_bytes FROM budget")[0][0] < level - 1400000,
        lambda: f"{level} to fall: {d.sql('SELECT level_bytes FROM budget')}\n{d.log}",
    )


def test_a_plan_above_the_budget_is_stretched_and_said_to_be(daemon, directory, repository):
    probe = WRITES.replace("interval = 1h", "interval = 10min")  # 216M a day
    d = daemon(config=config(repository, "30M", probe)).wait_ready()
    sentence = (
        r"nas would write 216 MiB a day, more than its daily_write_budget of 30 MiB: "
        r"intervals are longer \(quick: 1h12min instead of 10min\)"
    )
    d.wait_line(sentence)
    assert d.metric("repoprobe_probe_interval_seconds", **LABELS) == 4320
    assert d.repository("nas")["probes"][0]["interval_seconds"] == 4320
    checked = run_cli("config", "check", d.config_path)
    assert checked.returncode == 0 and re.search(sentence, checked.stdout)
    assert "# quick: every 1h12min (not 10min: daily_write_budget)" in run_cli("config", "show", d.config_path).stdout
    doctor = run_cli("doctor", "--json", "--config", d.config_path, "--state-directory", directory / "s", repository)
    document = json.loads(doctor.stdout)
    assert document["cost"]["daily_write_budget_bytes"] == 30 * MIB
    assert document["cost"]["written_a_day_bytes"] <= 30 * MIB
    assert any("would write 216 MiB a day" in f["text"] for f in document["findings"])
    # It takes effect, and goes, with a reload.
    d.config_path.write_text(config(repository, "0", probe))
    d.hang_up()
    d.wait_metric("repoprobe_probe_interval_seconds", 600, **LABELS)


def test_a_run_that_never_fits_is_refused(daemon, repository):
    d = daemon(wait=False, config=config(repository, "10M"))
    assert d.process.wait(60) == 2
    d.check_log()
    assert len(d.lines) == 1 and "daily_write_budget: a run of quick in [repository nas] may write" in d.lines[0]


# --- Others at work


@pytest.mark.plain
def test_a_large_run_is_skipped_while_others_use_its_disk(daemon, mount):
    disk = mount.ext4(400)
    large = WRITES.replace("[probe quick]", "[probe large]").replace("max_ios = 24", "max_bytes = 65M\nmax_ios = 0")
    text = config(disk, "0", WRITES + large).replace("probes = quick", "probes = quick, large")
    d = daemon(config=text).wait_ready()
    d.wait_runs("nas", 1)
    d.wait_runs("nas", 1, "large")
    begin = time.monotonic()
    size = 0
    while size < 200 or time.monotonic() < begin + 1.2:  # counters are trusted over a second
        command = ["dd", "if=/dev/zero", f"of={disk}/others", "bs=1M", "count=50", "oflag=direct", "status=none"]
        subprocess.run(command, check=True)
        size += 50
    d.probe("nas")  # 1.5M: this is run; its end is when the counters are read
    assert d.json("/api/v1/runs?limit=1")["runs"][0]["context"]["others"]["bytes_per_second"] > 10e6
    ask(d, "large")
    line = r"nas/large: skipped: others use its disk: they move [\d.]+ .iB/s with \d+ I/Os a second"
    d.wait_line(line)
    d.wait_sql("SELECT skip_reason FROM runs_v WHERE status = 'skipped'", [("busy",)])
    assert d.runs("nas", "large") == (1, False)
    d.config_path.write_text(text.replace("daily_write_budget", "when_busy = run\ndaily_write_budget"))
    d.hang_up()
    d.wait_line("configuration reloaded")
    d.probe("nas", "large")
    d.config_path.write_text(text.replace("daily_write_budget", "when_busy = skip\ndaily_write_budget"))
    d.hang_up()
    wait_for(lambda: d.count_lines("configuration reloaded") == 2, "the reload")
    ask(d)
    d.wait_line(r"nas/quick: skipped: others")


# --- Confirming runs


def test_a_confirming_run_is_an_extra_one(daemon, repository, clock):
    d = daemon(config=config(repository, "60M"), environment=clock.environment).wait_ready()
    d.wait_runs("nas", 1)
    clock.move(HOUR * 2.5)  # the regular one, late; then the budget is whole again but for its own
    d.wait_runs("nas", 2)
    slot = d.metric("repoprobe_probe_next_run_timestamp_seconds", **LABELS)
    assert d.control(command="confirm", after_seconds=1, **LABELS) == {"ok": True}
    d.wait_runs("nas", 3)
    assert d.metric("repoprobe_probe_next_run_timestamp_seconds", **LABELS) == slot
    d.wait_sql("SELECT id, is_confirmation FROM run ORDER BY id", [(1, None), (2, None), (3, 1)])
    runs = d.json("/api/v1/runs")["runs"]
    assert [run["context"]["is_confirmation"] for run in runs] == [True, False, False]
    assert d.metric("repoprobe_probe_late_starts_total", **LABELS) == 1  # of the second alone
    # It costs as any other, and one that cannot be is not tried again.
    while skipped(d) == 0:
        attempt(d, lambda: d.control(command="confirm", after_seconds=0, **LABELS))
    d.wait_sql("SELECT is_confirmation FROM run WHERE skip = 5", [(1,)])
    assert d.metric("repoprobe_probe_next_run_timestamp_seconds", **LABELS) == slot


# --- Clocks


@pytest.mark.plain
def test_no_clock_that_jumps_makes_a_storm(daemon, directory, clock):
    names = [f"r{i}" for i in range(6)]
    text = "[defaults]\nprobes = quick\nlimit = 0\n"
    for name in names:
        (directory / name).mkdir()
        text += f"[repository {name}]\npath = {directory}/{name}\n"
    d = daemon(config=text + QUICK, environment=clock.environment).wait_ready()

    def counts():
        return {n: d.runs(n)[0] for n in names}

    def next_runs():
        name = "repoprobe_probe_next_run_timestamp_seconds"
        return {n: d.metric(name, repository=n, probe="quick") for n in names}

    for name in names:
        d.wait_runs(name, 1)
    before = next_runs()
    for step in (-30 * HOUR, 60 * HOUR, -30 * HOUR):  # realtime alone, as when the clock is set
        clock.move(0, step)
        shown = {n: before[n] + clock.realtime for n in names}
        wait_for(lambda: all(abs(next_runs()[n] - shown[n]) < 2 for n in names), lambda: f"{shown}: {next_runs()}")
        assert counts() == dict.fromkeys(names, 1)
    clock.move(30 * HOUR)  # and both: each comes once for all that it missed
    for name in names:
        d.wait_runs(name, 2)
    now = time.time() + clock.both
    assert all(now < slot < now + 2 * HOUR for slot in next_runs().values())
    assert counts() == dict.fromkeys(names, 2)


@pytest.mark.plain
def test_a_timeout_longer_than_the_interval_overlaps_nothing(daemon, slow):
    slow.delay(100)
    probe = WRITES.replace("interval = 1h", "interval = 1s")
    d = daemon(config=config(slow.path, "0", probe)).wait_ready()
    d.wait_runs_at_least("nas", 2)
    wait_for(lambda: skipped(d, "overlap") >= 1, "a skipped slot")
    d.stop()
    rows = d.sql("SELECT started_usec, started_usec + duration_nsec / 1000 FROM run WHERE skip = 0 ORDER BY id")
    assert all(end <= start + 1000 for (_, end), (start, _) in zip(rows, rows[1:]))
    assert len(rows) >= 2


# --- Leftovers


def test_what_a_killed_worker_leaves_is_gone_or_used_after_the_next_run(daemon, slow):
    probe = WRITES.replace("[probe quick]", "[probe quick]\nfresh = yes").replace("max_ios = 24", "max_ios = 64")
    d = daemon(config=config(slow.path, "0", probe)).wait_ready()
    d.wait_runs("nas", 1)
    slow.delay(20)
    for i in range(2, 5):
        ask(d)
        pid = d.wait_at_work(slow.path)
        wait_for(lambda: len(tree(slow.path)) == 4, lambda: f"the second file: {tree(slow.path)}")
        os.kill(pid, signal.SIGKILL)
        d.wait_runs("nas", i)
        assert len(tree(slow.path)) == 4
    slow.delay(0)
    d.probe("nas")
    files = list((slow.path / ".repoprobe").iterdir())
    assert len(files) == 2 and {f.suffix for f in files} == {".TAG", ".dat"}
    assert sum(f.stat().st_size for f in files) <= 5 * MIB + 4096
    assert d.json("/api/v1/runs?limit=1")["runs"][0]["status"] == "ok"


# --- Reload


def shown_by_status(d):
    shown = json.loads(run_cli("status", "--json", "--state-directory", d.state).stdout)
    return [r["name"] for r in shown["repositories"]]


def test_a_reload_under_load_keeps_what_stays_and_drops_what_goes(daemon, slow):
    for name in ("stays", "goes"):
        (slow.path / name).mkdir()

    def text(*names):
        sections = "".join(f"[repository {n}]\npath = {slow.path}/{n}\ngroup = {n}\nprobes = quick\n" for n in names)
        return "[daemon]\nparallel_runs = 4\n[defaults]\nlimit = 0\n" + sections + WRITES

    d = daemon(config=text("stays", "goes")).wait_ready()
    for name in ("stays", "goes"):
        d.wait_runs(name, 1)
    slow.delay(100)
    for name in ("stays", "goes"):
        assert d.control(command="probe-now", repository=name) == {"ok": True}
        wait_for(lambda name=name: d.runs(name)[1] or d.runs(name)[0] > 1, f"{name} to run")
    worker = d.workers()
    d.config_path.write_text(text("stays"))
    for _ in range(5):
        assert d.control(command="reload") == {"ok": True}
        assert d.control(command="probe-now", repository="goes")["ok"] is False
    wait_for(lambda: d.repository("goes") is None, "it to leave the overview")
    assert not any("goes" in labels.values() for _, labels, _ in d.metrics())
    assert [r["name"] for r in d.json("/api/v1/overview")["repositories"]] == ["stays"]
    wait_for(lambda: shown_by_status(d) == ["stays"], lambda: f"status to know it: {shown_by_status(d)}")
    # Its history is no surface: it stays until it is too old.
    assert d.json("/api/v1/runs?repository=goes")["runs"][0]["status"] == "ok"
    assert d.json("/api/v1/series?repository=goes&probe=quick&operation=write")["series"]["time"]
    assert "quick" in run_cli("runs", "goes", "--state-directory", d.state).stdout
    assert worker
    d.wait_runs("stays", 2)  # it was let finish
    assert d.sql("SELECT count(DISTINCT series) FROM run JOIN series ON series.id = series WHERE probe = 'quick'") == [(2,)]
    assert not re.search(r"error|stuck|timeout", "\n".join(line for line in d.lines if "nas" in line))
    slow.delay(1)
    d.config_path.write_text(text("stays", "goes"))
    assert d.control(command="reload") == {"ok": True}
    d.wait_runs("goes", 1)
    assert shown_by_status(d) == ["goes", "stays"]
    d.probe("stays")
    assert d.sql("SELECT count(*) FROM series") == [(2,)]
    d.wait_sql("SELECT count(*) FROM runs_v WHERE status NOT IN ('ok', 'skipped')", [(0,)])
