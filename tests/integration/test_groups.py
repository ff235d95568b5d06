# SPDX-License-Identifier: Apache-2.0
"""Repositories on one server: what makes them all slow is one message, whatever happens in between. Two slow
file systems that say that they come from the same server stand for it."""
import json

import pytest

from conftest import BUILD, QUICK, TEST_HOOKS, DelayFs, need, run_cli, wait_for

NAMES = ("a", "b", "c")
WAIT = 61  # seconds: a warning waits for others of its group
WINDOW = 301  # and what follows the first message, for the next
# A hang is one after three seconds and given up after eight.
BRIEF = QUICK.replace("timeout = 20s", "timeout = 1s\nduration = 500ms").replace("max_ios = 24", "max_ios = 8")
BRIEF = BRIEF.replace("file_size = 4M", "file_size = 1M")
RAISED = r"^(warning|critical): "
pytestmark = pytest.mark.plain


@pytest.fixture
def clock(directory):
    need(TEST_HOOKS, "needs a build with --enable-test-hooks")
    path = directory / "clock"
    path.write_text("0")

    class Clock:
        environment = {"REPOPROBE_TEST_CLOCK": str(path)}
        seconds = 0

        def move(self, seconds):
            self.seconds += seconds
            new = path.with_name("clock.new")
            new.write_text(f"{self.seconds}")
            new.rename(path)

    return Clock()


@pytest.fixture
def server(mount):
    """Exports of one server, each with a delay of its own: server(name) mounts one."""
    need((BUILD / "tests/fuse/delayfs").exists(), "needs delayfs (built when fuse3 is installed)")
    exports = []

    def export(name):
        exports.append(DelayFs(mount.tmpfs("64M"), "-o", f"fsname=nas1:/export/{name}"))
        return exports[-1]

    yield export
    for each in exports:
        each.end()


def config(paths, limit="limit = 15ms\nlimit_critical = 10s\n"):
    """A warning is one after three slow slots."""
    text = f"[defaults]\nprobes = quick\nmin_free = 0%\nconfirm_after = 0\ndaily_write_budget = 10T\n{limit}{BRIEF}"
    return text + "".join(f"[repository {name}]\npath = {path}\n" for name, path in paths.items())


@pytest.fixture
def trouble(daemon, server, clock):
    """Three repositories on one export, which has become slow; two of them have an incident."""
    slow = server("x")
    paths = {name: slow.path / name for name in NAMES}
    for path in paths.values():
        path.mkdir()
    slow.delay(2)
    d = daemon(config=config(paths), environment=clock.environment).wait_ready()
    for name in NAMES:
        d.wait_runs(name, 1)
    slow.delay(40)
    raise_incident(d, "a")
    raise_incident(d, "b")
    return d


def raise_incident(d, name):
    d.probe(name, times=2)
    for _ in range(2):
        if d.repository(name)["state"] != "warning":
            d.probe(name)
    d.wait_state(name, "warning")
    d.wait_sql(f"SELECT count(*) FROM incidents_v WHERE repository = '{name}' AND state = 'open'", [(1,)])


def messages(d):
    return [text for (text,) in d.sql("SELECT text FROM outbox ORDER BY rowid")]


def wait_told(d, count):
    d.wait_sql("SELECT count(*) FROM outbox WHERE delivered_usec IS NOT NULL", [(count,)])


def test_a_server_that_becomes_slow_is_one_message_and_who_comes_later_another(trouble, clock):
    d = trouble
    assert messages(d) == []  # they wait for each other
    clock.move(WAIT)
    wait_told(d, 1)
    assert messages(d)[0].startswith("2 repositories on nas1 are slow: a, b; a: ")
    assert d.count_lines(RAISED) == 1, d.log
    raise_incident(d, "c")
    clock.move(WAIT)
    d.probe("c")
    assert len(messages(d)) == 1  # the group was told of: c waits for the end of the window
    clock.move(WINDOW)
    wait_told(d, 2)
    assert messages(d)[1].startswith("c: ")
    assert d.count_lines(RAISED) == 2, d.log

    # Each keeps its own incident, which knows of the others.
    listed = {i["repository"]: i for i in d.json("/api/v1/incidents?state=open")["incidents"]}
    assert sorted(listed) == list(NAMES)
    assert listed["a"]["group"] == {"name": "nas1", "others": 2, "repositories": ["b", "c"]}
    assert d.repository("a")["incident"]["group"] == listed["a"]["group"]
    ask = ("--config", d.config_path, "--state-directory", d.state)
    told = json.loads(run_cli("incidents", "--json", *ask).stdout)["incidents"]
    assert {i["repository"]: i for i in told} == listed
    assert run_cli("incidents", *ask).stdout.count("with 2 others on nas1") == 3
    explained = run_cli("incidents", f"--explain={listed['a']['id']}", *ask).stdout
    assert "with 2 others on nas1: b, c" in explained


def test_no_kill_loses_or_repeats_the_message_of_a_group(trouble, clock):
    d = trouble
    assert messages(d) == []
    d.kill()
    clock.move(WAIT)
    d.start().wait_ready()
    wait_told(d, 1)
    assert messages(d)[0].startswith("2 repositories on nas1 are slow: a, b; a: ")
    d.kill()
    d.start().wait_ready()
    clock.move(WINDOW)
    d.probe("a")
    raise_incident(d, "c")
    clock.move(WAIT)
    wait_told(d, 2)
    assert messages(d)[1].startswith("c: ")
    assert d.count_lines(RAISED) == 2, d.log


def test_of_two_on_one_server_the_slower_is_told_and_the_other_is_not(daemon, server):
    fast, slow = server("fast"), server("slow")
    fast.delay(4)
    slow.delay(30)
    d = daemon(config=config({"fast": fast.path, "slow": slow.path}, limit="limit = 5s\n")).wait_ready()
    for name in ("fast", "slow"):
        d.wait_runs(name, 1)
    for _ in range(5):
        d.probe("fast")
        d.probe("slow")
    wait_for(lambda: d.sql("SELECT 1 FROM incident"), "an incident")
    assert d.sql("SELECT repository, level, reason FROM incidents_v") == [("slow", "warning", "peer")]
    assert d.repository("fast")["state"] == "ok"


def test_slowness_is_not_told_while_another_on_the_server_hangs(daemon, server, clock):
    dead, slow = server("dead"), server("slow")
    paths = {"dead": dead.path, "slow": slow.path}
    d = daemon(config=config(paths), environment=clock.environment).wait_ready()
    for name in paths:
        d.wait_runs(name, 1)
    dead.hang("open")
    try:
        assert d.control(command="probe-now", repository="dead") == {"ok": True}
        d.wait_state("dead", "critical")
        clock.move(60)  # that its worker hangs, and is not only slow to end, is known after a minute
        wait_told(d, 1)
        assert messages(d)[0].startswith("dead: ")
        slow.delay(40)
        raise_incident(d, "slow")
        clock.move(WINDOW + WAIT)
        d.probe("slow")
        assert len(messages(d)) == 1 and len(d.json("/api/v1/incidents?state=open")["incidents"]) == 2
    finally:
        dead.hang("off")
    wait_for(lambda: not d.repository("dead")["probes"][0]["stuck_since"], "the worker to be gone")
    for _ in range(6):
        clock.move(WINDOW)  # the pause after it
        d.probe("dead")
    d.wait_line(r"slow: .*another repository on the same storage did not answer until now")
