//! Conditions of limits: which calls a limit applies to, judged by the head of a request alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, Test>,
    /// Query parameters by name, decoded.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, Test>,
}

/// A test of a value: passed by those that are in a list, or by all others. In headers and the
/// query, an entry with a trailing `*` stands for everything that begins so, and a value that is
/// absent is in no list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = LimitTest))]
#[serde(untagged, deny_unknown_fields)]
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

    /// Sorts the list, each entry once.
    fn canonical(&self) -> Self {
        let mut values = self.values().to_vec();
        values.sort_unstable();
        values.dedup();
        match self {
            Self::In(_) => Self::In(values),
            Self::Not { .. } => Self::Not { not: values },
        }
    }
}

impl Condition {
    /// Returns the canonical form, which is part of a counter's identity: lists sorted and without
    /// repetition, names of header fields and addresses in lower case.
    #[must_use]
    pub fn canonical(&self) -> Self {
        let lower = |test: &Test| match test {
            Test::In(values) => Test::In(values.iter().map(|it| it.to_lowercase()).collect()),
            Test::Not { not } => Test::Not {
                not: not.iter().map(|it| it.to_lowercase()).collect(),
            },
        };
        let headers = self.headers.iter();
        let query = self.query.iter();
        Self {
            addresses: self.addresses.as_ref().map(|test| lower(test).canonical()),
            environment: self.environment.as_ref().map(Test::canonical),
            headers: headers
                .map(|(name, test)| (name.to_ascii_lowercase(), test.canonical()))
                .collect(),
            query: query
                .map(|(name, test)| (name.clone(), test.canonical()))
                .collect(),
        }
    }

    /// Returns the canonical form as text, for a counter's identity.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string(&self.canonical()).expect("texts and lists")
    }
}
