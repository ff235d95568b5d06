# SPDX-License-Identifier: Apache-2.0
"""How I/Os are carried out: both engines, what io_uring needs and may lack, threads, pace, fresh files."""
import errno
import json
import os
import pathlib
import pwd
import subprocess
import sys

import pytest

from conftest import BUILD, QUICK, Daemon, as_user, children_of, programs_for, run_cli, tree, wait_for

QUICKLY = ("--file-size=4M", "--max-ios=100")
WITHOUT_URING = [sys.executable, str(pathlib.Path(__file__).with_name("without_uring.py"))]
FELL_BACK = "io_uring is not"


def measure(*arguments, stderr=""):
    done = run_cli("run", "--json", *arguments)
    assert (done.returncode, done.stderr) == (0, stderr), done.stdout
    return json.loads(done.stdout)


def run_without_uring(number, *arguments):
    command = [*WITHOUT_URING, str(number), str(BUILD / "repoprobe"), "run", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOSYS])
def test_where_io_uring_is_forbidden_threads_measure_and_one_line_says_so(repository, number):
    done = run_without_uring(number, "--json", *QUICKLY, repository)
    assert done.returncode == 0, done.stderr
    assert len(done.stderr.splitlines()) == 1 and FELL_BACK in done.stderr
    run = json.loads(done.stdout)
    assert (run["status"], run["engine"], run["workload"]["engine"]) == ("ok", "threads", "auto")
    assert run["operations"]["write"]["ios"] == 92
    assert "registered_buffers" not in run["context"]
    assert tree(repository) == []


def test_who_asks_for_an_engine_gets_that_one_or_none(repository):
    asked = run_without_uring(errno.EPERM, "--json", "--engine=threads", *QUICKLY, repository)
    assert (asked.returncode, asked.stderr) == (0, "")
    refused = run_without_uring(errno.EPERM, "--json", "--engine=io_uring", *QUICKLY, repository)
    assert refused.returncode == 1
    assert "EPERM" in refused.stderr and "engine = threads" in refused.stderr
    assert json.loads(refused.stdout)["error"] == "EPERM"
    assert tree(repository) == []


def test_the_daemon_says_once_for_each_repository_that_threads_measure(directory):
    paths = {name: directory / name for name in ("one", "two")}
    text = QUICK
    for name, path in paths.items():
        path.mkdir()
        text += f"\n[repository {name}]\npath = {path}\nprobes = quick\n"
    d = Daemon(directory, config=text)
    d.arguments = [*WITHOUT_URING, str(errno.EPERM), *d.arguments]
    try:
        d.start().wait_ready()
        for name in paths:
            d.wait_runs(name, 1)
            d.probe(name, times=2)
        for name in paths:
            assert d.count_lines(f"{name}: {FELL_BACK}") == 1, d.log
        assert d.sql("SELECT DISTINCT engine FROM runs_v") == [("threads",)]
    finally:
        d.end()


