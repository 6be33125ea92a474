//! Conditions of limits, prepared for calls: judged by a request's head, the caller's address and
//! the credential's environment, without allocating unless a query is encoded.

use std::borrow::Cow;
use std::net::IpAddr;

use tollgate_http1::view::Request;
use tollgate_model::credential::Environment;
use tollgate_model::path;
use tollgate_model::plan::{Condition, Network, Test, is_credential_header};

/// What conditions are judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) head: Request<'a>,
    /// The caller's address.
    pub(crate) address: IpAddr,
    pub(crate) environment: Environment,
    /// The field that carries API keys, in lower case; it counts as absent.
    pub(crate) key_header: Option<&'a [u8]>,
    /// The parameter that may carry them; it counts as absent.
    pub(crate) key_query: Option<&'a [u8]>,
}

/// A condition that is ready to be judged.
#[derive(Debug)]
pub(crate) struct Compiled {
    addresses: Option<Tested<Ranges>>,
    passes_production: bool,
    passes_sandbox: bool,
    headers: Box<[Named]>,
    query: Box<[Named]>,
}

/// A list, and whether it is passed by what is not in it.
#[derive(Debug)]
struct Tested<L> {
    list: L,
    is_negated: bool,
}

/// A test of the values with a name; names of header fields are in lower case.
#[derive(Debug)]
struct Named {
    name: Box<[u8]>,
    /// Whether it carries a credential in every version, which validation rejects: it then counts
    /// as absent.
    is_credential: bool,
    test: Tested<Values>,
}

/// Whole values, sorted, and beginnings of values.
#[derive(Debug)]
struct Values {
    whole: Box<[Box<[u8]>]>,
    prefixes: Box<[Box<[u8]>]>,
}

/// The first and the last address of networks, sorted and disjoint. IPv4-mapped addresses are IPv4,
/// and no IPv6 network contains them unless all its addresses are mapped.
#[derive(Debug)]
struct Ranges(Box<[(IpAddr, IpAddr)]>);

impl Compiled {
    /// Prepares a condition. `None` if an address is not one, which validation rejects.
    pub(crate) fn new(condition: &Condition) -> Option<Self> {
        let addresses = match &condition.addresses {
            Some(test) => Some(Tested {
                list: Ranges::new(test.values())?,
                is_negated: test.is_negated(),
            }),
            None => None,
        };
        let passes = |environment: Environment| {
            condition.environment.as_ref().is_none_or(|test| {
                let mut words = test.values().iter();
                words.any(|word| word == environment.word()) != test.is_negated()
            })
        };
        let (headers, query) = (condition.headers.iter(), condition.query.iter());
        Some(Self {
            addresses,
            passes_production: passes(Environment::Production),
            passes_sandbox: passes(Environment::Sandbox),
            headers: headers
                .map(|(name, test)| Named::header(name, test))
                .collect(),
            query: query
                .map(|(name, test)| Named::parameter(name, test))
                .collect(),
        })
    }

    /// Returns whether a call passes every test.
    pub(crate) fn matches(&self, facts: Facts<'_>) -> bool {
        let passes_environment = match facts.environment {
            Environment::Production => self.passes_production,
            Environment::Sandbox => self.passes_sandbox,
        };
        passes_environment
            && self.matches_address(facts.address)
            && self.headers.iter().all(|it| it.passes_header(facts))
            && self.query.iter().all(|it| it.passes_query(facts))
    }

    fn matches_address(&self, address: IpAddr) -> bool {
        let test = self.addresses.as_ref();
        test.is_none_or(|test| test.list.contain(address) != test.is_negated)
    }
}

impl Named {
    fn header(name: &str, test: &Test) -> Self {
        Self {
            name: name.to_ascii_lowercase().into_bytes().into(),
            is_credential: is_credential_header(name),
            test: Tested::new(test),
        }
    }

    fn parameter(name: &str, test: &Test) -> Self {
        Self {
            name: name.as_bytes().into(),
            is_credential: false,
            test: Tested::new(test),
        }
    }

    fn passes_header(&self, facts: Facts<'_>) -> bool {
        let is_credential = self.is_credential || facts.key_header == Some(&*self.name);
        let has_value = !is_credential && {
            let mut values = facts.head.lines().named(&self.name);
            values.any(|value| self.test.list.contain(value))
        };
        has_value != self.test.is_negated
    }

    fn passes_query(&self, facts: Facts<'_>) -> bool {
        let target = facts.head.target();
        let has_value = facts.key_query != Some(&*self.name)
            && memchr::memchr(b'?', target).is_some_and(|question| {
                let mut pairs = target[question + 1..].split(|&byte| byte == b'&');
                pairs.any(|pair| self.contains_pair(pair))
            });
        has_value != self.test.is_negated
    }

    /// Returns whether a parameter has this name and a value in the list.
    fn contains_pair(&self, pair: &[u8]) -> bool {
        let middle = memchr::memchr(b'=', pair).unwrap_or(pair.len());
        let (name, value) = (&pair[..middle], pair.get(middle + 1..).unwrap_or_default());
        *decoded(name) == *self.name && self.test.list.contain(&decoded(value))
    }
}

/// Decodes a name or value of a query as forms encode them; a `%` without two hex digits is kept.
fn decoded(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(b'%', b'+', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut text = text.to_owned();
    for byte in text.iter_mut().filter(|byte| **byte == b'+') {
        *byte = b' ';
    }
    Cow::Owned(path::decoded(&text).into_owned())
}

impl Tested<Values> {
    fn new(test: &Test) -> Self {
        Self {
            list: Values::new(test.values()),
            is_negated: test.is_negated(),
        }
    }
}

impl Values {
    fn new(entries: &[String]) -> Self {
        let whole = entries.iter().filter(|it| !it.ends_with('*'));
        let mut whole: Vec<_> = whole.map(|it| it.as_bytes().into()).collect();
        whole.sort_unstable();
        let prefixes = entries.iter().filter_map(|it| it.strip_suffix('*'));
        Self {
            whole: whole.into(),
            prefixes: prefixes.map(|it| it.as_bytes().into()).collect(),
        }
    }

    fn contain(&self, value: &[u8]) -> bool {
        let mut prefixes = self.prefixes.iter();
        self.whole.binary_search_by(|it| (**it).cmp(value)).is_ok()
            || prefixes.any(|prefix| value.starts_with(prefix))
    }
}

impl Ranges {
    fn new(networks: &[String]) -> Option<Self> {
        let networks = networks.iter().map(|network| Network::parse(network));
        let ranges = networks.map(|network| network.map(Network::range));
        let mut ranges: Vec<_> = ranges.collect::<Option<_>>()?;
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let overlaps = next.0 <= last.1;
            if overlaps {
                last.1 = last.1.max(next.1);
            }
            overlaps
        });
        Some(Self(ranges.into()))
    }

    fn contain(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let after = self.0.partition_point(|&(first, _)| first <= address);
        let range = after.checked_sub(1).map(|at| self.0[at]);
        range.is_some_and(|(_, last)| address <= last)
    }
}

#[cfg(test)]
mod tests;
