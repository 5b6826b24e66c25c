# SPDX-License-Identifier: MIT
"""What a recording says, read from run.db as its views promise it."""
import collections
import json

import harness
import measure
import truth


class Function:
    """Sums of all functions of one name."""

    def __init__(self):
        self.calls = 0
        self.error_ns = None
        self.recordings = set()


def columns_of(connection, view):
    return {row[1] for row in harness.query(connection, f"PRAGMA table_info({view})")}


class Recording:
    """One run. Functions are those of the program itself. names: a truth.Names of it."""

    def __init__(self, products, database, program, names):
        self.program, self.one_name = program, names.of
        with harness.reading(database) as connection:
            self._read_functions(connection)
            self._read_main(connection)
            self._read_paths(connection)
            # of the program's code, and whatever it was: what ranks can rest on
            self.samples = harness.query(
                connection, "SELECT COALESCE(SUM(count), 0) FROM samples"
                " WHERE kind = 'code' AND program = 'hooked'")[0][0]
        report = json.loads(measure.run([products.analyze, "report", database, "--format",
                                         "json"]))
        self.stated_share = report["summary"]["hook_cost_percent"] / 100
        self.verdict = report["trust"]["verdict"]

    def _read_functions(self, connection):
        self.functions, self.names = collections.defaultdict(Function), {}
        self.libraries, self.library_errors = {}, collections.Counter()
        columns = columns_of(connection, "functions")
        error = "self_error_ns" if "self_error_ns" in columns else "NULL"
        for number, name, module, calls, recording, error_ns in \
                harness.query(connection, "SELECT function_id, COALESCE(linkage_name, name),"
                              f" module, calls, recording, {error}"
                              " FROM functions WHERE calls > 0"):
            if module != self.program:
                continue
            self.names[number] = self.one_name(name)
            function = self.functions[self.names[number]]
            function.calls += calls
            function.recordings.add(recording)
            if error_ns is not None:
                function.error_ns = (function.error_ns or 0) + error_ns
        for number, name, module, error_ns in harness.query(
                connection, "SELECT function_id, COALESCE(linkage_name, name), module,"
                " self_error_ns FROM functions WHERE calls IS NULL AND self_ns > 0"):
            if module == self.program:
                continue
            self.libraries[number] = truth.library_name(name)
            self.library_errors[self.libraries[number]] += error_ns
        self.timed = {truth.library_name(name) for name, in harness.query(
            connection, "SELECT DISTINCT name FROM call_paths WHERE kind IN ('wait', 'io')")}

    def _read_main(self, connection):
        columns = columns_of(connection, "functions")
        error = "total_error_ns" if "total_error_ns" in columns else "NULL"
        ready = "COALESCE(ready_ns, 0)" if "ready_ns" in columns else "0"
        rows = harness.query(
            connection, f"SELECT total_ns, raw_total_ns, {error}, {ready} FROM functions"
            " WHERE COALESCE(linkage_name, name) = 'main' AND calls > 0")
        if len(rows) != 1:
            raise measure.BenchError(f"main was recorded {len(rows)} times")
        total_ns, raw_ns, self.main_error_ns, ready_ns = rows[0]
        # Others had the CPU: that is neither the program's nor the recorder's.
        self.main_ns, self.raw_main_ns = total_ns - ready_ns, raw_ns - ready_ns

    def _read_paths(self, connection):
        """(path, its parent, function or None, its own CPU time, whether inlined, calls),
        parents first. Samples of the plain build are of CPU time, too."""
        self.knows_inlined = "inlined" in columns_of(connection, "call_paths")
        inlined = "inlined" if self.knows_inlined else "0"
        self.paths = [
            (path, parent, self.names.get(number) or self.libraries.get(number), cpu_ns,
             bool(is_inlined), calls or 0)
            for path, parent, number, cpu_ns, is_inlined, calls in harness.query(
                connection, "SELECT path_id, parent_path_id, function_id, self_cpu_ns,"
                f" {inlined}, calls FROM call_paths ORDER BY depth")]

    def inlined_pairs(self):
        """{(function, caller)} where most calls are of copies that the compiler put into the
        caller."""
        names = {path: name for path, _, name, *_ in self.paths}
        calls = collections.Counter()
        for _, parent, name, _, is_inlined, count in self.paths:
            calls[name, names.get(parent)] += count if is_inlined else -count
        return {pair for pair, more in calls.items() if more > 0}

    def counts(self):
        return collections.Counter({name: function.calls
                                    for name, function in self.functions.items()})

    def account(self):
        """{function: ns}, copies that were inlined folded into the code that they are in.
        The time of calls of libc that are timed is their callers', as in truth.py."""
        owners, account = {}, collections.Counter()
        for path, parent, name, cpu_ns, is_inlined, _ in self.paths:
            owners[path] = name if name and not is_inlined else owners.get(parent)
            if owners[path]:
                account[owners[path]] += cpu_ns
        return account

    def errors(self):
        """{function: the error of its self_ns, or None}"""
        return {**{name: function.error_ns for name, function in self.functions.items()},
                **self.library_errors}
