#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Prometheus makes of a run, and a push of what a server does. usage: check_push.py
BUILD-ROOT

promtool reads the text; a Pushgateway gets it, Prometheus has it from there. Servers that
misbehave get nothing more than a request. Skipped without what scripts/fetch_servers brings.
"""
import contextlib
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse

import recordings
import servers
from recordings import harness

sys.path.insert(0, os.path.join(recordings.HERE, "..", "reports"))
import hostile_names  # noqa: E402

SERIES_MOST = 500
WORDS = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "profshim_credentials")


def environment(**settings):
    kept = {name: value for name, value in os.environ.items() if name.lower() not in WORDS}
    return {**kept, **settings}


def push(recording, url, *arguments, **settings):
    before = digest(recording.database)
    result = harness.run([recording.products.analyze, "push", url, recording.database, *arguments],
                         env=environment(**settings))
    harness.expect(digest(recording.database) == before, "a push changed run.db")
    return result


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def series_of(text):
    """{(name, labels): value}"""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    pairs = [line.rsplit(" ", 1) for line in lines]
    harness.expect(len({name for name, _ in pairs}) == len(pairs), "a series is there twice")
    return {name: float(value) for name, value in pairs}


def promtool(*arguments, text=None, cwd=None):
    result = subprocess.run([servers.program("promtool"), *arguments], input=text, cwd=cwd,
                            capture_output=True, text=True, check=False)
    harness.expect(result.returncode == 0 and not result.stderr,
                   f"promtool {arguments}: {result.stdout} {result.stderr}")


def check_text(recording, folder):
    """Both of Prometheus's parsers take it, and numbers are those of run.db."""
    recording.export("openmetrics", recording.file("openmetrics"))
    with open(recording.file("openmetrics"), encoding="utf-8") as file:
        text = file.read()
    series = series_of(text)
    harness.expect(text.endswith("\n# EOF\n") and text.count("# EOF\n") == 1,
                   "the end is not the end")
    harness.expect(10 < len(series) <= SERIES_MOST, f"{len(series)} series")
    promtool("check", "metrics", text=text)
    # its parser of OpenMetrics wants times, which a push must not have
    timed = os.path.join(folder, "timed")
    with open(timed, "w", encoding="utf-8") as file:
        file.writelines(line + ("" if line.startswith("#") else " 1700000000") + "\n"
                        for line in text.splitlines())
    promtool("tsdb", "create-blocks-from", "openmetrics", timed, os.path.join(folder, "blocks"))
    return series


def check_numbers(recording, folder):
    series = check_text(recording, folder)
    program = f'program="{recording.name}"'
    sums = recording.sums()
    for name, expected in (("run_calls", sums["calls"]), ("run_self_seconds", sums["wall"] / 1e9),
                           ("run_allocated_bytes", sums["bytes"])):
        told = series[f"profshim_{name}{{{program}}}"]
        harness.expect(told == expected, f"{name} is {told}, not {expected}")
    for function, calls in recording.rows("SELECT full_name, SUM(calls) FROM functions "
                                          "GROUP BY 1 ORDER BY 2 DESC LIMIT 3"):
        told = series[f'profshim_function_calls{{{program},function="{function}"}}']
        harness.expect(told == calls, f"{function}: {told}, not {calls}")


def check_hostile(recording, folder):
    """Names and values that are no part of the format do not become one."""
    path = os.path.join(folder, "hostile.db")
    shutil.copy(recording.database, path)
    with contextlib.closing(sqlite3.connect(path)) as database:
        names = [*hostile_names.NAMES, b'"} 1\nforged 2', b"\\", b'\\"', b"# EOF"]
        ids = [row[0] for row in database.execute("SELECT function_id FROM function")]
        for number, function in enumerate(ids):
            database.execute("UPDATE function SET full_name = CAST(? AS TEXT) "
                             "WHERE function_id = ?", (names[number % len(names)], function))
        database.execute("UPDATE run SET host = '..', label = CAST(? AS TEXT), "
                         "wall_ns = 'a\nb', exit_code = 'x'", (hostile_names.WORST,))
        database.execute("UPDATE process SET executable = CAST(? AS TEXT)",
                         (hostile_names.WORST,))
        database.commit()
    copy = object.__new__(recordings.Recording)
    copy.name, copy.database = "hostile", path
    copy.folder, copy.products = folder, recording.products
    check_text(copy, folder)
    return copy


def pushgateway(port):
    return [servers.program("prometheus-pushgateway"), f"--web.listen-address=127.0.0.1:{port}"]


