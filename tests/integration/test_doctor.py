# SPDX-License-Identifier: Apache-2.0
"""`repoprobe doctor` on good and bad places: the facts are those of the machine, what would be refused is what
`run` refuses, and nothing is changed by looking."""
import concurrent.futures
import ctypes
import json
import os
import re
import shutil
import struct
import subprocess
import time

import pytest

from conftest import BUILD, SANITIZED, need, need_program, run_cli, tree

QUICKLY = ("--file-size=4M", "--max-ios=16")


def refuse_constant(text):
    raise ValueError(f"{text} is not JSON")


def strict_object(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)


def doctor(path, *options, code=None, user=None, **popen):
    """The document, after a look at its form; and code."""
    done = run_cli("doctor", "--json", *options, path, user=user, **popen)
    assert done.stderr == "", done.stderr
    document = json.loads(done.stdout, parse_constant=refuse_constant, object_pairs_hook=strict_object)
    levels = [finding["level"] for finding in document["findings"]]
    assert set(levels) <= {"warning", "problem"} and levels == sorted(levels), levels
    assert all(f["about"] and f["text"] for f in document["findings"])
    assert document["verdict"] == (levels[0] if levels else "ok")
    assert done.returncode == (1 if "problem" in levels else 0), document
    if code is not None:
        assert done.returncode == code, document
    return document


def find(document, level, about):
    """The only such finding's text."""
    texts = [f["text"] for f in document["findings"] if (f["level"], f["about"]) == (level, about)]
    assert len(texts) == 1, document["findings"]
    return texts[0]


def picture(path):
    """Everything about everything below, but what reading changes."""
    found = {}
    for name in ["."] + tree(path):
        st = os.lstat(os.path.join(path, name))
        found[name] = (st.st_mode, st.st_uid, st.st_size, st.st_nlink, st.st_mtime_ns, st.st_ctime_ns, st.st_ino)
    return found


def keep_file(path, *options, user=None):
    done = run_cli("run", "--keep-file", *QUICKLY, *options, path, user=user)
    assert done.returncode == 0, done.stderr


def mount_of(path):
    """The line of mountinfo: (mount point, type, source, options)."""
    best = ("", "", "", "")
    for line in open("/proc/self/mountinfo", encoding="utf-8"):
        left, right = line.rstrip("\n").split(" - ")
        point = left.split()[4]
        if (str(path) + "/").startswith(point.rstrip("/") + "/") and len(point) >= len(best[0]):
            best = (point, right.split()[0], right.split()[1], left.split()[5])
    return best


# --- What it is


def test_the_facts_are_those_of_the_machine(repository):
    before = picture(repository)
    document = doctor(repository, code=0)
    point, fs_type, source, options = mount_of(repository)
    assert document["path"] == document["real_path"] == str(repository)
    assert document["mount"]["mount_point"] == point
    assert (document["mount"]["source"], document["mount"]["mount_options"]) == (source, options)
    assert document["file_system"]["fs_type"] == fs_type
    fs = os.statvfs(repository)
    assert document["file_system"]["size_bytes"] == fs.f_blocks * fs.f_frsize
    assert abs(document["file_system"]["free_bytes"] - fs.f_bavail * fs.f_frsize) < 1 << 30
    assert document["file_system"]["must_stay_free_bytes"] == fs.f_blocks * fs.f_frsize // 100 * 5
    access = document["access"]
    st = os.stat(repository)
    assert access["repository"] == {"uid": st.st_uid, "gid": st.st_gid, "mode": "0755", "is_immutable": False}
    assert access["may_write"] and access["probe_directory"] is None
    assert access["probe_directory_path"] == f"{repository}/.repoprobe"
    assert access["probe_file"] == access["run_file"] == {"state": "missing"}
    number = os.stat(repository).st_dev
    sysfs = f"/sys/dev/block/{os.major(number)}:{os.minor(number)}"
    if os.path.exists(sysfs):
        assert document["device"]["name"] == os.path.basename(os.path.realpath(sysfs))
        sectors = open(f"{sysfs}/queue/logical_block_size", encoding="ascii") if os.path.exists(f"{sysfs}/queue") else None
        if sectors:
            assert document["device"]["logical_block_bytes"] == int(sectors.read())
    assert picture(repository) == before


