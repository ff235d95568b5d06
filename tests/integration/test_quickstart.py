# SPDX-License-Identifier: Apache-2.0
"""The README's one command, in a copy of the tree: as an ordinary user, who builds it, and as root."""
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import threading
import urllib.request

import pytest

from conftest import SOURCE, as_user, need_program, tree, wait_for

BUILD_SECONDS = 400
FIRST_RESULT_SECONDS = 15

pytestmark = pytest.mark.plain  # it makes a build of its own


def copy_source(target):
    """Everything that is committed or could be, and nothing that a build made."""
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={SOURCE}", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=SOURCE,
        capture_output=True,
        check=False,
    )
    if listed.returncode != 0:  # a tarball
        shutil.copytree(SOURCE, target, ignore=shutil.ignore_patterns("build*", "autom4te.cache", "node_modules"))
        return
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (SOURCE / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, target / name)


class Quickstart:
    """./quickstart.sh in the foreground, as from a terminal."""

    def __init__(self, tree_path, *arguments, user=None):
        environment = dict(os.environ, REPOPROBE_LISTEN="127.0.0.1:0")
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
            environment.pop(name, None)
        self.lines = []
        self.process = subprocess.Popen(
            as_user(user, ["./quickstart.sh", *map(str, arguments)]),
            cwd=tree_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def find(self, pattern):
        for line in list(self.lines):
            match = re.search(pattern, line)
            if match:
                return match
        assert self.process.poll() is None, "\n".join(self.lines)
        return None

    def wait_line(self, pattern, seconds):
        return wait_for(lambda: self.find(pattern), lambda: f"{pattern} in\n" + "\n".join(self.lines), seconds)

    def overview(self, port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/overview", timeout=30) as response:
            return json.load(response)

    def interrupt(self):
        """Ctrl-C, which goes to the whole foreground group."""
        os.killpg(self.process.pid, signal.SIGINT)
        code = self.process.wait(10)
        self.reader.join(10)
        return code

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@pytest.fixture
def source(directory):
    path = directory / "source"
    path.mkdir()
    copy_source(path)
    return path


@pytest.fixture
def quickstart(source):
    started = []

    def start(*arguments, **options):
        started.append(Quickstart(source, *arguments, **options))
        return started[-1]

    yield start
    for each in started:
        each.end()


def watch_first_result(q, names):
    port = q.wait_line(r"dashboard at http://127\.0\.0\.1:(\d+)/", BUILD_SECONDS).group(1)
    q.wait_line(r": ok, write ", FIRST_RESULT_SECONDS)
    assert [r["name"] for r in q.overview(port)["repositories"]] == names
    return port


def chown_tree(path, user):
    uid = pwd.getpwnam(user).pw_uid
    for each in [path, *path.rglob("*")]:
        os.chown(each, uid, -1, follow_symlinks=False)


def test_two_users_and_three_starts_of_one_build(quickstart, source, directory, root):
    need_program("autoreconf")
    repository = directory / "repository with blanks"
    repository.mkdir()
    chown_tree(source, "nobody")
    chown_tree(repository, "nobody")

    q = quickstart(repository, user="nobody")
    watch_first_result(q, ["repository with blanks"])
    assert q.find(r"ssh -L ")  # no DISPLAY: how to see it from elsewhere
    assert q.interrupt() == 0
    log = (source / "build/build.log").read_text()
    assert re.search(r"^ +CC ", log, re.M), log
    built = (source / "build/repoprobed").stat().st_mtime_ns

    # Again, without a rebuild, on the demonstration repository: the history of the first start is there.
    q = quickstart(user="nobody")
    watch_first_result(q, ["demo-repository"])
    assert q.interrupt() == 0
    assert not re.search(r"^ +(CC|CCLD|GEN|AR) ", (source / "build/build.log").read_text(), re.M)
    assert (source / "build/repoprobed").stat().st_mtime_ns == built
    status = subprocess.run(
        [source / "build/repoprobe", "status", "--json", "--state-directory", source / "build/state"],
        capture_output=True,
        text=True,
        check=True,
    )
    names = [r["name"] for r in json.loads(status.stdout)["repositories"]]
    assert names == ["demo-repository"]  # what is watched
    kept = ["runs", "repository with blanks", "--json", "--state-directory", source / "build/state"]
    runs = subprocess.run([source / "build/repoprobe", *kept], capture_output=True, text=True, check=True)
    assert json.loads(runs.stdout)["runs"]

    # As root, with two directories of one name.
    for name in ("a/nas", "b/nas"):
        (directory / name).mkdir(parents=True)
    shutil.rmtree(source / "build/state")
    q = quickstart(directory / "a/nas", directory / "b/nas")
    watch_first_result(q, ["nas", "nas-2"])
    assert q.interrupt() == 0
    assert (source / "build/repoprobed").stat().st_mtime_ns == built
    assert ".repoprobe/CACHEDIR.TAG" in tree(directory / "a/nas")


def fake_tools(directory, **scripts):
    """A PATH of stand-ins before the real one."""
    path = directory / "tools"
    path.mkdir()
    for name, text in scripts.items():
        tool = path / name.replace("_", "-")
        tool.write_text(f"#!/bin/sh\n{text}\n")
        tool.chmod(0o755)
    return dict(os.environ, PATH=f"{path}:{os.environ['PATH']}")


def test_a_package_that_cannot_be_had_is_named_in_one_line(source, directory):
    environment = fake_tools(
        directory,
        dpkg_query='case "$*" in *liburing-dev*) exit 1;; *) echo "install ok installed";; esac',
        apt_get="exit 100",
        apt_cache='printf "%s:\\n  Installed: (none)\\n  Candidate: (none)\\n" "$2"',
        sudo='exec "$@"',
    )
    done = subprocess.run(
        ["./quickstart.sh"], cwd=source, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and "liburing-dev" in lines[0] and "is not available" in lines[0], done.stderr
    assert not (source / "build/repoprobed").exists()


def test_without_root_and_sudo_it_says_what_must_be_installed(source, directory, root):
    environment = fake_tools(directory, dpkg_query="exit 1", apt_get="exit 100", sudo="exit 1")
    os.remove(directory / "tools/sudo")
    # Only what the script needs, so that no sudo is found.
    for name in ("sh", "dirname", "id", "grep", "mkdir", "uname", "env", "setpriv"):
        os.symlink(shutil.which(name), directory / "tools" / name)
    environment["PATH"] = str(directory / "tools")
    chown_tree(source, "nobody")
    done = subprocess.run(
        as_user("nobody", ["./quickstart.sh"]),
        cwd=source,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and "sudo" in lines[0] and "liburing-dev" in lines[0], done.stderr
