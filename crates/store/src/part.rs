//! Lists in parts: what is looked for, in which order things come, where a part begins, and the
//! statements for it.
//!
//! A part begins after the last thing of the one before, found by the value that the list is
//! sorted by, so that what is made or deleted meanwhile moves nothing.

use tollgate_model::id::Id;

use crate::row::Row;
use crate::value::{Value, limit};
use crate::{Store, StoreError};

/// In which order the things of a list come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// What was made first comes first.
    #[default]
    Oldest,
    /// What was made last comes first.
    Newest,
    /// By name, whatever the case of its ASCII letters.
    Name,
    /// By name, backwards.
    NameBackwards,
}

impl Order {
    /// Whether names decide.
    #[must_use]
    pub const fn is_by_name(self) -> bool {
        matches!(self, Self::Name | Self::NameBackwards)
    }
}

/// Which part of a list is wanted.
#[derive(Clone)]
pub struct Part<K> {
    /// In which order things come.
    pub order: Order,
    /// The last thing of the part before: its id and, where names decide, its [`name_key`].
    pub after: Option<(Id<K>, String)>,
    /// Things of the part at most.
    pub at_most: u32,
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// The things of the part.
    pub rows: Vec<T>,
    /// How many things the whole list has.
    pub total: u64,
}

/// What lists sort a name by; the same as `lower` in their statements.
#[must_use]
pub fn name_key(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// The pattern of `like … escape '\'` that finds these words in this order, whatever the case of
/// their ASCII letters.
#[must_use]
pub fn pattern(words: &str) -> String {
    let mut pattern = "%".to_owned();
    for word in words.split_whitespace() {
        for character in word.chars() {
            if matches!(character, '%' | '_' | '\\') {
                pattern.push('\\');
            }
            pattern.push(character);
        }
        pattern.push('%');
    }
    pattern
}

/// The statements of one list, one for each order. The list's own parameters come first, and those
/// of [`Part`] follow: id, length and, in the statements by name, key.
pub(crate) struct Statements {
    pub(crate) oldest: &'static str,
    pub(crate) newest: &'static str,
    pub(crate) name: &'static str,
    pub(crate) name_backwards: &'static str,
    pub(crate) total: &'static str,
}

/// The [`Statements`] that select `columns` `from` tables with a `where` clause, of things with
/// these columns of their ids and names and these parameters of the [`Part`].
macro_rules! statements {
    (
        select $columns:expr, from $from:expr, id $id:literal name $name:literal,
        after $after:literal at_most $at_most:literal key $key:literal
    ) => {
        $crate::part::Statements {
            oldest: concat!(
                "select ",
                $columns,
                " from ",
                $from,
                " and ",
                $id,
                " > ",
                $after,
                " order by ",
                $id,
                " limit ",
                $at_most
            ),
            newest: concat!(
                "select ",
                $columns,
                " from ",
                $from,
                " and ",
                $id,
                " < ",
                $after,
                " order by ",
                $id,
                " desc limit ",
                $at_most
            ),
            name: concat!(
                "select ",
                $columns,
                " from ",
                $from,
                " and (lower(",
                $name,
                "), ",
                $id,
                ") > (",
                $key,
                ", ",
                $after,
                ") order by lower(",
                $name,
                "), ",
                $id,
                " limit ",
                $at_most
            ),
            name_backwards: concat!(
                "select ",
                $columns,
                " from ",
                $from,
                " and (",
                $key,
                " is null or (lower(",
                $name,
                "), ",
                $id,
                ") < (",
                $key,
                ", ",
                $after,
                ")) order by lower(",
                $name,
                ") desc, ",
                $id,
                " desc limit ",
                $at_most
            ),
            total: concat!("select count(*) as total from ", $from),
        }
    };
}
pub(crate) use statements;

impl Statements {
    const fn of(&self, order: Order) -> &'static str {
        match order {
            Order::Oldest => self.oldest,
            Order::Newest => self.newest,
            Order::Name => self.name,
            Order::NameBackwards => self.name_backwards,
        }
    }
}

impl<K> Part<K> {
    /// The id after which the part begins, its length and, where names decide, the key. Without a
    /// part before, an id and a key that come before the first.
    fn values(&self) -> impl Iterator<Item = Value<'_>> {
        let (id, key) = match (&self.after, self.order) {
            (Some((id, key)), _) => ((*id).into(), key.into()),
            (None, Order::Newest | Order::NameBackwards) => (i64::MAX.into(), Value::Text(None)),
            (None, Order::Oldest | Order::Name) => (0.into(), "".into()),
        };
        let key = self.order.is_by_name().then_some(key);
        [id, limit(self.at_most)].into_iter().chain(key)
    }
}

impl Store {
    /// A part of a list with these values of its own, and how many things there are in all.
    pub(crate) async fn find<T, K>(
        &self,
        statements: &Statements,
        part: &Part<K>,
        filter: &[Value<'_>],
        read: fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Found<T>, StoreError> {
        let values: Vec<_> = filter.iter().copied().chain(part.values()).collect();
        let rows = self.list(statements.of(part.order), &values, read).await?;
        let total = self.row(statements.total, filter).await?;
        let total = total.map_or(Ok(0), |row| row.int("total"))?;
        Ok(Found {
            rows,
            total: u64::try_from(total).unwrap_or_default(),
        })
    }
}