def test_the_text_is_a_table_with_verdicts(repository):
    done = run_cli("doctor", repository)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert re.fullmatch(re.escape(str(repository)) + ": (ok|warning)", lines[0])
    groups = [line for line in lines[1:] if re.match(r"[A-Z]", line)]
    assert groups[:4] == ["Repository", "Mount", "File system", "Device"], groups
    assert groups[4:8] == ["I/O", "Who may write", "A day of probing", "History"], groups
    rows = [line for line in lines if line.startswith("  ")]
    assert all(re.match(r"  (ok|warning|problem|unknown) +\S", row) for row in rows), rows
    assert "\nNothing would be refused" in done.stdout
    assert all(line == line.rstrip() for line in lines)


def test_a_relative_path_and_a_link_lead_there(directory, repository):
    (directory / "link").symlink_to(repository)
    document = doctor("link", cwd=directory)
    assert document["path"] == str(directory / "link")
    assert document["real_path"] == str(repository)


def test_tmpfs_is_told_from_a_disk(mount):
    document = doctor(mount.tmpfs(), code=0)
    assert document["file_system"]["kind"] == "memory" and document["file_system"]["is_in_memory"]
    assert document["device"] is None
    assert document["mount"]["is_mount"]
    assert "in memory" in find(document, "warning", "caches")


def test_sectors_of_4096_bytes_are_seen(mount):
    path = mount.ext4(64, sector_size=4096)
    for tried_by in ("write", "read"):
        document = doctor(path, code=0)
        device = document["device"]
        assert (device["logical_block_bytes"], device["disks"]) == (4096, [device["name"]])
        assert device["backing_file"].startswith(str(path.parent))
        direct = document["direct_io"]
        assert (direct["trial"], direct["tried_by"], direct["shortest_read_bytes"]) == ("worked", tried_by, 4096)
        assert direct["offset_align_bytes"] in (4096, None)  # Linux before 6.1 does not say
        assert document["mount"]["is_mount"] and document["findings"] == []
        keep_file(path)  # from now on there is a file to read


def test_the_uuid_is_the_file_systems(mount):
    path = mount.ext4(32)
    uuid = doctor(path)["file_system"]["fs_uuid"]
    source = doctor(path)["mount"]["source"]
    real = subprocess.run(["blkid", "-p", "-s", "UUID", "-o", "value", source], capture_output=True, text=True)
    need(real.returncode == 0, "needs blkid")
    assert uuid in (real.stdout.strip(), None)  # Linux before 6.9 without udev does not say


# --- Who and what


def test_root_looks_with_the_eyes_of_the_owner(repository, root):
    shutil.chown(repository, "nobody", "nogroup")
    access = doctor(repository, code=0)["access"]
    nobody = os.stat(repository)
    assert (access["caller_uid"], access["worker_uid"]) == (0, nobody.st_uid)
    assert access["worker_gid"] == nobody.st_gid


def test_an_ordinary_user_learns_what_it_may_not(directory, repository, root):
    refused = doctor(repository, code=1, user="nobody")
    text = find(refused, "problem", "user")
    done = run_cli("run", "--json", *QUICKLY, repository, user="nobody")
    assert json.loads(done.stdout)["reason"] in text  # the same words
    assert refused["access"]["may_write"] is False and refused["access"]["error"] == "EACCES"
    assert refused["direct_io"]["trial"] == "not_tried"
    shutil.chown(repository, "nobody")
    allowed = doctor(repository, code=0, user="nobody")
    assert allowed["access"]["may_write"] and allowed["direct_io"]["trial"] != "failed"
    assert tree(repository) == []


def test_files_of_ours_and_of_others_are_counted(repository):
    keep_file(repository)
    own = next((repository / ".repoprobe").glob("*-run.dat"))
    (repository / ".repoprobe/0000000000000000-7.dat").write_bytes(b"x" * 1000)
    access = doctor(repository, code=0)["access"]
    assert access["run_file"] == {"state": "ours", "size_bytes": own.stat().st_size}
    assert access["probe_file"] == {"state": "missing"}
    assert (access["other_files"], access["other_bytes"]) == (1, 1000)
    assert access["probe_directory"]["mode"] == "0700"


# --- What would be refused


