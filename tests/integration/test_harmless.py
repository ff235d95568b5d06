# SPDX-License-Identifier: Apache-2.0
"""Whatever is wrong with a target: the status and the sentence say it, and nothing foreign is touched."""
import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import BUILD, QUICK, SANITIZED, need_program, run_cli, tree, without_leak_check

OPTIONS = ("--file-size=4M", "--max-ios=16", "--block-size=64K")
RUN_FILE = "*-run.dat"
PROBE_DIRECTORY = ".repoprobe"


def populate(path):
    """What a backup program might keep there."""
    (path / "vm").mkdir()
    (path / "vm" / "full.vbk").write_bytes(os.urandom(200_000))
    (path / "vm" / "chain.vbm").write_text("metadata\n")
    (path / "CACHEDIR.TAG").write_text("not ours\n")
    (path / "link").symlink_to("vm/full.vbk")
    os.utime(path / "vm" / "full.vbk", ns=(1_600_000_000_123_456_789, 1_600_000_000_123_456_789))
    return path


def snapshot(path):
    """Hash, size, mode, owner and times of all but the probe directory (and the directory it is in)."""
    found = {}
    for name in tree(path):
        if name.split("/")[0] == PROBE_DIRECTORY:
            continue
        each = path / name
        st = each.lstat()
        content = os.readlink(each) if each.is_symlink() else each.read_bytes() if each.is_file() else b""
        digest = hashlib.sha256(content if isinstance(content, bytes) else content.encode()).hexdigest()
        found[name] = (digest, st.st_size, st.st_mode, st.st_uid, st.st_mtime_ns, st.st_ino)
    return found


@contextlib.contextmanager
def unharmed(path):
    before = snapshot(path)
    assert before
    yield
    assert snapshot(path) == before


def run_json(*arguments, code=1):
    done = run_cli("run", "--json", *OPTIONS, *arguments)
    assert done.returncode == code, (done.stdout, done.stderr)
    run = json.loads(done.stdout)
    if code:
        assert len(done.stderr.splitlines()) == 1 and run["operations"] == {}, (done.stderr, run)
    return run


def expect(path, status, *parts, options=()):
    run = run_json(*options, path)
    assert run["status"] == status, run
    for part in parts:
        assert part in run["reason"], run
    return run


# --- In place of our file


@pytest.fixture
def kept(repository):
    """A repository with data and a probe file of an earlier run: (repository, file)."""
    populate(repository)
    run_json("--keep-file", repository, code=0)
    return repository, next((repository / PROBE_DIRECTORY).glob(RUN_FILE))


def put_symlink(file):
    file.symlink_to("../vm/full.vbk")


def put_hard_link(file):
    os.link(file.parents[1] / "vm" / "full.vbk", file)


def put_foreign_file(file):
    file.write_bytes(b"the only copy " * 1000)


def put_magic(file):
    file.write_bytes(b"repoprobe")


def put_directory(file):
    file.mkdir()


def put_fifo(file):
    os.mkfifo(file)


def put_foreign_owner(file):
    file.write_bytes(b"")
    os.chown(file, 4711, 4711)


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("put", "says"),
    [
        (put_symlink, "symbolic link"),
        (put_hard_link, "hard links"),
        (put_foreign_file, "not a probe file"),
        (put_magic, "not a probe file"),
        (put_directory, "not a regular file"),
        (put_fifo, "not a regular file"),
        (put_foreign_owner, "another user"),
    ],
)
def test_what_stands_in_place_of_our_file_is_refused_and_left(kept, put, says):
    repository, file = kept
    file.unlink()
    put(file)
    before = file.lstat()
    directory = sorted(os.listdir(file.parent))
    with unharmed(repository):
        expect(repository, "refused", says, "left as it is")
    after = file.lstat()
    assert (after.st_ino, after.st_mode, after.st_size, after.st_mtime_ns) == (
        before.st_ino,
        before.st_mode,
        before.st_size,
        before.st_mtime_ns,
    )
    assert sorted(os.listdir(file.parent)) == directory  # never a second file


