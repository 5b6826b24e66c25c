# SPDX-License-Identifier: MIT
"""A run of a small program on a machine without debug symbols of the C library, and one
whose functions have no names for every reason there is."""
from make_db import MS, Run, begin, insert, sums, trust

LIBC = "/lib/x86_64-linux-gnu/libc.so.6"
LOADER = "/lib64/ld-linux-x86-64.so.2"


def begin_small(db, run_id):
    begin(db, run_id, "./app", 250 * MS, (4000 + run_id, "app"), clock="tsc", inner_cost_ns=8.5,
          outer_cost_ns=17.5)
    insert(db, "module", module_id=100 * run_id, run_id=run_id, path="/home/user/app",
           symbols="debug")
    run = Run(db, run_id, 1000 * run_id)
    main = run.path(None, run.function("main", module_id=100 * run_id, file="/src/main.c",
                                       line=3), 1, 200 * MS)
    run.site(main, "/src/main.c", 5, 2, 1024, live=1, at_peak=2, temporary=0)
    return run, main


def end(db, run, run_id, **counters):
    trust(db, run_id, run_id, hook_calls=run.store())
    trust(db, run_id, None, **counters)
    sums(db, run_id)


def add_file(run, main, number, path, count, naming, trouble=None):
    module = 100 * run.run_id + number
    insert(run.db, "module", module_id=module, run_id=run.run_id, path=path, symbols="dynsym",
           trouble=trouble)
    base = (path or "unknown module").rsplit("/", 1)[-1]
    for i in range(count):
        name = f"[near exported_{i} in {base}]" if naming == "near" else f"0x{i + 16:x} ({base})"
        run.path(main, run.function(name, module_id=module if path is not None else None,
                                    file=None, line=None, naming=naming), 1, MS)


def make(db):
    run, main = begin_small(db, 1)
    add_file(run, main, 1, LIBC, 5, "near")
    add_file(run, main, 2, LOADER, 1, "near")
    end(db, run, 1, unresolved_functions=0, system_functions=6, modules_over_limit=0)
    run, main = begin_small(db, 2)
    files = [("/opt/few.so", 2, "none", None), ("/opt/most.so", 40, "none", None),
             ("/opt/gone.so", 9, "none", "gone"), ("/opt/changed.so", 8, "none", "changed"),
             ("/opt/secret.so", 7, "none", "unreadable"), ("plugin.so", 6, "none", "unknown"),
             ("/opt/large.so", 5, "none", "limit"), (None, 4, "none", None),
             ("/usr/lib/made-up/libfancy.so.1", 30, "near", None), (LIBC, 1, "near", None)]
    files += [(f"/opt/other{i}.so", 1, "none", None) for i in range(5)]
    for number, (path, count, naming, trouble) in enumerate(files):
        add_file(run, main, number + 1, path, count, naming, trouble)
    end(db, run, 2, unresolved_functions=86, system_functions=31, modules_over_limit=1)
