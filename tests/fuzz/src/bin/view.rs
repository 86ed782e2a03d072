//! Any text is a chunk, an answer or an error: judged as serde_json judges it, and every accessor
//! reads what serde_json reads. The first line of the input is a pointer into the rest.
#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::{Corpus, fuzz_target};
use modelwire::limits::JSON_DEPTH_MAX;
use modelwire::parse::{chunk, document};
use modelwire::{Choice, Kind, Outline, Part, Value, output_text};
use modelwire_fuzz::{Json, depth, is_json, json};

/// Ours and theirs are the same value. Returns whether a key stands twice somewhere.
fn compare(ours: Value<'_>, theirs: &Json) -> bool {
    match theirs {
        Json::Null => assert!(ours.is_null() && ours.kind() == Kind::Null),
        Json::Bool(theirs) => assert_eq!(ours.as_bool(), Some(*theirs)),
        Json::Number(theirs) => {
            assert_eq!(ours.kind(), Kind::Number);
            if let Some(theirs) = theirs.as_i64() {
                assert_eq!(ours.as_i64(), Some(theirs));
            } else if !ours.text().starts_with("-0") {
                assert_eq!(ours.as_i64(), None);
            }
            let (ours, theirs) = (ours.as_f64().unwrap(), theirs.as_f64().unwrap());
            // serde_json's reading of a fraction may be off in the last digit.
            let near = (ours - theirs).abs() <= theirs.abs() * 1e-15 + f64::MIN_POSITIVE;
            assert!(near, "{ours} for {theirs}");
        }
        Json::String(theirs) => assert_eq!(ours.as_str().as_deref(), Some(&theirs[..])),
        Json::Array(theirs) => {
            let items = ours.items();
            assert_eq!(items.len(), theirs.len());
            let items = items.into_iter().zip(theirs);
            return items.fold(false, |repeats, (ours, theirs)| compare(ours, theirs) | repeats);
        }
        Json::Object(theirs) => {
            let members = ours.members();
            let mut repeats = members.len() != theirs.len();
            for (name, _) in members {
                let value = ours.get(&name).unwrap();
                repeats |= compare(value, theirs.get(&*name).expect("a member of both"));
            }
            assert!(theirs.keys().all(|name| ours.get(name).is_some()));
            return repeats;
        }
    }
    false
}

/// What is found in one pass is what each value finds by itself.
fn outlined(part: Part<'_, '_>, value: Value<'_>) {
    assert_eq!(part.value().text(), value.text());
    let (items, members) = (part.items(), part.members());
    assert_eq!((items.len(), members.len()), (value.items().len(), value.members().len()));
    items.into_iter().zip(value.items()).for_each(|(part, item)| outlined(part, item));
    for ((name, part), (its_name, member)) in members.into_iter().zip(value.members()) {
        assert_eq!(name, its_name);
        outlined(part, member);
    }
}

/// Every accessor, on every value down to a depth: what they give is checked where it can be.
fn touch(value: Value<'_>, levels: usize) {
    let _ = (value.as_str(), value.as_bool(), value.as_i64(), value.as_f64(), value.at(1));
    assert!(!value.text().is_empty());
    let mut inner: Vec<Value<'_>> = value.items();
    inner.extend(value.members().into_iter().map(|(_, value)| value));
    if levels > 0 {
        inner.into_iter().for_each(|value| touch(value, levels - 1));
    }
}

/// What is read of a choice: its index, its texts, and its tool calls.
type Read = (u64, [Option<String>; 3], Vec<ReadCall>);
type ReadCall = (Option<u64>, [Option<String>; 3]);

