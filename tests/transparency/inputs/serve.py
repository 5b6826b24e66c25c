# SPDX-License-Identifier: MIT
"""Answers a few HTTP requests from the current directory on $PORT, then ends."""
import functools
import http.server
import os
import sys

handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="tree")
handler.func.log_message = lambda *arguments: None
handler.func.date_time_string = lambda self, timestamp=None: "now"
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), handler)
server.daemon_threads = False
with open("ready", "w", encoding="ascii"):
    pass
for _ in range(int(sys.argv[1])):
    server.handle_request()
server.server_close()
