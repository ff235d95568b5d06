# SPDX-License-Identifier: Apache-2.0
"""The history for other programs: csv, json, openmetrics; backup, check and compact while it is in use."""
import calendar
import contextlib
import csv
import io
import json
import os
import re
import socket
import sqlite3
import stat
import subprocess
import threading
import time
import urllib.parse
import urllib.request

import pytest

from conftest import QUICK, need_program, run_cli, wait_for

NAME = 'a "b", c\\d'  # whatever may stand in a name


@pytest.fixture
def history(daemon, repository, directory):
    missing = directory / "missing"
    d = daemon(
        config=f"[repository {NAME.replace(',', ';')}]\npath = {repository}\nprobes = quick\n"
        f"[repository gone]\npath = {missing}\nprobes = quick\n{QUICK}"
    ).wait_ready()
    d.probe("gone", times=2)
    for _ in range(3):
        d.probe(NAME.replace(",", ";"))
    return d


def ask(d, *arguments):
    done = run_cli(*arguments, "--state-directory", d.state)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def committed(d):
    wait_for(lambda: d.metric("repoprobe_database_queue_length") == 0, "an empty queue")
    return d.sql("SELECT id, repository, probe, started, status FROM runs_v ORDER BY repository, started, id")


def test_csv_and_json_have_every_run_in_order(history):
    rows = committed(history)
    assert len(rows) >= 5
    table = list(csv.DictReader(io.StringIO(ask(history, "export"), newline="")))
    assert [(int(r["id"]), r["repository"], r["probe"], r["started"], r["status"]) for r in table] == rows
    runs = json.loads(ask(history, "export", "--format=json"))["runs"]
    assert [(r["id"], r["repository"], r["probe"], r["started"], r["status"]) for r in runs] == rows
    for row, run in zip(table, runs):
        for operation in ("read", "write"):
            numbers = run["operations"].get(operation)
            if numbers is None:  # a failed run is never a zero
                assert row[f"{operation}_ios"] == row[f"{operation}_avg_seconds"] == ""
                continue
            assert int(row[f"{operation}_bytes"]) == numbers["bytes"]
            assert abs(float(row[f"{operation}_avg_seconds"]) - numbers["avg_seconds"]) < 1e-9
            assert abs(float(row[f"{operation}_p99_seconds"]) - numbers["percentiles"]["p99"]) < 1e-9
    assert {row["status"] for row in table} >= {"ok"} and any(row["status"] != "ok" for row in table)

    first, last = rows[0][3], rows[-1][3]
    text = ask(history, "export", f"--from={first}", f"--to={last}")
    assert [int(r["id"]) for r in csv.DictReader(io.StringIO(text))] == [r[0] for r in rows if first <= r[3] < last]
    assert list(csv.DictReader(io.StringIO(ask(history, "export", "--to=now-1d")))) == []
    assert json.loads(ask(history, "export", "--format=json", "--from=now"))["runs"] == []
    done = run_cli("export", "--format=jsn", "--state-directory", history.state)
    assert done.returncode == 2 and "did you mean json?" in done.stderr


