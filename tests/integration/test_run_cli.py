# SPDX-License-Identifier: Apache-2.0
"""`repoprobe run`: its report, its options, and that it touches nothing but its own file."""
import hashlib
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import time

import pytest

from conftest import (
    BUILD,
    SANITIZED,
    as_user,
    children_of,
    need_program,
    programs_for,
    run_cli,
    tree,
    wait_for,
    without_leak_check,
)

QUICKLY = ("--file-size=4M", "--max-ios=100")
PRESETS = ("active-full", "reverse-incremental", "transform", "restore", "random-4k", "heartbeat")


def strict_json(text):
    """One document, without what JSON has not: NaN, infinity, a key twice."""

    def refuse(constant):
        raise ValueError(constant)

    def unique(pairs):
        assert len({key for key, _ in pairs}) == len(pairs), pairs
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def check_operation(operation, block_bytes):
    assert operation["bytes"] == operation["ios"] * block_bytes
    assert operation["errors"] == 0
    p = operation["percentiles"]
    values = [operation["min_seconds"], p["p50"], p["p95"], p["p99"], p["p99.9"], operation["max_seconds"]]
    assert values == sorted(values) and values[0] > 0, operation
    assert values[0] <= operation["avg_seconds"] <= values[-1]
    assert operation["stddev_seconds"] >= 0
    assert operation["throughput_bytes_per_second"] > 0 and operation["iops"] > 0


def test_json_is_one_strict_document(repository):
    done = run_cli("run", "--format=json", "--write=50", "--pattern=random", *QUICKLY, repository)
    assert (done.returncode, done.stderr) == (0, "")
    run = strict_json(done.stdout)
    assert run["id"] is None and run["status"] == "ok" and run["reason"] is None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", run["started"])
    assert run["engine"] in ("io_uring", "threads")
    operations = run["operations"]
    assert set(operations) == {"read", "write", "total"}
    for operation in operations.values():
        check_operation(operation, 512 * 1024)
    assert operations["read"]["ios"] + operations["write"]["ios"] == operations["total"]["ios"] == 92  # 8 warm up
    assert run["workload"]["block_size_bytes"] == 512 * 1024
    assert run["workload"]["write_percent"] == 50
    assert run["context"]["layout_bytes"] >= 4 << 20
    assert tree(repository) == []


def test_an_operation_that_did_not_happen_is_absent(repository):
    writes = strict_json(run_cli("run", "--json", *QUICKLY, repository).stdout)["operations"]
    reads = strict_json(run_cli("run", "--json", "--preset=restore", *QUICKLY, repository).stdout)["operations"]
    assert (set(writes), set(reads)) == ({"write", "total"}, {"read", "total"})


def test_the_report_has_diskspds_tables(repository):
    done = run_cli("run", "--write=50", "--pattern=random", *QUICKLY, repository)
    assert (done.returncode, done.stderr) == (0, "")
    for title in ("Total IO", "Read IO", "Write IO"):
        assert re.search(
            rf"^{title}\n +bytes \| +I/Os \| +MiB/s \| +I/O per s \| +AvgLat \| +IopsStdDev \| +LatStdDev\n-+\ntotal: +\d+ \|",
            done.stdout,
            re.M,
        ), done.stdout
    assert re.search(r"^ +%-ile \| +Read \(ms\) \| Write \(ms\) \| Total \(ms\)$", done.stdout, re.M)
    rows = ["min", "25th", "50th", "75th", "90th", "95th", "99th", *(f"{n}-nines" for n in range(3, 10)), "max"]
    cell = r"\| +\d+\.\d{3}[* ]?"
    found = re.findall(rf"^ *(\S+) {cell}{cell}{cell}$", done.stdout, re.M)
    assert found == rows, done.stdout
    marked = re.findall(r"^ *(\S+) .*\*", done.stdout, re.M)
    assert "99th" in marked and "50th" not in marked and "max" not in marked  # 92 I/Os are too few for p99
    assert re.search(r"^CPU use: ", done.stdout, re.M)
    assert re.search(r"^trust: direct", done.stdout, re.M), done.stdout
    assert "short" in done.stdout


