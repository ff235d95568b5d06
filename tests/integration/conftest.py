# SPDX-License-Identifier: Apache-2.0
"""The real programs on temporary paths: a daemon on port 0, the command line, and the slow file system.

REPOPROBE_BUILD names the build directory. Tests wait for events (a line of the log, a value over HTTP), never
for time to pass. Every daemon that a test leaves running is stopped here and must end well; one built with
sanitizers must not have complained.
"""
import contextlib
import http.client
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import tempfile
import threading
import time

import pytest

BUILD = pathlib.Path(os.environ.get("REPOPROBE_BUILD", "build")).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("repoprobed", "repoprobe", "repoprobe-worker")
SANITIZED = (BUILD / "repoprobed").exists() and b"__asan_init" in (BUILD / "repoprobed").read_bytes()
PATIENCE_SECONDS = 60
TEST_HOOKS = (BUILD / "config.h").exists() and "#define ENABLE_TEST_HOOKS 1" in (BUILD / "config.h").read_text()
COMPLAINT = re.compile(r"Sanitizer|runtime error:|Assertion .* failed")

# A probe that is over in a moment and runs only when asked for (and once at the start).
QUICK = """
[probe quick]
block_size = 64K
write = 50
pattern = random
queue_depth = 1
max_ios = 24
warmup = 2
file_size = 4M
timeout = 20s
interval = 1h
"""


