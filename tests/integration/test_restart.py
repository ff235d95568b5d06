# SPDX-License-Identifier: Apache-2.0
"""What a daemon knew is known to the next one, however the first one ended."""
import random
import time

from conftest import QUICK, tree, wait_for

# Without confirming runs an alarm needs 3 of 5.
LIMIT = "limit = 15ms\nlimit_critical = 1s\nconfirm_after = 0\n"
OPENED = r"slow: (reads|writes) of quick take "
CLEARED = r"slow: cleared: "


def config(path, probe=QUICK):
    return f"[repository slow]\npath = {path}\nprobes = quick\n{LIMIT}{probe}"


def check_database(d):
    """Sound, and each transaction whole: the alarm state is what the committed runs make of it."""
    assert d.sql("PRAGMA integrity_check") == [("ok",)]
    assert d.sql("PRAGMA foreign_key_check") == []
    # All I/Os but the two of the warm-up, in as many operations as there happened to be.
    ios = "SELECT DISTINCT coalesce(read_ios, 0) + coalesce(write_ios, 0) FROM runs_v WHERE status = 'ok'"
    assert {count for (count,) in d.sql(ios)} <= {10, 22}
    # Each operation that was judged has its sample, and its repository has a state.
    judged = "FROM run JOIN run_operation AS o ON o.run = run.id WHERE status IN (0, 2) AND trust & 256 = 0"
    assert d.sql(f"SELECT count(*) {judged} AND sample IS NULL") == [(0,)]
    has_state = "SELECT count(*) FROM target WHERE alarm IS NOT NULL"
    assert d.sql(has_state) == d.sql("SELECT count(DISTINCT target) FROM series WHERE id IN (SELECT series FROM run)")
    opened = d.sql("SELECT count(*) FROM incident WHERE closed_usec IS NULL")[0][0]
    # A reason that joins (3) and a reopening (4) are kept, but no message.
    told = "SELECT count(*) FROM incident_event WHERE change NOT IN (3, 4)"
    assert d.sql(told) == d.sql("SELECT count(*) FROM outbox")
    assert d.sql("SELECT count(*) FROM target WHERE incident IS NOT NULL")[0][0] == opened


def test_an_incident_survives_a_kill_and_is_told_once(daemon, slow):
    slow.delay(20)
    d = daemon(config=config(slow.path)).wait_ready()
    d.wait_runs("slow", 1)
    d.probe("slow", times=2)
    d.wait_line(OPENED)
    d.wait_state("slow", "warning")
    query = "SELECT key, delivered_usec FROM outbox ORDER BY sequence"
    wait_for(lambda: all(row[1] for row in d.sql(query)), "delivery to be noted")
    outbox = d.sql(query)
    incident = d.sql("SELECT * FROM incident")
    d.kill()
    check_database(d)

    d.start().wait_ready()
    shown = d.wait_state("slow", "warning")
    assert shown["incident"]["id"] == 1
    assert d.metric("repoprobe_alarm_firing", repository="slow", probe="quick", alarm="limit", level="warning") == 1
    d.wait_runs("slow", 1)  # it goes on being slow
    d.probe("slow", times=2)
    assert d.sql(query) == outbox and d.sql("SELECT * FROM incident") == incident
    assert d.count_lines(OPENED) == 0, d.log

    slow.delay(1)
    d.probe("slow", times=3)
    d.kill()  # in the middle of recovering
    d.start().wait_ready()
    d.wait_runs("slow", 1)
    d.probe("slow", times=2)
    d.wait_line(CLEARED)
    d.wait_state("slow", "ok")
    assert d.count_lines(OPENED + r".* \((\d of|in) the last") == 0, d.log
    d.wait_sql("SELECT repository, state, level FROM incidents_v", [("slow", "closed", "warning")])


def test_no_kill_in_any_moment_breaks_the_history(daemon, slow):
    """Five kills at random points while it probes and the alarm comes."""
    seed = random.randrange(1 << 32)
    moments = random.Random(seed)
    print("seed", seed)
    slow.delay(20)
    probe = QUICK.replace("interval = 1h", "interval = 1s").replace("max_ios = 24", "max_ios = 12")
    d = daemon(wait=False, config=config(slow.path, probe))
    committed = []
    opened = 0
    for _ in range(5):
        if d.process.poll() is not None:
            d.start(wait=False)
        d.wait_line(r"watching")
        time.sleep(moments.uniform(0, 2.5))  # the moment of the kill, not a synchronisation
        d.kill()
        wait_for(lambda: d.reader.join(1) or not d.reader.is_alive(), "the log's end")
        opened += d.count_lines(OPENED + r".*\(3 of the last 3 runs\)$")
        check_database(d)
        rows = d.sql("SELECT id, started, status, read_bytes, write_bytes FROM runs_v ORDER BY id")
        assert rows[: len(committed)] == committed
        assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
        committed = rows
    d.start().wait_ready()
    d.wait_runs("slow", 1)
    d.wait_state("slow", "warning", seconds=60)
    assert d.sql("SELECT count(*) FROM incident") == [(1,)]
    assert opened <= 2  # reads and writes, in all logs before
    files = tree(slow.path)
    assert len(files) == 3 and files[:2] == [".repoprobe", ".repoprobe/CACHEDIR.TAG"], files
    d.stop()
    check_database(d)


def test_a_worker_that_outlives_its_daemon_does_not_disturb_the_next_one(daemon, slow):
    d = daemon(config=config(slow.path)).wait_ready()
    d.wait_runs("slow", 1)
    slow.delay(250)
    assert d.control(command="probe-now", repository="slow") == {"ok": True}
    d.wait_metric("repoprobe_probe_running", 1, repository="slow", probe="quick")
    d.kill()
    d.start().wait_ready()
    slow.delay(1)

    def is_probed():
        """Asks again as long as the old worker has the file."""
        assert d.control(command="probe-now", repository="slow") == {"ok": True}
        return d.runs("slow")[0] >= 1

    wait_for(is_probed, lambda: f"a run\n{d.log}")
    d.wait_state("slow", "ok")
    assert d.sql("SELECT count(*) FROM runs_v WHERE status NOT IN ('ok', 'skipped')") == [(0,)]
    assert len(tree(slow.path)) == 3
