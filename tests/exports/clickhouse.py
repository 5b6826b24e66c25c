# SPDX-License-Identifier: MIT
"""A ClickHouse on loopback, and a way to it that breaks."""
import contextlib
import http.server
import os
import socket
import urllib.error
import urllib.request

import servers

CONFIG = """<yandex>
<logger><level>warning</level><console>1</console></logger>
<http_port>{port}</http_port><tcp_port>{tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
<users_config>users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><mark_cache_size>67108864</mark_cache_size>
<timezone>UTC</timezone></yandex>
"""
USER = """<{name}><password>{password}</password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></{name}>"""
USERS = ("<yandex><profiles><default></default></profiles><users>" +
         USER.format(name="default", password="") + USER.format(name="me", password="pass:word") +
         "</users><quotas><default></default></quotas></yandex>")


def running(folder):
    """The port of a server that ends with the context."""
    folder = os.path.join(folder, "clickhouse")

    def command(port):
        place = os.path.join(folder, str(port))
        os.makedirs(place)
        for name, text in (("config.xml", CONFIG.format(port=port, tcp=servers.free_port(),
                                                        folder=place)), ("users.xml", USERS)):
            with open(os.path.join(place, name), "w", encoding="utf-8") as file:
                file.write(text)
        return [servers.program("clickhouse-server"),
                f"--config-file={os.path.join(place, 'config.xml')}"]

    os.makedirs(folder)
    return servers.running(command, "/ping", folder)


def ask(port, query, database="fleet"):
    """The rows of a query, as lists of texts."""
    url = f"http://127.0.0.1:{port}/?database={database}"
    try:
        reply = servers.LOCAL.open(url, query.encode(), timeout=60)
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{query}: {error.read(1000).decode()}") from error
    with reply:
        return [line.split("\t") for line in reply.read().decode().splitlines()]


def send_cut(port, path, body, part):
    """A request whose body ends early, as when a network fails; 0: no request. A negative part
    is so many bytes less."""
    if not part:
        return
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(head.encode() + body[:part if part < 0 else int(len(body) * part)])
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4096):
            pass


@contextlib.contextmanager
def breaking(port, word, part):
    """A port that leads to the server until a request has the word. Of its body it passes this
    part on; nothing is answered then."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            url = f"http://127.0.0.1:{port}{self.path}"
            breaks = word in self.path
            if breaks and part < 1:
                send_cut(port, self.path, body, part)
                return
            with servers.LOCAL.open(urllib.request.Request(url, body), timeout=60) as reply:
                answer = reply.read()
            if not breaks:
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        def log_message(self, *_):
            pass

    with servers.serving(Handler) as port_of_ours:
        yield port_of_ours