fn owned<const N: usize>(texts: [Option<Cow<'_, str>>; N]) -> [Option<String>; N] {
    texts.map(|text| text.map(Cow::into_owned))
}

fn read(choice: Choice<'_>) -> Read {
    touch(choice.value(), 1);
    let texts = [choice.content(), choice.role(), choice.finish_reason()];
    let calls = choice.tool_calls().map(|call| {
        (call.index().map(u64::from), owned([call.id(), call.name(), call.arguments()]))
    });
    (choice.index().into(), owned(texts), calls.collect())
}

fn text_of(value: &Json, name: &str) -> Option<String> {
    Some(value.get(name)?.as_str()?.to_owned())
}

/// The same, unless it is empty and says nothing.
fn said(value: &Json, name: &str) -> Option<String> {
    text_of(value, name).filter(|text| !text.is_empty())
}

fn index_of(value: &Json) -> Option<u64> {
    let index = value.get("index")?;
    let text = index.as_str().map(str::to_owned);
    let number: f64 = text.unwrap_or_else(|| index.to_string()).parse().ok()?;
    let is_index = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    is_index.then_some(number as u64)
}

/// Arguments that are no text are compared as what they say; here they are only known to be there.
fn arguments_of(function: &Json, ours: Option<&str>) -> Option<String> {
    match function.get("arguments")? {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        value => {
            let ours = ours.expect("arguments that are no text");
            assert_eq!(json(ours).as_ref(), Some(value));
            Some(ours.to_owned())
        }
    }
}

/// A content that is a text, or the texts of its parts.
fn content_of(said: &Json) -> Option<String> {
    let Some(parts) = said.get("content")?.as_array() else { return text_of(said, "content") };
    let is_text = |part: &&Json| {
        matches!(part.get("type").and_then(Json::as_str), None | Some("text" | "output_text"))
    };
    let texts: Vec<String> =
        parts.iter().filter(is_text).filter_map(|part| text_of(part, "text")).collect();
    (!texts.is_empty()).then(|| texts.concat())
}

/// The tool calls of a message as serde_json finds them.
fn calls_of(message: &Json, ours: &[ReadCall]) -> Vec<ReadCall> {
    let calls = message.get("tool_calls").and_then(Json::as_array).map(Vec::as_slice);
    let read = |(place, call): (usize, &Json)| {
        let function = call.get("function").unwrap_or(&Json::Null);
        let ours = ours.get(place).and_then(|(_, texts)| texts[2].as_deref());
        let texts = [said(call, "id"), said(function, "name"), arguments_of(function, ours)];
        (index_of(call), texts)
    };
    calls.unwrap_or_default().iter().enumerate().map(read).collect()
}

/// The tokens as serde_json finds them, in, out and in all; `None` where two names for one count stand
/// side by side, and where a count is `-0`, an integer that serde_json cannot tell from `-0.0`.
fn usage_of(theirs: &Json) -> Option<Option<[u64; 3]>> {
    let usage = theirs.get("usage").unwrap_or(&Json::Null);
    let count = |names: &[&str]| {
        let mut found = names.iter().filter_map(|name| usage.get(*name));
        let value = found.next();
        let is_minus_zero =
            value.and_then(Json::as_f64).is_some_and(|it| it == 0.0 && it.is_sign_negative());
        let count = value.and_then(Json::as_i64).and_then(|count| count.try_into().ok());
        (found.next().is_none() && !is_minus_zero).then_some(count)
    };
    let input: Option<u64> = count(&["prompt_tokens", "input_tokens"])?;
    let output: Option<u64> = count(&["completion_tokens", "output_tokens"])?;
    let total: Option<u64> = count(&["total_tokens"])?;
    if input.or(output).or(total).is_none() {
        return Some(None);
    }
    let (input, output) = (input.unwrap_or(0), output.unwrap_or(0));
    Some(Some([input, output, total.unwrap_or(input.saturating_add(output))]))
}

/// The choices as serde_json finds them; `None` where delta and message stand side by side.
fn choices_of(theirs: &Json, ours: &[Read]) -> Option<Vec<Read>> {
    let list = theirs.get("choices").and_then(Json::as_array).map(Vec::as_slice);
    let all = list.unwrap_or_default().iter().enumerate();
    all.filter(|(_, choice)| choice.is_object())
        .enumerate()
        .map(|(count, (place, choice))| {
            let message = match (choice.get("delta"), choice.get("message")) {
                (Some(_), Some(_)) => return None,
                (message, None) | (None, message) => message.unwrap_or(&Json::Null),
            };
            let texts =
                [content_of(message), text_of(message, "role"), said(choice, "finish_reason")];
            let ours = ours.get(count).map(|(_, _, calls)| calls.as_slice()).unwrap_or_default();
            Some((index_of(choice).unwrap_or(place as u64), texts, calls_of(message, ours)))
        })
        .collect()
}

/// Where a text is JSON, the views of it agree with serde_json's.
fn check_views(text: &str, theirs: Option<&Json>) {
    let (chunk, document) = (chunk("e", text).unwrap(), document(text).unwrap());
    assert_eq!((chunk.json(), chunk.event(), document.json()), (text, "e", text));
    let _ = (chunk.usage(), document.usage(), document.model(), document.models());
    let _ = (chunk.reasoning(), document.reasoning(), chunk.info_json());
    let _ = (chunk.response().map(output_text), output_text(document.value()));
    let choices: Vec<Read> = chunk.choices().map(read).collect();
    assert_eq!(choices, document.choices().map(read).collect::<Vec<_>>());
    let first = choices.first().map(|(_, texts, _)| texts.clone());
    if let Some([content, _, finish_reason]) = first {
        assert_eq!(chunk.text(), content.clone().unwrap_or_default());
        assert_eq!(document.text(), content.unwrap_or_default());
        assert_eq!(chunk.finish_reason(), finish_reason.as_deref().map(Into::into));
        assert_eq!(document.finish_reason(), finish_reason.map(Into::into));
    }
    let Some(theirs) = theirs else { return };
    let string = |name| theirs.get(name).and_then(Json::as_str);
    assert_eq!(chunk.kind().as_deref(), string("type"));
    assert_eq!(chunk.id().as_deref(), string("id"));
    assert_eq!(chunk.item_id().as_deref(), string("item_id"));
    if let Some(expected) = usage_of(theirs) {
        let usage = document.usage();
        let usage =
            usage.map(|usage| [usage.input_tokens, usage.output_tokens, usage.total_tokens]);
        assert_eq!(usage, expected);
    }
    assert_eq!(document.model().as_deref(), string("model"));
    if let Some(expected) = choices_of(theirs, &choices) {
        assert_eq!(choices, expected);
    }
    let response = theirs.get("response").filter(|response| !response.is_null());
    assert_eq!(chunk.response().is_some(), response.is_some());
    if choices.is_empty() {
        let is_delta = string("type") == Some("response.output_text.delta");
        let delta = string("delta").filter(|_| is_delta);
        assert_eq!(chunk.text(), delta.unwrap_or_default());
        assert_eq!(document.finish_reason().as_deref(), string("status"));
    }
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(input) = std::str::from_utf8(input) else { return Corpus::Reject };
    let (pointer, text) = input.split_once('\n').unwrap_or(("", input));
    // Of a text that is not JSON nothing is found, but never by a panic.
    let unchecked = Value::validated(text);
    let _ = (unchecked.as_str(), unchecked.items(), unchecked.members());
    let _ = (unchecked.pointer(pointer), unchecked.as_i64(), unchecked.as_f64());
    let outline = Outline::of(unchecked);
    let _ = (outline.whole().items(), outline.whole().members());
    let is_valid = is_json(text);
    let is_deep = is_valid && depth(text) > JSON_DEPTH_MAX;
    let ours = Value::parse(text);
    assert_eq!(ours.is_ok(), is_valid && !is_deep, "{:?}", ours.err());
    assert_eq!(chunk("", text).is_ok(), is_valid && !is_deep);
    assert_eq!(document(text).is_ok(), is_valid && !is_deep);
    let Ok(ours) = ours else {
        let offset = Value::parse(text).unwrap_err().offset;
        assert!(offset <= text.len());
        return Corpus::Keep;
    };
    touch(ours, 32);
    outlined(outline.whole(), ours);
    let theirs = json(text);
    let repeats = theirs.as_ref().is_some_and(|theirs| compare(ours, theirs));
    check_views(text, theirs.as_ref().filter(|_| !repeats));
    if let Some(theirs) = theirs {
        match (ours.pointer(pointer), theirs.pointer(pointer)) {
            (Some(ours), Some(theirs)) => drop(compare(ours, theirs)),
            (ours, theirs) => assert_eq!(ours.is_some(), theirs.is_some(), "at {pointer}"),
        }
    }
    Corpus::Keep
});
