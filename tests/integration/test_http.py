# SPDX-License-Identifier: Apache-2.0
"""The HTTP server from outside: what it answers, what it refuses, what it bears."""
import contextlib
import gzip
import json
import re
import signal
import socket
import threading

import pytest

from conftest import QUICK, TEST_HOOKS, daemons, need, run_cli, temporary_directory, wait_for


def start(factory, directory):
    """A daemon with one committed run."""
    (directory / "disk").mkdir()
    d = factory(config=f"[repository disk]\npath = {directory}/disk\nprobes = quick\n{QUICK}").wait_ready()
    d.wait_runs("disk", 1)
    d.wait_sql("SELECT count(*) FROM runs_v", [(1,)])
    return d


@pytest.fixture(scope="module")
def shared():
    """For the tests that only ask."""
    with temporary_directory() as directory, daemons(directory) as factory:
        yield start(factory, directory)


@pytest.fixture
def server(daemon, directory):
    return start(daemon, directory)


def steady_overview(d):
    """The overview's ETag once nothing changes any more."""

    def is_steady():
        first, second = (d.get("/api/v1/overview")[1]["ETag"] for _ in range(2))
        return first if first == second else None

    return wait_for(is_steady, "a steady overview")


@pytest.mark.parametrize(("path", "text"), [("/-/healthy", b"healthy\n"), ("/-/ready", b"ready\n")])
def test_health_is_one_line(shared, path, text):
    status, headers, body = shared.get(path)
    assert (status, body) == (200, text)
    assert headers["Content-Type"].startswith("text/plain")
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/metrics/", 404, "not_found"),
        ("GET", "/api/v1/runs/0", 404, "not_found"),
        ("GET", "/api/v1/runs/999999", 404, "not_found"),
        ("GET", "/api/v1/runs/x", 404, "not_found"),
        ("GET", "/api/v1/series?repository=nowhere&probe=quick&operation=read", 404, "not_found"),
        ("GET", "/api/v1/heatmap", 400, "bad_parameter"),
        ("GET", "/api/v1/incidents/7", 404, "not_found"),
        ("GET", "/api/v1/incidents?state=shut", 400, "bad_parameter"),
        ("GET", "/a/../../etc/passwd", 404, "not_found"),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd", 404, "not_found"),
        ("POST", "/api/v1/overview", 405, "method_not_allowed"),
        ("PUT", "/metrics", 405, "method_not_allowed"),
        ("DELETE", "/api/v1/runs/1", 405, "method_not_allowed"),
        ("OPTIONS", "/", 405, "method_not_allowed"),
        ("GET", "/api/v1/series", 400, "bad_parameter"),
        ("GET", "/api/v1/series?repository=disk&probe=quick&operation=erase", 400, "bad_parameter"),
        ("GET", "/api/v1/series?repository=disk&probe=quick&operation=read&points=0", 400, "bad_parameter"),
        ("GET", "/api/v1/series?repository=disk&probe=quick&operation=read&from=now&to=now-1h", 400, "bad_parameter"),
        ("GET", "/api/v1/series?repository=disk&probe=quick&operation=read&from=yesterday", 400, "bad_parameter"),
        ("GET", "/api/v1/runs?limit=-1", 400, "bad_parameter"),
        ("GET", "/api/v1/runs?repo=disk", 400, "bad_parameter"),
        ("GET", "/api/v1/runs?limit=1&limit=2", 400, "bad_parameter"),
        ("GET", "/api/v1/runs?repository=%ff", 400, "bad_parameter"),
        ("GET", "/%zz", 400, "bad_path"),
        ("GET", "/" + "x" * 9000, 414, "uri_too_long"),
    ],
)
def test_errors_are_json_with_a_code(shared, method, path, status, code):
    found, headers, body = shared.get(path, method=method)
    assert found == status, body
    assert headers["Content-Type"].startswith("application/json")
    error = json.loads(body)["error"]
    assert error["code"] == code and error["message"]
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    if status == 405:
        assert headers["Allow"] == "GET, HEAD"


