# SPDX-License-Identifier: Apache-2.0
"""The forms of a report that other programs read: fio's json+ and XDISK's row."""
import json
import subprocess
from fractions import Fraction

import pytest

from conftest import need_program, run_cli
from test_run_cli import strict_json

MIX = ("--write=50", "--pattern=random", "--block-size=64K", "--file-size=4M", "--max-ios=1000", "--seed=5")
PERCENTILES = "1 5 10 20 30 40 50 60 70 80 90 95 99 99.5 99.9 99.95 99.99".split()
XDISK = "BS Proc AIO read% IO Flag IO/s MB/s rMin-ms rMax-ms rAvg-ms WrAvg wMin-ms wMax-ms wAvg-ms WwAvg"


# --- fio's bins, from the formulas of its stat.c


def bin_index(nsec):
    msb = max(nsec.bit_length() - 1, 0)
    if msb <= 6:
        return nsec
    error_bits = msb - 6
    return min(((error_bits + 1) << 6) + ((nsec >> error_bits) & 63), 1855)


def bin_value(index):
    if index < 128:
        return index
    error_bits = (index >> 6) - 1
    return (1 << (error_bits + 6)) + int((index % 64 + 0.5) * (1 << error_bits))


def percentile_of(bins, percent):
    """The first bin up to which there are at least percent of all."""
    total = sum(bins.values())
    seen = 0
    for nsec in sorted(bins):
        seen += bins[nsec]
        if seen >= Fraction(percent) / 100 * total:
            return nsec
    raise AssertionError(bins)


def bins_of(latency):
    return {int(nsec): count for nsec, count in latency["bins"].items()}


def check_direction(direction):
    clat = direction["clat_ns"]
    bins = bins_of(clat)
    assert all(bin_value(bin_index(nsec)) == nsec for nsec in bins), bins
    assert list(bins) == sorted(bins)
    assert sum(bins.values()) == clat["N"] == direction["lat_ns"]["N"] == direction["total_ios"]
    assert clat["percentile"] == {f"{float(p):.6f}": percentile_of(bins, p) for p in PERCENTILES}
    assert list(clat["percentile"]) == [f"{float(p):.6f}" for p in PERCENTILES]
    mean = sum(nsec * count for nsec, count in bins.items()) / clat["N"]
    assert abs(mean - clat["mean"]) <= clat["mean"] / 128
    assert clat["min"] <= clat["mean"] <= clat["max"]
    assert bin_value(bin_index(clat["min"])) == min(bins) and bin_value(bin_index(clat["max"])) == max(bins)
    assert direction["io_bytes"] == direction["total_ios"] * 65536
    assert direction["bw"] == direction["bw_bytes"] // 1024
    assert direction["iops"] * direction["runtime"] / 1000 == pytest.approx(direction["total_ios"], rel=0.02)


def test_fios_percentiles_come_from_our_bins(repository):
    done = run_cli("run", "--format=fio-json", *MIX, repository)
    assert (done.returncode, done.stderr) == (0, "")
    document = strict_json(done.stdout)
    assert document["fio version"].startswith("repoprobe-")
    (job,) = document["jobs"]
    assert job["error"] == 0 and job["desc"].startswith("status: ok; trust: direct"), job["desc"]
    assert job["read"]["total_ios"] + job["write"]["total_ios"] == 992  # 8 warm up
    check_direction(job["read"])
    check_direction(job["write"])
    for table in ("latency_ns", "latency_us", "latency_ms"):
        assert all(0 <= share <= 100 for share in job[table].values())
    shares = [share for table in ("latency_ns", "latency_us", "latency_ms") for share in job[table].values()]
    assert sum(shares) == pytest.approx(100)


def shape(value, path=()):
    """{path: type} of all there is, in fio's document; the names of bins are data."""
    if path[-1:] == ("bins",):
        return {path: "bins"}
    if isinstance(value, dict):
        found = {path: "object"}
        for key, part in value.items():
            found.update(shape(part, path + (key,)))
        return found
    if isinstance(value, list):
        found = {path: "array"}
        for part in value:
            found.update(shape(part, path + ("[]",)))
        return found
    return {path: type(value).__name__}


