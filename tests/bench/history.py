# SPDX-License-Identifier: Apache-2.0
"""The history: how fast runs come in, what they take on disk, how fast it answers, beside VictoriaMetrics.

REPOPROBE_BENCH_REPOSITORIES (10), _DAYS (730), _RAW_DAYS (35: as kept by default; 365 for a year of raw runs) and
_RUNS (20000, for the ingest) say how much is made. Answers are timed at the daemon's HTTP port, connection kept.
Cold: the daemon started anew, the page cache dropped (root only). VictoriaMetrics gets avg, p50, p95, p99, min, max,
throughput and iops of each run (of each hour, where runs were dropped): it keeps no histograms of ours.

REPOPROBE_BENCH_HISTORY=DIR keeps what is made in DIR, VictoriaMetrics' storage too, and uses it when it is there
with the same numbers: so making, which is long, and asking, which wants a quiet machine, are two steps
(REPOPROBE_BENCH_ASK=0: only make). REPOPROBE_BENCH_INGEST=0 leaves the ingest out.
"""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import time
import urllib.parse

from bench import BUILD, Bench, work_directory

REPOSITORIES = int(os.environ.get("REPOPROBE_BENCH_REPOSITORIES", "10"))
DAYS = int(os.environ.get("REPOPROBE_BENCH_DAYS", "730"))
RAW_DAYS = int(os.environ.get("REPOPROBE_BENCH_RAW_DAYS", "35"))
RUNS = int(os.environ.get("REPOPROBE_BENCH_RUNS", "20000"))
KEPT = os.environ.get("REPOPROBE_BENCH_HISTORY")
HAS_INGEST = os.environ.get("REPOPROBE_BENCH_INGEST", "1") != "0"
HAS_QUESTIONS = os.environ.get("REPOPROBE_BENCH_ASK", "1") != "0"
PRESETS = ("active-full", "reverse-incremental", "transform", "restore", "random-4k", "heartbeat")
ONE_OPERATION = ("active-full", "restore")
PROBES = ("active-full", "reverse-incremental", "random-4k")
DAY = 86400
WARM = 20
BUCKETS = 500
COLUMNS = ("avg", "p50", "p95", "p99", "min", "max", "throughput", "iops")


def make(*arguments):
    """seconds, runs: as the program says."""
    done = subprocess.run([BUILD / "tests/bench/history", *map(str, arguments)], check=True, capture_output=True, text=True)
    words = done.stdout.split()
    return float(words[3]), int(words[1])


def size_of(path):
    return sum(p.stat().st_size for p in path.rglob("*") if p.is_file()) if path.is_dir() else path.stat().st_size


def ingest(bench, directory):
    for preset in PRESETS:
        state = directory / "ingest"
        shutil.rmtree(state, ignore_errors=True)
        state.mkdir()
        seconds, runs = make("ingest", state / "history.db", preset, RUNS)
        with sqlite3.connect(state / "history.db") as db:
            empty = 4096 * db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        size = (size_of(state / "history.db") - empty) / runs
        bound = 400 if preset in ONE_OPERATION else 650
        bench.row(f"{preset}: bytes a run", f"{size:.0f}", f"<= {bound}", size <= bound, f"{runs / seconds:.0f} runs/s")
        shutil.rmtree(state)


def is_of_before_the_first_release(path):
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute("PRAGMA application_id").fetchone() == (1919971938,)


class Made:
    """What stands in the directory already, by the JSON file beside it; written after each step is whole."""

    def __init__(self, directory):
        self.path = directory / "made.json"
        plan = {"repositories": REPOSITORIES, "days": DAYS, "raw_days": RAW_DAYS, "probes": list(PROBES)}
        self.facts = json.loads(self.path.read_text(encoding="ascii")) if self.path.exists() else {"plan": plan}
        if self.facts["plan"] != plan:
            raise SystemExit(f"bench: {directory} has a history of other numbers: {self.facts['plan']}")
        if "history" in self.facts and is_of_before_the_first_release(directory / "history.db"):
            raise SystemExit(f"bench: {directory} has a history of before the first release, which is not read any more")

    def step(self, name, run):
        """What run() said, now or when it was done: a mapping. run() starts from nothing."""
        if name not in self.facts:
            self.facts[name] = run()
            aside = self.path.with_suffix(".new")
            aside.write_text(json.dumps(self.facts, indent=1) + "\n", encoding="ascii")
            aside.replace(self.path)
        return self.facts[name]


