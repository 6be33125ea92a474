//! A list of security requirements, of the document or of an operation (OpenAPI 3.1, Security
//! Requirement Object): the objects are alternatives, the members of an object are all required.

use super::schemes::form_fault;
use crate::model::fault::{Fault, pointer_token};
use crate::tree::Node;

/// Maximum number of alternatives, members and scopes that are read for all operations of a
/// document. Operations can share path items, so the size of the document is not a bound.
const READ_MAX: usize = 200_000;
/// Bytes of a scheme's name that count as one more.
const NAME_BYTES: usize = 64;

/// The number of requirements that may still be read.
#[derive(Debug)]
pub(super) struct Room(Option<usize>);

impl Default for Room {
    fn default() -> Self {
        Self(Some(READ_MAX))
    }
}

impl Room {
    /// Uses up `count`; returns false once there was not enough.
    pub(super) fn spend(&mut self, count: usize) -> bool {
        self.0 = self.0.and_then(|left| left.checked_sub(count));
        self.0.is_some()
    }

    pub(super) fn is_spent(&self) -> bool {
        self.0.is_none()
    }
}

/// The requirement of one scheme.
#[derive(Debug)]
pub(super) struct Member<'a> {
    /// The scheme's name.
    pub(super) scheme: &'a str,
    /// The scopes, or roles of schemes without scopes.
    pub(super) scopes: Vec<&'a str>,
}

/// Members that are all required; empty if no credential is required.
pub(super) type Alternative<'a> = Vec<Member<'a>>;

/// Reads the alternatives; truncated if too many were read.
///
/// # Errors
/// Returns a fault for the first malformed part.
pub(super) fn read_alternatives<'a>(
    node: &'a Node,
    field: &str,
    room: &mut Room,
) -> Result<Vec<Alternative<'a>>, Fault> {
    let Node::List(list) = node else {
        return Err(form_fault(field, "security must be a list of requirements"));
    };
    let mut alternatives = Vec::new();
    for (index, node) in list.iter().enumerate() {
        let Some(object) = node.as_map() else {
            let at = format!("{field}/{index}");
            return Err(form_fault(at, "a security requirement must be an object"));
        };
        let mut members = Vec::new();
        if !room.spend(1 + object.len()) {
            break;
        }
        for (scheme, node) in object.in_order() {
            if !room.spend(scheme.len() / NAME_BYTES) {
                break;
            }
            let at = || format!("{field}/{index}/{}", pointer_token(scheme));
            let scopes = match node {
                Node::List(scopes) => scopes.as_slice(),
                Node::Nothing => &[],
                _ => {
                    return Err(form_fault(
                        at(),
                        "a required scheme must have a list of scopes",
                    ));
                }
            };
            if !room.spend(scopes.len()) {
                break;
            }
            let scopes: Option<Vec<_>> = scopes.iter().map(Node::as_text).collect();
            let Some(scopes) = scopes else {
                return Err(form_fault(at(), "a scope must be a string"));
            };
            members.push(Member { scheme, scopes });
        }
        alternatives.push(members);
    }
    Ok(alternatives)
}
