# SPDX-License-Identifier: Apache-2.0
"""From the daemon's start to a result that can be seen, and back to silence."""
import os
import pwd
import time

import pytest

from conftest import SANITIZED, run_daemon, tree, wait_for

FIRST_RESULT_SECONDS = 15
STOP_SECONDS = 2


def see_result(daemon, name, probe="active-full"):
    """Waits until a finished run is in /metrics, overview and series alike; returns the overview's run."""

    def is_seen():
        if daemon.get("/metrics")[0] != 200:
            return None
        run = next((p for p in daemon.repository(name)["probes"] if p["name"] == probe))["last_run"]
        if not run or daemon.metric("repoprobe_probe_runs_total", repository=name, probe=probe) < 1:
            return None
        series = daemon.json(f"/api/v1/series?repository={name}&probe={probe}&operation=write")["series"]
        return run if series["time"] else None

    return wait_for(is_seen, lambda: f"a finished run of {name}:\n{daemon.log}")


def check_result(daemon, name, run):
    assert run["status"] == "ok", run
    write = run["operations"]["write"]
    assert "read" not in run["operations"]
    assert write["ios"] > 0 and write["errors"] == 0
    assert 0 < write["min_seconds"] <= write["avg_seconds"] <= write["max_seconds"]
    assert write["bytes"] == write["ios"] * 512 * 1024
    labels = {"repository": name, "probe": "active-full"}
    assert daemon.metric("repoprobe_io_bytes_total", operation="write", **labels) >= write["bytes"]
    assert daemon.metric("repoprobe_probe_success", **labels) == 1
    assert daemon.metric("repoprobe_probe_status", status="ok", **labels) == 1


def check_stop(daemon):
    code, taken = daemon.stop()
    assert code == 0, daemon.log
    assert daemon.workers() == []
    if not SANITIZED:
        assert taken < STOP_SECONDS, daemon.log


def test_root_sees_a_result_and_history_outlives_the_daemon(daemon, repository, root):
    begin = time.monotonic()
    d = daemon(repositories={"disk": repository})
    run = see_result(d, "disk")
    taken = time.monotonic() - begin
    check_result(d, "disk", run)
    if not SANITIZED:
        assert taken < FIRST_RESULT_SECONDS, d.log
    check_stop(d)

    files = tree(repository)
    assert len(files) == 3, files
    assert files[:2] == [".repoprobe", ".repoprobe/CACHEDIR.TAG"]
    assert files[2].endswith("-0.dat")

    rows = d.sql("SELECT id, started FROM runs_v ORDER BY id")
    assert rows[0][0] == 1
    d.start()
    wait_for(lambda: d.get("/metrics")[0] == 200, "metrics")
    # The newest run of before is shown at once, and the counters start anew (they count from the start).
    assert d.repository("disk")["probes"][0]["last_run"] is not None
    see_result(d, "disk")
    assert d.sql("SELECT id, started FROM runs_v ORDER BY id")[: len(rows)] == rows
    assert tree(repository) == files


def test_an_ordinary_user_sees_a_result_in_directories_of_its_own(daemon, directory, repository, root):
    uid = pwd.getpwnam("nobody").pw_uid
    (directory / "state").mkdir(mode=0o750)
    for path in (directory / "state", repository):
        os.chown(path, uid, -1)
    begin = time.monotonic()
    d = daemon(repositories={"disk": repository}, user="nobody")
    run = see_result(d, "disk")
    if not SANITIZED:
        assert time.monotonic() - begin < FIRST_RESULT_SECONDS, d.log
    check_result(d, "disk", run)
    assert {p.stat().st_uid for p in repository.rglob("*")} == {uid}
    check_stop(d)


def test_root_works_as_the_owner_of_the_directory(daemon, repository, root):
    uid = pwd.getpwnam("nobody").pw_uid
    os.chown(repository, uid, -1)
    d = daemon(repositories={"disk": repository})
    check_result(d, "disk", see_result(d, "disk"))
    assert {p.stat().st_uid for p in repository.rglob("*")} == {uid}


def test_a_run_that_goes_on_does_not_delay_the_stop(daemon, repository):
    d = daemon(
        config=f"""
[repository disk]
path = {repository}
daily_write_budget = 0
probes = long
[probe long]
file_size = 4M
duration = 10min
max_bytes = 0
timeout = 20min
"""
    )
    wait_for(lambda: d.get("/metrics")[0] == 200 and d.runs("disk", "long")[1], "a run to go on")
    assert len(d.workers()) == 1
    check_stop(d)
    d.start()
    assert d.sql("SELECT count(*) FROM runs_v WHERE status = 'ok'") == [(0,)]


def test_the_socket_of_a_daemon_that_died_is_replaced_and_that_of_a_living_one_is_not(daemon, repository):
    first = daemon(repositories={"disk": repository})
    second = daemon(wait=False, repositories={"disk": repository})
    assert second.process.wait(60) == 1
    second.reader.join(10)
    assert str(first.state) in second.log
    assert first.control(command="probe-now", repository="disk") == {"ok": True}
    first.kill()
    assert (first.state / "control.sock").exists()
    second.start()
    assert second.control(command="probe-now", repository="disk") == {"ok": True}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--nonsense"], "--nonsense"),
        (["--repositry", "a=/tmp"], "did you mean --repository?"),
        (["--repository", "/mnt/backup"], "NAME=PATH"),
        (["--repository", "a=/tmp", "--listen", "somewhere"], "somewhere"),
        (["--repository", "a=/tmp", "extra"], "extra"),
        (["--config", "/nonexistent/repoprobe.conf"], "/nonexistent/repoprobe.conf"),
    ],
)
def test_wrong_usage_of_the_daemon_has_a_sentence_and_exit_code_2(directory, arguments, sentence):
    done = run_daemon("--state-directory", directory / "state", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stdout == ""
    assert not (directory / "state").exists()


def test_check_reads_the_configuration_and_does_nothing_else(directory, repository):
    done = run_daemon("--state-directory", directory / "state", "--repository", f"disk={repository}", "--check")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (directory / "state").exists()
    assert tree(repository) == []
