# SPDX-License-Identifier: Apache-2.0
"""A repository that is slow, fails or refuses direct I/O, told from one that is well."""
import contextlib
import errno
import json
import os
import pathlib
import re
import struct
import subprocess
import time

import pytest

from conftest import BUILD, QUICK, SANITIZED, children_of, run_cli, tree, wait_for

# Without confirming runs an alarm needs 3 of 5.
LIMIT = "limit = 15ms\nlimit_critical = 30ms\nconfirm_after = 0\n"
CLEAR_RUNS = 6  # good runs in a row that end an incident
OPENED = r"slow: (reads|writes) of quick take .* on average, limit 15 ms"
CLEARED = r"slow: cleared: (reads|writes) of quick"


def config(path, probe=QUICK, **others):
    text = f"[repository slow]\npath = {path}\nprobes = quick\n{LIMIT}{probe}"
    for name, other in others.items():
        text += f"\n[repository {name}]\npath = {other}\nprobes = quick\n"
    return text


def averages(run):
    return {name: run["operations"][name]["avg_seconds"] for name in ("read", "write") if name in run["operations"]}


def random_runs(path, *options):
    """Runs until one was not disturbed by the machine, at most five; each must have taken what was set."""
    for _ in range(5):
        done = run_cli("run", "--json", "--write=50", "--pattern=random", "--queue-depth=1", *options, path)
        assert done.returncode == 0, done.stderr
        run = json.loads(done.stdout)
        yield run


@pytest.mark.parametrize("options", [["--block-size=64K"], ["--block-size=512K", "--write=100"]])
def test_run_reads_the_latency_that_was_set(slow, options):
    slow.delay(20)
    found = []
    for run in random_runs(slow.path, "--max-ios=40", "--warmup=4", "--file-size=4M", *options):
        assert run["operations"]["total"]["ios"] == 36
        assert {"direct", "fallback"} & set(run["trust"]) == {"direct"}
        assert tree(slow.path) == []
        found.append(max(averages(run).values()))
        assert min(averages(run).values()) >= 0.020, run
        if found[-1] <= 0.022 or SANITIZED:
            return
    raise AssertionError(f"20 ms read as {found}")


def test_an_incident_comes_once_and_goes_once(daemon, slow):
    slow.delay(1)
    d = daemon(config=config(slow.path)).wait_ready()
    labels = {"repository": "slow", "probe": "quick", "alarm": "limit"}
    assert d.metric("repoprobe_alarm_firing", level="warning", **labels) == 0
    d.wait_runs("slow", 1)
    d.wait_state("slow", "ok")

    slow.delay(20)
    d.probe("slow", times=2)
    assert d.repository("slow")["state"] == "ok"  # two slow runs are none
    d.probe("slow", times=1)
    shown = d.wait_state("slow", "warning")
    assert min(averages(shown["probes"][0]["last_run"]).values()) >= 0.020
    assert shown["incident"]["level"] == "warning"
    d.wait_metric("repoprobe_alarm_firing", 1, level="warning", **labels)
    assert d.metric("repoprobe_alarm_firing", level="critical", **labels) == 0
    assert d.metric("repoprobe_repository_state", repository="slow", state="warning") == 1
    assert d.metric("repoprobe_repository_state", repository="slow", state="ok") == 0
    d.wait_line(OPENED)
    d.probe("slow", times=2)
    assert d.sql("SELECT repository, state, level, reason FROM incidents_v") == [("slow", "open", "warning", "limit")]
    # Reads and writes are judged apart; what joins an open incident does not open another one.
    assert d.count_lines(OPENED) == 1, d.log

    # Nobody counts what others do below FUSE, so it does not become critical.
    slow.delay(40)
    d.probe("slow", times=2)
    assert d.repository("slow")["state"] == "warning"
    assert d.metric("repoprobe_alarm_firing", level="critical", **labels) == 0

    slow.delay(1)
    d.probe("slow", times=CLEAR_RUNS - 1)
    assert d.repository("slow")["state"] == "warning"
    d.probe("slow", times=1)
    shown = d.wait_state("slow", "ok")
    assert shown["incident"] is None
    d.wait_metric("repoprobe_alarm_firing", 0, level="warning", **labels)
    d.wait_line(CLEARED)
    d.wait_sql("SELECT repository, state, level FROM incidents_v", [("slow", "closed", "warning")])
    d.probe("slow", times=1)
    assert (d.count_lines(OPENED), d.count_lines(CLEARED)) == (1, 1), d.log

    # What was said is in the outbox, each once and delivered.
    events = d.sql("SELECT incident, sequence FROM incident_event ORDER BY 1, 2")
    assert events == [(1, i) for i in range(len(events))]
    # A reason that joins (3) is kept, but no message.
    told = [i for (i,) in d.sql("SELECT sequence FROM incident_event WHERE change <> 3 ORDER BY 1")]
    assert len(told) == 2
    d.wait_sql(
        "SELECT key, delivered_usec IS NOT NULL FROM outbox ORDER BY sequence",
        [(f"journal/1/{i}", 1) for i in told],
    )
    d.wait_metric("repoprobe_notifications_total", len(told), channel="journal")
    assert d.metric("repoprobe_notification_queue_length") == 0
    assert d.metric("repoprobe_notification_failures_total", channel="journal") == 0


