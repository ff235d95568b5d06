# SPDX-License-Identifier: Apache-2.0
"""Alarms with the real daemon: one incident for real trouble, silence otherwise; mutes; a restart that
neither repeats nor forgets. The slow repository is a FUSE file system, of which nobody counts others' work."""
import contextlib
import fcntl
import json
import mmap
import os
import struct
import subprocess
import threading
import time

import pytest

from conftest import BUILD, QUICK, TEST_HOOKS, DelayFs, children_of, need, run_cli, wait_for

# The confirming runs come one and two seconds after a bad one.
FAST = QUICK.replace("interval = 1h", "interval = 4s").replace("max_ios = 24", "max_ios = 12")
LIMIT = "limit = 15ms\nlimit_critical = 1s\n"
# Waiting is most of it, and a second time under sanitizers finds nothing more.
pytestmark = pytest.mark.plain


@pytest.fixture(autouse=True)
def prompt():
    """A millisecond decides here, and a machine that builds or tests beside us takes it: the file system, the
    daemon and its workers inherit a place before all others, where the machine gives it."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    yield
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


@pytest.fixture
def slow(mount):
    """The slow file system keeps its files in memory: no disk that others use has a part in its times."""
    need((BUILD / "tests/fuse/delayfs").exists(), "needs delayfs (built when fuse3 is installed)")
    fs = DelayFs(mount.tmpfs("256M"))
    yield fs
    fs.end()


RAISED = r"(warning|critical): nas: (reads|writes) of quick"


def config(path, probe=FAST, limit=LIMIT, confirm="1s, 2s"):
    keys = f"confirm_after = {confirm}\ndaily_write_budget = 10T\nsplay = 0\n{limit}"
    return f"[repository nas]\npath = {path}\nprobes = quick\n{keys}\n{probe}"


def incidents(d):
    return d.sql("SELECT repository, state, level, reason FROM incidents_v ORDER BY id")


def judged(d, confirming=None):
    """How many runs there were, with numbers."""
    query = "SELECT count(*) FROM run WHERE status IN (0, 2)"
    if confirming is not None:
        query += f" AND coalesce(is_confirmation, 0) = {int(confirming)}"
    return d.sql(query)[0][0]


def learn(d, runs):
    """Lets so many runs be made, as fast as they go."""
    while judged(d) < runs:
        d.probe("nas")


def test_thirty_milliseconds_where_two_are_normal_are_one_incident_within_three_slots(daemon, slow):
    slow.delay(2)
    d = daemon(config=config(slow.path)).wait_ready()
    d.wait_runs_at_least("nas", 2)
    slow.delay(30)
    before = judged(d, confirming=False)
    wait_for(lambda: incidents(d), "an incident")
    assert judged(d, confirming=False) - before <= 4  # a slot may have been half over when it became slow
    assert judged(d, confirming=True) >= 2  # and it was looked at twice
    shown = d.wait_state("nas", "warning")
    assert shown["incident"]["id"] == 1
    wait_for(lambda: judged(d, confirming=False) >= before + 4, "more slots")
    assert len(incidents(d)) == 1
    assert d.count_lines(RAISED) == 1, d.log


def test_a_spike_whose_confirming_runs_are_clean_is_none(daemon, slow):
    slow.delay(2)
    probe = FAST.replace("interval = 4s", "interval = 1h")
    d = daemon(config=config(slow.path, probe)).wait_ready()
    d.wait_runs("nas", 1)
    for _ in range(3):
        slow.delay(40)
        before = judged(d, confirming=True)
        d.probe("nas")
        slow.delay(2)
        wait_for(lambda: judged(d, confirming=True) > before, "a confirming run")
        wait_for(lambda: d.runs("nas")[0] == judged(d), "the counter to follow")
    d.probe("nas", times=2)
    assert incidents(d) == []
    assert d.repository("nas")["state"] == "ok"


def test_what_rises_and_falls_around_a_limit_near_normal_clears(daemon, slow):
    """14 -> 40 -> 14 ms at a limit of 15, with a baseline of 36 runs."""
    slow.delay(13)
    quick = FAST.replace("interval = 4s", "interval = 1h").replace("max_ios = 12", "max_ios = 8")
    d = daemon(config=config(slow.path, quick, confirm="0")).wait_ready()
    # Of each operation; a run that was slow by chance is not learned from.
    learned = "SELECT min(n) >= 40 FROM (SELECT count(*) AS n FROM run_operation WHERE hex(substr(sample, 7, 1)) = '01'"
    while d.sql(learned + " GROUP BY operation)") != [(1,)]:
        d.probe("nas")
    slow.delay(40)
    d.probe("nas", times=4)
    wait_for(lambda: incidents(d), "an incident")
    slow.delay(13)
    # Six in a row: on a busy machine one or the other run takes longer, and the row begins anew.
    wait_for(lambda: d.probe("nas") or [i[1] for i in incidents(d)] == ["closed"], lambda: str(incidents(d)))


@contextlib.contextmanager
def others_work(directory):
    """Somebody writes to the same device as fast as it goes, past the page cache."""
    is_over = threading.Event()
    fd = os.open(directory / "backup.vbk", os.O_RDWR | os.O_CREAT | os.O_DIRECT | os.O_DSYNC, 0o600)
    data = mmap.mmap(-1, 256 << 10)

    def work():
        i = 0
        while not is_over.is_set():
            os.pwrite(fd, data, i % 64 * len(data))
            i += 1

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    yield
    is_over.set()
    for worker in workers:
        worker.join()
    os.close(fd)


@pytest.fixture
def slow_disk(slow, root, directory):
    """ext4 on a loop device, which the kernel counts, whose image lies on the slow file system."""
    image = slow.path / "image"
    with open(image, "wb") as f:
        f.truncate(128 << 20)
    command = ["losetup", "--find", "--show", str(image)]
    loop = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    path = directory / "disk"
    path.mkdir()
    try:
        subprocess.run(["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", loop], check=True)
        subprocess.run(["mount", loop, str(path)], check=True)
        yield path
    finally:
        slow.delay(0)
        subprocess.run(["umount", "-l", str(path)], check=False)
        subprocess.run(["losetup", "--detach", loop], check=False)


def test_slow_while_others_work_is_normal_and_slow_when_idle_is_not(daemon, slow, slow_disk):
    slow.delay(2)
    quick = FAST.replace("interval = 4s", "interval = 1h")
    d = daemon(config=config(slow_disk, quick, limit="limit = 0\n", confirm="0")).wait_ready()
    learn(d, 40)
    slow.delay(8)
    d.probe("nas", times=5)
    wait_for(lambda: incidents(d), "an incident")
    assert incidents(d)[0][1:] == ("open", "warning", "relative")
    assert d.sql("SELECT DISTINCT load FROM incidents_v") == [("idle",)]
    slow.delay(2)
    wait_for(lambda: d.probe("nas") or incidents(d)[0][1] == "closed", "its end")

    with others_work(slow_disk):
        busy = "SELECT others_mib_per_s > 10 FROM runs_v ORDER BY id DESC LIMIT 1"
        # Not many runs meanwhile: what is done under load has a normal of its own, in time.
        wait_for(lambda: time.sleep(3) or d.probe("nas") or d.sql(busy) == [(1,)], "others' work to be seen")
        slow.delay(8)
        d.probe("nas", times=8)
        assert d.sql("SELECT max(write_avg_ms) > 8 FROM runs_v") == [(1,)]
        assert len(incidents(d)) == 1 and incidents(d)[0][1] == "closed"
        # A limit that somebody gave is honoured, an hour of slots later.
        d.config_path.write_text(config(slow_disk, quick, limit="limit = 5ms\n", confirm="0"))
        d.hang_up()
        d.wait_line("configuration")
        d.probe("nas", times=12)
        wait_for(lambda: incidents(d)[-1][1:] == ("open", "warning", "limit"), lambda: str(incidents(d)))


def test_a_mute_holds_messages_back_and_its_end_tells_what_is_still_wrong(daemon, slow):
    slow.delay(2)
    probe = FAST.replace("interval = 4s", "interval = 1h")
    d = daemon(config=config(slow.path, probe, limit="limit = 15ms\nlimit_mode = strict\n")).wait_ready()
    d.wait_runs("nas", 1)

    def ask(*arguments):
        return run_cli(*arguments, "--config", d.config_path, "--state-directory", d.state)

    done = ask("mute", "nas", "--for=1h", "--reason=new firmware")
    assert done.returncode == 0, done.stderr
    shown = wait_for(lambda: d.repository("nas").get("mute"), "the mute to be shown")
    assert (shown["mode"], shown["reason"]) == ("mute", "new firmware")
    slow.delay(30)
    d.probe("nas", times=1)
    wait_for(lambda: judged(d, confirming=True) >= 2, "confirming runs")
    d.probe("nas", times=1)
    wait_for(lambda: incidents(d), "an incident")
    assert d.sql("SELECT count(*) FROM outbox") == [(0,)]
    assert d.count_lines(RAISED) == 0
    d.kill()  # what was held back is not forgotten
    d.start().wait_ready()
    assert d.sql("SELECT count(*) FROM outbox") == [(0,)]
    done = ask("unmute", "nas")
    assert done.returncode == 0 and "1 mute ended" in done.stdout, done
    d.wait_line(RAISED + r".*told now: it was muted")
    assert d.sql("SELECT count(*) FROM outbox") == [(1,)]
    assert ask("unmute", "nas").returncode == 1


def status(d, *options):
    """What the command line shows of it, from the history."""
    done = run_cli("status", "--json", "--state-directory", d.state, *options)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)["repositories"][0]


def test_a_configured_pause_is_shown_by_the_command_line(daemon, repository):
    pause = "[mute night]\nwhen = 00:00-00:00\nmode = pause\nreason = nightly\n"
    d = daemon(config=config(repository)).wait_ready()
    d.wait_runs_at_least("nas", 1)
    assert status(d, "--config", d.config_path)["state"] == "ok"
    d.config_path.write_text(config(repository) + pause)
    d.hang_up()
    d.wait_state("nas", "paused")
    told = status(d, "--config", d.config_path)
    assert (told["state"], told["mute"]["reason"]) == ("paused", "nightly")
    assert told["reason"] == d.repository("nas")["reason"]
    d.stop()
    assert status(d, "--config", d.config_path)["state"] == "paused"


def test_a_pause_stops_probing_and_raises_nothing(daemon, repository):
    probe = FAST.replace("interval = 4s", "interval = 1s")
    d = daemon(config=config(repository, probe)).wait_ready()
    d.wait_runs_at_least("nas", 2)
    reply = d.control(command="mute", repository="nas", mode="pause", reason="shelf", until="now-1h")
    assert not reply["ok"] and "future" in reply["error"]
    done = run_cli(
        "mute", "nas", "--for=1h", "--pause", "--reason=shelf", "--config", d.config_path, "--state-directory", d.state
    )
    assert done.returncode == 0, done.stderr
    d.wait_metric("repoprobe_probe_skips_total", 3, repository="nas", probe="quick", reason="mute")
    assert children_of(d.process.pid) == []
    told = wait_for(lambda: status(d)["mute"], "the pause to be in the history")
    assert (told["mode"], told["reason"]) == ("pause", "shelf")
    assert status(d)["state"] == "paused" and "not probed until" in status(d)["reason"]
    assert "paused" in d.repository("nas")["state"]
    before = judged(d)
    d.wait_metric("repoprobe_probe_skips_total", 6, repository="nas", probe="quick", reason="mute")
    assert judged(d) == before and incidents(d) == []


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["--for=2h"], "--reason=TEXT is missing"),
        (["--reason=x"], "expected either --for=TIME or --until=INSTANT"),
        (["--for=5m", "--reason=x"], "did you mean 5min"),
        (["--until=1970-01-02T00:00:00Z", "--reason=x"], "end before it starts"),
        (["--for=1h", "--until=now", "--reason=x"], "expected either"),
        (["--for=1h", "--reason=" + "x" * 201], "at most 200 bytes"),
    ],
)
def test_a_mute_that_makes_no_sense_is_one_line(arguments, sentence):
    done = run_cli("mute", "nas", *arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert sentence in done.stderr and done.stderr.count("\n") == 1


# --- Runs that never come


class SteppedClock:
    """The daemon's clock, moved by less than what it takes for a sleep of the machine, and looked at each time."""

    STEP = 20

    def __init__(self, directory):
        self.path = directory / "clock"
        self.seconds = 0
        self.path.write_text("0")
        self.environment = {"REPOPROBE_TEST_CLOCK": str(self.path)}

    def move(self, d, seconds):
        for _ in range(0, seconds, self.STEP):
            self.seconds += self.STEP
            new = self.path.with_name("clock.new")
            new.write_text(str(self.seconds))
            new.rename(self.path)
            d.control(command="probe-now", repository="nas")


