//! Reads the files of a zip archive, within bounds. Nothing is written to disk, so the names of
//! entries cannot escape a folder.

use std::io::{Cursor, Read};

use tollgate_model::fault::Fault;
use zip::ZipArchive;
use zip::result::ZipError;

/// Maximum number of entries per archive.
const ENTRIES_MAX: usize = 1_000;
/// Maximum number of inflated bytes of all its files.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Returns the total inflated size of an archive's WSDL and schema files, as declared in it.
/// Nothing is inflated.
///
/// # Errors
/// Fails if the archive is malformed, has too many entries or declares too many bytes.
pub(crate) fn bytes(archive: &[u8]) -> Result<usize, Fault> {
    let mut zip = opened(archive)?;
    let mut bytes = 0_u64;
    for index in 0..zip.len() {
        let entry = zip
            .by_index_raw(index)
            .map_err(|error| unread(index, &error))?;
        let name = entry.name().map_err(|error| unread(index, &error))?;
        if !entry.is_dir() && is_contract(&name) {
            bytes = bytes.saturating_add(entry.size());
        }
    }
    if bytes > BYTES_MAX {
        return Err(too_large());
    }
    Ok(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// Returns the WSDL and schema files of an archive, as paths and bytes; other files are ignored. No
/// file is larger than declared in the archive.
///
/// # Errors
/// Fails if the archive is malformed, exceeds a bound or has no such file.
pub(crate) fn files(archive: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Fault> {
    let mut zip = opened(archive)?;
    let (mut files, mut rest) = (Vec::new(), BYTES_MAX);
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).map_err(|error| unread(index, &error))?;
        let name = entry.name().map_err(|error| unread(index, &error))?;
        let name = name.replace('\\', "/");
        if entry.is_dir() || !is_contract(&name) {
            continue;
        }
        let mut bytes = Vec::new();
        let size = entry.size();
        // One byte more than allowed, to detect that there are too many.
        let mut taken = entry.by_ref().take(rest.min(size) + 1);
        let taken = taken.read_to_end(&mut bytes);
        taken.map_err(|error| wrong(format!("{name:?} cannot be read: {error}")))?;
        if bytes.len() as u64 > size {
            return Err(wrong(format!("{name:?} is larger than the archive states")));
        }
        rest = rest.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
        files.push((name, bytes));
    }
    if files.is_empty() {
        let detail = "the archive has no file with the extension .wsdl, .xsd or .xml";
        return Err(Fault::new("", "archive.empty", detail));
    }
    Ok(files)
}

fn opened(archive: &[u8]) -> Result<ZipArchive<Cursor<&[u8]>>, Fault> {
    let zip = ZipArchive::new(Cursor::new(archive))
        .map_err(|error| wrong(format!("the body is not a zip archive: {error}")))?;
    // Only the last of several entries with the same name can be read; it may not be the intended
    // one.
    if zip.has_duplicate_names() {
        return Err(repeated(
            "the archive has several entries with the same name",
        ));
    }
    if zip.len() > ENTRIES_MAX {
        let detail = format!("an archive may have at most {ENTRIES_MAX} entries");
        return Err(Fault::new("", "archive.entries", detail));
    }
    Ok(zip)
}

fn too_large() -> Fault {
    let detail = format!("the files of an archive may have at most {BYTES_MAX} bytes together");
    Fault::new("", "archive.too_large", detail)
}

fn wrong(detail: String) -> Fault {
    Fault::new("", "archive.malformed", detail)
}

fn unread(index: usize, error: &ZipError) -> Fault {
    wrong(format!("entry {index} cannot be read: {error}"))
}

/// Creates the fault for a name shared by several entries.
pub(crate) fn repeated(detail: impl Into<String>) -> Fault {
    Fault::new("", "archive.repeated", detail)
}

/// Whether a file may be part of a contract: by its extension, excluding metadata files of macOS.
fn is_contract(name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    let is_known = ["wsdl", "xsd", "xml"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known));
    is_known && !name.starts_with("__MACOSX/")
}

#[cfg(test)]
mod tests;
