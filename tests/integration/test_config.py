# SPDX-License-Identifier: Apache-2.0
"""The configuration on the command line, at reload, and through the control socket."""
import json
import os
import signal
import socket
import stat
import subprocess

import pytest

from conftest import (
    QUICK,
    as_user,
    children_of,
    daemons,
    need_program,
    run_cli,
    run_daemon,
    temporary_directory,
    tree,
    wait_for,
)


def write(directory, text, name="checked.conf"):
    path = directory / name
    path.write_text(text)
    return path


BAD = """\
[daemon]
paralel_runs = 2
parallel_runs = many
[repository a]
path = relative
intervall = 5min
interval = 5 parsecs
[repositry b]
path = /b
[probe p]
block_size = 64KB
blok_size = 64K
[repository c]
limit = 15
limit = 15ms
ioprio = idle
[job x]
probes = x
[notify mail]
type = mail
"""

# line: what must be said there
FAULTS = {
    2: ["paralel_runs", "did you mean parallel_runs?"],
    3: ["parallel_runs"],
    5: ["path"],
    6: ["intervall", "did you mean interval?"],
    7: ["interval"],
    8: ["repositry", "did you mean [repository]?"],
    11: ["64000 bytes is not a multiple of 4096", "did you mean 64K?"],
    12: ["blok_size", "did you mean block_size?"],
    14: ["limit"],
    15: ["limit is given twice"],
    16: ["ioprio is not in this version"],
    17: ["[job] is not in this version"],
    19: ["[notify] is not in this version"],
}


def test_check_tells_every_error_with_file_and_line(directory):
    path = write(directory, BAD)
    done = run_cli("config", "check", path)
    assert (done.returncode, done.stdout) == (2, "")
    found = {}
    for line in done.stderr.splitlines():
        assert line.startswith(f"{path}:"), line
        number = int(line[len(f"{path}:") :].split(":")[0])
        found.setdefault(number, []).append(line)
    for number, sentences in FAULTS.items():
        for sentence in sentences:
            assert any(sentence in line for line in found.get(number, [])), (number, sentence, done.stderr)
    assert set(found) <= set(FAULTS) | {13}, done.stderr  # 13: c has no path


def test_the_daemon_refuses_what_check_refuses(daemon, directory):
    d = daemon(wait=False, config=BAD)
    assert d.process.wait(60) == 2
    d.reader.join(10)
    for number in FAULTS:
        assert f"{d.config_path}:{number}: " in d.log
    assert not d.state.exists()


def test_check_says_what_a_day_costs(directory):
    path = write(directory, "[repository nas]\npath = /mnt/nas\n")
    done = run_cli("config", "check", path)
    assert (done.returncode, done.stderr) == (0, "")
    # active-full: 64M each 5 min; heartbeat: half of 200 times 4K each minute.
    assert f"{path}: ok, 1 repository" in done.stdout
    assert "19.1 GiB" in done.stdout or "18.5 GiB" in done.stdout, done.stdout


def test_a_mistake_in_an_alarm_is_pointed_at_and_a_reload_with_it_changes_nothing(daemon, repository):
    good = f"[repository nas]\npath = {repository}\nprobes = quick\n{QUICK}[alarm slow-writes]\nwhen = write avg > 50ms\n"
    bad = good.replace("avg > 50ms", "p98 > 50ms")
    d = daemon(config=good).wait_ready()
    done = run_cli("config", "check", d.config_path)
    assert (done.returncode, done.stderr) == (0, "")
    d.config_path.write_text(bad)
    done = run_cli("config", "check", d.config_path)
    assert done.returncode == 2
    line = 1 + bad.split("\n").index("when = write p98 > 50ms")
    assert f"{d.config_path}:{line}: when: column 7: " in done.stderr
    assert done.stderr.endswith("\n  when = write p98 > 50ms\n" + " " * 15 + "^\n")
    d.hang_up()
    d.wait_line(r":\d+: when: column 7")
    d.wait_runs_at_least("nas", 1)


def test_an_alarm_that_can_tell_nothing_is_said_by_check_and_by_the_daemon(daemon, repository):
    text = f"[repository nas]\npath = {repository}\nprobes = quick\n{QUICK}[alarm slow-tail]\nwhen = write p99 > 50ms\n"
    d = daemon(config=text).wait_ready()
    d.wait_line(r"alarm slow-tail is never judged on quick: p99 takes 1000 I/Os")
    done = run_cli("config", "check", d.config_path)
    assert done.returncode == 0 and "alarm slow-tail is never judged on quick" in done.stdout


