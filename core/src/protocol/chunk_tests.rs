//! The fields found in chunks and answers of every shape.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::*;
use crate::protocol::document::{Document, model_name};
use crate::protocol::endpoint::Endpoint;
use crate::protocol::offsets::ELEMENTS_MAX;

fn chunk(text: &str) -> Chunk {
    Chunk::scan("", text).unwrap()
}

fn document(text: &str) -> Document {
    Document::scan(text).unwrap()
}

#[test]
fn the_hot_fields_of_a_chat_chunk() {
    let chunk = chunk(
        r#"{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"h\u00e9"},"finish_reason":null},
            {"index":3,"delta":{"content":"x"},"finish_reason":"stop","new":[1]}],"usage":null}"#,
    );
    assert_eq!(chunk.text(), "hé");
    let found: Vec<_> = chunk
        .choices()
        .map(|choice| (choice.index(), choice.content(), choice.role(), choice.finish_reason()))
        .collect();
    assert_eq!(found[0], (0, Some("hé".into()), Some("assistant".into()), None));
    assert_eq!(found[1], (3, Some("x".into()), None, Some("stop".into())));
    assert_eq!(
        chunk.choices().nth(1).unwrap().value().pointer("/new/0").unwrap().as_i64(),
        Some(1)
    );
    assert_eq!(chunk.usage(), None);
}

