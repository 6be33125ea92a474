//! The types of names and tokens, which XML Schema defines by patterns.

use std::sync::LazyLock;

use super::translate;

/// A type that is defined by a pattern (XML Schema 1.0, part 2, section 3.3).
pub(crate) struct Pattern {
    /// Its local name.
    local: &'static str,
    /// The pattern as in plans.
    pub(crate) translated: Option<Box<str>>,
    /// The same for ECMA-262, where plans use what it cannot express; without the planes of private
    /// use, which its classes cannot exclude if they count in UTF-16.
    pub(crate) ecma: Option<&'static str>,
    /// Describes a valid value, as in `must be …`.
    pub(crate) sentence: &'static str,
}

/// Characters that are in no name, for the classes of ECMA-262: `:` aside.
macro_rules! no_name {
    () => {
        concat!(
            r"\u0000-,/;-@\[-\^`\{-\u00B6\u00B8-\u00BF\u00D7\u00F7\u037E\u2000-\u200B",
            r"\u200E-\u203E\u2041-\u206F\u2190-\u2BFF\u2FF0-\u3000\uE000-\uF8FF",
            r"\uFDD0-\uFDEF\uFFFE\uFFFF"
        )
    };
}

/// Characters that may not start a name, but may follow.
macro_rules! no_start {
    () => {
        r"\-.0-9\u00B7\u0300-\u036F\u203F\u2040"
    };
}

static PATTERNS: LazyLock<[Pattern; 4]> = LazyLock::new(|| {
    let pattern = |local, pattern, ecma, sentence| Pattern {
        local,
        translated: translate(&[pattern]).ok(),
        ecma,
        sentence,
    };
    [
        pattern(
            "language",
            "[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*",
            None,
            "a language tag such as \"en-GB\"",
        ),
        pattern(
            "NMTOKEN",
            r"\c+",
            Some(concat!("^[^", no_name!(), "]+$")),
            "an NMTOKEN: letters, digits, \".\", \"-\", \"_\" and \":\"",
        ),
        pattern(
            "Name",
            r"\i\c*",
            Some(concat!(
                "^[^",
                no_name!(),
                no_start!(),
                "][^",
                no_name!(),
                "]*$"
            )),
            "a Name: a letter, \"_\" or \":\", then also digits, \".\" and \"-\"",
        ),
        pattern(
            "NCName",
            r"[\i-[:]][\c-[:]]*",
            Some(concat!(
                "^[^:",
                no_name!(),
                no_start!(),
                "][^:",
                no_name!(),
                "]*$"
            )),
            "an NCName: a letter or \"_\", then also digits, \".\" and \"-\"",
        ),
    ]
});

/// Returns the pattern of a type, by its local name.
pub(crate) fn of_type(local: &str) -> Option<&'static Pattern> {
    PATTERNS.iter().find(|pattern| pattern.local == local)
}

/// Returns the built-in type that a pattern of a plan defines.
pub(crate) fn of_pattern(translated: &str) -> Option<&'static Pattern> {
    let mut known = PATTERNS.iter();
    known.find(|pattern| pattern.translated.as_deref() == Some(translated))
}

#[cfg(test)]
mod tests;
