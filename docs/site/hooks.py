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
from pathlib import Path

import c_reference
import chart
import python_reference
from mkdocs.exceptions import PluginError
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
LANGUAGES = ("Python", "C", "C++", "Rust", "Node", "Go", "Java", "Command")

FENCE = re.compile(r"^```\w*\n.*?^```$\n?", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")
FROM = re.compile(r"^<!-- from: (\S+) -->\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LABELLED = re.compile(
    rf"^\*\*({'|'.join(map(re.escape, LANGUAGES))})\*\*((?:[^\n]|\n(?!\n))*)\n\n(```\w+\n.*?^```$)\n*",
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
    generated = {**c_reference.pages(), **python_reference.pages(), "reference/rust.md": rust(files, config)}
    for place, text in generated.items():
        files.append(File.generated(config, place, content=text))
    places = [file.src_uri for file in files.documentation_pages()]
    config.nav = listed(config.nav, places, set(named(config.nav)))
    return files


def rust(files, config) -> str:
    """The page that leads to what rustdoc wrote, which is copied as it is."""
    written = config.site_dir and Path(config.site_dir).parent / "doc"
    text = "# Rust reference\n\n"
    if os.environ.get("RUSTDOC") == "no" or not (written / "modelwire/index.html").exists():
        return text + "This build of the site has no Rust reference: `cargo doc -p modelwire --no-deps --open`.\n"
    for path in written.rglob("*"):
        if path.is_file() and path.name != ".lock":
            place = f"rustdoc/{path.relative_to(written)}"
            files.append(File.generated(config, place, abs_src_path=str(path)))
    return text + (
        "rustdoc writes the reference of the crate: [modelwire](../rustdoc/modelwire/index.html).\n\n"
        "The [guide](../rust.md) shows how to start.\n"
    )


def named(nav):
    """The places that the navigation names without a star."""
    for item in nav:
        for value in item.values() if isinstance(item, dict) else [item]:
            yield from named(value) if isinstance(value, list) else [value]


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
            some.sort(key=lambda place: (not place.endswith("index.md"), place))
            if title is None:
                found += some
            elif some:
                found.append({title: some if len(some) > 1 else some[0]})
    return found


def on_page_markdown(markdown, page, config, files):
    place = page.file.src_uri
    path = next((path for path, other in pages.items() if other == place), None)
    if path is None:
        texts[place] = python_reference.spelled_out(markdown)
        return markdown
    for source, code in FROM.findall(markdown):
        check_code(path, source, code)
    texts[place] = outside_code(markdown, lambda text: link_as_pages(without_comments(text), path, place))
    return tabs(texts[place])


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


def without_comments(text):
    return re.sub(r"<!--.*?-->\n*", "", text, flags=re.DOTALL)


def link_as_pages(text, path, place):
    def link(match):
        image, name, target = match.groups()
        file, mark, heading = target.partition("#")
        if "://" in target or not file:
            return match[0]
        there = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
        if there in pages:
            return f"{image}[{name}]({posixpath.relpath(pages[there], posixpath.dirname(place) or '.')}{mark}{heading})"
        if not (ROOT / there).exists():
            return match[0]
        if url := repository():
            return f"[{name}]({url}/blob/main/{there})"
        bare = name.strip("`")
        return f"`{there}`" if there.endswith(bare.lstrip("./")) else f"{name} (`{there}`)"

    return LINK.sub(link, text)


def repository():
    found = re.search(r'^repository = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    return found and found[1].rstrip("/")


def tabs(markdown):
    """Runs of code, each below a paragraph that begins with a bold language, as tabs."""
    result, last, run = [], 0, []

    def end():
        for match in run if len(run) > 1 else []:
            said = match[2].strip(" ,:.\n")
            body = (f"{said}:\n\n" if said else "") + match[3]
            result.append(f'=== "{match[1]}"\n\n' + re.sub(r"^(?=.)", "    ", body, flags=re.MULTILINE) + "\n\n")
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
    lines = [f"# {config.site_name}", "", f"> {config.site_description}"]
    whole = []
    titles = {}
    for place, text in texts.items():
        (site / place).parent.mkdir(parents=True, exist_ok=True)
        (site / place).write_text(text)
        found = re.search(r"^# (.*)$", text, re.MULTILINE)
        titles[place] = found[1] if found else place

    def section(items, name):
        if name:
            lines.extend(["", f"## {name}", ""])
        for item in items:
            title, value = next(iter(item.items())) if isinstance(item, dict) else (None, item)
            if isinstance(value, list):
                section(value, f"{name}: {title}" if name else title)
            else:
                lines.append(f"- [{title or titles[value]}]({value})")
                whole.append(f"<!-- {value} -->\n\n{texts[value]}")

    section(config.nav, "")
    (site / "llms.txt").write_text("\n".join(lines) + "\n")
    (site / "llms-full.txt").write_text("\n\n".join(whole))
    if missing := set(texts) - {line.split("](")[1][:-1] for line in lines if "](" in line}:
        raise PluginError(f"llms.txt lacks {missing}")
