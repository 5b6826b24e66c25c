# SPDX-License-Identifier: MIT
"""Five runs 'before' and five 'after', in turns, of a program whose functions got other
names: one was renamed, one moved into a namespace and another file, one is made from
another type, one was split into two, and of two by one name one other is left; one is in
another file, and has the name it had."""
from make_db import Run, begin, insert, sums, trust

NOISE = (0, 7, 3, 11, 5, 2, 9, 4, 1, 8)
# of each side: name, linkage name, file, line, calls, self time in us
SIDES = {
    "before": (("read_line", None, "/src/input.c", 40, 5000, 9_000),
               ("checksum(int)", "_Z8checksumi", "/src/input.c", 80, 3000, 8_000),
               ("int scale<int>(int)", "_Z5scaleIiET_S0_", "/src/scale.h", 7, 2000, 7_000),
               ("process", None, "/src/work.c", 10, 400, 6_000),
               ("mix(int)", "_Z3mixi", "/src/mix.c", 5, 100, 2_000),
               ("mix(long)", "_Z3mixl", "/src/mix.c", 15, 100, 2_000)),
    "after": (("next_record", None, "/src/input.c", 44, 5000, 12_000),
              ("util::checksum(int)", "_ZN4util8checksumEi", "/src/util.c", 3, 3000, 8_000),
              ("long scale<long>(long)", "_Z5scaleIlET_S0_", "/src/scale.h", 7, 2000, 7_000),
              ("process_head", None, "/src/work.c", 10, 400, 3_000),
              ("process_tail", None, "/src/work.c", 25, 400, 3_000),
              ("blend(int)", "_Z5blendi", "/src/mix.c", 10, 100, 4_000)),
}
SAME = (("parse", 1000, 20_000), ("print", 1000, 5_000), ("open_input", 1, 50))


def add_run(db, run_id, side, noise):
    run = Run(db, run_id, 1000 * run_id)
    insert(db, "module", module_id=run_id, run_id=run_id, path=f"/home/user/{side}/app",
           symbols="debug", build_id="%02x" % len(side))

    def function(name, linkage, file, line):
        return run.function(name, module_id=run_id, linkage_name=linkage, file=file, line=line)

    noisy = 1000 + noise
    root = run.path(None, function("main", None, "/src/main.c", 10), 1, 10 * noisy)
    for name, calls, self_us in SAME:
        file = "/src/output.c" if (name, side) == ("print", "after") else "/src/main.c"
        middle = run.path(root, function(name, None, file, 10), calls, self_us * noisy)
        if name == "parse":
            parse = middle
    for name, linkage, file, line, calls, self_us in SIDES[side]:
        path = run.path(parse, function(name, linkage, file, line), calls, self_us * noisy)
        if "checksum" in name:
            run.site(path, file, line + 4, 3000, 16, at_peak=1)
    begin(db, run_id, "./app input", 63_000 * noisy, (run_id, "app"), label=side, clock="tsc",
          executable=f"/home/user/{side}/app", cpu_model="Some CPU", kernel="6.1.0",
          second=run_id)
    trust(db, run_id, run_id, hook_calls=run.store())
    sums(db, run_id)


def make(db):
    for number, noise in enumerate(NOISE):
        add_run(db, number + 1, ("before", "after")[number % 2], noise)
