# SPDX-License-Identifier: Apache-2.0
"""`repoprobe check`: the line and the exit code that monitoring systems act on."""
import re
import signal
import subprocess
import time

import pytest

from conftest import BUILD, children_of, run_cli, tree, wait_for
from test_run_cli import long_run  # noqa: F401 (a fixture)

QUICKLY = ("--file-size=4M", "--max-ios=60")
STATES = ("OK", "WARNING", "CRITICAL", "UNKNOWN")
NUMBER = r"\d+(?:\.\d+)?"
RANGE = rf"(?:{NUMBER}:?)?"
# As the guidelines for plug-ins have it: 'label'=value[UOM];[warn];[crit];[min];[max]
DATUM = re.compile(rf"'([^'=]+)'=({NUMBER})(s|B|);({RANGE});({RANGE});({RANGE});({RANGE})")


def check(*arguments, **options):
    """(exit code, text, {label: (value, unit, warn, crit)}); the form of the line is checked here."""
    done = run_cli("check", *arguments, **options)
    assert done.stderr == ""
    assert done.stdout.endswith("\n") and done.stdout.count("\n") == 1, done.stdout
    match = re.fullmatch(r"REPOPROBE (\w+) - ([^|]+?)(?: \| (.+))?\n", done.stdout)
    assert match, done.stdout
    assert STATES.index(match.group(1)) == done.returncode
    data = {}
    rest = match.group(3) or ""
    while rest:
        datum = DATUM.match(rest)
        assert datum, rest
        data[datum.group(1)] = (float(datum.group(2)), *datum.group(3, 4, 5))
        rest = rest[datum.end() :].lstrip(" ")
    return done.returncode, match.group(2), data


@pytest.mark.parametrize(
    ("delay", "code"),
    [pytest.param(1, 0, marks=pytest.mark.plain), pytest.param(20, 1, marks=pytest.mark.plain), (40, 2)],
)
def test_the_presets_limits_are_the_default(slow, delay, code):
    """active-full: 15 and 30 ms."""
    slow.delay(delay)
    found, text, data = check(*QUICKLY, "--queue-depth=1", slow.path)
    assert found == code, text
    value, unit, warn, crit = data["write avg"]
    assert value >= delay / 1000 and (unit, warn, crit) == ("s", "0.015", "0.03")
    assert text.startswith("write avg ")
    assert ("(> " in text) == (code > 0)
    assert tree(slow.path) == []


@pytest.mark.plain
def test_an_open_that_hangs_is_no_ok(slow):
    options = ("--keep-file", *QUICKLY)
    assert check(*options, "--warn", "avg > 1h", slow.path)[0] in (0, 2)
    slow.open_delay(2100)
    code, text, _ = check(*options, "--warn", "avg > 1h", "--critical", "avg > 1h", slow.path)
    assert code == 1 and re.match(r"opening the probe file took 2\.\d+ s \(> 2 s\)", text), text
    code, text, _ = check(*options, "--warn", "max > 1h", "--critical", "max > 2100ms", slow.path)
    assert code == 2 and text.startswith("opening the probe file took "), text


def test_20_ms_is_critical_where_10_are_allowed(slow):
    slow.delay(20)
    code, text, data = check("--critical", "write avg > 10ms", "--warn", "max > 1h", *QUICKLY, slow.path)
    assert code == 2
    assert re.search(r"write avg \d+(\.\d)? ms \(> 10 ms\)", text)
    assert data["write avg"][2:] == ("", "0.01") and data["write max"][2:] == ("3600", "")


def test_reads_and_writes_are_judged_by_conditions_of_their_own(repository):
    mix = ("--write=50", "--pattern=random", *QUICKLY)
    code, _, data = check(*mix, "--warn", "read max > 1h", "--critical", "write max > 1h", repository)
    assert code == 0
    assert data["read max"][2:] == ("3600", "") and data["write max"][2:] == ("", "3600")
    code, text, _ = check(*mix, "--warn", "read max > 1h", "--critical", "write throughput < 1P", repository)
    assert code == 2 and "write throughput" in text and "read" not in text
    code, text, _ = check(*mix, "--critical", "max > 1h", "--warn", "iops > 0", repository)
    assert code == 1 and "read iops" in text and "write iops" in text
    assert tree(repository) == []


def test_too_few_ios_are_not_enough_for_a_percentile(repository):
    code, text, data = check(*QUICKLY, "--warn", "p99 > 1h", "--critical", "max > 1h", repository)
    assert code == 3 and "write p99 cannot be computed from 52 I/Os, 1000 are needed" in text
    assert "write p99" not in data and "write p50" in data
    code, _, data = check(
        *("--preset=random-4k", "--file-size=4M", "--max-ios=2500", "--duration=20s", "--max-bytes=0"),
        *("--write=100", "--warn", "p99 > 1h", "--critical", "max > 1h", repository),
    )
    assert code == 0 and data["write p99"][2:] == ("3600", "")


