# SPDX-License-Identifier: MIT
"""Headless Chromium by its debugging pipe: commands of the DevTools protocol, each ended
by a NUL, into its descriptor 3, answers out of 4. Needs no library."""
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

PATIENCE_S = 60


class Browser:
    """One page. events keeps what the browser told without being asked."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp()
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()

        def place_pipes():
            os.dup2(commands, 13)
            os.dup2(answers, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        # Its own sandbox needs a user namespace or a setuid helper; the page is ours.
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--user-data-dir=" + self.profile, "about:blank"],
            close_fds=False, preexec_fn=place_pipes, stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
            # not all that it puts into the temporary directory does it remove
            env={**os.environ, "TMPDIR": self.profile})
        os.close(commands)
        os.close(answers)
        self.number, self.buffer, self.events, self.session = 0, b"", [], None
        pages = [target for target in self.call("Target.getTargets")["targetInfos"]
                 if target["type"] == "page"]
        self.session = self.call("Target.attachToTarget", targetId=pages[0]["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        self.call("Emulation.setDeviceMetricsOverride", width=1300, height=1000,
                  deviceScaleFactor=1, mobile=False)

    def _read(self, until):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, until - time.time()))
            data = os.read(self.answers, 1 << 16) if ready else b""
            if not data:
                raise RuntimeError("the browser does not answer")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        until = time.time() + PATIENCE_S
        while True:
            answer = self._read(until)
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError("%s: %s" % (method, answer["error"]))
            else:
                return answer["result"]

    def _told(self, method):
        return [event["params"] for event in self.events if event.get("method") == method]

    def open(self, path):
        self.events.clear()
        # the page before it may tell late that it was loaded
        loader = self.call("Page.navigate", url="file://" + os.path.abspath(path))["loaderId"]
        until = time.time() + PATIENCE_S
        while not any(told["loaderId"] == loader and told["name"] == "load"
                      for told in self._told("Page.lifecycleEvent")):
            self.events.append(self._read(until))

    def run(self, code, wait=False):
        """The value of the code; of a promise, with wait, what it holds."""
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True,
                           awaitPromise=wait)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                      clickCount=1)

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def complaints(self):
        """Errors of scripts, entries of the log, and what was asked of the network."""
        told = [str(event) for event in self._told("Runtime.exceptionThrown") +
                self._told("Log.entryAdded") + self._told("Page.javascriptDialogOpening")]
        asked = [event["request"]["url"] for event in self._told("Network.requestWillBeSent")]
        return told + [url for url in asked if not url.startswith("file://")]

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            pass
        # its helpers may be at work yet, and write into the profile
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
