# SPDX-License-Identifier: Apache-2.0
"""What the numbers are worth: each trust flag on a file system that earns it, and not on others."""
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess

import pytest
from conftest import run_cli, tree

RANDOM = ("--pattern=random", "--block-size=64K", "--file-size=4M", "--max-ios=200", "--write=50")


def measure(path, *options):
    done = run_cli("run", "--json", *options, path)
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    assert run["status"] == "ok"
    return run


def trust(path, *options):
    return set(measure(path, *options)["trust"])


def probe_file(path):
    return next(pathlib.Path(path).glob(".repoprobe/*-run.dat"))


# --- compressed?


@pytest.mark.parametrize("content", ["random", "zero"])
def test_a_btrfs_that_compresses_is_flagged_whatever_is_written(mount, content):
    path = mount.make("btrfs", 256, mount_options="compress=zstd")
    assert "compressed?" in trust(path, f"--content={content}", *RANDOM)
    text = run_cli("run", *RANDOM, path).stdout
    assert "the file system compresses" in text


def test_a_btrfs_that_does_not_is_not_flagged_until_the_directory_is_marked(mount):
    path = mount.make("btrfs", 256)
    run = measure(path, *RANDOM)
    assert "compressed?" not in run["trust"]
    assert run["context"]["fs_uuid"] == mount.uuid(path)
    subprocess.run(["chattr", "+c", str(path)], check=True)
    assert "compressed?" in trust(path, *RANDOM)


@pytest.mark.parametrize("kind", ["xfs", "ext4"])
def test_file_systems_that_cannot_compress_are_not_flagged(mount, kind):
    run = measure(mount.make(kind, 320), *RANDOM)
    assert run["trust"] == ["direct", "short"]
    assert run["context"]["sector_bytes"] == 512


def test_a_file_that_is_stored_in_fewer_bytes_than_it_has_is_flagged(mount):
    """Zeroes over random data, on a file system that then says how little it stores."""
    path = mount.make("btrfs", 256, mount_options="compress-force=zstd")
    options = ("--content=zero", "--cache=buffered", "--write=100", "--file-size=4M", "--block-size=512K")
    measure(path, "--keep-file", "--max-ios=64", *options)
    os.sync()
    subprocess.run(["mount", "-o", "remount,compress=no", str(path)], check=True)
    assert "compressed?" in trust(path, "--max-ios=64", *options)


def test_a_fresh_file_beside_an_empty_probe_file_is_not_taken_for_compressed(mount):
    path = mount.make("ext4", 128)
    assert "compressed?" not in trust(path, "--fresh=yes", *RANDOM[:-1], "--write=100")
    path = mount.make("btrfs", 256, mount_options="compress=zstd")
    assert "compressed?" in trust(path, "--fresh=yes", *RANDOM[:-1], "--write=100")


# --- Only what is written is measured


def replace_tail_by_unwritten(file, start):
    """What dd conv=sparse or a careless preallocation leaves behind."""
    size = file.stat().st_size
    os.truncate(file, start)
    subprocess.run(["fallocate", "-o", str(start), "-l", str(size - start), str(file)], check=True)
    return size - start


@pytest.mark.parametrize("kind", ["xfs", "ext4", "btrfs"])
def test_unwritten_space_is_written_before_it_is_read(mount, kind):
    path = mount.make(kind, 320)
    reads = ("--write=0", "--pattern=random", "--block-size=64K", "--file-size=8M", "--max-ios=50", "--keep-file")
    measure(path, *reads)
    file = probe_file(path)
    assert "unwritten" not in extents(file)
    missing = replace_tail_by_unwritten(file, 3 << 20)
    assert "unwritten" in extents(file)
    run = measure(path, *reads)
    assert run["context"]["layout_bytes"] == missing
    assert "unwritten" not in extents(file)
    assert measure(path, *reads)["context"]["layout_bytes"] == 0


def extents(file):
    return subprocess.run(["filefrag", "-v", str(file)], check=True, capture_output=True, text=True).stdout


def test_what_is_still_in_memory_is_written_out_and_counts(mount):
    """Dirty pages over a part of the preallocated space: that part is written then, the rest is not."""
    path = mount.make("ext4", 64)
    reads = ("--write=0", "--pattern=random", "--block-size=64K", "--file-size=8M", "--max-ios=50", "--keep-file")
    measure(path, *reads)
    file = probe_file(path)
    replace_tail_by_unwritten(file, 3 << 20)
    with open(file, "r+b") as f:
        f.seek(3 << 20)
        f.write(os.urandom(2 << 20))
    assert measure(path, *reads)["context"]["layout_bytes"] == 4 << 20  # 9 MiB, of which 5 are written