def test_the_file_is_kept_and_reused_when_asked_for(repository):
    first = strict_json(run_cli("run", "--json", "--keep-file", *QUICKLY, repository).stdout)
    assert first["context"]["layout_bytes"] >= 4 << 20
    files = tree(repository)
    assert len(files) == 3 and files[1] == ".repoprobe/CACHEDIR.TAG" and files[2].endswith(f"-{os.getuid()}-run.dat")
    assert (repository / files[1]).read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    inode = (repository / files[2]).stat().st_ino
    second = strict_json(run_cli("run", "--json", "--keep-file", *QUICKLY, repository).stdout)
    assert second["context"]["layout_bytes"] == 0
    assert (repository / files[2]).stat().st_ino == inode
    # Larger, it grows; without --keep-file it is gone.
    third = strict_json(run_cli("run", "--json", "--file-size=6M", "--max-ios=100", repository).stdout)
    assert 0 < third["context"]["layout_bytes"] < 4 << 20
    assert tree(repository) == []


def test_what_was_written_differs_from_run_to_run(repository):
    options = ("--keep-file", "--file-size=1M", "--max-ios=2", "--warmup=0")  # exactly the whole file
    assert run_cli("run", *options, repository).returncode == 0
    file = next(repository.glob(".repoprobe/*.dat"))
    before = file.read_bytes()
    assert run_cli("run", *options, repository).returncode == 0
    after = file.read_bytes()
    begin = len(before) - (1 << 20)  # of the data, behind the header
    same = [i for i in range(begin, len(before), 4096) if before[i : i + 4096] == after[i : i + 4096]]
    assert len(before) == len(after) and same == []


def place_file(repository):
    """Where the file of `repoprobe run` would be."""
    assert run_cli("run", "--keep-file", *QUICKLY, repository).returncode == 0
    file = next(repository.glob(".repoprobe/*-run.dat"))
    file.unlink()
    return file


def put_foreign(path, directory):
    path.write_bytes(b"precious" * 1000)


def put_copy_with_other_size(path, directory):
    path.write_bytes(b"\0" * (4 << 20))


def put_link(path, directory):
    (directory / "elsewhere").write_bytes(b"precious" * 1000)
    path.symlink_to(directory / "elsewhere")


def put_dangling_link(path, directory):
    path.symlink_to(directory / "not there")


def put_hard_link(path, directory):
    (directory / "precious").write_bytes(b"precious" * 1000)
    os.link(directory / "precious", path)


def put_directory(path, directory):
    path.mkdir()


def put_fifo(path, directory):
    os.mkfifo(path)


def put_empty(path, directory):
    path.touch()


