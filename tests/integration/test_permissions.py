# SPDX-License-Identifier: Apache-2.0
"""The layouts of LAYOUTS in repoprobe.conf(5), each with the users it is about; and what `init` makes for them.

backup owns the repositories, nobody is who a daemon runs as where it is not root. Whatever is tried, the
data of the repository stays as it was.
"""
import ast
import contextlib
import json
import os
import pwd
import re
import shutil
import stat
import subprocess
import threading

import pytest
from conftest import BUILD, QUICK, DelayFs, as_user, fingerprint, need, programs_for, run_cli, tree

OWNER = "backup"
USER = "nobody"
SHORT = ("--file-size=4M", "--max-ios=24", "--block-size=64K", "--pattern=random")


def fill(path, mode=0o700, user=OWNER, group=OWNER):
    """A repository with data in it that only its owner may read."""
    path.mkdir(exist_ok=True)
    (path / "jobs").mkdir()
    (path / "jobs" / "full.vbk").write_bytes(os.urandom(100000))
    (path / "index").write_text("of backups\n")
    for each in (path / "jobs" / "full.vbk", path / "index"):
        each.chmod(0o600)
    for each in [path, *path.rglob("*")]:
        shutil.chown(each, user, group)
    (path / "jobs").chmod(0o700)
    path.chmod(mode)
    return path


@pytest.fixture
def foreign(directory, root):
    path = fill(directory / "backups")
    before = fingerprint(path)
    yield path
    assert fingerprint(path) == before


def state_of(directory, user, name="state"):
    path = directory / name
    path.mkdir()
    shutil.chown(path, user)
    return name


def config(path, *lines):
    return "\n".join([f"[repository disk]\npath = {path}\nprobes = quick", *lines, QUICK])


def owners(path):
    """Of the probe directory and of the files in it."""
    return {pwd.getpwuid(p.stat().st_uid).pw_name for p in [path, *path.iterdir()]}


def probes_well(d):
    d.wait_ready()
    d.wait_runs("disk", 1)
    shown = d.repository("disk")
    assert shown["state"] == "ok", (shown, d.log)
    return shown


# Holds the lock of a run until its standard input ends.
LOCKED = """
import fcntl, struct, sys
f = open(sys.argv[1], "r+b")
fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
print("locked", flush=True)
sys.stdin.read()
"""


def init(directory, *arguments, **options):
    return run_cli("init", "--state-directory", directory / "state", *arguments, **options)


@contextlib.contextmanager
def host(directory, name, files):
    """A command prefix under which files of /etc are these: another machine, as far as it can be told."""
    binds = []
    for path, text in files.items():
        own = directory / f"{name}{path.replace('/', '-')}"
        own.write_text(text)
        own.chmod(0o644)
        binds.append(f"mount --bind {own} {path}")
    yield ["unshare", "-m", "sh", "-c", " && ".join([*binds, 'exec "$@"']), "sh"]


def with_user(name, uid, groups=()):
    """/etc/passwd and /etc/group with one more user."""
    lines = []
    for line in open("/etc/group", encoding="utf-8").read().splitlines():
        lines.append(line + ("," if line[-1] != ":" else "") + name if line.split(":")[0] in groups else line)
    passwd = open("/etc/passwd", encoding="utf-8").read()
    return {
        "/etc/passwd": f"{passwd}{name}:x:{uid}:{uid}::/nonexistent:/usr/sbin/nologin\n",
        "/etc/group": "\n".join([*lines, f"{name}:x:{uid}:", ""]),
    }


# --- The daemon is root


def test_roots_daemon_works_as_the_repositorys_owner(daemon, foreign):
    probes_well(daemon(config=config(foreign)))
    assert owners(foreign / ".repoprobe") == {OWNER}


