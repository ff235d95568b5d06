# SPDX-License-Identifier: Apache-2.0
"""A row of the history with a value out of range is skipped and named; everything else is there."""
import contextlib
import sqlite3

import pytest

from conftest import QUICK, run_cli, wait_for

LIMIT = "limit = 15ms\nlimit_critical = 1s\nconfirm_after = 0\n"
LONG = "printf('%.*c', 300, 'x')"


def spoil(d, statements):
    with contextlib.closing(sqlite3.connect(d.database)) as db, db:
        for statement in statements:
            assert db.execute(statement).rowcount >= 1, statement


@pytest.fixture
def two(daemon, slow, directory):
    """A repository with an incident, and another that is to be spoiled: both muted, both known."""
    spoiled = directory / "spoiled"
    spoiled.mkdir()
    d = daemon(config=f"[repository slow]\npath = {slow.path}\nprobes = quick\n{LIMIT}"
                      f"[repository spoiled]\npath = {spoiled}\nprobes = quick\n{QUICK}").wait_ready()
    d.wait_runs("slow", 1)
    d.wait_runs("spoiled", 1)
    d.probe("spoiled")
    slow.delay(20)
    d.probe("slow", times=3)
    d.wait_state("slow", "warning")
    for name in ("slow", "spoiled"):
        done = run_cli("mute", name, "--for=1h", "--reason=firmware", "--state-directory", d.state)
        assert done.returncode == 0, done.stderr
    d.wait_metric("repoprobe_database_queue_length", 0)
    d.wait_sql("SELECT count(*) FROM mute", [(2,)])
    d.stop()
    return d


SPOILED = "(SELECT id FROM target WHERE name = 'spoiled')"
RUN = f"(SELECT max(run.id) FROM run JOIN series ON series.id = run.series WHERE target = {SPOILED})"
CASES = {
    "the newest run": [("run", f"UPDATE run SET reason = {LONG} WHERE id = {RUN}")],
    "a histogram": [("run_operation", f"UPDATE run_operation SET histogram = x'ff' WHERE run = {RUN}")],
    "all that refers to one": [
        ("target", "UPDATE target SET alarm = x'ff' WHERE name = 'spoiled'"),
        ("first_identity", f"UPDATE first_identity SET is_mount = 7 WHERE target = {SPOILED}"),
        ("budget", f"UPDATE budget SET day_bytes = -1 WHERE target = {SPOILED}"),
        ("mute", "UPDATE mute SET mode = 9 WHERE repository = 'spoiled'"),
        ("identity", f"UPDATE identity SET device = '{{' WHERE target = {SPOILED}"),
    ],
    "its name": [("target", f"UPDATE target SET name = {LONG} WHERE name = 'spoiled'")],
}


@pytest.mark.parametrize("case", CASES)
def test_a_bad_row_takes_nothing_with_it(two, case):
    d = two
    spoil(d, [statement for _, statement in CASES[case]])
    tables = {table for table, _ in CASES[case]}
    runs = d.sql("SELECT count(*) FROM runs_v WHERE repository = 'slow'")[0][0]
    done = run_cli("database", "check", "--state-directory", d.state)
    assert done.returncode == 1
    for table in tables:
        assert f"of table {table} " in done.stdout, done.stdout
    d.start().wait_ready()
    # What is known of the other one is: its incident, its mute, its first identity, its runs.
    shown = d.wait_state("slow", "warning")
    assert shown["incident"]["id"] == 1 and shown["mute"]["mode"] == "mute"
    assert [r["repository"] for r in d.json("/api/v1/runs?repository=slow")["runs"]].count("slow") >= runs
    # A repository whose name was spoiled is a new one, which adds a row with its first run.
    assert d.sql("SELECT count(*) FROM first_identity")[0][0] in (2, 3)
    d.wait_runs("spoiled", 1)
    d.wait_metric("repoprobe_database_bad_rows", len(tables))
    assert not list(d.state.glob("*corrupt*")), d.log
    # Said once each, by table and id, however often it is read.
    for _ in range(3):
        d.json("/api/v1/runs?repository=spoiled")
    for table in tables:
        assert d.count_lines(rf"history: row -?\d+ of table {table} has a value out of range") == 1, d.log
    banners = [banner["text"] for banner in d.json("/api/v1/overview")["banners"]]
    assert any("value out of range" in text for text in banners), banners


def test_an_incident_whose_alarm_state_is_bad_stays_open_and_ends(two, slow):
    d = two
    spoil(d, ["UPDATE target SET alarm = x'ff' WHERE name = 'slow'"])
    slow.delay(1)
    d.start().wait_ready()
    d.probe("slow", times=6)
    d.wait_sql("SELECT count(*), count(closed_usec) FROM incident", [(1, 1)])
    wait_for(lambda: d.repository("slow")["state"] == "ok", "it to be ok")