def run_fio(directory, options):
    output = directory / "fio.json"
    command = [need_program("fio"), f"--filename={directory / 'fio.dat'}", "--description=x", "--output-format=json+"]
    command += [f"--output={output}", *(f"--{key}={value}" for key, value in options.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    text = output.read_text()
    return json.loads(text[text.index("{") :])


@pytest.mark.plain
@pytest.mark.parametrize(
    "workload",
    [(), ("--pattern=sequential", "--write=100", "--cache=dsync"), ("--pattern=mixed:30", "--duration=1s", "--content=zero")]
    + [("--threads=2", "--rate=8M", "--engine=threads"), ("--think-time=2ms", "--burst=4", "--rate-iops=500")],
    ids=["random", "sequential", "mixed", "threads", "pauses"],
)
def test_fio_runs_our_job_options_and_writes_what_we_write(directory, repository, workload):
    """fio takes the options as its own, and every key that we write is one that it writes, in the same form."""
    ours = strict_json(run_cli("run", "--format=fio-json", *MIX, *workload, repository).stdout)
    options = ours["jobs"][0]["job options"]
    theirs = run_fio(directory, options)
    fio_job = theirs["jobs"][0]
    # What we measured nothing of stands there all the same, and fio says of it what we say.
    for direction in ("read", "write", "trim"):
        happened = ours["jobs"][0][direction]["total_ios"] > 0
        assert happened == (fio_job[direction]["total_ios"] > 0)
        assert ("bins" in fio_job[direction]["clat_ns"]) == happened
    assert {k: v for k, v in fio_job["job options"].items() if k != "filename"} == options
    known = shape(theirs)
    unknown = {path: kind for path, kind in shape(ours).items() if known.get(path) != kind}
    assert unknown == {}
    # fio's own bins follow the formulas that ours are checked with.
    bins = bins_of(fio_job["write"]["clat_ns"])
    assert all(bin_value(bin_index(nsec)) == nsec for nsec in bins)


def test_fios_own_reader_takes_it(directory, repository):
    reader = need_program("fio_jsonplus_clat2csv")
    source = directory / "ours.json"
    source.write_text(run_cli("run", "--format=fio-json", *MIX, repository).stdout)
    for more in ([], ["--validate"]):
        done = subprocess.run(
            [reader, str(source), str(directory / "ours.csv"), *more], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 and "mismatch" not in done.stdout, done.stdout + done.stderr
    assert "validated" in done.stdout
    assert len((directory / "ours_job0.csv").read_text().splitlines()) > 10


def test_a_failed_run_is_a_document_of_fio_too(directory):
    done = run_cli("run", "--format=fio-json", *MIX, directory / "absent")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    (job,) = strict_json(done.stdout)["jobs"]
    assert job["error"] != 0 and "absent" in job["desc"]
    assert job["write"]["total_ios"] == 0


def xdisk_row(text):
    header, row = text.splitlines()
    assert header.split() == XDISK.split()
    return dict(zip(header.split(), row.split(), strict=True))


def test_xdisk_is_a_header_and_a_row(repository):
    done = run_cli("run", "--format=xdisk", *MIX, repository)
    assert (done.returncode, done.stderr) == (0, "")
    row = xdisk_row(done.stdout)
    assert [row[c] for c in ("BS", "Proc", "AIO", "read%", "IO", "Flag")] == ["64K", "1", "2", "50", "R", "-DW"]
    # As with XDISK itself: MB/s is IO/s by block size, both rounded.
    assert float(row["MB/s"]) == pytest.approx(float(row["IO/s"]) * 64 / 1024, rel=0.02)
    for kind, weighted in (("r", "WrAvg"), ("w", "WwAvg")):
        low, high, mean = (float(row[f"{kind}{name}-ms"]) for name in ("Min", "Max", "Avg"))
        assert 0 < low <= mean <= high
        assert float(row[weighted]) == pytest.approx(mean, rel=0.02, abs=0.001)


def test_xdisk_has_no_row_of_a_run_that_failed(directory):
    done = run_cli("run", "--format=xdisk", *MIX, directory / "absent")
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1


def test_show_has_the_same_formats(daemon, repository, directory):
    probe = "[probe p]\nblock_size = 64K\nmax_ios = 50\nfile_size = 4M\ninterval = 1h\n"
    d = daemon(
        config=f"[repository disk]\npath = {repository}\nprobes = p\n"
        f"[repository gone]\npath = {directory / 'absent'}\nprobes = p\n{probe}"
    )
    d.wait_sql("SELECT count(*) FROM runs_v", [(2,)])
    ids = {repository: run for run, repository in d.sql("SELECT id, repository FROM runs_v")}

    def show(name, run):
        return run_cli("--state-directory", d.state, "show", f"--format={name}", ids[run])

    assert xdisk_row(show("xdisk", "disk").stdout)["BS"] == "64K"
    (job,) = strict_json(show("fio-json", "disk").stdout)["jobs"]
    assert job["jobname"] == "p" and job["write"]["total_ios"] > 0
    assert strict_json(show("json", "disk").stdout)["operations"]["write"]["ios"] == job["write"]["total_ios"]
    assert show("text", "gone").stdout.startswith("p on gone, run")
    done = show("xdisk", "gone")
    assert (done.returncode, done.stdout) == (1, "") and "no measurements" in done.stderr
    done = show("xdsk", "disk")
    assert done.returncode == 2 and "did you mean xdisk?" in done.stderr