def picture(directory):
    """Names, types, times and contents of everything below."""
    found = {}
    for path in sorted(directory.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        found[str(path)] = (status.st_mode, status.st_size, status.st_nlink, status.st_mtime_ns, content)
    return found


@pytest.mark.parametrize(
    "put",
    [put_foreign, put_copy_with_other_size, put_link, put_dangling_link, put_hard_link, put_directory, put_fifo],
)
def test_what_is_not_ours_is_refused_and_not_touched(directory, repository, put):
    put(place_file(repository), directory)
    before = picture(directory)
    done = run_cli("run", "--json", *QUICKLY, repository, timeout=30)
    assert done.returncode == 1
    run = strict_json(done.stdout)
    assert run["status"] == "refused", run
    assert len(done.stderr.splitlines()) == 1
    assert picture(directory) == before


def test_a_hard_linked_file_of_our_own_is_refused(directory, repository):
    assert run_cli("run", "--keep-file", *QUICKLY, repository).returncode == 0
    file = next(repository.glob(".repoprobe/*-run.dat"))
    os.link(file, directory / "second name")
    before = picture(directory)
    done = run_cli("run", "--json", *QUICKLY, repository)
    assert (done.returncode, strict_json(done.stdout)["status"]) == (1, "refused")
    assert picture(directory) == before


def test_a_probe_directory_that_is_a_link_is_not_followed(directory, repository):
    (directory / "elsewhere").mkdir()
    (repository / ".repoprobe").symlink_to(directory / "elsewhere")
    done = run_cli("run", "--json", *QUICKLY, repository)
    assert (done.returncode, strict_json(done.stdout)["status"]) == (1, "refused")
    assert tree(directory / "elsewhere") == []
    assert (repository / ".repoprobe").is_symlink()


def test_a_file_in_place_of_the_probe_directory_is_refused(repository):
    (repository / ".repoprobe").write_text("mine\n")
    done = run_cli("run", "--json", *QUICKLY, repository)
    assert (done.returncode, strict_json(done.stdout)["status"]) == (1, "refused")
    assert (repository / ".repoprobe").read_text() == "mine\n"


class LongRun:
    """A run that goes on until it is told to end."""

    def __init__(self, repository):
        self.process = subprocess.Popen(
            [str(BUILD / "repoprobe"), "run", "--file-size=4M", "--duration=10min", "--max-bytes=0", repository],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @staticmethod
    def wait_measuring(repository):
        def is_measuring():
            files = list(repository.glob(".repoprobe/*-run.dat"))
            return files and files[0].stat().st_size >= 4 << 20

        wait_for(is_measuring, "the file to be laid out")

    def interrupt(self, number=signal.SIGINT):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.fixture
def long_run(repository):
    run = LongRun(repository)
    run.wait_measuring(repository)
    yield run
    if run.process.poll() is None:
        run.process.kill()
        run.process.communicate()


def test_two_at_once_are_one_too_many(repository, long_run):
    done = run_cli("run", "--json", *QUICKLY, repository)
    assert done.returncode == 1
    run = strict_json(done.stdout)
    assert (run["status"], run["skip"]) == ("skipped", "in_use"), run
    assert len(done.stderr.splitlines()) == 1 and str(repository) in done.stderr
    assert long_run.process.poll() is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing(repository, long_run, number):
    code, out, err = long_run.interrupt(number)
    assert code == 128 + number
    assert out == ""
    assert len(err.splitlines()) == 1, err
    wait_for(lambda: tree(repository) == [], lambda: f"nothing to be left: {tree(repository)}")


def kills(trace):
    return re.findall(r"(?:kill|pidfd_send_signal)\(.*SIGKILL", trace.read_text())


def interrupted_under_strace(directory, repository, *options):
    """(seconds it took to end, signals it killed its worker with) after SIGINT to a run that measures."""
    strace = need_program("strace")
    trace = directory / "trace"
    process = subprocess.Popen(
        [strace, "-o", trace, "-e", "trace=kill,pidfd_send_signal", BUILD / "repoprobe", "run", "--file-size=4M"]
        + ["--duration=10min", "--max-bytes=0", *options, repository],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ, ASAN_OPTIONS=without_leak_check()),
    )
    LongRun.wait_measuring(repository)
    parents = lambda: [child for child in children_of(process.pid) if children_of(child)]  # strace has others at first
    child = wait_for(parents, "a worker")[0]
    begin = time.monotonic()
    os.kill(int(child), signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and out == "" and len(err.splitlines()) == 1, err
    assert tree(repository) == []
    return time.monotonic() - begin, kills(trace)


def test_an_interrupted_worker_goes_by_itself(directory, repository):
    taken, killed = interrupted_under_strace(directory, repository)
    assert killed == []
    assert taken < 1.5 or SANITIZED


@pytest.mark.plain
def test_an_interrupted_worker_that_hangs_is_killed_and_tidied_up_after(directory, slow):
    """Laid out quickly, then every request takes longer than an interrupted worker is given."""
    assert run_cli("run", "--keep-file", *QUICKLY, slow.path).returncode == 0
    slow.delay(1800)
    taken, killed = interrupted_under_strace(directory, slow.path, "--warmup=0")
    assert len(killed) == 1 and taken >= 1.5


def test_what_a_killed_run_left_is_cleaned_up_by_the_next(repository, long_run):
    long_run.process.kill()
    long_run.process.communicate()
    # Its worker sees the end of its socket and may take a moment to go.
    wait_for(lambda: run_cli("run", *QUICKLY, repository).returncode == 0, "the next run to have its turn")
    assert tree(repository) == []


def test_presets_are_those_that_are_documented(repository):
    done = run_cli("presets")
    assert (done.returncode, done.stderr) == (0, "")
    for name in PRESETS:
        assert re.search(rf"\b{name}\b", done.stdout), done.stdout
        assert run_cli("run", f"--preset={name}", *QUICKLY, repository).returncode == 0
    assert tree(repository) == []


@pytest.mark.parametrize(
    ("arguments", "sentences"),
    [
        (["--blok-size=64K", "DIR"], ["--blok-size", "did you mean --block-size?"]),
        (["--block-size=64KB", "DIR"], ["64000 bytes is not a multiple of 4096", "did you mean 64K?"]),
        (["DIR", "--block-size"], ["--block-size needs a value"]),
        (["--preset=active-ful", "DIR"], ["did you mean active-full?"]),
        (["--write=101", "DIR"], ["--write"]),
        (["--queue-depth=0", "DIR"], ["--queue-depth"]),
        (["--duration=5m", "DIR"], ["--duration", "5min"]),
        (["--format=jsn", "DIR"], ["did you mean json?"]),
        (["--format=fio_json", "DIR"], ["text, json, xdisk, fio-json", "did you mean fio-json?"]),
        (["--engine=iouring", "DIR"], ["did you mean io_uring?"]),
        (["--threads=64", "--queue-depth=64", "DIR"], ["more than 1G", "queue_depth 32 would fit"]),
        (["--rate-iops=1", "DIR"], ["warm-up leaves nothing", "raise duration"]),
        (["--burst=4", "DIR"], ["needs a think_time"]),
        (["--fresh=yes", "--write=0", "DIR"], ["fresh"]),
        (["--file-size=64K", "DIR"], ["file"]),
        ([], ["argument is missing"]),
        (["DIR", "DIR"], ["too many"]),
        ([""], ["empty"]),
    ],
)
def test_wrong_usage_says_what_was_probably_meant(repository, arguments, sentences):
    done = run_cli("run", *[str(repository) if a == "DIR" else a for a in arguments])
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for sentence in sentences:
        assert sentence in done.stderr
    assert tree(repository) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "repoprobe help"),
        (["rum"], "did you mean run?"),
        (["forecast"], "not in this version"),
        (["sweep"], "not in this version"),
        (["--colour", "run"], "--colour"),
    ],
)
def test_an_unknown_command_is_told(arguments, sentence):
    done = run_cli(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr and len(done.stderr.splitlines()) == 1


def test_every_command_has_help_and_none_speaks_of_what_is_not_there():
    overview = run_cli("help")
    assert (overview.returncode, overview.stderr) == (0, "")
    for name in ("run", "check", "doctor", "presets", "status", "runs", "show", "incidents", "probe-now", "reload", "config"):
        assert re.search(rf"^ +{name}\b", overview.stdout, re.M), overview.stdout
        done = run_cli(name, "--help")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"Usage: repoprobe {name}")
        for absent in ("sweep", "rate_bytes", "forecast", "K normal"):
            assert absent not in done.stdout, done.stdout
    assert "forecast" not in overview.stdout
    assert re.match(r"repoprobe \d+\.\d+", run_cli("--version").stdout)


