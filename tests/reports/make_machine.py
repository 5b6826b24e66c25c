# SPDX-License-Identifier: MIT
"""A run of two processes on two GPUs: a trainer whose memory grows, asked for utilisation
once a second and for memory four times, and a loader that reads, and ends before it."""
from make_db import MS, insert

TRAINER, LOADER = 1, 2


def process(db, process_id, pid, executable, started, wall):
    insert(db, "process", process_id=process_id, run_id=1, pid=pid, executable=executable,
           parent_process_id=None if process_id == TRAINER else TRAINER, command=executable,
           started_ns=started * MS, wall_ns=wall * MS, exit_code=0, complete=1)


def samples(db, process_id, start, count, **series):
    for step in range(count):
        insert(db, "resource", run_id=1, process_id=process_id,
               time_ns=(start + 100 * step) * MS,
               **{name: value(step) for name, value in series.items()})


def gpu(db, process_id, start, count, device, memory, utilisation):
    for step in range(count):
        insert(db, "gpu_sample", run_id=1, process_id=process_id, device=device,
               time_ns=(start + 250 * step) * MS, memory_bytes=memory(step),
               utilisation_percent=utilisation(step // 4) if step % 4 == 0 else None)


def make(db):
    insert(db, "run", run_id=1, token="%016x" % 1, label="train", command="./train",
           cwd="/home/user", host="gpu-host", cpu_count=8, complete=1, exit_code=0,
           started_utc="2026-03-01T12:00:00.000Z", wall_ns=4_000 * MS, level="exact",
           shim_version="0.1.0", inner_cost_ns=8.0, outer_cost_ns=18.0, alloc_count=0,
           alloc_bytes=0, free_count=0, peak_bytes=0, live_bytes_at_exit=0)
    process(db, TRAINER, 700, "/home/user/train", 0, 4_000)
    process(db, LOADER, 701, "/home/user/load", 1_000, 1_500)
    samples(db, TRAINER, 0, 41, cpu_percent=lambda step: 100 if step else None,
            rss_bytes=lambda step: (64 + 4 * step) << 20, minor_faults=lambda step: 1000 * step,
            major_faults=lambda step: 0, read_bytes=lambda step: 4096,
            write_bytes=lambda step: 0 if step < 20 else 1 << 20,
            thread_count=lambda step: 1 if step < 10 else 8)
    samples(db, LOADER, 1_000, 15, cpu_percent=lambda step: 30 if step else None,
            rss_bytes=lambda step: 16 << 20, minor_faults=lambda step: 500,
            major_faults=lambda step: step // 2, read_bytes=lambda step: step << 20,
            write_bytes=lambda step: 0, thread_count=lambda step: 1)
    gpu(db, TRAINER, 250, 15, 0, lambda step: (256 + 128 * step) << 20,
        lambda second: (0, 60, 90, 75)[second])
    gpu(db, TRAINER, 250, 15, 1, lambda step: None, lambda second: 5)
    gpu(db, LOADER, 1_250, 4, 0, lambda step: 32 << 20, lambda second: 10)
