"""A headless Chromium by the WebDriver protocol: chromedriver and the standard library."""

import base64
import json
import re
import subprocess
import tempfile
import urllib.request
from pathlib import Path

FLAGS = (
    "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking"
    " disable-component-update disable-sync disable-extensions hide-scrollbars"
)
# No other machine is reached; a request for one is an error in the console.
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


class Browser:
    """One Chromium with a profile of its own."""

    def __enter__(self):
        self._profile = tempfile.TemporaryDirectory(
            prefix="modelwire-site-", ignore_cleanup_errors=True
        )
        self._driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True
        )
        for line in self._driver.stdout:
            if port := re.search(r"successfully on port (\d+)", line):
                self._url = f"http://127.0.0.1:{port[1]}/session"
                break
        else:
            raise RuntimeError("chromedriver did not start")
        flags = [f"--{flag}" for flag in FLAGS.split()] + [
            ALONE,
            f"--user-data-dir={self._profile.name}",
        ]
        wanted = {
            "goog:chromeOptions": {"args": flags},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        made = self._ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self._url += f"/{made['sessionId']}"
        self._ask("POST", "/timeouts", {"script": 60_000, "pageLoad": 60_000})
        return self

    def __exit__(self, *error):
        try:
            self._ask("DELETE", "")
        finally:
            self._driver.terminate()
            self._driver.wait()
            self._driver.stdout.close()
            self._profile.cleanup()

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._url + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def go(self, url):
        self._ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """What a script returns; a promise is waited for."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": arguments})

    def devtools(self, command, **parameters):
        return self._ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def show(self, width, height, scheme):
        """The size of the window, and the colours that the reader's system prefers."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.devtools(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def console(self):
        """The errors since it was asked last; a request that failed is one."""
        log = self._ask("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in log if entry["level"] == "SEVERE"]

    def picture(self, path, whole=False):
        found = self.devtools("Page.captureScreenshot", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(found["data"]))
