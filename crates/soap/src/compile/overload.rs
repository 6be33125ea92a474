//! The names of overloaded operations: their messages often have one of their own.

use crate::import::wsdl::{BoundMessage, BoundOperation, Operation};
use crate::plan;
use crate::resources::words;

/// Words that toolkits append to the names of messages.
const ROLES: [&str; 8] = [
    "request",
    "req",
    "message",
    "msg",
    "input",
    "in",
    "soap",
    "parameters",
];

/// Returns the words of an overload's message, such as `find-by-name` for `findByNameRequest`;
/// `None` if no name of it has a word that the operation's does not have.
pub(super) fn overload(
    bound: &BoundOperation,
    declared: Option<&Operation>,
    compiled: &plan::Operation,
) -> Option<Box<str>> {
    let carried = declared.and_then(|operation| operation.input.as_ref());
    let names = [
        bound.input.as_ref().map(named),
        carried.map(|carried| &*carried.name),
        carried.map(|carried| &*carried.message.local),
        compiled.request.body.as_ref().map(|body| &*body.name.local),
    ];
    let own = words(&bound.name);
    let is_more = |word: &str| {
        word.chars().any(char::is_alphabetic) && !own.iter().any(|own| own == without_number(word))
    };
    names.into_iter().flatten().find_map(|name| {
        let mut words = words(name);
        while words
            .last()
            .is_some_and(|last| ROLES.contains(&without_number(last)))
        {
            words.pop();
        }
        let has_more = words.iter().any(|word| is_more(word));
        has_more.then(|| words.join("-").into())
    })
}

fn named(message: &BoundMessage) -> &str {
    &message.name
}

/// Returns a word without the digits at its end, by which toolkits make names unique.
fn without_number(word: &str) -> &str {
    word.trim_end_matches(|it: char| it.is_ascii_digit())
}
