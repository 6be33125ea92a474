//! Bytes to a tree: encoding, JSON or YAML, and the bounds on both.
//!
//! JSON is RFC 8259, read by serde_json. YAML is 1.2, read by serde-saphyr under a strict budget:
//! aliases are supported, but their expansion is bounded, so a document of a few lines cannot
//! become gigabytes.

use std::error::Error;

use serde::Serialize;
use serde::de::DeserializeSeed;
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};

use crate::Limits;
use crate::model::fault::Fault;
use crate::tree::{Map, Node, Parameters, Reading};
use crate::value::{Members, MemoryLeft, Seed, Value};

/// Maximum number of aliases in a YAML document, and of anchors.
const ALIASES_MAX: usize = 1_000;
/// Maximum number of parser events that all aliases together may expand to.
const REPLAYED_MAX: usize = 20_000;
/// Maximum parser events and bytes that anchors may hold.
const ANCHORED_EVENTS_MAX: usize = 100_000;
const ANCHORED_BYTES_MAX: usize = 256 * 1024;

/// Stack of the thread that reads YAML; only touched pages cost memory.
const STACK_BYTES: usize = 1024 * 1024;
const STACK_BYTES_PER_LEVEL: usize = 64 * 1024;

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// RFC 8259.
    Json,
    /// YAML 1.2.
    Yaml,
}

impl Format {
    /// The media type of documents in this format (RFC 8259, section 11; RFC 9512).
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Yaml => "application/yaml",
        }
    }
}

/// A document as read.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) format: Format,
    pub(crate) root: Map,
    pub(crate) parameters: Parameters,
    /// Estimated memory of this value and of the whole document, in the unit of [`Value::memory`].
    pub(crate) memory: usize,
}

/// Reads the relevant parts of a document.
///
/// # Errors
/// Returns the fault at which reading stopped.
pub(crate) fn read(bytes: &[u8], limits: Limits) -> Result<Source, Fault> {
    if bytes.len() > limits.bytes_max {
        let detail = format!("a document has at most {} bytes", limits.bytes_max);
        return Err(Fault::new("", "openapi.too_large", detail));
    }
    let text = text(bytes)?;
    if text.trim_start().starts_with('<') {
        let detail = "this is XML; an OpenAPI document is JSON or YAML, and contracts of SOAP \
            services have a separate import";
        return Err(Fault::new("", "openapi.xml", detail));
    }
    let is_json = text.trim_start().starts_with('{');
    let (format, read) = if is_json {
        (Format::Json, read_json(text, limits))
    } else {
        (Format::Yaml, apart(limits, || read_yaml(text, limits)))
    };
    let (root, parameters, memory) = read?;
    match root {
        Node::Map(root) => Ok(Source {
            format,
            root,
            parameters,
            memory,
        }),
        _ => Err(Fault::new(
            "",
            "openapi.form",
            "the document must be an object: OpenAPI 3.0.x or 3.1.x with the fields openapi, info \
             and paths, or Swagger 2.0",
        )),
    }
}

/// Reads a whole document.
///
/// # Errors
/// Fails like [`read`]; for a document that [`read`] accepts, only with `openapi.budget` if it
/// takes more than `memory_max`.
pub(crate) fn whole(bytes: &[u8], limits: Limits) -> Result<Members, Fault> {
    let text = text(bytes)?;
    let syntax = |sentence: String| Fault::new("", "openapi.syntax", without_place(&sentence));
    let fault = |left: &MemoryLeft, error: &dyn Error| {
        if left.is_exceeded() {
            let detail = "the document has too many values to be read as a whole";
            return Fault::new("", "openapi.budget", detail);
        }
        syntax(error.to_string())
    };
    let root = if text.trim_start().starts_with('{') {
        let left = MemoryLeft::new(limits.memory_max);
        whole_json(text, &left).map_err(|error| fault(&left, &error))?
    } else {
        apart(limits, || {
            let left = MemoryLeft::new(limits.memory_max);
            whole_yaml(text, &left, limits).map_err(|error| fault(&left, &error))
        })?
    };
    match root {
        Value::Map(root) => Ok(root),
        _ => Err(syntax("a document must be an object".to_owned())),
    }
}

fn whole_json(text: &str, left: &MemoryLeft) -> Result<Value, serde_json::Error> {
    let mut from = serde_json::Deserializer::from_str(text);
    let root = Seed(left).deserialize(&mut from)?;
    from.end()?;
    Ok(root)
}

fn whole_yaml(text: &str, left: &MemoryLeft, limits: Limits) -> Result<Value, serde_saphyr::Error> {
    serde_saphyr::with_deserializer_from_str_with_options(text, yaml_options(limits), |from| {
        Seed(left).deserialize(from)
    })
}

fn text(bytes: &[u8]) -> Result<&str, Fault> {
    let wrong = |detail: &str| Fault::new("", "openapi.encoding", detail);
    let is_utf16 = matches!(
        bytes,
        [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [0, _, ..] | [_, 0, ..]
    );
    if is_utf16 {
        return Err(wrong("the document is UTF-16 or UTF-32; save it as UTF-8"));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let (line, column) = position(&bytes[..error.valid_up_to()]);
        wrong(&format!("line {line}, column {column}: not UTF-8"))
    })
}

