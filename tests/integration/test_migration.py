# SPDX-License-Identifier: Apache-2.0
"""A history of an earlier version is brought to this one while probing goes on."""
import contextlib
import os
import sqlite3
import subprocess
import time

import pytest

from conftest import BUILD, QUICK, DelayFs, need, wait_for

# Waiting is most of it, and a second time under sanitizers finds nothing more.
pytestmark = pytest.mark.plain

OLD_RUNS = 20000
# In the columns that every version has; some 6 MB.
ROWS = f"""
INSERT INTO target (id, name) VALUES (1, 'old');
INSERT INTO series (id, target, probe, key) VALUES (1, 1, 'active-full', 'k');
WITH number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {OLD_RUNS})
INSERT INTO run (id, series, started_usec, status, skip, error_number, reason, trust, engine, start_delay_usec,
 duration_nsec, setup_nsec, measured_nsec, cpu_user_nsec, cpu_system_nsec, outstanding_ios, layout_bytes, file_bytes,
 free_bytes) SELECT n, 1, :start + n * 1000000, 1, 0, 5, printf('%.200c', 'x'), 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0
 FROM number;
"""


def make_old(path, version):
    subprocess.run([BUILD / "tests/integration/old_history", path, str(version)], check=True)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        for statement in ROWS.split(";")[:-1]:
            values = {"start": int((time.time() - 86400) * 1e6)} if ":start" in statement else {}
            db.execute(statement, values)


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
    make_old(state_fs.path / "history.db", 2)
    state_fs.delay(100)
    probe = QUICK.replace("interval = 1h", "interval = 1s")
    d = daemon(
        config=f"[daemon]\nruntime_directory = {directory}/run\n"
        f"[repository disk]\npath = {repository}\nprobes = quick\n{probe}",
        state=str(state_fs.path),
    ).wait_ready()
    d.wait_line(r"the history is not open yet; probing begins, and results wait in memory")
    d.wait_runs_at_least("disk", 3)
    assert d.get("/-/ready")[0] == 503
    assert d.repository("disk")["state"] == "ok"
    banners = d.json("/api/v1/overview")["banners"]
    assert [banner["about"] for banner in banners] == ["database"], banners
    assert list(d.state.glob("history.db.schema-2.part")), "it is being copied"
    assert not list(d.state.glob("history.db.schema-2"))

    state_fs.delay(0)
    waited = int(d.wait_line(r"the history is open; (\d+) results waited for it").group(1))
    assert waited >= 3
    query = "SELECT count(*) >= ?, min(id), max(id) - min(id) + 1 - count(*) FROM runs_v WHERE repository = 'disk'"
    wait_for(lambda: d.sql(query, waited) == [(1, OLD_RUNS + 1, 0)], lambda: f"all: {d.sql(query, waited)}")
    assert d.sql("SELECT count(*) FROM runs_v WHERE repository = 'old'") == [(OLD_RUNS,)]
    assert d.metric("repoprobe_database_lost_total") == 0
    assert d.get("/-/ready")[0] == 200
    wait_for(lambda: not d.json("/api/v1/overview")["banners"], "the banner to go")
    with contextlib.closing(sqlite3.connect(d.state / "history.db.schema-2")) as copy:
        assert copy.execute("PRAGMA user_version").fetchone() == (2,)
        assert copy.execute("SELECT count(*) FROM run").fetchone() == (OLD_RUNS,)
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_migration_waits_for_the_room_that_its_copy_takes(daemon, repository, mount):
    state = mount.tmpfs("24M")
    make_old(state / "history.db", 2)
    filler = state / "filler"
    filler.write_bytes(bytes(8 << 20))
    probe = QUICK.replace("interval = 1h", "interval = 1s")
    d = daemon(config=f"[repository disk]\npath = {repository}\nprobes = quick\n{probe}", state=str(state)).wait_ready()
    d.wait_line(
        r"the history is not open yet: .*to bring it from schema 2 to \d+ takes \d+ MiB of free space, and there are \d+;"
        r" probing begins"
    )
    d.wait_runs_at_least("disk", 2)
    assert "free space" in d.json("/api/v1/overview")["banners"][0]["text"]
    assert not list(d.state.glob("history.db.schema-*"))
    with contextlib.closing(sqlite3.connect(f"file:{d.database}?mode=ro", uri=True)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (2,)
    filler.unlink()
    d.wait_line(r"the history is open; \d+ results waited for it")
    wait_for(lambda: d.sql("SELECT count(*) >= 2 FROM runs_v WHERE repository = 'disk'") == [(1,)], "the runs")
    assert d.sql("SELECT count(*) FROM runs_v WHERE repository = 'old'") == [(OLD_RUNS,)]
    assert d.metric("repoprobe_database_lost_total") == 0
