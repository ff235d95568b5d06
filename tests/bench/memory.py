# SPDX-License-Identifier: Apache-2.0
"""Resident memory of a daemon by the number of repositories, three probes each.

Each probe finishes some runs of the null kind (no I/O; a build with --enable-test-hooks), so that whatever is kept
of a probe is there: its newest run, its alarm state, its samples. /metrics and the overview are read meanwhile.
The difference between two sizes is the state of a repository, without what the programs take by themselves.
"""
import shutil
import sys
import time

import bench
import soak

SIZES = (1, 50, 100)
RUNS_PER_PROBE = 6
PROBES = ("null-one", "null-two", "null-three")


def config_of(directory, repositories):
    common = "block_size = 64K\nwrite = 50\npattern = random\nmax_ios = 100\nfile_size = 4M\ntimeout = 30s"
    sections = [
        f"[daemon]\nparallel_runs = {soak.PARALLEL_RUNS}",
        f"[defaults]\ninterval = 2s\ndaily_write_budget = 0\nwhen_busy = run\nprobes = {', '.join(PROBES)}",
    ]
    sections += [f"[probe {name}]\n{common}" for name in PROBES]
    sections += [
        f"[repository r{i}]\npath = {directory}/repository{i}\ngroup = g{i % soak.PARALLEL_RUNS}"
        for i in range(repositories)
    ]
    return "\n".join(sections) + "\n"


def measure(repositories):
    directory = bench.work_directory()
    try:
        for i in range(repositories):
            (directory / f"repository{i}").mkdir()
        daemon = soak.Daemon(directory, config_of(directory, repositories))
        try:
            wanted = repositories * len(PROBES) * RUNS_PER_PROBE
            end = time.monotonic() + 600
            while daemon.finished_runs() < wanted:
                if time.monotonic() > end:
                    raise SystemExit(f"bench: no {wanted} runs in ten minutes")
                daemon.get("/api/v1/overview")
                time.sleep(1)
            return daemon.resident_bytes()
        finally:
            daemon.stop()
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def main():
    soak.need_test_hooks()
    table = bench.Bench(f"Resident memory, {len(PROBES)} probes a repository, {RUNS_PER_PROBE} runs a probe or more")
    resident = {}
    for repositories in SIZES:
        resident[repositories] = measure(repositories)
        table.row(f"repositories: {repositories}", f"{resident[repositories] / (1 << 20):.1f} MiB")
    few, many = SIZES[0], SIZES[-1]
    each = (resident[many] - resident[few]) / (many - few)
    table.row("a repository more", f"{each / 1024:.0f} KiB")


if __name__ == "__main__":
    sys.exit(main())
