# SPDX-License-Identifier: Apache-2.0
"""The engine against fio's io_uring on the same file: latency, Little's law, CPU; delays that are known;
memory; the time from spawn to the first I/O. `make bench` runs it; REPOPROBE_BENCH_PAIRS and
REPOPROBE_BENCH_SECONDS make it shorter or longer.
"""
import os
import re
import shutil
import subprocess
import time

import bench

PAIRS = int(os.environ.get("REPOPROBE_BENCH_PAIRS", "15"))
SECONDS = float(os.environ.get("REPOPROBE_BENCH_SECONDS", "2"))
FILE_BYTES = 1 << 30

LATENCY_RATIO_MAX = 1.03
LITTLE_MAX = 0.03
CPU_RATIO_MAX = 0.80

# name, queue depth, options of repoprobe, options of fio
WORKLOADS = [
    ("512K sequential write QD2", 2,
     ["--block-size=512K", "--write=100", "--pattern=sequential", "--queue-depth=2"],
     ["--rw=write", "--bs=512k", "--iodepth=2", "--sync=dsync"]),
    ("512K random:4K 67 % write QD2", 2,
     ["--block-size=512K", "--write=67", "--pattern=random:4K", "--queue-depth=2"],
     ["--rw=randrw", "--rwmixwrite=67", "--bs=512k", "--blockalign=4k", "--iodepth=2", "--sync=dsync"]),
    ("4K random read QD1", 1,
     ["--block-size=4K", "--write=0", "--pattern=random", "--queue-depth=1"],
     ["--rw=randread", "--bs=4k", "--iodepth=1"]),
    ("4K random read QD32", 32,
     ["--block-size=4K", "--write=0", "--pattern=random", "--queue-depth=32"],
     ["--rw=randread", "--bs=4k", "--iodepth=32"]),
]  # fmt: skip


class Sample:
    def __init__(self, mean_seconds, iops, ios, cpu_seconds):
        self.mean_seconds = mean_seconds
        self.iops = iops
        self.ios = ios
        self.cpu_seconds = cpu_seconds


def ours(directory, options):
    usage = bench.Usage()
    run = bench.run_repoprobe(
        directory, f"--file-size={FILE_BYTES}", f"--duration={SECONDS}s", "--max-bytes=0", "--warmup=0", *options
    )
    total = run["operations"]["total"]
    return Sample(total["avg_seconds"], total["iops"], total["ios"], usage.seconds())


def fio(path, options):
    usage = bench.Usage()
    job = bench.run_fio(path, FILE_BYTES, f"--runtime={SECONDS}s", *options)
    parts = [job[side] for side in ("read", "write") if job[side]["total_ios"] > 0]
    ios = sum(part["total_ios"] for part in parts)
    mean = sum(part["lat_ns"]["mean"] * part["total_ios"] for part in parts) / ios / 1e9
    return Sample(mean, sum(part["iops"] for part in parts), ios, usage.seconds())


def compare_with_fio(directory):
    table = bench.Bench(f"(a) mean latency against fio {fio_version()}, {PAIRS} pairs of {SECONDS:g} s, same file")
    cpu = None
    for name, depth, our_options, fio_options in WORKLOADS:
        bench.run_repoprobe(directory, f"--file-size={FILE_BYTES}", "--max-ios=100", *our_options)
        path = bench.probe_file(directory)
        pairs = bench.interleave(PAIRS, lambda: ours(directory, our_options), lambda: fio(path, fio_options))
        control = bench.interleave(PAIRS, lambda: fio(path, fio_options), lambda: fio(path, fio_options))
        ratios = [a.mean_seconds / b.mean_seconds for a, b in pairs]
        littles = [a.mean_seconds * a.iops / depth for a, _ in pairs]
        middle = bench.median(ratios)
        table.row(f"{name}: ours / fio", bench.spread(ratios), f"<= {LATENCY_RATIO_MAX}", middle <= LATENCY_RATIO_MAX,
                  f"fio {bench.median([b.mean_seconds for _, b in pairs]) * 1e3:.3f} ms")
        table.row(f"{name}: fio / fio", bench.spread([a.mean_seconds / b.mean_seconds for a, b in control]))
        little = bench.median(littles)
        table.row(f"{name}: latency x IOPS / depth", bench.spread(littles), f"within {LITTLE_MAX:.0%}",
                  abs(little - 1) <= LITTLE_MAX)
        if depth == 32:
            cpu = pairs
    return table, compare_cpu(cpu)


