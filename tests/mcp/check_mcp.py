#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sessions with prof-analyze mcp: every tool answers within its bounds and with ids that lead
back to SQL; what is no message, no tool or no argument gets the error that the protocol has for
it, and the session goes on. usage: check_mcp.py PROF_ANALYZE"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "reports"))
import make_db  # noqa: E402  (found through the line above)
from client import Client  # noqa: E402

# what a tool needs beside the database
ARGUMENTS = {"callers": {"words": ["parse"]}, "sql": {"words": ["SELECT 1 AS one"]},
             "delta": {"words": ["start", "exit"], "process": "4100"}}
MOST_BYTES = 65536
problems = []


def expect(what, got, wanted):
    if got != wanted:
        problems.append(f"{what}: {got}, not {wanted}")


def check_begin(analyze):
    client = Client(analyze)
    expect("ping at first", client.request("ping")["result"], {})
    expect("before initialize", client.request("tools/list")["error"]["code"], -32600)
    for asked, given in (("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"),
                         ("1999-01-01", "2025-11-25")):
        result = client.begin(asked)
        expect("version", result["protocolVersion"], given)
    expect("capabilities", result["capabilities"], {"tools": {}})
    expect("name", result["serverInfo"]["name"], "prof-analyze")
    expect("end", client.end(), 0)


def check_tools(analyze, folder):
    """Every tool of the list, with what its schema names, and nothing else."""
    database = os.path.join(folder, "fixture.db")
    client = Client(analyze, database)
    client.begin()
    tools = client.request("tools/list")["result"]["tools"]
    commands = subprocess.run([analyze, "--help"], capture_output=True, text=True,
                              check=True).stdout
    for tool in tools:
        name, schema = tool["name"], tool["inputSchema"]
        expect(f"{name}: a command", f"\n  {name} " in commands, True)
        expect(f"{name}: reads only", tool["annotations"]["readOnlyHint"], True)
        offered = set(schema["properties"])
        expect(f"{name}: names of files", offered & {"output", "o", "map", "rules", "source",
                                                     "suppressions", "program"}, set())
        arguments = ARGUMENTS.get(name, {})
        expect(f"{name}: arguments", set(arguments) - offered, set())
        if name != "compare":
            answer = client.answer(name, **arguments)
            expect(f"{name}: a schema version", answer["schema_version"], 1)
        for odd in ("odd", "output", "rules", "format"):
            expect(f"{name}: argument {odd}", client.call(name, **arguments, **{odd: "x"}),
                   (True, f"argument '{odd}' is not an argument of this tool"))
        if "limit" in offered:
            for limit in ("many", 1.5, {}, None):
                expect(f"{name}: limit {limit}",
                       client.call(name, **arguments, limit=limit)[0], True)
    for name in ("callers", "sql"):
        is_error, text = client.call(name)
        expect(f"{name} without words", (is_error, f"{name} needs" in text), (True, True))
    expect("tools", len(tools) >= 20, True)
    expect("end", client.end(), 0)


def check_evidence(analyze, folder):
    """What a finding says is in the database: by its query, and by its ids."""
    database = os.path.join(folder, "findings.db")
    client = Client(analyze, database)
    client.begin()
    findings = client.answer("bottlenecks")["findings"]
    expect("findings", len(findings) > 1, True)
    for finding in findings:
        rows = client.answer("sql", words=[finding["sql"]])["rows"]
        if not rows:
            problems.append(f"{finding['id']}: its query has no rows: {finding['sql']}")
        for one in finding["evidence"]:
            expect(f"{finding['id']}: evidence", {"value", "error", "unit"} - set(one), set())
        if finding["path_id"]:
            [row] = client.answer("sql", words=[
                "SELECT f.name FROM call_paths p JOIN functions f USING (function_id) "
                f"WHERE path_id = {finding['path_id']}"])["rows"]
            expect(f"{finding['id']}: path", finding["path"][-1] in row["name"], True)
    for row in client.answer("functions")["functions"]:
        expect("errors", {"self_error_ns", "total_error_ns"} - set(row), set())
    client.end()


def check_bounds(analyze, folder):
    """Rows, bytes and time of an answer have an end, and it says what was left out."""
    database = os.path.join(folder, "fixture.db")
    client = Client(analyze)
    client.begin()
    answer = client.answer("functions", database=database, limit=2)
    expect("rows", len(answer["functions"]), 2)
    expect("cut", answer["omitted"]["functions"]["shown_count"], 2)
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) "

    def ask(query, **more):
        return client.call("sql", database=database, words=[query], **more)
    is_error, text = ask(many + "SELECT i FROM n")
    expect("sql rows", (is_error, len(json.loads(text)["rows"])), (False, 20))
    is_error, text = ask(many + "SELECT i, hex(zeroblob(1000)) AS wide FROM n", limit=0)
    expect("wide rows", (is_error, "more than 64 KiB" in text, len(text) <= MOST_BYTES),
           (True, True, True))
    is_error, text = ask("SELECT hex(zeroblob(100000)) AS wide")
    expect("one wide row", (is_error, "more than 64 KiB" in text), (True, True))
    is_error, text = ask(many.replace(" LIMIT 1000", "") + "SELECT MAX(i) AS most FROM n")
    expect("endless", (is_error, "3 s of CPU time" in text), (True, True))
    for query in ("DELETE FROM run", "ATTACH 'x' AS y", "SELECT 1; SELECT 2", "PRAGMA x = 1",
                  "CREATE TABLE t(x)", "SELECT load_extension('x')"):
        expect(query, ask(query)[0], True)
    client.end()