def test_places_that_cannot_be(directory):
    (directory / "file").write_text("")
    cases = {
        directory / "missing": "does not exist",
        directory / "file": "is a file, not a directory",
        "/proc": "unsafe path",
        "/sys/kernel": "unsafe path",
        "/dev": "unsafe path",
    }
    for path, words in cases.items():
        document = doctor(path, code=1)
        assert words in find(document, "problem", "path"), path
        assert document["cost"]["written_a_day_bytes"] > 0
        assert "device" not in document and "direct_io" not in document


def test_a_read_only_file_system(mount):
    path = mount.ext4(32)
    subprocess.run(["mount", "-o", "remount,ro", path], check=True)
    document = doctor(path, code=1)
    assert "read_only" in find(document, "problem", "file_system")
    assert document["file_system"]["is_read_only"]


def test_a_read_only_file_system_with_a_probe_file(mount):
    path = mount.ext4(32)
    keep_file(path)
    subprocess.run(["mount", "-o", "remount,ro", path], check=True)
    texts = [f["text"] for f in doctor(path, code=1)["findings"] if f["level"] == "problem"]
    reason = json.loads(run_cli("run", "--json", "--keep-file", *QUICKLY, path).stdout)["reason"]
    assert any(reason in text for text in texts), (reason, texts)


@pytest.mark.parametrize("flag", ["i", "a"])
def test_flags_of_chattr(mount, flag):
    path = mount.ext4(64)
    keep_file(path)
    (path / "empty").mkdir()
    own = next((path / ".repoprobe").glob("*-run.dat"))
    subprocess.run(["chattr", f"+{flag}", own, path / "empty"], check=True)
    try:
        text = find(doctor(path, code=1), "problem", "probe_file")
        assert "immutable" in text and "refused" in text
        reason = json.loads(run_cli("run", "--json", "--keep-file", *QUICKLY, path).stdout)["reason"]
        assert reason in text
        if flag == "i":
            assert "immutable" in find(doctor(path / "empty", code=1), "problem", "probe_directory")
        else:
            assert "chattr +a" in find(doctor(path / "empty", code=0), "warning", "probe_directory")
    finally:
        subprocess.run(["chattr", f"-{flag}", own, path / "empty"], check=True)


def test_a_foreign_file_in_place_of_ours(repository):
    keep_file(repository)
    own = next((repository / ".repoprobe").glob("*-run.dat"))
    foreign = own.with_name(own.name.replace("-run", ""))  # where the daemon's would be
    foreign.write_text("somebody's backup\n")
    before = picture(repository)
    document = doctor(repository, code=1)
    assert "not a probe file of repoprobe's" in find(document, "problem", "probe_file")
    assert document["access"]["probe_file"] == {"state": "foreign"}
    assert picture(repository) == before


def test_no_space_and_no_inodes(mount):
    full = mount.ext4(32)
    with open(full / "rest", "wb", buffering=0) as f:
        try:
            while True:
                f.write(bytes(65536))
        except OSError:
            pass
    assert "must stay free" in find(doctor(full, code=1), "problem", "space")
    few = mount.ext4(32, "-N", "16")
    for i in range(100):
        try:
            (few / f"f{i}").write_text("")
        except OSError:
            break
    document = doctor(few, code=1)
    assert document["file_system"]["free_inodes"] == 0
    said = find(document, "problem", "inodes")
    run = json.loads(run_cli("run", "--json", *QUICKLY, few).stdout)  # in the same words
    assert run["status"] == "no_space"
    assert re.sub(r"needed \d", "needed N", run["reason"]) in re.sub(r"needed \d", "needed N", said)


# --- I/O


def test_direct_io_that_is_declined_or_fails(slow):
    keep_file(slow.path)
    document = doctor(slow.path, code=0)
    assert document["direct_io"]["trial"] == "worked" and document["file_system"]["kind"] == "unknown"
    slow.refuse_direct()
    declined = doctor(slow.path, code=0)
    assert "page cache" in find(declined, "warning", "direct_io")
    assert declined["direct_io"]["error"] == "EINVAL"


def test_a_file_system_without_nameless_files_is_not_tried(slow):
    document = doctor(slow.path, code=0)
    if document["direct_io"]["trial"] == "not_tried":
        assert document["direct_io"]["error"] == "EOPNOTSUPP"
    assert tree(slow.path) == []


