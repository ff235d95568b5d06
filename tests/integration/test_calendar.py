# SPDX-License-Identifier: Apache-2.0
"""Our calendar times against systemd's own, which needs no running systemd: the same normal form, the same
instants, around the transitions of many zones. The one deliberate difference is asserted, too."""
import concurrent.futures
import datetime
import os
import re
import subprocess
import zoneinfo

import pytest

from conftest import BUILD, need_program

pytestmark = pytest.mark.plain

SLOTS = 40

# Not here: "*:0/7" and its like, of which systemd 252 leaves out 00:00 after 23:56; "Sun *-03-25..31 02:00", which
# it says is never, as the clocks of Berlin leave that time out.
SPECS = """
minutely|hourly|daily|weekly|monthly|quarterly|semiannually|yearly|annually|biannually
*:0/5|*:2/3|0..22:0/7,1|*:*|*:10..50/20|0/6:30|*:*:0/20|*-*-* 02:30|*-*-* 18:00|*-*-* 00:30|02:00|03:00|01:59:59|01:45|02:15
Mon..Fri 20:00|Sat,Sun *-*-01..07 02:30|Mon *-05~07/1|*-02~03|*-*~1|*-*~01..03|*-*~1,5 1:2:3|*-*~07/6|*-*~03..07/3
Thu,Fri 2026-*-1,5 11:12:13|Sat,Thu,Mon..Wed,Sat..Sun|Mon,Sun 12-*-* 2,1:23|Wed *-1|Wed..Wed,Wed *-1|Wed, 17:48
Wed..Sat,Tue 26-10-15 1:2:3|*-*-7 0:0:0|10-15|monday *-12-* 17:00|Mon,Fri *-*-3,1,2 *:30:45|12,14,13,12:20,10,30
12..14:10,20,30|mon,fri *-1/2-1,3 *:30:45|03-05 08:05:40|08:05:40|05:40|Sat,Sun 12-05 08:05:40|2027-03-05 05:40
2027-02..04-05|*-*-31|*-02-29|*-*-29..31 02:30|Fri *-*-13|Sun *-10-25..31 02:30|1/2-1-1|2026/2-*-1
*-1..3/2-*|*:5..5|12..12:00|*:0/59|*-*-1/30|*:1..30/5,31|Mon-Fri 9..17:00|*-*-*/1|23:59:59|0..4:0/30|*:1..3/5
""".replace("\n", "|").split("|")

REFUSED = """
*:*/5|Fri..Mon|~3|*-~3|*-*~07..01|24:00|10:60|10:00:60|10|*-*-1/40|*:10/60|*-*-*T10:00|5..3:00|half-yearly|*-*-* 18|*:1/59
*-*~28..29|*-*~29|*-*~7/7|2200-1-1|0/24:00|*-1/12-1|*-*-0|*-*~0|*-*~5,*|*,5:00|5,:00|*|*:|:00|1:2:3:4|+1:00|01..02..03:00
1/2/3:00|1/0:00|Mon,,Tue|,Mon|Mon - Fri|Mon.. Fri|2026~2~1|2026~2-1|Moonday|mo|daily 18:00|daily Nowhere|daily Europe/berlin|
*-*-*/2
""".replace("\n", "|").split("|")

ZONES = [
    "UTC", "Europe/Berlin", "Europe/London", "Europe/Dublin", "America/New_York", "America/St_Johns", "America/Sao_Paulo",
    "Pacific/Auckland", "Pacific/Chatham", "Pacific/Apia", "Asia/Kathmandu", "Asia/Tehran", "Asia/Gaza", "Africa/Casablanca",
    "Australia/Lord_Howe", "Antarctica/Troll",
]  # fmt: skip

# Before the transitions of north and south; years of the files' lists, of their rules, and of neither.
BASES = [datetime.datetime(*date, tzinfo=datetime.timezone.utc) for date in (
    (2011, 12, 28, 7, 11), (2024, 2, 28, 23, 59, 59), (2026, 3, 7, 12), (2026, 3, 27, 12), (2026, 4, 3), (2026, 9, 25),
    (2026, 10, 23, 20), (2026, 10, 31, 3, 4, 5), (2026, 12, 31, 23), (2041, 3, 30), (2150, 10, 24))]  # fmt: skip