def wait_for(condition, what, seconds=PATIENCE_SECONDS):
    """Polls until condition() is true and returns its value. what: text, or a function that makes it."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain for {what() if callable(what) else what}")
        time.sleep(0.02)


def parse_metrics(text):
    """[(name, labels, value)] of an exposition."""
    samples = []
    for line in text.splitlines():
        match = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
        if match:
            labels = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match.group(2) or "")
            unescape = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
            labels = {k: re.sub(r"\\.", lambda m: unescape[m.group()], v) for k, v in labels}
            samples.append((match.group(1), labels, float(match.group(3))))
    return samples


def programs_for(user):
    """The build directory, or a copy of the programs where any user can reach them."""
    if not user:
        return BUILD
    if not hasattr(programs_for, "copy"):
        programs_for.copy = pathlib.Path(tempfile.mkdtemp(prefix="repoprobe-test-programs-", dir="/var/tmp"))
        programs_for.copy.chmod(0o755)
        for name in PROGRAMS:
            shutil.copy(BUILD / name, programs_for.copy / name)
    return programs_for.copy


def as_user(user, command):
    """user: a name, or "name+group" for one that is also in another group."""
    if not user:
        return command
    user, _, other = user.partition("+")
    group = pwd.getpwnam(user).pw_gid
    groups = f"--groups={other}" if other else "--clear-groups"
    return ["setpriv", f"--reuid={user}", f"--regid={group}", groups, *command]


class Daemon:
    """A running repoprobed: its log lines, its address, its database."""

    def __init__(
        self,
        directory,
        repositories=None,
        config=None,
        listen="127.0.0.1:0",
        environment=None,
        user=None,
        state="state",
        foreground=True,
        prefix=(),
    ):
        self.state = pathlib.Path(directory) / state
        self.control_path = self.state / "control.sock"  # unless a test chooses another runtime_directory
        self.config_path = pathlib.Path(directory) / "repoprobe.conf"
        if config is not None:
            self.config_path.write_text(config)
        self.arguments = [str(programs_for(user) / "repoprobed"), "--state-directory", str(self.state)]
        self.arguments += ["--foreground"] if foreground else []
        self.arguments += ["--config", str(self.config_path)] if config is not None else []
        self.arguments += ["--listen", listen] if listen is not None else []
        for name, path in (repositories or {}).items():
            self.arguments += ["--repository", f"{name}={path}"]
        self.arguments = [*prefix, *as_user(user, self.arguments)]
        self.environment = dict(os.environ, **(environment or {}))
        self.process = None
        self.reader = None
        self.lines = []

    def start(self, wait=True):
        self.lines = []
        self.process = subprocess.Popen(
            self.arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment,
        )
        self.reader = threading.Thread(target=self._read, args=(self.process, self.lines), daemon=True)
        self.reader.start()
        if wait:
            self.wait_line(r"watching \d+ repositor")
        return self

    @staticmethod
    def _read(process, lines):
        for line in process.stdout:
            lines.append(line.rstrip("\n"))

    @property
    def log(self):
        return "\n".join(list(self.lines))

    def wait_line(self, pattern, seconds=PATIENCE_SECONDS):
        def find():
            is_over = self.process.poll() is not None
            if is_over:
                self.reader.join(10)
            for line in list(self.lines):
                match = re.search(pattern, line)
                if match:
                    return match
            if is_over:
                raise AssertionError(f"repoprobed ended ({self.process.returncode}):\n{self.log}")
            return None

        return wait_for(find, lambda: f"a line like {pattern!r} in:\n{self.log}", seconds)

    def count_lines(self, pattern):
        return sum(1 for line in list(self.lines) if re.search(pattern, line))

    # --- HTTP

    @property
    def port(self):
        return int(self.wait_line(r"dashboard at http://127\.0\.0\.1:(\d+)/").group(1))

    def get(self, path, headers=None, method="GET", body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            connection.request(method, path, headers=headers or {}, body=body)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def json(self, path):
        status, _, body = self.get(path)
        assert status == 200, (status, body)
        return json.loads(body)

    def wait_ready(self):
        wait_for(lambda: self.get("/metrics")[0] == 200, "the first rendered metrics")
        return self

    def repository(self, name):
        for repository in self.json("/api/v1/overview")["repositories"]:
            if repository["name"] == name:
                return repository
        return None

    def wait_state(self, name, state, seconds=PATIENCE_SECONDS):
        def check():
            repository = self.repository(name)
            return repository if repository and repository["state"] == state else None

        return wait_for(check, lambda: f"{name} to be {state}: {self.repository(name)}\n{self.log}", seconds)

    def metrics(self):
        status, _, body = self.get("/metrics")
        assert status == 200, (status, body)
        return parse_metrics(body.decode())

    def metric(self, name, **labels):
        """The value of one sample of /metrics, or None."""
        for found, found_labels, value in self.metrics():
            if found == name and found_labels == labels:
                return value
        return None

    def wait_metric(self, name, value, **labels):
        wait_for(
            lambda: self.metric(name, **labels) == value,
            lambda: f"{name} {labels} to be {value}: {self.metric(name, **labels)}\n{self.log}",
        )

    # --- Runs

    def runs(self, repository, probe="quick"):
        """(finished runs since the start, is one going on), from one snapshot."""
        values = {
            name: value
            for name, labels, value in self.metrics()
            if labels.get("repository") == repository and labels.get("probe") == probe
        }
        if not values:
            return 0, False  # of a probe that the next rendering will show
        return int(values["repoprobe_probe_runs_total"]), bool(values["repoprobe_probe_running"])

    def wait_runs(self, repository, count, probe="quick", seconds=PATIENCE_SECONDS):
        """Until that many runs are finished and none goes on."""

        def check():
            runs, is_running = self.runs(repository, probe)
            return runs >= count and not is_running

        wait_for(
            check,
            lambda: f"{count} runs of {repository}/{probe}: {self.runs(repository, probe)}\n{self.log}",
            seconds,
        )

    def wait_runs_at_least(self, repository, count, probe="quick"):
        """Until that many runs are finished, whether or not another one goes on."""
        wait_for(
            lambda: self.runs(repository, probe)[0] >= count,
            lambda: f"{count} runs of {repository}/{probe}: {self.runs(repository, probe)}\n{self.log}",
        )

    def probe(self, repository, probe="quick", times=1):
        """Asks for runs and waits for each."""
        for _ in range(times):
            before, _ = self.runs(repository, probe)
            assert self.control(command="probe-now", repository=repository, probe=probe) == {"ok": True}
            self.wait_runs(repository, before + 1, probe)

    # --- Control socket, database

    def control(self, **request):
        return json.loads(self.control_bytes(json.dumps(request).encode()))

    def control_bytes(self, data):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
            s.settimeout(PATIENCE_SECONDS)
            s.connect(str(self.control_path))
            s.send(data)
            return s.recv(65536)

    @property
    def database(self):
        return self.state / "history.db"

    def sql(self, query, *parameters):
        with contextlib.closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=30)) as db:
            return db.execute(query, parameters).fetchall()

    def wait_sql(self, query, rows):
        """Until the committed rows are these: what is shown is committed a moment later."""
        wait_for(lambda: self.sql(query) == rows, lambda: f"{query} to be {rows}: {self.sql(query)}\n{self.log}")

    # --- The end

    def workers(self):
        """Process ids of its children."""
        return [int(pid) for pid in children_of(self.process.pid)]

    def wait_at_work(self, path):
        """A worker that has begun: it has opened something below path."""

        def is_at_work(pid):
            with contextlib.suppress(OSError):  # it may end meanwhile
                fds = pathlib.Path(f"/proc/{pid}/fd")
                return any(os.readlink(fd).startswith(str(path)) for fd in fds.iterdir())
            return False

        return wait_for(lambda: next(filter(is_at_work, self.workers()), None), "a worker at work")

    def hang_up(self):
        self.process.send_signal(signal.SIGHUP)

    def stop(self, seconds=PATIENCE_SECONDS):
        """SIGTERM; returns (exit code, seconds it took)."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(seconds)
        taken = time.monotonic() - begin
        self.check_log()
        return code, taken

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE_SECONDS)

    def check_log(self):
        self.reader.join(PATIENCE_SECONDS)
        assert not COMPLAINT.search(self.log), self.log

    def end(self):
        """Whatever the test did: it is gone afterwards, and it must have gone well."""
        if not self.process:
            return
        try:
            if self.process.poll() is None:
                code, _ = self.stop()
                assert code == 0, f"repoprobed ended with {code}:\n{self.log}"
            else:
                self.check_log()
        finally:
            if self.process.poll() is None:
                self.kill()


