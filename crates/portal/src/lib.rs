#![doc = include_str!("../README.md")]

use std::borrow::Cow;
use std::io::{self, Read as _};
use std::sync::{LazyLock, OnceLock};

use flate2::bufread::GzDecoder;

mod table;

/// Inflated files, in the order of the table.
static INFLATED: LazyLock<Vec<OnceLock<Cow<'static, [u8]>>>> =
    LazyLock::new(|| table::FILES.iter().map(|_| OnceLock::new()).collect());

/// Placeholder for the nonce of the page's Content-Security-Policy.
const NONCE: &str = "__NONCE__";

/// The page of a program without a built portal.
const UNBUILT: &str = include_str!("unbuilt.html");

/// A built file.
#[derive(Debug)]
pub struct File {
    /// Its path below the origin, without a leading slash.
    pub path: &'static str,
    /// Its content.
    pub content: Content,
}

/// The content of a file, in the forms that the table holds.
#[derive(Debug)]
pub enum Content {
    /// Uncompressed, for files that compression does not make smaller.
    Plain(&'static [u8]),
    /// Compressed at build time.
    Compressed {
        /// By gzip (RFC 1952), which every browser supports.
        gzip: &'static [u8],
        /// By Brotli (RFC 7932), which browsers accept over HTTPS, if that is smaller.
        brotli: Option<&'static [u8]>,
    },
}

impl File {
    /// Returns its compressed forms, each with the name of its content coding, the smallest first.
    pub fn codings(&self) -> impl Iterator<Item = (&'static str, &'static [u8])> {
        let (brotli, gzip) = match self.content {
            Content::Plain(_) => (None, None),
            Content::Compressed { gzip, brotli } => (brotli, Some(gzip)),
        };
        let codings = [
            brotli.map(|bytes| ("br", bytes)),
            gzip.map(|bytes| ("gzip", bytes)),
        ];
        codings.into_iter().flatten()
    }

    /// Returns its uncompressed bytes. They are inflated once and shared by all clients that accept
    /// no coding: slow readers would hold a copy each.
    ///
    /// # Errors
    ///
    /// Fails if the table contains invalid gzip, which no build writes.
    pub fn plain(&self) -> io::Result<Cow<'static, [u8]>> {
        let Some(inflated) = position(self.path).map(|position| &INFLATED[position]) else {
            return self.inflate();
        };
        if let Some(bytes) = inflated.get() {
            return Ok(Cow::Borrowed(bytes));
        }
        let bytes = self.inflate()?;
        Ok(Cow::Borrowed(inflated.get_or_init(|| bytes)))
    }

    fn inflate(&self) -> io::Result<Cow<'static, [u8]>> {
        match self.content {
            Content::Plain(bytes) => Ok(Cow::Borrowed(bytes)),
            Content::Compressed { gzip, .. } => {
                let mut bytes = Vec::new();
                GzDecoder::new(gzip).read_to_end(&mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// Returns its media type, by its file extension.
    #[must_use]
    pub fn content_type(&self) -> &'static str {
        match self.path.rsplit_once('.').map_or("", |(_, end)| end) {
            "css" => "text/css; charset=utf-8",
            "html" => "text/html; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "json" => "application/json",
            "md" => "text/markdown; charset=utf-8",
            "svg" => "image/svg+xml",
            _ => "application/octet-stream",
        }
    }

    /// Returns whether its name contains the digest of its content, so that it never changes.
    #[must_use]
    pub fn is_immutable(&self) -> bool {
        self.path.starts_with("assets/")
    }
}

/// Returns the file of this path, without a leading slash. The page is not included: see [`page`].
#[must_use]
pub fn file(path: &str) -> Option<&'static File> {
    file_in_table(path).filter(|file| file.path != "index.html")
}

/// Returns whether this program was built with a portal.
#[must_use]
pub fn is_built() -> bool {
    file_in_table("index.html").is_some()
}

/// Returns the page with the nonce of its policy: the same for every URL of the portals, which
/// route in the browser. Without a built portal, the page explains how to build one.
#[must_use]
pub fn page(nonce: &str) -> String {
    let built = file_in_table("index.html").and_then(|file| file.plain().ok());
    let page = built
        .as_deref()
        .and_then(|bytes| str::from_utf8(bytes).ok());
    page.unwrap_or(UNBUILT).replace(NONCE, nonce)
}

fn file_in_table(path: &str) -> Option<&'static File> {
    position(path).map(|position| &table::FILES[position])
}

/// Returns the position of a file in the table.
fn position(path: &str) -> Option<usize> {
    let position = table::FILES.binary_search_by(|file| file.path.cmp(path));
    position.ok()
}

#[cfg(test)]
mod tests;
