# SPDX-License-Identifier: MIT
"""Runs with snapshots, made from single blocks, so that every number can be checked
against the blocks themselves (check_delta.py).

Run 1 'workers' has two processes on the same call paths, run 2 'wrapped' a shell that
became a server by exec (the same PID, paths of their own), run 3 'server' is a single one.
"""
import make_db
from make_db import MS, insert

FOREVER = None
TICKS = [(number * 100, "tick", "interval") for number in range(2, 11)]
SERVER = [(100, "loaded", "call")] + TICKS + [(1050, "done", "signal")]
WORKERS = {4: [(50, "ready", "function"), (80, "idle", "call")],
           5: [(60, "ready", "function"), (90, "finished", "command")]}
SERVER_END, WORKERS_END, WRAPPED_END = 1200, 100, 160
WRAPPED = [(100, "loaded", "call"), (140, "done", "call")]

# name of the site: size, (file, line) of the call, path that it is on
SITES = {
    "session": (4096, ("/home/user/src/session.c", 31), "open_session"),
    "cache": (2048, ("/home/user/src/cache.c", 12), "cache_put"),
    "table": (4 << 20, ("/home/user/src/main.c", 14), "main"),
    "request": (512, ("/home/user/src/request.c", 52), "parse"),
    "again": (512, ("/home/user/src/request.c", 52), "parse_again"),
    "vector": (160, ("/home/user/src/parse.c", 22), "grow"),
    "scratch": (1 << 16, (None, None), "parse"),
    "pool": (3000, ("/home/user/src/pool.c", 9), "main"),
    "never": (64, ("/home/user/src/never.c", 1), "main"),
    "shell": (256, (None, None), "shell"),
}


class Block:
    def __init__(self, site, born, freed, size):
        self.site, self.born, self.freed, self.size = site, born, freed, size

    def lives_at(self, time):
        return self.born < time and (self.freed is FOREVER or self.freed > time)


def lifetime(site, time, end):
    """When a block of the site that is born at this time is freed; False: none is born."""
    if site == "session":
        return FOREVER
    if site == "cache":
        return FOREVER if time < 450 or time % 400 == 8 else False
    if site == "table":
        return FOREVER if 350 < time < 358 else False
    if site == "request":
        return time + 130 + time * 7 % 50
    if site == "again":
        return time + 3 if time < 700 else time + 230
    if site == "vector":
        return end - 4 if time % 3 else time + 1
    if site == "scratch":
        return time + 1
    if site == "pool":
        return FOREVER if time < 90 else False
    return False if site == "never" else FOREVER


def simulate(end, is_shell):
    """The blocks of a process that runs for so many milliseconds."""
    blocks = []
    for time in range(3, end, 5):
        for site, (size, _, _) in SITES.items():
            if (site == "shell") != is_shell:
                continue
            freed = lifetime(site, time, end)
            if freed is not False:
                freed = freed if freed is FOREVER or freed < end else FOREVER
                blocks.append(Block(site, time + 0.5, freed, size))
    return blocks


def live(blocks, site, time):
    sizes = [b.size for b in blocks if b.site == site and b.lives_at(time)]
    return len(sizes), sum(sizes)


def allocated(blocks, site, time):
    sizes = [b.size for b in blocks if b.site == site and b.born < time]
    return len(sizes), sum(sizes)