@pytest.mark.parametrize("what", ["link", "file"])
def test_what_stands_in_place_of_our_directory_is_refused_and_left(repository, directory, what):
    populate(repository)
    elsewhere = directory / "elsewhere"
    elsewhere.mkdir()
    if what == "link":
        (repository / PROBE_DIRECTORY).symlink_to(elsewhere)
    else:
        (repository / PROBE_DIRECTORY).write_text("foreign")
    with unharmed(repository):
        expect(repository, "refused", "not a directory")
    assert tree(elsewhere) == []


@pytest.mark.parametrize("letter", ["i", "a"])
def test_the_daemon_tells_of_an_immutable_file_once_and_makes_no_other(daemon, mount, letter):
    path = populate(mount.ext4(64))
    d = daemon(config=f"[repository vault]\npath = {path}\nprobes = quick\n{QUICK}").wait_ready()
    d.wait_runs("vault", 1)
    file = next((path / PROBE_DIRECTORY).glob("*.dat"))
    subprocess.run(["chattr", f"+{letter}", file], check=True)
    try:
        with unharmed(path):
            names = tree(path)
            d.probe("vault", times=3)
            shown = d.repository("vault")
            assert shown["state"] == "warning" and "immutable" in shown["reason"], shown
            assert d.count_lines(r"vault/quick: refused: .*immutable") == 1, d.log
            assert tree(path) == names
    finally:
        subprocess.run(["chattr", f"-{letter}", file], check=True)
    d.probe("vault", times=3)  # so many good runs end an incident of that kind
    assert d.repository("vault")["state"] == "ok"


# --- Read-only, in one way and another


def test_a_read_only_file_system_is_told_from_a_sandbox(mount):
    path = populate(mount.ext4(64))
    for _ in range(2):  # without and with a file of ours
        with unharmed(path):
            subprocess.run(["mount", "-o", "remount,ro", path], check=True)
            expect(path, "read_only", "the file system is read-only")
            subprocess.run(["mount", "-o", "remount,rw", path], check=True)
            script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
            done = subprocess.run(
                ["unshare", "-m", "sh", "-c", script, str(path), str(BUILD / "repoprobe"), "run", "--json"]
                + [*OPTIONS, str(path)],
                capture_output=True,
                text=True,
                check=False,
            )
            run = json.loads(done.stdout)
            assert (done.returncode, run["status"]) == (1, "refused"), run
            assert "service sandbox" in run["reason"], run
        run_json("--keep-file", path, code=0)


def test_the_daemon_sees_a_file_system_go_read_only_and_come_back(daemon, mount):
    path = populate(mount.ext4(64))
    d = daemon(config=f"[repository vault]\npath = {path}\nprobes = quick\n{QUICK}").wait_ready()
    d.wait_runs("vault", 1)
    with unharmed(path):
        subprocess.run(["mount", "-o", "remount,ro", path], check=True)
        d.probe("vault", times=2)
        assert d.repository("vault")["state"] == "critical"
        assert d.count_lines(r"vault/quick: read_only: .*read-only") == 1, d.log
        subprocess.run(["mount", "-o", "remount,rw", path], check=True)
        d.probe("vault", times=3)
        assert d.repository("vault")["state"] == "ok"


# --- Mounted, and the right one


def last_run(d, name):
    return d.sql("SELECT status, reason FROM runs_v WHERE repository = ? ORDER BY id DESC LIMIT 1", name)[0]


def probe_and_expect(d, name, status, *parts):
    d.probe(name)
    d.wait_sql("SELECT status FROM runs_v ORDER BY id DESC LIMIT 1", [(status,)])
    _, reason = last_run(d, name)
    for part in parts:
        assert part in (reason or ""), (status, reason)
    assert d.metric("repoprobe_probe_success", repository=name, probe="quick") == (1 if status == "ok" else 0)


def vault_config(path, *keys):
    return "\n".join([f"[repository vault]\npath = {path}\nprobes = quick", *keys, QUICK])


