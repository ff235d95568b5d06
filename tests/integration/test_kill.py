# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments, of the daemon and of its workers, while repositories fail in all ways.

No foreign byte is changed, no committed row is lost, and in the end nothing is left but the probe file. 20 rounds
here; `make check-slow` has 500 (REPOPROBE_KILL_ROUNDS). REPOPROBE_SEED repeats the choices of a round, if not
the machine's own pace.
"""
import contextlib
import errno
import os
import pathlib
import random
import signal
import subprocess
import time

from conftest import QUICK, children_of, fingerprint, need_program, tree, wait_for

ROUNDS = int(os.environ.get("REPOPROBE_KILL_ROUNDS", "20"))
SEED = int(os.environ.get("REPOPROBE_SEED", random.randrange(1 << 32)))
LIFE_SECONDS = 0.5  # of a round, at most, after the daemon is up
ERRORS = (errno.EIO, errno.ENOSPC, errno.ESTALE, errno.EROFS, errno.EDQUOT)
ROWS = "SELECT id, started, repository, probe, status, read_bytes, write_bytes FROM runs_v ORDER BY id"

PROBES = """
[daemon]
parallel_runs = 4
[defaults]
splay = 0
interval = 1s
[probe mixed]
block_size = 64K
write = 50
pattern = random
max_ios = 24
warmup = 2
file_size = 4M
timeout = 20s
[probe fresh]
block_size = 64K
write = 100
max_ios = 24
warmup = 2
file_size = 4M
timeout = 20s
fresh = yes
"""


class Places:
    """A directory, one that keeps no probe file, one that is always nearly full, and one with moods."""

    def __init__(self, directory, mount, slow):
        self.slow = slow
        self.full = mount.ext4(32)
        self.paths = {"plain": directory / "plain", "tidy": directory / "tidy", "full": self.full, "moody": slow.path}
        self.backing = {**self.paths, "moody": slow.backing}
        for path in self.backing.values():
            (path / "jobs").mkdir(parents=True, exist_ok=True)
            for name in ("full.vbk", "jobs/incremental.vib", ".hidden"):
                (path / name).write_bytes(os.urandom(70000))
        os.posix_fallocate(os.open(self.full / "filler", os.O_RDWR | os.O_CREAT), 0, 16 << 20)
        self.before = self.look()
        self.names = {name: set(tree(path)) for name, path in self.backing.items()}

    def look(self):
        return {name: fingerprint(path) for name, path in self.backing.items()}

    def config(self):
        lines = []
        for name, path in self.paths.items():
            keep = "no" if name == "tidy" else "yes"
            floor = "8M" if name == "full" else "1M"
            lines.append(f"[repository {name}]\npath = {path}\nprobes = mixed, fresh")
            lines.append(f"keep_file = {keep}\nmin_free = {floor}")
        return "\n".join(lines) + PROBES

    def take_mood(self, moments):
        self.slow.delay(moments.choice((0, 1, 10, 40)))
        self.slow.error(moments.choice((0, 0, *ERRORS)))
        self.slow.tell("direct " + moments.choice(("allow", "refuse", "fail")))

    def recover(self):
        self.slow.delay(0)
        self.slow.error(0)
        self.slow.tell("direct allow")

    def check_foreign(self):
        assert self.look() == self.before

    def check_left(self):
        """What is new is ours by its name, wherever a worker died."""
        for name, path in self.backing.items():
            for each in set(tree(path)) - self.names[name]:
                assert each == ".repoprobe" or os.path.dirname(each) == ".repoprobe", (name, each)


def check_database(d, committed):
    """Sound, whole, and all that was committed is still there, unchanged. Returns the rows."""
    if not d.database.exists():
        assert not committed
        return []
    try:
        rows = d.sql(ROWS)
    except Exception:  # killed before the schema was there
        assert not committed
        return []
    assert d.sql("PRAGMA integrity_check") == [("ok",)]
    assert d.sql("PRAGMA foreign_key_check") == []
    assert rows[: len(committed)] == committed
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    for _, _, _, probe, status, read_bytes, write_bytes in rows:
        if status == "ok":
            assert write_bytes and (read_bytes or probe == "fresh")
    return rows


def kill_something(d, moments):
    """The daemon, or only a worker of its; returns what."""
    what = moments.choice(("daemon", "daemon", "worker", "both"))
    if what != "daemon":
        for pid in d.workers():
            if moments.random() < 0.7:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    if what != "worker":
        d.kill()
    return what


def wait_one_good_run_each(d, names, newest):
    good = "SELECT repository, probe FROM runs_v WHERE id > ? AND status = 'ok' GROUP BY 1, 2 ORDER BY 1, 2"
    wanted = sorted((name, probe) for name in names for probe in ("fresh", "mixed"))
    wait_for(lambda: d.sql(good, newest) == wanted, lambda: f"good runs: {d.sql(good, newest)}\n{d.log}")


def test_no_kill_harms_anything(daemon, directory, mount, slow):
    print("REPOPROBE_SEED =", SEED)
    moments = random.Random(SEED)
    places = Places(directory, mount, slow)
    committed = []
    killed = {}
    d = daemon(wait=False, config=places.config())
    for _ in range(ROUNDS):
        if d.process.poll() is not None:
            d.start(wait=False)
        d.wait_line("watching")
        places.take_mood(moments)
        time.sleep(moments.uniform(0, LIFE_SECONDS))  # the moment of the kill, not a synchronisation
        what = kill_something(d, moments)
        killed[what] = killed.get(what, 0) + 1
        if what != "worker":
            committed = check_database(d, committed)
        places.check_foreign()
        places.check_left()
    print("killed", killed, "rows", len(committed))
    if d.process.poll() is None:
        d.stop()
    places.recover()
    d.config_path.write_text(places.config().replace("interval = 1s", "interval = 1h"))
    newest = d.sql("SELECT ifnull(max(id), 0) FROM runs_v")[0][0]
    d.start()  # one run of each, and then rest
    wait_one_good_run_each(d, [n for n in places.paths if n != "full"], newest)
    assert d.stop()[0] == 0
    check_database(d, committed)
    places.check_foreign()
    for name, path in places.backing.items():
        ours = [each for each in tree(path) if each.startswith(".repoprobe")]
        if name == "tidy":
            assert ours == [], (name, ours)
        elif name != "full" or ours:
            assert len(ours) == 3 and ours[:2] == [".repoprobe", ".repoprobe/CACHEDIR.TAG"], (name, ours)


def test_a_killed_worker_is_an_error_and_the_next_run_is_well(daemon, slow):
    """By somebody else: the reason says so."""
    slow.delay(300)
    d = daemon(config=f"[repository moody]\npath = {slow.path}\nprobes = mixed\n{PROBES}").wait_ready()
    os.kill(d.wait_at_work(slow.path), signal.SIGKILL)
    d.wait_line(r"moody/mixed: error: the worker was ended by signal 9 \(Killed\) without a result")
    slow.delay(0)
    good = "SELECT count(*) > 0 FROM runs_v WHERE status = 'ok'"
    d.wait_sql(good, [(1,)])
    assert len(tree(slow.backing)) == 3


# --- As the first process of a container


def zombies_of(pid):
    return [child for child in children_of(pid) if "\nState:\tZ" in status_of(child)]


def status_of(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/status").read_text()
    return ""


def test_as_the_first_process_it_reaps_the_orphans_of_others(daemon, repository, root):
    """Among its own workers, whose ends it goes on seeing."""
    need_program("nsenter")
    config = f"[repository nas]\npath = {repository}\nprobes = quick\n{QUICK}"
    prefix = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child=SIGTERM"]
    d = daemon(config=config, prefix=prefix).wait_ready()
    d.wait_runs("nas", 1)
    (pid,) = children_of(d.process.pid)
    orphans = []
    for _ in range(5):
        command = "for i in 1 2 3; do (sleep 1 & echo); done"
        subprocess.run(["nsenter", f"--target={pid}", "--pid", "sh", "-c", command], check=True, capture_output=True)
        orphans += children_of(pid)
        d.probe("nas")
    assert orphans
    wait_for(lambda: children_of(pid) == [], lambda: f"all to be reaped: {zombies_of(pid)}")
    assert d.runs("nas")[0] == 6
    d.wait_sql("SELECT DISTINCT status FROM runs_v", [("ok",)])
    os.kill(int(pid), signal.SIGTERM)
    assert d.process.wait(60) == 0
