//! `$ref` of path items and security schemes within one document (OpenAPI 3.1, Reference Object;
//! RFC 6901 in a URI fragment, section 6). Other documents are never opened.

use std::collections::HashSet;

use crate::model::fault::Fault;
use crate::tree::{Map, Node};

/// Maximum length of a chain of references; usually it is one or two.
const REFERENCES_MAX: usize = 20;

/// Returns an object and those it refers to, nearest first: nearer fields of path items win.
///
/// # Errors
/// Returns a fault at `field` if a reference leads to another document, to nothing, in a circle, or
/// over too many others.
pub(crate) fn resolve<'a>(
    root: &'a Map,
    item: &'a Map,
    field: &str,
) -> Result<Vec<&'a Map>, Fault> {
    let mut chain = vec![item];
    let mut seen = HashSet::new();
    let mut present = item;
    while let Some(reference) = present.text("$ref") {
        let fault = |code, detail| Fault::new(format!("{field}/$ref"), code, detail);
        let Some(pointer) = reference.strip_prefix('#') else {
            let detail = format!(
                "{reference:?} is in another document, which is not read: bundle them into one"
            );
            return Err(fault("openapi.reference", detail));
        };
        if !seen.insert(pointer) {
            let detail = format!("{reference:?} leads back to itself");
            return Err(fault("openapi.recursive", detail));
        }
        if chain.len() > REFERENCES_MAX {
            let detail = format!("more than {REFERENCES_MAX} references lead from one to the next");
            return Err(fault("openapi.reference", detail));
        }
        present = target(root, pointer).ok_or_else(|| {
            let detail = format!("{reference:?} refers to no such object in this document");
            fault("openapi.reference", detail)
        })?;
        chain.push(present);
    }
    Ok(chain)
}

fn target<'a>(root: &'a Map, pointer: &str) -> Option<&'a Map> {
    let mut present = root;
    for token in tokens(pointer)? {
        present = present.value(&token).and_then(Node::as_map)?;
    }
    Some(present)
}

/// Returns the keys in the pointer of a URI fragment, from the root.
pub(crate) fn tokens(pointer: &str) -> Option<Vec<String>> {
    let pointer = percent_decoded(pointer)?;
    let tokens = pointer.strip_prefix('/')?.split('/');
    let unescaped = tokens.map(|token| token.replace("~1", "/").replace("~0", "~"));
    Some(unescaped.collect())
}

/// Decodes one token of a JSON pointer in a URI fragment. An invalid percent-encoding is taken
/// literally: real documents have `%` in component names.
pub(crate) fn unescaped(token: &str) -> String {
    let decoded = percent_decoded(token).unwrap_or_else(|| token.to_owned());
    decoded.replace("~1", "/").replace("~0", "~")
}

/// Decodes percent-encoding (RFC 3986, section 2.1).
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        if first != b'%' {
            bytes.push(first);
            rest = behind;
            continue;
        }
        let digits = std::str::from_utf8(behind.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &behind[2..];
    }
    String::from_utf8(bytes).ok()
}
