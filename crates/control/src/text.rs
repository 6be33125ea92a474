//! Bounds on the texts that people write: new names, titles and descriptions.

use tollgate_model::api::name_fault;
use tollgate_model::fault::Fault;

/// Characters of a title at most.
const TITLE_MAX: usize = 200;
/// Characters of a description or a note at most.
pub(crate) const DESCRIPTION_MAX: usize = 10_000;

/// What is wrong with a name that replaces `present`, if anything. A name that is older than a rule
/// for names stays good until it changes.
pub(crate) fn renaming_fault(name: &str, present: &str) -> Option<Fault> {
    name_fault(name).filter(|_| name != present)
}

/// What is wrong with a title at `field`, if anything: it is one line.
pub(crate) fn title_fault(field: &str, title: &str) -> Option<Fault> {
    let detail = "one line, without control characters";
    let is_line = !title.chars().any(char::is_control);
    let fault = (!is_line).then(|| Fault::new(field, "text.control", detail));
    fault.or_else(|| text_fault(field, title, TITLE_MAX))
}

/// What is wrong with a text of at most `max` characters at `field`, if anything.
pub(crate) fn text_fault(field: &str, text: &str, max: usize) -> Option<Fault> {
    let detail = format!("at most {max} characters");
    (text.chars().count() > max).then(|| Fault::new(field, "text.too_long", detail))
}
