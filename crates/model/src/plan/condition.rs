//! Conditions of limits: which calls a limit applies to, judged by the head of a request alone.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de};

use super::network::Network;

/// Maximum number of entries of a list of addresses.
pub const ADDRESSES_MAX: usize = 1_000;
/// Maximum number of entries of any other list.
pub const ENTRIES_MAX: usize = 100;
/// Maximum length of an entry, bytes.
pub const ENTRY_BYTES_MAX: usize = 200;
/// Maximum number of header fields, and of query parameters, of one condition.
pub const NAMES_MAX: usize = 16;

/// The calls that a limit applies to: those that pass every test.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = LimitCondition))]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The caller's address: addresses and networks such as `10.0.0.0/8`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addresses: Option<Test>,
    /// The credential's environment: `production` or `sandbox`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Test>,
    /// Header fields by name. Fields that carry credentials cannot be tested.
    #[serde(
        default,
        deserialize_with = "each_once",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub headers: BTreeMap<String, Test>,
    /// Query parameters by name, decoded.
    #[serde(
        default,
        deserialize_with = "each_once",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub query: BTreeMap<String, Test>,
}

/// A test of a value: passed by those that are in a list, or by all others. In headers and the
/// query, an entry with a trailing `*` matches everything that begins so, and a value that is
/// absent is in no list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = LimitTest))]
#[serde(untagged)]
pub enum Test {
    /// Passed by what is in the list.
    In(Vec<String>),
    /// Passed by what is not in the list.
    Not {
        /// The list.
        not: Vec<String>,
    },
}

impl Test {
    /// Returns the list.
    #[must_use]
    pub fn values(&self) -> &[String] {
        match self {
            Self::In(values) | Self::Not { not: values } => values,
        }
    }

    /// Returns whether the test is passed by what is not in the list.
    #[must_use]
    pub const fn is_negated(&self) -> bool {
        matches!(self, Self::Not { .. })
    }

    /// Sorts the list, each entry once, in the form that `form` returns.
    fn canonical(&self, form: impl FnMut(&String) -> String) -> Self {
        let mut values: Vec<_> = self.values().iter().map(form).collect();
        values.sort_unstable();
        values.dedup();
        match self {
            Self::In(_) => Self::In(values),
            Self::Not { .. } => Self::Not { not: values },
        }
    }
}

/// Deserializes tests by name. Of two with the same name one would be lost, so that is an error.
fn each_once<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Test>, D::Error> {
    from.deserialize_map(Named)
}

struct Named;

impl<'de> de::Visitor<'de> for Named {
    type Value = BTreeMap<String, Test>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut tests = BTreeMap::new();
        while let Some((name, test)) = members.next_entry::<String, Test>()? {
            if tests.contains_key(&name) {
                return Err(de::Error::custom(format!("duplicate field `{name}`")));
            }
            tests.insert(name, test);
        }
        Ok(tests)
    }
}

impl<'de> Deserialize<'de> for Test {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Lists)
    }
}

struct Lists;

impl<'de> de::Visitor<'de> for Lists {
    type Value = Test;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of strings or {\"not\": a list of strings}")
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, list: A) -> Result<Test, A::Error> {
        let list = de::value::SeqAccessDeserializer::new(list);
        Vec::deserialize(list).map(Test::In)
    }

    fn visit_map<A: de::MapAccess<'de>>(self, members: A) -> Result<Test, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Not {
            not: Vec<String>,
        }
        let members = de::value::MapAccessDeserializer::new(members);
        Not::deserialize(members).map(|Not { not }| Test::Not { not })
    }
}

impl Condition {
    /// Returns the canonical form, which is part of a counter's identity: lists sorted and without
    /// repetition, names of header fields in lower case, addresses as [`std::net::IpAddr`] displays
    /// them, with a prefix only if they are networks.
    #[must_use]
    pub fn canonical(&self) -> Self {
        let network =
            |text: &String| Network::parse(text).map_or_else(|| text.clone(), |it| it.to_string());
        let headers = self.headers.iter();
        let query = self.query.iter();
        Self {
            addresses: self.addresses.as_ref().map(|it| it.canonical(network)),
            environment: self
                .environment
                .as_ref()
                .map(|it| it.canonical(String::clone)),
            headers: headers
                .map(|(name, it)| (name.to_ascii_lowercase(), it.canonical(String::clone)))
                .collect(),
            query: query
                .map(|(name, it)| (name.clone(), it.canonical(String::clone)))
                .collect(),
        }
    }

    /// Returns the canonical form as text, for a counter's identity.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string(&self.canonical()).expect("texts and lists")
    }
}

#[cfg(test)]
mod tests;
