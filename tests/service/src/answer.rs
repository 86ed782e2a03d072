//! What a model says to an ask, in words.

use crate::ask::{Ask, Operation};
use crate::json::{object, quoted};
use crate::model::{Ending, Model};

/// What `echo-reasoning` thinks before it speaks.
const REASONING: &str = "I shall repeat what was said.";
/// The function that `echo-tools` calls.
const TOOL: &str = "echo";
/// The words of a stream that does not end well.
const WORDS_BEFORE_FAILURE: usize = 3;

/// Words of one choice; all choices say the same.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Pieces that concatenate to the reasoning.
    pub(crate) reasoning: Vec<String>,
    /// Pieces that concatenate to the text: a word each, with the space around it.
    pub(crate) words: Vec<String>,
    pub(crate) finish: Finish,
    pub(crate) tool_calls: Vec<ToolCall>,
    pub(crate) usage: Usage,
    pub(crate) reported: Reported,
}

/// Whether an answer reports what it used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reported {
    /// As real services do: always, but in a streamed chat only to who asks by `stream_options`.
    #[default]
    AsAsked,
    /// In each streamed chat, too.
    Always,
    /// Nowhere.
    Never,
}

/// Why a model stops speaking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// It said everything, or calls tools.
    #[default]
    Stop,
    /// A bound cut it short.
    Length,
    /// A filter cut it short.
    ContentFilter,
}

/// A call that a model wants its user to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The name of the function.
    pub name: String,
    /// The arguments, JSON text.
    pub arguments: String,
}

/// Words in and out, which is how this service counts tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) reasoning: u64,
}

impl Answer {
    pub(crate) fn to(ask: &Ask, reported: Reported) -> Answer {
        let is_chat = ask.operation == Operation::Chat;
        let calls_tool = is_chat && ask.model == Model::EchoTools;
        let reasons = is_chat && ask.model == Model::EchoReasoning;
        let reasoning = if reasons { words_of(REASONING) } else { Vec::new() };
        let mut words = words_of(&ask.text);
        // Arguments cut short would be no JSON, which no test of tools wants.
        let is_truncated = !calls_tool && truncate(&mut words, ask.words_max);
        if ask.stream && !matches!(ask.model.ending(), Ending::Whole | Ending::LateEnd) {
            words.truncate(WORDS_BEFORE_FAILURE);
        }
        let usage = Usage::count(ask, &reasoning, &words);
        let tool_calls = if calls_tool {
            let arguments = object(&[("text", quoted(&std::mem::take(&mut words).concat()))]);
            vec![ToolCall { name: TOOL.to_owned(), arguments }]
        } else {
            Vec::new()
        };
        let finish = if is_truncated { Finish::Length } else { Finish::Stop };
        Answer { reasoning, words, finish, tool_calls, usage, reported }
    }

    pub(crate) fn text(&self) -> String {
        self.words.concat()
    }
}

impl Usage {
    pub(crate) fn count(ask: &Ask, reasoning: &[String], words: &[String]) -> Usage {
        let choices = u64::try_from(ask.choices).unwrap_or(u64::MAX);
        let reasoning = count_words(&reasoning.concat()) * choices;
        let output = count_words(&words.concat()) * choices + reasoning;
        Usage { input: ask.input_words, output, reasoning }
    }
}

/// Words as a token count.
pub(crate) fn count_words(text: &str) -> u64 {
    u64::try_from(text.split_whitespace().count()).unwrap_or(u64::MAX)
}

/// Pieces that concatenate to exactly `text`: a word each, with the space that follows it, the
/// first with the space before it, too.
pub(crate) fn words_of(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut has_word = false;
    let mut after_space = false;
    for character in text.chars() {
        let is_space = character.is_whitespace();
        if !is_space && has_word && after_space {
            pieces.push(std::mem::take(&mut piece));
        }
        has_word |= !is_space;
        after_space = is_space;
        piece.push(character);
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// Keeps so many words at most; says whether that took any away.
fn truncate(words: &mut Vec<String>, words_max: Option<u64>) -> bool {
    let Some(kept) = words_max.and_then(|bound| usize::try_from(bound).ok()) else {
        return false;
    };
    if words.len() <= kept {
        return false;
    }
    words.truncate(kept);
    if let Some(last) = words.last_mut() {
        last.truncate(last.trim_end().len());
    }
    true
}