def without_comments(text):
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_show_is_a_configuration_that_means_the_same(directory, repository):
    text = f"""
[daemon]
parallel_runs = 3
[defaults]
interval = 10min
[repository "strange" name # ü]
path = {repository}
probes = p, heartbeat
limit = 12ms
[probe p]
preset = restore
schedule = Sat,Sun *-*~07/1 02:30 Europe/Berlin
block_size = 64K
"""
    first = run_cli("config", "show", write(directory, text))
    assert (first.returncode, first.stderr) == (0, "")
    second = run_cli("config", "show", write(directory, first.stdout, "shown.conf"))
    assert second.returncode == 0
    assert without_comments(second.stdout) == without_comments(first.stdout)
    for line in ("parallel_runs = 3", "log_level = info", "block_size = 64K", '[repository "strange" name # ü]'):
        assert line in first.stdout.splitlines()
    for absent in ("token_file", "ioprio"):
        assert absent not in first.stdout


def test_fragments_come_after_the_file_in_name_order(directory):
    (directory / "conf.d").mkdir()
    write(directory, "[repository nas]\npath = /mnt/nas\n")
    write(directory / "conf.d", "[repository second]\npath = /mnt/2\n", "10-second.conf")
    write(directory / "conf.d", "[repository third]\npath = /mnt/3\n", "20-third.conf")
    write(directory / "conf.d", "nonsense", "30-not-read.conf.bak")
    done = run_cli("config", "check", directory / "checked.conf")
    assert (done.returncode, done.stderr) == (0, "")
    assert "ok, 3 repositories" in done.stdout
    bad = write(directory / "conf.d", "[repository nas]\npath = /mnt/1\n", "40-again.conf")
    done = run_cli("config", "check", directory / "checked.conf")
    assert done.returncode == 2
    assert f"{bad}:1: " in done.stderr and f"{directory}/checked.conf:1" in done.stderr


def test_a_missing_file_is_an_error_when_named(directory):
    done = run_cli("config", "check", directory / "none.conf")
    assert done.returncode == 2
    assert str(directory / "none.conf") in done.stderr and len(done.stderr.splitlines()) == 1


def make(kind, path):
    match kind:
        case "FIFO":
            os.mkfifo(path)
        case "socket":
            os.mknod(path, stat.S_IFSOCK | 0o600)
        case "character device":
            path.symlink_to("/dev/zero")
        case "directory":
            path.mkdir()
        case _:
            raise AssertionError(kind)


@pytest.mark.parametrize("kind", ["FIFO", "socket", "character device", "directory"])
def test_a_configuration_that_is_no_file_is_named_and_not_waited_for(directory, kind):
    path = directory / "repoprobe.conf"
    make(kind, path)
    for done in (
        run_cli("config", "check", path, timeout=20),
        run_daemon("--config", path, "--state-directory", directory / "state", timeout=20),
    ):
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert line.endswith(f"{path}: the file cannot be read: it is a {kind}, not a regular file"), line


@pytest.mark.parametrize("kind", ["FIFO", "socket", "character device", "directory"])
def test_a_fragment_that_is_no_file_fails_the_reload_and_hangs_nothing(setup, kind):
    d = setup.daemon
    (setup.directory / "conf.d").mkdir()
    make(kind, setup.directory / "conf.d" / "x.conf")
    d.hang_up()
    d.wait_line(rf"conf.d/x.conf: the file cannot be read: it is a {kind}, not a regular file")
    d.wait_line("not reloaded")
    d.probe("a")
    d.wait_metric("repoprobe_config_last_reload_successful", 0)


def test_byte_order_mark_and_carriage_returns_do_no_harm(directory):
    path = directory / "checked.conf"
    path.write_bytes(b"\xef\xbb\xbf[repository nas]\r\npath = /mnt/nas\r\n; comment\r\n")
    assert run_cli("config", "check", path).returncode == 0


# --- A configuration in error, and the command line


def history_commands(d, directory):
    """What reads the history, with exit status 0."""
    (run,) = d.sql("SELECT max(id) FROM runs_v")[0]
    return [
        ["status"], ["runs", "nas"], ["show", run], ["incidents"], ["database", "check"],
        ["rule", "replay", "--days", "1", "write avg > 1h"],
        ["export", "--format=csv"], ["backup", directory / "copy.db"],
    ]  # fmt: skip


