# SPDX-License-Identifier: Apache-2.0
"""No allocation, descriptor or thread that is refused crashes, hangs or halves the daemon.

A preloaded library (fail_nth.c) fails the Nth call. Each test walks N through all that a phase makes, or through a
sample with a fixed stride; REPOPROBE_FAIL_ALL=1 leaves none out (make check-slow).
"""
import collections
import contextlib
import http.client
import json
import mmap
import os
import pathlib
import re
import resource
import shutil
import select
import socket
import struct
import subprocess
import sys
import time

import pytest
from conftest import BUILD, QUICK, TEST_HOOKS, need, need_program, wait_for

pytestmark = pytest.mark.plain  # sanitizers have an allocator of their own

MEMORY, DESCRIPTORS, THREADS = 1, 2, 4
ENOMEM, EMFILE = 12, 24
# What fails, with which error, whether calls that libraries make count too, and how many in a row fail.
KINDS = {
    "memory": (MEMORY, ENOMEM, 0, 1),
    "libraries": (MEMORY, ENOMEM, 1, 1),
    "no-memory-left": (MEMORY, ENOMEM, 0, 1 << 40),
    "descriptors": (DESCRIPTORS | THREADS, EMFILE, 0, 1),
    "no-descriptor-left": (DESCRIPTORS | THREADS, EMFILE, 1, 1 << 40),
}
LASTING = ("no-memory-left", "no-descriptor-left")
FIELDS = ("armed", "kinds", "libraries", "first", "last", "error", "count", "failed", "site", "live")
SECONDS = 20  # for whatever must go on