def test_a_small_memory_lock_limit_is_seen(repository, root):
    shutil.chown(repository, "nobody")
    prlimit = need_program("prlimit")
    done = subprocess.run(
        [prlimit, "--memlock=65536:65536", BUILD / "repoprobe", "doctor", "--json", repository],
        capture_output=True,
        text=True,
        check=False,
    )
    document = json.loads(done.stdout)
    assert document["io_uring"]["memory_lock_bytes"] == 65536, done.stderr
    assert document["io_uring"]["buffer_bytes"] == 1 << 20
    assert document["io_uring"]["can_register_buffers"] is False
    assert "64 KiB" in find(document, "warning", "buffers")


def forbid_io_uring():
    """A filter as containers have it: io_uring_setup is EPERM."""
    load, compare, give = 0x20, 0x15, 0x06
    code = b"".join(
        struct.pack("HBBI", *line)
        for line in ((load, 0, 0, 0), (compare, 0, 1, 425), (give, 0, 0, 0x50001), (give, 0, 0, 0x7FFF0000))
    )
    filters = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", 4, ctypes.addressof(filters))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def test_a_filter_against_io_uring_is_seen(repository):
    need(os.uname().machine in ("x86_64", "aarch64"), "needs a known number of io_uring_setup")
    document = doctor(repository, preexec_fn=forbid_io_uring)
    assert document["io_uring"]["is_allowed"] is False and document["io_uring"]["error"] == "EPERM"
    finding = next(f for f in document["findings"] if f["about"] == "io_uring")
    assert "filter of system calls" in finding["text"]


# --- Configuration, cost, history


def test_the_cost_is_that_of_the_configuration(directory, repository):
    config = directory / "repoprobe.conf"
    config.write_text(
        f"[defaults]\nmin_free = 7%\n[repository nas1]\npath = {repository}\nprobes = small\n"
        f"probe_directory = {repository}/probes\n"
        "[probe small]\nblock_size = 64K\nwrite = 50\nmax_ios = 16\ninterval = 1h\n"
    )
    document = doctor(repository, "--config", config, "--state-directory", directory / "state")
    assert document["repository"] == "nas1"
    assert document["cost"]["probes"] == ["small"]
    assert document["cost"]["written_a_day_bytes"] == 24 * 16 * 65536 // 2
    assert document["cost"]["read_a_day_bytes"] == 24 * 16 * 65536 // 2
    assert document["access"]["probe_directory_path"] == f"{repository}/probes"
    fs = os.statvfs(repository)
    assert document["file_system"]["must_stay_free_bytes"] == fs.f_blocks * fs.f_frsize // 100 * 7
    # Another place has what a new repository would have.
    other = doctor(directory, "--config", config)
    assert other["repository"] is None
    assert other["cost"]["probes"] == ["active-full", "heartbeat"]
    assert other["cost"]["written_a_day_bytes"] > 10 << 30
    fs = os.statvfs(directory)
    assert other["file_system"]["must_stay_free_bytes"] == fs.f_blocks * fs.f_frsize // 100 * 7


def test_the_largest_buffers_of_the_configuration_are_tried(directory, repository):
    config = directory / "repoprobe.conf"
    config.write_text(
        f"[repository nas1]\npath = {repository}\nprobes = heartbeat, large\ndaily_write_budget = 0\n"
        "[probe large]\nblock_size = 4M\nqueue_depth = 4\nduration = 1min\nmax_bytes = 0\nwarmup = 20s\ntimeout = 5min\n"
    )
    document = doctor(repository, "--config", config, "--state-directory", directory / "state", code=0)
    assert document["io_uring"]["buffer_bytes"] == 16 << 20
    assert document["cost"]["written_a_day_bytes"] is None
    assert "bounded by time alone" in find(document, "warning", "cost")
    if document["device"] and (document["device"]["request_max_bytes"] or 1 << 30) < 4 << 20:
        assert "4194304 bytes are cut" in find(document, "warning", "requests")


def test_a_history_beside_what_is_probed_is_a_warning(directory, repository, mount):
    elsewhere = mount.tmpfs()
    document = doctor(repository, "--state-directory", directory / "state/not/yet")
    assert document["history"]["is_same_file_system"] and document["history"]["shares_disk"]
    assert "file system that is probed" in find(document, "warning", "history")
    document = doctor(repository, "--state-directory", elsewhere)
    assert not document["history"]["is_same_file_system"]
    assert "reboot" in find(document, "warning", "history")