CONTROL_COMMANDS = [
    ["mute", "nas", "--for=1h", "--reason=test"], ["unmute", "nas"], ["probe-now", "nas"], ["rebaseline", "nas"],
]  # fmt: skip


def check_goes_on(commands, config, state):
    """Each does its work, with one line on standard error that says what is wrong and where to look."""
    for command in commands:
        done = run_cli(*command, "--config", config)
        assert done.returncode == 0, (command, done.stderr)
        (line,) = done.stderr.splitlines()
        assert f"; the state directory {state} is used; see \"repoprobe config check {config}\"" in line, line


def break_by_text(text):
    return lambda path: path.write_text(path.read_text() + text)


def break_by_directory(path):
    path.unlink()
    path.mkdir()


BREAKS = {
    "key": break_by_text("[defaults]\nintervall = 5min\n"),
    "many": break_by_text(BAD.replace("[daemon]", "[http]")),
    "no section": lambda path: path.write_text("nonsense\n= 1\n[\n" + path.read_text()),
    "value": break_by_text("[mute night]\nwhen = 26:00-27:00\n"),
    "zeros": lambda path: path.write_bytes(path.read_bytes() + b"\0\xff" * 100),
    "missing": lambda path: path.unlink(),
    "unreadable": break_by_directory,
}


@pytest.fixture(scope="module")
def told():
    """A daemon whose state directory its configuration names, and one run."""
    with temporary_directory() as directory, daemons(directory) as factory:
        (directory / "nas").mkdir()
        state = f"[daemon]\nstate_directory = {directory}/state\n"
        text = f"{state}[repository nas]\npath = {directory}/nas\nprobes = quick\n{QUICK}"
        d = factory(config=text).wait_ready()
        d.wait_runs("nas", 1)
        d.wait_sql("SELECT count(*) FROM runs_v", [(1,)])
        yield d, text


@pytest.mark.parametrize("how", BREAKS)
def test_an_error_of_the_configuration_does_not_take_away_the_command_line(told, directory, how):
    d, text = told
    d.config_path.write_text(text)
    BREAKS[how](d.config_path)
    try:
        check_goes_on([*history_commands(d, directory), *CONTROL_COMMANDS], d.config_path, d.state)
        done = run_cli("config", "check", d.config_path)
        assert done.returncode == 2 and done.stdout == ""
        done = run_cli("reload", "--config", d.config_path)
        assert done.returncode == 1 and len(done.stderr.splitlines()) > 1, done.stderr
    finally:
        if d.config_path.is_dir():
            d.config_path.rmdir()
        d.config_path.write_text(text)


@pytest.mark.parametrize("how", set(BREAKS) - {"missing", "unreadable"})
def test_without_a_daemon_the_state_directory_is_what_the_configuration_still_says(daemon, directory, how):
    (directory / "nas").mkdir()
    text = f"[daemon]\nstate_directory = {directory}/state\nparalel_runs = 2\n"
    d = daemon(repositories={"nas": directory / "nas"}).wait_ready()
    d.wait_sql("SELECT count(*) > 0 FROM runs_v", [(1,)])
    d.stop()
    path = write(directory, text)
    BREAKS[how](path)
    check_goes_on([["status"], ["runs", "nas"], ["incidents"]], path, d.state)


def test_what_is_good_of_the_configuration_beats_a_running_daemon(told, directory):
    """Also with no error: the daemon's own directory counts only where the file names none."""
    d, text = told
    nameless = text.replace(f"state_directory = {d.state}\n", "")
    assert nameless != text
    d.config_path.write_text(nameless)
    try:
        done = run_cli("status", "--config", d.config_path)
        assert (done.returncode, done.stderr) == (0, "") and "nas" in done.stdout
        d.config_path.write_text(text.replace(str(d.state), str(directory / "other")))
        done = run_cli("status", "--config", d.config_path)
        assert done.returncode == 1 and f"no history at {directory}/other/history.db" in done.stderr
    finally:
        d.config_path.write_text(text)


def test_a_daemon_without_a_configuration_is_found(daemon, repository, root):
    """As that of the quick start: among the processes, which here are none of another test's."""
    need_program("nsenter")
    prefix = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child=SIGTERM"]
    d = daemon(repositories={"nas": repository}, prefix=prefix).wait_ready()
    d.wait_sql("SELECT count(*) > 0 FROM runs_v", [(1,)])
    (pid,) = children_of(d.process.pid)
    inside = ["nsenter", f"--target={pid}", "--pid", "--mount"]
    for command in (["status"], ["runs", "nas"], ["mute", "nas", "--for=1h", "--reason=test"], ["unmute", "nas"]):
        done = run_cli(*command, prefix=inside)
        assert (done.returncode, done.stderr) == (0, ""), (command, done.stderr)
    os.kill(int(pid), signal.SIGTERM)
    assert d.process.wait(60) == 0