def test_data_inside_the_inode_is_no_measurement(mount):
    """The header alone would fit into a large inode; the data that is measured never does."""
    path = mount.make("ext4", 320, "-b", "4096", "-O", "inline_data", "-I", "4096", "-N", "512")
    (path / "small").write_text("x" * 1000)
    assert "inline" in extents(path / "small")
    run = measure(path, *RANDOM, "--keep-file")
    assert run["trust"] == ["direct", "short"]
    assert "inline" not in extents(probe_file(path))


def test_shared_extents_are_real(mount):
    path = mount.make("xfs", 320, "-m", "reflink=1")
    measure(path, "--keep-file", *RANDOM)
    subprocess.run(["cp", "--reflink=always", str(probe_file(path)), str(path / "copy")], check=True)
    assert "shared" in extents(probe_file(path))
    run = measure(path, *RANDOM)
    assert run["context"]["layout_bytes"] == 0 and run["trust"] == ["direct", "short"]


# --- fallback


WRITES = ("--block-size=64K", "--file-size=4M", "--max-ios=40", "--write=100")


def kernel():
    return tuple(map(int, re.match(r"(\d+)\.(\d+)", platform.release()).groups()))


def test_a_btrfs_with_checksums_writes_through_the_page_cache(mount):
    """From Linux 6.15 on; a kernel before that may have been taught it, too. Without checksums none does."""
    path = mount.make("btrfs", 256)
    flags = trust(path, *WRITES)
    assert "fallback" in flags or kernel() < (6, 15)
    assert ("direct" in flags) != ("fallback" in flags)
    assert trust(path, "--cache=direct", *WRITES) == flags
    assert trust(path, "--fresh=yes", *WRITES) == flags
    assert "direct" in trust(path, *WRITES[:-1], "--write=0", "--pattern=random")  # reads still are
    found = json.loads(run_cli("doctor", "--json", path).stdout)
    assert found["direct_io"]["are_writes_cached"] == ("fallback" in flags)
    texts = [f["text"] for f in found["findings"] if f["about"] == "direct_io"]
    assert any("checksums" in text and "chattr +C" in text for text in texts) == ("fallback" in flags), texts

    subprocess.run(["chattr", "+C", str(path)], check=True)
    assert trust(path, "--fresh=yes", *WRITES) == {"direct", "short"}
    assert trust(path, "--keep-file", *WRITES) == {"direct", "short"}
    for expected in ("read", "write"):
        found = json.loads(run_cli("doctor", "--json", path).stdout)
        assert found["direct_io"]["tried_by"] == expected
        assert not found["direct_io"]["are_writes_cached"], found["findings"]
        shutil.rmtree(path / ".repoprobe", ignore_errors=True)


def test_a_btrfs_mounted_without_checksums_writes_directly(mount):
    path = mount.make("btrfs", 256, mount_options="nodatasum")
    assert trust(path, *WRITES) == {"direct", "short"}
    assert trust(path, "--fresh=yes", *WRITES) == {"direct", "short"}


def test_an_ext4_that_keeps_data_in_its_journal_is_flagged(mount):
    path = mount.make("ext4", 128, mount_options="data=journal")
    assert {"buffered", "fallback"} <= trust(path, *WRITES)
    found = json.loads(run_cli("doctor", "--json", path).stdout)
    assert found["direct_io"]["are_writes_cached"]
    assert "btrfs" not in json.dumps(found["findings"])


def test_the_trial_leaves_the_probe_file_as_it_is(mount):
    path = mount.make("ext4", 128)
    measure(path, "--keep-file", *WRITES)
    before = probe_file(path).read_bytes()
    options = (*WRITES[:-1], "--write=1", "--pattern=random", "--seed=1", "--max-ios=1", "--warmup=0", "--keep-file")
    assert "write" not in measure(path, *options)["operations"]
    assert probe_file(path).read_bytes() == before


# --- cached?


@pytest.mark.parametrize("kind", ["ext4", "btrfs"])
def test_reads_out_of_the_page_cache_are_flagged_and_direct_ones_are_not(mount, kind):
    path = mount.make(kind, 256)
    options = ("--write=0", "--pattern=random", "--block-size=64K", "--file-size=4M", "--max-ios=400")
    assert {"buffered", "cached?"} <= trust(path, "--cache=buffered", *options)
    assert {"buffered", "cached?"} <= trust(path, "--cache=dsync", *options)
    assert "cached?" not in trust(path, "--cache=direct", *options)