@contextlib.contextmanager
def prometheus(directory):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    (directory / "prometheus.yml").write_text("global: {}\n")
    server = subprocess.Popen(
        [
            need_program("prometheus"),
            f"--config.file={directory}/prometheus.yml",
            f"--storage.tsdb.path={directory}/tsdb",
            f"--web.listen-address=127.0.0.1:{port}",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def query(text):
        address = f"http://127.0.0.1:{port}/api/v1/query?{urllib.parse.urlencode({'query': text})}"
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=10) as answer:
            return json.load(answer)["data"]["result"]
        return None

    try:
        wait_for(lambda: query("vector(1)"), "prometheus")
        yield query
    finally:
        server.kill()
        server.wait()


@pytest.mark.plain
def test_prometheus_takes_the_openmetrics_export(history, directory):
    rows = committed(history)
    text = ask(history, "export", "--format=openmetrics")
    assert text.endswith("# EOF\n") and text.count("# EOF") == 1
    families = re.findall(r"^# TYPE (\S+) gauge$", text, re.M)
    assert len(families) == len(set(families)) == 4
    (directory / "history.om").write_text(text)
    done = subprocess.run(
        [need_program("promtool"), "tsdb", "create-blocks-from", "openmetrics", "history.om", "tsdb"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with prometheus(directory) as query:
        found = query("repoprobe_probe_success[1d]")
        stamps = {
            (s["metric"]["repository"], round(t * 1000)): int(v) for s in found for t, v in s["values"]
        }
        expected = {}
        for _, repository, _, started, status in rows:
            seconds = time.strptime(started[:19], "%Y-%m-%dT%H:%M:%S")
            expected[(repository, calendar.timegm(seconds) * 1000 + int(started[20:23]))] = int(status == "ok")
        assert stamps == expected
        selector = 'repoprobe_probe_latency_seconds{operation="write",stat="avg",probe="quick"}[1d]'
        averages = [float(v) for s in query(selector) for _, v in s["values"]]
        stored = history.sql("SELECT write_avg_ms FROM runs_v WHERE status = 'ok' ORDER BY started")
        assert len(averages) == len(stored)
        assert all(abs(a * 1e3 - b) < 0.001 for a, (b,) in zip(averages, stored))
        assert query('repoprobe_probe_latency_seconds{repository="gone"}[1d]') == []  # never a zero


def test_a_backup_is_whole_and_overwrites_nothing(history, directory):
    target = directory / "backup.db"
    rows = committed(history)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            history.control(command="probe-now", repository=NAME.replace(",", ";"))
            time.sleep(0.02)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert ask(history, "backup", target) == ""
    finally:
        stop.set()
        writer.join()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert sorted(p.name for p in directory.glob("backup.db*")) == ["backup.db"]
    with contextlib.closing(sqlite3.connect(target)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("SELECT count(*) FROM runs_v").fetchone()[0] >= len(rows)
    before = target.read_bytes()
    done = run_cli("backup", target, "--state-directory", history.state)
    assert done.returncode == 1 and "exists already and is not overwritten" in done.stderr
    assert target.read_bytes() == before
    done = run_cli("backup", directory / "no/where.db", "--state-directory", history.state)
    assert done.returncode == 1 and "where.db: No such file" in done.stderr
    # It can take the history's place.
    history.stop()
    for path in history.state.glob("history.db*"):
        path.unlink()
    os.rename(target, history.database)
    history.start().wait_ready()
    wait_for(lambda: len(history.json("/api/v1/runs?limit=1000")["runs"]) >= len(rows), "the runs of the backup")


def test_check_and_compact_while_the_daemon_runs(history):
    committed(history)
    assert ask(history, "database", "check") == f"{history.database}: sound\n"
    with contextlib.closing(sqlite3.connect(history.database, timeout=30)) as db, db:
        db.execute("CREATE TABLE ballast (x BLOB) STRICT")
        db.execute("INSERT INTO ballast VALUES (zeroblob(8 << 20))")
        db.execute("DROP TABLE ballast")
    history.probe("gone")
    given_back = re.search(r": ([\d.]+) MiB given back\n$", ask(history, "database", "compact"))
    assert 8 <= float(given_back.group(1)) < 40  # the log that it went through included
    assert history.sql("PRAGMA freelist_count")[0][0] < 16
    history.probe("gone")
    assert history.metric("repoprobe_database_lost_total") == 0
    history.stop()
    with contextlib.closing(sqlite3.connect(history.database)) as db, db:
        db.execute("INSERT INTO run_operation (run, operation, ios, bytes, errors, active_nsec, sum_nsec, min_nsec, max_nsec,"
            " p50_nsec, p95_nsec, p99_nsec) VALUES (9999, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1)")
    done = run_cli("database", "check", "--state-directory", history.state)
    assert done.returncode == 1 and "refers to a row of table run" in done.stdout and "damaged" in done.stderr
    assert run_cli("database", "vacuum", "--state-directory", history.state).returncode == 2