def test_a_run_that_fails_is_critical(directory):
    code, text, data = check(directory / "absent")
    assert code == 2 and str(directory / "absent") in text and data == {}


@pytest.mark.plain
@pytest.mark.parametrize("delay", [260, 340, 500])
def test_a_very_slow_repository_is_critical(slow, delay):
    """Also when the last I/O returns just after the time is over, and fewer do than the warm-up has."""
    assert check("--preset=heartbeat", "--file-size=1M", "--keep-file", slow.path)[0] == 0
    slow.delay(delay)
    code, text, data = check("--preset=heartbeat", "--file-size=1M", "--duration=1s", "--keep-file", slow.path)
    assert code == 2 and "avg" in text
    assert min(data[name][0] for name in data if name.endswith(" avg")) >= delay / 1000


@pytest.mark.plain
def test_the_timeout_bounds_the_layout_too(slow):
    slow.delay(300)  # for 128M more than a minute
    begin = time.monotonic()
    code, text, data = check("--duration=1s", "--timeout=4s", slow.path)
    assert time.monotonic() - begin < 4 + 2
    assert code == 2 and data == {}
    assert re.search(r"timeout: .* took too long: [\d.]+ [KM]iB in [\d.]+ m?s, [\d.]+ [KM]iB/s$", text), text
    wait_for(lambda: tree(slow.path) == [], "nothing to be left")


@pytest.mark.plain
def test_the_timeout_bounds_a_setup_that_is_slower_than_all_of_it(slow):
    slow.delay(2500)
    begin = time.monotonic()
    done = run_cli("check", "--duration=500ms", "--timeout=1s", slow.path)
    assert time.monotonic() - begin < 1 + 2 + 4 + 2 + 5  # killed, as is another worker that tidies up
    assert done.returncode == 2, done.stdout
    assert re.fullmatch(r"REPOPROBE CRITICAL - timeout: .* killed at its deadline, before its first I/O\n", done.stdout)


def test_a_failing_disk_is_critical(slow):
    slow.error(5)
    code, text, _ = check(*QUICKLY, slow.path)
    assert code == 2 and "error" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "an argument is missing"),
        (["DIR", "DIR"], "too many"),
        (["--wrn=avg > 5ms", "DIR"], "did you mean --warn?"),
        (["--warn=avgg > 5ms", "DIR"], "--warn: column 1: \"avgg\""),
        (["--warn=avg > 5ms", "--critical", "write p99 > 5m", "DIR"], "--critical: column 13: "),
        (["--warn=avg > x2 normal", "DIR"], "not in this version"),
        (["--warn=read avg > 5ms", "DIR"], "a condition is about reads, but this workload does none"),
        (["--preset=restor", "DIR"], "did you mean restore?"),
        (["/proc"], "refused: /proc"),
    ],
)
def test_wrong_usage_and_refusals_are_unknown(repository, arguments, sentence):
    code, text, data = check(*[str(repository) if a == "DIR" else a for a in arguments])
    assert code == 3 and sentence in text and data == {}
    assert tree(repository) == []


def test_a_file_in_use_is_unknown(repository, long_run):
    code, text, data = check(*QUICKLY, repository)
    assert code == 3 and text.startswith("skipped: ") and str(repository) in text and data == {}
    assert long_run.process.poll() is None


def test_a_kept_file_is_reused(repository):
    assert check("--keep-file", *QUICKLY, repository)[0] in (0, 1, 2)
    kept = tree(repository)
    inode = (repository / kept[2]).stat().st_ino
    assert check("--keep-file", *QUICKLY, repository)[0] in (0, 1, 2)
    assert tree(repository) == kept and (repository / kept[2]).stat().st_ino == inode


def test_without_options_it_is_small_and_leaves_nothing(repository):
    code, _, data = check("--critical", "max > 1h", "--warn", "max > 1h", repository)
    assert code == 0
    assert data["write errors"][0] == 0 and data["write throughput"][0] > 0
    assert tree(repository) == []


def test_an_interrupted_check_is_unknown(slow):
    slow.delay(300)
    process = subprocess.Popen([str(BUILD / "repoprobe"), "check", *QUICKLY, slow.path], stdout=subprocess.PIPE, text=True)
    wait_for(lambda: children_of(process.pid), "a worker")
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (3, "REPOPROBE UNKNOWN - interrupted\n")
    wait_for(lambda: tree(slow.path) == [], "nothing to be left")