def test_too_large_headers_are_refused(shared):
    status, _, body = shared.get("/metrics", headers={"X-Large": "x" * 20000})
    assert status == 431 and json.loads(body)["error"]["code"] == "headers_too_large"


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("localhost", True),
        ("localhost:1234", True),
        ("127.0.0.1", True),
        ("[::1]:80", True),
        ("LOCALHOST", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("127.0.0.2", False),
        ("", False),
    ],
)
def test_only_its_own_host_names_are_answered(shared, host, is_ours):
    """A page elsewhere must not read the dashboard through a name that it lets point here."""
    for path in ("/", "/metrics", "/api/v1/overview", "/-/healthy"):
        status, _, body = shared.get(path, headers={"Host": host})
        assert (status == 200) == is_ours, (status, body)
        if not is_ours:
            assert status == 400


def test_what_has_not_changed_is_not_sent_again(server):
    etag = steady_overview(server)
    status, headers, body = server.get("/api/v1/overview", headers={"If-None-Match": etag})
    assert (status, body, headers["ETag"]) == (304, b"", etag)
    assert server.get("/api/v1/overview", headers={"If-None-Match": '"other"'})[0] == 200
    assert server.get("/api/v1/overview", headers={"If-None-Match": f'"other", W/{etag}'})[0] == 304
    server.probe("disk")
    assert server.get("/api/v1/overview", headers={"If-None-Match": etag})[0] == 200
    assert server.get("/metrics")[1]["ETag"] is None


@pytest.mark.parametrize("path", ["/", "/metrics", "/api/v1/overview", "/api/v1/runs"])
def test_gzip_is_used_when_it_is_taken(shared, path):
    steady_overview(shared)
    status, headers, packed = shared.get(path, headers={"Accept-Encoding": "gzip"})
    assert (status, headers["Content-Encoding"]) == (200, "gzip")
    assert "Accept-Encoding" in headers["Vary"]
    _, plain_headers, plain = shared.get(path, headers={"Accept-Encoding": "identity"})
    assert plain_headers["Content-Encoding"] is None
    assert plain_headers["ETag"] is None or plain_headers["ETag"] != headers["ETag"]
    if path != "/metrics":  # which goes on counting
        assert gzip.decompress(packed) == plain
    assert b"disk" in gzip.decompress(packed) or path == "/"
    assert shared.get(path, headers={"Accept-Encoding": "gzip;q=0"})[1]["Content-Encoding"] is None


@pytest.mark.parametrize("path", ["/", "/metrics", "/api/v1/overview", "/-/healthy", "/nothing"])
def test_head_is_get_without_the_body(shared, path):
    status, headers, body = shared.get(path, method="HEAD")
    assert body == b"" and status == (404 if path == "/nothing" else 200)
    assert int(headers["Content-Length"]) > 0


def test_the_page_comes_from_here_alone(shared):
    status, headers, body = shared.get("/")
    assert status == 200 and headers["Content-Type"].startswith("text/html")
    policy = headers["Content-Security-Policy"]
    assert "unsafe" not in policy and "http" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    text = body.decode()
    references = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert references
    for reference in references:
        assert not re.match(r"(?:[a-z]+:)?//|/", reference) or reference.startswith("data:"), reference
        if not reference.startswith(("data:", "#")):
            found, asset, content = shared.get("/" + reference)
            assert found == 200 and content, reference
            assert "immutable" in asset["Cache-Control"] or not reference.startswith("a/")
    assert not re.search(r"<script(?![^>]*\bsrc=)|\bstyle=|\bon\w+=", text)


def test_series_are_columns(server):
    server.probe("disk", times=3)
    server.wait_sql("SELECT count(*) FROM runs_v", [(4,)])
    base = "/api/v1/series?repository=disk&probe=quick&operation=read"
    document = server.json(base)
    assert (document["repository"], document["probe"], document["operation"]) == ("disk", "quick", "read")
    series = document["series"]
    for column in ("time", "avg", "p50", "p95", "p99", "min", "max", "throughput", "iops"):
        assert len(series[column]) == 4, column
    assert series["counts"]["ok"] == [1, 1, 1, 1] and series["counts"]["failed"] == [0, 0, 0, 0]
    assert series["time"] == sorted(series["time"])
    for i in range(4):
        assert 0 < series["min"][i] <= series["avg"][i] <= series["max"][i]
    few = server.json(base + "&points=2")["series"]
    assert len(few["time"]) <= 2 and sum(few["counts"]["ok"]) == 4
    assert server.json(base + "&to=now-24h&from=now-48h")["series"]["time"] == []
    rfc3339 = server.json(base + "&from=2020-01-01T00:00:00Z&to=now")["series"]
    assert rfc3339["time"] == series["time"]
    status, headers, body = server.get(base + "&format=csv")
    assert status == 200 and headers["Content-Type"].startswith("text/csv")
    rows = body.decode().split("\r\n")
    statuses = [status for status in series["counts"] if status not in ("ok", "failed")]
    assert len(statuses) == 10 and sum(sum(series["counts"][status]) for status in statuses) == 0
    assert rows[0] == ",".join(["utc,time,avg,p50,p95,p99,min,max,throughput,iops,ok,failed", *statuses]) and len(rows) == 6 and rows[5] == ""