def test_roots_daemon_works_as_whoever_owns_the_probe_directory(daemon, directory, foreign):
    """The best of all: who measures can read nothing."""
    (foreign / ".repoprobe").mkdir(mode=0o700)
    shutil.chown(foreign / ".repoprobe", USER)
    probes_well(daemon(config=config(foreign)))
    assert owners(foreign / ".repoprobe") == {USER}
    done = run_cli("run", *SHORT, foreign)
    assert done.returncode == 0, done.stderr
    assert len(tree(foreign / ".repoprobe")) == 2  # the daemon's file and the tag


def test_init_prepares_that_for_the_user_of_the_usual_name(daemon, directory, foreign):
    with host(directory, "usual", with_user("repoprobe", 4711)) as prefix:
        done = init(directory, foreign, prefix=prefix)
        assert done.returncode == 0, done.stderr
        assert "user repoprobe (4711): the daemon is root" in done.stdout
        assert f"{foreign} stays as it is, with mode 0700, of user {OWNER} (34)" in done.stdout
    st = (foreign / ".repoprobe").stat()
    assert (st.st_uid, st.st_gid, stat.S_IMODE(st.st_mode)) == (4711, 4711, 0o700)
    assert tree(foreign / ".repoprobe") == ["CACHEDIR.TAG"]
    probes_well(daemon(config=config(foreign)))
    assert {p.stat().st_uid for p in (foreign / ".repoprobe").iterdir()} == {4711}


def test_init_without_such_a_user_prepares_it_for_the_owner(directory, foreign):
    done = init(directory, foreign)
    assert done.returncode == 0, done.stderr
    assert f"user {OWNER} (34), who owns the repository: the daemon is root" in done.stdout
    assert owners(foreign / ".repoprobe") == {OWNER}


# --- The daemon is a user of its own


def test_a_repository_that_others_may_enter_needs_init_and_no_more(daemon, directory, foreign):
    foreign.chmod(0o755)
    state = state_of(directory, USER)
    d = daemon(user=USER, config=config(foreign), state=state).wait_ready()
    d.wait_runs("disk", 1)
    assert f"cannot create {foreign}/.repoprobe: permission denied; user 65534" in d.repository("disk")["reason"]
    done = init(directory, "--config", d.config_path, "disk")
    assert done.returncode == 0, done.stderr
    assert f"disk: made {foreign}/.repoprobe, with mode 0700, for user {USER} (65534)" in done.stdout
    assert "who owns the state directory" in done.stdout
    d.probe("disk")
    assert d.repository("disk")["state"] == "ok"
    assert owners(foreign / ".repoprobe") == {USER}
    foreign.chmod(0o700)


def test_data_that_nobody_else_may_enter_has_it_beside(daemon, directory, foreign):
    done = init(directory, f"--user={USER}", foreign)
    assert done.returncode == 0, done.stderr
    beside = directory / ".repoprobe-backups"
    line = f"probe_directory = {beside}"
    assert done.stdout.splitlines()[-1] == line
    assert owners(beside) == {USER}
    d = daemon(user=USER, config=config(foreign, line), state=state_of(directory, USER))
    probes_well(d)
    assert len(tree(beside)) == 2 and not (foreign / ".repoprobe").exists()
    again = init(directory, "--config", d.config_path)
    assert again.returncode == 0, again.stderr
    assert f"disk: {beside} exists already, nothing was changed" in again.stdout


def test_a_whole_file_system_that_nobody_else_may_enter_wants_a_way_in(daemon, directory, mount):
    path = mount.ext4(64)
    fill(path)
    before = fingerprint(path)
    done = init(directory, f"--user={USER}", path)
    assert done.returncode == 1 and done.stdout == ""
    assert f"may not enter {path}, and the directory above it is on another file system" in done.stderr
    assert "LAYOUTS in repoprobe.conf(5)" in done.stderr
    # A bind mount of a directory in it is such a way.
    inside, outside = path / "probes", directory / "probes"
    for each in (inside, outside):
        each.mkdir(mode=0o700)
    shutil.chown(inside, USER)
    subprocess.run(["mount", "--bind", str(inside), str(outside)], check=True)
    try:
        lines = config(path, f"probe_directory = {outside}")
        probes_well(daemon(user=USER, config=lines, state=state_of(directory, USER)))
        assert len(tree(inside)) == 2
    finally:
        subprocess.run(["umount", "-l", str(outside)], check=True)
    shutil.rmtree(inside)
    assert fingerprint(path) == before