def without_leak_check():
    """ASAN_OPTIONS for what is traced or killed: there the check at the end cannot work."""
    return os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"


def children_of(pid):
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        return [c for t in tasks for c in open(f"/proc/{pid}/task/{t}/children", encoding="ascii").read().split()]
    except OSError:
        return []


class DelayFs:
    """A mounted delayfs (tests/fuse/delayfs.c)."""

    def __init__(self, directory, *options):
        self.backing = pathlib.Path(directory) / "backing"
        self.path = pathlib.Path(directory) / "slow"
        self.backing.mkdir()
        self.path.mkdir()
        self.process = subprocess.Popen(
            [str(BUILD / "tests/fuse/delayfs"), str(self.backing), str(self.path), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=dict(os.environ, ASAN_OPTIONS=without_leak_check()),
        )
        wait_for(lambda: os.path.ismount(self.path), "delayfs to be mounted")

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ok\n"

    def delay(self, milliseconds):
        self.tell(f"delay {int(milliseconds * 1000)}")

    def open_delay(self, milliseconds):
        self.tell(f"open-delay {int(milliseconds * 1000)}")

    def error(self, number):
        self.tell(f"error {number}")

    def size(self, size_bytes):
        """What the file system says of itself: nearly all of it is free."""
        self.tell(f"size {size_bytes}")

    def refuse_direct(self):
        self.tell("direct refuse")

    def fail_direct(self):
        """open takes O_DIRECT, reads and writes do not."""
        self.tell("direct fail")

    def squash(self):
        """Root has the rights of nobody, others their own."""
        self.tell("squash on")

    def hang(self, kind):
        """Requests of this kind (getattr, open, fsync) are not answered: what waits cannot be killed. Or "off"."""
        self.tell(f"hang {kind}")

    def cache(self):
        """Files opened from now on are cached by the kernel."""
        self.tell("cache on")

    def end(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            subprocess.run(["umount", "-l", str(self.path)], check=False)
            self.process.kill()
            self.process.wait()


def need(condition, why):
    """What cannot run says so; in CI (root, loop devices, FUSE) nothing is skipped."""
    if condition:
        return
    if os.environ.get("CI"):
        pytest.fail(f"CI must not skip this: {why}")
    pytest.skip(why)


def need_program(name):
    need(shutil.which(name), f"needs {name}")
    return shutil.which(name)


def pytest_configure(config):
    config.addinivalue_line("markers", "plain: has nothing to gain from sanitizers, or measures time")
    for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "JOURNAL_STREAM"):
        os.environ.pop(name, None)
    if SANITIZED:
        # Into files: a worker has no standard error, and may have become another user.
        config.sanitizer_reports = pathlib.Path(tempfile.mkdtemp(prefix="repoprobe-test-reports-", dir="/var/tmp"))
        config.sanitizer_reports.chmod(0o1777)
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            options = [os.environ.get(name), f"log_path={config.sanitizer_reports}/report", "print_stacktrace=1"]
            os.environ[name] = ":".join(filter(None, options))


def pytest_collection_modifyitems(config, items):
    """Marked plain: not for the slow programs that the sanitizers make."""
    if not SANITIZED:
        return
    config.hook.pytest_deselected(items=[i for i in items if i.get_closest_marker("plain")])
    items[:] = [i for i in items if not i.get_closest_marker("plain")]


def pytest_unconfigure(config):
    if hasattr(programs_for, "copy"):
        shutil.rmtree(programs_for.copy, ignore_errors=True)
    if SANITIZED:
        shutil.rmtree(config.sanitizer_reports, ignore_errors=True)


@pytest.fixture(autouse=True)
def sanitizer_reports(request):
    """Nothing that ran in a test may have been found wrong."""
    yield
    if not SANITIZED:
        return
    found = sorted(request.config.sanitizer_reports.iterdir())
    texts = [path.read_text(errors="replace") for path in found]
    for path in found:
        path.unlink()
    assert not texts, "\n".join(texts)


@pytest.fixture
def root():
    need(os.geteuid() == 0, "needs root")


@contextlib.contextmanager
def temporary_directory():
    """On a real disk (pytest's own may be tmpfs), open to ordinary users."""
    base = os.environ.get("REPOPROBE_TEST_DISK", "/var/tmp")
    path = pathlib.Path(tempfile.mkdtemp(prefix="repoprobe-test-", dir=base))
    path.chmod(0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def daemons(directory):
    """A factory: start(repositories={…}, config="…") starts one; all are ended afterwards."""
    started = []

    def start(wait=True, **arguments):
        started.append(Daemon(directory, **arguments))
        return started[-1].start(wait)

    try:
        yield start
    finally:
        with contextlib.ExitStack() as stack:  # each is ended, whatever becomes of the others
            for each in started:
                stack.callback(each.end)


@pytest.fixture
def directory():
    with temporary_directory() as path:
        yield path


@pytest.fixture
def repository(directory):
    path = directory / "repository"
    path.mkdir()
    return path


@pytest.fixture
def daemon(directory):
    with daemons(directory) as start:
        yield start


@pytest.fixture
def slow(directory):
    need(os.path.exists("/dev/fuse"), "needs /dev/fuse")
    need((BUILD / "tests/fuse/delayfs").exists(), "needs delayfs (built when fuse3 is installed)")
    fs = DelayFs(directory)
    yield fs
    fs.end()


@pytest.fixture
def mount(directory, root):
    """A factory of small file systems that are gone after the test."""

    class Mounts:
        def __init__(self):
            self.paths = []
            self.loops = []

        def _path(self):
            path = directory / f"mount{len(self.paths)}"
            path.mkdir()
            self.paths.append(path)
            return path

        def tmpfs(self, size="64M"):
            path = self._path()
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)], check=True)
            return path

        def ext4(self, megabytes, *mkfs_options, sector_size=512):
            return self.make("ext4", megabytes, *mkfs_options, sector_size=sector_size)

        def make(self, kind, megabytes, *mkfs_options, sector_size=512, mount_options="defaults"):
            """ext4, xfs (at least 300 MiB) or btrfs (at least 128) on a loop device."""
            need_program(f"mkfs.{kind}")
            image = directory / f"image{len(self.paths)}"
            with open(image, "wb") as f:
                f.truncate(megabytes << 20)
            loop = subprocess.run(
                ["losetup", "--find", "--show", f"--sector-size={sector_size}", str(image)],
                check=True,
                capture_output=True,
                text=True,
            ).stdout.strip()
            self.loops.append(loop)
            force = "-F" if kind == "ext4" else "-f"
            subprocess.run([f"mkfs.{kind}", "-q", force, *mkfs_options, loop], check=True, capture_output=True)
            path = self._path()
            subprocess.run(["mount", "-o", mount_options, loop, str(path)], check=True)
            return path

        def device(self, path):
            done = subprocess.run(
                ["findmnt", "-n", "-o", "SOURCE", str(path)], check=True, capture_output=True, text=True
            )
            return done.stdout.strip()

        def uuid(self, path):
            """As blkid reads it from the device itself."""
            done = subprocess.run(
                ["blkid", "-p", "-s", "UUID", "-o", "value", self.device(path)],
                check=True,
                capture_output=True,
                text=True,
            )
            return done.stdout.strip()

    mounts = Mounts()
    yield mounts
    for path in reversed(mounts.paths):
        subprocess.run(["umount", "-l", str(path)], check=False)
    for loop in mounts.loops:
        subprocess.run(["losetup", "--detach", loop], check=False)


