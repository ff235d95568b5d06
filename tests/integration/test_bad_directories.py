# SPDX-License-Identifier: Apache-2.0
"""Places that cannot be probed: one clear line, nothing left behind, and the others are probed on."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from conftest import QUICK, run_cli, tree, wait_for

OPTIONS = ("--file-size=4M", "--max-ios=16")


def fill(path):
    """Leaves no space at all."""
    block = bytes(1 << 20)
    with open(path / "filler", "wb", buffering=0) as f:
        while block:
            try:
                f.write(block)
            except OSError:
                block = block[: len(block) // 2]


@pytest.fixture
def place(request, directory, mount):
    """A bad place by name: (path, user that finds it so)."""
    name = request.param
    temporary = []
    user = None
    path = directory / name
    if name == "a file":
        path.write_text("not a directory\n")
    elif name == "below a file":
        (directory / "file").write_text("")
        path = directory / "file" / "x"
    elif name == "not writable":
        path.mkdir()
        user = "nobody"
    elif name == "not enterable":
        path.mkdir(mode=0o700)
        user = "nobody"
    elif name == "full tmpfs":
        path = mount.tmpfs("16M")
        fill(path)
    elif name == "full ext4":
        path = mount.ext4(32)
        fill(path)
    elif name == "too small":
        path = mount.tmpfs("2M")
    elif name == "/dev/shm/x":
        path = pathlib.Path(tempfile.mkdtemp(prefix="repoprobe-test-", dir="/dev/shm"))
        temporary.append(path)
    elif name.startswith("/"):
        path = pathlib.Path(name)
    elif name == "a link to memory":
        target = pathlib.Path(tempfile.mkdtemp(prefix="repoprobe-test-", dir="/dev/shm"))
        temporary.append(target)
        path.symlink_to(target)
    yield path, user
    for each in temporary:
        shutil.rmtree(each)


PLACES = [
    "missing",
    "a file",
    "below a file",
    "not writable",
    "not enterable",
    "full tmpfs",
    "full ext4",
    "too small",
    "/dev/shm/x",
    "/proc",
    "/proc/self",
    "/sys",
    "/sys/kernel",
    "/dev",
    "a link to memory",
]


def contents(path):
    """What lies there, or None where looking is no use (kernel file systems change by themselves)."""
    if str(path).startswith(("/proc", "/sys")) or str(path) == "/dev":
        return None
    if path.is_dir():
        return [(name, (path / name).lstat().st_size, (path / name).lstat().st_mtime_ns) for name in tree(path)]
    return path.read_text() if path.is_file() else path.exists()


@pytest.mark.parametrize("place", PLACES, indirect=True)
@pytest.mark.parametrize("is_json", [False, True], ids=["text", "json"])
def test_run_says_in_one_line_why_not(place, is_json):
    path, user = place
    before = contents(path)
    done = run_cli("run", *(["--format=json"] if is_json else []), *OPTIONS, path, user=user)
    assert done.returncode in (1, 2)
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and str(path) in lines[0], done.stderr
    if is_json:
        run = json.loads(done.stdout)
        assert run["status"] not in ("ok", "stalled", "timeout", "stuck") and run["reason"]
        assert run["operations"] == {}
    else:
        assert done.stdout == ""
    assert contents(path) == before


def test_what_is_wrong_is_named_by_the_status(mount):
    full = mount.ext4(32)
    fill(full)
    expected = {
        full: "no_space",
        pathlib.Path("/proc"): "refused",
        pathlib.Path("/sys"): "refused",
        pathlib.Path("/dev"): "refused",
    }
    found = {p: json.loads(run_cli("run", "--json", *OPTIONS, p).stdout)["status"] for p in expected}
    assert found == expected


def test_a_read_only_file_system_is_read_only(mount):
    path = mount.ext4(32)
    subprocess.run(["mount", "-o", "remount,ro", path], check=True)
    done = run_cli("run", "--json", *OPTIONS, path)
    assert (done.returncode, json.loads(done.stdout)["status"]) == (1, "read_only"), done.stdout
    assert len(done.stderr.splitlines()) == 1


def wait_bad(d, name):
    """A run is counted a moment before it is judged and shown."""

    def check():
        shown = d.repository(name)
        return shown if shown["state"] in ("warning", "critical") else None

    return wait_for(check, lambda: f"{name} to be bad: {d.repository(name)}\n{d.log}")


def test_the_daemon_probes_the_others_on(daemon, directory, mount, repository):
    (directory / "file").write_text("")
    full = mount.ext4(32)
    fill(full)
    shm = pathlib.Path(tempfile.mkdtemp(prefix="repoprobe-test-", dir="/dev/shm"))
    bad = {
        "missing": directory / "missing",
        "file": directory / "file",
        "full": full,
        "shm": shm,
        "proc": "/proc",
        "sys": "/sys",
    }
    before = tree(full)
    sections = [f"[repository {name}]\npath = {path}\nprobes = quick" for name, path in bad.items()]
    sections.append(f"[repository good]\npath = {repository}\nprobes = quick")
    try:
        d = daemon(config="\n".join(sections) + QUICK).wait_ready()
        for name in [*bad, "good"]:
            d.wait_runs(name, 1)
        for name, path in bad.items():
            assert str(path) in wait_bad(d, name)["reason"]
            assert d.count_lines(rf"\b{name}/quick: \w+: .*{path}") == 1, d.log
            assert d.metric("repoprobe_probe_success", repository=name, probe="quick") == 0
        d.probe("good", times=2)
        d.wait_state("good", "ok")
        # What appears is probed without a restart.
        (directory / "missing").mkdir()
        d.probe("missing", times=3)  # so many good runs end an incident of that kind
        d.wait_state("missing", "ok")
        os.remove(full / "filler")
        d.probe("full", times=3)
        d.wait_state("full", "ok")
        assert (tree(shm), set(before) - {"filler"} <= set(tree(full))) == ([], True)
    finally:
        shutil.rmtree(shm)


def test_an_ordinary_users_daemon_says_what_it_may_not_write(daemon, directory, repository, root):
    closed = directory / "closed"
    closed.mkdir()
    (directory / "state").mkdir()
    for path in (directory / "state", repository):
        shutil.chown(path, "nobody")
    config = f"[repository good]\npath = {repository}\nprobes = quick\n"
    config += f"[repository closed]\npath = {closed}\nprobes = quick\n{QUICK}"
    d = daemon(user="nobody", config=config).wait_ready()
    d.wait_runs("closed", 1)
    d.wait_runs("good", 1)
    assert str(closed) in wait_bad(d, "closed")["reason"]
    d.wait_state("good", "ok")
    assert tree(closed) == []


@pytest.mark.parametrize("what", ["file", "missing parent"])
def test_a_state_directory_that_cannot_be_is_said(daemon, directory, repository, what):
    (directory / "file").write_text("")
    state = "file" if what == "file" else "file/state"
    d = daemon(wait=False, repositories={"disk": repository}, state=state)
    assert d.process.wait(60) == 1
    d.reader.join(10)
    assert str(directory / state) in d.log
    assert len(d.lines) == 1, d.log


DATABASE_FILES = ["history.db", "history.db-wal", "history.db-shm", "history.db-journal"]


@pytest.mark.parametrize("name", [*DATABASE_FILES, "history.db.lock", "workers", "workers.new", "control.sock"])
def test_a_fifo_in_the_state_directory_hangs_no_start_and_no_stop(daemon, repository, name):
    d = daemon(config=f"[repository disk]\npath = {repository}\nprobes = quick\n{QUICK}")
    assert d.stop()[0] == 0
    (d.state / name).unlink(missing_ok=True)
    os.mkfifo(d.state / name)
    if name in DATABASE_FILES:
        d.start(wait=False)
        assert d.process.wait(20) == 1
        d.reader.join(10)
        assert d.lines == [f"error: {d.state / name}: it is a FIFO, not a regular file"]
        shown = run_cli("incidents", "--state-directory", d.state, timeout=20)
        assert f"{d.state / name}: it is a FIFO, not a regular file" in shown.stderr
    else:
        d.start().wait_line("disk/quick: ok")
        assert d.stop()[0] == 0


@pytest.fixture
def letters(directory):
    """A directory of somebody's data, and a configuration that takes it for the probe directory."""
    path = directory / "letters"
    path.mkdir()
    (path / "a.txt").write_text("my only copy\n")
    return path