@contextlib.contextmanager
def in_use(repository):
    """The probe file, locked as another host or an earlier worker would."""
    (path,) = (repository / ".repoprobe").glob("*.dat")
    with open(path, "r+b") as file:
        lock = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        wait_for(lambda: try_lock(file, lock), "the worker to let go")
        yield


def try_lock(file, lock):
    with contextlib.suppress(BlockingIOError):
        fcntl.fcntl(file, 37, lock)  # F_OFD_SETLK
        return True
    return False


def test_runs_that_are_all_skipped_are_missing_data_unless_a_pause_explains_it(daemon, repository, directory):
    need(TEST_HOOKS, "needs a build with --enable-test-hooks")
    clock = SteppedClock(directory)
    probe = QUICK.replace("interval = 1h", "interval = 20min")
    d = daemon(config=config(repository, probe), environment=clock.environment).wait_ready()
    d.wait_runs("nas", 1)
    with in_use(repository):
        assert d.control(
            command="mute", repository="nas", mode="pause", reason="shelf", until=f"{time.time() + 2 * 3600:.0f}"
        )["ok"]
        clock.move(d, 5400)
        d.wait_state("nas", "paused")
        assert d.control(command="unmute", repository="nas")["ok"]
        clock.move(d, 3000)
        d.wait_sql("SELECT count(*) > 0 FROM runs_v WHERE skip_reason = 'in_use'", [(1,)])
        assert d.sql("SELECT count(*) FROM incidents_v") == [(0,)]
        # After one that was asked for, the next slot is up to half an hour away; and a look between the daemon's two
        # readings of the clock is taken for a clock that was set, from which the time counts anew.
        told = r"warning: nas: each run of quick was skipped for three intervals, at least an hour"
        for _ in range(12 * 6):
            clock.move(d, 600)
            if d.count_lines(told):
                break
        d.wait_line(told)
        d.wait_sql("SELECT level, reason FROM incidents_v", [("warning", "no_data")])
    d.probe("nas", times=3)
    d.wait_state("nas", "ok")
