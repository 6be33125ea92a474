//! Contexts of APIs, and names of versions and other nouns.

use crate::fault::Fault;
use crate::name::is_invisible;

/// Maximum length of a context, bytes.
pub const CONTEXT_BYTES_MAX: usize = 128;
/// Maximum length of a version's name, bytes.
pub const VERSION_BYTES_MAX: usize = 32;

/// Returns the fault of a context such as `/petstore` or `/hr/people`, if any.
#[must_use]
pub fn context_fault(context: &str) -> Option<Fault> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let good = context.len() <= CONTEXT_BYTES_MAX
        && context.strip_prefix('/').is_some_and(|rest| {
            rest.split('/').all(|segment| {
                !segment.is_empty() && !segment.starts_with('.') && segment.bytes().all(is_plain)
            })
        });
    let detail = "a context is \"/\" and segments of letters, digits, \"-\", \"_\", \".\" or \"~\"";
    (!good).then(|| Fault::new("/context", "api.context", detail))
}

/// Returns whether one context lies within the other, so that their paths would be ambiguous.
#[must_use]
pub fn contexts_overlap(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    long.strip_prefix(short)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the fault of a version's name such as `1.0` or `v2`, if any.
#[must_use]
pub fn version_name_fault(name: &str) -> Option<Fault> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let good = (1..=VERSION_BYTES_MAX).contains(&name.len())
        && !name.starts_with('.')
        && name.bytes().all(is_plain);
    let detail = "a version is letters, digits, \"-\", \"_\" or \".\", at most 32";
    (!good).then(|| Fault::new("/version", "version.name", detail))
}

/// Returns the fault of the name of an API, plan, application, user, key or token, if any.
#[must_use]
pub fn name_fault(name: &str) -> Option<Fault> {
    let good = (1..=100).contains(&name.chars().count())
        && name.trim() == name
        && !name.chars().any(is_invisible);
    let detail = "a name has 1 to 100 characters, none of them a control, format or other \
                  invisible character, and no space at either end";
    (!good).then(|| Fault::new("/name", "name.form", detail))
}
