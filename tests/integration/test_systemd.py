# SPDX-License-Identifier: Apache-2.0
"""What the daemon tells systemd, heard on a socket of our own."""
import os
import re
import socket
import subprocess
import threading

import pytest

from conftest import QUICK, SOURCE, wait_for


class Listener:
    """The other end of NOTIFY_SOCKET."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.messages = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while data := self.socket.recv(4096):
            self.messages.append(data.decode())

    def wait(self, pattern):
        def find():
            return next((m for m in list(self.messages) if re.search(pattern, m, re.M)), None)

        return wait_for(find, lambda: f"{pattern} in {self.messages}")


@pytest.fixture
def listener(directory):
    return Listener(directory / "notify")


def test_readiness_watchdog_reload_and_stop_are_told(daemon, directory, repository, listener):
    text = f"[repository disk]\npath = {repository}\nprobes = quick\n{QUICK}"
    d = daemon(config=text, environment={"NOTIFY_SOCKET": str(directory / "notify"), "WATCHDOG_USEC": "1000000"})
    listener.wait(r"^READY=1$")
    listener.wait(r"^WATCHDOG=1$")
    d.wait_ready().wait_runs("disk", 1)
    listener.wait(r"^STATUS=1 of 1 repositories ok$")
    d.config_path.write_text(text + "blok_size = 1\n")
    d.hang_up()
    message = listener.wait(r"^RELOADING=1$")
    assert re.search(r"^MONOTONIC_USEC=\d+$", message, re.M)
    listener.wait(r"^STATUS=.*not reloaded.*blok_size")
    wait_for(lambda: sum("READY=1" in m for m in listener.messages) == 2, "the end of the reload")
    d.stop()
    listener.wait(r"^STOPPING=1$")
    order = [m.split("=")[0] for m in listener.messages if not m.startswith(("WATCHDOG", "STATUS"))]
    assert order == ["READY", "RELOADING", "READY", "STOPPING"]


def test_no_descriptor_and_no_variable_of_it_goes_to_the_workers(daemon, directory, slow, listener):
    """A worker that is stuck must hold nothing of the daemon's but its socket."""
    slow.delay(100)
    d = daemon(
        config=f"[repository slow]\npath = {slow.path}\nprobes = quick\n{QUICK}",
        environment={"NOTIFY_SOCKET": str(directory / "notify")},
    )
    worker = wait_for(lambda: d.workers(), "a worker")[0]
    wait_for(lambda: any(".dat" in link for link in links(worker)), "its file to be open")
    foreign = [link for link in links(worker) if not re.search(r"/slow\b|^/dev/null$|^socket:|anon_inode:", link)]
    assert foreign == []
    assert sum(link.startswith("socket:") for link in links(worker)) == 1
    assert os.getpgid(worker) != os.getpgid(d.process.pid)
    slow.delay(1)


def links(pid):
    found = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except OSError:  # closed meanwhile
            pass
    return found


def test_lines_carry_a_priority_when_the_journal_listens(daemon, directory, repository):
    d = daemon(wait=False, repositories={"disk": repository})
    d.stop()
    read_end, write_end = os.pipe()
    status = os.fstat(write_end)
    d.environment["JOURNAL_STREAM"] = f"{status.st_dev}:{status.st_ino}"
    lines = []
    process = subprocess.Popen(d.arguments, stderr=write_end, env=d.environment)
    os.close(write_end)
    with os.fdopen(read_end) as log:
        for line in log:
            lines.append(line)
            if "watching" in line:
                process.terminate()
    assert process.wait(60) == 0
    assert lines and all(re.match(r"<[0-7]>\S", line) for line in lines), lines


def test_the_unit_is_what_the_daemon_expects():
    unit = (SOURCE / "systemd/repoprobed.service.in").read_text()
    for line in ("Type=notify", "KillMode=process", "TimeoutStopSec=5s"):
        assert line in unit.splitlines()
    assert re.search(r"^WatchdogSec=\d+", unit, re.M)
