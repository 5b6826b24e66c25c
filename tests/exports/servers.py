# SPDX-License-Identifier: MIT
"""Debian's servers on loopback, from scripts/fetch_servers, and servers that misbehave."""
import contextlib
import http.server
import os
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build-servers")
LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def program(name):
    """The path of a server's program; None: it has not been fetched."""
    for folder in ("bin", "sbin"):
        path = os.path.join(ROOT, "usr", folder, name)
        if os.path.exists(path):
            return path
    return None


def environment():
    """Of servers whose libraries were fetched with them."""
    folder = os.path.join(ROOT, "usr", "lib", "x86_64-linux-gnu")
    return {**os.environ, "LD_LIBRARY_PATH": os.path.realpath(folder)}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def get(url):
    with LOCAL.open(url, timeout=60) as reply:
        return reply.read().decode()


@contextlib.contextmanager
def running(make_command, path, folder):
    """A server on a free port, answering at path; ended at the end. Somebody else may take
    the port before it does: then another one is tried."""
    for _ in range(5):
        port = free_port()
        log_path = os.path.join(folder, f"server-{port}.log")
        with open(log_path, "wb") as log:
            process = subprocess.Popen(make_command(port), cwd=folder, stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log, env=environment())
        try:
            if is_answering(process, f"http://127.0.0.1:{port}{path}"):
                yield port
                return
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    with open(log_path, encoding="utf-8", errors="replace") as log:
        raise RuntimeError(f"{make_command(0)[0]} did not start: {log.read()[-2000:]}")


def is_answering(process, url):
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end:
        try:
            get(url)
            return process.poll() is None
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    return False


class Misbehaving(http.server.BaseHTTPRequestHandler):
    """Answers as the first part of the path says, and keeps what it was sent."""
    requests = []

    def do_PUT(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.requests.append((self.path, self.headers.get("Authorization"), body))
        getattr(self, "answer_" + self.path.split("/")[1])()

    def do_POST(self):
        """As a store that has the tables of the first version and one of all else."""
        query = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.start(200)
        self.wfile.write(b"5\n" if b"system.tables" in query else b"1\n")

    def start(self, status, *headers):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()

    def answer_fine(self):
        self.start(200)

    def answer_elsewhere(self):
        self.start(307, ("Location", "/fine" + self.path.removeprefix("/elsewhere")))

    def answer_endless(self):
        self.start(200)
        with contextlib.suppress(OSError):
            while True:
                self.wfile.write(b"x" * 65536)

    def answer_headers(self):
        with contextlib.suppress(OSError):
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while True:
                self.wfile.write(b"X-More: " + b"x" * 1000 + b"\r\n")

    def answer_forbidden(self):
        self.start(401)

    def answer_steering(self):
        self.start(400)
        self.wfile.write(b"\x1b[2Jno\x9b\r\nprof-analyze: forged\n" + b"y" * 100000)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(handler):
    """The port of a server of ours."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def misbehaving():
    return serving(Misbehaving)