# --- Reload


class Setup:
    """A daemon whose configuration the test rewrites."""

    def __init__(self, daemon, directory):
        self.directory = directory
        for name in ("a", "b", "c"):
            (directory / name).mkdir()
        self.daemon = daemon(config=self.text("a", "b")).wait_ready()
        for name in ("a", "b"):
            self.daemon.wait_runs(name, 1)

    def text(self, *names, extra=""):
        sections = [f"[repository {n}]\npath = {self.directory / n}\nprobes = quick\n" for n in names]
        return "".join(sections) + QUICK + extra

    def rewrite(self, text):
        self.daemon.config_path.write_text(text)

    def names(self):
        return [r["name"] for r in self.daemon.json("/api/v1/overview")["repositories"]]

    def metric_names(self):
        return sorted({labels["repository"] for _, labels, _ in self.daemon.metrics() if "repository" in labels})


@pytest.fixture
def setup(daemon, directory):
    return Setup(daemon, directory)


@pytest.fixture(scope="module")
def shared():
    """For what changes nothing."""
    with temporary_directory() as directory, daemons(directory) as factory:
        yield Setup(factory, directory).daemon


def test_hangup_with_a_good_file_adds_and_removes_at_once_and_keeps_counters(setup):
    d = setup.daemon
    d.probe("a", times=2)
    labels = {"repository": "a", "probe": "quick", "operation": "write"}
    bytes_before = d.metric("repoprobe_io_bytes_total", **labels)
    setup.rewrite(setup.text("c", "a", extra="limit = 1h\n"))
    d.hang_up()
    d.wait_line(r"configuration reloaded: 2 repositories")
    wait_for(lambda: setup.names() == ["c", "a"], lambda: f"c and a: {setup.names()}")
    assert setup.metric_names() == ["a", "c"]
    assert d.runs("a")[0] == 3  # not run again by the reload
    assert d.metric("repoprobe_io_bytes_total", **labels) == bytes_before
    d.wait_runs("c", 1)  # a new one is due at once
    assert d.metric("repoprobe_config_last_reload_successful") == 1
    assert d.json("/api/v1/overview")["banners"] == []
    # b's history stays, its worker and schedule do not.
    assert d.sql("SELECT count(*) FROM runs_v WHERE repository = 'b'") == [(1,)]
    assert d.control(command="probe-now", repository="b")["ok"] is False


def test_hangup_with_a_bad_file_changes_nothing_and_shows_it(setup):
    d = setup.daemon
    succeeded = d.metric("repoprobe_config_last_reload_success_timestamp_seconds")
    setup.rewrite(setup.text("a", "c", extra="blok_size = 64K\n"))
    d.hang_up()
    d.wait_metric("repoprobe_config_last_reload_successful", 0)
    assert d.metric("repoprobe_config_last_reload_success_timestamp_seconds") == succeeded
    assert setup.names() == ["a", "b"]
    banners = wait_for(lambda: d.json("/api/v1/overview")["banners"], "a banner")
    assert [b["about"] for b in banners] == ["configuration"]
    line = setup.daemon.config_path.read_text().splitlines().index("blok_size = 64K") + 1
    assert f"{d.config_path}:{line}: " in banners[0]["text"] and "block_size" in banners[0]["text"]
    d.wait_line(rf"{d.config_path}:{line}: unknown key blok_size")
    d.wait_line("not reloaded")
    d.probe("b")  # the old one goes on
    assert d.metric("repoprobe_config_last_reload_successful") == 0

    setup.rewrite(setup.text("a"))
    d.hang_up()
    wait_for(lambda: setup.names() == ["a"], "b to go")
    d.wait_metric("repoprobe_config_last_reload_successful", 1)
    assert d.json("/api/v1/overview")["banners"] == []


def test_a_file_that_is_gone_is_a_bad_one(setup):
    setup.daemon.config_path.unlink()
    setup.daemon.hang_up()
    setup.daemon.wait_metric("repoprobe_config_last_reload_successful", 0)
    assert setup.names() == ["a", "b"]


