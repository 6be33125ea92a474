#![doc = include_str!("../README.md")]

use std::borrow::Cow;
use std::io::{self, Read as _};
use std::sync::{LazyLock, OnceLock};

use flate2::bufread::GzDecoder;

mod table;

/// Files that were inflated, in the order of the table.
static INFLATED: LazyLock<Vec<OnceLock<Cow<'static, [u8]>>>> =
    LazyLock::new(|| table::FILES.iter().map(|_| OnceLock::new()).collect());

/// Where the server writes the nonce of the page's policy.
const NONCE: &str = "__NONCE__";

/// The page that is told where no portal was built.
const UNBUILT: &str = include_str!("unbuilt.html");

/// A built file.
#[derive(Debug)]
pub struct File {
    /// Its path below the origin, without a slash at its beginning.
    pub path: &'static str,
    /// What is in it.
    pub content: Content,
}

/// What is in a file, in as few forms as serve everybody well.
#[derive(Debug)]
pub enum Content {
    /// As it was built: it would not gain by compression.
    Plain(&'static [u8]),
    /// Compressed when it was built.
    Compressed {
        /// By gzip (RFC 1952), which every browser takes.
        gzip: &'static [u8],
        /// By Brotli (RFC 7932), which browsers take over HTTPS, where that is smaller.
        brotli: Option<&'static [u8]>,
    },
}

impl File {
    /// Its compressed forms, each with the name of its content coding, the smallest first.
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

    /// Its bytes as they were built; inflated once, where it is compressed, for all clients that
    /// take no coding: those that read slowly would hold a copy each.
    ///
    /// # Errors
    ///
    /// If the table holds what is not gzip, which no build writes.
    pub fn plain(&self) -> io::Result<Cow<'static, [u8]>> {
        let Some(inflated) = place(self.path).map(|place| &INFLATED[place]) else {
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

    /// Its media type, by the end of its name.
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

    /// Whether its name holds the digest of what is in it, so that it never changes.
    #[must_use]
    pub fn is_immutable(&self) -> bool {
        self.path.starts_with("assets/")
    }
}

/// The file of this path, without a slash at its beginning. The page itself is none: see [`page`].
#[must_use]
pub fn file(path: &str) -> Option<&'static File> {
    find(path).filter(|file| file.path != "index.html")
}

/// Whether a portal was built into this program.
#[must_use]
pub fn is_built() -> bool {
    find("index.html").is_some()
}

/// The page with the nonce of its policy: the same for every address of the portals, which find
/// their way themselves. Without a built portal it tells how one is built.
#[must_use]
pub fn page(nonce: &str) -> String {
    let built = find("index.html").and_then(|file| file.plain().ok());
    let page = built
        .as_deref()
        .and_then(|bytes| str::from_utf8(bytes).ok());
    page.unwrap_or(UNBUILT).replace(NONCE, nonce)
}

fn find(path: &str) -> Option<&'static File> {
    place(path).map(|place| &table::FILES[place])
}

/// Where the table holds the file of a path.
fn place(path: &str) -> Option<usize> {
    let place = table::FILES.binary_search_by(|file| file.path.cmp(path));
    place.ok()
}

#[cfg(test)]
mod tests;
