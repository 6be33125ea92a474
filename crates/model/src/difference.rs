//! Changes between two configurations of a version.
//!
//! Both are compared as JSON, field by field. Items of lists are matched by their identity
//! ([`identity`]), so that inserting or reordering one does not change the others. Secrets are
//! masked; two different ones are a change nevertheless.

use std::collections::{BTreeSet, HashMap, VecDeque};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::api::Configuration;
use crate::fault::pointer_token;
use crate::secret::Secret;
use crate::template::PathTemplate;

/// Maximum number of changes of a difference.
pub const CHANGES_MAX: usize = 10_000;
/// Maximum length of a value in a change, bytes of JSON.
pub const VALUE_BYTES_MAX: usize = 4_096;

/// The contents of a draft or of a revision.
#[derive(Debug, Clone, Copy)]
pub struct Contents<'c> {
    /// The configuration, with its secrets in clear.
    pub configuration: &'c Configuration,
    /// Digest of the document, if there is one.
    pub document: Option<&'c str>,
}

/// All changes between two contents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// The changes by group.
    pub changes: Vec<Change>,
    /// Whether changes of operations are missing, because there are more than [`CHANGES_MAX`].
    pub truncated: bool,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Change {
    /// The part of the configuration.
    pub group: Group,
    /// The operation that it concerns: method and path, or the name of a SOAP operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "GET /pets/{pet}"))]
    pub operation: Option<String>,
    /// JSON Pointer (RFC 6901) to the changed value in the newer configuration, or in the older one
    /// if the value is gone; `/document` for the document.
    #[cfg_attr(feature = "schema", schema(example = "/operations/3/scopes"))]
    pub pointer: String,
    /// The older value; absent if there was none. A secret is `***`. Of a value of more than 4 KiB
    /// only the beginning is returned, as a string that ends with `…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub before: Option<Value>,
    /// The newer value, in the same form; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub after: Option<Value>,
}

/// Parts of a configuration. Operations are last, because their changes may exceed the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ChangeGroup))]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Both upstreams, how a back end reads paths, and what is added to requests to a SOAP back
    /// end.
    Upstream,
    /// How callers authenticate and are identified to the upstream.
    Security,
    /// Limits of the version itself.
    Limits,
    /// Steps of requests, responses and refusals.
    Policies,
    /// Web pages of other origins that may call.
    Cors,
    /// The caches of the version and of its operations.
    Cache,
    /// The OpenAPI document.
    Document,
    /// The contract of a SOAP service and the part of it that is published.
    Contract,
    /// Everything else.
    Other,
    /// Operations and resources with their limits and scopes.
    Operations,
}

/// The groups of fields, by the beginning of their pointers.
const GROUPS: [(&str, Group); 25] = [
    ("/operations", Group::Operations),
    ("/soap/operations", Group::Operations),
    ("/soap/unknown", Group::Operations),
    ("/soap/rest/resources", Group::Operations),
    ("/upstream", Group::Upstream),
    ("/sandbox_upstream", Group::Upstream),
    ("/soap/rest/back_end", Group::Upstream),
    ("/encoded_slash", Group::Upstream),
    ("/semicolon", Group::Upstream),
    ("/paths", Group::Upstream),
    ("/method_override", Group::Upstream),
    ("/security", Group::Security),
    ("/key_header", Group::Security),
    ("/identity", Group::Security),
    ("/limits", Group::Limits),
    ("/body_bytes_max", Group::Limits),
    ("/policies/cors", Group::Cors),
    ("/policies/cache", Group::Cache),
    ("/policies", Group::Policies),
    ("/document", Group::Document),
    ("/soap/contract", Group::Contract),
    ("/soap/service", Group::Contract),
    ("/soap/port", Group::Contract),
    ("/soap/rest/shape", Group::Contract),
    ("/soap/rest/answers/any", Group::Contract),
];