class Recording:
    """One run; processes: process_id: (pid, snapshots, end)."""

    def __init__(self, db, run_id, label, processes, shell=None):
        self.db, self.run_id, self.processes, self.shell = db, run_id, processes, shell
        self.blocks = {process: simulate(end, process == shell)
                       for process, (_, _, end) in processes.items()}
        self.store_run(label)
        self.store_paths()
        for process_id in processes:
            self.store_snapshots(process_id)
        make_db.sums(db, run_id)

    def store_run(self, label):
        wall = max(end for _, _, end in self.processes.values()) * MS
        first = min(self.processes)
        insert(self.db, "run", run_id=self.run_id, token="snapshots%d" % self.run_id,
               label=label, command="./server", cwd="/home/user", host="build-host",
               cpu_count=2, started_utc="2026-03-01T12:00:00.000Z", wall_ns=wall,
               exit_code=0, complete=1, level="exact", shim_version="0.1.0", clock="tsc",
               inner_cost_ns=8.5, outer_cost_ns=17.5, peak_process_id=first)
        insert(self.db, "module", module_id=self.run_id, run_id=self.run_id,
               path="/home/user/server", symbols="debug")
        for process_id, (pid, _, end) in self.processes.items():
            blocks = self.blocks[process_id]
            insert(self.db, "process", process_id=process_id, run_id=self.run_id, pid=pid,
                   executable="/home/user/server", command="./server", started_ns=0,
                   wall_ns=end * MS, exit_code=0, complete=1, alloc_count=len(blocks),
                   alloc_bytes=sum(b.size for b in blocks),
                   live_bytes_at_exit=sum(b.size for b in blocks if b.freed is FOREVER))
            insert(self.db, "lane", lane_id=process_id, run_id=self.run_id,
                   process_id=process_id)
            insert(self.db, "thread", thread_id=process_id, run_id=self.run_id,
                   process_id=process_id, lane_id=process_id, tid=pid, name="server",
                   started_ns=0, wall_ns=end * MS)

    def store_paths(self):
        run = make_db.Run(self.db, self.run_id, 1000 * self.run_id)
        names = ["main", "open_session", "cache_put", "parse", "grow"]
        if self.shell:
            names.append("shell")
        files = {"grow": "/usr/include/c++/12/bits/vector.tcc"}
        functions = {name: run.function(
            "std::vector<int>::_M_realloc_insert(int const&)" if name == "grow" else name,
            module_id=self.run_id, line=10 + len(name),
            component="network" if name == "open_session" else None,
            file=files.get(name, "/home/user/src/%s.c" % name)) for name in names}
        self.paths = {"main": run.path(None, functions["main"], *self.spent("main", 0))}
        for name, parent in (("open_session", "main"), ("cache_put", "main"),
                             ("parse", "main"), ("parse_again", "cache_put"),
                             ("grow", "parse")):
            function = functions[name.replace("_again", "")]
            self.paths[name] = run.path(self.paths[parent], function,
                                        *self.spent(name, 0), kind=int(name == "grow"))
        if self.shell:
            self.paths["shell"] = run.path(None, functions["shell"],
                                           *self.spent("shell", 0))
        for process_id in self.processes if len(self.processes) > 1 else ():
            for name, path in self.paths.items():
                calls, self_ns = self.spent(name, process_id)
                sizes = [b.size for b in self.blocks[process_id]
                         if SITES[b.site][2] == name]
                run.paths[path]["lanes"][process_id] = (
                    calls, self.total(name, process_id), self_ns, len(sizes), sum(sizes))
        for site, (size, (file, line), path) in SITES.items():
            if path not in self.paths:
                continue
            blocks = [b for all_blocks in self.blocks.values() for b in all_blocks
                      if b.site == site]
            stay = sum(b.freed is FOREVER for b in blocks)
            run.site(self.paths[path], file, line, len(blocks), size, live=stay,
                     at_peak=min(len(blocks), stay + 2))
        make_db.trust(self.db, self.run_id, min(self.processes), hook_calls=run.store())
        ids = self.db.execute("SELECT site_id FROM site WHERE run_id = ? ORDER BY site_id",
                              (self.run_id,))
        self.sites = dict(zip((site for site in SITES if SITES[site][2] in self.paths),
                              (site_id for site_id, in ids)))

    def spent(self, path, process_id, time=None):
        """Calls and self_ns of a path up to a time; process_id 0: of all, to the end."""
        if process_id == 0:
            each = [self.spent(path, one) for one in self.processes]
            return sum(e[0] for e in each), sum(e[1] for e in each)
        time = self.processes[process_id][2] if time is None else time
        if path == "grow" or (path == "shell") != (process_id == self.shell):
            return 0, 0
        if path == "main":
            return 1, time * 1000
        if path == "open_session":
            return min(time, 300), min(time, 300) * 40_000
        return time * len(path), time * time * 100

    def total(self, path, process_id, time=None):
        below = {"main": ("open_session", "cache_put", "parse", "parse_again"),
                 "cache_put": ("parse_again",)}.get(path, ())
        return sum(self.spent(name, process_id, time)[1] for name in (path,) + below)

    def store_snapshots(self, process_id):
        _, snapshots, _ = self.processes[process_id]
        blocks, first = self.blocks[process_id], 100 * process_id
        ids = [first + i + 1 for i in range(len(snapshots))]
        times = [time for time, _, _ in snapshots]
        for number, (time, label, taken_by) in enumerate(snapshots, 1):
            alive = [b.size for b in blocks if b.lives_at(time)]
            born = [b.size for b in blocks if b.born < time]
            insert(self.db, "snapshot", snapshot_id=first + number, run_id=self.run_id,
                   process_id=process_id, number=number, label=label, taken_by=taken_by,
                   time_ns=time * MS, live_count=len(alive), live_bytes=sum(alive),
                   alloc_count=len(born), alloc_bytes=sum(born),
                   rss_bytes=None if number == 2 else (8 << 20) + sum(alive))
        for site, site_id in self.sites.items():
            self.store_states(
                "snapshot_site", process_id, "site_id", site_id, ids,
                ("live_count", "live_bytes", "alloc_count", "alloc_bytes"),
                [live(blocks, site, t) + allocated(blocks, site, t) for t in times])
            self.store_frees(process_id, site, site_id, ids, times)
        for name, path_id in self.paths.items():
            self.store_states(
                "snapshot_path", process_id, "path_id", path_id, ids,
                ("calls", "self_ns", "total_ns"),
                [self.spent(name, process_id, t) + (self.total(name, process_id, t),)
                 for t in times])

    def store_states(self, table, process_id, key, key_id, ids, names, states):
        """Rows with their validity: what does not change is not repeated."""
        starts = [i for i, state in enumerate(states)
                  if any(state) and (i == 0 or state != states[i - 1])]
        for i, following in zip(starts, starts[1:] + [None]):
            until = ids[following] if following is not None else make_db.NEVER
            insert(self.db, table, process_id=process_id, snapshot_id=ids[i],
                   until_id=until, **{key: key_id}, **dict(zip(names, states[i])))

    def store_frees(self, process_id, site, site_id, ids, times):
        frees = {}
        for block in self.blocks[process_id]:
            if block.site != site or block.freed is FOREVER:
                continue
            born, freed = (sum(t < at for t in times) for at in (block.born, block.freed))
            if born != freed:
                count, size = frees.get((born, freed), (0, 0))
                frees[born, freed] = (count + 1, size + block.size)
        for (born, freed), (count, size) in frees.items():
            insert(self.db, "snapshot_free", process_id=process_id, site_id=site_id,
                   born_id=ids[born - 1] if born else 0, freed_id=ids[freed - 1],
                   free_count=count, free_bytes=size)


def make(db):
    workers = Recording(db, 1, "workers", {
        process: (5000 + process, snapshots, WORKERS_END)
        for process, snapshots in WORKERS.items()})
    wrapped = Recording(db, 2, "wrapped", {8: (6500, [], 40), 9: (6500, WRAPPED, WRAPPED_END)},
                        shell=8)
    server = Recording(db, 3, "server", {7: (6000, SERVER, SERVER_END)})
    return workers, server, wrapped
