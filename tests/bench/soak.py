# SPDX-License-Identifier: Apache-2.0
"""A daemon with 50 repositories and 10,000 runs of the null kind: does it stay as small as it was, and what does a
run cost?

The null kind does no I/O: what is measured is all that is around it, from the schedule to the history. A build
with --enable-test-hooks makes every run one (REPOPROBE_TEST_NULL_KIND). While it goes on /metrics and the
overview are read about once a second. Flat means: the resident memory of the last fifth of the runs is not more
than the second fifth's, but for what an allocator may keep; and as many descriptors are open as at the start.
"""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time

import bench

RUNS = int(os.environ.get("REPOPROBE_SOAK_RUNS", "10000"))
REPOSITORIES = 50
PARALLEL_RUNS = 4
PATIENCE_SECONDS = 120  # without a single run
MEMORY_SLACK_BYTES = 1 << 20
CPU_SECONDS_PER_RUN = 0.003
BYTES_PER_RUN = 650  # of a run with two operations, on average
TICKS = os.sysconf("SC_CLK_TCK")

PROBE = """
[daemon]
parallel_runs = {parallel}
[defaults]
interval = 1s
daily_write_budget = 0
when_busy = run
[probe null]
block_size = 64K
write = 50
pattern = random
max_ios = 100
file_size = 4M
timeout = 30s
"""