/// Objects that are compared member by member even if one side does not have them.
const OPENED: [&str; 3] = ["/policies", "/soap", "/soap/rest"];

/// Compares two contents of the same version, or of two versions of an API.
#[must_use]
pub fn difference(before: &Contents<'_>, after: &Contents<'_>) -> Difference {
    let mut both = [before, after].map(|it| it.configuration.clone());
    let [secrets, new_secrets] = both.each_mut().map(take_secrets);
    let [old, new] = both.map(|it| serde_json::to_value(it).unwrap_or_default());
    let mut changes = Changes::default();
    changes.compare("", None, [Some(&old), Some(&new)]);
    for (field, secret) in secrets {
        let other = new_secrets.get(&field);
        if other.is_some_and(|other| *other != secret) {
            let mask = Value::from(Secret::MASK);
            changes.add(&field, None, [Some(&mask), Some(&mask)]);
        }
    }
    let documents = [before, after].map(|it| it.document.map(Value::from));
    changes.compare("/document", None, documents.each_ref().map(Option::as_ref));
    let Changes(mut changes) = changes;
    changes.sort_by_key(|change| change.group);
    let truncated = changes.len() > CHANGES_MAX;
    changes.truncate(CHANGES_MAX);
    Difference { changes, truncated }
}

/// Masks the secrets of a configuration and returns them by their fields.
fn take_secrets(configuration: &mut Configuration) -> HashMap<String, Secret> {
    let secrets = configuration.secrets_mut().into_iter().map(|held| {
        let mask = Secret(Secret::MASK.to_owned());
        (held.field, std::mem::replace(held.secret, mask))
    });
    secrets.collect()
}

/// The values of a field before and after; `None` if a side does not have it.
type Both<'v> = [Option<&'v Value>; 2];

/// The changes found so far. Their number is bounded by the size of both configurations.
#[derive(Default)]
struct Changes(Vec<Change>);

impl Changes {
    fn compare(&mut self, pointer: &str, operation: Option<&str>, both: Both<'_>) {
        if both[0] == both[1] {
            return;
        }
        let none = Map::new();
        if let [Some(before), Some(after)] = both.map(|it| members(it, pointer, &none)) {
            let names: BTreeSet<_> = before.keys().chain(after.keys()).collect();
            for name in names {
                let pointer = format!("{pointer}/{}", pointer_token(name));
                self.compare(&pointer, operation, [before.get(name), after.get(name)]);
            }
        } else if let (Some(identity), [Some(before), Some(after)]) =
            (identity(pointer), both.map(items))
        {
            self.compare_items(pointer, identity, operation, [before, after]);
        } else {
            self.add(pointer, operation, both);
        }
    }

    fn compare_items(
        &mut self,
        list: &str,
        identity: &[&str],
        operation: Option<&str>,
        [before, after]: [&[Value]; 2],
    ) {
        let mut places = HashMap::<_, VecDeque<_>>::new();
        for (place, item) in after.iter().enumerate() {
            places
                .entry(key(item, identity))
                .or_default()
                .push_back(place);
        }
        for (place, item) in before.iter().enumerate() {
            let counterparts = places.get_mut(&key(item, identity));
            let counterpart = counterparts.and_then(VecDeque::pop_front);
            let pointer = format!("{list}/{}", counterpart.unwrap_or(place));
            let counterpart = counterpart.map(|place| &after[place]);
            let name = operation_name(list, counterpart.unwrap_or(item));
            let both = [Some(item), counterpart];
            self.compare(&pointer, name.as_deref().or(operation), both);
        }
        let mut added: Vec<_> = places.into_values().flatten().collect();
        added.sort_unstable();
        for place in added {
            let name = operation_name(list, &after[place]);
            let name = name.as_deref().or(operation);
            self.compare(
                &format!("{list}/{place}"),
                name,
                [None, Some(&after[place])],
            );
        }
    }

