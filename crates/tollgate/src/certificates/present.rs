//! Selects the pair for a client: by the server name that it requests, then by the signature
//! schemes that it supports.

use std::collections::HashMap;
use std::sync::Arc;

use rustls::{SignatureAlgorithm, SignatureScheme};

use super::folder::Pair;

/// The pairs in use.
#[derive(Debug)]
pub(super) struct Present {
    pub(super) pairs: Vec<Arc<Pair>>,
    /// The pairs for a name, in lower case; for wildcards, for `*.` and the rest.
    by_name: HashMap<String, Choice>,
    /// The pairs for clients that request no name or an unknown one.
    default: Choice,
}

/// The pairs for a name, one for each type of key, in order of preference.
#[derive(Debug)]
struct Choice(Vec<Arc<Pair>>);

impl Present {
    /// Returns `None` if there is no pair. Of two pairs for one name with keys of one type, the one
    /// that expires later is used.
    pub(super) fn new(pairs: Vec<Arc<Pair>>) -> Option<Self> {
        let default = pairs.iter().find(|pair| pair.name == "default");
        // Clients that connect to an address request no name.
        let by_address = || pairs.iter().find(|pair| !pair.addresses.is_empty());
        let first = default.or_else(by_address).or_else(|| pairs.first())?;
        let mut default = Choice(vec![Arc::clone(first)]);
        let has_names = !first.dns_names.is_empty() || !first.addresses.is_empty();
        for pair in pairs
            .iter()
            .filter(|pair| has_names && pair.is_for_all_of(first))
        {
            if pair.algorithm() != first.algorithm() {
                default.add(None, pair);
            }
        }
        let mut by_name: HashMap<String, Choice> = HashMap::new();
        for pair in &pairs {
            for name in &pair.dns_names {
                let choice = by_name.entry(name.clone()).or_insert(Choice(Vec::new()));
                choice.add(Some(name), pair);
            }
        }
        Some(Self {
            by_name,
            default,
            pairs,
        })
    }

    /// Returns the pair for a name with a key that supports one of these schemes; otherwise one
    /// that does not, with which the handshake fails.
    pub(super) fn find(&self, name: Option<&str>, schemes: &[SignatureScheme]) -> &Pair {
        let name = name.map(str::to_ascii_lowercase);
        let exact = name.as_ref().and_then(|name| self.by_name.get(name));
        let wildcard = name.as_ref().and_then(|name| {
            let (_, rest) = name.split_once('.')?;
            self.by_name.get(&format!("*.{rest}"))
        });
        let fitting = [exact, wildcard].into_iter().flatten();
        let fitting = fitting.filter_map(|choice| choice.fitting(schemes)).next();
        fitting.unwrap_or_else(|| {
            let choice = exact.or(wildcard).unwrap_or(&self.default);
            choice.fitting(schemes).unwrap_or_else(|| choice.last())
        })
    }
}

impl Choice {
    /// Adds a pair for a name, unless one of its type expires later.
    fn add(&mut self, name: Option<&str>, pair: &Arc<Pair>) {
        let same = |it: &&mut Arc<Pair>| it.algorithm() == pair.algorithm();
        let Some(other) = self.0.iter_mut().find(same) else {
            self.0.push(Arc::clone(pair));
            self.0.sort_by_key(|it| preference(it.algorithm()));
            return;
        };
        let is_later = pair.ends_us > other.ends_us;
        if let Some(name) = name {
            let (shown, hidden) = if is_later {
                (pair, &*other)
            } else {
                (&*other, pair)
            };
            log_duplicate(name, shown, hidden);
        }
        if is_later {
            *other = Arc::clone(pair);
        }
    }

    fn fitting(&self, schemes: &[SignatureScheme]) -> Option<&Pair> {
        let fits = |pair: &&Arc<Pair>| pair.key.key.choose_scheme(schemes).is_some();
        self.0.iter().find(fits).map(AsRef::as_ref)
    }

    /// Returns the pair that most clients support.
    fn last(&self) -> &Pair {
        self.0.last().expect("a choice has a pair")
    }
}

/// ECDSA is the cheapest for a server, and few clients support Ed25519.
fn preference(algorithm: SignatureAlgorithm) -> u8 {
    match algorithm {
        SignatureAlgorithm::ECDSA => 0,
        SignatureAlgorithm::ED25519 => 1,
        _ => 2,
    }
}

fn log_duplicate(name: &str, shown: &Pair, other: &Pair) {
    tracing::warn!(
        "certificates: {} and {} are both for {name}, with keys of the same type: using {}, which \
         expires later",
        shown.name,
        other.name,
        shown.name
    );
}
