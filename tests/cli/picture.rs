//! The picture of a bulk job in the README: a run of the command on a terminal, photographed.
//! `UPDATE_PICTURE=1` makes it anew; without, the test runs the job again, smaller, and fails where it shows
//! other words than the picture.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::fmt::Write;
use std::path::Path;

use modelwire_testing::{Options, Service};

#[path = "support/picture.rs"]
mod drawing;
#[path = "support/screen.rs"]
mod screen;
#[path = "support/mod.rs"]
mod support;

use screen::Screen;
use support::{Folder, modelwire_to, until};

const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/bulk.svg");

/// Of the terminal.
const COLUMNS: u16 = 92;
const LINES: u16 = 25;

const COMMAND: &[&str] =
    &["bulk", "reviews.jsonl", "-o", "labels.jsonl", "--prices", "prices.json"];

/// Rows, and how many of them the service takes in a second.
struct Size {
    rows: usize,
    rate: u32,
}

/// Chats about reviews, two of which a service cannot take.
fn reviews(count: usize) -> String {
    let words = ["soft", "loud", "dear", "slow", "bright", "late", "kind", "small"];
    let mut lines = String::new();
    let mut chance = 17_usize;
    for number in 1..=count {
        chance =
            chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let length = 20 + (chance >> 33) % 60;
        let text = words.iter().cycle().skip(chance >> 60).take(length);
        let text = text.copied().collect::<Vec<_>>().join(" ");
        let messages = match number % (count / 2) {
            700 => "[]".to_owned(),
            _ => format!(r#"[{{"role":"user","content":"{text}"}}]"#),
        };
        let _ = writeln!(
            lines,
            r#"{{"custom_id":"review-{number}","body":{{"model":"limited","max_tokens":200,"messages":{messages}}}}}"#
        );
    }
    lines
}

/// Photos: of the question, of the bar now and then, of the end.
fn photos(size: &Size) -> Vec<vt100::Screen> {
    let options = Options {
        rate_limit_calls: size.rate / 4,
        rate_limit_window: std::time::Duration::from_millis(250),
        ..Options::default()
    };
    let (service, folder) = (Service::start_with(options).unwrap(), Folder::new());
    folder.file("reviews.jsonl", reviews(size.rows));
    folder.file("prices.json", r#"{"limited": {"in": 0.5, "out": 1.5}}"#);
    let mut command = modelwire_to(&service, COMMAND);
    command.current_dir(folder.path());
    let typed = format!("$ modelwire {}\r\n", COMMAND.join(" "));
    let mut screen = Screen::start_below(&typed, &command, LINES, COLUMNS);
    screen.wait_for("[y/N]");
    screen.press("y");
    until("the answer is shown", || screen.text().contains("[y/N] y"));
    let mut photos = vec![screen.photo()];
    screen.press("\r");
    for share in [10, 30, 50, 70, 90] {
        until("more rows", || {
            shown_share(&screen.text()).is_some_and(|shown| shown >= share) || !screen.is_running()
        });
        let photo = screen.photo();
        if shown_share(&screen.text()).is_some() {
            photos.push(photo);
        }
    }
    assert_eq!(screen.end().code(), Some(3), "two rows fail:\n{}", screen.text());
    photos.push(screen.photo());
    photos
}

/// How far the bar is, in per cent.
fn shown_share(text: &str) -> Option<u32> {
    let line = text.lines().find(|line| line.contains(" / ") && line.contains(" %"))?;
    line.split(" %").next()?.split_whitespace().last()?.parse().ok()
}

/// The words of a text, with a sign for every number and every time; how often limits refused is left to
/// chance.
fn words(lines: impl Iterator<Item = String>) -> Vec<String> {
    let lines = lines.filter(|line| !line.contains("429s"));
    let of_line = |line: String| {
        let is_number = |word: &str| word.starts_with(|letter: char| letter.is_ascii_digit());
        let words = line.split_whitespace().map(|word| if is_number(word) { "#" } else { word });
        let words = words.collect::<Vec<_>>().join(" ");
        words.replace("# min # s", "# s").replace("# h # min", "# s").replace("review-#", "#")
    };
    let lines = lines.map(of_line).filter(|line| !line.is_empty());
    lines.map(|line| line.split("review-").next().unwrap_or_default().to_owned()).collect()
}

fn words_of(photo: &vt100::Screen) -> Vec<String> {
    words(photo.rows(0, COLUMNS))
}

/// The lines of one photo of a picture.
fn words_of_drawn(svg: &str, photo: usize) -> Vec<String> {
    let begin = format!("<g class=\"p p{photo}\">");
    let drawn = svg
        .split(&begin)
        .nth(1)
        .expect("the photo is in the picture")
        .split("</g>")
        .next()
        .unwrap();
    let mut lines: Vec<(String, String)> = Vec::new();
    for text in drawn.lines().filter(|line| line.starts_with("<text")) {
        let y = text.split(" y=\"").nth(1).unwrap().split('"').next().unwrap();
        let said = text.split('>').nth(1).unwrap().split('<').next().unwrap();
        let said = said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        match lines.last_mut().filter(|(line, _)| line == y) {
            Some((_, line)) => *line = format!("{line} {said}"),
            None => lines.push((y.to_owned(), said)),
        }
    }
    words(lines.into_iter().map(|(_, line)| line))
}

#[test]
fn the_picture_shows_what_the_command_shows() {
    let is_update = std::env::var_os("UPDATE_PICTURE").is_some();
    let size = match is_update {
        true => Size { rows: 20_000, rate: 6_000 },
        false => Size { rows: 2_000, rate: 800 },
    };
    let photos = photos(&size);
    if is_update {
        let used = photos
            .iter()
            .flat_map(|photo| photo.rows(0, COLUMNS).collect::<Vec<_>>().into_iter().enumerate());
        let lines =
            used.filter(|(_, line)| !line.trim().is_empty()).map(|(place, _)| place + 1).max();
        let lines = u16::try_from(lines.unwrap_or(1)).unwrap();
        let title = "modelwire bulk: many requests, none lost";
        std::fs::write(PICTURE, drawing::picture(title, &photos, lines)).unwrap();
    }
    assert!(Path::new(PICTURE).is_file(), "no picture: make it by UPDATE_PICTURE=1");
    let svg = std::fs::read_to_string(PICTURE).unwrap();
    let drawn = svg.matches("<g class=\"p ").count();
    assert_eq!(words_of_drawn(&svg, 0), words_of(photos.first().unwrap()), "the question");
    assert_eq!(words_of_drawn(&svg, drawn - 1), words_of(photos.last().unwrap()), "the end");
    assert!(photos.len() > 2, "the bar was seen on its way");
}