def compare_cpu(pairs):
    table = bench.Bench("(b) CPU seconds per million 4K random reads QD32, whole processes")
    a = [p.cpu_seconds / p.ios * 1e6 for p, _ in pairs]
    b = [p.cpu_seconds / p.ios * 1e6 for _, p in pairs]
    ratio = bench.median([x / y for x, y in zip(a, b)])
    table.row("ours", bench.spread(a))
    table.row("fio", bench.spread(b))
    table.row("ours / fio", bench.spread([x / y for x, y in zip(a, b)]), f"<= {CPU_RATIO_MAX}", ratio <= CPU_RATIO_MAX)
    return table


def fio_version():
    return subprocess.run(["fio", "--version"], capture_output=True, text=True, check=True).stdout.strip().removeprefix("fio-")


def known_delays(directory):
    table = bench.Bench("(c) a delay that is set, read back as the median")
    delayfs = bench.BUILD / "tests/fuse/delayfs"
    if not delayfs.exists() or not os.path.exists("/dev/fuse"):
        raise SystemExit("bench: delayfs and /dev/fuse are needed (libfuse3-dev, make check)")
    backing, mount = directory / "backing", directory / "slow"
    backing.mkdir()
    mount.mkdir()
    process = subprocess.Popen([str(delayfs), str(backing), str(mount)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    try:
        while not os.path.ismount(mount):
            time.sleep(0.02)
        for milliseconds in (1, 5, 15, 50):
            process.stdin.write("delay 0\n")
            process.stdin.flush()
            process.stdout.readline()
            for engine in ("io_uring", "threads"):
                read_back(table, process, mount, milliseconds, engine)
    finally:
        process.stdin.close()
        process.wait(10)
    return table


def read_back(table, process, mount, milliseconds, engine):
    options = ["--block-size=64K", "--write=50", "--pattern=random", "--queue-depth=1", "--file-size=4M",
               "--warmup=4", f"--engine={engine}"]  # fmt: skip
    bench.run_repoprobe(mount, "--max-ios=16", *options)
    process.stdin.write(f"delay {milliseconds * 1000}\n")
    process.stdin.flush()
    process.stdout.readline()
    run = bench.run_repoprobe(mount, "--max-ios=104", "--max-bytes=0", "--duration=30s", *options)
    process.stdin.write("delay 0\n")
    process.stdin.flush()
    process.stdout.readline()
    p50 = run["operations"]["total"]["percentiles"]["p50"] * 1e3
    allowed = milliseconds * 0.02 + 0.4
    table.row(f"{milliseconds} ms, {engine}", f"{p50:.3f} ms", f"+- {allowed:.2f} ms", abs(p50 - milliseconds) <= allowed)


def memory(directory):
    table = bench.Bench("(d) the worker's memory beyond its buffers")
    for name, options, buffers in (
        ("4K QD1", ["--block-size=4K", "--queue-depth=1"], 4096),
        ("512K QD2", ["--block-size=512K", "--queue-depth=2"], 2 * 524288),
        ("4K QD256", ["--block-size=4K", "--queue-depth=256"], 256 * 4096),
    ):
        peak = worker_peak_bytes(directory, [*options, "--write=50", "--pattern=random"])
        beyond = (peak - buffers) / 1048576
        table.row(name, f"{beyond:.2f} MiB", "< 8 MiB", beyond < 8)
    return table


def worker_peak_bytes(directory, options):
    """VmHWM of the worker, read while it measures."""
    command = [str(bench.BUILD / "repoprobe"), "run", "--format=json", "--keep-file", f"--file-size={FILE_BYTES}",
               "--duration=2s", "--max-bytes=0", *options, str(directory)]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        for child in children(process.pid):
            try:
                with open(f"/proc/{child}/status", encoding="ascii", errors="replace") as f:
                    match = re.search(r"VmHWM:\s+(\d+) kB", f.read())
            except OSError:
                continue
            if match:
                peak = max(peak, int(match.group(1)) * 1024)
        time.sleep(0.02)
    return peak


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return f.read().split()
    except OSError:
        return []


def first_io(directory):
    table = bench.Bench("(e) from the start of the worker to its first I/O (the file is there)")
    setups = []
    for _ in range(30):
        run = bench.run_repoprobe(directory, f"--file-size={FILE_BYTES}", "--max-ios=20", "--block-size=4K", "--queue-depth=1")
        setups.append(run["context"]["setup_seconds"] * 1e3)
    table.row("spawn to first I/O, ms", bench.spread(setups))
    return table


def main():
    bench.need("fio")
    directory = bench.work_directory()
    try:
        tables = [*compare_with_fio(directory), memory(directory), first_io(directory)]
        slow = directory / "fuse"
        slow.mkdir()
        tables.append(known_delays(slow))
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    bench.finish(*tables)


if __name__ == "__main__":
    main()
