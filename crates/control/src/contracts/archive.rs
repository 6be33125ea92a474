//! The files of a zip archive, within bounds. Nothing is written: names are only names.

use std::io::{Cursor, Read};

use tollgate_model::fault::Fault;

/// Entries of an archive at most.
const ENTRIES_MAX: usize = 1_000;
/// Bytes of all its files at most, once they are inflated.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The WSDL and schema files of an archive: path and bytes. Other files are left aside.
///
/// # Errors
/// What is wrong with the archive.
pub(crate) fn files(archive: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Fault> {
    let wrong = |detail: String| Fault::new("", "archive.malformed", detail);
    let mut zip = zip::ZipArchive::new(Cursor::new(archive))
        .map_err(|error| wrong(format!("the body is not a zip archive: {error}")))?;
    // Of two entries with one name only the last can be read; which one is meant is not known.
    if zip.has_duplicate_names() {
        return Err(repeated("an archive has no two entries with one name"));
    }
    if zip.len() > ENTRIES_MAX {
        let detail = format!("an archive has at most {ENTRIES_MAX} entries");
        return Err(Fault::new("", "archive.entries", detail));
    }
    let (mut files, mut rest) = (Vec::new(), BYTES_MAX);
    for index in 0..zip.len() {
        let unread = |error| wrong(format!("entry {index} cannot be read: {error}"));
        let mut entry = zip.by_index(index).map_err(unread)?;
        let name = entry.name().map_err(unread)?.replace('\\', "/");
        if entry.is_dir() || !is_contract(&name) {
            continue;
        }
        let mut bytes = Vec::new();
        // One byte more than may be, to see that it is too many.
        let taken = entry.by_ref().take(rest + 1).read_to_end(&mut bytes);
        taken.map_err(|error| wrong(format!("{name:?} cannot be read: {error}")))?;
        rest = rest.checked_sub(bytes.len() as u64).ok_or_else(|| {
            let detail = format!("the files of an archive have at most {BYTES_MAX} bytes");
            Fault::new("", "archive.too_large", detail)
        })?;
        files.push((name, bytes));
    }
    if files.is_empty() {
        let detail = "the archive has no file that ends with .wsdl, .xsd or .xml";
        return Err(Fault::new("", "archive.empty", detail));
    }
    Ok(files)
}

/// A name that several entries have.
pub(crate) fn repeated(detail: impl Into<String>) -> Fault {
    Fault::new("", "archive.repeated", detail)
}

/// Whether a file may be a part of a contract: by its ending, and no leftover of macOS.
fn is_contract(name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    let is_known = ["wsdl", "xsd", "xml"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known));
    is_known && !name.starts_with("__MACOSX/")
}

#[cfg(test)]
mod tests;