def test_a_buffered_read_of_what_is_not_cached_is_not_flagged(mount):
    path = mount.make("ext4", 256)
    laid_out = ("--file-size=64M", "--block-size=64K", "--pattern=random", "--write=0", "--keep-file")
    measure(path, "--max-ios=16", *laid_out)  # laid out with direct I/O, so nothing is in the cache
    subprocess.run(["blockdev", "--setra", "0", mount.device(path)], check=True)
    assert "cached?" not in trust(path, "--cache=buffered", "--max-ios=40", *laid_out)
    probe_file(path).read_bytes()
    assert "cached?" in trust(path, "--cache=buffered", "--max-ios=40", *laid_out)


@pytest.mark.parametrize("engine", ["io_uring", "threads"])
def test_a_file_system_without_direct_io_is_measured_and_not_its_cache(slow, engine):
    """The cache of the kernel is on, and each read is past it all the same."""
    slow.refuse_direct()
    slow.cache()
    slow.delay(3)
    run = measure(slow.path, f"--engine={engine}", "--queue-depth=1", *RANDOM)
    assert run["engine"] == engine
    assert {"buffered", "fallback"} <= set(run["trust"]) and not {"direct", "cached?"} & set(run["trust"])
    for operation in ("read", "write"):
        assert run["operations"][operation]["min_seconds"] > 0.003
    assert "sector_bytes" not in run["context"]


def test_direct_io_that_is_refused_only_when_it_is_tried_falls_back(slow):
    slow.fail_direct()
    run = measure(slow.path, *RANDOM)
    assert {"buffered", "fallback"} <= set(run["trust"]) and "direct" not in run["trust"]
    assert tree(slow.path) == []


@pytest.mark.parametrize("engine", ["io_uring", "threads"])
def test_the_kernels_cache_over_a_slow_file_system_is_found(slow, engine):
    slow.cache()
    slow.delay(5)
    reads = ("--write=0", "--pattern=random", "--block-size=64K", "--file-size=2M", "--max-ios=400")
    run = measure(slow.path, f"--engine={engine}", "--cache=buffered", *reads)
    assert "cached?" in run["trust"]
    assert run["operations"]["read"]["percentiles"]["p50"] < 0.005
    run = measure(slow.path, "--cache=direct", *reads)
    assert "cached?" not in run["trust"]
    assert run["operations"]["read"]["min_seconds"] > 0.005


def test_a_file_system_of_which_nothing_is_known_is_tried(slow):
    run = measure(slow.path, *RANDOM)
    assert "direct" in run["trust"]
    assert run["context"]["sector_bytes"] == 512  # delayfs takes anything


# --- split


@pytest.fixture
def narrow_queue(mount):
    """An ext4 and a function that sets its queue's max_sectors_kb, which outlives the loop device's use."""
    path = mount.make("ext4", 64)
    setting = pathlib.Path("/sys/block") / pathlib.Path(mount.device(path)).name / "queue/max_sectors_kb"
    usual = setting.read_text()
    yield path, lambda kilobytes: setting.write_text(str(kilobytes))
    setting.write_text(usual)


def test_requests_that_the_queue_cuts_are_flagged(narrow_queue):
    path, set_limit = narrow_queue
    options = ("--pattern=random", "--file-size=8M", "--max-ios=60", "--write=50", "--keep-file")
    assert "split" not in trust(path, "--block-size=512K", *options)
    set_limit(64)
    assert "split" in trust(path, "--block-size=512K", *options)
    assert "split" in trust(path, "--block-size=128K", "--cache=direct", *options)
    assert "split" not in trust(path, "--block-size=64K", *options)
    assert "the block layer cut the requests" in run_cli("run", "--block-size=512K", *options, path).stdout


# --- Set-up time


@pytest.mark.plain
def test_laying_out_is_in_no_number(slow):
    slow.delay(4)
    run = measure(slow.path, "--file-size=64M", "--block-size=64K", "--pattern=random", "--max-ios=60")
    assert run["context"]["layout_bytes"] >= 64 << 20
    assert run["context"]["setup_seconds"] > 64 * 0.004
    assert run["context"]["measured_seconds"] < run["context"]["setup_seconds"]
    operation = run["operations"]["total"]
    assert operation["ios"] == 52 and operation["max_seconds"] <= run["context"]["measured_seconds"]
    # Two at a time, each from the moment it was handed in: nothing else fits into that time.
    assert operation["avg_seconds"] * operation["ios"] <= 2 * run["context"]["measured_seconds"]
