//! The limits of a configuration: where they are, and those with conditions on its credentials.

use super::Configuration;
use crate::fault::{Fault, pointer_token};
use crate::field::plain_name;
use crate::plan::{CREDENTIAL_FIELD, Condition, Limit, is_credential_header};

impl Configuration {
    /// Returns the lists of limits that are not empty, of the version, its operations and its
    /// upstreams, each with its JSON Pointer.
    pub fn limit_lists(&self) -> impl Iterator<Item = (String, &[Limit])> {
        let own = [("/limits".to_owned(), &*self.limits)].into_iter();
        let operations = self.operations.iter().enumerate();
        let operations =
            operations.map(|(index, it)| (format!("/operations/{index}/limits"), &*it.limits));
        let soap = self.soap.iter().flat_map(|it| it.operations.iter());
        let soap = soap.enumerate();
        let soap =
            soap.map(|(index, it)| (format!("/soap/operations/{index}/limits"), &*it.limits));
        let unknown = self.soap.iter();
        let unknown = unknown.map(|it| ("/soap/unknown/limits".to_owned(), &*it.unknown.limits));
        let upstreams = [
            ("/upstream", &self.upstream),
            ("/sandbox_upstream", &self.sandbox_upstream),
        ];
        let upstreams = upstreams.into_iter().filter_map(|(field, upstream)| {
            let upstream = upstream.as_ref()?;
            Some((format!("{field}/limits"), &*upstream.limits))
        });
        let all = own.chain(operations).chain(soap);
        let all = all.chain(unknown).chain(upstreams);
        all.filter(|(_, limits)| !limits.is_empty())
    }

    /// Returns the limits of the version, of its operations and of its upstreams.
    pub fn every_limit(&self) -> impl Iterator<Item = &Limit> {
        self.limit_lists().flat_map(|(_, limits)| limits)
    }

    /// Rejects conditions on the version's API key. Conditions on fields that carry credentials in
    /// every version are faults of their limits.
    pub(super) fn key_condition_faults(&self) -> Vec<Fault> {
        let Some(key) = self.security().api_key else {
            return Vec::new();
        };
        let header = plain_name(&key.header);
        let is_key = |name: &str| plain_name(name) == header && !is_credential_header(name);
        let fields = |condition: &Condition| {
            let headers = condition.headers.keys().filter(|name| is_key(name));
            let headers = headers.map(|name| format!("/if/headers/{}", pointer_token(name)));
            let query = condition.query.keys();
            let query = query.filter(|name| key.query.as_ref() == Some(name));
            let query = query.map(|name| format!("/if/query/{}", pointer_token(name)));
            headers.chain(query).collect::<Vec<_>>()
        };
        let mut faults = Vec::new();
        for (list, limits) in self.limit_lists() {
            let fields = limits.iter().enumerate().flat_map(|(index, limit)| {
                let fields = limit.condition.as_ref().map(fields).unwrap_or_default();
                fields.into_iter().map(move |field| (index, field))
            });
            faults.extend(fields.map(|(index, field)| {
                Fault::new(
                    format!("{list}/{index}{field}"),
                    "limit.if",
                    CREDENTIAL_FIELD,
                )
            }));
        }
        faults
    }
}

#[cfg(test)]
mod tests;
