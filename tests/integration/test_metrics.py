# SPDX-License-Identifier: Apache-2.0
"""/metrics, read by Prometheus' own tools."""
import json
import socket
import subprocess
import urllib.parse
import urllib.request

import pytest

from conftest import QUICK, need_program, wait_for

STRANGE = 'a"b\\c d ü {x="y"} #'
SERIES_MAX = 210  # of a probe with two operations
STATUSES = ("ok", "error", "stalled", "timeout", "stuck", "not_mounted", "wrong_target", "read_only", "no_space")
STATUSES += ("refused", "skipped")
SKIPS = ("overlap", "in_use", "busy", "mute", "budget")


@pytest.fixture
def strange(daemon, repository):
    d = daemon(config=f"[repository {STRANGE}]\npath = {repository}\nprobes = quick\n{QUICK}").wait_ready()
    d.wait_runs(STRANGE, 1)
    return d


def test_promtool_has_nothing_to_say(strange):
    _, headers, body = strange.get("/metrics")
    assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    done = subprocess.run(
        [need_program("promtool"), "check", "metrics"], input=body, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert body.endswith(b"\n") and b"\r" not in body


def test_names_survive_the_escaping(strange):
    assert strange.metric("repoprobe_probe_runs_total", repository=STRANGE, probe="quick") == 1
    query = urllib.parse.urlencode({"repository": STRANGE, "probe": "quick", "operation": "read"})
    assert len(strange.json(f"/api/v1/series?{query}")["series"]["time"]) == 1
    assert strange.json(f"/api/v1/runs?{query.rsplit('&', 1)[0]}")["runs"][0]["repository"] == STRANGE


def test_every_sample_appears_once_and_histograms_add_up(strange):
    samples = strange.metrics()
    seen = [(name, tuple(sorted(labels.items()))) for name, labels, _ in samples]
    assert len(set(seen)) == len(seen)
    of_probe = [name for name, labels, _ in samples if labels.get("probe") == "quick"]
    assert 100 < len(of_probe) <= SERIES_MAX
    for operation in ("read", "write"):
        buckets = [
            (float(labels["le"].replace("+Inf", "inf")), value)
            for name, labels, value in samples
            if name == "repoprobe_io_latency_seconds_bucket" and labels["operation"] == operation
        ]
        assert buckets == sorted(buckets) and buckets[-1][0] == float("inf")
        assert [v for _, v in buckets] == sorted(v for _, v in buckets)
        labels = {"repository": STRANGE, "probe": "quick", "operation": operation}
        count = strange.metric("repoprobe_io_latency_seconds_count", **labels)
        assert buckets[-1][1] == count > 0
        assert strange.metric("repoprobe_io_bytes_total", **labels) == count * 65536
        total = strange.metric("repoprobe_io_latency_seconds_sum", **labels)
        average = strange.metric("repoprobe_probe_latency_seconds", stat="avg", **labels)
        assert abs(total / count - average) < 1e-6
        assert strange.metric("repoprobe_probe_latency_seconds", stat="p99.9", **labels) is not None


def test_counters_are_there_before_the_first_run(daemon, slow):
    slow.delay(200)
    d = daemon(config=f"[repository slow]\npath = {slow.path}\nprobes = quick\n{QUICK}").wait_ready()
    samples = d.metrics()
    values = {(name, tuple(sorted(labels.items()))): value for name, labels, value in samples}

    def value(name, **labels):
        return values.get((name, tuple(sorted(dict(labels, repository="slow", probe="quick").items()))))

    assert value("repoprobe_probe_runs_total") == 0, d.log  # 200 ms for each of 24 I/Os: it cannot be over
    for reason in STATUSES:
        if reason not in ("ok", "skipped"):
            assert value("repoprobe_probe_failures_total", reason=reason) == 0
        assert value("repoprobe_probe_status", status=reason) == 0
    for reason in SKIPS:
        assert value("repoprobe_probe_skips_total", reason=reason) == 0
    for operation in ("read", "write"):
        assert value("repoprobe_io_bytes_total", operation=operation) == 0
        assert value("repoprobe_io_latency_seconds_count", operation=operation) == 0
    for level in ("warning", "critical"):
        assert value("repoprobe_alarm_firing", alarm="limit", level=level) == 0
    # What is not known yet is left out, not zero.
    for name in ("success", "duration_seconds", "last_run_timestamp_seconds"):
        assert value(f"repoprobe_probe_{name}") is None
    states = {labels["state"]: v for name, labels, v in samples if name == "repoprobe_repository_state"}
    assert states == {"ok": 0, "warning": 0, "critical": 0, "unknown": 1, "paused": 0}
    slow.delay(0)


def test_the_process_looks_real(strange):
    assert strange.metric("process_open_fds") >= 5
    assert strange.metric("process_resident_memory_bytes") > 1 << 20
    assert strange.metric("repoprobe_database_size_bytes") > 0
    assert strange.metric("repoprobe_database_write_failures_total") == 0
    started = strange.metric("process_start_time_seconds")
    last = strange.metric("repoprobe_probe_last_run_timestamp_seconds", repository=STRANGE, probe="quick")
    following = strange.metric("repoprobe_probe_next_run_timestamp_seconds", repository=STRANGE, probe="quick")
    assert started <= last < following <= last + 3600 * 1.5


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def query_prometheus(port, query):
    try:
        address = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        with urllib.request.urlopen(address, timeout=10) as response:
            result = json.load(response)["data"]["result"]
    except OSError:  # not up yet
        return None
    return float(result[0]["value"][1]) if result else None


def test_a_real_prometheus_scrapes_it(strange, directory):
    program = need_program("prometheus")
    port = free_port()
    (directory / "prometheus.yml").write_text(
        "global:\n  scrape_interval: 1s\n  scrape_timeout: 1s\nscrape_configs:\n  - job_name: repoprobe\n"
        f"    static_configs:\n      - targets: ['127.0.0.1:{strange.port}']\n"
    )
    process = subprocess.Popen(
        [
            program,
            f"--config.file={directory}/prometheus.yml",
            f"--storage.tsdb.path={directory}/tsdb",
            f"--web.listen-address=127.0.0.1:{port}",
            "--log.level=warn",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(lambda: query_prometheus(port, "up") == 1, "a good scrape")
        samples = wait_for(lambda: query_prometheus(port, "scrape_samples_scraped"), "the number of samples")
        assert samples > 50
        label = json.dumps(STRANGE, ensure_ascii=False)
        assert query_prometheus(port, f"repoprobe_probe_runs_total{{repository={label}}}") == 1
        assert query_prometheus(port, "scrape_samples_post_metric_relabeling") == samples
        assert query_prometheus(
            port, "histogram_quantile(0.5, sum by (le) (repoprobe_io_latency_seconds_bucket))"
        ) > 0
    finally:
        process.terminate()
        _, log = process.communicate(timeout=30)
    complaints = [line for line in log.splitlines() if "level=" in line and "Received SIGTERM" not in line]
    assert complaints == []
