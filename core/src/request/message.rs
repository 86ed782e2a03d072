//! Messages of a conversation with parts, written as the operation's request wants them. Does no I/O.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::protocol::endpoint::Endpoint;
use crate::protocol::escapes::write_str;

/// A message of any role: one text, or several parts such as texts and images.
///
/// It is the same for chats and responses; [`Request::add_message`](crate::Request::add_message) writes it in the form
/// of the operation. Images are part of the input and generally consume tokens.
///
/// ```
/// use modelwire::{Message, Request};
///
/// let png = b"\x89PNG\r\n\x1a\n";
/// let question = Message::user("What differs between these?")
///     .image_url("https://example.org/a.png")
///     .image("image/png", png);
/// let request = Request::chat("a-model").system("Be brief.").add_message(question);
/// request.check()?;
/// # Ok::<(), modelwire::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Message {
    role: String,
    parts: Vec<Part>,
}

/// A part of a message.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    /// By its URL, which may be a data URL.
    Image(String),
    /// An image that cannot be sent, and why.
    Refused(String),
}

impl Message {
    /// A message of any role with this text. The result of a tool is a
    /// [`tool_result`](crate::Request::tool_result).
    pub fn new(role: impl Into<String>, text: impl Into<String>) -> Message {
        Message { role: role.into(), parts: vec![Part::Text(text.into())] }
    }

    /// A message of the user.
    pub fn user(text: impl Into<String>) -> Message {
        Message::new("user", text)
    }

    /// Adds a text.
    pub fn text(mut self, text: impl Into<String>) -> Message {
        self.push(Part::Text(text.into()));
        self
    }

    /// Adds an image by its URL, which the service fetches.
    pub fn image_url(mut self, url: impl Into<String>) -> Message {
        self.push(Part::Image(url.into()));
        self
    }

    /// Adds an image by its bytes and their media type, `image/png` for instance: as a data URL
    /// (RFC 2397), a third longer than the bytes. Adding the message to a request fails if this is no
    /// media type, or without bytes.
    pub fn image(mut self, media_type: &str, bytes: &[u8]) -> Message {
        self.push(Part::image(media_type, bytes));
        self
    }

    pub(crate) fn push(&mut self, part: Part) {
        self.parts.push(part);
    }

    /// Refuses what no service takes, before anything is sent.
    pub(crate) fn check(&self) -> Result<(), String> {
        match &*self.role {
            "" => return Err("its role is empty".to_owned()),
            "tool" => {
                return Err(
                    "a message of the role tool needs the id of the call: add a tool result"
                        .to_owned(),
                );
            }
            _ => {}
        }
        self.parts.iter().try_for_each(|part| match part {
            Part::Refused(why) => Err(why.clone()),
            Part::Image(_) if self.role == "assistant" => {
                Err("a message of an assistant has texts only".to_owned())
            }
            Part::Text(_) | Part::Image(_) => Ok(()),
        })
    }

    /// The part that was pushed last, taken back.
    pub(crate) fn pop(&mut self) {
        self.parts.pop();
    }

    /// Writes the message as a chat's message, or as an item of a response's input.
    pub(crate) fn write(&self, endpoint: Endpoint, out: &mut String) {
        out.push_str("{\"role\":");
        write_str(&self.role, out);
        out.push_str(",\"content\":");
        match self.one_text(endpoint) {
            Some(text) => write_str(&text, out),
            None => {
                for (index, part) in self.parts.iter().enumerate() {
                    out.push(if index == 0 { '[' } else { ',' });
                    part.write(endpoint, out);
                }
                out.push(']');
            }
        }
        out.push('}');
    }

    /// The content as one text, if it is one. That of an assistant in a response always is: services take
    /// parts there only as they sent them, with an id and a status.
    fn one_text(&self, endpoint: Endpoint) -> Option<String> {
        let text = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Image(_) | Part::Refused(_) => None,
        };
        let joins = self.role == "assistant" && endpoint == Endpoint::Responses;
        (joins || self.parts.len() == 1).then(|| self.parts.iter().map(text).collect())?
    }
}

impl Part {
    pub(crate) fn image(media_type: &str, bytes: &[u8]) -> Part {
        // The characters of a token (RFC 9110 section 5.6.2).
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        let is_media_type = media_type.split_once('/').is_some_and(|parts| {
            [parts.0, parts.1].iter().all(|part| !part.is_empty() && part.chars().all(is_token))
        });
        if !is_media_type {
            return Part::Refused(format!("{media_type:?} is not a media type, such as image/png"));
        }
        if bytes.is_empty() {
            return Part::Refused("the image has no bytes".to_owned());
        }
        Part::Image(format!("data:{media_type};base64,{}", STANDARD.encode(bytes)))
    }

    fn write(&self, endpoint: Endpoint, out: &mut String) {
        let (start, text, end) = match (self, endpoint) {
            (Part::Text(text), Endpoint::Responses) => {
                ("{\"type\":\"input_text\",\"text\":", text, "}")
            }
            (Part::Text(text), _) => ("{\"type\":\"text\",\"text\":", text, "}"),
            (Part::Image(url), Endpoint::Responses) => {
                ("{\"type\":\"input_image\",\"detail\":\"auto\",\"image_url\":", url, "}")
            }
            // Such a message is refused.
            (Part::Refused(_), _) => return,
            (Part::Image(url), _) => ("{\"type\":\"image_url\",\"image_url\":{\"url\":", url, "}}"),
        };
        out.push_str(start);
        write_str(text, out);
        out.push_str(end);
    }
}
