//! The secrets of a configuration, and the places that each is sent to.

use std::collections::BTreeSet;

use super::Configuration;
use crate::fault::Fault;
use crate::secret::Secret;
use crate::upstream::Upstream;

/// A secret of a configuration.
#[derive(Debug)]
pub struct HeldSecret<'c> {
    /// JSON Pointer from the configuration.
    pub field: String,
    /// Code of the fault if it would be sent to a place that it was not entered for.
    pub code_of_place: &'static str,
    /// The secret.
    pub secret: &'c mut Secret,
    /// Where it is sent: addresses, how their certificates are verified, and the header.
    pub places: BTreeSet<String>,
}

impl HeldSecret<'_> {
    /// Returns the fault if the secret stored `before` is kept without being sent again, but for
    /// other places: a secret belongs to the places that it was entered for. A removed place is
    /// forgotten, so removing one first and adding another later is a change, too.
    #[must_use]
    pub fn place_fault(&self, before: &HeldSecret<'_>) -> Option<Fault> {
        let new: Vec<_> = self.places.difference(&before.places).cloned().collect();
        if new.is_empty() {
            return None;
        }
        let known: Vec<_> = before.places.iter().cloned().collect();
        let known = match known[..] {
            [] => "no upstream".to_owned(),
            _ => known.join(" and "),
        };
        let detail = format!(
            "a secret is only sent to the address it was entered for: this one was entered for \
             {known}; enter it again to send it to {}",
            new.join(" and ")
        );
        Some(Fault::new(&self.field, self.code_of_place, detail))
    }
}

impl Configuration {
    /// Returns every secret with the places it is sent to.
    #[must_use]
    pub fn secrets_mut(&mut self) -> Vec<HeldSecret<'_>> {
        let both = [&self.upstream, &self.sandbox_upstream].into_iter();
        let both: BTreeSet<_> = both.flatten().flat_map(Upstream::places).collect();
        let mut secrets = Vec::new();
        let upstreams = [
            ("/upstream", &mut self.upstream),
            ("/sandbox_upstream", &mut self.sandbox_upstream),
        ];
        for (of, upstream) in upstreams {
            let Some(upstream) = upstream else { continue };
            let places: Vec<_> = upstream.places().collect();
            secrets.extend(upstream.credential.as_mut().map(|credential| {
                let header = credential.header().to_ascii_lowercase();
                let places = places
                    .into_iter()
                    .map(|place| format!("{place} in {header}"));
                let places = places.collect();
                let (field, secret) = credential.secret_mut();
                HeldSecret {
                    field: format!("{of}/credential{field}"),
                    code_of_place: "upstream.credential_address",
                    secret,
                    places,
                }
            }));
        }
        let rest = self.soap.as_mut().and_then(|soap| soap.rest.as_mut());
        if let Some(rest) = rest {
            let passwords = rest.back_end.passwords_mut();
            secrets.extend(passwords.map(|(field, secret)| HeldSecret {
                field: format!("/soap/rest/back_end{field}"),
                code_of_place: "soap.password_address",
                secret,
                places: both.clone(),
            }));
        }
        secrets
    }
}