def ours(lines, zone="UTC"):
    done = subprocess.run(
        [str(BUILD / "tests/integration/calendar_slots")],
        input="".join(f"{line}\n" for line in lines),
        env=dict(os.environ, TZ=zone),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    answers = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(answers) == len(lines)
    return answers


def systemds(specs, base, count, zone="UTC"):
    """Of each: (normal form, instants); None when one is refused."""
    command = ["systemd-analyze", "calendar", f"--base-time=@{base}", f"--iterations={count}", *specs]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, TZ=zone, LC_ALL="C"), check=False)
    if done.returncode != 0:
        return None
    found = []
    for text in re.split(r"^(?=.*Normalized form: )", done.stdout, flags=re.M)[1:]:
        form = re.search(r"Normalized form: (.*)", text)[1]
        # Local instants are followed by the same in UTC, which cannot be mistaken.
        instants = re.findall(r"\w{3} (\d+-\d+-\d+ \d+:\d+:\d+) UTC", text)
        parse = datetime.datetime.strptime
        found.append((form, [int(parse(i + "+0000", "%Y-%m-%d %H:%M:%S%z").timestamp()) for i in instants]))
    assert len(found) == len(specs)
    return found


def ends_a_gap(zone, instant):
    info = zoneinfo.ZoneInfo(zone)
    before, after = (datetime.datetime.fromtimestamp(s, info).utcoffset() for s in (instant - 1, instant))
    return after > before


def check(specs, base, zone, is_local):
    texts = [s if is_local or zone == "UTC" else f"{s} {zone}" for s in specs]
    found = systemds(texts, base, SLOTS, zone if is_local else "UTC")
    if found is None:  # one of them is refused
        found = [(systemds([text], base, SLOTS, zone if is_local else "UTC") or [None])[0] for text in texts]
    return [(text, base, zone, theirs) for text, theirs in zip(texts, found)]


def compare(cases):
    """Each case: (specs, base, zone, is_local). What we have more than systemd must be the ends of gaps."""
    need_program("systemd-analyze")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        expected = list(pool.map(lambda case: check(*case), cases))
    added = 0
    by_zone = {}
    for (_, _, zone, is_local), rows in zip(cases, expected):
        by_zone.setdefault(zone if is_local else "UTC", []).extend(rows)
    for environment, rows in by_zone.items():
        answers = ours([f"{base} {SLOTS} {text}" for text, base, _, _ in rows], environment)
        for (text, base, zone, theirs), (form, *instants) in zip(rows, answers):
            if theirs is None or not theirs[1]:
                assert form == "refused" or instants == [], (text, base, form, instants)
                continue
            assert form == theirs[0], text
            instants = [int(i) for i in instants]
            assert instants == sorted(set(instants))
            extra = [i for i in instants if i not in theirs[1] and ends_a_gap(zone, i)]
            rest = [i for i in instants if i not in extra]
            assert rest == theirs[1][: len(rest)] and len(rest) >= len(theirs[1]) - len(extra), (text, base)
            added += len(extra)
    return added


def test_the_same_specifications_are_taken_and_refused():
    need_program("systemd-analyze")
    for spec in SPECS + REFUSED:
        theirs = systemds([spec], 0, 1) if spec else None
        form = ours([f"0 1 {spec}"])[0][0]
        assert (form == "refused") == (theirs is None), spec
        assert theirs is None or form == theirs[0][0]


def test_every_specification_in_central_europe():
    base = [int(b.timestamp()) for b in BASES]
    specs = [s for s in SPECS if s]
    assert compare([(specs[i::8], b, "Europe/Berlin", False) for i in range(8) for b in (base[3], base[6])]) > 0


def test_every_zone_around_its_transitions():
    specs = ["*:0/30", "02:30", "01:45", "Sun 02:15"]
    assert compare([(specs, int(b.timestamp()), z, False) for b in BASES for z in ZONES]) > 0


def test_the_local_zone_is_that_of_the_environment():
    compare([(["*:0/30", "02:30"], int(b.timestamp()), z, True) for b in BASES[3:7] for z in ZONES[1:]])


def test_a_time_left_out_in_spring_comes_once_at_the_end_of_the_gap():
    """systemd leaves it out, too: the deliberate difference."""
    base = int(datetime.datetime(2026, 3, 28, 12, tzinfo=datetime.timezone.utc).timestamp())
    gap_end = int(datetime.datetime(2026, 3, 29, 1, tzinfo=datetime.timezone.utc).timestamp())
    spec = "*-*-* 02:30 Europe/Berlin"
    assert [int(i) for i in ours([f"{base} 2 {spec}"])[0][1:]] == [gap_end, gap_end + 86400 - 1800]
    need_program("systemd-analyze")
    assert systemds([spec], base, 1)[0][1] == [gap_end + 86400 - 1800]