def check_compare(analyze, folder):
    files = [os.path.join(folder, name) for name in ("before.db", "after.db")]
    client = Client(analyze)
    client.begin()
    answer = client.answer("compare", database=files)
    expect("compare", answer["report"], "compare")
    expect("sides", client.call("compare", database=[files[0], "--", files[1]])[0], False)
    groups = os.path.join(folder, "groups.db")
    is_error, _ = client.call("compare", database=groups, gate="wall=0%")
    expect("gate", (is_error, client.said), (False, "status 3: a limit was crossed"))
    client.answer("compare", database=groups, gate=["calls=0%", "peak=1MiB"])
    expect("gate that holds", client.said, None)
    for wrong in (files * 20, [1], {}, [[files[0]], ["-o/tmp/x"]], "-o", []):
        expect(f"sides {wrong}", client.call("compare", database=wrong)[0], True)
    client.call("compare", database=os.path.join(folder, "findings.db"))
    expect("one run", "a comparison takes two" in client.said, True)
    client.answer("compare", database=os.path.join(folder, "fixture.db"), before="before",
                  after=2)
    client.end()


def check_errors(analyze, folder):
    """Lines that are no messages; the session goes on after each."""
    database = os.path.join(folder, "fixture.db")
    client = Client(analyze)
    client.begin()
    for line, code in ((b"{", -32700), (b"\xff\xfe", -32700), (b"[]", -32600), (b"7", -32700),
                       (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700),
                       (b"[" * 5000, -32700), (b'{"id":1,"method":"ping"}', -32600),
                       (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
                       (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
                       (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
                       (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600),
                       (b'{"jsonrpc":"2.0","id":"a","method":"none/such"}', -32601),
                       (b'{"jsonrpc":"2.0","id":"a","method":"tools/call"}', -32602),
                       (b'{"jsonrpc":"2.0","id":"a","method":"tools/call",'
                        b'"params":{"name":"rm","arguments":{}}}', -32602),
                       (b'{"jsonrpc":"2.0","id":"a","method":"tools/call",'
                        b'"params":{"name":"sql","arguments":[]}}', -32602),
                       (b'{"x":"' + b"y" * (3 << 20) + b'"}', -32600)):
        client.send(line)
        expect(line[:60], client.receive()["error"]["code"], code)
    # answers, blank lines and what comes too late have no answer
    client.send(b"")
    client.send(b' \r')
    client.send(b'{"jsonrpc":"2.0","id":5,"result":{}}')
    client.notify("notifications/cancelled", requestId=1, reason="late")
    client.notify("none/such")
    expect("still there", client.request("ping")["result"], {})
    for path, sentence in (("/nonexistent/run.db", "no such file"), (HERE, ""),
                           (os.path.join(HERE, "client.py"), "not"), ("/dev/zero", "")):
        is_error, text = client.call("runs", database=path)
        expect(path, (is_error, sentence in text, "\n" in text), (True, True, False))
    expect("no database", "needs a database" in client.call("runs")[1], True)
    expect("a run that is not there",
           client.call("functions", database=database, run=77)[0], True)
    expect("a name with escapes", "\x1b" in client.call("callers", database=database,
                                                         words=["\x1b[31m"])[1], False)
    expect("end", client.end(), 0)


def check_untouched(analyze, folder):
    """The file and its folder are as they were, though nobody may write to them."""
    own = os.path.join(folder, "own")
    os.mkdir(own)
    database = os.path.join(own, "run.db")
    shutil.copy(os.path.join(folder, "fixture.db"), database)
    os.chmod(database, 0o400)
    with open(database, "rb") as file:
        before = file.read()
    client = Client(analyze, database)
    client.begin()
    for tool in ("report", "bottlenecks", "tree"):
        client.answer(tool)
    client.end()
    with open(database, "rb") as file:
        expect("the file", file.read() == before, True)
    expect("the folder", os.listdir(own), ["run.db"])


def make(folder):
    for kind, name in (("fixture", "fixture"), ("findings", "findings"), ("groups", "groups"),
                       ("fixture", "before"), ("fixture", "after")):
        make_db.make(kind, os.path.join(folder, f"{name}.db"))


def main():
    with tempfile.TemporaryDirectory(prefix="profshim-mcp-") as folder:
        make(folder)
        check_begin(sys.argv[1])
        for check in (check_tools, check_evidence, check_bounds, check_compare, check_errors,
                      check_untouched):
            check(sys.argv[1], folder)
    print("\n".join(problems))
    sys.exit(f"{len(problems)} problems" if problems else 0)


main()