@pytest.mark.parametrize(("limit", "is_registered"), [(None, True), ("16384", False)])
def test_a_small_memory_lock_limit_means_plain_buffers(directory, root, limit, is_registered):
    path = directory / "own"
    path.mkdir()
    os.chown(path, pwd.getpwnam("nobody").pw_uid, -1)
    program = str(programs_for("nobody") / "repoprobe")
    for form in ("--format=json", "--format=text"):
        command = as_user("nobody", [program, "run", form, "--block-size=32K", *QUICKLY, str(path)])
        limited = ["prlimit", f"--memlock={limit}:{limit}", *command] if limit else command
        done = subprocess.run(limited, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        if form == "--format=text":
            assert ("plain buffers" in done.stdout) == (not is_registered)
            continue
        run = json.loads(done.stdout)
        assert run["engine"] == "io_uring"
        assert run["context"]["registered_buffers"] is is_registered
    assert tree(path) == []


@pytest.mark.plain
@pytest.mark.parametrize("milliseconds", [1, 5, 15, 50])
def test_both_engines_read_the_latency_that_was_set(slow, milliseconds):
    """Never less; how much more a busy machine adds is for the benchmark to bound (tests/bench/engine.py)."""
    slow.delay(milliseconds)
    for engine in ("io_uring", "threads"):
        run = measure(
            "--write=50", "--pattern=random", "--block-size=64K", "--file-size=4M", "--queue-depth=2",
            "--max-ios=100", f"--engine={engine}", slow.path,
        )  # fmt: skip
        assert run["engine"] == engine
        for name in ("read", "write"):
            p50 = run["operations"][name]["percentiles"]["p50"]
            assert milliseconds / 1000 * 0.98 <= p50 <= milliseconds / 1000 * 2 + 0.005, run


@pytest.mark.parametrize("engine", ["io_uring", "threads"])
def test_mean_latency_times_iops_is_the_depth(slow, engine):
    slow.delay(5)
    for threads, depth in ((1, 4), (3, 2)):
        run = measure(
            "--preset=restore", "--block-size=64K", "--file-size=4M", f"--queue-depth={depth}",
            f"--threads={threads}", "--max-ios=400", f"--engine={engine}", slow.path,
        )
        total = run["operations"]["total"]
        # 8 are the warm-up, and what other threads completed just before it was over.
        assert 392 - (threads - 1) <= total["ios"] <= 392
        assert total["avg_seconds"] * total["iops"] == pytest.approx(threads * depth, rel=0.05)


def test_a_rate_is_kept_and_a_pause_is_made(repository):
    common = ("--block-size=4K", "--write=50", "--pattern=random", "--file-size=4M", "--max-bytes=0", "--warmup=1")
    for option, most, least in (
        ("--rate-iops=50", 102, 60),
        ("--rate=200K", 102, 60),
        ("--think-time=20ms", 101, 40),
    ):
        run = measure(*common, "--duration=2s", option, repository)
        assert least <= run["operations"]["total"]["ios"] <= most, (option, run)
        assert "at most" in run_cli("run", *common, "--duration=1s", "--rate-iops=50", repository).stdout
    run = measure(*common, "--duration=2s", "--rate-iops=50", "--threads=2", repository)
    assert 120 <= run["operations"]["total"]["ios"] <= 204


@pytest.mark.parametrize("engine", ["io_uring", "threads"])
def test_a_fresh_run_writes_a_new_file_and_removes_it(repository, engine):
    options = ("--keep-file", "--file-size=4M", f"--engine={engine}")
    measure(*options, "--block-size=64K", repository)
    file = next(repository.glob(".repoprobe/*-run.dat"))
    before = file.read_bytes()
    names = tree(repository)
    seen = []
    process = subprocess.Popen(
        [BUILD / "repoprobe", "run", "--json", *options, "--block-size=4K", "--fresh=yes", "--rate-iops=200",
         "--duration=2s", repository],
        stdout=subprocess.PIPE, text=True,
    )
    wait_for(lambda: seen.extend(repository.glob(".repoprobe/*.fresh")) or seen, "the new file")
    run = json.loads(process.communicate()[0])
    assert process.returncode == 0 and run["workload"]["fresh"] is True
    assert run["operations"]["write"]["bytes"] > 0 and "read" not in run["operations"]
    assert tree(repository) == names and file.read_bytes() == before
    full = measure(*options, "--block-size=64K", "--fresh=yes", repository)
    assert full["operations"]["write"]["ios"] == 64 - 8  # the whole file once, and no more
    assert tree(repository) == names and file.read_bytes() == before


def is_measuring(process):
    """Its worker has the second thread of the measurement, which is there from the first I/O on."""
    return any(len(os.listdir(f"/proc/{worker}/task")) > 1 for worker in children_of(process.pid))


@pytest.mark.parametrize("engine", ["io_uring", "threads"])
def test_a_stalled_run_of_several_threads_tells_all_that_are_out(slow, engine):
    common = ("--keep-file", "--file-size=4M", "--block-size=64K", "--write=0", "--pattern=random", "--max-bytes=0")
    slow.delay(1)
    measure(*common, "--max-ios=10", slow.path)
    process = subprocess.Popen(
        [BUILD / "repoprobe", "run", "--json", *common, "--threads=2", "--queue-depth=3", "--timeout=4s",
         "--duration=2s", f"--engine={engine}", slow.path],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    wait_for(lambda: is_measuring(process), "the measurement to begin")
    slow.delay(6000)
    run = json.loads(process.communicate()[0])
    slow.delay(1)
    assert (process.returncode, run["status"]) == (1, "stalled"), run
    assert run["context"]["outstanding_ios"] == 6
    read = run["operations"]["read"]
    assert read["ios"] >= 6 and read["bytes"] == (read["ios"] - 6) * 65536
    assert 2 <= read["max_seconds"] <= 4.5
    measure("--file-size=4M", "--keep-file", "--max-ios=20", slow.path)  # all is as it was