def test_who_is_in_the_repositorys_group_needs_nothing(daemon, directory, foreign):
    foreign.chmod(0o2770)
    d = daemon(user=f"{USER}+{OWNER}", config=config(foreign), state=state_of(directory, USER))
    probes_well(d)
    assert owners(foreign / ".repoprobe") == {USER}
    d.stop()
    shutil.rmtree(foreign / ".repoprobe")
    with host(directory, "group", with_user("prober", 4712, groups=[OWNER])) as prefix:
        done = init(directory, "--user=prober", foreign, prefix=prefix)
    assert done.returncode == 0, done.stderr
    assert (foreign / ".repoprobe").stat().st_uid == 4712
    foreign.chmod(0o700)


# --- The control socket

# Opens connections, asks nothing, and says at the end how many of them were answered with what.
HOLDER = """
import collections, socket, sys
held = []
for _ in range(int(sys.argv[2])):
    held.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
    held[-1].connect(sys.argv[1])
print("open", flush=True)
sys.stdin.readline()
answers = collections.Counter()
for s in held:
    s.setblocking(False)
    try:
        answers[s.recv(65536).decode()] += 1
    except BlockingIOError:
        answers["open"] += 1
print(repr(list(answers.items())), flush=True)
"""


@contextlib.contextmanager
def holding(path, count, uid, gid):
    """Yields a function that lets go and returns {answer: connections}."""
    who = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups"]
    command = [*who, "/usr/bin/python3", "-c", HOLDER, str(path), str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "open\n"
        yield lambda: dict(ast.literal_eval(holder.communicate("\n")[0]))


def controlled(daemon, directory, repository, prefix=()):
    """A daemon whose socket everybody can reach."""
    runtime = directory / "runtime"
    runtime.mkdir()
    text = f"[daemon]\nruntime_directory = {runtime}\n" + config(repository)
    d = daemon(config=text, prefix=prefix)
    d.control_path = runtime / "control.sock"
    return d


def test_who_may_not_control_holds_no_connection(daemon, directory, repository, root):
    d = controlled(daemon, directory, repository)
    with holding(d.control_path, 100, 4711, 4711) as let_go:
        assert d.control(command="reload") == {"ok": True}
        answers = let_go()
    ((answer, count),) = answers.items()
    assert count == 100
    error = json.loads(answer)
    assert error["ok"] is False and "uid 4711 may not control repoprobed" in error["error"]


def test_members_of_the_group_hold_a_share_and_root_still_gets_in(daemon, directory, repository, root):
    group = open("/etc/group", encoding="utf-8").read() + "\nrepoprobe:x:4713:\n"
    with host(directory, "group", {"/etc/group": group}) as prefix, contextlib.ExitStack() as stack:
        d = controlled(daemon, directory, repository, prefix=prefix)
        members = [stack.enter_context(holding(d.control_path, 20, uid, 4713)) for uid in (4801, 4802, 4803)]
        assert d.control(command="reload") == {"ok": True}
        answers = [let_go() for let_go in members]
    assert [a.pop("open", 0) for a in answers] == [16, 16, 0]
    for each, uid in zip(answers, (4801, 4802, 4803)):
        ((answer, count),) = each.items()
        assert count == (20 if uid == 4803 else 4)
        assert "try again in a few seconds" in json.loads(answer)["error"]


# --- Several at one repository


def test_two_hosts_at_one_export_have_a_file_each(daemon, directory, foreign):
    ids = {"one": "0" * 31 + "1\n", "two": "0" * 31 + "2\n"}
    running = []
    for name, machine in ids.items():
        with host(directory, name, {"/etc/machine-id": machine}) as prefix:
            running.append(daemon(config=config(foreign), state=name, prefix=prefix).wait_ready())
    for d in running:
        d.wait_runs("disk", 1)
    for _ in range(3):  # side by side
        for d in running:
            assert d.control(command="probe-now", repository="disk") == {"ok": True}
        for d in running:
            d.wait_runs("disk", 2)
    for d in running:
        assert d.sql("SELECT DISTINCT status FROM runs_v") == [("ok",)]
    files = [name for name in tree(foreign / ".repoprobe") if name.endswith(".dat")]
    assert len(files) == 2 and len({name.split("-")[0] for name in files}) == 2


def test_roots_run_beside_the_daemon_blocks_nobody(daemon, directory, foreign):
    foreign.chmod(0o755)
    assert init(directory, f"--user={USER}", foreign).returncode == 0
    d = daemon(user=USER, config=config(foreign), state=state_of(directory, USER))
    probes_well(d)
    done = []
    options = ("--duration=2s", "--max-bytes=0", "--file-size=8M", "--json")
    by_hand = threading.Thread(target=lambda: done.append(run_cli("run", *options, foreign)))
    by_hand.start()
    times = 0
    while by_hand.is_alive():
        d.probe("disk")
        times += 1
    by_hand.join()
    assert times > 1 and json.loads(done[0].stdout)["status"] == "ok", done[0].stderr
    assert d.sql("SELECT DISTINCT status FROM runs_v") == [("ok",)]
    assert len(tree(foreign / ".repoprobe")) == 2 and owners(foreign / ".repoprobe") == {USER}
    foreign.chmod(0o700)


# --- Root is nobody there


@pytest.fixture
def export(directory, root):
    """A file system in which requests have the rights of who asks, root's those of nobody."""
    need(os.path.exists("/dev/fuse"), "needs /dev/fuse")
    need((BUILD / "tests/fuse/delayfs").exists(), "needs delayfs (built when fuse3 is installed)")
    fs = DelayFs(directory, "-o", "allow_other")
    fill(fs.backing)
    before = fingerprint(fs.backing)
    fs.squash()
    yield fs
    fs.end()
    assert fingerprint(fs.backing) == before


def test_a_server_that_squashes_root_lets_the_owner_in(daemon, export):
    with pytest.raises(PermissionError):
        os.listdir(export.path)
    probes_well(daemon(config=config(export.path)))
    assert owners(export.backing / ".repoprobe") == {OWNER}
    done = run_cli("run", *SHORT, export.path)
    assert done.returncode == 0, done.stderr
    assert run_cli("doctor", export.path).returncode in (0, 1)


def test_init_makes_it_there_for_the_owner_and_says_for_whom_it_cannot(directory, export):
    done = init(directory, f"--user={USER}", export.path / ".")
    assert done.returncode == 1 and f"{export.path}/.repoprobe: permission denied for user 65534" in done.stderr
    done = init(directory, export.path)
    assert done.returncode == 0, done.stderr
    assert owners(export.backing / ".repoprobe") == {OWNER}


class PrivateFs:
    """delayfs as USER, mounted as fusermount3 would for him; that program wants a /dev/fuse open to all."""

    def __init__(self, directory):
        self.backing, self.path = directory / "backing", directory / "private"
        for each in (self.backing, self.path):
            each.mkdir()
            shutil.chown(each, USER)
        ids = pwd.getpwnam(USER)
        program = shutil.copy(BUILD / "tests/fuse/delayfs", programs_for(USER) / "delayfs")
        fd = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={fd},rootmode=40000,user_id={ids.pw_uid},group_id={ids.pw_gid}"
        mount = ["mount", "-i", "-t", "fuse.delayfs", "-o", options, "delayfs", str(self.path)]
        subprocess.run(mount, pass_fds=[fd], check=True)
        self.process = subprocess.Popen(
            as_user(USER, [str(program), str(self.backing), f"/dev/fd/{fd}"]), stdin=subprocess.PIPE, pass_fds=[fd]
        )
        os.close(fd)

    def end(self):
        self.process.stdin.close()
        subprocess.run(["umount", "-l", str(self.path)], check=False)
        self.process.wait(10)


@pytest.fixture
def private(directory, root):
    """What somebody else mounted for himself, as sshfs does: not even root may look at it."""
    need(os.path.exists("/dev/fuse"), "needs /dev/fuse")
    need((BUILD / "tests/fuse/delayfs").exists(), "needs delayfs (built when fuse3 is installed)")
    fs = PrivateFs(directory)
    yield fs
    fs.end()


def test_a_mount_of_somebody_elses_is_probed_as_that_user(daemon, directory, private):
    with pytest.raises(PermissionError):
        private.path.stat()
    probes_well(daemon(config=config(private.path)))
    assert owners(private.backing / ".repoprobe") == {USER}
    (private.backing / "deeper").mkdir()
    shutil.chown(private.backing / "deeper", USER)
    done = run_cli("run", *SHORT, private.path / "deeper")
    assert done.returncode == 0, done.stderr
    done = init(directory, f"--user={OWNER}", private.path)
    assert done.returncode == 1
    assert "admits only user 65534, who mounted it: user 34 has no access" in done.stderr


# --- init itself


def test_init_says_it_all_in_json(directory, foreign):
    done = init(directory, "--json", f"--user={USER}", foreign)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["repositories"]
    assert found == {
        "repository": None,
        "path": str(foreign),
        "status": "ok",
        "reason": "",
        "is_daemon_root": False,
        "probe_directory": str(directory / ".repoprobe-backups"),
        "is_ready": True,
        "is_new": True,
        "is_to_be_configured": True,
        "owner": {"uid": 65534, "gid": 65534, "mode": "0700"},
        "repository_owner": {"uid": 34, "gid": 34, "mode": "0700"},
    }


def test_init_again_changes_nothing(directory, foreign):
    assert init(directory, foreign).returncode == 0
    before = [(p, p.stat()) for p in [foreign, *sorted(foreign.rglob("*"))]]
    done = init(directory, foreign)
    assert done.returncode == 0 and "exists already, nothing was changed" in done.stdout
    for path, st in before:
        now = path.stat()
        assert (now.st_mtime_ns, now.st_ctime_ns, now.st_mode) == (st.st_mtime_ns, st.st_ctime_ns, st.st_mode)


def test_init_removes_what_it_and_the_runs_made(daemon, directory, foreign):
    """Also where the directory's owner may not write in the repository."""
    before = tree(foreign)
    assert init(directory, f"--user={USER}", foreign).returncode == 0
    beside = directory / ".repoprobe-backups"
    (directory / "state").mkdir()
    shutil.chown(directory / "state", USER)
    d = daemon(config=config(foreign, f"probe_directory = {beside}"), user=USER)
    probes_well(d)
    written = ("--config", d.config_path)
    locked = subprocess.Popen(
        ["/usr/bin/python3", "-c", LOCKED, next(beside.glob("*.dat"))], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert locked.stdout.readline() == b"locked\n"
        done = init(directory, *written, "--remove", "disk")
        assert done.returncode == 1 and done.stdout == ""
        assert "is in use by another run; nothing was removed" in done.stderr, done.stderr
    finally:
        locked.stdin.close()
        locked.wait()
        locked.stdout.close()
    assert len(tree(beside)) == 2
    d.stop()
    done = init(directory, *written, "--remove", "disk")
    assert done.returncode == 0, done.stderr
    assert re.match(rf"disk: removed 1 probe file \(.* MiB\) and {beside}\ndisk: it is configured in", done.stdout)
    assert tree(foreign) == before and not beside.exists()
    done = init(directory, *written, "--remove", "--json", "disk")
    assert done.returncode == 0
    (found,) = json.loads(done.stdout)["repositories"]
    assert (found["is_removed"], found["removed_files"], found["is_directory_removed"]) == (True, 0, False)


def test_init_removes_a_directory_of_another_user_from_a_private_repository(directory, foreign):
    before = tree(foreign)
    assert init(directory, foreign).returncode == 0
    shutil.chown(foreign / ".repoprobe", USER)
    examined = " ".join(run_cli("doctor", foreign).stdout.split())
    assert f"repoprobe init --remove {foreign} removes it" in examined, examined
    done = init(directory, "--remove", foreign)
    assert done.returncode == 0 and done.stdout == f"removed 0 probe files and {foreign}/.repoprobe\n", done
    assert tree(foreign) == before
    done = init(directory, "--remove", foreign)
    assert done.stdout == f"{foreign}/.repoprobe is not there; nothing was removed\n"


def test_init_leaves_what_belongs_to_somebody_else(directory, foreign):
    foreign.chmod(0o755)
    assert init(directory, foreign).returncode == 0
    done = init(directory, f"--user={USER}", foreign)
    assert done.returncode == 1
    assert f"{foreign}/.repoprobe exists already, belongs to user 34, and user 65534 may not write" in done.stderr
    assert owners(foreign / ".repoprobe") == {OWNER}
    foreign.chmod(0o700)


@pytest.mark.parametrize("what", ["file", "link", "other file system", "nothing", "not mounted", "read-only", "immutable"])
def test_init_refuses_what_a_run_would_refuse(directory, mount, what):
    path = mount.ext4(32)
    fill(path, mode=0o755)
    probe_directory = path / ".repoprobe"
    lines = ""
    if what == "file":
        probe_directory.write_text("mine\n")
    elif what == "link":
        (directory / "elsewhere").mkdir()
        probe_directory.symlink_to(directory / "elsewhere")
    elif what == "other file system":
        lines = f"probe_directory = {directory}/probes\n"
    elif what == "nothing":
        path = directory / "missing"
    elif what == "not mounted":
        subprocess.run(["umount", str(path)], check=True)
        lines = "require_mount = yes\n"
    elif what == "read-only":
        subprocess.run(["mount", "-o", "remount,ro", str(path)], check=True)
    elif what == "immutable":
        subprocess.run(["chattr", "+i", str(path)], check=True)
    before = fingerprint(path), tree(path), tree(directory / "elsewhere")
    written = directory / "repoprobe.conf"
    written.write_text(f"[repository disk]\npath = {path}\n{lines}")
    done = init(directory, "--config", written, f"--user={USER}", "disk")
    assert done.returncode == 1 and done.stdout == ""
    expected = {
        "file": "is not a directory, and was left as it is",
        "link": "is not a directory, and was left as it is",
        "other file system": "is on another file system than the repository",
        "nothing": "does not exist",
        "not mounted": "is not mounted",
        "read-only": "the file system is read-only",
        "immutable": "immutable",
    }
    assert done.stderr.startswith("repoprobe: disk: ") and expected[what] in done.stderr, done.stderr
    assert (fingerprint(path), tree(path), tree(directory / "elsewhere")) == before
    assert not (directory / "probes").exists()
    if what == "immutable":
        subprocess.run(["chattr", "-i", str(path)], check=True)


def test_init_is_for_root_and_knows_its_users(directory, foreign):
    done = run_cli("init", foreign, user=USER)
    assert done.returncode == 1 and "only root can make a directory for another user" in done.stderr
    done = init(directory, "--user=nobdy", foreign)
    assert done.returncode == 2 and "there is no user nobdy" in done.stderr
    done = init(directory)
    assert done.returncode == 2 and "name a directory" in done.stderr
    assert tree(foreign) == ["index", "jobs", "jobs/full.vbk"]