# --- Where it runs


def test_directories_may_be_named_in_any_way(directory):
    odd = directory / "two\nlines \t and 'quotes' \"ü\""
    odd.mkdir()
    bytes_only = os.fsencode(directory) + b"/latin-\xff"
    os.mkdir(bytes_only)
    (directory / "link").symlink_to(odd)
    for path, cwd in ((odd, None), (bytes_only, None), ("link", directory), (".", odd), (f"{odd}/../link/./", None)):
        command = [str(BUILD / "repoprobe"), "run", "--json", *QUICKLY, path]
        done = subprocess.run(command, cwd=cwd, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), (path, done.stderr)
        assert strict_json(done.stdout.decode())["status"] == "ok"
        text = subprocess.run(command[:2] + command[3:], cwd=cwd, capture_output=True, check=False)
        assert text.returncode == 0
        assert b"Write IO" in text.stdout and text.stdout.decode()  # UTF-8, whatever the name
    missing = bytes_only + b"\n/missing"
    done = subprocess.run([str(BUILD / "repoprobe"), "run", "--json", missing], capture_output=True, check=False)
    assert done.returncode == 1
    assert len(done.stderr.decode().splitlines()) == 1 and strict_json(done.stdout.decode())["reason"]
    assert tree(odd) == [] and os.listdir(bytes_only) == []