def test_what_needs_a_restart_is_said(setup):
    d = setup.daemon
    setup.rewrite(f"[daemon]\nruntime_directory = {setup.directory}/elsewhere\n" + setup.text("a", "b"))
    d.hang_up()
    d.wait_line(r"runtime_directory takes effect at the next restart")
    d.wait_metric("repoprobe_config_last_reload_successful", 1)
    assert d.control(command="reload") == {"ok": True}


def test_a_reload_during_a_run_loses_nothing(daemon, slow):
    def text(extra):
        return f"[repository slow]\npath = {slow.path}\nprobes = quick\n[defaults]\nlimit = {extra}ms\n{QUICK}"

    slow.delay(20)
    d = daemon(config=text(100)).wait_ready()
    d.wait_runs("slow", 1)
    assert d.control(command="probe-now", repository="slow") == {"ok": True}
    d.wait_metric("repoprobe_probe_running", 1, repository="slow", probe="quick")
    worker = d.workers()
    for i in range(5):
        d.config_path.write_text(text(50 + i))
        assert d.control(command="reload") == {"ok": True}
    assert d.workers() in (worker, [])
    d.wait_runs("slow", 2)
    assert d.runs("slow")[0] == 2
    d.wait_sql("SELECT status FROM runs_v", [("ok",), ("ok",)])


def test_a_repository_that_left_and_came_back_never_has_two_workers(daemon, slow, directory):
    (directory / "other").mkdir()

    def text(*names):
        paths = {"slow": slow.path, "other": directory / "other"}
        return "".join(f"[repository {n}]\npath = {paths[n]}\nprobes = quick\n" for n in names) + QUICK

    d = daemon(config=text("slow", "other")).wait_ready()
    d.wait_runs("slow", 1)
    slow.delay(100)
    assert d.control(command="probe-now", repository="slow") == {"ok": True}
    d.wait_metric("repoprobe_probe_running", 1, repository="slow", probe="quick")
    worker = d.workers()
    for names in (["other"], ["slow", "other"]):
        d.config_path.write_text(text(*names))
        assert d.control(command="reload") == {"ok": True}
        assert set(d.workers()) <= set(worker)
    slow.delay(1)
    d.wait_runs_at_least("slow", 1)
    d.wait_sql("SELECT count(*) FROM runs_v WHERE status NOT IN ('ok')", [(0,)])


@pytest.mark.parametrize("is_running", [True, False])
def test_an_incident_of_a_repository_that_is_gone_says_so(daemon, directory, is_running):
    for name in ("a", "b"):
        (directory / name).mkdir()

    def text(*names):
        return "".join(f"[repository {n}]\npath = {directory / n}\nprobes = quick\n" for n in names) + QUICK

    d = daemon(config=text("a", "b").replace("probes", "require_mount = yes\nprobes", 1)).wait_ready()
    d.wait_state("a", "critical")
    d.wait_sql("SELECT state FROM incidents_v", [("open",)])
    if not is_running:
        d.stop()
    d.config_path.write_text(text("b"))
    if is_running:
        d.hang_up()
    else:
        d.start().wait_ready()
    d.wait_line(r"a: cleared: the repository was removed from the configuration; critical from ")
    d.wait_sql("SELECT state, reason FROM incidents_v", [("closed", "target")])
    (incident,) = d.json("/api/v1/incidents")["incidents"]
    assert incident["state"] == "closed", incident
    assert incident["sentence"].startswith("a: cleared: the repository was removed from the configuration"), incident
    listed = run_cli("incidents", "--state-directory", d.state)
    assert "the repository was removed from the configuration" in listed.stdout, listed
    explained = run_cli("incidents", "--explain", incident["id"], "--state-directory", d.state)
    assert "the repository was removed from the configuration" in explained.stdout, explained


def test_an_incident_of_a_probe_that_is_gone_does_not_stay_for_ever(daemon, slow):
    def text(probe):
        return f"[repository slow]\npath = {slow.path}\nprobes = {probe}\nlimit = 15ms\nconfirm_after = 0\n{QUICK}" + QUICK.replace(
            "[probe quick]", "[probe other]\nlimit = 1min"
        )

    slow.delay(20)
    d = daemon(config=text("quick")).wait_ready()
    d.wait_runs("slow", 1)
    d.probe("slow", times=2)
    d.wait_state("slow", "warning")
    d.config_path.write_text(text("other"))
    assert d.control(command="reload") == {"ok": True}
    d.wait_runs("slow", 1, "other")
    shown = d.wait_state("slow", "ok")
    assert shown["incident"] is None
    d.wait_sql("SELECT state FROM incidents_v", [("closed",)])
    d.stop()
    # The same while the daemon was away: what comes back within two hours is the same incident.
    d.config_path.write_text(text("quick"))
    d.start().wait_ready()
    d.wait_runs("slow", 1)
    d.probe("slow", times=2)
    d.wait_state("slow", "warning")
    d.stop()
    d.config_path.write_text(text("other"))
    d.start().wait_ready()
    d.wait_runs("slow", 1, "other")
    d.wait_state("slow", "ok")
    d.wait_sql("SELECT state FROM incidents_v", [("closed",)])


