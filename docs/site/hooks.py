"""Makes a site of the repository's markdown, which stays readable where it is.

- Links between files of the repository lead to pages, or to the repository for what is no page.
- Paragraphs that begin with a bold language, each before its code, become tabs.
- `<!-- from: PATH -->` above code: each of its lines is in that file, in this order.
- The references of C and Python are pages; the picture of the benchmark is checked.
- Each page is also there as markdown; llms.txt lists these, llms-full.txt has them all.
"""

import fnmatch
import logging
import os
import posixpath
import re
import shutil
from pathlib import Path
from textwrap import indent

import c_reference
import chart
import python_reference
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
log = logging.getLogger("mkdocs.hooks")

# Pages from outside docs/, and where they are in the site.
ELSEWHERE = {
    "docs/site/index.md": "index.md",
    "README.md": "overview.md",
    "py/openai-python.md": "python/openai-python.md",
    "ffi-c/bindings/EMBEDDING.md": "bindings.md",
    "tests/bench/README.md": "benchmark.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
RUST = "rustdoc/modelwire/index.html"
LANGUAGES = ("Python", "C", "C++", "Rust", "Node", "Go", "Java", "Command")

FENCE = re.compile(r"^```\w*\n.*?^```$\n?", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")
TARGET = re.compile(r"\]\(([^)\s]+)\)")
FROM = re.compile(r"^<!-- from: (\S+) -->\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
LAYOUT = re.compile(r"</?div[^>]*>\n*|\{ \.[^}\n]* \}")
LABELLED = re.compile(
    rf"^\*\*({'|'.join(map(re.escape, LANGUAGES))})\*\*((?:[^\n]|\n(?!\n))*)\n\n"
    r"(```\w+\n.*?^```$)\n*",
    re.DOTALL | re.MULTILINE,
)

pages: dict[str, str] = {}  # of a file of the repository, its place in the site
texts: dict[str, str] = {}  # of a place in the site, the markdown that readers may take


def heading_id(text: str, separator: str = "-") -> str:
    """The name of a heading in links, as in the repository's own view."""
    return re.sub(r"[^\w -]", "", text.lower()).replace(" ", separator)


def on_config(config):
    config.mdx_configs["toc"]["slugify"] = heading_id
    if chart.PICTURE.read_text() != chart.picture():
        log.warning(f"{chart.PICTURE.name} is stale: run `make generate`")
    return config


def on_files(files, config):
    pages.update({f"docs/{file.src_uri}": file.src_uri for file in files})
    for path, place in ELSEWHERE.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
        pages[path] = place
    generated = c_reference.pages() | python_reference.pages()
    generated["reference/rust.md"] = rust(files, config)
    for place, text in generated.items():
        files.append(File.generated(config, place, content=text))
    places = [file.src_uri for file in files.documentation_pages()]
    config.nav = listed(config.nav, places, {place for _, place in entries(config.nav)})
    return files


def rustdoc(config) -> Path | None:
    """What rustdoc wrote, if this site has it."""
    written = Path(config.site_dir).parent / "doc"
    is_there = os.environ.get("RUST") != "no" and (written / RUST.partition("/")[2]).exists()
    return written if is_there else None


def rust(files, config) -> str:
    """The page that leads to rustdoc's."""
    text = "# Rust reference\n\nThe [guide](../rust.md) shows how to start.\n\n"
    if not rustdoc(config):
        return text + "`cargo doc -p modelwire --no-deps --open` writes and shows the reference.\n"
    files.append(File.generated(config, RUST, content=""))  # for the link; overwritten at the end
    return text + f"rustdoc writes the reference: [modelwire](../{RUST}).\n"


def entries(nav):
    """The title, or None, and the place of each entry of the navigation, at any depth."""
    for item in nav:
        for title, value in item.items() if isinstance(item, dict) else [(None, item)]:
            yield from entries(value) if isinstance(value, list) else [(title, value)]


def listed(nav, places, apart):
    """The navigation with the pages for names with a star; what has no page is left out."""
    found = []
    for item in nav:
        title, value = next(iter(item.items())) if isinstance(item, dict) else (None, item)
        if isinstance(value, list):
            below = listed(value, places, apart)
            found += [{title: below}] if below else []
        elif "*" not in value:
            found.append(item)
        else:
            some = [place for place in fnmatch.filter(places, value) if place not in apart]
            some.sort(key=as_listed)
            if title is None:
                found += some
            elif some:
                found.append({title: some if len(some) > 1 else some[0]})
    return found


def as_listed(place):
    """Where the README of its folder names a page, which puts the pages into their order."""
    readme = ROOT / "docs" / posixpath.dirname(place) / "README.md"
    text = readme.read_text() if posixpath.dirname(place) and readme.exists() else ""
    at = text.find(f"({posixpath.basename(place)}")
    return (not place.endswith("README.md"), at if at >= 0 else len(text))


def on_page_markdown(markdown, page, config, files):
    place = page.file.src_uri
    path = next((path for path, other in pages.items() if other == place), None)
    if path is None:
        texts[place] = python_reference.spelled_out(markdown)
        return markdown
    for source, code in FROM.findall(markdown):
        check_code(path, source, code)
    linked = outside_code(markdown, lambda text: link_as_pages(COMMENT.sub("", text), path, place))
    texts[place] = outside_code(linked, lambda text: LAYOUT.sub("", text))
    return tabs(linked)


def check_code(path, source, code):
    lines = iter([line.strip() for line in (ROOT / source).read_text().splitlines()])
    for line in filter(None, map(str.strip, code.splitlines())):
        if line not in lines:  # goes on behind the line before
            log.warning(f"{path}: {source} has no such line there: {line}")


def outside_code(markdown, change):
    parts, last = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [change(markdown[last : fence.start()]), fence[0]]
        last = fence.end()
    return "".join([*parts, change(markdown[last:])])


def link_as_pages(text, path, place):
    def there(target):
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), target.partition("#")[0]))

    def to_source(match):
        name, target = match.groups()
        file = there(target)
        if "://" in target or target.startswith("#") or file in pages or not (ROOT / file).exists():
            return match[0]
        if url := repository():
            return f"[{name}]({url}/blob/main/{file})"
        return f"`{file}`" if file.endswith(name.strip("`./")) else f"{name} (`{file}`)"

    def to_page(match):
        target = match[1]
        if there(target) not in pages or target.startswith("#"):
            return match[0]
        _, mark, heading = target.partition("#")
        page = posixpath.relpath(pages[there(target)], posixpath.dirname(place) or ".")
        return f"]({page}{mark}{heading})"

    return TARGET.sub(to_page, LINK.sub(to_source, text))


