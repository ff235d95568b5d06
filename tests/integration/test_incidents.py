# SPDX-License-Identifier: Apache-2.0
"""An incident as people ask for it: over HTTP and on the command line, acknowledged, muted, and over."""
import csv
import io
import json
import subprocess
import urllib.parse

import pytest

from conftest import QUICK, run_cli, wait_for

CLEAR_RUNS = 6  # good runs in a row that end an incident


def config(path, name="slow", extra=""):
    return f"[repository {name}]\npath = {path}\nprobes = quick\nlimit = 15ms\nlimit_critical = 10s\nconfirm_after = 0\n{extra}{QUICK}"


def ask(d, *arguments, exit_code=0):
    done = run_cli(*arguments, "--state-directory", d.state, "--config", d.config_path)
    assert done.returncode == exit_code, done
    return done.stderr if exit_code else done.stdout


@pytest.fixture
def trouble(daemon, slow):
    """A repository with an open incident."""
    slow.delay(20)
    d = daemon(config=config(slow.path)).wait_ready()
    d.wait_runs("slow", 1)
    d.probe("slow", times=2)  # without confirming runs three slots of five must be slow
    d.wait_state("slow", "warning")
    d.wait_sql("SELECT count(*) FROM incident WHERE closed_usec IS NULL", [(1,)])
    return d


def test_an_incident_is_explained_alike_over_http_and_on_the_command_line(trouble):
    d = trouble
    (listed,) = d.json("/api/v1/incidents?state=open")["incidents"]
    assert (listed["id"], listed["repository"], listed["level"], listed["state"]) == (1, "slow", "warning", "open")
    assert listed["closed"] is None and listed["acknowledged"] is None and listed["duration_seconds"] is None
    (told,) = json.loads(ask(d, "incidents", "--state=open", "--json"))["incidents"]
    assert told == listed

    shown = d.json("/api/v1/incidents/1")
    events = shown["events"]
    assert [e["sequence"] for e in events] == list(range(len(events)))
    first = events[0]
    assert (first["change"], first["alarm"], first["probe"]) == ("opened", "limit", "quick")
    assert first["evidence"]["value_seconds"] >= 0.015 and first["evidence"]["normal_runs"] == 0
    lines = "\n".join(first["explain"])
    for piece in (f"measured: {first['operation']} average ", ", limit 15 ms", "normal: not known yet", "in 3 of the last 3 runs"):
        assert piece in lines, lines
    assert json.loads(ask(d, "incidents", "--explain=1", "--json")) == shown
    text = ask(d, "incidents", "--explain=1")
    assert text.startswith("incident 1 of slow: warning, open, from ")
    assert all(event["sentence"] in text for event in events) and first["explain"][0] in text

    rows = list(csv.reader(io.StringIO(d.get("/api/v1/incidents?format=csv")[2].decode())))
    assert rows[0][:4] == ["id", "repository", "state", "level"]
    assert rows[1][:4] == ["1", "slow", "open", "warning"] and len(rows) == 2
    for query in ("state=closed", "repository=other", "to=now-1h"):
        assert d.json(f"/api/v1/incidents?{query}") == {"incidents": []}
    assert "no incidents" in ask(d, "incidents", "--state=closed")
    assert "there is no incident 2" in ask(d, "incidents", "--explain=2", exit_code=1)
    assert d.get("/api/v1/incidents/2")[0] == 404


def test_an_acknowledged_incident_stays_so_over_a_restart_until_it_is_over(trouble, slow):
    d = trouble
    assert d.repository("slow")["incident"]["acknowledged"] is False
    assert "acknowledged" in ask(d, "ack", "slow", "--reason=fan is ordered")
    shown = wait_for(lambda: d.repository("slow") if d.repository("slow")["incident"]["acknowledged"] else None, "ack")
    assert shown["reason"].endswith("; acknowledged") and shown["state"] == "warning"
    d.wait_sql("SELECT count(*) FROM incident WHERE acknowledged_text = 'fan is ordered'", [(1,)])
    acknowledged = d.json("/api/v1/incidents/1")["acknowledged"]
    assert acknowledged["reason"] == "fan is ordered" and acknowledged["uid"] == 0
    assert "by uid 0: fan is ordered" in ask(d, "incidents", "--explain=1")
    d.stop()
    d.start().wait_ready()
    assert d.repository("slow")["incident"]["acknowledged"] is True
    d.wait_runs("slow", 1)

    slow.delay(1)
    d.probe("slow", times=CLEAR_RUNS)
    d.wait_state("slow", "ok")
    (closed,) = wait_for(lambda: d.json("/api/v1/incidents?state=closed")["incidents"], "the end of it")
    assert closed["state"] == "closed" and closed["opened"] < closed["closed"] and closed["duration_seconds"] > 0
    instant = urllib.parse.quote(closed["closed"])
    assert len(d.json(f"/api/v1/incidents?from={instant}")["incidents"]) == 1
    assert "no incident is open" in ask(d, "ack", exit_code=1)
    assert "slow has no open incident" in ask(d, "ack", "slow", exit_code=1)
    assert "no repository is called" in ask(d, "ack", "slo", exit_code=1)


