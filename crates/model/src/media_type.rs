//! Media types with their parameters (RFC 9110, section 8.3).

use std::borrow::Cow;

/// A media type with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaType<'a> {
    essence: &'a str,
    parameters: &'a str,
}

impl<'a> MediaType<'a> {
    /// Parses a field value; returns `None` if it is not text.
    #[must_use]
    pub fn parse(value: &'a [u8]) -> Option<Self> {
        let value = str::from_utf8(value).ok()?;
        let (essence, parameters) = halves(value, b';').unwrap_or((value, ""));
        Some(Self {
            essence: essence.trim_ascii(),
            parameters,
        })
    }

    /// Whether it is this type, given in lower case.
    #[must_use]
    pub fn is(&self, essence: &str) -> bool {
        self.essence.eq_ignore_ascii_case(essence)
    }

    /// Returns the first parameter with this name, at any position, without quotes.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<Cow<'a, str>> {
        let mut named = self
            .parameters()
            .filter(|(key, _)| key.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| unquoted(value))
    }

    /// Whether readers may read different values of a parameter: it is there twice with different
    /// ones, or in the forms `name*` or `name*0` (RFC 2231).
    #[must_use]
    pub fn is_ambiguous(&self, name: &str) -> bool {
        let mut first = None;
        self.parameters().any(|(key, value)| {
            let (key, form) = key.split_at(key.find('*').unwrap_or(key.len()));
            let value = unquoted(value);
            key.eq_ignore_ascii_case(name)
                && (!form.is_empty() || *first.get_or_insert(value.clone()) != value)
        })
    }

    /// Returns the names of the parameters and their values, these in quotes if they were sent so.
    fn parameters(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut rest = self.parameters;
        std::iter::from_fn(move || {
            let (parameter, after) = (!rest.is_empty()).then(|| cut(rest))?;
            rest = after;
            Some(halves(parameter, b'='))
        })
        .flatten()
        .map(|(key, value)| (key.trim_ascii(), value.trim_ascii()))
    }

    /// Returns the parameter `charset`, also from between the single quotes that some clients and
    /// back ends write; `None` if it is empty.
    #[must_use]
    pub fn charset(&self) -> Option<Cow<'a, str>> {
        let charset = match self.parameter("charset")? {
            Cow::Borrowed(value) => Cow::Borrowed(without_single_quotes(value)),
            Cow::Owned(value) => Cow::Owned(without_single_quotes(&value).to_owned()),
        };
        Some(charset).filter(|charset| !charset.is_empty())
    }

    /// Whether a message of this type is JSON (RFC 8259; RFC 6839, section 3.1).
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.is("application/json") || self.has_suffix("+json")
    }

    /// Whether a message of this type is XML (RFC 7303, section 4.2).
    #[must_use]
    pub fn is_xml(&self) -> bool {
        self.is("text/xml") || self.is("application/xml") || self.has_suffix("+xml")
    }

    /// Whether the type before the `/` is this one, given in lower case.
    #[must_use]
    pub fn has_type(&self, name: &str) -> bool {
        let name_and_rest = halves(self.essence, b'/');
        name_and_rest.is_some_and(|(of, _)| of.eq_ignore_ascii_case(name))
    }

    fn has_suffix(&self, suffix: &str) -> bool {
        let (essence, suffix) = (self.essence.as_bytes(), suffix.as_bytes());
        let start = essence.len().saturating_sub(suffix.len());
        start > 0 && essence[start..].eq_ignore_ascii_case(suffix)
    }
}

/// Returns the text before and after the first ASCII byte; `split_once` is made for longer texts.
fn halves(text: &str, byte: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|it| it == byte)?;
    Some((&text[..at], &text[at + 1..]))
}

/// Returns the first parameter and the text after its semicolon; a semicolon in quotes is part of
/// it.
fn cut(parameters: &str) -> (&str, &str) {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, byte) in parameters.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b';' if !is_quoted => return (&parameters[..at], &parameters[at + 1..]),
            _ => {}
        }
    }
    (parameters, "")
}

/// Returns the text of a quoted string (RFC 9110, section 5.6.4), or else the value as it is.
#[must_use]
pub fn unquoted(value: &str) -> Cow<'_, str> {
    let Some(inner) = value.strip_prefix('"') else {
        return value.into();
    };
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return inner.into();
    }
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        text.extend(match character {
            '\\' => characters.next(),
            other => Some(other),
        });
    }
    text.into()
}

/// Whether a charset is UTF-8, also without the hyphen, as many clients write it.
#[must_use]
pub fn is_utf8(charset: &str) -> bool {
    charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
}

fn without_single_quotes(value: &str) -> &str {
    let inner = value.strip_prefix('\'');
    inner.and_then(|it| it.strip_suffix('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests;
