//! The content of a model's answer.

use crate::ask::{Ask, Operation, Tool};
use crate::json::{object, quoted};
use crate::model::{Ending, Model};

/// The reasoning of `echo-reasoning`.
const REASONING: &str = "I shall repeat what was said.";
/// The function that `echo-tools` calls where a request declares none.
const TOOL: &str = "echo";
/// The number of words before a stream fails.
const WORDS_BEFORE_FAILURE: usize = 3;

/// The content of one choice; all choices are the same.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Pieces that concatenate to the reasoning.
    pub(crate) reasoning: Vec<String>,
    /// Pieces that concatenate to the text, each a word with the space around it.
    pub(crate) words: Vec<String>,
    pub(crate) finish: Finish,
    pub(crate) tool_calls: Vec<ToolCall>,
    pub(crate) usage: Usage,
    pub(crate) reported: Reported,
}

/// Whether answers report usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reported {
    /// Like real services: always, but in a streamed chat only if `stream_options` requests it.
    #[default]
    AsAsked,
    /// Also in every streamed chat.
    Always,
    /// Never.
    Never,
}

/// The finish reason of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// The answer is complete, or calls tools.
    #[default]
    Stop,
    /// A token limit truncated it.
    Length,
    /// A content filter truncated it.
    ContentFilter,
}

/// A tool call of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The name of the function.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
}

/// Input and output words, which this service counts as tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) reasoning: u64,
}

impl Answer {
    pub(crate) fn to(ask: &Ask, reported: Reported) -> Answer {
        let is_chat = ask.operation == Operation::Chat;
        let calls_tool = is_chat && ask.model == Model::EchoTools && !ask.has_tool_results;
        let reasons = is_chat && ask.model == Model::EchoReasoning;
        let reasoning = if reasons { words_of(REASONING) } else { Vec::new() };
        let mut words = words_of(&ask.text);
        // Truncated arguments would be invalid JSON, which no test of tools wants.
        let is_truncated = !calls_tool && truncate(&mut words, ask.words_max);
        if ask.stream && !matches!(ask.model.ending(), Ending::Whole | Ending::LateEnd) {
            words.truncate(WORDS_BEFORE_FAILURE);
        }
        let usage = Usage::count(ask, &reasoning, &words);
        let tool_calls = match calls_tool {
            true => calls(&ask.tools, &std::mem::take(&mut words).concat()),
            false => Vec::new(),
        };
        let finish = if is_truncated { Finish::Length } else { Finish::Stop };
        Answer { reasoning, words, finish, tool_calls, usage, reported }
    }

    pub(crate) fn text(&self) -> String {
        self.words.concat()
    }
}

/// A call of each function with the text for each of its parameters that is a string.
fn calls(tools: &[Tool], text: &str) -> Vec<ToolCall> {
    let call = |tool: &Tool| {
        let texts = tool.texts.iter().map(|name| (name.as_str(), quoted(text)));
        let arguments = object(&texts.collect::<Vec<_>>());
        ToolCall { name: tool.name.clone(), arguments }
    };
    if tools.is_empty() {
        let tool = Tool { name: TOOL.to_owned(), texts: vec!["text".to_owned()] };
        return vec![call(&tool)];
    }
    tools.iter().map(call).collect()
}

impl Usage {
    pub(crate) fn count(ask: &Ask, reasoning: &[String], words: &[String]) -> Usage {
        let choices = u64::try_from(ask.choices).unwrap_or(u64::MAX);
        let reasoning = count_words(&reasoning.concat()) * choices;
        let output = count_words(&words.concat()) * choices + reasoning;
        Usage { input: ask.input_words, output, reasoning }
    }
}

/// The number of words, used as the number of tokens.
pub(crate) fn count_words(text: &str) -> u64 {
    u64::try_from(text.split_whitespace().count()).unwrap_or(u64::MAX)
}

/// Pieces that concatenate to exactly `text`, each a word with the space after it, and the first also with
/// the space before it.
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

/// Keeps at most `words_max` words; returns whether any were removed.
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
