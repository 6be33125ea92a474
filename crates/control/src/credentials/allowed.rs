//! Validation of the addresses and origins that may use a credential.

use tollgate_fetch::Networks;
use tollgate_model::credential::Allowed;
use tollgate_model::fault::Fault;
use tollgate_model::origin;

/// Maximum number of addresses, and of origins, per credential.
const ENTRIES_MAX: usize = 20;

/// Returns all faults.
pub(crate) fn faults(allowed: &Allowed) -> Vec<Fault> {
    let Allowed { addresses, origins } = allowed;
    let mut faults = Vec::new();
    for (field, entries) in [("addresses", addresses), ("origins", origins)] {
        if entries.len() > ENTRIES_MAX {
            let detail = format!("at most {ENTRIES_MAX} {field}");
            let field = format!("/allowed/{field}");
            faults.push(Fault::new(field, "credential.allowed", detail));
        }
    }
    for (index, address) in addresses.iter().enumerate().take(ENTRIES_MAX) {
        if !is_network(address) {
            let detail = "an address is such as 192.0.2.7 or 2001:db8::7, or a network such as \
                192.0.2.0/24";
            let field = format!("/allowed/addresses/{index}");
            faults.push(Fault::new(field, "credential.address", detail));
        }
    }
    for (index, origin) in origins.iter().enumerate().take(ENTRIES_MAX) {
        if let Some(detail) = origin::form_fault(origin) {
            let field = format!("/allowed/origins/{index}");
            faults.push(Fault::new(field, "credential.origin", detail));
        }
    }
    faults
}

/// Returns whether this is one address or network. `Networks` would accept several, and spaces.
fn is_network(text: &str) -> bool {
    let is_one = !text.is_empty() && !text.contains(|it: char| it == ',' || it.is_whitespace());
    is_one && text.parse::<Networks>().is_ok()
}

#[cfg(test)]
mod tests;
