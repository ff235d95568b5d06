# SPDX-License-Identifier: Apache-2.0
"""How many workers there are at once, from the runs that were stored."""
import pytest

NAMES = ("a", "b", "c")
PROBES = """
[probe one]
block_size = 64K
write = 0
queue_depth = 1
max_ios = 12
file_size = 4M
interval = 1s
timeout = 20s
[probe two]
block_size = 64K
write = 100
queue_depth = 1
max_ios = 12
file_size = 4M
interval = 1s
timeout = 20s
"""


def spans(d):
    """(start, end, repository) of the runs that had a worker, in seconds."""
    rows = d.sql(
        "SELECT started_usec / 1e6, started_usec / 1e6 + duration_nsec / 1e9, target.name FROM run"
        " JOIN series ON series.id = run.series JOIN target ON target.id = series.target"
        " WHERE skip = 0 ORDER BY started_usec"
    )
    return [tuple(row) for row in rows]


def most_at_once(runs):
    # A run's end is noted when the loop has reaped the worker, so ends come before starts of the same instant.
    events = sorted([(start, 1) for start, _, _ in runs] + [(end - 0.0005, -1) for _, end, _ in runs])
    most = running = 0
    for _, change in events:
        running += change
        most = max(most, running)
    return most


@pytest.mark.parametrize("parallel_runs", [1, 3])
def test_never_more_workers_than_allowed_and_never_two_on_a_repository(daemon, slow, parallel_runs):
    slow.delay(20)
    text = f"[daemon]\nparallel_runs = {parallel_runs}\n[defaults]\nlimit = 0\n"
    for name in NAMES:
        (slow.path / name).mkdir()
        text += f"[repository {name}]\npath = {slow.path / name}\nprobes = one, two\n"
    d = daemon(config=text + PROBES).wait_ready()
    for name in NAMES:
        for probe in ("one", "two"):
            d.wait_runs_at_least(name, 2, probe)
    d.stop()
    runs = spans(d)
    assert {run[2] for run in runs} == set(NAMES)
    assert most_at_once(runs) <= parallel_runs
    if parallel_runs > 1:
        assert most_at_once(runs) > 1
    for name in NAMES:
        assert most_at_once([run for run in runs if run[2] == name]) == 1
