//! The extension of a path item for the rest of its path, `{name*}` or `{name+}`. OpenAPI has no
//! syntax for it: `published` writes `{name}`, and the sign into the extension; imports, examples
//! and comparisons read it here.

use crate::model::template::DocumentPath;

/// The extension: `*` or `+`.
pub(crate) const EXTENSION: &str = "x-tollgate-rest";

/// Reads the path of a path item with this value of the extension. `None` unless the value is one
/// that is published, and the last segment of the path is a parameter.
pub(crate) fn marked(path: &str, extension: Option<&str>) -> Option<DocumentPath> {
    let sign = extension.filter(|it| matches!(*it, "*" | "+"))?;
    let (before, last) = path.rsplit_once('/')?;
    let name = last.strip_prefix('{')?.strip_suffix('}')?;
    // The name has the sign, too, where the path without it would be that of a different operation.
    let name = name.strip_suffix(sign).unwrap_or(name);
    // All other signs are part of names.
    let encoded = format!("{before}/{{{name}}}");
    let encoded = encoded.replace("*}", "%2A}").replace("+}", "%2B}");
    let unsigned = encoded.strip_suffix('}')?;
    let read = DocumentPath::read(&format!("{unsigned}{sign}}}")).ok()?;
    read.template.rest().is_some().then_some(read)
}
