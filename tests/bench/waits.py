# SPDX-License-Identifier: MIT
"""The cases of waits: what they cost each call, each switch, and two servers."""
import contextlib
import os
import pwd
import re
import shutil
import subprocess
import time

import measure
from measure import Missing, in_turn, printed_ns
from table import Row

OFF = {"PROFSHIM_WAITS": "off"}
NO_RSEQ = {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}
PAGE = "x" * 1000
NGINX = """daemon off; user {user}; worker_processes 1; error_log error.log; pid pid;
events {{ worker_connections 128; }}
http {{ access_log off; server {{ listen 127.0.0.1:{port}; root {folder}; }} }}
"""
PORT = 18_977
MARK = "plain: recorded with PROFSHIM_WAITS=off"
PATIENCE_SECONDS = 10


def sides(setting, command, **environment):
    """Without us, recorded without waits, and with them."""
    return {
        "plain": lambda: printed_ns(setting.unrecorded(command, **environment)),
        "hooks": lambda: printed_ns(setting.recorded(command, **environment, **OFF)),
        "shim": lambda: printed_ns(setting.recorded(command, **environment)),
    }


def calls(setting, program):
    for what, text, count, reach in (
            ("lock", "lock and unlock, free", 20_000_000, 6),
            ("pipe", "byte written and read, pipe", 1_000_000, 120),
            ("open", "file opened and closed", 1_000_000, None)):
        samples = in_turn(sides(setting, [program["plain"], what, setting.count(count)]),
                          setting.rounds)
        yield Row("l", text, "ns", samples, added=True, reach=reach)


def switches(setting, program):
    for source, environment in (("rseq", {}), ("perf", NO_RSEQ)):
        for kind in ("processes", "threads"):
            command = [program["hooked"], kind, setting.count(200_000)]
            samples = in_turn(sides(setting, command, **environment), setting.rounds)
            unsplit = {"plain": samples["hooks"], "shim": samples["shim"]}
            yield Row("l", f"a switch, {source}, 2 {kind}", "ns", unsplit, added=True,
                      reach=2000, note=MARK)


def on(processor, command):
    """Server and client each have a processor, where there are two."""
    return ["taskset", "-c", str(processor % os.cpu_count()), *command]


@contextlib.contextmanager
def serving(command, environment, folder, made):
    """made: the file that is there when the server is."""
    server = subprocess.Popen(on(1, command), env=environment, cwd=folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + PATIENCE_SECONDS
    try:
        while not os.path.exists(made):
            if server.poll() is not None or time.monotonic() > deadline:
                raise measure.BenchError(f"{command[0]} does not answer")
            time.sleep(0.01)
        yield
    finally:
        server.terminate()
        server.wait(60)


def redis(folder, environment, count):
    """us of a request, 50 clients"""
    socket = os.path.join(folder, "redis.sock")
    measure.remove(socket)
    command = ["redis-server", "--port", "0", "--unixsocket", socket, "--save", "",
               "--appendonly", "no"]
    with serving(command, environment, folder, socket):
        text = measure.run(on(0, ["redis-benchmark", "-s", socket, "-t", "get", "-n",
                                  count, "--csv"]))
    return 1e6 / float(re.search(r'^"GET","([\d.]+)"', text, re.MULTILINE)[1])


def nginx(folder, environment, count, *options):
    """us of a request, 16 clients"""
    with open(os.path.join(folder, "nginx.conf"), "w", encoding="utf-8") as file:
        file.write(NGINX.format(port=PORT, folder=folder,
                                user=pwd.getpwuid(os.getuid()).pw_name))
    with open(os.path.join(folder, "page"), "w", encoding="utf-8") as file:
        file.write(PAGE)
    pid = os.path.join(folder, "pid")
    measure.remove(pid)
    with serving(["nginx", "-p", folder, "-c", "nginx.conf"], environment, folder, pid):
        text = measure.run(on(0, ["ab", "-q", "-r", *options, "-n", count, "-c", "16",
                                  f"http://127.0.0.1:{PORT}/page"]))
    return 1e6 / float(re.search(r"Requests per second:\s+([\d.]+)", text)[1])


def servers(setting):
    tools = {"redis": ("redis-server", "redis-benchmark"), "nginx": ("nginx", "ab")}
    for name, server, count, options in (
            ("redis, request", redis, 100_000, ()),
            ("nginx, request", nginx, 20_000, ()),
            ("nginx, request, kept alive", nginx, 60_000, ("-k",))):
        missing = [tool for tool in tools[server.__name__] if not shutil.which(tool)]
        if missing:
            yield Row("l", name, "us", {"shim": Missing(f"{missing[0]} is not installed")})
            continue

        def once(environment, server=server, count=count, options=options):
            return server(setting.folder, environment, setting.count(count), *options)

        def recorded(**environment):
            measure.remove(setting.database, setting.database + "-spool")
            return once(setting.products.environment(setting.database, **environment))

        samples = in_turn({"alone": lambda once=once: once(dict(os.environ)),
                           "plain": lambda recorded=recorded: recorded(**OFF),
                           "shim": lambda recorded=recorded: recorded()},
                          setting.rounds * 3)
        yield Row("l", name, "us", samples, slower=True, reach=1 / 0.98, note=MARK)


def waits(setting):
    """(l) what waits cost: calls, switches, and two servers."""
    program = setting.programs.loop("waits")
    yield from calls(setting, program)
    yield from switches(setting, program)
    yield from servers(setting)
