# SPDX-License-Identifier: Apache-2.0
"""Repositories that hang: workers that SIGKILL cannot end, and all that must go on beside them.

A frozen ext4 file system keeps a process that writes to it until it is thawed; a FUSE file system that does not
answer keeps one that waits for it.
"""
import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest
from conftest import BUILD, QUICK, SANITIZED, TEST_HOOKS, DelayFs, need, need_program, run_cli, wait_for

MANY = 20
PAUSE_SECONDS = 60  # after the first stuck worker
# Killed after three seconds, and given up after eight.
BRIEF = QUICK.replace("timeout = 20s", "timeout = 1s\nduration = 500ms").replace("file_size = 4M", "file_size = 1M")


def config(paths):
    text = f"[daemon]\nparallel_runs = {MANY}\n[defaults]\nprobes = quick\nmin_free = 0%\n{BRIEF}"
    return text + "".join(f"[repository {name}]\npath = {path}\n" for name, path in paths.items())


@pytest.fixture
def clock(directory):
    """Moves the daemon's clock; never a latency, nor the deadline of a worker."""
    need(TEST_HOOKS, "needs --enable-test-hooks")

    class Clock:
        seconds = 0
        environment = {"REPOPROBE_TEST_CLOCK": str(directory / "clock")}

        def move(self, seconds):
            self.seconds += seconds
            (directory / "clock.new").write_text(f"{self.seconds}\n")
            (directory / "clock.new").rename(directory / "clock")

    clock = Clock()
    clock.move(0)
    return clock


@pytest.fixture
def frozen(mount):
    """File systems with a function to freeze and thaw them all; thawed before they are unmounted, whatever happens."""
    paths = {f"h{i}": mount.ext4(64) for i in range(MANY)}

    def freeze(how):
        for path in paths.values():
            subprocess.run(["fsfreeze", how, str(path)], check=True)

    yield paths, freeze
    for path in paths.values():
        subprocess.run(["fsfreeze", "-u", str(path)], check=False, stderr=subprocess.DEVNULL)


def ask(d, names):
    for name in names:
        assert d.control(command="probe-now", repository=name) == {"ok": True}


def values(d, metric, probe="quick", **labels):
    """The value for each repository."""
    wanted = dict(labels, probe=probe)
    return {
        found["repository"]: value
        for name, found, value in d.metrics()
        if name == metric and wanted.items() <= found.items()
    }


def wait_stuck(d, names):
    wait_for(
        lambda: all(values(d, "repoprobe_probe_status", status="stuck").get(n) == 1 for n in names)
        and all(values(d, "repoprobe_probe_stuck_seconds").get(n, 0) > 0 for n in names),
        lambda: f"{names} to be stuck\n{d.log}",
    )


def stuck_since(d):
    return {r["name"]: r["probes"][0]["stuck_since"] for r in d.json("/api/v1/overview")["repositories"]}


def assert_answers_at_once(d):
    for path in ("/metrics", "/api/v1/overview", "/"):
        taken = []
        for _ in range(10):
            begin = time.monotonic()
            assert d.get(path)[0] == 200
            taken.append(time.monotonic() - begin)
        assert min(taken) < (1 if SANITIZED else 0.1), (path, taken)


def durations(d):
    return dict(d.sql("SELECT repository, duration_ms FROM runs_v WHERE status = 'stuck'"))


def wait_durations(d, names):
    wait_for(lambda: set(durations(d)) == set(names), lambda: f"the stuck runs to be committed: {durations(d)}")
    return durations(d)


def assert_limit(seconds, limit):
    assert seconds < (10 * limit if SANITIZED else limit), seconds


