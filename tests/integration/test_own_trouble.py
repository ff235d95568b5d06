# SPDX-License-Identifier: Apache-2.0
"""Trouble of our own is no repository's: a worker that does not work, a state directory that takes nothing."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import time

import pytest

from conftest import BUILD, QUICK, Daemon, need, run_cli, wait_for

LONELY = "games"  # who has no processes but ours: the limit is one of the user

# None of them touches a repository.
WORKERS = {
    "exits": b"#!/bin/sh\nexit 1\n",
    "is killed": b"#!/bin/sh\nkill -9 $$\n",
    "crashes": b"#!/bin/sh\nulimit -c 0\nkill -SEGV $$\n",
    "babbles": b"#!/usr/bin/python3\nimport socket\nsocket.socket(fileno=3).send(b'\\0' * 100)\n",
    "is no program": b"\x7fELF",
    "is missing": None,
    "is not executable": b"",
}
REASONS = {
    "exits": "the worker exited with code 1 before it started",
    "is killed": "the worker was ended by signal 9 (Killed) before it started",
    "crashes": "the worker was ended by signal 11 (Segmentation fault) before it started",
    "babbles": "the worker's answer cannot be read: ",
    "is no program": "no worker could be started: ",
    "is missing": "no worker could be started: ",
    "is not executable": "no worker could be started: ",
}


class Worker:
    """The worker of daemons that are started out of a directory of the test's own."""

    def __init__(self, directory):
        self.directory = directory / "bin"
        self.directory.mkdir()
        self.path = self.directory / "repoprobe-worker"
        shutil.copy(BUILD / "repoprobed", self.directory)
        self.restore()

    def _put(self, write):
        new = self.path.with_name("new")
        write(new)
        new.rename(self.path)

    def restore(self):
        self._put(lambda new: shutil.copy(BUILD / "repoprobe-worker", new))

    def replace(self, how):
        def write(new):
            new.write_bytes(WORKERS[how])
            new.chmod(0 if how == "is not executable" else 0o755)

        if WORKERS[how] is None:
            self.path.unlink()
        else:
            self._put(write)


@pytest.fixture
def worker(directory):
    return Worker(directory)


@pytest.fixture
def started(directory, worker):
    """A daemon with that worker, and one good run of each repository."""
    daemons = []

    def start(text, names=("nas",)):
        d = Daemon(directory, config=text)
        d.arguments[0] = str(worker.directory / "repoprobed")
        daemons.append(d.start())
        d.wait_ready()
        for name in names:
            d.wait_runs(name, 1)
        return d

    yield start
    for d in daemons:
        d.end()


def config(path, budget="10T"):
    keys = f"confirm_after = 0\ndaily_write_budget = {budget}\nrequire_mount = no\n"
    return f"[repository nas]\npath = {path}\nprobes = quick\n{keys}\n{QUICK}"


def ask(d, times):
    """Runs that do not take place, each waited for."""
    for _ in range(times):
        before = d.sql("SELECT count(*) FROM run")[0][0]
        assert d.control(command="probe-now", repository="nas") == {"ok": True}
        d.wait_sql("SELECT count(*) FROM run", [(before + 1,)])


def left_of_budget(d):
    return d.sql("SELECT level_bytes FROM budget")[0][0]


@pytest.mark.parametrize("how", WORKERS)
def test_a_worker_that_does_not_work_makes_the_repository_unknown(started, worker, repository, how):
    d = started(config(repository))
    worker.replace(how)
    ask(d, 4)
    shown = d.wait_state("nas", "unknown")
    assert shown["reason"].startswith(f"nothing can be measured: {REASONS[how]}"), shown["reason"]
    assert d.json("/api/v1/overview")["verdict"].endswith("cannot be measured")
    assert d.metric("repoprobe_repository_state", repository="nas", state="unknown") == 1
    assert d.sql("SELECT count(*) FROM incidents_v") == [(0,)]
    assert d.sql("SELECT status, skip_reason, count(*) FROM runs_v WHERE id > 1 GROUP BY 1, 2") == [("skipped", "", 4)]
    assert d.count_lines(r"nas/quick: skipped: ") == 1  # told once
    done = run_cli("status", "--json", "--state-directory", d.state)
    (told,) = json.loads(done.stdout)["repositories"]
    assert (told["state"], told["reason"]) == ("unknown", shown["reason"])
    listed = run_cli("runs", "nas", "--state-directory", d.state).stdout
    assert re.search(r"skipped[\s-]+" + re.escape(REASONS[how]), listed), listed
    worker.restore()
    d.probe("nas")
    d.wait_state("nas", "ok")


def test_what_such_a_run_might_have_written_is_given_back(started, worker, repository):
    d = started(config(repository, "100M"))
    worker.replace("exits")
    ask(d, 1)
    before = left_of_budget(d)
    ask(d, 5)
    assert left_of_budget(d) >= before


