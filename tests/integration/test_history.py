# SPDX-License-Identifier: Apache-2.0
"""The history: on the command line with and without the daemon, as a file, through its views."""
import json
import sqlite3
import stat

import pytest

from conftest import QUICK, run_cli

RUN_COLUMNS = {"id", "started", "repository", "probe", "status", "skip_reason", "reason", "trust", "engine"}
RUN_COLUMNS |= {"duration_ms", "setup_ms", "setup_longest_ms", "setup_step", "measured_ms", "fs_type", "fs_free_bytes", "workload"}
RUN_COLUMNS |= {f"{o}_{c}" for o in ("read", "write") for c in ("ios", "bytes", "avg_ms", "p50_ms", "p99_ms", "max_ms")}
INCIDENT_COLUMNS = {"id", "repository", "state", "level", "opened", "closed", "duration_seconds", "reason"}


@pytest.fixture
def history(daemon, slow):
    """Four runs and an incident."""
    slow.delay(20)
    d = daemon(config=f"[repository nas 1]\npath = {slow.path}\nprobes = quick\nlimit = 15ms\n{QUICK}").wait_ready()
    d.wait_runs("nas 1", 1)
    d.probe("nas 1", times=3)
    d.wait_sql("SELECT count(*) FROM runs_v", [(4,)])
    return d


def ask(d, *arguments):
    done = run_cli(*arguments, "--state-directory", d.state)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def check_commands(d):
    status = json.loads(ask(d, "status", "--json"))["repositories"]
    assert [(r["name"], r["state"]) for r in status] == [("nas 1", "warning")]
    assert status[0]["incident"]["level"] == "warning"
    text = ask(d, "status")
    assert "nas 1" in text and "warning" in text and "average" in text

    runs = json.loads(ask(d, "runs", "--json", "nas 1"))["runs"]
    assert [run["id"] for run in runs] == [4, 3, 2, 1]
    assert [run["id"] for run in json.loads(ask(d, "runs", "--json", "--limit=2", "nas 1"))["runs"]] == [4, 3]
    lines = ask(d, "runs", "nas 1").splitlines()
    assert len(lines) == 5 and all("quick" in line for line in lines[1:])

    run = json.loads(ask(d, "show", "--json", "2"))
    assert run == runs[2]
    assert run["repository"] == "nas 1" and run["status"] == "ok"
    assert run["operations"]["read"]["avg_seconds"] >= 0.02
    report = ask(d, "show", "2")
    assert "quick on nas 1, run 2" in report and "Read IO" in report and "%-ile" in report

    incidents = json.loads(ask(d, "incidents", "--json"))["incidents"]
    assert [(i["id"], i["repository"], i["level"], i["state"]) for i in incidents] == [(1, "nas 1", "warning", "open")]
    assert "nas 1" in ask(d, "incidents")

    for arguments, sentence in (
        (["show", "99"], "no run 99"),
        (["runs", "nas 2"], "did you mean nas 1?"),
        (["runs", "--probe=none", "nas 1"], "none"),
    ):
        done = run_cli(*arguments, "--state-directory", d.state)
        assert done.returncode == 1 and done.stdout == "" and sentence in done.stderr
    assert run_cli("show", "x", "--state-directory", d.state).returncode == 2
    return status, runs, incidents


def test_the_commands_answer_alike_with_and_without_the_daemon(history):
    while_up = check_commands(history)
    history.stop()
    before = history.database.read_bytes()
    assert check_commands(history) == while_up
    assert history.database.read_bytes() == before  # reads never write


def test_the_daemon_reads_back_what_it_wrote(history):
    runs = history.json("/api/v1/runs?limit=10")["runs"]
    shown = history.repository("nas 1")
    history.stop()
    history.start().wait_ready()
    assert [run for run in history.json("/api/v1/runs?limit=10")["runs"] if run["id"] <= 4] == runs
    again = history.repository("nas 1")
    assert again["incident"]["id"] == shown["incident"]["id"]
    history.wait_runs("nas 1", 1)
    history.wait_sql("SELECT max(id) FROM runs_v", [(5,)])


def test_the_file_is_what_the_contract_says(history):
    mode = history.database.stat()
    assert stat.S_IMODE(mode.st_mode) == 0o640
    assert stat.S_IMODE(history.state.stat().st_mode) == 0o750
    assert history.sql("PRAGMA journal_mode") == [("wal",)]
    assert history.sql("PRAGMA application_id") != [(0,)]
    assert history.sql("PRAGMA user_version")== [(1,)]
    tables = history.sql("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    assert {name for name, _ in tables} >= {
        "series",
        "run",
        "run_operation",
        "baseline",
        "incident",
        "incident_event",
        "outbox",
        "target",
        "meta",
    }
    for name, sql in tables:
        assert "STRICT" in sql, name
    history.stop()
    for suffix in ("-wal", "-shm"):  # kept, so that readers without write permission can open it
        path = history.database.with_name(history.database.name + suffix)
        assert path.exists() and stat.S_IMODE(path.stat().st_mode) == 0o640, suffix
    assert history.sql("PRAGMA integrity_check") == [("ok",)]
    assert history.sql("PRAGMA foreign_key_check") == []


def test_the_views_have_their_columns(history):
    with sqlite3.connect(f"file:{history.database}?mode=ro", uri=True) as db:
        db.row_factory = sqlite3.Row
        run = dict(db.execute("SELECT * FROM runs_v WHERE id = 1").fetchone())
        incident = dict(db.execute("SELECT * FROM incidents_v").fetchone())
    assert RUN_COLUMNS <= set(run)
    assert (run["repository"], run["probe"], run["status"], run["skip_reason"]) == ("nas 1", "quick", "ok", "")
    assert 20 <= run["read_avg_ms"] and run["read_min_ms"] <= run["read_p50_ms"] <= run["read_max_ms"]
    assert run["read_bytes"] == run["read_ios"] * 65536
    assert INCIDENT_COLUMNS <= set(incident)
    assert (incident["state"], incident["level"], incident["closed"]) == ("open", "warning", None)
    document = json.loads(ask(history, "show", "--json", "1"))
    assert document["started"] == run["started"]
    assert abs(document["operations"]["read"]["avg_seconds"] * 1e3 - run["read_avg_ms"]) < 0.001


def test_a_run_takes_little_space(history):
    payload = history.sql("SELECT avg(length(histogram)) FROM run_operation")[0][0]
    assert payload < 200


@pytest.mark.parametrize("command", [["status"], ["runs", "nas"], ["show", "1"], ["incidents"]])
def test_without_a_history_they_say_so(directory, command):
    done = run_cli(*command, "--state-directory", directory / "nowhere")
    assert (done.returncode, done.stdout) == (1, "")
    assert str(directory / "nowhere") in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (directory / "nowhere").exists()


def test_strangers_may_not_read_it(history, root):
    done = run_cli("status", "--state-directory", history.state, user="nobody")
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1 and "group repoprobe" in done.stderr
