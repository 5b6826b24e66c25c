# SPDX-License-Identifier: MIT
"""Two runs of one program that deletes 400 shapes and destroys 200 others, whose deletion
deletes one more of their kind: 'before', whose variants of destructors are functions, and
'after', where they are one."""
from make_db import MS, Run, insert, sums, trust

SELF = 2 * MS  # of the body of a destructor


class Shapes(Run):
    def __init__(self, db, run_id, is_old):
        super().__init__(db, run_id, 1000 * run_id)
        self.is_old, self.made = is_old, {}

    def variant(self, of, letter):
        """D0, D1 or D2; of a run that has them as one, that one."""
        mark = {"D0": " [deleting]", "D2": " [base]"}.get(letter, "") if self.is_old else ""
        key = (of, letter) if self.is_old else of
        if key not in self.made:
            self.made[key] = self.function(
                f"{of}::~{of}{mark}", module_id=self.run_id, line=20, file="/src/shape.h",
                full_name=f"{of}::~{of}(){mark if letter == 'D0' else ''}",
                linkage_name=f"_ZN{len(of)}{of}{letter if self.is_old else 'D1'}Ev")
        return self.made[key]

    def destroy(self, parent, of, calls, variants):
        """A chain of variants for one object each; returns the path of the last."""
        if not self.is_old:
            return self.path(parent, self.variant(of, "D1"), calls, SELF)
        for letter in variants:
            is_last = letter == variants[-1]
            parent = self.path(parent, self.variant(of, letter), calls, SELF if is_last else 0)
        return parent


def add_run(db, run_id, label):
    run = Shapes(db, run_id, label == "before")
    insert(db, "module", module_id=run_id, run_id=run_id, path="/home/user/app",
           symbols="debug", build_id="ab")
    main = run.function("main", module_id=run_id, linkage_name="main", file="/src/main.c", line=3)
    root = run.path(None, main, 1, MS)
    whole = run.destroy(root, "Circle", 400, ("D0", "D1", "D2"))
    run.destroy(whole, "Shape", 400, ("D2",))
    outer = run.destroy(root, "Shape", 200, ("D1", "D2"))
    run.destroy(outer, "Shape", 200, ("D0", "D1", "D2"))
    insert(db, "run", run_id=run_id, token="%016x" % run_id, label=label, command="./app",
           cwd="/home/user", host="build-host", cpu_count=2, cpu_model="Some CPU",
           kernel="6.1.0", level="exact", clock="tsc", exit_code=0, complete=1,
           started_utc="2026-03-01T12:00:%02d.000Z" % run_id, wall_ns=20 * MS,
           shim_version="0.1.0", inner_cost_ns=0, outer_cost_ns=0)
    insert(db, "process", process_id=run_id, run_id=run_id, pid=run_id, complete=1,
           executable="/home/user/app", command="./app", started_ns=0, wall_ns=20 * MS,
           exit_code=0)
    insert(db, "lane", lane_id=run_id, run_id=run_id, process_id=run_id)
    insert(db, "thread", thread_id=run_id, run_id=run_id, process_id=run_id, lane_id=run_id,
           tid=run_id, name="app", started_ns=0, wall_ns=20 * MS)
    trust(db, run_id, run_id, hook_calls=run.store())
    sums(db, run_id)


def make(db):
    for number, label in enumerate(("before", "after")):
        add_run(db, number + 1, label)
