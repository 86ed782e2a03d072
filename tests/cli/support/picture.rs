//! Photos of a terminal as a picture for a page: an SVG that is light or dark as its reader likes it, and
//! shows one photo after the other.

use std::fmt::Write;

/// Of a letter's cell, and of what is around the text.
const CELL_WIDTH: f64 = 8.4;
const CELL_HEIGHT: f64 = 19.0;
const PADDING: f64 = 18.0;
const TITLE_HEIGHT: f64 = 34.0;

/// How long each photo is shown, and the last one.
const SECONDS: f64 = 1.1;
const SECONDS_OF_LAST: f64 = 7.0;

const STYLE: &str = "\
:root{--paper:#ffffff;--frame:#d0d7de;--title:#f6f8fa;--ink:#1f2328;--dim:#656d76;--red:#cf222e;--green:#1a7f37;\
--yellow:#9a6700;--cyan:#0969da}\
@media(prefers-color-scheme:dark){:root{--paper:#0d1117;--frame:#30363d;--title:#161b22;--ink:#e6edf3;\
--dim:#8b949e;--red:#ff7b72;--green:#3fb950;--yellow:#d29922;--cyan:#58a6ff}}\
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:var(--ink);\
white-space:pre}\
.d{fill:var(--dim)}.r{fill:var(--red)}.g{fill:var(--green)}.y{fill:var(--yellow)}.c{fill:var(--cyan)}";

/// The picture of these photos, with a title in the frame. `lines` of each are shown.
pub fn picture(title: &str, photos: &[vt100::Screen], lines: u16) -> String {
    let columns = photos.last().map_or(80, |photo| photo.size().1);
    let width = f64::from(columns) * CELL_WIDTH + 2.0 * PADDING;
    let height = f64::from(lines) * CELL_HEIGHT + 2.0 * PADDING + TITLE_HEIGHT;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         aria-label=\"{title}\">\n<style>{STYLE}{}</style>\n",
        moves(photos.len())
    );
    let (right, bottom) = (width - 1.0, height - 1.0);
    let _ = writeln!(
        svg,
        "<rect x=\".5\" y=\".5\" width=\"{right:.0}\" height=\"{bottom:.0}\" rx=\"9\" fill=\"var(--paper)\" \
         stroke=\"var(--frame)\"/>\n<path d=\"M1 {TITLE_HEIGHT}V10a9 9 0 0 1 9-9h{:.0}a9 9 0 0 1 9 9V{TITLE_HEIGHT}z\" \
         fill=\"var(--title)\"/>",
        width - 20.0
    );
    for (place, colour) in ["#ff5f57", "#febc2e", "#28c840"].iter().enumerate() {
        let _ = writeln!(
            svg,
            "<circle cx=\"{}\" cy=\"17\" r=\"6\" fill=\"{colour}\"/>",
            20 + 20 * place
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"d\" x=\"{:.0}\" y=\"22\" text-anchor=\"middle\">{title}</text>",
        width / 2.0
    );
    for (place, photo) in photos.iter().enumerate() {
        let _ = writeln!(svg, "<g class=\"p p{place}\">");
        for line in 0..lines {
            spans(&mut svg, photo, line);
        }
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

/// Each photo is there in its time; the last one alone for readers who like no moves.
fn moves(count: usize) -> String {
    if count < 2 {
        return String::new();
    }
    let whole = (count - 1) as f64 * SECONDS + SECONDS_OF_LAST;
    let mut style = String::from("\n.p{visibility:hidden}");
    for place in 0..count {
        let share = |seconds: f64| seconds / whole * 100.0;
        let (from, to) = (share(place as f64 * SECONDS), share((place + 1) as f64 * SECONDS));
        let is_last = place + 1 == count;
        let _ = match (place, is_last) {
            (0, _) => write!(
                style,
                "@keyframes k0{{0%,{to:.2}%{{visibility:visible}}{:.2}%,100%{{visibility:hidden}}}}",
                to + 0.01
            ),
            (_, true) => write!(
                style,
                "@keyframes k{place}{{0%,{from:.2}%{{visibility:hidden}}{:.2}%,100%{{visibility:visible}}}}",
                from + 0.01
            ),
            _ => write!(
                style,
                "@keyframes k{place}{{0%,{from:.2}%{{visibility:hidden}}{:.2}%,{to:.2}%{{visibility:visible}}{:.2}%,100%{{visibility:hidden}}}}",
                from + 0.01,
                to + 0.01
            ),
        };
        let _ = write!(style, ".p{place}{{animation:k{place} {whole:.1}s infinite step-end}}");
    }
    let last = count - 1;
    let _ = write!(
        style,
        "@media(prefers-reduced-motion:reduce){{.p{{animation:none}}.p{last}{{visibility:visible}}}}"
    );
    style
}

/// Letters of one colour that stand side by side are one text.
fn spans(svg: &mut String, photo: &vt100::Screen, line: u16) {
    let y = TITLE_HEIGHT + PADDING + f64::from(line) * CELL_HEIGHT + 13.0;
    let mut at = 0;
    let columns = photo.size().1;
    while at < columns {
        let class = class_of(photo, line, at);
        let begun = at;
        let mut text = String::new();
        while at < columns && (class_of(photo, line, at) == class || letter(photo, line, at) == " ")
        {
            text.push_str(&letter(photo, line, at));
            at += 1;
        }
        // Readers make one space of many, so what is far apart is a text of its own.
        let mut column = f64::from(begun);
        for part in text.split("  ") {
            let word = part.trim();
            let before = part.chars().take_while(|letter| *letter == ' ').count() as f64;
            if !word.is_empty() {
                let x = PADDING + (column + before) * CELL_WIDTH;
                let length = word.chars().count() as f64 * CELL_WIDTH;
                let _ = writeln!(
                    svg,
                    "<text{class} x=\"{x:.1}\" y=\"{y:.0}\" textLength=\"{length:.1}\">{}</text>",
                    word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
                );
            }
            column += part.chars().count() as f64 + 2.0;
        }
    }
}

fn letter(photo: &vt100::Screen, line: u16, column: u16) -> String {
    let cell = photo.cell(line, column).filter(|cell| cell.has_contents());
    cell.map_or_else(|| " ".to_owned(), |cell| cell.contents().to_owned())
}

fn class_of(photo: &vt100::Screen, line: u16, column: u16) -> &'static str {
    let Some(cell) = photo.cell(line, column).filter(|cell| cell.has_contents()) else { return "" };
    match (cell.fgcolor(), cell.dim()) {
        (_, true) => " class=\"d\"",
        (vt100::Color::Idx(1 | 9), _) => " class=\"r\"",
        (vt100::Color::Idx(2 | 10), _) => " class=\"g\"",
        (vt100::Color::Idx(3 | 11), _) => " class=\"y\"",
        (vt100::Color::Idx(4 | 6 | 12 | 14), _) => " class=\"c\"",
        _ => "",
    }
}