@pytest.mark.plain
def test_what_is_slower_than_its_warm_up_is_measured_and_alarms(daemon, slow):
    """A warm-up of 8 I/Os would take longer than the whole run, and the fourth I/O ends just after its end."""
    probe = QUICK.replace("warmup = 2", "warmup = 8\nduration = 1020ms").replace("write = 50", "write = 100")
    d = daemon(config=config(slow.path, probe.replace("file_size = 4M", "file_size = 1M"))).wait_ready()
    d.wait_runs("slow", 1)
    slow.delay(260)
    d.probe("slow", times=3)
    shown = d.wait_state("slow", "warning")
    assert shown["incident"]["level"] == "warning"
    for run in d.json("/api/v1/runs?repository=slow&limit=3")["runs"]:
        assert run["status"] == "ok" and run["operations"]["write"]["ios"] >= 1, run
        assert 0.26 <= run["operations"]["write"]["avg_seconds"] < 0.5, run


@pytest.mark.plain
def test_a_repository_that_is_slow_by_less_than_the_limit_raises_nothing(daemon, slow):
    slow.delay(40)  # a loaded machine adds some milliseconds of its own
    text = config(slow.path).replace(LIMIT, "limit = 80ms\nlimit_critical = 160ms\n")
    d = daemon(config=text).wait_ready()
    d.wait_runs("slow", 1)
    d.probe("slow", times=3)
    assert d.repository("slow")["state"] == "ok"
    assert d.sql("SELECT count(*) FROM incident") == [(0,)]


def test_refused_direct_io_is_measured_otherwise_and_said(slow, daemon):
    slow.refuse_direct()
    done = run_cli("run", "--json", "--file-size=4M", "--max-ios=20", "--write=50", slow.path)
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    assert run["status"] == "ok"
    assert "fallback" in run["trust"] and "direct" not in run["trust"]
    text = run_cli("run", "--file-size=4M", "--max-ios=20", slow.path)
    assert text.returncode == 0 and "fallback" in text.stdout
    d = daemon(config=config(slow.path)).wait_ready()
    d.wait_runs("slow", 1)
    last = d.repository("slow")["probes"][0]["last_run"]
    assert last["status"] == "ok" and "fallback" in last["trust"]


def test_errors_are_named_and_the_others_are_probed_on(daemon, slow, repository):
    d = daemon(config=config(slow.path, good=repository)).wait_ready()
    d.wait_runs("slow", 1)
    d.wait_runs("good", 1)
    slow.error(errno.EIO)
    d.probe("slow")
    shown = d.wait_state("slow", "critical")
    last = shown["probes"][0]["last_run"]
    assert (last["status"], last["error"]) == ("error", "EIO"), last
    assert last["reason"]
    d.wait_metric("repoprobe_probe_failures_total", 1, repository="slow", probe="quick", reason="error")
    assert d.metric("repoprobe_probe_status", repository="slow", probe="quick", status="error") == 1
    assert d.metric("repoprobe_probe_success", repository="slow", probe="quick") == 0
    d.probe("good")
    assert d.repository("good")["state"] == "ok"
    slow.error(0)
    d.probe("slow")
    d.wait_state("slow", "ok")
    d.wait_sql("SELECT status FROM runs_v WHERE repository = 'slow' ORDER BY id", [("ok",), ("error",), ("ok",)])


def test_run_fails_with_a_line_and_a_document_when_io_fails(slow):
    slow.error(errno.EIO)
    done = run_cli("run", "--json", "--file-size=4M", "--max-ios=20", slow.path)
    assert done.returncode == 1
    run = json.loads(done.stdout)
    assert (run["status"], run["error"]) == ("error", "EIO"), run
    assert len(done.stderr.splitlines()) == 1 and str(slow.path) in done.stderr
    slow.error(0)
    assert tree(slow.path) == []


def is_measuring(pid):
    """A worker that has opened the probe file for its direct I/O."""
    for worker in children_of(pid):
        for fd in pathlib.Path(f"/proc/{worker}/fd").glob("*"):
            with contextlib.suppress(OSError):
                flags = re.search(r"flags:\s*(\d+)", pathlib.Path(f"/proc/{worker}/fdinfo/{fd.name}").read_text())
                if os.readlink(fd).endswith(".dat") and int(flags.group(1), 8) & os.O_DIRECT:
                    return True
    return False