class Daemon:
    def __init__(self, directory, text):
        self.directory = directory
        config = directory / "repoprobe.conf"
        config.write_text(text)
        self.log = open(directory / "log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [
                str(bench.BUILD / "repoprobed"), "--config", str(config), "--listen", "127.0.0.1:0",
                "--state-directory", str(directory / "state"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            env=dict(os.environ, REPOPROBE_TEST_NULL_KIND="1"),
        )  # fmt: skip
        self.port = self.wait_port()

    def wait_port(self):
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            found = re.search(r"dashboard at http://127\.0\.0\.1:(\d+)/", (self.directory / "log").read_text())
            if found:
                return int(found.group(1))
            time.sleep(0.05)
        raise SystemExit(f"bench: repoprobed did not start:\n{(self.directory / 'log').read_text()}")

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def finished_runs(self):
        status, body = self.get("/metrics")
        if status != 200:
            return 0  # nothing is rendered yet
        return sum(int(float(v)) for v in re.findall(rb"^repoprobe_probe_runs_total\{.*\} (\S+)$", body, re.M))

    def proc(self, name):
        return pathlib.Path(f"/proc/{self.process.pid}/{name}")

    def resident_bytes(self):
        return int(re.search(r"VmRSS:\s+(\d+) kB", self.proc("status").read_text()).group(1)) << 10

    def descriptors(self):
        """Those of a worker that runs just now come and go: the fewest of several looks."""
        counts = []
        for _ in range(20):
            counts.append(len(list(self.proc("fd").iterdir())))
            time.sleep(0.005)
        return min(counts)

    def cpu_seconds(self):
        """Its own, and its workers'."""
        fields = self.proc("stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS, (int(fields[13]) + int(fields[14])) / TICKS

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)


def config_of(directory):
    for i in range(REPOSITORIES):
        (directory / f"repository{i}").mkdir()
    sections = [
        f"[repository r{i}]\npath = {directory}/repository{i}\nprobes = null\ngroup = g{i % PARALLEL_RUNS}"
        for i in range(REPOSITORIES)
    ]
    return "\n".join(sections) + PROBE.format(parallel=PARALLEL_RUNS)


def need_test_hooks():
    if "#define ENABLE_TEST_HOOKS 1" not in (bench.BUILD / "config.h").read_text():
        print("bench: runs of the null kind need a build with --enable-test-hooks", file=sys.stderr)
        sys.exit(2)


def sample(daemon):
    runs = daemon.finished_runs()
    daemon.get("/api/v1/overview")
    own, workers = daemon.cpu_seconds()
    return {
        "runs": runs, "memory": daemon.resident_bytes(), "descriptors": daemon.descriptors(),
        "cpu": own, "workers": workers, "time": time.monotonic(),
    }  # fmt: skip


def watch(daemon):
    """One sample about each second until there are runs enough."""
    samples = [sample(daemon)]
    last = samples[0]
    while samples[-1]["runs"] < RUNS:
        time.sleep(1)
        if daemon.process.poll() is not None:
            raise SystemExit(f"bench: repoprobed ended:\n{(daemon.directory / 'log').read_text()[-2000:]}")
        samples.append(sample(daemon))
        if samples[-1]["runs"] > last["runs"]:
            last = samples[-1]
        elif samples[-1]["time"] - last["time"] > PATIENCE_SECONDS:
            raise SystemExit("bench: no run was finished for two minutes")
    return samples


def part(samples, begin, end, key):
    """A median of what lies between these shares of all runs."""
    return statistics.median(s[key] for s in samples if begin * RUNS <= s["runs"] <= end * RUNS + REPOSITORIES)


def table(samples):
    print(f"{'runs':>8} {'resident KiB':>14} {'descriptors':>12} {'CPU ms a run':>14} {'workers ms a run':>17}")
    shown = 0
    for before, now in zip(samples, samples[1:]):
        if now["runs"] < shown:
            continue
        shown = now["runs"] + RUNS // 10
        runs = max(now["runs"] - before["runs"], 1)
        print(
            f"{now['runs']:>8} {now['memory'] >> 10:>14} {now['descriptors']:>12} "
            f"{(now['cpu'] - before['cpu']) / runs * 1000:>14.2f} "
            f"{(now['workers'] - before['workers']) / runs * 1000:>17.2f}",
            flush=True,
        )


def history_bytes(directory):
    """What one run takes in the history, once everything is in the main file."""
    path = directory / "state" / "history.db"
    db = sqlite3.connect(path)
    try:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (rows,) = db.execute("SELECT count(*) FROM runs_v").fetchone()
        bad = db.execute("SELECT status, count(*) FROM runs_v WHERE status <> 'ok' GROUP BY 1").fetchall()
        bad = dict(bad)
        return path.stat().st_size / max(rows, 1), rows, bad
    finally:
        db.close()


def judge(samples, directory):
    soak = bench.Bench(f"Soak: {REPOSITORIES} repositories, {RUNS} runs of the null kind")
    early, late = part(samples, 0.2, 0.4, "memory"), part(samples, 0.8, 1, "memory")
    growth = late - early
    soak.row("resident memory, second fifth", f"{early / 1048576:.2f} MiB")
    soak.row("resident memory, last fifth", f"{late / 1048576:.2f} MiB")
    soak.row("growth", f"{growth / 1024:.0f} KiB", f"<= {MEMORY_SLACK_BYTES >> 10} KiB", growth <= MEMORY_SLACK_BYTES)
    few, many = part(samples, 0.2, 0.4, "descriptors"), part(samples, 0.8, 1, "descriptors")
    soak.row("descriptors, second and last fifth", f"{few:.0f}, {many:.0f}", "no more", many <= few)
    begin, end = samples[0], samples[-1]
    runs, seconds = end["runs"] - begin["runs"], end["time"] - begin["time"]
    cpu = (end["cpu"] - begin["cpu"]) / runs
    soak.row("CPU of the daemon per run", f"{cpu * 1000:.2f} ms", f"<= {CPU_SECONDS_PER_RUN * 1000:.0f} ms",
             cpu <= CPU_SECONDS_PER_RUN)  # fmt: skip
    soak.row("CPU of the workers per run", f"{(end['workers'] - begin['workers']) / runs * 1000:.2f} ms")
    soak.row("runs per second", f"{runs / seconds:.1f}")
    per_run, rows, bad = history_bytes(directory)
    soak.row("history per run", f"{per_run:.0f} bytes", f"<= {BYTES_PER_RUN}", per_run <= BYTES_PER_RUN)
    soak.row("committed runs", f"{rows}", f">= {RUNS}", rows >= RUNS)
    soak.row("of these skipped, for want of a processor", str(bad.pop("skipped", 0)))
    soak.row("of these not ok", json.dumps(bad), "none", not bad)
    return soak


def main():
    need_test_hooks()
    directory = bench.work_directory()
    try:
        daemon = Daemon(directory, config_of(directory))
        try:
            samples = watch(daemon)
        finally:
            code = daemon.stop()
        table(samples)
        soak = judge(samples, directory)
        soak.row("exit status after SIGTERM", str(code), "0", code == 0)
        bench.finish(soak)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
