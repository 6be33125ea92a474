//! What calls must have in common to share a counter.

use std::fmt;

use serde::ser::SerializeSeq as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Something that calls have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Dimension {
    /// The subscription.
    Subscription,
    /// The application.
    Application,
    /// The API's version.
    Api,
    /// The operation.
    Operation,
    /// Whom the credential proves.
    User,
    /// The caller's address: IPv4, or the /64 of an IPv6 address.
    Address,
}

impl Dimension {
    /// All dimensions, in the order of their canonical form.
    pub const ALL: [Self; 6] = [
        Self::Subscription,
        Self::Application,
        Self::Api,
        Self::Operation,
        Self::User,
        Self::Address,
    ];

    /// Returns the word of this dimension, as in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Subscription => "subscription",
            Self::Application => "application",
            Self::Api => "api",
            Self::Operation => "operation",
            Self::User => "user",
            Self::Address => "address",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Dimensions of a limit: calls that are equal in all of them share one counter. In JSON a word or
/// a list of one or two; what is none of these is not [valid](Self::is_valid), so that its fault is
/// reported together with all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Per(u8);

impl Per {
    /// No dimension: all calls share one counter.
    pub const NONE: Self = Self(0);
    /// Each subscription has its own counter.
    pub const SUBSCRIPTION: Self = Self(Dimension::Subscription.bit());
    /// Each application has its own counter, across all its calls.
    pub const APPLICATION: Self = Self(Dimension::Application.bit());
    /// All callers of the API's version share one.
    pub const API: Self = Self(Dimension::Api.bit());
    /// All callers of one operation share one.
    pub const OPERATION: Self = Self(Dimension::Operation.bit());
    /// Each user has a counter.
    pub const USER: Self = Self(Dimension::User.bit());
    /// Each address has a counter.
    pub const ADDRESS: Self = Self(Dimension::Address.bit());
    /// Maximum number of dimensions.
    pub const DIMENSIONS_MAX: usize = 2;

    const INVALID: Self = Self(0x80);

    /// Adds a dimension.
    #[must_use]
    pub const fn and(self, dimension: Dimension) -> Self {
        Self(self.0 | dimension.bit())
    }

    /// Returns whether there is no dimension.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.0 == 0
    }

    /// Returns whether the JSON was a word, or a list of one or two different words, all known.
    #[must_use]
    pub const fn is_valid(self) -> bool {
        self.0 & Self::INVALID.0 == 0
    }

    /// Returns whether this is one of the dimensions.
    #[must_use]
    pub const fn has(self, dimension: Dimension) -> bool {
        self.0 & dimension.bit() != 0
    }

    /// Returns the dimensions, in canonical order.
    pub fn dimensions(self) -> impl Iterator<Item = Dimension> + Clone {
        let all = Dimension::ALL.into_iter();
        all.filter(move |&dimension| self.has(dimension))
    }

    /// Returns the words in canonical order, with `-` between them.
    #[must_use]
    pub fn text(self) -> String {
        let words: Vec<_> = self.dimensions().map(Dimension::word).collect();
        words.join("-")
    }

    fn parse(words: &[String]) -> Self {
        let dimension = |word: &String| Dimension::ALL.into_iter().find(|it| it.word() == word);
        let mut per = Self::NONE;
        for word in words {
            match dimension(word) {
                Some(dimension) if !per.has(dimension) => per = per.and(dimension),
                _ => return Self::INVALID,
            }
        }
        let is_short = (1..=Self::DIMENSIONS_MAX).contains(&words.len());
        if is_short { per } else { Self::INVALID }
    }
}

impl Serialize for Per {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut dimensions = self.dimensions();
        match (dimensions.next(), dimensions.next()) {
            (Some(only), None) => to.serialize_str(only.word()),
            _ => {
                let mut list = to.serialize_seq(None)?;
                for dimension in self.dimensions() {
                    list.serialize_element(dimension.word())?;
                }
                list.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Per {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Words)
    }
}

struct Words;

impl<'de> de::Visitor<'de> for Words {
    type Value = Per;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a word or a list of words")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Per, E> {
        Ok(Per::parse(&[word.to_owned()]))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Per, A::Error> {
        let mut words = Vec::new();
        while let Some(word) = list.next_element()? {
            words.push(word);
        }
        Ok(Per::parse(&words))
    }
}