class Injector:
    """The memory that the library shares."""

    def __init__(self, directory, library, program="repoprobed"):
        path = directory / "fail-nth"
        path.write_bytes(bytes(8 * len(FIELDS)))
        path.chmod(0o666)
        self.file = open(path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 8 * len(FIELDS))
        self.program = program
        self.environment = {
            "LD_PRELOAD": str(library),
            "FAIL_NTH_FILE": str(path),
            "FAIL_NTH_PROGRAM": program,
            "MALLOC_PERTURB_": "165",  # what is freed does not look as before
            "REPOPROBE_TEST_NULL_KIND": "1",
        }

    def set(self, **values):
        for name, value in values.items():
            struct.pack_into("<Q", self.map, 8 * FIELDS.index(name), value)

    def get(self, name):
        return struct.unpack_from("<Q", self.map, 8 * FIELDS.index(name))[0]

    def arm(self, kind, number):
        kinds, error, libraries, length = KINDS[kind]
        last = number + length - 1 if number else 0
        self.set(armed=0, kinds=kinds, error=error, libraries=libraries, first=number, last=last)
        self.set(count=0, failed=0, site=0)
        self.set(armed=1)

    def disarm(self):
        self.set(armed=0)

    @contextlib.contextmanager
    def failing(self, kind, number):
        self.arm(kind, number)
        try:
            yield
        finally:
            self.disarm()

    def site(self):
        """Where the newest failure was, for people."""
        if not self.get("failed"):
            return "nowhere"
        command = ["addr2line", "-f", "-s", "-i", "-e", str(BUILD / self.program), hex(self.get("site") - 1)]
        return " ".join(subprocess.run(command, capture_output=True, text=True, check=False).stdout.split())

    def numbers(self, most):
        """Of the count that a phase came to while none failed."""
        count = self.get("count")
        assert count > 0
        step = 1 if os.environ.get("REPOPROBE_FAIL_ALL") else -(-count // most)
        print(f"{count} calls, every {step}.", file=sys.stderr)
        return range(1, count + 1, step)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    need(TEST_HOOKS, "needs a build with --enable-test-hooks")
    source = pathlib.Path(__file__).with_name("fail_nth.c")
    target = tmp_path_factory.mktemp("library") / "fail_nth.so"
    compiler = need_program("cc")
    subprocess.run([compiler, "-O1", "-g", "-shared", "-fPIC", "-o", target, source, "-ldl"], check=True)
    return target


@pytest.fixture
def injector(directory, library):
    return Injector(directory, library)


# Who connects waits while no descriptor is left; what needs no connection is tried with that too.
@pytest.fixture(params=[name for name in KINDS if name != "no-descriptor-left"])
def kind(request):
    return request.param


@pytest.fixture(params=KINDS)
def any_kind(request):
    return request.param


def text(directory, *names):
    sections = ""
    for name in names:
        (directory / name).mkdir(exist_ok=True)
        sections += f"[repository {name}]\npath = {directory / name}\ngroup = {name}\nprobes = quick\ndaily_write_budget = 0\n"
    return (
        f"{sections}{QUICK}\n"
        f"[alarm deep-{names[-1]}]\nrepository = {names[-1]}\nwhen = write p95 > 50ms\nclear = write p95 < 20ms for 3\n"
        f"[mute window-{names[-1]}]\nrepository = {names[-1]}\nwhen = Sun 02:00-04:00\n"
    )


@pytest.fixture
def two(daemon, directory, injector):
    d = daemon(config=text(directory, "a", "b"), environment=injector.environment).wait_ready()
    for name in ("a", "b"):
        d.wait_line(f"{name}/quick: ok")
    return d


def try_control(d, **request):
    """The reply, or None where the daemon had no memory for one."""
    with contextlib.suppress(OSError, json.JSONDecodeError):
        return d.control(**request)
    return None


def has(d, name):
    """Is it configured? Asks for a probe that there is not."""
    error = d.control(command="probe-now", repository=name, probe="none")["error"]
    return "probe" in error and "none" in error


def descriptors(d):
    """How many there are of each kind."""
    found = []
    for name in os.listdir(f"/proc/{d.process.pid}/fd"):
        with contextlib.suppress(OSError):
            found.append(re.sub(r":\[\d+\]", "", os.readlink(f"/proc/{d.process.pid}/fd/{name}")))
    return collections.Counter(found)


def check_descriptors(d, before):
    """None has been added."""
    wait_for(
        lambda: not descriptors(d) - before, lambda: f"no more than {before}: {descriptors(d) - before}", SECONDS
    )


def is_over(d):
    return d.process.poll() is not None


def check_lives(d, injector, number):
    assert not is_over(d), f"ended with {d.process.returncode} by call {number}, {injector.site()}\n{d.log[-3000:]}"


# --- Reload


def reload(d, directory, *names):
    d.config_path.write_text(text(directory, *names))
    assert d.control(command="reload") == {"ok": True}


def test_a_reload_is_made_or_not_at_all(two, directory, injector, kind):
    d = two
    for other in ("first", "second", "third"):
        reload(d, directory, "a", other)
    before = injector.get("live"), descriptors(d)
    with injector.failing(kind, 0):
        reload(d, directory, "a", "counted")
    now = "counted"
    numbers = injector.numbers(150)
    for number in numbers:
        new = f"r{number}"
        d.config_path.write_text(text(directory, "a", new))
        with injector.failing(kind, number):
            reply = try_control(d, command="reload")
        check_lives(d, injector, number)
        there = [name for name in ("a", now, new) if has(d, name)]
        where = f"call {number}, {injector.site()}: {reply}, {there} of a, {now} and {new}\n{d.log[-2000:]}"
        assert there in (["a", now], ["a", new]), where
        assert reply is None or reply["ok"] == (new in there), where
        now = there[-1]
    reload(d, directory, "a", "last")
    check_descriptors(d, before[1])
    wait_for(
        lambda: injector.get("live") < before[0] + 100 + len(numbers) // 4,
        lambda: f"about {before[0]} blocks of memory: {injector.get('live')}",
        SECONDS,
    )
    d.probe("a")
    assert d.stop()[0] == 0


# --- Connections that cannot be accepted


def processor_seconds(d):
    fields = open(f"/proc/{d.process.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("door", ["control", "http"])
def test_without_descriptors_those_who_connect_wait_and_no_processor_is_kept_busy(two, door):
    d = two
    pid, port = d.process.pid, d.port
    _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    wait_for(lambda: not d.workers(), "no worker")
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, hard))
    with contextlib.ExitStack() as stack:
        if door == "control":
            peer = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
            peer.connect(str(d.state / "control.sock"))
            peer.send(b'{"command": "probe-now", "repository": "none"}')
            d.wait_line(r"warning: requests to the control socket wait: Too many open files; tried again every second")
        else:
            peer = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=SECONDS))
            peer.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        peer.settimeout(SECONDS)
        begin, before = time.monotonic(), processor_seconds(d)
        assert not select.select([peer], [], [], 2)[0]
        assert (processor_seconds(d) - before) / (time.monotonic() - begin) < 0.25
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (1024, hard))
        assert b"none" in peer.recv(65536) if door == "control" else b" 200 " in peer.recv(65536)
    said = "requests to the control socket wait" if door == "control" else "HTTP connections wait"
    assert d.count_lines(said) == 1
    run_once(d, "a")


