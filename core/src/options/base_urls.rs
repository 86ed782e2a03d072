//! The options of a client with several base URLs.

use crate::answer::error::{Error, Result};
use crate::options::api_key::ApiKeySource;
use crate::options::suggestion::suggestion;
use crate::protocol::value::{Kind, Value};

/// The maximum number of base URLs of a client.
pub const BASE_URLS_MAX: usize = 64;

/// The largest weight of a base URL.
pub const WEIGHT_MAX: u32 = 1_000;

/// The names of the members of a base URL in JSON.
const MEMBERS: [&str; 4] = ["url", "api_key", "weight", "models"];

/// One of several services of a client, for [`Config::base_urls`](crate::Config::base_urls).
///
/// ```
/// use modelwire::{BaseUrl, Config};
///
/// let config = Config::new().api_key("sk-test").base_urls([
///     BaseUrl::new("https://models.example/v1").weight(3),
///     BaseUrl::new("https://other.example/v1").api_key("sk-other").model("a-model", "a-model-2"),
/// ]);
/// let client = modelwire::Client::new(config)?;
/// # Ok::<(), modelwire::Error>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct BaseUrl {
    pub(crate) url: String,
    pub(crate) api_key: Option<ApiKeySource>,
    pub(crate) weight: u32,
    pub(crate) models: Vec<(String, String)>,
}

impl BaseUrl {
    /// A base URL as for [`Config::base_url`](crate::Config::base_url).
    pub fn new(url: impl Into<String>) -> BaseUrl {
        BaseUrl { url: url.into(), api_key: None, weight: 1, models: Vec::new() }
    }

    /// The API key of this service; the client's by default.
    pub fn api_key(mut self, api_key: impl Into<String>) -> BaseUrl {
        self.api_key = Some(ApiKeySource(api_key.into()));
        self
    }

    /// Its share of the calls if they are balanced, from 1 to
    /// [`WEIGHT_MAX`](crate::limits::WEIGHT_MAX); 1 by default.
    pub fn weight(mut self, weight: u32) -> BaseUrl {
        self.weight = weight;
        self
    }

    /// The name of a model at this service, if it differs from the name in requests.
    pub fn model(mut self, requested: impl Into<String>, here: impl Into<String>) -> BaseUrl {
        self.models.push((requested.into(), here.into()));
        self
    }

    /// Reads the value of the option `base_urls`.
    pub(crate) fn read_all(value: Value<'_>) -> Option<Result<Vec<BaseUrl>>> {
        if value.kind() != Kind::Array {
            return None;
        }
        Some(
            value.items().into_iter().enumerate().map(|(at, one)| BaseUrl::read(at, one)).collect(),
        )
    }

    fn read(at: usize, value: Value<'_>) -> Result<BaseUrl> {
        let refused = |what: &str| {
            let hint = "Write it as a string, or as {\"url\": ..., \"api_key\": ..., \"weight\": 1, \
                        \"models\": {\"requested\": \"here\"}}.";
            Error::config(format!("base_urls[{at}] {what}")).with_hint(hint)
        };
        if let Some(url) = value.as_str() {
            return Ok(BaseUrl::new(url));
        }
        if value.kind() != Kind::Object {
            return Err(refused("is neither a string nor an object"));
        }
        let mut read = BaseUrl::new("");
        for (name, value) in value.members() {
            let text = || {
                value.as_str().ok_or_else(|| refused(&format!("has a {name} that is no string")))
            };
            read = match &*name {
                "url" => BaseUrl { url: text()?.into_owned(), ..read },
                "api_key" if value.is_null() => read,
                "api_key" => read.api_key(text()?),
                "weight" => {
                    let weight = value.as_i64().and_then(|weight| u32::try_from(weight).ok());
                    read.weight(
                        weight.ok_or_else(|| refused("has a weight that is no whole number"))?,
                    )
                }
                "models" if value.kind() == Kind::Object => {
                    value.members().into_iter().try_fold(read, |read, (requested, here)| {
                        let here = here
                            .as_str()
                            .ok_or_else(|| refused("has a model name that is no string"))?;
                        Ok::<_, Error>(read.model(requested, here))
                    })?
                }
                "models" => return Err(refused("has models that are no object of strings")),
                other => {
                    let near = suggestion(other, MEMBERS.into_iter());
                    let near =
                        near.map_or(String::new(), |near| format!(": did you mean {near:?}?"));
                    return Err(refused(&format!("has an unknown member{near}")));
                }
            };
        }
        match read.url.is_empty() {
            true => Err(refused("has no url")),
            false => Ok(read),
        }
    }
}