def test_a_broken_configuration_that_was_named_is_an_error(directory, repository):
    config = directory / "repoprobe.conf"
    config.write_text("[nonsense]\n")
    done = run_cli("doctor", "--config", config, repository)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{config}:1:" in done.stderr


@pytest.mark.parametrize("arguments", [[], ["/a", "/b"], ["--nonsense", "/a"], [""]])
def test_wrong_usage(arguments):
    done = run_cli("doctor", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_a_path_that_is_not_utf_8(repository):
    path = os.fsencode(repository) + b"/\xff\xfe"
    os.mkdir(path)
    done = subprocess.run([BUILD / "repoprobe", "doctor", "--json", path], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["path"].startswith(str(repository))


# --- What hangs, and what is touched


@pytest.mark.plain
def test_a_frozen_file_system_does_not_hang_it(mount):
    path = mount.ext4(64)
    subprocess.run(["fsfreeze", "-f", path], check=True)
    try:
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            other = pool.submit(run_cli, "doctor", path)
            document = doctor(path, code=1)
            taken = time.monotonic() - begin
            text = other.result().stdout
    finally:
        subprocess.run(["fsfreeze", "-u", path], check=True)
    assert 10 < taken < (60 if SANITIZED else 25)
    assert document["status"] == "stuck" and document["interrupted_at"] == "direct I/O"
    assert "direct I/O" in find(document, "problem", "path")
    # What was found out before is told.
    assert document["file_system"]["fs_type"] == "ext4" and document["device"]["name"].startswith("loop")
    assert document["access"]["may_write"]
    assert "direct_io" not in document and "io_uring" not in document
    assert "problem  path" in text and "stuck, while examining direct I/O" in text


def test_a_slow_repository_is_waited_for(slow):
    keep_file(slow.path)
    slow.delay(300)
    assert doctor(slow.path)["status"] == "ok"


CHANGING = "unlink,unlinkat,mkdir,mkdirat,rmdir,rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate,"
CHANGING += "ftruncate,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown,mknod,mknodat,utimensat,setxattr,lsetxattr,"
CHANGING += "fsetxattr,fallocate,mount,umount2,creat,flock"
WRITING = "write,pwrite64,writev,pwritev,pwritev2,sendfile,copy_file_range,splice"


def trace(directory, path):
    """The calls of doctor and its worker that succeeded: (name, arguments with names of descriptors)."""
    strace = need_program("strace")
    out = directory / "trace"
    done = subprocess.run(
        [strace, "-f", "-y", "-s", "4096", "-o", out, "-e", f"trace=open,openat,openat2,{CHANGING},{WRITING}"]
        + [BUILD / "repoprobe", "doctor", "--state-directory", "/var/lib/repoprobe", path],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"),
    )
    assert done.returncode == 0, done.stderr
    calls = [re.match(r"\d+ +(\w+)\((.*)\) += (-?\d+|\?)", line) for line in out.read_text().splitlines()]
    return [(c.group(1), c.group(2)) for c in calls if c and not c.group(3).startswith("-")]


def check_calls(calls, repository):
    """No name made or changed; what is written lies outside, or has no name. Returns the writes below."""
    below = []
    for name, arguments in calls:
        is_below = str(repository) in arguments
        if name in ("open", "openat", "openat2"):
            if re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND", arguments) and is_below:
                assert "O_TMPFILE" in arguments, arguments
        elif name in WRITING.split(","):
            if is_below and arguments.split("<")[0].isdigit() and str(repository) in arguments.split(">")[0]:
                assert name == "pwrite64" and "(deleted)" in arguments.split(", ")[0], arguments
                below.append(int(arguments.rsplit(", ", 2)[1]))
        else:
            assert not is_below, (name, arguments)
    return below


def test_nothing_of_a_repository_is_written(directory, repository):
    for i in range(5):
        (repository / f"backup{i}.vbk").write_bytes(os.urandom(100000))
    (repository / "chain").mkdir()
    (repository / "chain/chain.vbm").write_text("<xml/>")
    before = picture(repository)
    direct = doctor(repository)["direct_io"]
    below = check_calls(trace(directory, repository), repository)
    assert below == ([4096, 4096] if direct.get("tried_by") == "write" else [])
    assert picture(repository) == before
    keep_file(repository)
    before = picture(repository)
    assert check_calls(trace(directory, repository), repository) == []
    assert picture(repository) == before
