//! Resolves references: relative ones against their document (RFC 3986, section 5), both for URIs
//! and for the paths of a set of files.

/// Returns the location that `reference` in the document `base` refers to, without fragment.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    let reference = reference.trim();
    let reference = reference.split('#').next().unwrap_or_default();
    if scheme_length(reference).is_some() {
        return normal(reference);
    }
    let (root, base_path) = split_root(base);
    if root.is_empty() {
        // Paths in a set of files: some tools write Windows separators.
        let reference = reference.replace('\\', "/");
        let reference = decoded(&reference);
        return match reference.strip_prefix('/') {
            Some(path) => without_dots(path, false),
            None => without_dots(&format!("{}{reference}", folder(base_path)), false),
        };
    }
    if let Some(rest) = reference.strip_prefix("//") {
        let scheme = root.split("//").next().unwrap_or_default();
        return normal(&format!("{scheme}//{rest}"));
    }
    let path = base_path.split('?').next().unwrap_or_default();
    let (given, query) = match reference.split_once('?') {
        Some((given, query)) => (given, Some(query)),
        None => (reference, None),
    };
    let path = match given {
        "" => path.to_owned(),
        given if given.starts_with('/') => without_dots(given, true),
        given => without_dots(&format!("{}{given}", folder(path)), true),
    };
    match query {
        Some(query) => format!("{root}{path}?{query}"),
        None => format!("{root}{path}"),
    }
}

/// Normalises the spelling of a location.
pub(super) fn normal(uri: &str) -> String {
    let (root, rest) = split_root(uri);
    if root.is_empty() {
        return without_dots(&decoded(&rest.replace('\\', "/")), false);
    }
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, format!("?{query}")),
        None => (rest, String::new()),
    };
    format!(
        "{}{}{query}",
        root.to_ascii_lowercase(),
        without_dots(path, true)
    )
}

/// Returns `http://host` and the rest; without a scheme there is no root.
fn split_root(uri: &str) -> (&str, &str) {
    let Some(scheme) = scheme_length(uri) else {
        return ("", uri);
    };
    let after = scheme + 1;
    let rest = uri.get(after..).unwrap_or_default();
    let length = match rest.strip_prefix("//") {
        Some(authority) => {
            let end = authority.find(['/', '?']).unwrap_or(authority.len());
            after + 2 + end
        }
        None => after,
    };
    uri.split_at(length)
}

/// Returns the length of the scheme; a single letter is a drive, not a scheme.
fn scheme_length(uri: &str) -> Option<usize> {
    let colon = uri.find(':')?;
    let scheme = uri.get(..colon)?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    is_scheme.then_some(colon)
}

fn folder(path: &str) -> &str {
    path.rfind('/')
        .map_or("", |slash| path.get(..=slash).unwrap_or_default())
}

/// Removes dot segments (RFC 3986, section 5.2.4). Steps above the root stay at the root.
fn without_dots(path: &str, is_rooted: bool) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let ends_in_folder = path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..");
    for segment in path.split('/') {
        match segment {
            "." | "" => {}
            ".." => drop(kept.pop()),
            segment => kept.push(segment),
        }
    }
    let root = if is_rooted { "/" } else { "" };
    let end = if ends_in_folder && !kept.is_empty() {
        "/"
    } else {
        ""
    };
    format!("{root}{}{end}", kept.join("/"))
}

/// Percent-decodes a path: files have names, not URIs.
fn decoded(path: &str) -> String {
    if !path.contains('%') {
        return path.to_owned();
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        let octet = match (first, tail) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match octet {
            Some((high, low)) => {
                bytes.push(high * 16 + low);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests;