def test_a_missing_mount_is_not_written_to(daemon, mount):
    path = populate(mount.ext4(64))
    device = mount.device(path)
    d = daemon(config=vault_config(path)).wait_ready()
    d.wait_runs("vault", 1)
    d.wait_sql("SELECT is_mount, mount_point FROM first_identity", [(1, str(path))])
    with unharmed(path):
        subprocess.run(["umount", path], check=True)
        (path / "foreign").write_text("on the disk below")
        with unharmed(path):
            probe_and_expect(d, "vault", "not_mounted", f"{path} is not mounted: nothing was written")
            assert d.repository("vault")["state"] == "critical"
            # What was first seen outlives the daemon, however it ends.
            d.kill()
            d.start().wait_ready()
            d.wait_runs("vault", 1)
            assert last_run(d, "vault")[0] == "not_mounted"
            probe_and_expect(d, "vault", "not_mounted", "nothing was written")
            assert tree(path) == ["foreign"]
        (path / "foreign").unlink()
        path.rmdir()
        probe_and_expect(d, "vault", "not_mounted", "does not exist: nothing was written")
        assert not path.exists()
        path.mkdir()
        subprocess.run(["mount", device, path], check=True)
    probe_and_expect(d, "vault", "ok")


def test_a_directory_on_a_missing_mount_is_not_made_on_the_disk_below(daemon, mount):
    path = mount.ext4(64)
    device = mount.device(path)
    below = path / "backups"
    below.mkdir()
    populate(below)
    d = daemon(config=vault_config(below)).wait_ready()
    d.wait_runs("vault", 1)
    subprocess.run(["umount", path], check=True)
    probe_and_expect(d, "vault", "not_mounted", "does not exist: nothing was written")
    below.mkdir()
    probe_and_expect(d, "vault", "not_mounted", f"{path} is not mounted: nothing was written")
    assert tree(path) == ["backups"]
    below.rmdir()
    subprocess.run(["mount", device, path], check=True)
    probe_and_expect(d, "vault", "ok")


def test_another_file_system_at_the_path_is_the_wrong_target(daemon, mount):
    path = populate(mount.ext4(64))
    other = populate(mount.ext4(64))
    device, other_device = mount.device(path), mount.device(other)
    other_uuid = mount.uuid(other)
    d = daemon(config=vault_config(path)).wait_ready()
    d.wait_runs("vault", 1)
    subprocess.run(["umount", path], check=True)
    subprocess.run(["mount", other_device, path], check=True)
    with unharmed(path):
        names = tree(path)
        probe_and_expect(d, "vault", "wrong_target", "not what was first seen there", "nothing was written")
        d.stop()
        d.start().wait_ready()
        d.wait_runs("vault", 1)
        assert last_run(d, "vault")[0] == "wrong_target"
        assert tree(path) == names
    # Who means it says so.
    d.config_path.write_text(vault_config(path, f"expect_source = UUID={other_uuid}", "expect_fstype = ext4"))
    d.hang_up()
    d.wait_line("configuration reloaded")
    probe_and_expect(d, "vault", "ok")
    subprocess.run(["umount", path], check=True)
    subprocess.run(["mount", device, path], check=True)
    with unharmed(path):
        probe_and_expect(d, "vault", "wrong_target", f"expected UUID={other_uuid}: nothing was written")


def test_what_is_expected_by_the_configuration_is_asked_for_at_once(daemon, mount, repository, directory):
    path = populate(mount.ext4(64))
    populate(repository)
    link = directory / "device"
    link.symlink_to(mount.device(path))
    config = f"""
[repository typed]
path = {path}
probes = quick
expect_fstype = xfs
[repository linked]
path = {repository}
probes = quick
expect_source = {mount.device(path)}
[repository bound]
path = {directory / "bound"}
probes = quick
require_mount = yes
"""
    bound = directory / "bound"
    bound.mkdir()
    (bound / "foreign").write_text("foreign")
    mount.paths.append(bound)
    subprocess.run(["mount", "--bind", bound, bound], check=True)  # mountinfo has it, but it is no other device
    with unharmed(path), unharmed(repository), unharmed(bound):
        d = daemon(config=config + QUICK).wait_ready()
        for name, status, part in [
            ("typed", "wrong_target", "of type ext4, expected xfs"),
            ("linked", "wrong_target", f"expected {mount.device(path)}"),
            ("bound", "not_mounted", f"{bound} is not mounted"),
        ]:
            d.wait_runs(name, 1)
            found, reason = last_run(d, name)
            assert found == status and part in reason and "nothing was written" in reason, (name, found, reason)
            assert d.repository(name)["state"] == "critical"
        for each in (path, repository, bound):
            assert not (each / PROBE_DIRECTORY).exists()
        d.config_path.write_text(vault_config(path, f"expect_source = {link}", "expect_fstype = ext4"))
        d.hang_up()
        d.wait_line("configuration reloaded")
        d.wait_runs("vault", 1)
        assert last_run(d, "vault")[0] == "ok"  # another name of the same device