def make_history(directory):
    for path in directory.glob("history.db*"):
        path.unlink()
    end = int(time.time()) // 3600 * 3600
    seconds, runs = make("make", directory / "history.db", REPOSITORIES, DAYS, RAW_DAYS, RAW_DAYS)
    with contextlib.closing(sqlite3.connect(directory / "history.db")) as db:
        counts = db.execute("SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM hour), (SELECT count(*) FROM day)").fetchone()
    return {"end": end, "seconds": seconds, "committed": runs, "counts": counts, "bytes": size_of(directory / "history.db")}


class Server:
    """A process with an HTTP port."""

    def __init__(self, arguments, port, path, patience_seconds=120):
        self.process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.port = port
        deadline = time.monotonic() + patience_seconds
        while True:
            try:
                self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
                if self.get(path)[1] == 200:
                    return
            except OSError:
                pass
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError(f"{arguments[0]} does not answer")
            time.sleep(0.05)

    def get(self, path):
        begin = time.perf_counter()
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        body = answer.read()
        return (time.perf_counter() - begin) * 1000, answer.status, body

    def post(self, path, body):
        self.connection.request("POST", path, body=body)
        answer = self.connection.getresponse()
        answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{path}: {answer.status}")

    def stop(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait(60)


def drop_caches():
    os.sync()
    try:
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("3\n", encoding="ascii")
    except OSError:
        return False
    return True


def daemon(directory, port=19847):
    config = directory / "repoprobe.conf"
    text = [f"[store]\nkeep_runs = {RAW_DAYS + 1}d\nmax_size = 0\n[defaults]\nprobes = {', '.join(PROBES)}\nschedule = *-01-01 00:00\n"]
    for i in range(1, REPOSITORIES + 1):
        (directory / f"r{i}").mkdir(exist_ok=True)
        text.append(f"[repository repository-{i}]\npath = {directory}/r{i}\n")
    config.write_text("\n".join(text), encoding="ascii")
    arguments = [BUILD / "repoprobed", "--foreground", "--config", config, "--state-directory", directory, "--listen", f"127.0.0.1:{port}"]
    return Server(arguments, port, "/-/ready", patience_seconds=1800)  # it may have to be migrated first


def ask_both(bench, name, start, path, bound):
    """Cold: the first answer of a server just started, before which the cache was dropped."""
    is_cold = drop_caches()
    server = start()
    try:
        first, status, body = server.get(path)
        if status != 200:
            raise RuntimeError(f"{path}: {status} {body[:200]}")
        warm = [server.get(path)[0] for _ in range(WARM)]
    finally:
        server.stop()
    median = statistics.median(warm)
    note = f"cold {first:.1f} ms, {len(body)} bytes" if is_cold else f"{len(body)} bytes"
    bench.row(name, f"{median:.2f} ms", f"< {bound} ms" if bound else None, bound is None or median < bound, note)


def queries(end):
    """name, seconds, our path, our bound"""
    what = urllib.parse.urlencode({"repository": "repository-1", "probe": "random-4k", "operation": "read"})
    for name, days, bound in (("24 h", 1, None), ("30 d", 30, None), (f"{DAYS} d", DAYS, 30)):
        yield f"series {name}, {BUCKETS} points", days * DAY, f"/api/v1/series?{what}&from={end - days * DAY}&to={end}&points={BUCKETS}", bound
    yield "heat map 30 d, 240 columns", None, f"/api/v1/heatmap?{what}&from={end - 30 * DAY}&to={end}&columns=240", 50
    yield "overview", None, "/api/v1/overview", 1


# Of one series at a time: a year of raw runs does not fit into memory at once.
ROWS = """SELECT {time}, o.sum_nsec * 1e-9 / coalesce(o.latencies, o.ios), o.p50_nsec * 1e-9, o.p95_nsec * 1e-9,
 o.p99_nsec * 1e-9, o.min_nsec * 1e-9, o.max_nsec * 1e-9, o.bytes * 1e9 / {measured}, o.ios * 1e9 / {measured} FROM {source}"""
SOURCES = (
    {"time": "(h.id & 16777215) * 3600000", "measured": "o.measured_nsec",
     "source": "hour AS h JOIN hour_operation AS o ON o.id = h.id + ((:series * 3 + :operation) << 24)"
               " WHERE h.id >= :series << 24 AND h.id < (:series + 1) << 24 AND NOT h.runs_kept"},
    {"time": "run.started_usec / 1000", "measured": "run.measured_nsec",
     "source": "run JOIN run_operation AS o ON o.run = run.id AND o.operation = :operation"
               " WHERE run.series = :series AND run.measured_nsec > 0"},
)


def import_series(server, db, series, labels):
    samples = 0
    for operation, name in enumerate(("read", "write")):
        for source in SOURCES:
            rows = db.execute(ROWS.format(**source), {"series": series, "operation": operation}).fetchall()
            if not rows:
                continue
            times, *values = zip(*rows)
            for column, numbers in zip(COLUMNS, values):
                line = {"metric": {"__name__": f"repoprobe_{column}", **labels, "operation": name}, "values": numbers, "timestamps": times}
                server.post("/api/v1/import", json.dumps(line) + "\n")
                samples += len(times)
    return samples


def import_all(server, database):
    with contextlib.closing(sqlite3.connect(database)) as db:
        names = db.execute("SELECT series.id, target.name, probe FROM series JOIN target ON target.id = target").fetchall()
        return sum(import_series(server, db, series, {"repository": repository, "probe": probe}) for series, repository, probe in names)


def victoria(directory):
    """Starts it on its storage in the directory."""
    arguments = [shutil.which("victoria-metrics"), f"-storageDataPath={directory / 'victoria'}", "-httpListenAddr=127.0.0.1:19848", "-retentionPeriod=10y"]
    return Server([*arguments, "-search.maxPointsPerTimeseries=100000", "-search.disableCache"], 19848, "/health")


def make_victoria(directory):
    shutil.rmtree(directory / "victoria", ignore_errors=True)
    begin = time.monotonic()
    server = victoria(directory)
    samples = import_all(server, directory / "history.db")
    server.get("/internal/force_flush")
    server.get("/internal/force_merge")
    seconds = time.monotonic() - begin
    time.sleep(10)
    server.stop()
    return {"samples": samples, "seconds": seconds}


def ask_victoria(bench, directory, end):
    selector = 'last_over_time({__name__=~"repoprobe_.*",repository="repository-1",probe="random-4k",operation="read"}[%ds])'
    for name, seconds, _, _ in queries(end):
        if seconds is None:
            continue
        step = max(seconds // BUCKETS, 60)
        query = {"query": selector % max(step, 7200), "start": end - seconds, "end": end, "step": step}
        path = "/api/v1/query_range?" + urllib.parse.urlencode(query)
        ask_both(bench, f"VictoriaMetrics: {name}", lambda: victoria(directory), path, None)


def history(bench, directory):
    made = Made(directory)
    facts = made.step("history", lambda: make_history(directory))
    bench.row("made and merged", f"{facts['seconds']:.0f} s", note=f"{facts['committed']} runs committed")
    bench.row("size on disk", f"{facts['bytes'] / 2**20:.1f} MiB", note="{} runs, {} hours, {} days".format(*facts["counts"]))
    if HAS_QUESTIONS:
        daemon(directory).stop()  # whatever is to be done but once is done
        for name, _, path, bound in queries(facts["end"]):
            ask_both(bench, name, lambda: daemon(directory), path, bound)
    if not shutil.which("victoria-metrics"):
        bench.text("victoria-metrics is not installed: no comparison")
        return
    imported = made.step("victoria", lambda: make_victoria(directory))
    note = f"{imported['samples']} samples, imported in {imported['seconds']:.0f} s"
    bench.row("VictoriaMetrics: size on disk", f"{size_of(directory / 'victoria') / 2**20:.1f} MiB", note=note)
    if HAS_QUESTIONS:
        ask_victoria(bench, directory, facts["end"])


@contextlib.contextmanager
def place():
    """Where histories are made: kept, or for this time."""
    if KEPT:
        path = pathlib.Path(KEPT)
        path.mkdir(parents=True, exist_ok=True)
        yield path
        return
    path = work_directory()
    try:
        yield path
    finally:
        shutil.rmtree(path)


def main():
    missed = []
    with place() as directory:
        if HAS_INGEST:
            bench = Bench(f"(a) a run on disk, and how many are committed in a second ({RUNS} runs, a batch each)")
            ingest(bench, directory)
            missed += bench.missed
        bench = Bench(f"(b) {REPOSITORIES} repositories x {len(PROBES)} probes x 5 min x {DAYS} days, runs of {RAW_DAYS} days")
        history(bench, directory)
        missed += bench.missed
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