@pytest.mark.plain
def test_twenty_unkillable_workers_delay_nothing(daemon, frozen, repository, clock):
    paths, freeze = frozen
    d = daemon(config=config({**paths, "good": repository}), environment=clock.environment).wait_ready()
    for name in (*paths, "good"):
        d.wait_runs(name, 1)
    freeze("-f")
    ask(d, paths)
    wait_stuck(d, paths)
    since = stuck_since(d)
    assert not since.pop("good") and all(since.values())
    first = wait_durations(d, paths)
    assert all(ms >= 5500 for ms in first.values()), first
    assert min(first.values()) < 1000 + 7000 + 1000, first  # 7 s after the deadline at the latest
    assert d.repository("h0")["state"] == "critical" and "stuck since" in d.repository("h0")["reason"]
    assert d.metric("repoprobe_repository_state", repository="h0", state="critical") == 1
    # Never two, and the others go on.
    ask(d, ["h0"])
    d.probe("good", times=2)
    wait_for(lambda: len(d.workers()) == MANY, lambda: f"{MANY} workers: {d.workers()}")
    workers = d.workers()
    assert_answers_at_once(d)
    shown = json.loads(run_cli("status", "--json", "--state-directory", d.state).stdout)["repositories"]
    assert all((r["probes"][0]["stuck_since"] is None) == (r["name"] == "good") for r in shown), shown

    code, taken = d.stop()
    assert code == 0
    assert_limit(taken, 2)
    # What the daemon left, the command line knows still.
    assert run_cli("status", "--state-directory", d.state).stdout.count("stuck since") == MANY
    begin = time.monotonic()
    d.start()
    assert_limit(time.monotonic() - begin, 2)
    d.wait_ready()
    again = stuck_since(d)
    assert not again.pop("good") and again == since
    d.probe("good")
    # A second one would hang as well, and stay.
    wait_for(lambda: d.workers() == [], lambda: f"no worker of its own: {d.workers()}\n{d.log}")
    assert all(os.path.exists(f"/proc/{pid}") for pid in workers)
    assert_answers_at_once(d)

    ask(d, ["h0"])
    freeze("-u")
    wait_for(lambda: not any(stuck_since(d).values()), lambda: f"the workers to go\n{d.log}")
    wait_for(lambda: all(ms > first[n] for n, ms in durations(d).items()), "the true durations")
    assert len(durations(d)) == MANY
    # Who asked for a run gets it now; the others rest for a minute.
    d.wait_state("h0", "ok")
    now = time.time() + clock.seconds
    following = values(d, "repoprobe_probe_next_run_timestamp_seconds")
    assert all(following[n] > now + PAUSE_SECONDS / 3 for n in paths if n != "h0"), following
    assert values(d, "repoprobe_probe_runs_total")["h1"] == 0
    clock.move(3600)  # the next slot of each, in any case
    for name in paths:
        d.wait_state(name, "ok")
    assert not (d.state / "workers").exists() or "worker " not in (d.state / "workers").read_text()


def noted(d):
    with contextlib.suppress(OSError):
        return re.findall(r"^worker (\d+) .* (\S+)/quick$", (d.state / "workers").read_text(), re.MULTILINE)
    return []


@pytest.fixture
def hanging(directory):
    """FUSE file systems that do not answer: neither getattr, nor open, nor fsync."""
    need(os.path.exists("/dev/fuse"), "needs /dev/fuse")
    need((BUILD / "tests/fuse/delayfs").exists(), "needs delayfs (built when fuse3 is installed)")
    with contextlib.ExitStack() as stack:
        made = {}
        for kind in ("getattr", "open", "fsync"):
            (directory / kind).mkdir()
            made[kind] = DelayFs(directory / kind)
            stack.callback(made[kind].end)
            made[kind].hang(kind)
        yield made


