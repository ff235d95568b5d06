# SPDX-License-Identifier: Apache-2.0
"""File systems that are not the usual one."""
import contextlib
import json
import subprocess
import zlib

import pytest

from conftest import QUICK, run_cli, tree

QUICKLY = ("--file-size=4M", "--max-ios=16")


def test_tmpfs_runs_and_is_not_taken_for_a_disk(daemon, mount):
    path = mount.tmpfs("64M")
    done = run_cli("run", "--json", "--file-size=8M", "--max-ios=200", "--write=50", path)
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    assert run["status"] == "ok" and "cached?" in run["trust"], run["trust"]
    assert run["context"]["fs_type"] == "tmpfs"
    text = run_cli("run", "--file-size=8M", "--max-ios=200", path)
    assert "cached?" in text.stdout
    assert tree(path) == []

    # Shown, not judged: an absurd limit raises nothing.
    d = daemon(config=f"[repository memory]\npath = {path}\nprobes = quick\nlimit = 1us\n{QUICK}").wait_ready()
    d.wait_runs("memory", 1)
    d.probe("memory", times=3)
    assert d.sql("SELECT count(*) FROM incident") == [(0,)]
    assert "not judged" in d.repository("memory")["reason"]


def test_sectors_of_4096_bytes_are_no_obstacle(mount):
    path = mount.ext4(64, sector_size=4096)
    for options in (["--block-size=4K", "--pattern=random"], ["--block-size=512K"]):
        done = run_cli("run", "--json", "--file-size=8M", "--max-ios=100", "--write=50", *options, path)
        assert done.returncode == 0, done.stderr
        run = json.loads(done.stdout)
        assert run["status"] == "ok" and "direct" in run["trust"], run["trust"]
        assert run["context"]["sector_bytes"] == 4096
    assert sorted(tree(path)) == ["lost+found"]


def test_the_file_is_fully_written_and_no_smaller_than_it_looks(repository):
    done = run_cli("run", "--json", "--file-size=8M", "--max-ios=16", "--keep-file", repository)
    assert done.returncode == 0, done.stderr
    file = next(repository.glob(".repoprobe/*-run.dat"))
    assert file.stat().st_size >= 8 << 20
    assert file.stat().st_blocks * 512 >= 8 << 20
    assert (file.stat().st_mode & 0o777) == 0o600
    data = file.read_bytes()
    offsets = range(len(data) - (8 << 20), len(data), 4096)  # behind the header
    assert len({data[i : i + 4096] for i in offsets}) == len(offsets)  # unique, so nothing can be deduplicated
    assert len(zlib.compress(data[-(1 << 20) :])) > 1 << 20


@contextlib.contextmanager
def attribute(path, letter):
    subprocess.run(["chattr", f"+{letter}", path], check=True)
    try:
        yield
    finally:
        subprocess.run(["chattr", f"-{letter}", path], check=True)


def check_refused(path):
    before = tree(path)
    done = run_cli("run", "--json", *QUICKLY, path)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    run = json.loads(done.stdout)
    assert run["status"] == "refused" and "chattr" in run["reason"], run
    assert tree(path) == before


def test_an_immutable_directory_is_refused(mount):
    path = mount.ext4(32) / "repository"
    path.mkdir()
    with attribute(path, "i"):
        check_refused(path)


@pytest.mark.parametrize("letter", ["i", "a"])
def test_an_immutable_probe_file_is_refused(mount, letter):
    path = mount.ext4(32) / "repository"
    path.mkdir()
    assert run_cli("run", "--keep-file", *QUICKLY, path).returncode == 0
    with attribute(next(path.glob(".repoprobe/*.dat")), letter):
        check_refused(path)


def test_no_inode_free_is_told(mount):
    path = mount.ext4(16, "-N", "16")
    names = []
    try:
        for i in range(64):
            (path / f"file{i}").write_text("")
            names.append(f"file{i}")
    except OSError:
        pass
    done = run_cli("run", "--json", "--file-size=1M", "--block-size=4K", "--max-ios=40", path)
    assert done.returncode == 1
    assert json.loads(done.stdout)["status"] == "no_space", done.stdout
    assert sorted(tree(path)) == sorted(["lost+found", *names])


@pytest.mark.parametrize("size_bytes", [8 << 60, (16 << 60) - 1])
def test_a_file_system_may_call_itself_larger_than_numbers_go(daemon, slow, size_bytes):
    """Its runs are kept and judged as any; the size is cut to what there can be."""
    slow.size(size_bytes)
    limit = "limit = 15ms\nconfirm_after = 0\n"
    d = daemon(config=f"[repository slow]\npath = {slow.path}\nprobes = quick\n{limit}{QUICK}").wait_ready()
    d.wait_runs("slow", 1)
    slow.delay(20)
    d.probe("slow", times=3)
    d.wait_state("slow", "warning")
    d.wait_sql("SELECT count(*) FROM incident", [(1,)])
    d.wait_sql("SELECT count(*) FROM run", [(4,)])
    context = d.json("/api/v1/runs?limit=1")["runs"][0]["context"]
    assert context["size_bytes"] == context["free_bytes"] == (8 << 60) - 1
    assert d.metric("repoprobe_database_lost_total") == 0
    done = run_cli("run", "--json", *QUICKLY, slow.path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["context"]["size_bytes"] == (8 << 60) - 1
    done = run_cli("doctor", "--json", slow.path)
    assert json.loads(done.stdout)["file_system"]["size_bytes"] == (8 << 60) - 1, done.stdout
