# SPDX-License-Identifier: MIT
"""A run with regions, components, steps and counters, and one without any calls in them.

Run 1 'loop' is one process whose steps get slower and whose memory grows.
"""
from make_db import MS, Run, begin, insert, sums, trust

STEPS = 800


def series(db, series_id, process_id, kind, name, values, times, live, ready=None):
    """All rows of one series, of values that lie at these times. ready: what each step waited
    for a CPU; without, that is not known."""
    ordered = sorted(values)

    def quantile(fraction):
        return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))]

    def waited(chosen):
        return {} if ready is None else {"ready_ns": sum(ready[chosen])}

    first = times[0] - (values[0] if kind == 1 else 0)
    insert(db, "series", series_id=series_id, run_id=1, process_id=process_id, kind=kind,
           name=name, mark_count=len(values) + (kind == 1), value_count=len(values),
           sum=sum(values), mean=sum(values) / len(values), min=ordered[0],
           p50=quantile(.5), p90=quantile(.9), p95=quantile(.95), p99=quantile(.99),
           max=ordered[-1], first_ns=first, last_ns=times[-1],
           growth_bytes=live[-1] - live[0], **waited(slice(None)))
    by_value = sorted(range(len(values)), key=lambda i: values[i])
    for is_highest, chosen in ((1, by_value[:-6:-1]), (0, by_value[:5])):
        for rank, i in enumerate(chosen, 1):
            insert(db, "series_extreme", series_id=series_id, is_highest=is_highest,
                   rank=rank, process_id=1, lane_id=1, number=i + 1,
                   time_ns=times[i] - (values[i] if kind == 1 else 0), value=values[i],
                   live_bytes=live[i], **waited(slice(i, i + 1)))
    width = -(-len(values) // 50)
    for number, start in enumerate(range(0, len(values), width), 1):
        part = slice(start, start + width)
        insert(db, "series_span", series_id=series_id, number=number,
               first_ns=times[part][0], last_ns=times[part][-1],
               value_count=len(values[part]), sum=sum(values[part]),
               live_bytes=live[part][-1], **waited(part))
    if process_id is None:
        return
    for i in range(max(0, len(values) - 512), len(values)):
        if kind == 1:
            insert(db, "step", run_id=1, process_id=1, name=name, step_index=i + 1,
                   started_ns=times[i] - values[i], duration_ns=values[i], lane_id=1,
                   live_bytes=live[i], **waited(slice(i, i + 1)))
        else:
            insert(db, "counter", run_id=1, process_id=1, name=name, counter_index=i + 1,
                   time_ns=times[i], value=values[i], lane_id=1, live_bytes=live[i])


def add_marks(db):
    frames = [MS + (i * 7919) % 1000 * 300 + i * 400 for i in range(STEPS)]
    frames[412] = 48 * MS
    times, now = [], 10 * MS
    for duration in frames:
        now += duration
        times.append(now)
    live = [4096 + 160 * i for i in range(STEPS)]
    queue = [round(20 * ((i * 37) % 100) / 100 - 3.5, 2) for i in range(200)]
    queue_times = [12 * MS + 5 * MS * i for i in range(200)]
    series_id = 0
    for process_id in (1, None):
        for kind, name, values, when, memory in (
                (1, "frame", frames, times, live),
                (1, "save", [30 * MS], [400 * MS], [5000]),
                (2, "queue length", queue, queue_times, live[:200]),
                (2, "größe \x1b[31m", [2.5e9] * 9, queue_times[:9], live[:9])):
            series_id += 1
            series(db, series_id, process_id, kind, name, values, when, memory)


def add_tree(db):
    insert(db, "module", module_id=1, run_id=1, path="/home/user/game", symbols="debug")
    insert(db, "module", module_id=2, run_id=1, path="/usr/lib/libphysics.so.2",
           symbols="dynsym")
    run = Run(db, 1, 100)

    def function(name, module, file):
        return run.function(name, module_id=module, file=file, line=1 if file else None)

    main = function("main", 1, "/home/user/src/main.cpp")
    draw = function("gfx::draw(Scene const&)", 1, "/home/user/src/gfx/draw.cpp")
    blend = function("blend", 1, "/home/user/src/util/blend.c")
    collide = function("collide", 2, None)
    read = function("asset_read", 1, "/home/user/src/assets.c")
    load = run.function("load", component="io")
    parse = run.function("parse", component="io")
    root = run.path(None, main, 1, 100 * MS)
    region = run.path(root, load, 4, 10 * MS, kind=2)
    inner = run.path(region, parse, 40, 60 * MS, kind=2)
    reading = run.path(inner, read, 400, 80 * MS)
    drawing = run.path(root, draw, 801, 500 * MS)
    blending = run.path(drawing, blend, 64080, 300 * MS)
    run.path(root, collide, 801, 150 * MS)
    run.path(root, blend, 5, MS)
    run.site(inner, "/home/user/src/main.cpp", 30, 40, 1000, live=2, at_peak=10)
    run.site(reading, "/home/user/src/assets.c", 12, 400, 256, at_peak=20)
    run.site(blending, "/home/user/src/util/blend.c", 9, 64080, 64, temporary=64080)
    return run.store()


def make(db):
    begin(db, 1, "./game", 1300 * MS, (7000, "game"), label="loop", cpu_count=4, clock="tsc",
          executable="/home/user/game", inner_cost_ns=8.5, outer_cost_ns=17.5)
    insert(db, "resource", run_id=1, process_id=1, time_ns=1300 * MS, cpu_percent=100,
           rss_bytes=64 << 20, minor_faults=16_000, major_faults=0, thread_count=1,
           cpu_wait_ns=0)
    trust(db, 1, 1, hook_calls=add_tree(db), lost_marks=0)
    add_marks(db)
    sums(db, 1)
