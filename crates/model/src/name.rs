//! Names given by people, as others read them: invisible characters, and names that are equal
//! except for case and compatibility form.
//!
//! The tables follow the Unicode Character Database 16: the general categories Cf, Zs, Zl and Zp,
//! and the property `Default_Ignorable_Code_Point`. The standard library has neither.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

/// Characters that are not visible, or that change the layout of the text around them: format
/// characters with the bidirectional controls (Cf), ignorable characters such as fillers and
/// variation selectors, separators other than the space, and the blank of Braille.
const INVISIBLE: [(char, char); 32] = [
    ('\u{a0}', '\u{a0}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{2000}', '\u{200f}'),
    ('\u{2028}', '\u{202f}'),
    ('\u{205f}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d159}', '\u{1d159}'),
    ('\u{1d173}', '\u{1d17a}'),
    // Tags and the variation selectors of plane 14.
    ('\u{e0000}', '\u{e0fff}'),
    // Noncharacters of the basic plane, which no font shows.
    ('\u{fdd0}', '\u{fdef}'),
    ('\u{fffe}', '\u{ffff}'),
];

/// Returns whether a character is not visible or misleads a reader: controls, format and
/// bidirectional characters, separators other than the space.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    let within = |&(first, last): &(char, char)| (first..=last).contains(&character);
    character.is_control() || INVISIBLE.iter().any(within)
}

/// Returns a name in normalization form NFKC (UAX #15): full-width letters, ligatures and other
/// compatibility characters become the plain ones, and letters absorb their combining marks.
#[must_use]
pub fn normalized(name: &str) -> Cow<'_, str> {
    ComposingNormalizerBorrowed::new_nfkc().normalize(name)
}

/// Returns a key that is equal for names that differ only in case, compatibility form or invisible
/// characters.
///
/// Folds case as by the Unicode Standard, section 3.13, except for a few letters: each character
/// becomes upper case and then lower case, which joins `ß` with `ss`, both forms of sigma, and the
/// signs for kelvin and ångström with their letters. Normalizes before and after, because folding
/// does not keep the form.
#[must_use]
pub fn folded(name: &str) -> String {
    let is_seen = |character: &char| !is_invisible(*character);
    let seen: String = name.chars().filter(is_seen).collect();
    let seen = normalized(&seen);
    let upper = seen.chars().flat_map(char::to_uppercase);
    let lower: String = upper.flat_map(char::to_lowercase).collect();
    normalized(&lower).into_owned()
}

#[cfg(test)]
mod tests;
