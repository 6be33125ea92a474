//! Bounds on texts that users write: new names, titles and descriptions.

use tollgate_model::api::name_fault;
use tollgate_model::fault::Fault;

/// Maximum number of characters of a title.
const TITLE_MAX: usize = 200;
/// Maximum number of characters of a description or a note.
pub(crate) const DESCRIPTION_MAX: usize = 10_000;

/// Returns the fault of a name that replaces `present`, if any. An unchanged name stays valid even
/// if it is older than a rule for names.
pub(crate) fn renaming_fault(name: &str, present: &str) -> Option<Fault> {
    name_fault(name).filter(|_| name != present)
}

/// Returns the fault of a title at `field`, if any: a title is one line.
pub(crate) fn title_fault(field: &str, title: &str) -> Option<Fault> {
    let detail = "one line, without control characters";
    let is_line = !title.chars().any(char::is_control);
    let fault = (!is_line).then(|| Fault::new(field, "text.control", detail));
    fault.or_else(|| text_fault(field, title, TITLE_MAX))
}

/// Returns the fault of a text of at most `max` characters at `field`, if any.
pub(crate) fn text_fault(field: &str, text: &str, max: usize) -> Option<Fault> {
    let detail = format!("at most {max} characters");
    (text.chars().count() > max).then(|| Fault::new(field, "text.too_long", detail))
}