def letters_config(repository, letters):
    return f"[repository nas]\npath = {repository}\nprobes = quick\nprobe_directory = {letters}\n{QUICK}"


def test_a_directory_of_data_gets_neither_tag_nor_probe_file(daemon, directory, repository, letters):
    """CACHEDIR.TAG would make backup tools skip it, without a word."""
    reason = f"{letters} holds a.txt, which is not repoprobe's: nothing was written"
    d = daemon(config=letters_config(repository, letters)).wait_ready()
    d.wait_runs("nas", 1)
    d.wait_sql("SELECT status FROM runs_v", [("refused",)])
    assert reason in d.wait_state("nas", "warning")["reason"]
    assert tree(letters) == ["a.txt"]
    configured = ("--config", d.config_path)
    checked = run_cli("config", "check", d.config_path)
    assert (checked.returncode, checked.stdout) == (2, "")
    assert checked.stderr.startswith(f"{d.config_path}:4: probe_directory: {reason}"), checked.stderr
    examined = run_cli("doctor", *configured, repository)
    assert examined.returncode == 1 and f"a run would fail with refused: {reason}" in " ".join(examined.stdout.split())
    if os.geteuid() == 0:
        made = run_cli("init", *configured, "nas")
        assert made.returncode == 1 and reason in made.stderr
    assert tree(letters) == ["a.txt"]
    (letters / "a.txt").unlink()
    d.probe("nas")
    d.wait_sql("SELECT status FROM runs_v ORDER BY id", [("refused",), ("ok",)])
    assert run_cli("config", "check", d.config_path).returncode == 0
    (letters / "b.txt").write_text("later\n")
    d.probe("nas")
    assert "remove its CACHEDIR.TAG, for which backups skip it" in d.sql("SELECT reason FROM runs_v WHERE id = 3")[0][0]
    removed = run_cli("init", "--remove", *configured, "nas")
    assert removed.returncode == 0 and "removed 1 probe file" in removed.stdout, removed
    assert f"and CACHEDIR.TAG; {letters} stays: 1 name in it is not repoprobe's" in removed.stdout
    assert tree(letters) == ["b.txt"]


def test_config_check_refuses_what_is_no_directory_for_backups(directory):
    path = directory / "repoprobe.conf"
    path.write_text("".join(f"[repository r{i}]\npath = {p}\n" for i, p in enumerate(["/dev", "/dev/sda1", "/proc/1"])))
    checked = run_cli("config", "check", path)
    assert (checked.returncode, checked.stdout) == (2, "")
    assert [line.split(": ")[:2] for line in checked.stderr.splitlines()] == [
        [f"{path}:{line}", "path"] for line in (2, 4, 6)
    ]


@pytest.mark.plain
def test_config_check_does_not_hang_with_a_probe_directory(slow, directory, letters):
    (slow.path / "probes").mkdir()
    path = directory / "repoprobe.conf"
    path.write_text(letters_config(slow.path, slow.path / "probes"))
    slow.hang("getattr")
    try:
        checked = run_cli("config", "check", path)
    finally:
        slow.hang("off")
    assert checked.returncode == 0 and "nas: whether" in checked.stderr, checked
