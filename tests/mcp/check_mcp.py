#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sessions with prof-analyze mcp: every tool answers within its bounds and with ids that lead
back to SQL; what is no message, no tool or no argument gets the error that the protocol has for
it, and the session goes on. usage: check_mcp.py PROF_ANALYZE"""
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "reports"))
import make_db  # noqa: E402  (found through the line above)
from client import Client  # noqa: E402

# what a tool needs beside the database
ARGUMENTS = {"callers": {"function": "parse"}, "sql": {"query": "SELECT 1 AS one"},
             "delta": {"from": "start", "to": "exit"}, "gate": {"limits": "calls=0%"}}
MORE = {"delta": {"process": "4100"}}
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
    for tool in tools:
        name, schema = tool["name"], tool["inputSchema"]
        arguments = ARGUMENTS.get(name, {})
        expect(f"{name}: required", schema["required"], list(arguments))
        arguments = {**arguments, **MORE.get(name, {})}
        expect(f"{name}: reads only", tool["annotations"]["readOnlyHint"], True)
        answer = client.answer(name, **arguments)
        expect(f"{name}: parts", sorted(set(answer) - {"to_see_more"}),
               ["cut", "document", "status"])
        expect(f"{name}: a schema version", answer["document"]["schema_version"], 1)
        for argument in schema["required"]:
            less = {key: value for key, value in arguments.items() if key != argument}
            is_error, text = client.call(name, **less)
            expect(f"{name} without {argument}", (is_error, f"'{argument}' is missing" in text),
                   (True, True))
        expect(f"{name}: another argument", client.call(name, **arguments, odd=1),
               (True, "argument 'odd' is not one that this tool has"))
        if "limit" in schema["properties"]:
            for limit in (0, 201, "5", 1.5):
                expect(f"{name}: limit {limit}",
                       client.call(name, **arguments, limit=limit)[0], True)
    expect("tools", len(tools) >= 15, True)
    expect("end", client.end(), 0)


def check_evidence(analyze, folder):
    """What a finding says is in the database: by its query, and by its ids."""
    database = os.path.join(folder, "findings.db")
    client = Client(analyze, database)
    client.begin()
    findings = client.answer("findings")["document"]["findings"]
    expect("findings", len(findings) > 1, True)
    for finding in findings:
        rows = client.answer("sql", query=finding["sql"])["document"]["rows"]
        if not rows:
            problems.append(f"{finding['id']}: its query has no rows: {finding['sql']}")
        for one in finding["evidence"]:
            expect(f"{finding['id']}: evidence", {"value", "error", "unit"} - set(one), set())
        if finding["path_id"]:
            [row] = client.answer("sql", query="SELECT f.name FROM call_paths p JOIN functions "
                                  f"f USING (function_id) WHERE path_id = {finding['path_id']}"
                                  )["document"]["rows"]
            expect(f"{finding['id']}: path", finding["path"][-1] in row["name"], True)
    for row in client.answer("functions")["document"]["functions"]:
        expect("errors", {"self_error_ns", "total_error_ns"} - set(row), set())
    client.end()


def check_bounds(analyze, folder):
    """Rows, bytes and time of an answer have an end, and it says what was left out."""
    database = os.path.join(folder, "fixture.db")
    client = Client(analyze)
    client.begin()
    answer = client.answer("functions", database=database, limit=2)
    expect("rows", len(answer["document"]["functions"]), 2)
    expect("cut", any(line.startswith("functions: 2 of ") for line in answer["cut"]), True)
    expect("more", "to_see_more" in answer, True)
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) "
    answer = client.answer("sql", database=database, query=many + "SELECT i FROM n", limit=200)
    expect("sql rows", len(answer["document"]["rows"]), 200)
    expect("sql cut", "there are more rows" in answer["cut"][0], True)
    is_error, text = client.call("sql", database=database, limit=200, query=many +
                                 "SELECT i, hex(zeroblob(1000)) AS wide FROM n")
    expect("wide rows", (is_error, len(text) <= MOST_BYTES, "there are more rows" in text),
           (False, True, True))
    is_error, text = client.call("sql", database=database,
                                 query="SELECT hex(zeroblob(100000)) AS wide")
    expect("one wide row", (is_error, "more than 64 KiB" in text), (True, True))
    is_error, text = client.call("sql", database=database, query=many.replace(" LIMIT 1000", "")
                                 + "SELECT MAX(i) AS most FROM n")
    expect("endless", is_error, True)
    for query in ("DELETE FROM run", "ATTACH 'x' AS y", "SELECT 1; SELECT 2", "PRAGMA x = 1",
                  "CREATE TABLE t(x)", "SELECT load_extension('x')"):
        expect(query, client.call("sql", database=database, query=query)[0], True)
    client.end()


def check_compare(analyze, folder):
    files = [os.path.join(folder, name) for name in ("before.db", "after.db")]
    client = Client(analyze)
    client.begin()
    both = {"before": files[:1], "after": files[1:]}
    answer = client.answer("compare", **both)
    expect("compare", (answer["status"], answer["document"]["report"]), ("ok", "compare"))
    groups = os.path.join(folder, "groups.db")
    expect("gate", client.answer("gate", database=groups, limits="wall=0%")["status"],
           "regression")
    expect("gate that holds",
           client.answer("gate", database=groups, limits="calls=0%")["status"], "ok")
    for wrong in ({"before": files}, {"before": "x", "after": files},
                  {"before": [1], "after": files}, {**both, "database": files[0]}, {}):
        expect(f"sides {sorted(wrong)}", client.call("compare", **wrong)[0], True)
    one = os.path.join(folder, "findings.db")
    for tool in ("compare", "gate"):
        answer = client.answer(tool, database=one, **ARGUMENTS.get(tool, {}))
        expect(f"{tool} of one run", (answer["status"], "a comparison takes two" in
                                      answer.get("reason", "")), ("nothing_measured", True))
    fixture = os.path.join(folder, "fixture.db")
    expect("runs of one file", client.answer("compare", database=fixture, before_run="before",
                                             after_run=2)["status"], "ok")
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
                       (b'{"jsonrpc":"2.0","id":"a","method":"tools/list",'
                        b'"params":{"cursor":"x"}}', -32602),
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
    expect("no database", client.call("runs"),
           (True, "argument 'database' is missing: a run.db"))
    expect("a run that is not there",
           client.call("functions", database=database, run=77)[0], True)
    expect("a name with escapes", "\x1b" in client.call("callers", database=database,
                                                         function="\x1b[31m")[1], False)
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
    for tool in ("overview", "findings", "paths"):
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