def test_runs_are_the_same_here_and_on_the_command_line(server):
    runs = server.json("/api/v1/runs?repository=disk&limit=5")["runs"]
    assert [run["id"] for run in runs] == [1]
    assert server.json("/api/v1/runs/1") == runs[0]
    done = run_cli("show", "--json", "1", "--state-directory", server.state)
    assert json.loads(done.stdout) == runs[0]


def request_for(path, connection="close"):
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: {connection}\r\n\r\n".encode()


def read_answer(s):
    """(status, body) of one answer; the connection may stay open."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        data = s.recv(1 << 16)
        assert data, f"closed after {answer!r}"
        answer += data
    head, _, body = answer.partition(b"\r\n\r\n")
    length = int(re.search(rb"Content-Length: (\d+)", head).group(1))
    while len(body) < length:
        data = s.recv(1 << 16)
        assert data, f"closed after {len(body)} of {length} bytes"
        body += data
    assert len(body) == length
    return int(head.split()[1]), body


@contextlib.contextmanager
def connections(d, count, sources=5):
    """From so many addresses: each may hold a share."""
    sockets = [
        socket.create_connection(("127.0.0.1", d.port), timeout=25, source_address=(f"127.0.0.{i % sources + 1}", 0))
        for i in range(count)
    ]
    try:
        yield sockets
    finally:
        for s in sockets:
            s.close()


def test_200_requests_at_once_are_all_answered(server):
    paths = ["/metrics", "/api/v1/overview", "/", "/api/v1/series?repository=disk&probe=quick&operation=read"]
    statuses = {path: [] for path in paths}
    with connections(server, 200) as sockets:
        for i, s in enumerate(sockets):
            s.sendall(request_for(paths[i % len(paths)]))
        for i, s in enumerate(sockets):
            statuses[paths[i % len(paths)]].append(read_answer(s)[0])
    for path in paths[:3]:
        assert set(statuses[path]) == {200}, statuses
    # Questions to the history have a bounded queue: what does not fit is told so.
    assert statuses[paths[3]].count(200) >= 10 and set(statuses[paths[3]]) <= {200, 503}, statuses
    assert server.get("/-/healthy")[0] == 200


def test_all_connections_that_are_allowed_may_ask_in_one_moment(server):
    """max_connections is 256: each has been accepted, and then all are ready before the server looks."""
    with connections(server, 256) as sockets:
        for s in sockets:
            s.sendall(request_for("/-/healthy", "keep-alive"))
        for s in sockets:
            assert read_answer(s) == (200, b"healthy\n")
        server.process.send_signal(signal.SIGSTOP)
        try:
            for s in sockets:
                s.sendall(request_for("/-/healthy"))
        finally:
            server.process.send_signal(signal.SIGCONT)
        for s in sockets:
            assert read_answer(s) == (200, b"healthy\n")


def test_clients_that_stall_block_nobody(server):
    stalled = []
    try:
        for i in range(60):
            s = socket.create_connection(("127.0.0.1", server.port), timeout=60)
            s.sendall(b"GET /metrics HTTP/1.1\r\nHost: local" if i % 2 else request_for("/"))
            stalled.append(s)  # the one half never ends its request, the other never reads its answer
        for path in ("/metrics", "/api/v1/overview", "/api/v1/runs"):
            assert server.get(path)[0] == 200
        server.probe("disk")
    finally:
        for s in stalled:
            s.close()


@contextlib.contextmanager
def dripping(sockets):
    """A byte of a request now and then, on those that are still open."""
    is_over = threading.Event()

    def drip():
        while not is_over.wait(0.1):
            for s in sockets:
                with contextlib.suppress(OSError):
                    s.send(b"x")

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def test_one_address_cannot_keep_the_others_out(server):
    with connections(server, 256, sources=1) as held:
        for s in held:
            with contextlib.suppress(OSError):  # turned away
                s.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ")
        with dripping(held), socket.create_connection(
            ("127.0.0.1", server.port), timeout=5, source_address=("127.0.0.2", 0)
        ) as other:
            other.sendall(request_for("/metrics"))
            assert read_answer(other)[0] == 200


def test_a_request_that_drips_is_cut_off(daemon, directory, repository):
    need(TEST_HOOKS, "needs a build with --enable-test-hooks")
    clock = directory / "clock"
    clock.write_text("0")
    d = daemon(repositories={"disk": repository}, environment={"REPOPROBE_TEST_CLOCK": str(clock)}).wait_ready()
    with connections(d, 20) as held:
        for s in held:
            s.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ")
        d.get("/-/ready")  # whose connection was accepted after theirs
        with dripping(held):
            write_clock(clock, 11)
            for s in held:
                s.settimeout(10)
                with contextlib.suppress(ConnectionResetError):
                    assert s.recv(1) == b""
        assert d.get("/-/ready")[0] == 200


def write_clock(path, seconds):
    new = path.with_name("clock.new")
    new.write_text(str(seconds))
    new.rename(path)


def test_a_loop_that_stands_still_is_not_healthy(daemon, directory, repository):
    need(TEST_HOOKS, "needs a build with --enable-test-hooks")
    clock = directory / "clock"
    clock.write_text("0")
    d = daemon(repositories={"disk": repository}, environment={"REPOPROBE_TEST_CLOCK": str(clock)}).wait_ready()
    d.wait_line(r"disk/active-full: ok")
    assert d.get("/-/healthy")[::2] == (200, b"healthy\n")
    go_on = directory / "go-on"
    asking = threading.Thread(target=lambda: d.control(command="stall", until=str(go_on)))
    asking.start()
    d.wait_line(r"the loop stands still")
    assert d.get("/-/healthy")[::2] == (200, b"healthy\n")
    write_clock(clock, 20)
    status, headers, body = d.get("/-/healthy")
    assert status == 503 and re.fullmatch(rb"not healthy: the main loop has been blocked for \d+ s\n", body), body
    assert headers["Cache-Control"] == "no-store"
    go_on.touch()
    asking.join()
    wait_for(lambda: d.get("/-/healthy")[0] == 200, "the loop to turn again")


@pytest.mark.parametrize(
    "data",
    [b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\xff" * 100000, b"GET / HTTP/1.1\r\n\r\n"],
    ids=["no path", "future version", "bytes", "no host"],
)
def test_garbage_is_refused_or_hung_up_on(shared, data):
    with socket.create_connection(("127.0.0.1", shared.port), timeout=60) as s:
        s.sendall(data)
        try:
            answer = s.recv(1 << 16)
        except ConnectionResetError:
            answer = b""
        assert answer == b"" or re.match(rb"HTTP/1\.[01] (4|5)\d\d", answer), answer[:100]
    assert shared.get("/-/healthy")[0] == 200


def test_more_connections_than_allowed_are_turned_away_and_the_rest_served(daemon, repository):
    d = daemon(
        config=f"[http]\nmax_connections = 8\n[repository disk]\npath = {repository}\nprobes = quick\n{QUICK}"
    ).wait_ready()
    held = [socket.create_connection(("127.0.0.1", d.port), timeout=60) for _ in range(8)]
    more = threading.Thread(target=lambda: [socket.create_connection(("127.0.0.1", d.port)).close() for _ in range(20)])
    more.start()
    more.join(60)
    for s in held:
        s.close()

    def is_answered():
        try:
            return d.get("/-/healthy")[0] == 200
        except OSError:
            return False

    wait_for(is_answered, "an answer after the others are gone")


def test_without_an_address_there_is_no_http(daemon, repository):
    d = daemon(config=f"[repository disk]\npath = {repository}\nprobes = quick\n{QUICK}", listen="")
    d.wait_line(r"disk/quick: ok")
    assert d.count_lines("dashboard") == 0
    assert d.control(command="reload") == {"ok": True}


def test_an_address_that_is_taken_is_named(daemon, repository, shared):
    taken = f"127.0.0.1:{shared.port}"
    d = daemon(wait=False, repositories={"x": repository}, listen=taken, state="other-state")
    assert d.process.wait(60) == 1
    d.reader.join(10)
    assert taken in d.log and len(d.lines) == 1, d.log
