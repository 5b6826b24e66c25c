# SPDX-License-Identifier: MIT
"""A client of prof-analyze mcp: requests and their answers, or any bytes."""
import json
import subprocess


class Client:
    def __init__(self, analyze, *arguments):
        self.process = subprocess.Popen([analyze, "mcp", *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number, self.said = 0, None

    def send(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            raise EOFError(self.process.stderr.read().decode())
        return json.loads(line)

    def request(self, method, params=None):
        """The whole answer."""
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method}
        if params is not None:
            message["params"] = params
        self.send(json.dumps(message).encode())
        answer = self.receive()
        if answer["jsonrpc"] != "2.0" or answer["id"] != self.number:
            raise ValueError(answer)
        return answer

    def notify(self, method, **params):
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def begin(self, version="2025-11-25"):
        result = self.request("initialize", {
            "protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}})["result"]
        self.notify("notifications/initialized")
        return result

    def call(self, tool, **arguments):
        """(is an error, text); said: what the command said beside its document."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert all(one["type"] == "text" for one in result["content"]), result
        texts = [one["text"] for one in result["content"]]
        self.said = texts[1] if len(texts) > 1 else None
        return result["isError"], texts[0]

    def answer(self, tool, **arguments):
        is_error, text = self.call(tool, **arguments)
        assert not is_error, f"{tool} {arguments}: {text}"
        return json.loads(text)

    def end(self):
        """The status after the end of input."""
        self.process.stdin.close()
        status = self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()
        return status
