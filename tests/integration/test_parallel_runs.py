# SPDX-License-Identifier: Apache-2.0
"""How many workers there are at once, from the runs that were stored."""
import os
import subprocess

import pytest

from conftest import BUILD, QUICK, DelayFs, need, run_cli, wait_for

NAMES = ("a", "b", "c")
PROBES = """
[probe one]
block_size = 64K
write = 0
queue_depth = 1
max_ios = 12
file_size = 4M
interval = 1s
timeout = 20s
[probe two]
block_size = 64K
write = 100
queue_depth = 1
max_ios = 12
file_size = 4M
interval = 1s
timeout = 20s
"""


def spans(d):
    """(start, end, repository) of the runs that had a worker, in seconds."""
    rows = d.sql(
        "SELECT started_usec / 1e6, started_usec / 1e6 + duration_nsec / 1e9, target.name FROM run"
        " JOIN series ON series.id = run.series JOIN target ON target.id = series.target"
        " WHERE skip = 0 ORDER BY started_usec"
    )
    return [tuple(row) for row in rows]


def most_at_once(runs):
    # A run's end is noted when the loop has reaped the worker, so ends come before starts of the same instant.
    events = sorted([(start, 1) for start, _, _ in runs] + [(end - 0.0005, -1) for _, end, _ in runs])
    most = running = 0
    for _, change in events:
        running += change
        most = max(most, running)
    return most


@pytest.fixture
def slow_places(directory):
    """A slow file system for each name: none of them has a device that could be seen."""
    need(os.path.exists("/dev/fuse"), "needs /dev/fuse")
    need((BUILD / "tests/fuse/delayfs").exists(), "needs delayfs (built when fuse3 is installed)")
    places = {}
    for name in NAMES:
        (directory / name).mkdir()
        places[name] = DelayFs(directory / name)
    for place in places.values():
        place.delay(20)
    yield places
    for place in places.values():
        place.end()


def config_of(paths, parallel_runs, extra=""):
    text = f"[daemon]\nparallel_runs = {parallel_runs}\n[defaults]\nlimit = 0\n{extra}"
    for name, path in paths.items():
        text += f"[repository {name}]\npath = {path}\nprobes = one, two\n"
    return text + PROBES


def run_for_a_while(daemon, paths, parallel_runs, extra=""):
    d = daemon(config=config_of(paths, parallel_runs, extra)).wait_ready()
    for name in paths:
        for probe in ("one", "two"):
            d.wait_runs_at_least(name, 2, probe)
    d.stop()
    runs = spans(d)
    assert {run[2] for run in runs} == set(paths)
    assert most_at_once(runs) <= parallel_runs
    for name in paths:
        assert most_at_once([run for run in runs if run[2] == name]) == 1
    return runs


@pytest.mark.parametrize("parallel_runs", [1, 3])
def test_never_more_workers_than_allowed_and_never_two_on_a_repository(daemon, slow_places, parallel_runs):
    paths = {name: place.path for name, place in slow_places.items()}
    runs = run_for_a_while(daemon, paths, parallel_runs)
    if parallel_runs > 1:
        assert most_at_once(runs) > 1


def test_never_two_in_one_group(daemon, slow_places):
    paths = {name: place.path for name, place in slow_places.items()}
    assert most_at_once(run_for_a_while(daemon, paths, 3, "group = array\n")) == 1


def test_never_two_on_one_file_system_and_a_loop_device_is_one_of_its_own(daemon, mount, directory):
    (directory / "d").mkdir()
    disk, other = mount.ext4(64), mount.ext4(64)
    paths = {"a": disk / "a", "b": disk / "b", "c": other / "c", "d": directory / "d"}
    for path in paths.values():
        path.mkdir(exist_ok=True)
    # What is on the images, and beside them on the disk that they lie on.
    text = config_of(paths, 4).replace("max_ios = 12", "max_ios = 30\nrate_iops = 100")
    d = daemon(config=text).wait_ready()
    for name in paths:
        d.wait_runs_at_least(name, 2, "one")
    d.stop()
    runs = spans(d)
    # From the first run on, before any worker has told where it is.
    assert most_at_once([run for run in runs if run[2] in "ab"]) == 1
    assert most_at_once([run for run in runs if run[2] in "ac"]) == 2
    assert most_at_once(runs) == 3


def test_a_killed_worker_keeps_neither_its_disk_nor_its_turn(daemon, mount):
    """Two repositories on a file system that is frozen, one run at once: the second has its turn all the same."""
    disk = mount.ext4(64)
    paths = {"a": disk / "a", "b": disk / "b"}
    for path in paths.values():
        path.mkdir()
    text = config_of(paths, 1).replace("interval = 1s", "interval = 1h").replace("timeout = 20s", "duration = 500ms\ntimeout = 1s")
    d = daemon(config=text).wait_ready()
    for name in paths:
        for probe in ("one", "two"):
            d.wait_runs_at_least(name, 1, probe)
    subprocess.run(["fsfreeze", "-f", str(disk)], check=True)
    try:
        for name in paths:
            assert d.control(command="probe-now", repository=name, probe="two") == {"ok": True}
        wait_for(lambda: len(d.workers()) == 2, "a worker beside the one that cannot be ended")
    finally:
        subprocess.run(["fsfreeze", "-u", str(disk)], check=True)
    for name in paths:
        d.wait_runs_at_least(name, 2, "two")


@pytest.fixture
def two_names(directory, mount):
    """One directory of a file system without a device, by a mount of its own and by a link to it."""
    data = mount.tmpfs() / "data"
    data.mkdir()
    bound = directory / "bound"
    bound.mkdir()
    subprocess.run(["mount", "--bind", str(data), str(bound)], check=True)
    link = directory / "link"
    link.symlink_to(data)
    yield data, {"bound": bound, "link": link}
    subprocess.run(["umount", "-l", str(bound)], check=False)


@pytest.mark.parametrize("name", ["bound", "link"])
def test_two_paths_to_one_directory_are_noticed_and_never_probed_at_once(daemon, two_names, name):
    data, others = two_names
    other = others[name]
    slowly = QUICK + "rate_iops = 100\n"  # a quarter of a second
    text = f"[repository first]\npath = {data}\nprobes = quick\n"
    d = daemon(config=text + slowly).wait_ready()
    d.wait_runs("first", 1)
    d.config_path.write_text(f"{text}[repository second]\npath = {other}\nprobes = quick\n{slowly}")
    assert d.control(command="reload") == {"ok": True}
    d.wait_runs("second", 1)
    d.wait_line(rf"repositories first and second are one directory: {data} and {other} lead to it")
    said = "repositories first and second are one directory: remove one from the configuration"
    wait_for(lambda: said in [b["text"] for b in d.json("/api/v1/overview")["banners"]], "a banner")
    for i in range(3):
        for repository in ("first", "second"):
            assert d.control(command="probe-now", repository=repository) == {"ok": True}
        for repository in ("first", "second"):
            d.wait_runs(repository, 2 + i)
    assert most_at_once(spans(d)) == 1
    assert d.sql("SELECT count(*) FROM runs_v WHERE skip_reason = 'in_use'") == [(0,)]
    assert d.count_lines("are one directory") == 1
    examined = " ".join(run_cli("doctor", "--config", d.config_path, other).stdout.split())
    assert f"repository first is this directory too, by its path {data}" in examined