def test_what_has_a_new_uuid_at_each_mount_is_known_by_type_and_source(daemon, mount):
    path = mount.tmpfs("64M")
    d = daemon(config=vault_config(path)).wait_ready()
    d.wait_runs("vault", 1)
    subprocess.run(["umount", path], check=True)
    probe_and_expect(d, "vault", "not_mounted", f"{path} is not mounted")
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", path], check=True)
    probe_and_expect(d, "vault", "ok")


# --- Errors of the file system


@pytest.mark.parametrize(
    ("number", "status", "says"),
    [
        (errno.EIO, "error", "the disk or the server failed (EIO)"),
        (errno.ESTALE, "error", "remount the file system (ESTALE)"),
        (errno.ENOSPC, "no_space", "no space left on the file system (ENOSPC)"),
        (errno.EDQUOT, "no_space", "the disk quota is used up (EDQUOT)"),
        (errno.EROFS, "read_only", "the file system is read-only (EROFS)"),
    ],
)
def test_each_error_has_its_status_and_sentence(slow, number, status, says):
    populate(slow.backing)
    for is_laid_out in (False, True):
        if is_laid_out:
            run_json("--keep-file", slow.path, code=0)
        names = tree(slow.backing)
        with unharmed(slow.backing):
            slow.error(number)
            done = run_cli("run", "--json", *OPTIONS, "--keep-file", slow.path)
            slow.error(0)
        run = json.loads(done.stdout)
        assert (done.returncode, run["status"]) == (1, status), run
        assert says in run["reason"], run
        assert tree(slow.backing) == names


@pytest.mark.usefixtures("root")
def test_a_user_is_told_what_is_lacking_where(directory):
    closed = directory / "closed"
    inner = closed / "inner"
    inner.mkdir(parents=True)
    closed.chmod(0o700)
    done = run_cli("run", *OPTIONS, inner, user="nobody")
    assert done.returncode == 1
    assert f"may not enter {closed} (owner 0, mode 0700)" in done.stderr, done.stderr
    closed.chmod(0o755)
    done = run_cli("run", *OPTIONS, inner, user="nobody")
    assert done.returncode == 1
    assert re.search(r"user 65534 may not write to its directory \(owner 0, mode 0\d{3}\)", done.stderr), done.stderr
    assert tree(closed) == ["inner"]


def fill_inodes(path):
    names = []
    with contextlib.suppress(OSError):
        for i in range(64):
            (path / f"foreign{i}").write_text(f"{i}")
            names.append(f"foreign{i}")
    return names


def test_inodes_are_counted_before_something_is_made(mount):
    path = mount.ext4(16, "-N", "16")
    small = ("--file-size=1M", "--block-size=4K", "--keep-file")
    run_json(*small, path, code=0)
    assert fill_inodes(path)
    with unharmed(path):
        run_json(*small, path, code=0)  # nothing is to be made
        names = tree(path)
        fresh = run_json(*small, "--fresh=yes", path)
        assert fresh["status"] == "no_space" and "inodes left: 0, needed 1" in fresh["reason"], fresh
        assert tree(path) == names
    shutil.rmtree(path / PROBE_DIRECTORY)
    fill_inodes(path / "lost+found")
    with unharmed(path):
        run = run_json(*small, path)
        assert run["status"] == "no_space" and "inodes left: 0, needed 3" in run["reason"], run
        assert not (path / PROBE_DIRECTORY).exists()


