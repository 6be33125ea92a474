//! Pages of lists: the order, the place where a page begins, and the statements for it.
//!
//! A page begins after the last row of the one before, found by the value that the list is sorted
//! by, so rows created or deleted meanwhile shift nothing.

use tollgate_model::id::Id;

use crate::row::Row;
use crate::value::{Value, limit};
use crate::{Store, StoreError};

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// Oldest first.
    #[default]
    Oldest,
    /// Newest first.
    Newest,
    /// By name, ignoring the case of ASCII letters.
    Name,
    /// By name, in reverse.
    NameBackwards,
}

impl Order {
    /// Returns whether the order is by name.
    #[must_use]
    pub const fn is_by_name(self) -> bool {
        matches!(self, Self::Name | Self::NameBackwards)
    }
}

/// A page of a list to read.
#[derive(Clone)]
pub struct Part<K> {
    /// The order of the rows.
    pub order: Order,
    /// The last row of the page before: its id and, if the order is by name, its [`name_key`].
    pub after: Option<(Id<K>, String)>,
    /// Maximum number of rows.
    pub at_most: u32,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// The rows of the page.
    pub rows: Vec<T>,
    /// The number of rows in the whole list.
    pub total: u64,
}

/// Returns the key that lists sort a name by; the same as `lower` in their statements.
#[must_use]
pub fn name_key(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// Returns the pattern of `like … escape '\'` that matches texts with these words in this order,
/// ignoring the case of ASCII letters.
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

/// Builds the [`Statements`] that select `columns` `from` tables with a `where` clause, with the
/// given columns of id and name and the given parameters of the [`Part`].
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
    const fn for_order(&self, order: Order) -> &'static str {
        match order {
            Order::Oldest => self.oldest,
            Order::Newest => self.newest,
            Order::Name => self.name,
            Order::NameBackwards => self.name_backwards,
        }
    }
}

impl<K> Part<K> {
    /// Returns the values of the part's parameters: id to begin after, length and, if the order is
    /// by name, key. On the first page, id and key are ones that precede all rows.
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
    /// Returns a page of the list that matches `filter`, and the total number of rows.
    pub(crate) async fn find<T, K>(
        &self,
        statements: &Statements,
        part: &Part<K>,
        filter: &[Value<'_>],
        read: fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Found<T>, StoreError> {
        let values: Vec<_> = filter.iter().copied().chain(part.values()).collect();
        let rows = self
            .list(statements.for_order(part.order), &values, read)
            .await?;
        let total = self.row(statements.total, filter).await?;
        let total = total.map_or(Ok(0), |row| row.int("total"))?;
        Ok(Found {
            rows,
            total: u64::try_from(total).unwrap_or_default(),
        })
    }
}
