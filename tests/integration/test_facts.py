# SPDX-License-Identifier: Apache-2.0
"""What others did on the disk while a run went on: on a disk of the test's own, where nobody else is."""
import contextlib
import subprocess
import threading

import pytest

from conftest import run_cli

MIB = 1 << 20
QUIET_BYTES = MIB // 2  # a second: a journal now and then
QUIET_IOS = 40
WHOLE = ("-E", "lazy_itable_init=0,lazy_journal_init=0")  # else the kernel goes on writing after mkfs
PROBES = """
[probe steady]
block_size = 256K
write = 100
queue_depth = 2
duration = 2500ms
max_bytes = 0
file_size = 32M
timeout = 20s
interval = 1h
"""


def config(*paths):
    text = "[daemon]\nparallel_runs = 1\n[defaults]\nlimit = 0\ndaily_write_budget = 0\nprobes = steady\n"
    return text + "".join(f"[repository {path.name}]\npath = {path}\n" for path in paths) + PROBES


@pytest.fixture
def disk(mount):
    path = mount.ext4(256, *WHOLE)
    subprocess.run(["sync", "-f", str(path)], check=True)
    return path


def repositories(disk, *names):
    for name in names:
        (disk / name).mkdir()
    return [disk / name for name in names]


def newest(d, repository):
    """The newest run in full, once it is stored."""
    d.wait_sql(
        f"SELECT count(*) FROM runs_v WHERE repository = '{repository}'", [(d.runs(repository, "steady")[0],)]
    )
    [(run,)] = d.sql("SELECT max(id) FROM runs_v WHERE repository = ?", repository)
    return d.json(f"/api/v1/runs/{run}")


def is_quiet(others):
    return others["bytes_per_second"] < QUIET_BYTES and others["ios_per_second"] < QUIET_IOS


@contextlib.contextmanager
def somebody_writes(path):
    """64K at a time, past the page cache, over and over."""
    is_over = threading.Event()

    def write():
        while not is_over.is_set():
            command = ["dd", "if=/dev/zero", f"of={path}", "bs=64k", "count=256", "oflag=direct", "conv=notrunc"]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


@pytest.mark.plain
def test_a_quiet_disk_is_quiet_and_others_are_seen(daemon, disk):
    (one,) = repositories(disk, "one")
    d = daemon(config=config(one)).wait_ready()
    d.wait_runs("one", 1, "steady")
    run = newest(d, "one")
    assert run["status"] == "ok"
    assert is_quiet(run["context"]["others"]), run
    assert run["operations"]["write"]["bytes"] > 4 * MIB  # ours is no small thing beside it

    with somebody_writes(disk / "others"):
        d.probe("one", "steady")
    run = newest(d, "one")
    assert run["context"]["others"]["bytes_per_second"] > 4 * QUIET_BYTES, run
    assert run["context"]["others"]["ios_per_second"] > QUIET_IOS, run
    # Where it is shown.
    context = run["context"]
    assert context["device"]["name"].startswith("loop") and context["device"]["disks"] == [context["device"]["name"]]
    assert "rw" in context["mount_options"].split(",")
    target = d.repository("one")["target"]
    assert {k: target[k] for k in ("device", "mount_options", "others", "pressure")} == {
        k: context[k] for k in ("device", "mount_options", "others", "pressure")
    }
    text = run_cli("--state-directory", d.state, "show", run["id"]).stdout
    assert f"device:       {context['device']['name']}" in text
    assert "others:       moved " in text
    [(device, others)] = d.sql("SELECT device, others_mib_per_s FROM runs_v WHERE id = ?", run["id"])
    assert device == context["device"]["name"] and others > 1


@pytest.mark.plain
def test_our_own_probing_of_another_repository_is_nobody_elses(daemon, disk):
    d = daemon(config=config(*repositories(disk, "one", "two"))).wait_ready()
    for name in ("one", "two"):
        d.wait_runs(name, 1, "steady")
        assert is_quiet(newest(d, name)["context"]["others"]), newest(d, name)
    d.probe("one", "steady")  # the half minute before it has a run of each
    run = newest(d, "one")
    assert is_quiet(run["context"]["others"]), run


def test_counters_survive_a_reload_and_begin_anew_after_a_restart(daemon, disk):
    d = daemon(config=config(*repositories(disk, "one"))).wait_ready()
    d.wait_runs("one", 1, "steady")
    before = d.count_lines("configuration reloaded")
    d.hang_up()
    d.wait_line("configuration reloaded")
    assert d.count_lines("configuration reloaded") > before
    d.probe("one", "steady")
    assert newest(d, "one")["context"]["others"] is not None
    # After a restart nothing is known of the time before, but the run itself is seen.
    d.stop()
    d.start().wait_ready()
    d.wait_runs("one", 1, "steady")
    [(run,)] = d.sql("SELECT max(id) FROM runs_v")
    assert d.json(f"/api/v1/runs/{run}")["context"]["others"] is not None


def test_a_run_by_hand_tells_of_others_too(cli, disk):
    (one,) = repositories(disk, "one")
    options = ("--file-size=16M", "--duration=2s", "--max-bytes=0", one)
    with somebody_writes(disk / "others"):
        done = cli("run", *options)
    assert done.returncode == 0, done.stderr
    assert "others:       moved " in done.stdout
    assert "device:       loop" in done.stdout


def test_what_is_not_known_is_said_to_be_unknown(cli, mount):
    path = mount.tmpfs()
    done = cli("run", "--file-size=4M", "--max-ios=64", path)
    assert "device:       unknown\n" in done.stdout, done.stderr
    assert "others:       unknown" in done.stdout
