//! The examples of responses in a document (OpenAPI 3.1, Response, Media Type and Example Objects).

use std::collections::{HashMap, HashSet};

use crate::Limits;
use crate::item;
use crate::lookup::Lookup;
use crate::model::api::Method;
use crate::model::fault::Fault;
use crate::model::template::{DocumentPath, PathTemplate};
use crate::rest;
use crate::source;
use crate::swagger;
use crate::value::{Members, Value};

/// Maximum length of a chain of references.
const REFERENCES_MAX: usize = 20;
/// Estimated bytes of a [`Place`] with its key, without the shape of the path.
const PLACE_BYTES: usize = 128;
/// Maximum bytes of a media type.
const MEDIA_TYPE_BYTES_MAX: usize = 128;

/// The responses that a document describes.
#[derive(Debug, Default)]
pub struct Examples {
    root: Members,
    /// The operations, by the shape of their path.
    places: HashMap<(String, Method), Place>,
}

/// Where an operation is described.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The index of its path item.
    path: usize,
    /// The index among the path item and those that it refers to.
    nearest: usize,
    /// The index of its member there.
    member: usize,
}

/// An example of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Its media type; empty without a body.
    pub media_type: String,
    /// Its body.
    pub body: String,
}

/// Reads the responses of a document.
///
/// # Errors
/// Those of [`read`](crate::read) for unreadable documents; `openapi.budget` if it takes more than
/// `memory_max`.
pub fn examples(bytes: &[u8], limits: Limits) -> Result<Examples, Fault> {
    let root = source::whole(bytes, limits)?;
    let root = match swagger::is_swagger(&root) {
        true => swagger::converted(root)?,
        false => root,
    };
    let lookup = Lookup::default();
    let mut places = HashMap::new();
    let mut read_literally = Vec::new();
    for (path, (written, item)) in items(&root).enumerate() {
        let chain = chain(&lookup, &root, item);
        let extension = chain.iter().find_map(|item| item.value(rest::EXTENSION));
        let marked = rest::marked(written, extension.and_then(Value::as_text));
        let Some(read) = marked.or_else(|| DocumentPath::read(written).ok()) else {
            continue;
        };
        let literal = read
            .reading
            .and_then(|_| DocumentPath::read_literally(written).ok());
        let keys = chain.iter().flat_map(|item| &item.0).map(|(key, _)| key);
        let own: HashSet<_> = keys.filter_map(|key| item::method(key)).collect();
        let fields = chain.iter().enumerate().flat_map(|(nearest, item)| {
            let members = item.0.iter().enumerate();
            members.map(move |(member, (key, _))| (nearest, member, key))
        });
        for (nearest, member, key) in fields {
            let place = Place {
                path,
                nearest,
                member,
            };
            for method in item::methods(key, |method| own.contains(&method)) {
                places
                    .entry((read.template.shape(), method))
                    .or_insert(place);
                read_literally.extend(literal.iter().map(|it| ((it.shape(), method), place)));
            }
        }
    }
    // Operations of versions from before rests have the paths as they were read then.
    for (key, place) in read_literally {
        places.entry(key).or_insert(place);
    }
    drop(lookup);
    Ok(Examples { root, places })
}

/// Returns the path items and their paths.
fn items(root: &Members) -> impl Iterator<Item = (&String, &Members)> {
    let paths = root.value("paths").and_then(Value::as_map);
    let paths = paths.into_iter().flat_map(|paths| &paths.0);
    paths.filter_map(|(path, item)| Some((path, item.as_map()?)))
}

impl Examples {
    /// Returns the estimated bytes of memory.
    #[must_use]
    pub fn memory(&self) -> usize {
        let places = self.places.keys();
        let places = places.map(|(shape, _)| shape.len() + PLACE_BYTES);
        self.root.memory() + places.sum::<usize>()
    }

    /// Returns an example of an operation's response with a status, by its name or the first: of
    /// JSON, or else of another media type. A response that is described without content has an
    /// empty one.
    #[must_use]
    pub fn find(
        &self,
        method: Method,
        path: &PathTemplate,
        status: u16,
        name: Option<&str>,
    ) -> Option<Example> {
        let place = self.places.get(&(path.shape(), method))?;
        let (_, item) = items(&self.root).nth(place.path)?;
        let item = *chain(&Lookup::default(), &self.root, item).get(place.nearest)?;
        let (_, operation) = item.0.get(place.member)?;
        let responses = operation.as_map()?.value("responses")?.as_map()?;
        let keys = [
            status.to_string(),
            format!("{}XX", status / 100),
            format!("{}xx", status / 100),
            "default".to_owned(),
        ];
        let response = keys.iter().find_map(|key| responses.value(key))?;
        let response = self.resolved(response)?;
        let content = response.value("content").and_then(Value::as_map);
        let Some(content) = content.filter(|content| !content.0.is_empty()) else {
            let empty = Example {
                media_type: String::new(),
                body: String::new(),
            };
            return name.is_none().then_some(empty);
        };
        let (json, other): (Vec<_>, Vec<_>) = content
            .0
            .iter()
            .partition(|(media_type, _)| is_json(media_type));
        let mut content = json.into_iter().chain(other);
        content.find_map(|(media_type, content)| {
            let value = self.value(content.as_map()?, name)?;
            written(media_type, value)
        })
    }

    /// Returns the value of an example: of the media type, or else of its schema.
    fn value<'d>(&'d self, content: &'d Members, name: Option<&str>) -> Option<&'d Value> {
        let named = content.value("examples").and_then(Value::as_map);
        let mut named = named.into_iter().flat_map(|named| &named.0);
        let found = match name {
            Some(name) => named.find(|it| it.0 == name),
            None => named.next(),
        };
        let of_named = found.and_then(|(_, it)| self.resolved(it)?.value("value"));
        if name.is_some() || of_named.is_some() {
            return of_named;
        }
        let own = content.value("example");
        own.or_else(|| {
            let schema = self.resolved(content.value("schema")?)?;
            let first = match schema.value("examples") {
                Some(Value::List(list)) => list.first(),
                _ => None,
            };
            schema.value("example").or(first)
        })
    }

    /// Returns an object, or the one that it refers to.
    fn resolved<'d>(&'d self, value: &'d Value) -> Option<&'d Members> {
        let last = chain(&Lookup::default(), &self.root, value.as_map()?).pop()?;
        last.value("$ref").is_none().then_some(last)
    }
}

/// Returns an object and those that it refers to, nearest first.
fn chain<'d>(lookup: &Lookup<'d>, root: &'d Members, first: &'d Members) -> Vec<&'d Members> {
    lookup.chain(root, first, REFERENCES_MAX)
}

fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    matches!(&*essence, "application/json" | "*/*" | "application/*") || essence.ends_with("+json")
}

/// Returns an example as a body; `None` if a value that is no text has no form in the media type.
fn written(media_type: &str, value: &Value) -> Option<Example> {
    let is_plain = media_type.bytes().all(|byte| (b' '..0x7f).contains(&byte));
    if !is_plain || media_type.len() > MEDIA_TYPE_BYTES_MAX {
        return None;
    }
    let body = match is_json(media_type) {
        true => serde_json::to_string(value).ok()?,
        false => value.as_text()?.to_owned(),
    };
    let media_type = match media_type.contains('*') {
        true if is_json(media_type) => "application/json",
        true => "text/plain; charset=utf-8",
        false => media_type,
    };
    Some(Example {
        media_type: media_type.to_owned(),
        body,
    })
}

#[cfg(test)]
mod tests;