@pytest.mark.plain
def test_hanging_calls_outlive_a_daemon_that_is_killed(daemon, hanging, repository):
    """From the very start, with the command line beside it, and then without the daemon's having said a word."""
    commands = {
        "run": ["run", "--duration=500ms", "--timeout=1s", "--file-size=1M"],
        "check": ["check", "--duration=500ms", "--timeout=1s", "--file-size=1M"],
        "doctor": ["doctor"],
    }
    started = {
        (kind, name): subprocess.Popen(
            [str(BUILD / "repoprobe"), *command, str(fs.path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for kind, fs in hanging.items()
        for name, command in commands.items()
        if name == "run" or kind == "getattr"
    }
    begin = time.monotonic()
    paths = {kind: fs.path for kind, fs in hanging.items()}
    d = daemon(config=config({**paths, "good": repository})).wait_ready()
    assert_limit(time.monotonic() - begin, 2)
    wait_for(lambda: set(paths) <= {name for _, name in noted(d)}, lambda: f"the notes of three workers: {noted(d)}")
    d.wait_runs("good", 1)
    workers = {int(pid) for pid, name in noted(d) if name in paths}
    d.kill()
    d.start().wait_ready()
    d.probe("good")
    assert not set(d.workers()) & workers
    wait_stuck(d, paths)
    wait_for(lambda: d.workers() == [], lambda: f"no worker of its own: {d.workers()}\n{d.log}")
    assert_answers_at_once(d)
    first = wait_durations(d, paths)

    for (kind, name), process in started.items():
        out, err = process.communicate(timeout=60)
        text = out if name != "run" else err
        assert process.returncode == {"run": 1, "check": 2, "doctor": 1}[name], (kind, name, out, err)
        assert len(text.splitlines()) == 1 or name == "doctor", text
        assert re.search("does not answer|stuck", text), (kind, name, text)
    for fs in hanging.values():
        fs.hang("off")
    wait_for(lambda: not any(stuck_since(d).values()), lambda: f"the workers to go\n{d.log}")
    wait_for(lambda: all(ms > first[n] for n, ms in durations(d).items()), "the true durations")
    ask(d, paths)
    for name in paths:
        d.wait_state(name, "ok")
    assert d.sql("SELECT count(*) FROM runs_v WHERE status = 'stuck'") == [(3,)]


@pytest.mark.plain
def test_the_first_hang_is_stuck_as_soon_as_any_other(daemon, hanging):
    """Also where the file is still to be laid out: 7 s after the timeout at the latest."""
    text = config({kind: fs.path for kind, fs in hanging.items()}).replace("timeout = 1s", "timeout = 3s")
    d = daemon(config=text).wait_ready()
    wait_stuck(d, hanging)
    taken = wait_durations(d, hanging)
    assert max(taken.values()) < 3000 + 7000 + 1000, taken


def test_notes_that_are_none_are_ignored_with_one_line(daemon, repository):
    d = daemon(repositories={"good": repository}, config=BRIEF)
    d.wait_ready()
    boot_id = open("/proc/sys/kernel/random/boot_id", encoding="ascii").read().strip()
    head = f"repoprobe workers 1\nboot {boot_id}\n"
    innocent = subprocess.Popen(["sleep", "600"])
    try:
        start = open(f"/proc/{innocent.pid}/stat", encoding="ascii").read().split()[21]
        for text, lines in (
            ("\0" * 5000, 1),
            (head + "worker 1 2 3\n", 1),
            # A process of somebody else is none of ours, whatever stands there.
            (head + f"worker {innocent.pid} {start} 0 0 0 0 0 good/quick\n", 0),
        ):
            assert d.stop()[0] == 0
            (d.state / "workers").write_text(text)
            d.start().wait_ready()
            assert d.count_lines("workers of an earlier daemon") == lines, d.log
            assert d.count_lines("of an earlier daemon is still") == 0, d.log
        assert innocent.poll() is None
    finally:
        innocent.kill()
        innocent.wait()


def test_a_worker_killed_by_somebody_is_an_error_with_a_sentence(daemon, slow):
    d = daemon(config=config({"slow": slow.path})).wait_ready()
    d.wait_runs("slow", 1)
    slow.delay(300)
    ask(d, ["slow"])
    os.kill(d.wait_at_work(slow.path), signal.SIGKILL)
    d.wait_runs("slow", 2)
    run = d.repository("slow")["probes"][0]["last_run"]
    assert run["status"] == "error" and "ended by signal 9" in run["reason"], run
    slow.delay(0)
    d.probe("slow")
    d.wait_state("slow", "ok")


SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	int (*real)(int, int, int, struct epoll_event *);
	char path[64], target[64] = "";
	*(void **)&real = dlsym(RTLD_NEXT, "epoll_ctl");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (op == EPOLL_CTL_ADD && access(getenv("SHIM_FILE"), F_OK) == 0 &&
		readlink(path, target, sizeof(target) - 1) > 0 && strstr(target, "pidfd")) {
		errno = ENOSPC;
		return -1;
	}
	return real(epfd, op, fd, event);
}
"""


@pytest.mark.plain
def test_a_worker_that_cannot_be_watched_is_ended_and_reaped(daemon, directory, repository):
    (directory / "shim.c").write_text(SHIM)
    compiler = shutil.which("cc") or need_program("gcc")
    library = directory / "shim.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, directory / "shim.c", "-ldl"], check=True)
    switch = directory / "switch"
    environment = {"LD_PRELOAD": str(library), "SHIM_FILE": str(switch)}
    d = daemon(config=config({"good": repository}), environment=environment).wait_ready()
    d.wait_runs("good", 1)
    switch.touch()
    ask(d, ["good"])
    shown = d.wait_state("good", "unknown")  # it is no trouble of the repository
    assert "could not be watched" in shown["reason"], shown
    wait_for(lambda: d.workers() == [], "its end")  # nor is a zombie left
    switch.unlink()
    d.probe("good")
    d.wait_state("good", "ok")


# --- The log's reader


class Pipe:
    """A FIFO that the test reads, or does not, or has filled."""

    def __init__(self, path):
        os.mkfifo(path)
        self.path = path
        self.end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(self.end, fcntl.F_SETPIPE_SZ, 4096)
        self.text = ""

    def read(self):
        with contextlib.suppress(BlockingIOError):
            self.text += os.read(self.end, 1 << 16).decode()
        return self.text

    def fill(self):
        end = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)  # O_NONBLOCK of this description alone
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(end, b"filler\n")
        os.close(end)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def test_a_reader_of_the_log_that_stops_stops_nothing_else(daemon, directory, repository):
    log = Pipe(directory / "log")
    port = free_port()
    good = f"[repository disk]\npath = {repository}\nprobes = quick\n{QUICK}"
    d = daemon(
        wait=False,
        config=good,
        listen=f"127.0.0.1:{port}",
        prefix=["sh", "-c", f'exec "$@" 2>{log.path}', "sh"],
    )
    d.lines.append(f"dashboard at http://127.0.0.1:{port}/")
    wait_for(lambda: "disk/quick: ok" in log.read(), lambda: f"a run\n{log.text}")
    log.fill()
    # Each refused reload says 50 lines; 256K of them may wait.
    d.config_path.write_text(good + "".join(f"mistake_{i} = {'x' * 60}\n" for i in range(120)))
    for _ in range(100):
        assert d.control(command="reload")["ok"] is False
    d.hang_up()
    d.probe("disk", times=2)
    # What waits comes once it is read, and each loss is said where it happened.
    said = r"warning: (\d+) lines? of the log (?:is|are) lost here"
    wait_for(
        lambda: 500 < sum(map(int, re.findall(said, log.read()))) == d.metric("repoprobe_log_lost_lines_total"),
        lambda: f"what is lost to be said: {d.metric('repoprobe_log_lost_lines_total')}\n{log.text[-2000:]}",
    )
    log.fill()
    code, seconds = d.stop()
    assert code == 0 and seconds < 5
    os.close(log.end)


@pytest.mark.plain
def test_a_stuck_worker_stays_behind_with_the_path_that_it_is_stuck_on(daemon, slow, repository):
    d = daemon(config=config({"nas": slow.path})).wait_ready()
    d.wait_runs("nas", 1)
    slow.hang("open")
    try:
        ask(d, ["nas"])
        d.wait_line(r"nas/quick: stuck")
        worker = d.workers()
        d.config_path.write_text(config({"nas": repository}))
        assert d.control(command="reload") == {"ok": True}
        d.wait_metric("repoprobe_probe_stuck_seconds", 0, repository="nas", probe="quick")
        before = d.runs("nas")[0]
        for i in range(3):  # neither held by the worker nor by a pause after it
            ask(d, ["nas"])
            d.wait_runs("nas", before + 1 + i)
        assert set(worker) <= set(d.workers())
        d.wait_state("nas", "ok")
        d.config_path.write_text(config({"moved": slow.path, "nas": repository}))  # nobody works beside it there
        assert d.control(command="reload") == {"ok": True}
        ask(d, ["nas", "moved"])
        d.wait_runs("nas", before + 4)
        wait_for(lambda: set(d.workers()) <= set(worker), "no worker beside it")
        assert d.runs("moved") == (0, False)
    finally:
        slow.hang("off")
    d.wait_line("the stuck worker is gone")
    d.wait_runs_at_least("moved", 1)