/// Returns line and column after these bytes, both from 1.
fn position(before: &[u8]) -> (usize, usize) {
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let start = before.iter().rposition(|&byte| byte == b'\n');
    let column = before.len() - start.map_or(0, |at| at + 1) + 1;
    (line, column)
}

/// The root of a document, the facts about its parameters, and the estimated memory of both and of
/// the whole document.
type RootAndFacts = (Node, Parameters, usize);

fn read_json(text: &str, limits: Limits) -> Result<RootAndFacts, Fault> {
    let reading = Reading::new(limits.depth_max);
    let mut from = serde_json::Deserializer::from_str(text);
    let node = reading.root().deserialize(&mut from);
    node.and_then(|node| {
        from.end()
            .map(|()| (node, reading.parameters(), reading.memory()))
    })
    .map_err(|error| {
        let place = (error.line(), error.column());
        let sentence = without_place(&error.to_string());
        fault(&reading, "openapi.syntax", &sentence, Some(place))
    })
}

/// Reads YAML on a separate thread: a level of nesting takes tens of kilobytes of stack in
/// unoptimised builds, more than the caller's thread may have left.
fn apart<T: Send>(
    limits: Limits,
    read: impl FnOnce() -> Result<T, Fault> + Send,
) -> Result<T, Fault> {
    let stack = STACK_BYTES + limits.depth_max * STACK_BYTES_PER_LEVEL;
    let reader = std::thread::Builder::new().stack_size(stack);
    std::thread::scope(|scope| {
        let reader = reader.spawn_scoped(scope, read);
        let read = reader.ok().and_then(|reader| reader.join().ok());
        let detail = "there was not enough memory to read the document";
        read.unwrap_or_else(|| Err(Fault::new("", "openapi.budget", detail)))
    })
}

fn read_yaml(text: &str, limits: Limits) -> Result<RootAndFacts, Fault> {
    let reading = Reading::new(limits.depth_max);
    serde_saphyr::with_deserializer_from_str_with_options(text, yaml_options(limits), |from| {
        reading.root().deserialize(from)
    })
    .map(|node| (node, reading.parameters(), reading.memory()))
    .map_err(|error| {
        let place = error.location().and_then(|at| {
            let line = usize::try_from(at.line()).ok()?;
            Some((line, usize::try_from(at.column()).ok()?))
        });
        let (code, sentence) = yaml_cause(&error, limits);
        fault(&reading, code, &sentence, place)
    })
}

fn yaml_options(limits: Limits) -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: limits.depth_max,
            flow_nesting_limit: limits.depth_max,
            max_documents: 1,
            max_events: limits.bytes_max,
            max_nodes: limits.bytes_max,
            max_total_scalar_bytes: limits.bytes_max,
            max_aliases: ALIASES_MAX,
            max_anchors: ALIASES_MAX,
            max_merge_keys: ALIASES_MAX,
            max_recorded_anchor_events: ANCHORED_EVENTS_MAX,
            max_recorded_anchor_bytes: ANCHORED_BYTES_MAX,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: REPLAYED_MAX,
            max_replay_stack_depth: 16,
        },
        emit_comments: false,
        duplicate_keys: DuplicateKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        with_snippet: false,
    }
}

/// Returns the code and sentence for an error of the YAML reader.
fn yaml_cause(error: &serde_saphyr::Error, limits: Limits) -> (&'static str, String) {
    use serde_saphyr::Error;
    let too_deep = || {
        let sentence = format!("the document is nested deeper than {}", limits.depth_max);
        ("openapi.depth", sentence)
    };
    match error.without_snippet() {
        Error::AliasError { error, .. } => yaml_cause(error, limits),
        Error::Budget {
            breach: BudgetBreach::Depth { .. },
            ..
        } => too_deep(),
        Error::Budget {
            breach: BudgetBreach::Documents { .. },
            ..
        } => {
            let sentence = "the file holds more than one document";
            ("openapi.syntax", sentence.to_owned())
        }
        Error::Budget { .. }
        | Error::AliasReplayCounterOverflow { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => {
            let sentence = "the document's anchors and aliases expand to too much";
            ("openapi.budget", sentence.to_owned())
        }
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            let sentence = "an alias refers to what contains it";
            ("openapi.recursive", sentence.to_owned())
        }
        Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().unwrap_or("");
            let sentence = format!("the key {key:?} occurs twice in one object");
            ("openapi.duplicate_key", sentence)
        }
        error => {
            let sentence = error.to_string();
            // The scanner runs ahead of the budget and has no variant for its own limit.
            if sentence.contains("recursion limit exceeded") {
                return too_deep();
            }
            ("openapi.syntax", without_place(&sentence))
        }
    }
}

/// Returns a reader's sentence without the position that both readers repeat at its end.
fn without_place(sentence: &str) -> String {
    let line = sentence.lines().next().unwrap_or_default();
    line.split(" at line ")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Returns the fault that stopped reading: a bound of ours, or an error of the format's reader.
fn fault(
    reading: &Reading,
    code: &'static str,
    sentence: &str,
    place: Option<(usize, usize)>,
) -> Fault {
    let (code, sentence) = match reading.stopped() {
        Some(stop) => (stop.code, stop.detail),
        None => (code, sentence.to_owned()),
    };
    let detail = match place {
        Some((line, column)) if line > 0 => format!("line {line}, column {column}: {sentence}"),
        _ => sentence,
    };
    Fault::new("", code, detail)
}
