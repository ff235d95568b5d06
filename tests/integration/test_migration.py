# SPDX-License-Identifier: Apache-2.0
"""A history of this version is migrated by a later one, which only the tests have, while probing goes on."""
import contextlib
import os
import shutil
import sqlite3
import time

import pytest

from conftest import BUILD, QUICK, DelayFs, need, wait_for

# Waiting is most of it, and a second time under sanitizers finds nothing more.
pytestmark = pytest.mark.plain

OLD_RUNS = 20000
FIRST_OLD_ID = 1001
LAST_OLD_ID = FIRST_OLD_ID + OLD_RUNS - 1
# Some 6 MB.
ROWS = f"""
INSERT INTO target (id, name) VALUES (1000, 'old');
INSERT INTO series (id, target, probe, key) VALUES (1000, 1000, 'active-full', 'k');
WITH number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < {OLD_RUNS - 1})
INSERT INTO run (id, series, started_usec, status, skip, error_number, reason, trust, engine, start_delay_usec,
 duration_nsec, setup_nsec, measured_nsec, cpu_user_nsec, cpu_system_nsec, outstanding_ios, layout_bytes, file_bytes,
 free_bytes) SELECT {FIRST_OLD_ID} + n, 1000, :start + n * 1000000, 1, 0, 5, printf('%.200c', 'x'), 0, 0, 0, 1, 0, 0, 0,
 0, 0, 0, 0, 0 FROM number;
"""


def make_old(d):
    """Stops the daemon and makes its history large; returns how many runs it has."""
    d.wait_runs_at_least("disk", 1)
    wait_for(lambda: d.sql("SELECT count(*) >= 1 FROM run") == [(1,)], "the first run")
    d.stop()
    with contextlib.closing(sqlite3.connect(d.database)) as db, db:
        for statement in ROWS.split(";")[:-1]:
            values = {"start": int((time.time() - 86400) * 1e6)} if ":start" in statement else {}
            db.execute(statement, values)
    return d.sql("SELECT count(*) FROM run")[0][0]


def start_later(d, directory):
    """Starts the daemon of a later version, which has one migration more, in its place."""
    programs = directory / "later"
    programs.mkdir()
    shutil.copy(BUILD / "tests/integration/later_repoprobed", programs / "repoprobed")
    shutil.copy(BUILD / "repoprobe-worker", programs)
    d.arguments[0] = str(programs / "repoprobed")
    return d.start().wait_ready()


@pytest.fixture
def state_fs(directory):
    need(os.path.exists("/dev/fuse"), "needs /dev/fuse")
    place = directory / "place"
    place.mkdir()
    fs = DelayFs(place)
    fs.cache()  # SQLite maps its index
    yield fs
    fs.end()


def test_probing_goes_on_while_a_large_history_is_migrated(daemon, directory, repository, state_fs):
    """The copy takes minutes for as long as the disk is slow, and a moment once it is not."""
    probe = QUICK.replace("interval = 1h", "interval = 1s")
    d = daemon(
        config=f"[daemon]\nruntime_directory = {directory}/run\n"
        f"[repository disk]\npath = {repository}\nprobes = quick\n{probe}",
        state=str(state_fs.path),
    )
    old_runs = make_old(d)
    state_fs.delay(100)
    start_later(d, directory)
    d.wait_line(r"the history is not open yet; probing begins, and results wait in memory")
    d.wait_runs_at_least("disk", 3)
    assert d.get("/-/ready")[0] == 503
    assert d.repository("disk")["state"] == "ok"
    banners = d.json("/api/v1/overview")["banners"]
    assert [banner["about"] for banner in banners] == ["database"], banners
    assert list(d.state.glob("history.db.schema-1.part")), "it is being copied"
    assert not list(d.state.glob("history.db.schema-1"))

    state_fs.delay(0)
    waited = int(d.wait_line(r"the history is open; (\d+) results waited for it").group(1))
    assert waited >= 3
    query = "SELECT count(*) >= ?, min(id), max(id) - min(id) + 1 - count(*) FROM run WHERE id > ?"
    wait_for(
        lambda: d.sql(query, waited, LAST_OLD_ID) == [(1, LAST_OLD_ID + 1, 0)],
        lambda: f"all: {d.sql(query, waited, LAST_OLD_ID)}",
    )
    assert d.sql("SELECT count(*) FROM runs_v WHERE repository = 'old'") == [(OLD_RUNS,)]
    assert d.metric("repoprobe_database_lost_total") == 0
    assert d.get("/-/ready")[0] == 200
    wait_for(lambda: not d.json("/api/v1/overview")["banners"], "the banner to go")
    with contextlib.closing(sqlite3.connect(d.state / "history.db.schema-1")) as copy:
        assert copy.execute("PRAGMA user_version").fetchone() == (1,)
        assert copy.execute("SELECT count(*) FROM run").fetchone() == (old_runs,)
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_migration_waits_for_the_room_that_its_copy_takes(daemon, directory, repository, mount):
    state = mount.tmpfs("24M")
    probe = QUICK.replace("interval = 1h", "interval = 1s")
    d = daemon(config=f"[repository disk]\npath = {repository}\nprobes = quick\n{probe}", state=str(state))
    make_old(d)
    filler = state / "filler"
    filler.write_bytes(bytes(8 << 20))
    start_later(d, directory)
    d.wait_line(
        r"the history is not open yet: .*to bring it from schema 1 to 2 takes \d+ MiB of free space, and there are \d+;"
        r" probing begins"
    )
    d.wait_runs_at_least("disk", 2)
    assert "free space" in d.json("/api/v1/overview")["banners"][0]["text"]
    assert not list(d.state.glob("history.db.schema-*"))
    with contextlib.closing(sqlite3.connect(f"file:{d.database}?mode=ro", uri=True)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
    filler.unlink()
    d.wait_line(r"the history is open; \d+ results waited for it")
    wait_for(lambda: d.sql("SELECT count(*) >= 2 FROM run WHERE id > ?", LAST_OLD_ID) == [(1,)], "the runs")
    assert d.sql("SELECT count(*) FROM runs_v WHERE repository = 'old'") == [(OLD_RUNS,)]
    assert d.metric("repoprobe_database_lost_total") == 0