#[test]
fn tool_calls_and_ids() {
    let chunk = chunk(
        r#"{"id":"c-1","choices":[{"delta":{"tool_calls":[
            {"index":1,"id":"t","type":"function","function":{"name":"f","arguments":"{\"a\":"}},
            {"index":0,"function":{"arguments":"1}"}},7,{"function":null}]}}]}"#,
    );
    assert_eq!(chunk.id().unwrap(), "c-1");
    let choice = chunk.choices().next().unwrap();
    let calls: Vec<_> = choice
        .tool_calls()
        .map(|call| (call.index(), call.id(), call.name(), call.arguments()))
        .collect();
    assert_eq!(calls[0], (Some(1), Some("t".into()), Some("f".into()), Some("{\"a\":".into())));
    assert_eq!(calls[1], (Some(0), None, None, Some("1}".into())));
    assert_eq!(&calls[2..], [(None, None, None, None), (None, None, None, None)]);
    let event = self::chunk(r#"{"type":"response.output_text.delta","item_id":"m-1","delta":"x"}"#);
    assert_eq!((event.item_id().unwrap(), event.id()), ("m-1".into(), None));
    for odd in [r#"{"tool_calls":null}"#, r#"{"tool_calls":{}}"#] {
        let chunk = self::chunk(&format!(r#"{{"choices":[{{"delta":{odd}}}]}}"#));
        assert_eq!(chunk.choices().next().unwrap().tool_calls().count(), 0);
    }
}

#[test]
fn unexpected_shapes_are_absent_fields_and_no_error() {
    for text in [
        "null",
        "7",
        "[]",
        "\"x\"",
        "{}",
        r#"{"choices":null}"#,
        r#"{"choices":{}}"#,
        r#"{"choices":[]}"#,
        r#"{"choices":[null,7]}"#,
        r#"{"choices":[{"delta":null}]}"#,
        r#"{"choices":[{"delta":{"content":[1]}}]}"#,
        r#"{"choices":[{"index":"0","delta":{"content":null},"finish_reason":7}]}"#,
        r#"{"usage":7}"#,
        r#"{"usage":{"prompt_tokens":"many"}}"#,
        r#"{"type":9,"delta":{}}"#,
    ] {
        let chunk = chunk(text);
        assert_eq!(chunk.text(), "", "{text}");
        assert_eq!(chunk.finish_reason(), None, "{text}");
        assert_eq!(chunk.usage(), None, "{text}");
        assert!(!chunk.is_error() && !chunk.is_final_response(), "{text}");
        assert_eq!(chunk.json(), text);
    }
    assert!(Chunk::scan("", "{\"a\":}").is_err());
}

#[test]
fn of_duplicate_keys_the_last_wins() {
    let chunk = chunk(
        r#"{"choices":[{"delta":{"content":"a"}}],"choices":[{"delta":{"content":"b","content":"c"}}]}"#,
    );
    assert_eq!(chunk.text(), "c");
    assert_eq!(chunk.choices().count(), 1);
    let chunk = self::chunk(r#"{"choices":[{"delta":{"content":"a"},"delta":{}}]}"#);
    assert_eq!(chunk.text(), "", "as a JSON Pointer finds it");
}

#[test]
fn response_events_give_text_and_their_end() {
    assert_eq!(chunk(r#"{"type":"response.output_text.delta","delta":"hi"}"#).text(), "hi");
    assert_eq!(
        chunk(r#"{"type":"response.function_call_arguments.delta","delta":"{"}"#).text(),
        ""
    );
    let completed = chunk(
        r#"{"type":"response.completed","response":{"usage":{"input_tokens":3,"output_tokens":4,"total_tokens":7}}}"#,
    );
    assert!(completed.is_final_response());
    assert_eq!(
        completed.usage(),
        Some(Usage { input_tokens: 3, output_tokens: 4, total_tokens: 7, ..Usage::default() })
    );
}

#[test]
fn errors_inside_a_stream_are_distinguished_from_chunks() {
    for (event, text, is_error) in [
        ("", r#"{"error":{"message":"m"}}"#, true),
        ("", r#"{"error":"m","choices":[]}"#, true),
        ("error", r#"{"message":"m"}"#, true),
        ("", r#"{"type":"error","message":"m"}"#, true),
        ("", r#"{"error":null,"choices":[]}"#, false),
        (
            "response.failed",
            r#"{"type":"response.failed","response":{"error":{"code":"x"}}}"#,
            false,
        ),
        ("", r#"{"type":"response.completed","response":{"error":null}}"#, false),
        ("", r#"{"type":"response.failed","error":{"code":"x"},"response":{}}"#, false),
        ("", r#"{"type":"response.created","error":{"code":"x"}}"#, true),
        ("", r#"{"message":"m"}"#, true),
        ("message", r#"{"message":"m"}"#, true),
        ("progress", r#"{"message":"m"}"#, false),
        ("progress", r#"{"error_msg":"m"}"#, true),
    ] {
        let chunk = Chunk::scan(event, text).unwrap();
        assert_eq!(chunk.is_error(), is_error, "{event} {text}");
    }
}

#[test]
fn content_is_what_a_reader_sees_or_the_end() {
    for (text, has_content) in [
        (r#"{"choices":[{"delta":{"role":"assistant"}}]}"#, false),
        (r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#, false),
        (r#"{"choices":[{"delta":{}}]}"#, false),
        (r#"{"choices":[],"usage":{"total_tokens":1}}"#, false),
        (r#"{"choices":[{"delta":{"content":"a"}}]}"#, true),
        (r#"{"choices":[{"delta":{"content":" "}}]}"#, true),
        (r#"{"choices":[{"delta":{"content":"a","role":"assistant","refusal":""}}]}"#, true),
        (r#"{"choices":[{"delta":{"content":""}},{"delta":{"content":"a"}}]}"#, true),
        (r#"{"choices":[{"delta":{"content":""},"finish_reason":"stop"}]}"#, true),
        (r#"{"choices":[{"delta":{"reasoning":"a"}}]}"#, true),
        (r#"{"choices":[{"delta":{"audio":{"expires_at":0}}}]}"#, false),
        (r#"{"choices":[{"delta":{"audio":{"expires_at":5}}}]}"#, true),
        (r#"{"choices":[{"delta":{"content":[{"type":"text","text":""}]}}]}"#, false),
        (r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"}]}}]}"#, true),
        (r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"text":""}]}}]}"#, true),
        (r#"{"choices":[{"delta":{"tool_calls":[{"index":7,"type":"function"}]}}]}"#, false),
        (r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a"}]}}]}"#, true),
        (r#"{"choices":[{"delta":{"tool_calls":[{"id":"a","index":0}]}}]}"#, true),
        (r#"{"type":"response.output_text.delta","delta":"a"}"#, true),
        (r#"{"type":"response.output_text.delta","delta":""}"#, false),
        (r#"{"type":"response.output_text.delta"}"#, false),
        (r#"{"type":"response.output_text.done","text":""}"#, true),
        (r#"{"type":"response.output_item.added","item":{},"delta":"a"}"#, false),
        (r#"{"type":"response.created","response":{}}"#, false),
        (r#"{"type":"response.completed","response":{}}"#, true),
        (r#"{"type":"keepalive.delta","delta":"a"}"#, false),
        (r#"{"type":"keepalive.done"}"#, false),
    ] {
        assert_eq!(chunk(text).has_content(), has_content, "{text}");
    }
}

#[test]
fn the_status_of_a_response_is_in_it() {
    let status = |text| chunk(text).response_status();
    assert_eq!(
        status(r#"{"type":"response.created","response":{"status":"queued"}}"#),
        Some("queued".to_owned())
    );
    assert_eq!(status(r#"{"type":"response.created","response":{}}"#), None);
    assert_eq!(status(r#"{"type":"response.created","status":"queued"}"#), None);
    assert_eq!(status(r#"{"choices":[]}"#), None);
}

#[test]
fn whole_answers() {
    let chat = document(
        r#"{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"length"}],
            "usage":{"prompt_tokens":1,"completion_tokens":2}}"#,
    );
    assert_eq!((chat.text(), chat.finish_reason()), ("hi".into(), Some("length".into())));
    assert_eq!(
        chat.usage(),
        Some(Usage { input_tokens: 1, output_tokens: 2, total_tokens: 3, ..Usage::default() })
    );
    assert_eq!(chat.model().unwrap(), "m");
    let response = document(
        r#"{"status":"completed","output":[{"type":"reasoning"},{"type":"message","content":[
            {"type":"output_text","text":"a"},{"type":"refusal","refusal":"r"},{"type":"output_text","text":"b"}]}]}"#,
    );
    assert_eq!(
        (response.text(), response.finish_reason()),
        ("ab".into(), Some("completed".into()))
    );
    assert_eq!(document(r#"{"output":null}"#).text(), "");
}

#[test]
fn a_model_list_is_data_or_a_top_level_array() {
    let ids = |text: &str| {
        let list = document(text);
        list.models().map(|models| {
            models
                .iter()
                .map(|model| model.get("id").unwrap().text().to_owned())
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(ids(r#"{"data":[{"id":"a"},{"id":"b"}]}"#).unwrap(), ["\"a\"", "\"b\""]);
    assert_eq!(ids(r#"[{"id":"a"}]"#).unwrap(), ["\"a\""]);
    assert_eq!(ids(r#"{"data":{}}"#), None);
    assert_eq!(ids(r#"{"models":[]}"#), None);
}

#[test]
fn texts_of_a_chunk_are_also_available_nul_terminated() {
    let chunk = Chunk::scan("named", r#"{"a":1}"#).unwrap();
    assert_eq!((chunk.event(), chunk.event_and_nul()), ("named", "named\0"));
    assert_eq!((chunk.json(), chunk.json_and_nul()), (r#"{"a":1}"#, "{\"a\":1}\0"));
    let nameless = Chunk::scan("", "[]").unwrap();
    assert_eq!((nameless.event_and_nul(), nameless.json_and_nul()), ("\0", "[]\0"));
}

#[test]
fn a_choice_is_finished_when_it_says_why() {
    let chunk = chunk(
        r#"{"choices":[{"finish_reason":"stop"},{"finish_reason":null},{},{"finish_reason":""}]}"#,
    );
    let finished: Vec<bool> = chunk.choices().map(|choice| choice.is_finished()).collect();
    assert_eq!(finished, [true, false, false, false]);
    assert_eq!(chunk.choices().nth(3).unwrap().finish_reason(), None, "empty means: not yet");
}

/// For each document: the operations of which it is an answer, or an error, or neither.
#[test]
fn a_document_is_an_answer_an_error_or_neither() {
    let (models, chat, responses) = (Endpoint::Models, Endpoint::Chat, Endpoint::Responses);
    let all = || vec![models, chat, responses];
    for (text, answers, errors) in [
        ("{}", vec![], vec![]),
        ("[]", vec![models], vec![]),
        ("null", vec![], vec![]),
        (r#"{"data":[]}"#, vec![models], vec![]),
        (r#"{"data":null,"message":"m"}"#, vec![], all()),
        (r#"{"data":{},"code":0,"message":"success"}"#, vec![], vec![]),
        (r#"{"data":{"error":{"message":"m"}},"success":false}"#, vec![], all()),
        (r#"{"error":{}}"#, vec![], all()),
        (r#"{"error":null}"#, vec![], vec![]),
        (r#"{"error":{},"choices":[]}"#, vec![], all()),
        (r#"{"error":{},"choices":[{}]}"#, vec![chat], vec![models, responses]),
        (r#"{"choices":null,"usage":{}}"#, vec![], vec![]),
        (r#"{"choices":["a"]}"#, vec![], vec![]),
        (r#"{"error":{},"output":null}"#, vec![], all()),
        (r#"{"error":{"message":"m"},"output":[]}"#, vec![responses], vec![models, chat]),
        (r#"{"message":"m","output":[]}"#, vec![responses], vec![]),
        (r#"{"object":"response","status":"queued"}"#, vec![responses], vec![]),
        (r#"{"detail":"overloaded"}"#, vec![], all()),
    ] {
        let document = document(text);
        let found = all().into_iter().filter(|it| document.is_answer(*it)).collect::<Vec<_>>();
        let failed = all().into_iter().filter(|it| document.is_error(*it)).collect::<Vec<_>>();
        assert_eq!((found, failed), (answers, errors), "{text}");
    }
}

/// The name by which requests refer to the model.
#[test]
fn each_entry_of_a_list_has_a_name() {
    for (entry, name) in [
        (r#"{"id":"a","name":"b"}"#, Some("a")),
        (r#"{"id":null,"identifier":"a","name":"b"}"#, Some("a")),
        (r#"{"id":"","name":"a","model":"b"}"#, Some("a")),
        (r#"{"model":"a"}"#, Some("a")),
        (r#"{"id":5}"#, Some("5")),
        (r#""a""#, Some("a")),
        ("5", Some("5")),
        ("{}", None),
        (r#"{"id":{}}"#, None),
        (r#""""#, None),
        ("null", None),
    ] {
        let found = model_name(Value::parse(entry).unwrap());
        assert_eq!(found.as_deref(), name, "{entry}");
        let list = document(&format!(r#"{{"data":[{{"id":"x"}},{entry}]}}"#));
        assert_eq!(list.unnamed_model().is_some(), name.is_none(), "{entry}");
    }
}

/// The limit is on nesting, not on the number of siblings.
#[test]
fn many_shallow_objects_are_not_deep() {
    let choices = vec![r#"{"delta":{"tool_calls":[{"function":{"name":"f"}}]}}"#; 2000].join(",");
    let chunk = chunk(&format!(r#"{{"choices":[{choices}]}}"#));
    assert_eq!(chunk.choices().count(), 2000);
    assert!(chunk.choices().all(|choice| choice.tool_calls().count() == 1));
}

#[test]
fn a_slab_is_full_when_its_texts_are() {
    let mut slab = Slab::default();
    let text = format!(r#"{{"a":"{}"}}"#, "x".repeat(1000));
    let mut count = 0;
    while !slab.is_full() {
        assert!(count < 100, "not full with {count} texts of a KiB");
        slab.add("", text.as_bytes()).unwrap();
        count += 1;
    }
    assert!((16..18).contains(&count) && slab.len() == count, "{count}");
    assert!(Chunk::seal(&mut slab).all(|chunk| chunk.json() == text));
    assert!(slab.len() == 0 && !slab.is_full());
}

#[test]
fn as_many_choices_as_the_bound_says() {
    let with = |count: usize| format!(r#"{{"choices":[{}]}}"#, vec!["{}"; count].join(","));
    assert_eq!(chunk(&with(ELEMENTS_MAX)).choices().count(), ELEMENTS_MAX);
    assert!(Chunk::scan("", &with(ELEMENTS_MAX + 1)).is_err());
    // Those that a duplicate replaces count, too.
    let twice = |count: usize| {
        let (first, calls) = (vec!["{}"; ELEMENTS_MAX / 2].join(","), vec!["{}"; count].join(","));
        format!(r#"{{"choices":[{first}],"choices":[{{"message":{{"tool_calls":[{calls}]}}}}]}}"#)
    };
    assert_eq!(chunk(&twice(ELEMENTS_MAX / 2 - 1)).choices().count(), 1);
    assert!(Chunk::scan("", &twice(ELEMENTS_MAX / 2)).is_err());
}

/// To pass over those before each would take minutes.
#[test]
fn a_choice_is_found_by_its_position() {
    let one = chunk(&format!(r#"{{"choices":[{}]}}"#, vec!["{}"; ELEMENTS_MAX].join(",")));
    for position in 0..ELEMENTS_MAX {
        assert_eq!(one.choice(position).map(|choice| choice.index()), Some(position as u32));
    }
    assert!(one.choice(ELEMENTS_MAX).is_none());
}

/// Under any name, and never twice.
#[test]
fn reasoning_of_chats() {
    for (said, expected) in [
        (r#"{"reasoning_content":"a\u00e9"}"#, Some("aé")),
        (r#"{"reasoning":"a"}"#, Some("a")),
        (r#"{"\u0072easoning":"a"}"#, Some("a")),
        (r#"{"reasoning_text":"a","reasoning_opaque":"x"}"#, Some("a")),
        (r#"{"reasoning":"a","reasoning_content":"a"}"#, Some("a")),
        (r#"{"reasoning":"","reasoning_details":[{"text":"a"}]}"#, Some("a")),
        (r#"{"reasoning":"a","reasoning_content":""}"#, Some("a")),
        (r#"{"reasoning":"a","reasoning_content":null}"#, Some("a")),
        (r#"{"reasoning":"","content":"x"}"#, Some("")),
        (
            r#"{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a"}]}"#,
            Some("a"),
        ),
        (
            r#"{"reasoning":null,"reasoning_details":[{"type":"reasoning.text","text":"a"},
                {"type":"reasoning.summary","summary":"b"},{"type":"reasoning.encrypted","data":"c"},7]}"#,
            Some("ab"),
        ),
        (r#"{"reasoning_details":[{"type":"reasoning.encrypted","data":"c"}]}"#, None),
        (r#"{"reasoning":{"effort":"low"},"reasoning_details":"x"}"#, None),
        (r#"{"content":"x"}"#, None),
        ("[1]", None),
    ] {
        for name in ["delta", "message"] {
            let text = format!(r#"{{"choices":[{{"index":0,"{name}":{said}}}]}}"#);
            let chunk = chunk(&text);
            let found = chunk.choices().next().unwrap().reasoning();
            assert_eq!(found.as_deref(), expected, "{text}");
            assert_eq!(chunk.reasoning(), expected.unwrap_or_default());
            assert_eq!(document(&text).reasoning(), expected.unwrap_or_default());
        }
    }
}

#[test]
fn reasoning_of_responses() {
    for (text, expected) in [
        (r#"{"type":"response.reasoning_text.delta","delta":"a"}"#, "a"),
        (r#"{"type":"response.reasoning_summary_text.delta","delta":"b"}"#, "b"),
        (r#"{"type":"response.output_text.delta","delta":"c"}"#, ""),
        (r#"{"type":"response.reasoning_text.done","text":"d"}"#, ""),
        (r#"{"type":"response.reasoning_text.delta","delta":7}"#, ""),
    ] {
        assert_eq!(chunk(text).reasoning(), expected, "{text}");
    }
    let response = document(
        r#"{"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"text":7}],"content":null},
            {"type":"reasoning","summary":[{"type":"summary_text","text":"no"}],"content":[{"type":"reasoning_text","text":"b"}]},
            {"type":"reasoning","encrypted_content":"x"},
            {"type":"message","content":[{"type":"output_text","text":"c"}]},7]}"#,
    );
    assert_eq!((response.reasoning(), response.text()), ("ab".into(), "c".into()));
}

/// Wherever services put a count, and once if they report it twice.
#[test]
fn parts_of_usage() {
    let of = |usage: &str| {
        let usage = document(&format!(r#"{{"usage":{usage}}}"#)).usage()?;
        Some([
            usage.cached_input_tokens,
            usage.cache_write_tokens,
            usage.reasoning_tokens,
            usage.audio_input_tokens,
            usage.audio_output_tokens,
        ])
    };
    for (usage, expected) in [
        (
            r#"{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":1,"cache_write_tokens":2,"audio_tokens":4},
                "completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":3,"audio_tokens":5}}"#,
            Some([1, 2, 3, 4, 5]),
        ),
        (
            r#"{"input_tokens":9,"input_tokens_details":{"cached_tokens":1,"audio_tokens":4},
                "output_tokens":9,"output_tokens_details":{"reasoning_tokens":3}}"#,
            Some([1, 0, 3, 4, 0]),
        ),
        (
            r#"{"prompt_tokens":9,"prompt_cache_hit_tokens":7,"prompt_cache_miss_tokens":2}"#,
            Some([7, 0, 0, 0, 0]),
        ),
        (
            r#"{"input_tokens":9,"cache_read_input_tokens":7,"cache_creation_input_tokens":2}"#,
            Some([7, 2, 0, 0, 0]),
        ),
        (
            r#"{"prompt_tokens":9,"prompt_cache_hit_tokens":7,"prompt_tokens_details":{"cached_tokens":7},"cached_tokens":0}"#,
            Some([7, 0, 0, 0, 0]),
        ),
        (r#"{"completion_tokens":9,"reasoning_tokens":6}"#, Some([0, 0, 6, 0, 0])),
        (
            r#"{"prompt_tokens":9,"prompt_tokens_details":null,"completion_tokens_details":[1],"input_tokens_details":{"cached_tokens":-1},"output_tokens_details":{"reasoning_tokens":"many","audio_tokens":1.5}}"#,
            Some([0; 5]),
        ),
        (r#"{"prompt_tokens_details":{"cached_tokens":1}}"#, None),
        (r#"{"reasoning_tokens":6}"#, None),
    ] {
        assert_eq!(of(usage), expected, "{usage}");
    }
}

#[test]
fn what_a_choice_says_is_its_message_unless_its_delta_adds_something() {
    for (choice, said, is_message) in [
        (r#"{"delta":{"content":"d"}}"#, r#"{"content":"d"}"#, false),
        (r#"{"message":{"content":"m"}}"#, r#"{"content":"m"}"#, true),
        (r#"{"delta":{},"message":{"content":"m"}}"#, r#"{"content":"m"}"#, true),
        (r#"{"delta":{"content":"d"},"message":{"content":"m"}}"#, r#"{"content":"d"}"#, false),
        (r#"{"delta":{"role":"r"},"message":{"content":"m"}}"#, r#"{"content":"m"}"#, true),
        (r#"{"message":{"content":"m"},"delta":{"content":""}}"#, r#"{"content":"m"}"#, true),
        (
            r#"{"message":{"reasoning":"m"},"delta":{"reasoning":"d"}}"#,
            r#"{"reasoning":"d"}"#,
            false,
        ),
        (r#"{"delta":null,"message":null}"#, "null", false),
        (r#"{"message":"m"}"#, "null", false),
    ] {
        let chunk = chunk(&format!(r#"{{"choices":[{choice}]}}"#));
        let found = chunk.choices().next().unwrap();
        assert_eq!((found.said().text(), found.is_message()), (said, is_message), "{choice}");
        let content = found.said().get("content").and_then(Value::as_str);
        assert_eq!(found.content(), content, "{choice}");
        let reasoning = found.said().get("reasoning").and_then(Value::as_str);
        assert_eq!(found.reasoning(), reasoning, "{choice}");
    }
}

#[test]
fn an_answer_is_named_by_its_id_and_model() {
    let names = |id: &str, model: &str| (Some(id.to_owned()), Some(model.to_owned()));
    for (text, expected) in [
        (r#"{"id":"a","model":"m"}"#, names("a", "m")),
        (r#"{"model":"m","x":{"id":"no"},"id":"a"}"#, names("a", "m")),
        (r#"{"type":"e","id":"no","response":{"id":"a","model":"m"}}"#, names("a", "m")),
        (r#"{"id":"","model":7}"#, (None, None)),
        (r#"{"id":"a"}"#, (Some("a".to_owned()), None)),
    ] {
        assert_eq!(chunk(text).names(), expected, "{text}");
    }
    assert!(document("{}").is_object() && !document("[{}]").is_object());
}

/// Chunks that arrive together share what was found in them, and read as each alone.
#[test]
fn chunks_of_a_slab_read_as_alone() {
    let events = [
        ("", r#"{"choices":[{"delta":{"content":"a"}}]}"#),
        ("", r#"{"choices":[{"delta":{"content":"and more"}}]}"#),
        ("", r#"{"choices":[],"usage":{"total_tokens":1}}"#),
        ("error", r#"{"choices":[{"delta":{"content":"c"}}]}"#),
        ("", r#"{"choices":[{"delta":{"content":"d"}}]}"#),
    ];
    let mut slab = Slab::default();
    for (name, text) in events {
        slab.add(name, text.as_bytes()).unwrap();
    }
    let found: Vec<Chunk> = Chunk::seal(&mut slab).collect();
    assert_eq!((found.len(), slab.len()), (events.len(), 0));
    for (chunk, (name, text)) in found.iter().zip(events) {
        let alone = Chunk::scan(name, text).unwrap();
        assert_eq!((chunk.event(), chunk.json(), chunk.text()), (name, text, alone.text()));
        assert_eq!(chunk.usage().is_some(), text.contains("usage"));
        assert_eq!(chunk.only_adds(), name.is_empty() && text.contains("delta"), "{text}");
        let more = chunk.cost() - text.len();
        assert!((200..1000).contains(&more), "{more} bytes beyond the text");
    }
}

#[test]
fn a_choice_without_an_index_has_its_position() {
    let text = r#"{"choices":[{"delta":{"content":"a"}},null,{"index":"x"},{"index":7}]}"#;
    let found: Vec<u32> = chunk(text).choices().map(|choice| choice.index()).collect();
    assert_eq!(found, [0, 2, 7]);
}

/// A queue's bound in bytes counts the name and the text of an event.
#[test]
fn the_cost_of_an_event_grows_with_its_bytes() {
    let cost = |name: &str, text: &str| Chunk::scan(name, text).unwrap().cost();
    let least = cost("", "{}");
    assert!(least > 2);
    assert_eq!(cost("", r#"{"choices":[]}"#), least + 12);
    assert_eq!(cost("response.completed", "{}"), least + 18);
    // Wherever it is among those that arrived with it.
    let mut slab = Slab::default();
    (0..3).for_each(|_| slab.add("", b"{}").unwrap());
    assert_eq!(Chunk::seal(&mut slab).map(|chunk| chunk.cost()).collect::<Vec<_>>(), [least; 3]);
}

/// To read each level by itself would take minutes, and a recursion more stack than this.
#[test]
fn content_is_looked_for_in_one_pass_whatever_its_nesting() {
    let nested = |open: &str, within: &str, close: &str| {
        let (open, close) = (open.repeat(1000), close.repeat(1000));
        format!(r#"{{"choices":[{{"delta":{{"x":{open}{within}{close}}}}}]}}"#)
    };
    let has_content = |text: &str| Chunk::scan("", text).unwrap().has_content();
    let look = move || {
        let empty = "0,".repeat(2 << 20) + "0";
        assert!(!has_content(&nested("[", &empty, "]")));
        for (within, has) in [("null", false), (r#""""#, false), (r#"" ""#, true), ("1", true)] {
            assert_eq!(has_content(&nested("[", within, "]")), has, "{within}");
            assert_eq!(has_content(&nested(r#"{"a":"#, within, "}")), has, "{within}");
            assert!(!has_content(&nested(r#"{"index":"#, within, "}")), "{within}");
        }
    };
    let small = std::thread::Builder::new().stack_size(128 << 10);
    small.spawn(look).unwrap().join().unwrap();
}