def test_a_run_ends_at_its_timeout_as_stalled(slow):
    """The I/Os that are out then count with their age, a lower bound."""
    options = ["--file-size=4M", "--keep-file", "--write=0", "--warmup=0", "--max-bytes=0"]
    assert run_cli("run", "--max-ios=20", *options, slow.path).returncode == 0
    slow.delay(20)
    process = subprocess.Popen(
        [str(BUILD / "repoprobe"), "run", "--json", "--duration=3s", "--timeout=5s", *options, slow.path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: is_measuring(process.pid), "the run to measure")
    slow.delay(7000)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and len(err.splitlines()) == 1, err
    run = json.loads(out)
    assert run["status"] == "stalled", run
    assert run["context"]["outstanding_ios"] == 2
    assert 3.5 < run["operations"]["read"]["max_seconds"] < 7
    assert run["context"]["duration_seconds"] < 5 + 2 + 5


def test_a_setup_that_hangs_is_killed_and_called_timeout(slow):
    assert run_cli("run", "--max-ios=20", "--file-size=4M", "--keep-file", slow.path).returncode == 0
    slow.delay(4000)
    done = run_cli(
        "run", "--json", "--file-size=4M", "--max-ios=20", "--duration=500ms", "--timeout=1s", "--keep-file", slow.path
    )
    assert done.returncode == 1
    run = json.loads(done.stdout)
    assert run["status"] == "timeout" and run["operations"] == {}, run
    assert 3 <= run["context"]["duration_seconds"] < 8


def test_a_run_tells_what_took_longest_before_its_io(slow, daemon):
    options = ["--max-ios=20", "--file-size=4M", "--keep-file"]
    assert run_cli("run", *options, slow.path).returncode == 0
    slow.open_delay(700)
    done = run_cli("run", "--json", *options, slow.path)
    context = json.loads(done.stdout)["context"]
    assert 0.7 <= context["setup_longest_seconds"] < context["setup_seconds"] < 20, context
    assert context["setup_step"] == "open"
    # It is opened once to hold its lock, and once for its I/O.
    assert context["setup_seconds"] >= 2 * 0.7 and context["measured_seconds"] < 0.7
    text = run_cli("run", *options, slow.path).stdout
    assert re.search(r"measured, \d+\.\d{3} s to set up \(opening the probe file took \d+\.\d{3} s\), ", text), text

    d = daemon(config=config(slow.path)).wait_ready()
    d.wait_runs("slow", 1)
    last = d.repository("slow")["probes"][0]["last_run"]
    assert (last["setup_step"], last["setup_step_text"]) == ("open", "opening the probe file"), last
    labels = {"repository": "slow", "probe": "quick"}
    d.wait_metric("repoprobe_probe_setup_seconds", last["setup_seconds"], **labels)
    d.wait_sql("SELECT setup_step, setup_longest_ms >= 700 AND setup_longest_ms < setup_ms FROM runs_v", [("open", 1)])


@pytest.mark.plain
def test_a_file_that_is_laid_out_slowly_is_used_as_far_as_it_is_there(slow):
    slow.delay(100)
    done = run_cli("run", "--json", "--block-size=64K", "--duration=1s", "--timeout=5s", slow.path)
    run = json.loads(done.stdout)
    assert (done.returncode, run["status"]) == (0, "ok"), run
    assert "warming" in run["trust"] and run["operations"]["write"]["avg_seconds"] >= 0.1
    assert run["context"]["duration_seconds"] < 5 + 2
    assert tree(slow.path) == []


@pytest.mark.plain
def test_opens_that_hang_are_an_incident_as_ios_that_hang_are(slow, daemon):
    d = daemon(config=config(slow.path).replace(LIMIT, "confirm_after = 0\n")).wait_ready()
    d.wait_runs("slow", 1)
    for milliseconds in (2200, 0, 2200):
        assert d.sql("SELECT count(*) FROM incident") == [(0,)]
        slow.open_delay(milliseconds)
        d.probe("slow")
    slow.open_delay(0)
    d.wait_line(r"warning: slow: opening the probe file took 2\.\d+ s in a run of quick \(2 of the last 4 runs\)")
    d.wait_sql("SELECT repository, state, level, reason FROM incidents_v", [("slow", "open", "warning", "stall")])
    assert d.repository("slow")["state"] == "warning"
    evidence = d.json("/api/v1/incidents/1")["events"][0]["evidence"]
    assert evidence["setup_step"] == "open" and evidence["value_seconds"] >= 2.2, evidence


@pytest.mark.plain
def test_a_file_that_grows_too_slowly_is_judged_all_the_same(slow, daemon):
    """Above the critical limit at once, and after an hour like any other: the file remembers when that began."""
    slow.delay(100)
    probe = QUICK.replace("file_size = 4M", "file_size = 1G").replace("timeout = 20s", "timeout = 3s\nduration = 1s")
    d = daemon(config=config(slow.path, probe)).wait_ready()
    d.wait_runs("slow", 1)
    assert "warming" in d.repository("slow")["probes"][0]["last_run"]["trust"]
    d.probe("slow", times=2)
    d.wait_state("slow", "warning")
    assert "warming" in d.repository("slow")["probes"][0]["last_run"]["trust"]
    d.wait_line(OPENED)
    query = "SELECT file_bytes, file_target_bytes, status FROM runs_v ORDER BY id DESC LIMIT 1"
    d.wait_sql("SELECT count(*) FROM runs_v", [(3,)])
    before = d.sql(query)[0]
    assert before[0] < before[1] == 1 << 30

    assert d.stop()[0] == 0
    (file,) = (slow.backing / ".repoprobe").glob("*.dat")
    with open(file, "r+b") as f:
        began, target = struct.unpack("<qQ", os.pread(f.fileno(), 16, 256))
        assert (target, abs(time.time() - began / 1e6) < 120) == (1 << 30, True)
        os.pwrite(f.fileno(), struct.pack("<q", began - 3600 * 10**6), 256)
    d.start()
    d.wait_ready()
    d.probe("slow")
    last = d.repository("slow")["probes"][0]["last_run"]
    assert "warming" not in last["trust"] and "clamped" in last["trust"], last
    d.wait_line(r"slow: the probe file stays at \d+(\.\d+)? MiB instead of 1 GiB")
    assert d.sql(query)[0] == (before[0], before[0], "ok")
    d.probe("slow")
    assert d.count_lines(r"the probe file stays at") == 1, d.log
    assert d.sql("SELECT count(*) FROM incident") == [(1,)]


def freeze(path, how):
    subprocess.run(["fsfreeze", how, str(path)], check=True)


@pytest.fixture
def frozen(mount):
    """An ext4 image that can be frozen; thawed before it is unmounted, whatever happens."""
    path = mount.ext4(64)
    yield path
    subprocess.run(["fsfreeze", "-u", str(path)], check=False, stderr=subprocess.DEVNULL)


@pytest.mark.plain
def test_an_unkillable_worker_is_a_result_and_delays_nothing(daemon, frozen, repository):
    probe = QUICK.replace("timeout = 20s", "timeout = 2s\nduration = 1s")
    d = daemon(config=config(frozen, probe, good=repository)).wait_ready()
    d.wait_runs("slow", 1)
    d.wait_runs("good", 1)
    freeze(frozen, "-f")
    assert d.control(command="probe-now", repository="slow") == {"ok": True}
    d.wait_metric("repoprobe_probe_running", 1, repository="slow", probe="quick")
    d.probe("good")
    shown = d.wait_state("slow", "critical")
    assert shown["probes"][0]["last_run"]["status"] == "stuck", shown
    assert shown["probes"][0]["stuck_since"]
    assert len(d.workers()) == 1
    wait_for(lambda: d.metric("repoprobe_probe_stuck_seconds", repository="slow", probe="quick") > 0, "stuck seconds")
    d.probe("good", times=2)  # parallel_runs does not count it
    # Another one is never started beside it.
    assert d.control(command="probe-now", repository="slow") == {"ok": True}
    d.probe("good")
    assert len(d.workers()) == 1
    stuck_ms = d.sql("SELECT duration_ms FROM runs_v WHERE status = 'stuck'")[0][0]

    freeze(frozen, "-u")
    wait_for(lambda: not d.repository("slow")["probes"][0]["stuck_since"], lambda: f"the worker to go\n{d.log}")
    d.wait_state("slow", "ok")  # the run asked for meanwhile
    wait_for(
        lambda: d.sql("SELECT duration_ms FROM runs_v WHERE status = 'stuck'")[0][0] > stuck_ms,
        "the true duration of the stuck run",
    )

    freeze(frozen, "-f")
    assert d.control(command="probe-now", repository="slow") == {"ok": True}
    d.wait_metric("repoprobe_probe_running", 1, repository="slow", probe="quick")
    worker = d.workers()[0]
    code, taken = d.stop()
    assert code == 0
    if not SANITIZED:
        assert taken < 2
    freeze(frozen, "-u")
    wait_for(lambda: not os.path.exists(f"/proc/{worker}"), "the orphan to go")