def test_a_mute_is_shown_and_a_pause_is_a_state(trouble):
    d = trouble
    assert d.repository("slow")["mute"] is None
    ask(d, "mute", "slow", "--for=2h", "--reason=new firmware")
    shown = wait_for(lambda: d.repository("slow") if d.repository("slow")["mute"] else None, "the mute")
    assert (shown["mute"]["mode"], shown["mute"]["reason"]) == ("mute", "new firmware")
    assert shown["state"] == "warning" and shown["reason"].endswith("; muted")
    d.wait_metric("repoprobe_alarm_firing", 1, repository="slow", probe="quick", alarm="limit", level="warning")
    ask(d, "mute", "slow", "--for=2h", "--pause", "--reason=shelf is exchanged")
    shown = d.wait_state("slow", "paused")
    assert shown["reason"].startswith("not probed until ") and shown["reason"].endswith(": shelf is exchanged")
    d.wait_metric("repoprobe_repository_state", 1, repository="slow", state="paused")
    assert d.metric("repoprobe_repository_state", repository="slow", state="warning") == 0
    ask(d, "unmute", "slow")
    assert d.wait_state("slow", "warning")["mute"] is None


def test_what_is_mounted_on_purpose_is_accepted_by_a_rebaseline(daemon, mount):
    path, other = mount.ext4(64), mount.ext4(64)
    device = mount.device(other)
    d = daemon(config=config(path, "vault")).wait_ready()
    d.wait_runs("vault", 1)
    d.wait_state("vault", "ok")
    subprocess.run(["umount", other], check=True)
    subprocess.run(["umount", path], check=True)
    subprocess.run(["mount", device, path], check=True)
    d.probe("vault")
    assert d.wait_state("vault", "critical")["probes"][0]["last_run"]["status"] == "wrong_target"
    assert "what is normal is learned" in ask(d, "rebaseline", "vault", "quick")
    d.probe("vault")  # of one probe alone: the place is still another one
    assert d.repository("vault")["probes"][0]["last_run"]["status"] == "wrong_target"
    wanted = d.sql("SELECT wanted FROM first_identity")
    assert "is the right one" in ask(d, "rebaseline", "vault")
    wait_for(lambda: d.sql("SELECT wanted FROM first_identity") != wanted, "it to be committed")
    d.kill()  # before anything was probed again
    d.start().wait_ready()
    d.wait_runs("vault", 1)
    d.probe("vault")
    assert d.repository("vault")["probes"][0]["last_run"]["status"] == "ok", d.log
    assert "has no probe called" in ask(d, "rebaseline", "vault", "none", exit_code=1)
    assert "no repository is called" in ask(d, "rebaseline", "none", exit_code=1)


def test_a_rule_is_tried_on_what_was_stored(trouble, slow):
    d = trouble
    slow.delay(1)
    d.probe("slow", times=2)
    d.stop()
    hold = ("--hold=2 of 2", "--clear=avg < 10ms for 2")
    found = json.loads(ask(d, "rule", "replay", "--json", *hold, "write avg > 15ms"))
    (firing,) = found["firings"]
    assert (firing["repository"], firing["probe"], firing["operation"]) == ("slow", "quick", "write")
    assert firing["value_seconds"] >= 0.015 and firing["fired"] < firing["cleared"]
    assert (found["runs"], found["judged"]) == (5, 5)
    text = ask(d, "rule", "replay", *hold, "write avg > 15ms")
    assert "write avg > 15ms, 2 of 2: would have fired 1 time in 28 days (5 runs)" in text
    assert "would not have fired in 1 day (5 runs)" in ask(d, "rule", "replay", "--days=1", "avg > 10s")
    assert "while busy: would not have fired" in ask(d, "rule", "replay", "--load=busy", "avg > 1ms")
    assert "would not have fired" in ask(d, "rule", "replay", "--clear=avg < x1.5 normal", "avg > x2 normal")
    done = run_cli("rule", "replay", "--load=bussy", "avg > 1ms")
    assert done.returncode == 2 and "did you mean busy?" in done.stderr
    done = run_cli("rule", "replay", "write p98 > 50ms", "--state-directory", d.state)
    assert done.returncode == 2 and "did you mean p95?" in done.stderr
    assert done.stderr.endswith("  write p98 > 50ms\n        ^\n")
    assert "did you mean slow?" in ask(d, "rule", "replay", "--repository=slwo", "avg > 1ms", exit_code=1)
