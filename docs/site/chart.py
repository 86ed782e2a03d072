"""Draws docs/bench.svg from the results in tests/bench/README.md; `make generate` runs it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs/bench.svg"

# Of a scenario of the benchmark: what it measures, and the unit.
PANELS = {
    "chunk": ("CPU time of a streamed chunk", "µs"),
    "chat": ("CPU time of a plain call", "µs"),
    "import": ("CPU time of the import", "ms"),
}
CLIENTS = {
    "modelwire-python": "modelwire",
    "aiohttp-orjson": "aiohttp, orjson",
    "openai": "openai-python",
    "liter-llm": "liter-llm",
}
WIDTH, LEFT, RIGHT, ROW, HEAD = 560, 140, 84, 26, 44
STYLE = """
svg{color-scheme:light dark}
text{font:15px system-ui,sans-serif;fill:var(--ink)}.h{font-weight:600}.d{fill:var(--dim)}
rect{fill:var(--bar)}.m{fill:var(--own)}.o{font-weight:600}
:root{--ink:#1c1e21;--dim:#5c6370;--bar:#b9bec7;--own:#a8471a}
@media(prefers-color-scheme:dark){:root{--ink:#e4e6eb;--dim:#a0a7b4;--bar:#4d5562;--own:#f0935c}}
"""


def results(scenario: str) -> dict[str, float]:
    """The first number of each row of a scenario, by client."""
    text = (ROOT / "tests/bench/README.md").read_text()
    block = re.search(rf"^{scenario}: .*?\n\n", text, re.DOTALL | re.MULTILINE)[0]
    rows = re.findall(r"^  ([\w-]+) +([\d.]+) ", block, re.MULTILINE)
    return {name: float(number) for name, number in rows}


def picture() -> str:
    shapes, top = [], 0
    for scenario, (title, unit) in PANELS.items():
        found = results(scenario)
        rows = sorted((found[client], name) for client, name in CLIENTS.items() if client in found)
        most = rows[-1][0]
        shapes.append(f'<text class="h" x="0" y="{top + 24}">{title}</text>')
        top += HEAD
        for value, name in rows:
            wide = max(2, (WIDTH - LEFT - RIGHT) * value / most)
            own = name == "modelwire"
            number = f"{value:.1f}" if value < 10 else f"{value:,.0f}"
            bold, bar = (' class="o"', ' class="m"') if own else ("", "")
            shapes += [
                f'<text{bold} x="{LEFT - 12}" y="{top + 12}" text-anchor="end">{name}</text>',
                f'<rect{bar} x="{LEFT}" y="{top}" width="{wide:.1f}" height="16" rx="2"/>',
                f'<text{bold} x="{LEFT + wide + 8:.1f}" y="{top + 12}">{number} {unit}</text>',
            ]
            top += ROW
        top += 10
    head = '<svg xmlns="http://www.w3.org/2000/svg" role="img"'
    head += f' viewBox="0 0 {WIDTH} {top}" aria-label="CPU time of Python clients, as bars">'
    return "\n".join([head, f"<style>{STYLE.strip()}</style>", *shapes, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture())
