//! The faults of a limit's condition, and of `otherwise`.

use std::collections::{BTreeMap, HashSet};

use crate::credential::Environment;
use crate::fault::{Fault, pointer_token};
use crate::field::{is_token, plain_name};
use crate::plan::condition::{ADDRESSES_MAX, ENTRIES_MAX, ENTRY_BYTES_MAX, NAMES_MAX};
use crate::plan::network::Network;
use crate::plan::{Condition, Limit, Owner, Test};
use crate::security::KEY_HEADER;

const CODE: &str = "limit.if";
const HEADER_FORM: &str = "a header name has 1 to 64 letters, digits or \"-\", \"_\" and the like";
const ADDRESS_FORM: &str = "an address is such as 192.0.2.7 or 2001:db8::7, or a network such as \
    192.0.2.0/24, without bits beyond its prefix";

/// The detail of the fault of a test of a credential.
pub(crate) const CREDENTIAL_FIELD: &str = "this carries a credential, which no condition can test";

/// Returns whether this header carries a credential in every version, or by default.
#[must_use]
pub fn is_credential_header(name: &str) -> bool {
    const NAMES: [&str; 5] = [
        "authorization",
        "cookie",
        "proxy-authorization",
        "x-tollgate-try-it",
        KEY_HEADER,
    ];
    NAMES.contains(&&*plain_name(name))
}

/// Returns the faults of `if` and `otherwise`; fields are JSON Pointers from the limit.
/// `has_conditions` is whether a limit of the same list has an `if`.
pub(super) fn faults(limit: &Limit, owner: Owner, has_conditions: bool) -> Vec<Fault> {
    let mut faults = Vec::new();
    match &limit.condition {
        Some(_) if owner == Owner::Upstream => {
            let detail = "an upstream's limit applies to all its calls";
            faults.push(Fault::new("/if", CODE, detail));
        }
        Some(condition) => {
            let own = of_condition(condition).into_iter();
            faults.extend(own.map(|fault| fault.under("/if")));
        }
        None => {}
    }
    let detail = match (limit.otherwise, &limit.condition) {
        (false, _) => return faults,
        (true, _) if owner == Owner::Upstream => "an upstream's limit applies to all its calls",
        (true, Some(_)) => "a limit has either \"if\" or \"otherwise\"",
        (true, None) if has_conditions => return faults,
        (true, None) => "no limit of this list has an \"if\"",
    };
    faults.push(Fault::new("/otherwise", CODE, detail));
    faults
}

fn of_condition(condition: &Condition) -> Vec<Fault> {
    let mut faults = Vec::new();
    if *condition == Condition::default() {
        let detail = "a condition needs a test of addresses, environment, headers or query";
        faults.push(Fault::new("", CODE, detail));
    }
    if let Some(test) = &condition.addresses {
        let is_network = |text: &str| Network::parse(text).is_some();
        let fault = |text: &str| (!is_network(text)).then_some(ADDRESS_FORM);
        add_list_faults(&mut faults, "/addresses", test, ADDRESSES_MAX, fault);
    }
    if let Some(test) = &condition.environment {
        let words = [Environment::Production, Environment::Sandbox].map(Environment::word);
        let detail = "an environment is \"production\" or \"sandbox\"";
        let fault = |text: &str| (!words.contains(&text)).then_some(detail);
        add_list_faults(&mut faults, "/environment", test, ENTRIES_MAX, fault);
    }
    let mut seen = HashSet::new();
    add_map_faults(&mut faults, "/headers", &condition.headers, |name| {
        if is_credential_header(name) {
            Some(CREDENTIAL_FIELD)
        } else if !is_token(name) {
            Some(HEADER_FORM)
        } else {
            let is_new = seen.insert(name.to_ascii_lowercase());
            (!is_new).then_some("it is listed twice: the case of a header name has no meaning")
        }
    });
    add_map_faults(&mut faults, "/query", &condition.query, |name| {
        let is_name = (1..=64).contains(&name.len());
        (!is_name).then_some("a name of a parameter has 1 to 64 bytes")
    });
    faults
}

/// Adds the faults of tests by name.
fn add_map_faults(
    faults: &mut Vec<Fault>,
    field: &str,
    tests: &BTreeMap<String, Test>,
    mut name_fault: impl FnMut(&str) -> Option<&'static str>,
) {
    if tests.len() > NAMES_MAX {
        let detail = format!("at most {NAMES_MAX} names");
        faults.push(Fault::new(field, CODE, detail));
        return;
    }
    for (name, test) in tests {
        let field = format!("{field}/{}", pointer_token(name));
        let detail = name_fault(name);
        faults.extend(detail.map(|detail| Fault::new(&field, CODE, detail)));
        add_list_faults(faults, &field, test, ENTRIES_MAX, |_| None);
    }
}

/// Adds the faults of a test's list, which has 1 to `entries_max` entries.
fn add_list_faults(
    faults: &mut Vec<Fault>,
    field: &str,
    test: &Test,
    entries_max: usize,
    entry_fault: impl Fn(&str) -> Option<&'static str>,
) {
    let not = if test.is_negated() { "/not" } else { "" };
    let field = format!("{field}{not}");
    if !(1..=entries_max).contains(&test.values().len()) {
        let detail = format!("a list has 1 to {entries_max} entries");
        faults.push(Fault::new(field, CODE, detail));
        return;
    }
    for (index, entry) in test.values().iter().enumerate() {
        let detail = match entry.len() {
            0..=ENTRY_BYTES_MAX => entry_fault(entry).map(str::to_owned),
            _ => Some(format!("an entry has at most {ENTRY_BYTES_MAX} bytes")),
        };
        let field = format!("{field}/{index}");
        faults.extend(detail.map(|detail| Fault::new(field, CODE, detail)));
    }
}

#[cfg(test)]
mod tests;