def check_gateway(recording, other, hostile, folder):
    with servers.running(pushgateway, "/-/ready", folder) as port:
        url = f"http://127.0.0.1:{port}"
        for one in (recording, other, recording, hostile):
            result = push(one, url, "--format", "json")
            harness.expect(result.returncode == 0, result.stderr)
            place, = json.loads(result.stdout)["pushed"]
            harness.expect(place["url"].startswith(f"{url}/metrics/job/"), place["url"])
        told = servers.get(url + "/metrics")
        for one in (recording, other):
            calls = [float(value) for value in re.findall(
                rf'^profshim_run_calls{{instance="[^"]*",job="{one.name}",.* (\S+)$', told, re.M)]
            harness.expect(calls == [one.sums()["calls"]], f"{one.name}: {calls}")
        result = push(recording, f"{url}/metrics/job/mine/instance/ci")
        harness.expect(result.returncode == 0 and 'instance="ci",job="mine"' in
                       servers.get(url + "/metrics"), "a path that is written out is not taken")
        check_prometheus(recording, port, folder)
    result = push(recording, url)
    harness.expect(result.returncode == 1 and "cannot be reached" in result.stderr and
                   not result.stdout, f"a server that is down: {result}")


def check_prometheus(recording, gateway, folder):
    config = os.path.join(folder, "prometheus.yml")
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"scrape_configs": [{
            "job_name": "gateway", "honor_labels": True, "scrape_interval": "200ms",
            "scrape_timeout": "200ms",
            "static_configs": [{"targets": [f"127.0.0.1:{gateway}"]}]}]}, file)

    def command(port):
        return [servers.program("prometheus"), f"--config.file={config}",
                f"--web.listen-address=127.0.0.1:{port}",
                f"--storage.tsdb.path={os.path.join(folder, 'data')}"]

    query = urllib.parse.quote(f'profshim_run_calls{{job="{recording.name}"}}')
    with servers.running(command, "/-/ready", folder) as port:
        result, end = [], time.monotonic() + 60
        while not result and time.monotonic() < end:
            time.sleep(0.1)
            result = json.loads(servers.get(
                f"http://127.0.0.1:{port}/api/v1/query?query={query}"))["data"]["result"]
    told = [float(one["value"][1]) for one in result]
    harness.expect(told == [recording.sums()["calls"]], f"Prometheus has {told}")


def check_misbehaving(recording, folder):
    secret = os.path.join(folder, "secret")
    with open(secret, "w", encoding="utf-8") as file:
        file.write("me:pass:word\nmore\n")
    os.chmod(secret, 0o600)
    with servers.misbehaving() as port:
        url, requests = f"http://127.0.0.1:{port}", servers.Misbehaving.requests
        for place, sentence in (("elsewhere", "307, a redirect, which is not followed"),
                                ("endless", "reply is too long"), ("headers", "too long"),
                                ("forbidden", "other credentials"), ("steering", "400: ?[2Jno")):
            result = push(recording, f"{url}/{place}", "--credentials", secret)
            harness.expect(result.returncode == 1 and sentence in result.stderr and
                           len(result.stderr) < 600 and result.stderr.count("\n") == 1,
                           f"{place}: {result}")
        harness.expect(len(requests) == 5, f"{len(requests)} requests")
        for settings, arguments, expected in (
                ({}, ("--credentials", secret), "Basic bWU6cGFzczp3b3Jk"),
                ({"PROFSHIM_CREDENTIALS": "t0ken"}, (), "Bearer t0ken"), ({}, (), None)):
            result = push(recording, f"{url}/fine", *arguments, **settings)
            harness.expect(result.returncode == 0 and requests[-1][1] == expected,
                           f"{arguments}: {result.stderr} {requests[-1][1]}")
    os.chmod(secret, 0o640)
    result = push(recording, url, "--credentials", secret)
    harness.expect(result.returncode == 1 and "chmod 600" in result.stderr, result.stderr)
    for wrong in ("http://me:secret@127.0.0.1", "ftp://host", "http://", "http://a b",
                  "http://host/?x", "http://host/\x1b[2J"):
        result = push(recording, wrong)
        harness.expect(result.returncode == 2 and "secret" not in result.stderr and
                       "\x1b" not in result.stderr, f"{wrong}: {result}")


def main():
    if not servers.program("prometheus-pushgateway"):
        print("skipped: scripts/fetch_servers brings what this needs")
        sys.exit(77)
    products = harness.Products(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="profshim-push-") as folder:
        made = recordings.make(products, folder)
        for recording in made:
            check_numbers(recording, folder)
        hostile = check_hostile(made[2], folder)
        check_gateway(made[0], made[1], hostile, folder)
        check_misbehaving(made[0], folder)


main()