    fn add(&mut self, pointer: &str, operation: Option<&str>, both: Both<'_>) {
        let is_cache = both.into_iter().flatten().all(has_only_a_cache);
        let [before, after] = both.map(|it| it.map(bounded));
        self.0.push(Change {
            group: match operation_policies(pointer) {
                Some("/cache") => Group::Cache,
                Some("") if is_cache => Group::Cache,
                _ => group(pointer),
            },
            operation: operation.map(str::to_owned),
            pointer: pointer.to_owned(),
            before,
            after,
        });
    }
}

/// Returns the members of an object to compare one by one; `None` for another value.
fn members<'v>(
    value: Option<&'v Value>,
    pointer: &str,
    none: &'v Map<String, Value>,
) -> Option<&'v Map<String, Value>> {
    match value {
        Some(value) => value.as_object(),
        None => OPENED.contains(&pointer).then_some(none),
    }
}

/// Returns the items of a list, which may be absent; `None` for another value.
fn items(value: Option<&Value>) -> Option<&[Value]> {
    match value {
        Some(value) => value.as_array().map(Vec::as_slice),
        None => Some(&[]),
    }
}

/// Returns the fields that identify an item of a list; `None` if the list is compared as a whole.
/// Items with the same values in them are matched in their order.
fn identity(list: &str) -> Option<&'static [&'static str]> {
    match list.rsplit('/').next()? {
        "operations" => Some(&["method", "path", "name"]),
        "resources" => Some(&["operation"]),
        "parameters" => Some(&["place", "name"]),
        "limits" => Some(&["metric", "per", "window", "if", "otherwise", "plans"]),
        _ => None,
    }
}

fn key(item: &Value, identity: &[&str]) -> String {
    let fields = identity.iter().map(|name| match (*name, item.get(*name)) {
        // Paths that differ only in the names of their parameters are the same operation.
        ("path", Some(Value::String(path))) => {
            let template = PathTemplate::parse(path).ok();
            template.map(|template| Value::from(template.shape()))
        }
        (_, value) => value.cloned(),
    });
    serde_json::to_string(&fields.collect::<Vec<_>>()).unwrap_or_default()
}

/// Returns the name of the operation that an item of this list describes.
fn operation_name(list: &str, item: &Value) -> Option<String> {
    let text = |name| Some(item.get(name)?.as_str()?.to_owned());
    match list {
        "/operations" => Some(format!("{} {}", text("method")?, text("path")?)),
        "/soap/operations" => text("name"),
        "/soap/rest/resources" => text("operation"),
        _ => None,
    }
}

fn group(pointer: &str) -> Group {
    let is_within = |field: &str| {
        let rest = pointer.strip_prefix(field);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let found = GROUPS.iter().find(|(field, _)| is_within(field));
    found.map_or(Group::Other, |(_, group)| *group)
}

/// Returns the rest of a pointer below an item of `/policies/operations`; `None` for other
/// pointers.
fn operation_policies(pointer: &str) -> Option<&str> {
    let item = pointer.strip_prefix("/policies/operations/")?;
    let (_, rest) = item.split_at(item.find('/').unwrap_or(item.len()));
    Some(match rest.strip_prefix("/cache") {
        Some(inside) if inside.is_empty() || inside.starts_with('/') => "/cache",
        _ => rest,
    })
}

/// Returns whether the policies of operations have a cache and no steps.
fn has_only_a_cache(policies: &Value) -> bool {
    let has = |name: &str| policies.get(name).is_some();
    has("cache") && !["request", "response", "error"].into_iter().any(has)
}

/// Returns a value as it appears in a change.
fn bounded(value: &Value) -> Value {
    let text = match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    if text.len() <= VALUE_BYTES_MAX {
        return value.clone();
    }
    let end = text.floor_char_boundary(VALUE_BYTES_MAX);
    Value::from(format!("{}…", &text[..end]))
}

#[cfg(test)]
mod tests;
