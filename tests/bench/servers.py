# SPDX-License-Identifier: MIT
"""(o) CPU time of a request of servers that are recorded by default, and with empty hooks.

How long a server takes says little where client and server share two processors, so the
client reads what the server's threads have computed (requests.c). It lets it compute as
long before: what is learnt in that time is not counted.
"""
import os
import shutil
import subprocess
import sys

import measure
from programs import HOOKED
from table import Row

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "programs"))
import harness  # noqa: E402  (found through the line above)

SECONDS = 1


def redis_request(*words):
    return f"*{len(words)}\\n" + "".join(f"${len(word)}\\n{word}\\n" for word in words)


REDIS = [redis_request(*words.split()) for words in (
    "SET key value", "GET key", "HSET h f v", "ZADD z 1 m", "SADD s m", "HGET h f")]
MEMCACHED = ["set key 0 0 5\\nvalue\\n", "get key\\n"]
NGINX = ["GET /page HTTP/1.1\\nHost: a\\n\\n"]


def built(setting, package, program, commands):
    """Its own code has hooks. The path of the program."""
    folder = os.path.join(setting.folder, package + "-server")
    path = os.path.join(folder, program)
    if os.path.exists(path):
        return path
    source = setting.programs.fetch(package)
    measure.remove(folder)
    shutil.copytree(source, folder, symlinks=True)
    for command in commands:
        measure.run(command, cwd=folder)
    return path


def redis(setting):
    path = built(setting, "redis", "src/redis-server", [
        ["make", "-C", "src", f"-j{os.cpu_count()}", "MALLOC=libc", "OPTIMIZATION=-O2",
         "DEBUG=-g", "REDIS_CFLAGS=-finstrument-functions", "redis-server"]])
    socket = os.path.join(setting.folder, "server.sock")
    return [path, "--port", "0", "--unixsocket", socket, "--save", ""], socket


def memcached(setting):
    flags = " ".join(HOOKED)
    path = built(setting, "memcached", "memcached", [
        # what autoconf makes is newer than what it is made from
        ["sh", "-c", "touch aclocal.m4; sleep 1; touch configure config.h.in Makefile.in"],
        ["./configure", "--disable-docs", "--disable-extstore", "CFLAGS=" + flags],
        ["make", "memcached"]])
    socket = os.path.join(setting.folder, "server.sock")
    return [path, "-u", "root", "-t", "2", "-s", socket], socket


def nginx(setting):
    path = built(setting, "nginx", "objs/nginx", [
        ["./configure", "--with-cc-opt=" + " ".join(HOOKED), "--with-debug",
         "--without-http_gzip_module", "--without-http_rewrite_module"],
        ["make", f"-j{os.cpu_count()}"]])
    root = os.path.join(setting.folder, "nginx-root")
    os.makedirs(os.path.join(root, "logs"), exist_ok=True)
    socket = os.path.join(setting.folder, "server.sock")
    with open(os.path.join(root, "page"), "w", encoding="utf-8") as file:
        file.write("x" * 600)
    with open(os.path.join(root, "nginx.conf"), "w", encoding="utf-8") as file:
        file.write("daemon off; master_process off; error_log stderr crit; pid nginx.pid;"
                   "events {} http { access_log off; keepalive_requests 1000000000;"
                   f"server {{ listen unix:{socket}; root {root}; }} }}")
    return [path, "-p", root, "-c", "nginx.conf"], socket


def request_ns(setting, client, server, requests, pipeline, environment):
    command, socket = server
    measure.remove(socket, setting.database, setting.database + "-spool")
    process = subprocess.Popen(command, env=environment, cwd=setting.folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        if not harness.wait_until(lambda: os.path.exists(socket) or
                                  process.poll() is not None):
            raise measure.BenchError("the server does not answer")
        text = measure.run([client, socket, str(process.pid), "20", str(pipeline),
                            str(SECONDS), *requests])
        count, cpu_ns = text.split()[2:]
        return int(cpu_ns) / int(count)
    finally:
        process.terminate()
        process.wait(60)


def by_default(setting):
    environment = setting.products.environment(setting.database)
    del environment["PROFSHIM_LEVEL"]
    return environment


def servers(setting):
    client = setting.programs.loop("requests")["plain"]
    floor = setting.programs.empty_hooks()
    for name, make, requests, pipeline in (
            ("redis", redis, REDIS, 1), ("redis, 16 at once", redis, REDIS, 16),
            ("memcached", memcached, MEMCACHED, 1), ("nginx", nginx, NGINX, 1)):
        server = make(setting)
        plain = {**harness.plain_environment(), "LD_PRELOAD": floor}

        def recorded(server=server, requests=requests, pipeline=pipeline):
            number = request_ns(setting, client, server, requests, pipeline,
                                by_default(setting))
            harness.settle(setting.products, setting.database)
            return number

        samples = measure.in_turn({
            "plain": lambda s=server, r=requests, p=pipeline, e=plain:
                request_ns(setting, client, s, r, p, e),
            "shim": recorded,
        }, setting.rounds)
        yield Row("o", f"a request of {name}", "ns", samples, slower=True, reach=1.15)
