"""What the browser tests of the services share: a session of headless Chromium, a service in a
process of its own, and the round through widths and colours.

Needs Debian's chromium and chromium-driver; nothing but Python's own library.
"""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# With ARMILLA_RELEASE=1 an optimized build, for figures.
OPTIMIZED = os.environ.get("ARMILLA_RELEASE") == "1"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
ARMILLA = TARGET / ("release" if OPTIMIZED else "debug") / "armilla"
PATIENCE = 20
LIVE = "return document.getElementById('connection').innerText === 'live'"


class Browser:
    """A session of chromedriver (W3C WebDriver)."""

    def __init__(self, width, dark):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self.driver.stdout:
            if found := re.search(r"successfully on port (\d+)", line):
                self.url = f"http://127.0.0.1:{found[1]}"
                break
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        options = {"goog:chromeOptions": {"args": arguments}}
        # A page over HTTPS has a certificate of an authority that was made for the test.
        options["acceptInsecureCerts"] = True
        session = self.send("POST", "/session", {"capabilities": {"alwaysMatch": options}})
        self.url += f"/session/{session['sessionId']}"
        metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 600}
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", {"features": [scheme]})

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    def devtools(self, command, parameters):
        self.send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url):
        self.send("POST", "/url", {"url": url})

    def run(self, script):
        return self.send("POST", "/execute/sync", {"script": script, "args": []})

    def await_(self, what, script):
        """Waits until a script returns something true."""
        end = time.monotonic() + PATIENCE
        while not (value := self.run(script)):
            if time.monotonic() > end:
                page = self.run("return document.body.innerText")
                sys.exit(f"FAILED {what}: the page shows\n{page}")
            time.sleep(0.05)
        return value

    def picture(self, folder, name):
        if folder:
            (folder / f"{name}.png").write_bytes(base64.b64decode(self.send("GET", "/screenshot")))

    def close(self):
        try:
            self.send("DELETE", "")
        finally:
            self.driver.send_signal(signal.SIGTERM)
            self.driver.wait()


def fill(form, **fields):
    """A script that fills a form and sends it."""
    lines = [f"const form = document.querySelector({json.dumps(form)});"]
    for name, value in fields.items():
        lines.append(f"form.elements[{json.dumps(name)}].value = {json.dumps(value)};")
    return "\n".join([*lines, "form.requestSubmit(); return true;"])


def build(package):
    release = ["--release"] if OPTIMIZED else []
    subprocess.run(["cargo", "build", "-q", *release, "-p", package], cwd=ROOT, check=True)


def shows(text):
    return f"return document.getElementById('live').innerText.includes({json.dumps(text)})"


def hides(text):
    return f"return !document.getElementById('live').innerText.includes({json.dumps(text)})"


def body_shows(text):
    return f"return document.body.innerText.includes({json.dumps(text)})"


class Service:
    """A service with its web page, in a process of its own; in memory, unless it has another store."""

    def __init__(self, command, reference, options=(), store=("--memory",)):
        self.command, self.reference = command, reference
        arguments = [ARMILLA, command, "serve", *store, "--http", "127.0.0.1:0", "-v"]
        arguments += ["-ORBEndpoint", "iiop://127.0.0.1:0", *options]
        self.process = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for line in self.process.stderr:
            line = re.sub(r"\x1b\[[0-9;]*m", "", line)
            if found := re.search(r"(https?://127\.0\.0\.1:\d+/)", line):
                self.page = found[1]
                break
        self.url = self.process.stdout.readline().removeprefix("ready ").strip()

    def run(self, *arguments):
        """Runs a command of a client, and returns what it prints."""
        command = [ARMILLA, "-ORBInitRef", f"{self.reference}={self.url}", self.command, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


# The words of tables that are short and on two lines all the same.
BROKEN = """
const broken = [];
for (const cell of document.querySelectorAll("th, td")) {
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    for (const word of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      if (word[0].length > 20) continue;
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(r => Math.round(r.top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
}
return broken.join(", ");
"""


def check_looks(browser, name, dark, folder, page):
    """The page is no wider than the screen, and has the colours that the reader prefers."""
    browser.picture(folder, f"{page}-{name}")
    wide = "return document.documentElement.scrollWidth <= window.innerWidth"
    assert browser.run(wide), f"{name}: {page} is wider than the screen"
    broken = browser.run(BROKEN)
    assert not broken, f"{name}: {page} breaks words: {broken}"
    ground = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]"
    assert (browser.run(ground) < 128) == dark, f"{name}: the colours are of the other kind"


def run(command, reference, use, options=lambda: (), store=("--memory",)):
    """Builds `armilla`, and lets `use` (service, browser, name, dark, folder) loose on a service with
    these options, narrow and wide, light and dark."""
    for program in ["chromium", "chromedriver"]:
        if not shutil.which(program):
            sys.exit(f"{program} is not installed; apt-get install chromium chromium-driver")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    build("armilla-cli")
    service = Service(command, reference, options(), store)
    try:
        for width in [390, 1200]:
            for dark in [False, True]:
                browser = Browser(width, dark)
                name = f"{width}-{'dark' if dark else 'light'}"
                try:
                    use(service, browser, name, dark, folder)
                    print(f"passed {name}")
                finally:
                    browser.close()
    finally:
        service.close()
