"""Reads every page of the built site in a browser, and prints what is wrong: `tests/site/run`."""

import concurrent.futures
import contextlib
import functools
import http.server
import json
import sys
import threading
from pathlib import Path

from browser import Browser

SITE, AXE = Path(sys.argv[1]), Path(sys.argv[2]).read_text()
WIDTHS = {"phone": 390, "desktop": 1280}
SCHEMES = {"light": "default", "dark": "slate"}
SEARCHES = ("429", "timeout", "fork", "proxy", "modelwire_queue_fd")
# Contrast, names, roles and headings. That browsers let the keyboard scroll is unknown to axe.
AXE_RUN = """
    const only = {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]};
    const rules = {
        "heading-order": {enabled: true},
        "scrollable-region-focusable": {enabled: false},
    };
    return axe.run(document, {runOnly: only, rules, resultTypes: ["violations"]}).then(found =>
        found.violations.map(({id, nodes}) => {
            const [{any, html}] = nodes;
            const why = any.map(one => one.message).join(" ").slice(0, 300);
            return `${id}: ${nodes.length} times, first ${html.slice(0, 160)} ${why}`;
        }));
"""
SHOWN = """
    const count = name => document.querySelectorAll(name).length;
    return [
        document.body.dataset.mdColorScheme,
        document.documentElement.scrollWidth,
        count("pre > code"),
        count("pre .md-clipboard, pre [data-md-type=copy]"),
        count("h1"),
    ];
"""
FOUND = """
    const [words] = arguments;
    const field = document.querySelector(".md-search__input");
    field.focus();
    field.value = words;
    field.dispatchEvent(new Event("input", {bubbles: true}));
    field.dispatchEvent(new KeyboardEvent("keyup", {bubbles: true}));
    return new Promise(done => {
        const look = () => {
            const marks = [...document.querySelectorAll(".md-search-result__link mark")];
            if (marks.some(mark => mark.innerText.toLowerCase() === words)) done();
        };
        const list = document.querySelector(".md-search-result");
        new MutationObserver(look).observe(list, {childList: true, subtree: true});
        look();
    });
"""
CHOSEN = """
    return [...document.querySelectorAll(".tabbed-set")].map(set => {
        const inputs = [...set.querySelectorAll(":scope > input")];
        const labels = [...set.querySelectorAll(":scope > .tabbed-labels > label")];
        const chosen = labels[inputs.findIndex(one => one.checked)];
        return [labels.map(label => label.innerText), chosen.innerText];
    });
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *said):
        pass


class Light(Quiet):
    """Has an index of one page for the search: each page that is opened reads all of it."""

    def do_GET(self):
        if not self.path.endswith("/search_index.json"):
            return super().do_GET()
        index = json.loads((SITE / "search/search_index.json").read_text())
        text = json.dumps({**index, "docs": index["docs"][:1]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@contextlib.contextmanager
def served(handler=Quiet):
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(handler, directory=SITE)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def pages(rustdoc=False):
    found = [path.relative_to(SITE).as_posix() for path in sorted(SITE.rglob("*.html"))]
    return [page for page in found if page.startswith("rustdoc/") is rustdoc]


def faults_of_loading(browser, home, page):
    """Opens a page; yields what the console says, and requests to another place."""
    browser.go(f"{home}/{page}")
    names = "performance.getEntries().map(entry => entry.name)"
    asked = browser.run(f"return {names}.filter(name => name.includes(':'))")
    if f"{home}/{page}" not in asked:
        yield "the browser does not list its requests"
    yield from (
        f"asks for {url}" for url in asked if not url.startswith((f"{home}/", "data:", "blob:"))
    )
    yield from (f"console: {message}" for message in browser.console())


def faults_of_pages(home, scheme):
    """Every page in one scheme at each width."""
    with Browser() as browser:
        for page in pages():
            for name, width in WIDTHS.items():
                browser.show(width, 844, scheme)
                faults = list(faults_of_loading(browser, home, page))
                shown, wide, code, buttons, titles = browser.run(SHOWN)
                if shown != SCHEMES[scheme]:
                    faults.append(f"is shown as {shown}")
                if wide > width:
                    faults.append(f"is {wide} pixels wide")
                if code != buttons:
                    faults.append(f"has {code} blocks of code and {buttons} buttons to copy")
                if titles != 1:
                    faults.append(f"has {titles} titles (h1)")
                if name == "desktop":
                    browser.run(AXE)
                    faults += browser.run(AXE_RUN)
                yield from (
                    f"{page}, {scheme}, {name}: {' '.join(fault.split())}" for fault in faults
                )


def faults_of_search(home):
    with Browser() as browser:
        browser.show(1280, 844, "light")
        for words in SEARCHES:
            browser.go(f"{home}/index.html")
            try:
                browser.run(FOUND, words)
            except RuntimeError as error:  # the promise was waited for
                yield f"search finds no page with {words!r}: {error}"


def faults_of_tabs(home):
    """The language that is chosen on one page is that of all others."""
    with Browser() as browser:
        browser.show(1280, 844, "light")
        with_tabs = [page for page in pages() if "tabbed-set" in (SITE / page).read_text()]
        if len(with_tabs) < 2:
            yield f"only {with_tabs} have tabs"
        for language in ("Rust", "C", "Python"):
            browser.go(f"{home}/index.html")
            browser.run(
                """
                const labels = [...document.querySelectorAll(".tabbed-labels > label")];
                labels.find(label => label.innerText === arguments[0]).querySelector("a").click();
                """,
                language,
            )
            for page in with_tabs:
                browser.go(f"{home}/{page}")
                for labels, chosen in browser.run(CHOSEN):
                    if language in labels and chosen != language:
                        yield f"{page}: {chosen} is chosen, and {language} was before"


def faults_of_rustdoc(home):
    page = "rustdoc/modelwire/index.html"
    if page not in pages(rustdoc=True):
        print("no Rust reference in this site: not tried")
        return
    with Browser() as browser:
        yield from (f"{page}: {fault}" for fault in faults_of_loading(browser, home, page))


def main():
    with served() as home, served(Light) as light_home:
        checks = [
            functools.partial(faults_of_pages, light_home, "light"),
            functools.partial(faults_of_pages, light_home, "dark"),
            *(
                functools.partial(check, home)
                for check in (faults_of_search, faults_of_tabs, faults_of_rustdoc)
            ),
        ]
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            faults = [
                fault for some in threads.map(lambda check: list(check()), checks) for fault in some
            ]
    print(f"{len(pages())} pages, {len(faults)} faults", *faults, sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