@pytest.mark.parametrize("is_kept", [False, True], ids=["new", "kept"])
def test_a_full_image_is_not_written_to(mount, is_kept):
    path = populate(mount.ext4(32))
    if is_kept:
        run_json("--keep-file", path, code=0)
    with contextlib.suppress(OSError), open(path / "filler", "wb", buffering=0) as f:
        while f.write(bytes(1 << 16)):
            pass
    names = tree(path)
    times = [(name, (path / name).lstat().st_mtime_ns) for name in names if name.endswith(".dat")]
    with unharmed(path):
        expect(path, "no_space", "must stay free")
    assert tree(path) == names
    assert [(name, (path / name).lstat().st_mtime_ns) for name, _ in times] == times


# --- Nothing is opened for writing elsewhere

CHANGING = "open,openat,openat2,creat,unlink,unlinkat,rmdir,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2"
CHANGING += ",link,linkat,symlink,symlinkat,truncate,ftruncate,fallocate,chmod,fchmod,fchmodat,chown,fchown,fchownat"
CHANGING += ",lchown,utimensat,setxattr,lsetxattr,fsetxattr"
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")
HARMLESS = re.compile(r'"/dev/(null|tty)"')
# Their reports lie in a directory of conftest.py's, whose parents they make where missing.
SANITIZERS = re.compile(r'.*/repoprobe-test-reports-|mkdir\("/[^"]*", 0755\) += -1 EEXIST')


def changes(trace):
    """Every traced call that could change something, without those on /dev/null."""
    found = []
    for line in trace.read_text().splitlines():
        call = re.search(r"\b(\w+)\((.*)", line)
        if not call or call.group(1) not in CHANGING.split(",") or HARMLESS.search(line):
            continue
        if call.group(1).startswith("open") and not WRITES.search(line):
            continue
        if SANITIZED and SANITIZERS.match(call.group(0)):
            continue
        found.append(call.group(0))
    return found


@pytest.mark.parametrize("case", ["ok", "kept", "fresh", "foreign file", "full"])
def test_no_call_could_write_outside_the_probe_directory(directory, repository, case):
    strace = need_program("strace")
    trace = directory / "trace"
    populate(repository)
    options = {"fresh": ["--fresh=yes"], "full": ["--file-size=1P"]}.get(case, [])
    if case in ("kept", "foreign file"):
        run_json("--keep-file", repository, code=0)
    if case == "foreign file":
        next((repository / PROBE_DIRECTORY).glob(RUN_FILE)).write_text("foreign")
    with unharmed(repository):
        done = subprocess.run(
            [strace, "-f", "-y", "-s", "4096", "-o", trace, "-e", f"trace={CHANGING}", BUILD / "repoprobe", "run"]
            + [*OPTIONS, *options, repository],
            capture_output=True,
            text=True,
            check=False,
            env=dict(os.environ, ASAN_OPTIONS=without_leak_check()),
        )
    assert done.returncode == (1 if case in ("foreign file", "full") else 0), done.stderr
    ours = repository / PROBE_DIRECTORY
    found = changes(trace)
    for call in found:
        inside = re.match(rf'\w+\(\d+<{re.escape(str(ours))}(/[^>"]*)?>', call)
        itself = re.match(rf'(mkdirat|unlinkat)\(\d+<{re.escape(str(repository))}>, "{PROBE_DIRECTORY}"', call)
        assert inside or itself, call
    if case != "full":
        assert found


def test_doctor_opens_nothing_for_writing_that_has_a_name(directory, repository):
    strace = need_program("strace")
    trace = directory / "trace"
    populate(repository)
    with unharmed(repository):
        subprocess.run(
            [strace, "-f", "-y", "-s", "4096", "-o", trace, "-e", f"trace={CHANGING}", BUILD / "repoprobe", "doctor"]
            + [repository],
            capture_output=True,
            check=True,
            env=dict(os.environ, ASAN_OPTIONS=without_leak_check()),
        )
    for call in changes(trace):
        assert "O_TMPFILE" in call, call
    assert not (repository / PROBE_DIRECTORY).exists()
