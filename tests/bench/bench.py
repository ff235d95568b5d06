# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks share: running repoprobe and fio on one file, pairing, tables, bounds.

Machines are noisy: everything is compared within one run, interleaved A B B A, as ratios, by medians. Every
row is printed; a bound that is missed fails the whole (exit 1).
"""
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ.get("REPOPROBE_BUILD", "build")).resolve()
DATA_OFFSET_BYTES = 1 << 20  # where the probe file's data begin


class Bench:
    """Rows with bounds, printed as they come; remembers whether one was missed."""

    def __init__(self, title):
        self.missed = []
        self.rows = []
        print(f"\n{title}\n{'-' * len(title)}", flush=True)

    def row(self, name, value, bound=None, is_met=True, note=""):
        verdict = "" if bound is None else ("met" if is_met else "MISSED")
        print(f"{name:<52} {value:>22}  {bound or '':<12} {verdict:<7} {note}".rstrip(), flush=True)
        if bound is not None and not is_met:
            self.missed.append(name)

    def text(self, line):
        print(line, flush=True)


def need(program):
    if shutil.which(program) is None:
        print(f"bench: {program} is not installed", file=sys.stderr)
        sys.exit(2)


def work_directory():
    """On a real disk; REPOPROBE_BENCH_DISK chooses another one."""
    return pathlib.Path(tempfile.mkdtemp(prefix="repoprobe-bench-", dir=os.environ.get("REPOPROBE_BENCH_DISK", "/var/tmp")))


class Usage:
    """CPU seconds of the children that were waited for since the start."""

    def __init__(self):
        self.begin = resource.getrusage(resource.RUSAGE_CHILDREN)

    def seconds(self):
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        return now.ru_utime + now.ru_stime - self.begin.ru_utime - self.begin.ru_stime


def run_repoprobe(directory, *options):
    """One run; its JSON document. The file is kept, so that fio can use the same one."""
    command = [str(BUILD / "repoprobe"), "run", "--format=json", "--keep-file", *options, str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise SystemExit(f"bench: {' '.join(command)}: {done.stderr.strip()}")
    run = json.loads(done.stdout)
    if run["status"] != "ok":
        raise SystemExit(f"bench: repoprobe run failed: {run['status']}: {run['reason']}")
    return run


def probe_file(directory):
    return next((pathlib.Path(directory) / ".repoprobe").glob("*-run.dat"))


def run_fio(path, size_bytes, *options):
    """One fio job on the data of the probe file; its job object."""
    command = [
        "fio", "--name=bench", f"--filename={path}", f"--offset={DATA_OFFSET_BYTES}", f"--size={size_bytes}",
        "--ioengine=io_uring", "--direct=1", "--time_based", "--norandommap", "--randrepeat=0",
        "--invalidate=0", "--output-format=json", *options,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]


def interleave(pairs, a, b):
    """A B B A …: each side `pairs` times; yields (index, a's, b's) results as a list."""
    results = []
    for i in range(pairs):
        first, second = (a, b) if i % 2 == 0 else (b, a)
        one, two = first(), second()
        results.append((one, two) if i % 2 == 0 else (two, one))
    return results


def spread(values):
    """median [quartile, quartile]"""
    if len(values) < 4:
        return f"{statistics.median(values):.3f}"
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.3f} [{low:.3f}, {high:.3f}]"


def median(values):
    return statistics.median(values)


def finish(*benches):
    missed = [name for bench in benches for name in bench.missed]
    if missed:
        print("\nMISSED: " + "; ".join(missed))
        sys.exit(1)
    print("\nevery bound is met")