def test_an_ordinary_user_with_little_locked_memory_measures_too(directory, root):
    path = directory / "own"
    path.mkdir()
    os.chown(path, pwd.getpwnam("nobody").pw_uid, -1)
    command = as_user("nobody", [str(programs_for("nobody") / "repoprobe"), "run", "--json", *QUICKLY, str(path)])
    limited = ["prlimit", "--memlock=65536:65536", *command]
    for each in (command, limited, limited, limited):  # the kernel takes a ring down after its process has gone
        done = subprocess.run(each, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert strict_json(done.stdout)["status"] == "ok"
    assert tree(path) == []


def test_without_its_worker_it_says_where_it_looked(directory, repository):
    (directory / "bin").mkdir()
    program = shutil.copy(BUILD / "repoprobe", directory / "bin")
    done = subprocess.run([program, "run", repository], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1 and f"{directory}/bin/repoprobe-worker" in done.stderr


def test_the_worker_by_hand_says_what_it_is_for():
    done = subprocess.run([BUILD / "repoprobe-worker"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "repoprobe run" in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_report_that_cannot_be_written_is_a_failure(repository):
    with open("/dev/full", "w", encoding="ascii") as full:
        for arguments in (["presets"], ["run", *QUICKLY, repository], ["help"], ["--version"]):
            command = [BUILD / "repoprobe", *arguments]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            assert done.returncode == 1 and "standard output" in done.stderr, arguments


# --- What the worker may touch

WRITE_FLAGS = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")
CHANGING = ("unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "rename", "renameat", "renameat2", "link", "linkat")
CHANGING += ("symlink", "symlinkat", "truncate", "chmod", "fchmodat", "chown", "fchownat", "lchown", "mknod")
CHANGING += ("mknodat", "utimensat", "setxattr", "lsetxattr", "mount", "umount2")


def resolve(argument_directory, path):
    return path if path.startswith("/") else f"{argument_directory}/{path}" if path else argument_directory


def test_nothing_outside_the_probe_directory_is_opened_for_writing(directory, repository):
    strace = need_program("strace")
    for i in range(20):
        (repository / f"backup{i}.vbk").write_bytes(hashlib.sha256(bytes([i])).digest() * 5000)
    (repository / "subdirectory").mkdir()
    (repository / "subdirectory/chain.vbm").write_text("<xml/>")
    before = {p: v for p, v in picture(repository).items()}
    trace = directory / "trace"
    done = subprocess.run(
        [strace, "-f", "-y", "-s", "4096", "-o", trace, "-e", f"trace=open,openat,openat2,creat,{','.join(CHANGING)}"]
        + [BUILD / "repoprobe", "run", "--write=50", *QUICKLY, repository],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ, ASAN_OPTIONS=without_leak_check()),
    )
    assert done.returncode == 0, done.stderr
    own = f"{repository}/.repoprobe"
    opened = []
    for line in trace.read_text().splitlines():
        call = re.match(r"\d+ +(\w+)\((.*)\) += (-?\d+|\?)(?:<(.*?)>)?", line)
        if not call or call.group(3).startswith("-"):
            continue
        name, arguments, _, result = call.groups()
        if name == "syscall_0x1c3":  # cachestat(2), which older versions of strace cannot name
            continue
        if name in ("open", "openat", "openat2", "creat"):
            if name == "creat" or WRITE_FLAGS.search(arguments):
                opened.append(result)
            continue
        base = re.match(r"(?:AT_FDCWD|\d+)<(.*?)>", arguments)
        path = re.search(r'"((?:[^"\\]|\\.)*)"', arguments)
        assert path, line
        opened.append(resolve(base.group(1) if base else os.getcwd(), path.group(1)))
    outside = [p for p in opened if p not in ("/dev/null",) and p != own and not p.startswith(own + "/")]
    assert outside == [], opened
    assert any(p.endswith("-run.dat") for p in opened), opened
    after = picture(repository)
    assert after == before


def test_every_other_file_keeps_its_content_mode_and_time(daemon, repository):
    for i in range(20):
        path = repository / f"backup{i}.vbk"
        path.write_bytes(os.urandom(10000))
        path.chmod(0o400 + i % 2 * 0o200)
    assert run_cli("run", *QUICKLY, "--keep-file", repository).returncode == 0
    (repository / ".repoprobe/notes.txt").write_text("mine\n")  # in a directory that was made for probe files
    next((repository / ".repoprobe").glob("*-run.dat")).unlink()
    before = picture(repository)
    d = daemon(repositories={"disk": repository})
    d.wait_line(r"disk/heartbeat: ok")
    assert run_cli("run", *QUICKLY, repository).returncode == 0
    d.stop()
    after = picture(repository)
    del before[str(repository / ".repoprobe")], after[str(repository / ".repoprobe")]  # we write in there
    assert {path: after.get(path) for path in before} == before