# --- Control socket


def test_the_command_line_speaks_to_the_daemon(setup):
    d = setup.daemon
    done = run_cli("probe-now", "a", "quick", "--state-directory", d.state)
    assert (done.returncode, done.stderr) == (0, "")
    d.wait_runs("a", 2)
    done = run_cli("probe-now", "nowhere", "--state-directory", d.state)
    assert done.returncode == 1 and "nowhere" in done.stderr and len(done.stderr.splitlines()) == 1
    done = run_cli("probe-now", "a", "nothing", "--state-directory", d.state)
    assert done.returncode == 1 and "nothing" in done.stderr
    done = run_cli("reload", "--state-directory", d.state)
    assert (done.returncode, done.stderr) == (0, "")
    setup.rewrite("[")
    done = run_cli("reload", "--state-directory", d.state)
    assert done.returncode == 1 and f"{d.config_path}:1: " in done.stderr
    d.wait_line(rf"probe-now asked for by uid {os.getuid()}: done")
    d.stop()
    done = run_cli("reload", "--state-directory", d.state)
    assert done.returncode == 1 and "is repoprobed running?" in done.stderr


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"x",
        b"\0",
        b"{}",
        b"[]",
        b'"reload"',
        b'{"command": 7}',
        b'{"command": "shutdown"}',
        b'{"command": "mute"}',
        b'{"command": "probe-now"}',
        b'{"command": "probe-now", "repository": 5}',
        b'{"command": "probe-now", "repository": "nowhere"}',
        b'{"command": "reload", "command": "reload"}',
        b'{"command": "reload"} trailing',
        b'{"command": "\xff\xfe"}',
        b"[" * 60000,
        b'{"command": "' + b"x" * 60000 + b'"}',
        b'{"command": "reload", "x": "' + b"x" * 70000 + b'"}',
    ],
    ids=lambda b: b[:24].decode("latin-1").strip("\0") or "nul",
)
def test_a_bad_request_gets_a_sentence(shared, request_bytes):
    reply = json.loads(shared.control_bytes(request_bytes))
    assert reply["ok"] is False and reply["error"]
    assert shared.control(command="reload") == {"ok": True}


@pytest.mark.plain
def test_peers_that_say_nothing_do_not_lock_others_out(setup):
    path = str(setup.daemon.state / "control.sock")
    silent = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(40)]
    try:
        for s in silent:
            s.setblocking(False)
            try:
                s.connect(path)
            except BlockingIOError:
                pass

        def is_answered():
            try:
                return setup.daemon.control(command="reload") == {"ok": True}
            except (OSError, ValueError):
                return False

        wait_for(is_answered, "an answer")
    finally:
        for s in silent:
            s.close()


ASK = """
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.connect(sys.argv[1])
try:
    s.send(b'{"command": "reload"}')
except BrokenPipeError:  # who may not ask is told so before he asks
    pass
sys.stdout.write(s.recv(65536).decode())
"""


def test_strangers_may_not_ask(daemon, directory, repository, root):
    (directory / "state").mkdir(mode=0o755)  # so that a stranger gets as far as the socket
    d = daemon(config=f"[repository disk]\npath = {repository}\nprobes = quick\n{QUICK}")
    socket_path = str(d.state / "control.sock")
    done = subprocess.run(
        as_user("nobody", ["/usr/bin/python3", "-c", ASK, socket_path]), capture_output=True, text=True, check=True
    )
    reply = json.loads(done.stdout)
    assert reply["ok"] is False and "may not" in reply["error"]
    refused = run_cli("probe-now", "disk", "--state-directory", d.state, user="nobody")
    assert refused.returncode == 1 and len(refused.stderr.splitlines()) == 1
    assert d.count_lines("asked for by") == 0
    assert tree(repository)[:1] == [".repoprobe"]