def test_an_open_incident_is_left_alone(started, worker, repository):
    d = started(config(repository))
    away = repository.with_name("away")
    repository.rename(away)
    d.probe("nas", times=2)
    d.wait_state("nas", "critical")
    d.wait_sql("SELECT count(*) FROM incidents_v WHERE state != 'cleared'", [(1,)])
    events = "SELECT count(*) FROM incident_event"
    before = d.sql(events)
    worker.replace("exits")
    ask(d, 6)
    assert d.repository("nas")["state"] == "critical"
    assert d.repository("nas")["incident"]["level"] == "critical"
    assert d.sql(events) == before
    worker.restore()
    away.rename(repository)
    d.probe("nas", times=7)
    d.wait_state("nas", "ok")


def test_a_fork_that_is_refused_makes_the_repository_unknown(directory, daemon, repository):
    os.chmod(repository, 0o777)
    os.chmod(directory, 0o777)
    d = daemon(config=config(repository), user=LONELY).wait_ready()
    d.wait_runs("nas", 1)
    threads = len(os.listdir(f"/proc/{d.process.pid}/task"))
    d.stop()
    d.arguments[:0] = ["prlimit", f"--nproc={threads}"]
    d.start().wait_ready()
    ask(d, 3)
    shown = d.wait_state("nas", "unknown")
    assert "no worker could be started" in shown["reason"] and "temporarily unavailable" in shown["reason"], shown
    assert d.sql("SELECT count(*) FROM incidents_v") == [(0,)]


def test_the_plug_in_is_unknown_as_well(worker, repository):
    shutil.copy(BUILD / "repoprobe", worker.directory)
    for how in WORKERS:
        worker.replace(how)
        done = subprocess.run(
            [worker.directory / "repoprobe", "check", repository], capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 3, (how, done)
        worker.restore()


# --- The state directory


def fill(path):
    filler = path / "filler"
    with open(filler, "wb", buffering=0) as f, contextlib.suppress(OSError):
        while True:
            f.write(bytes(4096))
    return filler


def test_a_state_directory_that_is_full_at_the_first_start_does_not_stop_probing(daemon, repository, mount):
    state = mount.tmpfs("4M")
    filler = fill(state)
    d = daemon(config=config(repository), state=state)
    d.wait_line("the history is not open yet: .*full; probing begins")
    d.wait_runs("nas", 1)
    d.probe("nas", times=3)
    assert d.repository("nas")["state"] == "ok"
    assert any("results wait in memory" in banner["text"] for banner in d.json("/api/v1/overview")["banners"])
    filler.unlink()
    d.wait_line("the history is open; 4 results waited for it")
    d.wait_sql("SELECT count(*) FROM runs_v", [(4,)])
    assert d.sql("SELECT count(*) FROM incidents_v") == [(0,)]


def test_a_state_directory_that_turns_read_only_does_not_stop_probing(daemon, repository, mount):
    """As a disk does that has had an error."""
    state = mount.make("ext4", 64, mount_options="errors=remount-ro")
    trigger = pathlib.Path("/sys/fs/ext4") / pathlib.Path(mount.device(state)).name / "trigger_fs_error"
    need(os.access(trigger, os.W_OK), "needs a kernel whose ext4 can be told of errors")
    d = daemon(config=config(repository), state=state).wait_ready()
    d.wait_runs("nas", 1)
    d.wait_sql("SELECT count(*) FROM runs_v", [(1,)])
    trigger.write_text("a test")
    with pytest.raises(OSError, match="Read-only"):
        (state / "x").touch()
    d.probe("nas", times=5)
    assert d.repository("nas")["state"] == "ok"
    wait_for(lambda: d.json("/api/v1/overview")["banners"], "a banner")
    assert d.metric("repoprobe_database_queue_length") >= 1
    assert d.repository("nas")["incident"] is None
    d.stop()


@pytest.mark.plain  # it waits for slots
def test_while_probing_waits_for_the_history_the_repository_is_unknown(daemon, repository):
    """Slots that pass meanwhile are skipped for no fault of the repository."""
    text = config(repository).replace("interval = 1h", "interval = 1s")
    d = daemon(config=text).wait_ready()
    d.wait_runs_at_least("nas", 1)
    d.stop()
    db = sqlite3.connect(d.database, isolation_level=None)
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    db.execute("INSERT INTO meta VALUES ('x', 'y')")
    d.start().wait_ready()
    shown = d.wait_state("nas", "unknown")
    assert shown["reason"].startswith("nothing can be measured: probing waits for the history"), shown
    begin = time.monotonic()
    wait_for(lambda: time.monotonic() > begin + 5, "slots to pass")
    assert d.repository("nas") == shown
    db.close()
    d.wait_line(r"the history is open; 0 results waited for it")
    d.wait_state("nas", "ok")
    d.wait_runs_at_least("nas", 2)
    assert d.sql("SELECT count(*) FROM incidents_v") == [(0,)]