def run_cli(*arguments, user=None, timeout=120, prefix=(), **options):
    """Runs repoprobe; returns the completed process with text output."""
    command = [*prefix] + as_user(user, [str(programs_for(user) / "repoprobe"), *map(str, arguments)])
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, **options)
    assert not COMPLAINT.search(done.stderr), done.stderr
    return done


def run_daemon(*arguments, timeout=120):
    """Runs repoprobed where it is expected to end by itself."""
    command = [str(BUILD / "repoprobed"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    assert not COMPLAINT.search(done.stderr), done.stderr
    return done


@pytest.fixture
def cli():
    return run_cli


def tree(path):
    """Every path below, to see that nothing was left behind."""
    return sorted(str(p.relative_to(path)) for p in pathlib.Path(path).rglob("*"))


def fingerprint(path):
    """Everything of every file but the probes' own and the times that making them moves."""
    found = []
    for top, directories, files in os.walk(path):
        directories[:] = sorted(d for d in directories if not d.startswith(".repoprobe"))
        for name in [".", *sorted(files)]:
            at = os.path.join(top, name)
            st = os.lstat(at)
            content = open(at, "rb").read() if stat.S_ISREG(st.st_mode) else b""
            times = (st.st_mtime_ns, st.st_size) if stat.S_ISREG(st.st_mode) else ()
            found.append((at, st.st_mode, st.st_uid, st.st_gid, times, content))
    return found
