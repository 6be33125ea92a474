#![doc = include_str!("../README.md")]

mod table;

/// Where the server writes the nonce of the page's policy.
const NONCE: &str = "__NONCE__";

/// The page that is told where no portal was built.
const UNBUILT: &str = include_str!("unbuilt.html");

/// A built file.
#[derive(Debug)]
pub struct File {
    /// Its path below the origin, without a slash at its beginning.
    pub path: &'static str,
    /// As it was built.
    pub bytes: &'static [u8],
    /// Compressed by Brotli (RFC 7932), if that is worth it.
    pub brotli: Option<&'static [u8]>,
    /// Compressed by gzip (RFC 1952), if that is worth it.
    pub gzip: Option<&'static [u8]>,
}

impl File {
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
    let page = find("index.html").and_then(|file| str::from_utf8(file.bytes).ok());
    page.unwrap_or(UNBUILT).replace(NONCE, nonce)
}

fn find(path: &str) -> Option<&'static File> {
    let place = table::FILES.binary_search_by(|file| file.path.cmp(path));
    place.ok().map(|place| &table::FILES[place])
}

#[cfg(test)]
mod tests;
