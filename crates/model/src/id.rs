//! Typed ids: `api_…`, `app_…`, sortable by time.
//!
//! An id is one positive 63-bit integer: 41 bits of milliseconds since 2020-01-01 UTC (until 2089)
//! above 22 random bits, so it fits a database key, a record and a machine word. Its text form is a
//! prefix and eleven base62 digits, which sort by time.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroI64;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// 2020-01-01T00:00:00Z in Unix milliseconds, the epoch of ids.
const EPOCH_MS: u64 = 1_577_836_800_000;
const RANDOM_BITS: u32 = 22;
/// Base62 digits in the order of their values, which is the order of ASCII.
pub const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Number of base62 digits in an id's text form, without its prefix.
pub const TEXT_DIGITS: usize = 11;

/// A kind of object with ids. Implemented by the empty marker types of this module only.
pub trait Kind {
    /// The text form's prefix, without the underscore.
    const PREFIX: &'static str;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $alias:ident $prefix:literal;)*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub enum $kind {}
        impl Kind for $kind { const PREFIX: &'static str = $prefix; }
        #[doc = concat!("Id of ", stringify!($kind), ": `", $prefix, "_` and eleven digits.")]
        pub type $alias = Id<$kind>;
    )* };
}

kinds! {
    /// A user of the control plane.
    User UserId "usr";
    /// A session of a user.
    Session SessionId "ses";
    /// A personal access token.
    AccessToken AccessTokenId "pat";
    /// An API.
    Api ApiId "api";
    /// A version of an API.
    Version VersionId "ver";
    /// A revision of a version.
    Revision RevisionId "rev";
    /// An operation of a version.
    Operation OperationId "opn";
    /// A plan.
    Plan PlanId "pln";
    /// An application.
    Application ApplicationId "app";
    /// A subscription.
    Subscription SubscriptionId "sub";
    /// An API key.
    ApiKey ApiKeyId "key";
    /// An OAuth2 client.
    Client ClientId "cli";
    /// A user of HTTP Basic.
    BasicUser BasicUserId "bas";
    /// An access token of an OAuth2 client.
    Token TokenId "tok";
    /// A key that access tokens are signed with.
    SigningKey SigningKeyId "sig";
    /// A purge of stored responses.
    CachePurge CachePurgeId "pur";
}

/// A typed id. It is never zero, so an `Option` of it takes no more space.
pub struct Id<K> {
    value: NonZeroI64,
    kind: PhantomData<fn() -> K>,
}

impl<K> Id<K> {
    /// Creates an id from `now_ms` (Unix milliseconds) and the lowest 22 bits of `random`.
    #[must_use]
    pub fn new(now_ms: u64, random: u32) -> Self {
        let time = now_ms.saturating_sub(EPOCH_MS) & ((1 << 41) - 1);
        let value = (time << RANDOM_BITS) | u64::from(random & ((1 << RANDOM_BITS) - 1));
        Self::from_raw(i64::try_from(value.max(1)).expect("63 bits fit"))
    }

    /// Restores an id from its stored value. Zero is never stored; it would be read as one.
    #[must_use]
    pub const fn from_raw(value: i64) -> Self {
        let value = match NonZeroI64::new(value) {
            Some(value) => value,
            None => NonZeroI64::new(1).expect("one is not zero"),
        };
        Self {
            value,
            kind: PhantomData,
        }
    }

    /// Returns its creation time, Unix microseconds, to the millisecond.
    #[must_use]
    pub const fn made_us(self) -> i64 {
        ((self.raw() >> RANDOM_BITS) + EPOCH_MS.cast_signed()) * 1_000
    }

    /// Returns the value to store: positive, ordered by time.
    #[must_use]
    pub const fn raw(self) -> i64 {
        self.value.get()
    }
}

/// Returns the eleven base62 digits of an id's value, most significant first.
#[must_use]
pub fn digits(value: i64) -> [u8; TEXT_DIGITS] {
    let mut rest = value.unsigned_abs();
    let mut text = [b'0'; TEXT_DIGITS];
    for place in text.iter_mut().rev() {
        *place = DIGITS[usize::try_from(rest % 62).expect("below 62")];
        rest /= 62;
    }
    text
}

/// Entry of `VALUES` for a character that is not a digit.
const NO_DIGIT: u8 = u8::MAX;
/// The value of each base62 digit, by its byte.
const VALUES: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 62 {
        values[DIGITS[value as usize] as usize] = value;
        value += 1;
    }
    values
};

/// Returns the value of a base62 digit; `None` for another character.
#[must_use]
pub const fn digit_value(digit: u8) -> Option<u8> {
    match VALUES[digit as usize] {
        NO_DIGIT => None,
        value => Some(value),
    }
}

/// Returns the value of eleven base62 digits; `None` for another length, another character or
/// overflow.
#[must_use]
pub fn from_digits(text: &[u8]) -> Option<i64> {
    if text.len() != TEXT_DIGITS {
        return None;
    }
    // Eleven digits are below 2^66, more than the type has.
    let (last, first) = text.split_last()?;
    let value = first.iter().try_fold(0, |value, &digit| {
        Some(value * 62 + u64::from(digit_value(digit)?))
    })?;
    let value = value
        .checked_mul(62)?
        .checked_add(digit_value(*last)?.into())?;
    i64::try_from(value).ok()
}

/// A text is not an id of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an id here is \"{0}_\" and eleven letters or digits")]
pub struct NotAnId(&'static str);

impl<K: Kind> FromStr for Id<K> {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        text.strip_prefix(K::PREFIX)
            .and_then(|rest| rest.strip_prefix('_'))
            .and_then(|rest| from_digits(rest.as_bytes()))
            .filter(|&value| value > 0)
            .map(Self::from_raw)
            .ok_or(NotAnId(K::PREFIX))
    }
}

impl<K: Kind> fmt::Display for Id<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = digits(self.raw());
        write!(
            out,
            "{}_{}",
            K::PREFIX,
            std::str::from_utf8(&digits).expect("ASCII digits")
        )
    }
}

impl<K: Kind> fmt::Debug for Id<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl<K: Kind> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() {
            to.collect_str(self)
        } else {
            to.serialize_i64(self.raw())
        }
    }
}

impl<'de, K: Kind> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if from.is_human_readable() {
            String::deserialize(from)?
                .parse()
                .map_err(de::Error::custom)
        } else {
            i64::deserialize(from).map(Self::from_raw)
        }
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Id<K> {}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.cmp(&other.value)
    }
}
impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

#[cfg(test)]
mod tests;