def repository():
    found = re.search(r'^repository = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    return found and found[1].rstrip("/")


def tabs(markdown):
    """Runs of code, each below a paragraph that begins with a bold language, as tabs."""
    result, last, run = [], 0, []

    def end():
        for match in run if len(run) > 1 else []:
            said = match[2].strip(" ,:.\n")
            body = indent((f"{said}:\n\n" if said else "") + match[3], "    ")
            result.append(f'=== "{match[1]}"\n\n{body}\n\n')
        result.extend(match[0] for match in run if len(run) == 1)
        run.clear()

    for match in LABELLED.finditer(markdown):
        if match.start() != last or not run:
            end()
            result.append(markdown[last : match.start()])
        run.append(match)
        last = match.end()
    end()
    return "".join([*result, markdown[last:]])


def on_post_build(config):
    site = Path(config.site_dir)
    for place, text in texts.items():
        (site / place).write_text(text)
    lines, whole = [f"# {config.site_name}", "", f"> {config.site_description}", ""], []
    for part in config.nav:
        for name, value in part.items():
            lines += ["", f"## {name}", ""] if isinstance(value, list) else []
        for title, place in entries([part]):
            heading = re.search(r"^# (.*)$", texts[place], re.MULTILINE)
            lines.append(f"- [{title or heading[1]}]({place})")
            whole.append(f"<!-- {place} -->\n\n{texts[place]}")
    (site / "llms.txt").write_text("\n".join(lines) + "\n")
    (site / "llms-full.txt").write_text("\n\n".join(whole))
    if written := rustdoc(config):
        shutil.copytree(written, site / "rustdoc", dirs_exist_ok=True)
