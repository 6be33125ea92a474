//! Known gaps in the figures. Losses are written with the batch that they belong to and kept as
//! long as the hours.

use hashbrown::HashMap;
use sqlx::SqliteConnection;

/// Why data is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The process ended without writing its data: an unknown number of calls is missing.
    UncleanStop,
    /// A worker's ring was full: calls are counted by API, version and status, without detail.
    RingFull,
    /// `usage.db` could not be written until memory was full: calls are counted by API, version and
    /// status, without detail.
    BacklogFull,
    /// `usage.db` was damaged and set aside: everything before is in that file. Or some of its
    /// figures are unreadable: the calls are not counted by all dimensions.
    Damaged,
    /// `usage.db` was missing although the installation had been in use: everything before is lost.
    Missing,
    /// The spool could not be written for so long that memory was full: the calls are counted, but
    /// none of them can be looked up.
    SpoolBehind,
    /// A part of the spool was damaged and set aside, or removed: the calls are counted, but none
    /// of them can be looked up.
    SpoolDamaged,
    /// The oldest files of the spool were removed before their time, because it was full: the calls
    /// are counted, but none of them can be looked up.
    SpoolFull,
}

const REASONS: [Reason; 8] = [
    Reason::UncleanStop,
    Reason::RingFull,
    Reason::BacklogFull,
    Reason::Damaged,
    Reason::Missing,
    Reason::SpoolBehind,
    Reason::SpoolDamaged,
    Reason::SpoolFull,
];

impl Reason {
    /// The word of this reason, as in JSON and the database.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::UncleanStop => "unclean_stop",
            Self::RingFull => "ring_full",
            Self::BacklogFull => "backlog_full",
            Self::Damaged => "damaged",
            Self::Missing => "missing",
            Self::SpoolBehind => "spool_behind",
            Self::SpoolDamaged => "spool_damaged",
            Self::SpoolFull => "spool_full",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        REASONS.into_iter().find(|reason| reason.word() == word)
    }
}

/// A gap in the figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// Unix microseconds from which data may be missing.
    pub from_us: i64,
    /// Unix microseconds until which data may be missing.
    pub to_us: i64,
    /// The reason.
    pub reason: Reason,
    /// The number of calls, if known.
    pub calls: Option<u64>,
}

impl Loss {
    pub(crate) const fn key(&self) -> LossKey {
        LossKey {
            reason: self.reason,
            from_us: self.from_us,
        }
    }
}

/// Losses that are not written yet, with their end, Unix microseconds, and number of calls.
pub(crate) type Unwritten = HashMap<LossKey, (i64, Option<u64>)>;

/// At most one loss per reason begins at a time; further calls are added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LossKey {
    pub(crate) reason: Reason,
    pub(crate) from_us: i64,
}

pub(crate) async fn add(connection: &mut SqliteConnection, loss: &Loss) -> sqlx::Result<()> {
    const SQL: &str = "insert into losses (reason, from_us, to_us, calls) values ($1, $2, $3, $4) \
         on conflict do update set to_us = max(to_us, excluded.to_us), \
         calls = calls + excluded.calls";
    let calls = loss
        .calls
        .map(|calls| i64::try_from(calls).unwrap_or(i64::MAX));
    sqlx::query(SQL)
        .bind(loss.reason.word())
        .bind(loss.from_us)
        .bind(loss.to_us)
        .bind(calls)
        .execute(connection)
        .await
        .map(drop)
}

/// Returns all losses, the earliest first.
pub(crate) async fn list(connection: &mut SqliteConnection) -> sqlx::Result<Vec<Loss>> {
    const SQL: &str = "select reason, from_us, to_us, calls from losses order by from_us, reason";
    let rows: Vec<(String, i64, i64, Option<i64>)> =
        sqlx::query_as(SQL).fetch_all(connection).await?;
    let losses = rows
        .into_iter()
        .filter_map(|(reason, from_us, to_us, calls)| {
            Some(Loss {
                from_us,
                to_us,
                reason: Reason::from_word(&reason)?,
                calls: calls.and_then(|calls| u64::try_from(calls).ok()),
            })
        });
    Ok(losses.collect())
}

/// Merges unwritten losses, as [`add`] will do.
pub(crate) fn merge(losses: &mut Vec<Loss>, unwritten: &Unwritten) {
    for (key, &(to_us, calls)) in unwritten {
        match losses.iter_mut().find(|loss| loss.key() == *key) {
            Some(loss) => {
                loss.to_us = loss.to_us.max(to_us);
                loss.calls = loss.calls.zip(calls).map(|(one, other)| one + other);
            }
            None => losses.push(Loss {
                from_us: key.from_us,
                to_us,
                reason: key.reason,
                calls,
            }),
        }
    }
    losses.sort_unstable_by_key(|loss| (loss.from_us, loss.reason));
}
