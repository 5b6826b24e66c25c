# SPDX-License-Identifier: MIT
"""Two runs of a program whose libraries have hooks, too: it sorts with a function of its
own, has two threads of one function and one of another, and runs a task; the second run
takes longer in the function of the threads."""
from make_db import MS, Run, begin, insert, sums, trust

STATE = "std::thread::_State_impl<std::thread::_Invoker<std::tuple<%s>>>"
# depth, name, calls, self time in ms, line or None: of a library
PATHS = (
    (0, "main", 1, 10, 30),
    (1, "std::sort<int*, bool (*)(int, int)>", 1, 4, None),
    (2, "std::__introsort_loop<int*, long, bool (*)(int, int)>", 9, 6, None),
    (3, "is_less", 900, 5, 12),
    (2, "std::__insertion_sort<int*, bool (*)(int, int)>", 1, 3, None),
    (3, "is_less", 100, 1, 12),
    (1, "std::vector<int>::push_back", 300, 2, None),
    (2, "std::vector<int>::_M_realloc_insert<int>", 9, 1, None),
    (1, "std::future<int>::get", 1, 1, None),
    (2, "std::__future_base::_State_baseV2::wait", 1, 1, None),
    (3, "late", 1, 7, 20),
    (1, "std::future<long>::get", 1, 3, None),
    (0, STATE % "main::{lambda#1}" + "::_M_run", 2, 1, None),
    (1, "std::__invoke_impl<void, main::{lambda#1}>", 2, 1, None),
    (2, "main::{lambda#1}", 2, 2, 33),
    (3, "work", 40, 40, 16),
    (0, STATE % "void (*)(int), int" + "::_M_run", 1, 1, None),
    (1, "std::__invoke<void (*)(int), int>", 1, 1, None),
    (2, "plain", 1, 2, 18),
    (3, "work", 10, 10, 16),
    (0, STATE % "main::{lambda#1}" + "::~_State_impl", 2, 1, None),
)


def add_run(db, run_id, label):
    run = Run(db, run_id, 1000 * run_id)
    insert(db, "module", module_id=run_id, run_id=run_id, path="/home/user/app",
           symbols="debug", build_id="aa")
    functions, chain = {}, [None]
    for depth, name, calls, self_ms, line in PATHS:
        if name not in functions:
            file = "/src/app.cc" if line else "/usr/include/c++/12/thread"
            functions[name] = run.function(name, module_id=run_id, file=file, line=line or 9)
        slow = 2 if label == "after" and name == "main::{lambda#1}" else 1
        path = run.path(chain[depth], functions[name], calls, slow * self_ms * MS)
        chain[depth + 1:] = [path]
        if name == "std::vector<int>::_M_realloc_insert<int>":
            run.site(path, "/src/app.cc", 31, 9, 100, at_peak=1)
    begin(db, run_id, "./app", 60 * MS, (run_id, "app"), label=label, cpu_count=4, clock="tsc",
          second=run_id)
    trust(db, run_id, run_id, hook_calls=run.store())
    sums(db, run_id)


def make(db):
    for number, label in enumerate(("before", "after"), 1):
        add_run(db, number, label)
