# SPDX-License-Identifier: MIT
"""What a recording says, read from run.db as its views promise it."""
import collections
import json

import harness
import measure


class Function:
    """Sums of all functions of one name. self_ns: as built, with the copies of others that
    the compiler put into it; apart_ns: with its own copies wherever they are."""

    def __init__(self):
        self.calls = self.self_ns = self.apart_ns = 0
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
        report = json.loads(measure.run([products.analyze, "report", database, "--format",
                                         "json"]))
        self.stated_share = report["summary"]["hook_cost_percent"] / 100
        self.verdict = report["trust"]["verdict"]

    def _read_functions(self, connection):
        self.functions, self.names = collections.defaultdict(Function), {}
        columns = columns_of(connection, "functions")
        apart = "hooked_self_ns" if "hooked_self_ns" in columns else "self_ns"
        error = "self_error_ns" if "self_error_ns" in columns else "NULL"
        for number, name, module, calls, self_ns, apart_ns, recording, error_ns in \
                harness.query(connection, "SELECT function_id, COALESCE(linkage_name, name),"
                              f" module, calls, self_ns, {apart}, recording, {error}"
                              " FROM functions WHERE calls > 0"):
            if module != self.program:
                continue
            self.names[number] = self.one_name(name)
            function = self.functions[self.names[number]]
            function.calls += calls
            function.self_ns += self_ns
            function.apart_ns += apart_ns
            function.recordings.add(recording)
            if error_ns is not None:
                function.error_ns = (function.error_ns or 0) + error_ns

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
        """(path, its parent, function or None, self_ns, whether inlined), parents first."""
        self.knows_inlined = "inlined" in columns_of(connection, "call_paths")
        inlined = "inlined" if self.knows_inlined else "0"
        self.paths = [
            (path, parent, self.names.get(number), self_ns, bool(is_inlined))
            for path, parent, number, self_ns, is_inlined in harness.query(
                connection, "SELECT path_id, parent_path_id, function_id, self_ns,"
                f" {inlined} FROM call_paths ORDER BY depth")]

    def counts(self):
        return collections.Counter({name: function.calls
                                    for name, function in self.functions.items()})

    def accounts(self, standing):
        """{account: {function: ns}}: as built; with copies apart; and as the plain build is,
        where functions that do not stand in it are part of their callers."""
        owners, as_plain = {}, collections.Counter()
        for path, parent, name, self_ns, is_inlined in self.paths:
            is_folded = is_inlined or name not in standing
            owners[path] = owners.get(parent) if is_folded else name
            if owners[path]:
                as_plain[owners[path]] += self_ns
        functions = self.functions.items()
        return {"as_built": collections.Counter({n: f.self_ns for n, f in functions}),
                "apart": collections.Counter({n: f.apart_ns for n, f in functions}),
                "as_plain": as_plain}

    def errors(self):
        """{function: the error of its self_ns, or None}"""
        return {name: function.error_ns for name, function in self.functions.items()}