# --- HTTP


PATHS = [
    "/metrics",
    "/",
    "/api/v1/overview",
    "/api/v1/runs?repository=a&limit=5",
    "/api/v1/runs/1",
    "/api/v1/series?repository=a&probe=quick&operation=write&from=now-1h&to=now",
    "/api/v1/series?repository=a&probe=quick&operation=write&from=now-1h&to=now&format=csv",
    "/api/v1/heatmap?repository=a&probe=quick&operation=write&from=now-1h&to=now",
    "/api/v1/incidents",
]


def try_get(port, path):
    """The status; None when the connection was closed without an answer. Hangs do not pass."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        return response.status
    except (ConnectionError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def test_each_answer_is_whole_or_an_error(two, injector, kind):
    d = two
    port = d.port
    for path in PATHS:

        def count(path=path):
            with injector.failing(kind, 0):
                return try_get(port, path) == 200

        wait_for(count, path, SECONDS)
        if injector.get("count") == 0:
            continue
        for number in injector.numbers(30):
            with injector.failing(kind, number):
                status = try_get(port, path)
            check_lives(d, injector, number)
            where = f"{path}: {status} by call {number}, {injector.site()}\n{d.log[-2000:]}"
            assert status in (None, 200, 500, 503), where
            wait_for(lambda: try_get(port, path) == 200, where, SECONDS)  # a reader opens the history again
    assert d.stop()[0] == 0


# --- Control


REQUESTS = [
    {"command": "mute", "repository": "a", "until": "2h", "reason": "a test"},
    {"command": "unmute", "repository": "a"},
    {"command": "rebaseline", "repository": "a"},
    {"command": "probe-now", "repository": "none"},
]


def test_each_request_is_answered_or_refused(two, injector, kind):
    d = two
    for request in REQUESTS:
        with injector.failing(kind, 0):
            assert try_control(d, **request) is not None
        for number in injector.numbers(40) if injector.get("count") else ():
            with injector.failing(kind, number):
                try_control(d, **request)
            check_lives(d, injector, number)
            assert d.control(**request) is not None
    assert d.stop()[0] == 0


# --- Runs


def count_ok(d, name):
    return d.count_lines(rf"^{name}/quick: ok")


def run_once(d, name):
    """Whatever went wrong before: a run comes and is good."""
    before = count_ok(d, name)

    def ask():
        if count_ok(d, name) > before or is_over(d):
            return True
        try_control(d, command="probe-now", repository=name, probe="quick")
        with contextlib.suppress(AssertionError):
            wait_for(lambda: count_ok(d, name) > before, "", 2)
        return count_ok(d, name) > before

    wait_for(ask, lambda: f"a good run of {name}\n{d.log[-3000:]}", SECONDS)


def walk_runs(d, injector, kind, most):
    name = "a"
    before = count_ok(d, name)
    with injector.failing(kind, 0):
        run_once(d, name)
        wait_for(lambda: d.sql("SELECT count(*) FROM runs_v")[0][0] >= before + 1, "it to be stored")
    for number in injector.numbers(most):
        finished = d.count_lines(f"^{name}/quick: ")
        with injector.failing(kind, number):
            try_control(d, command="probe-now", repository=name, probe="quick")
            with contextlib.suppress(AssertionError):
                wait_for(lambda: d.count_lines(f"^{name}/quick: ") > finished or is_over(d), "", 1)
        check_lives(d, injector, number)
        run_once(d, name)
        check_lives(d, injector, number)


def test_a_run_fails_by_itself_at_most(two, injector, kind):
    run_once(two, "a")
    before = descriptors(two)
    walk_runs(two, injector, kind, 25)
    check_descriptors(two, before)
    two.wait_metric("repoprobe_database_lost_total", two.count_lines("a run's result could not be kept"))
    assert two.stop()[0] == 0


def test_a_worker_says_what_it_lacks(daemon, directory, library, kind):
    injector = Injector(directory, library, "repoprobe-worker")
    environment = dict(injector.environment)
    del environment["REPOPROBE_TEST_NULL_KIND"]
    d = daemon(config=text(directory, "a", "b"), environment=environment).wait_ready()
    d.wait_line("a/quick: ok")
    walk_runs(d, injector, kind, 12)
    assert not re.search(r"signal|SIG[A-Z]{3}|timeout|stuck", d.log), d.log
    assert d.stop()[0] == 0


def test_an_incident_is_told_by_the_next_run_when_there_was_no_memory_for_it(daemon, directory, injector):
    limits = "probes = quick\nlimit = 100us\nlimit_critical = 200us\n"
    config = text(directory, "a").replace("probes = quick\n", limits, 1)
    d = daemon(wait=False, config=config, environment=injector.environment)
    told = r"^(warning|critical): a: "

    def begin(number):
        """A new history, and runs until the next one opens the incident."""
        shutil.rmtree(d.state, ignore_errors=True)
        d.start().wait_line("a/quick: ok")
        for _ in range(runs - 1):
            run_once(d, "a")
        assert d.count_lines(told) == 0
        injector.arm("memory", number)
        run_once(d, "a")
        injector.disarm()

    d.wait_line("a/quick: ok")
    runs = 1
    while d.count_lines(told) == 0:
        run_once(d, "a")
        runs += 1
    runs -= 1
    assert d.stop()[0] == 0
    begin(0)
    numbers = injector.numbers(15)
    assert d.stop()[0] == 0
    for number in numbers:
        begin(number)
        for _ in range(3):
            run_once(d, "a")
        wait_for(lambda: d.count_lines(told), lambda: f"call {number}, {injector.site()}\n{d.log}", SECONDS)
        assert d.stop()[0] == 0


# --- Start and stop


def start(d, injector, kind, number):
    """True when it runs."""
    injector.arm(kind, number)
    d.start(wait=False)
    wait_for(lambda: is_over(d) or d.count_lines("watching"), lambda: f"a start, or its end\n{d.log}", SECONDS)
    injector.disarm()
    if d.count_lines("watching") and not is_over(d):
        return True
    d.process.wait(SECONDS)
    d.reader.join(SECONDS)
    return False


def test_a_start_works_or_says_in_one_line_why_not(daemon, directory, injector, any_kind):
    d = daemon(wait=False, config=text(directory, "a", "b"), environment=injector.environment)
    d.wait_line("watching")
    assert d.stop()[0] == 0
    assert start(d, injector, any_kind, 0)
    numbers = injector.numbers(25)
    assert d.stop()[0] == 0
    for number in numbers:
        is_running = start(d, injector, any_kind, number)
        where = f"call {number}, {injector.site()}: {d.process.returncode}\n{d.log}"
        if is_running:
            assert d.stop(SECONDS)[0] == 0, where
        else:
            assert d.process.returncode == 1, where
            said = sum(line.startswith("error: ") for line in d.lines)
            assert said == 1 or said > 1 and any_kind in LASTING, where


def test_a_check_works_or_says_in_one_line_why_not(directory, injector):
    path = directory / "checked.conf"
    path.write_text(text(directory, "a", "b"))
    command = [str(BUILD / "repoprobed"), "--check", "--config", str(path)]
    environment = dict(os.environ, **injector.environment)

    def check(number):
        injector.arm("memory", number)
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, env=environment)

    assert check(0).returncode == 0
    for number in injector.numbers(40):
        done = check(number)
        where = f"call {number}, {injector.site()}: {done}"
        assert done.returncode in (0, 1), where
        assert len(done.stderr.splitlines()) == done.returncode, where


def test_a_stop_ends_well(daemon, directory, injector, any_kind):
    d = daemon(wait=False, config=text(directory, "a", "b"), environment=injector.environment)
    d.wait_line("watching")
    injector.arm(any_kind, 0)
    assert d.stop()[0] == 0
    if injector.get("count") == 0:
        return
    for number in injector.numbers(10):
        injector.disarm()
        d.start()
        injector.arm(any_kind, number)
        code, _ = d.stop(SECONDS)
        assert code == 0, f"{code} by call {number}, {injector.site()}\n{d.log}"
