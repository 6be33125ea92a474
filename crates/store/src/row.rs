//! A row of a result, read by column; one variant for each database.

use serde::de::DeserializeOwned;
use sqlx::sqlite::SqliteRow;
use tollgate_model::credential::{Allowed, Digest};
use tollgate_model::id::Id;
use tollgate_model::lifecycle::{Deprecation, State, Successor};

use crate::StoreError;
use crate::value::from_json;

/// The columns of the deprecation of a version `v` with successor `n`, for [`Row::deprecation`].
macro_rules! deprecation_columns {
    () => {
        "v.deprecated_us, v.sunset_us, v.deprecation_text, v.successor, \
            n.name as successor_name, n.state as successor_state"
    };
}
pub(crate) use deprecation_columns;

/// One row of a result.
pub(crate) enum Row {
    /// A row of the file.
    Sqlite(SqliteRow),
}

impl Row {
    fn column<'r, T>(&'r self, name: &str) -> Result<T, StoreError>
    where
        T: sqlx::Decode<'r, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>,
    {
        match self {
            Self::Sqlite(row) => sqlx::Row::try_get(row, name),
        }
        .map_err(|error| StoreError::Corrupt(format!("column {name}: {error}")))
    }

    pub(crate) fn int(&self, name: &str) -> Result<i64, StoreError> {
        self.column(name)
    }

    pub(crate) fn int_or_null(&self, name: &str) -> Result<Option<i64>, StoreError> {
        self.column(name)
    }

    pub(crate) fn id<K>(&self, name: &str) -> Result<Id<K>, StoreError> {
        self.column(name).map(Id::from_raw)
    }

    pub(crate) fn id_or_null<K>(&self, name: &str) -> Result<Option<Id<K>>, StoreError> {
        Ok(self.int_or_null(name)?.map(Id::from_raw))
    }

    pub(crate) fn boolean(&self, name: &str) -> Result<bool, StoreError> {
        self.column(name)
    }

    pub(crate) fn text(&self, name: &str) -> Result<String, StoreError> {
        self.column(name)
    }

    pub(crate) fn text_or_null(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.column(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        self.column(name)
    }

    pub(crate) fn digest(&self, name: &str) -> Result<Digest, StoreError> {
        let bytes: &[u8] = self.column(name)?;
        bytes
            .try_into()
            .map_err(|_| StoreError::Corrupt(format!("column {name} is no digest")))
    }

    /// Parses a stored word into the model's value.
    pub(crate) fn word<T>(
        &self,
        name: &str,
        from_word: fn(&str) -> Option<T>,
    ) -> Result<T, StoreError> {
        model_word(name, self.column(name)?, from_word)
    }

    pub(crate) fn word_or_null<T>(
        &self,
        name: &str,
        from_word: fn(&str) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        let word: Option<&str> = self.column(name)?;
        word.map(|word| model_word(name, word, from_word))
            .transpose()
    }

    /// Parses stored JSON into the model's structure.
    pub(crate) fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T, StoreError> {
        from_json(self.column(name)?, name)
    }

    pub(crate) fn json_or_null<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, StoreError> {
        let text: Option<&str> = self.column(name)?;
        text.map(|text| from_json(text, name)).transpose()
    }

    /// Returns the addresses and origins that may use a credential. Most rows have no such text:
    /// NULL.
    pub(crate) fn allowed(&self) -> Result<Allowed, StoreError> {
        self.json_or_null("allowed").map(Option::unwrap_or_default)
    }

    /// Returns the scopes granted to a subscription. Most rows have no such text: NULL.
    pub(crate) fn granted_scopes(&self) -> Result<Vec<String>, StoreError> {
        self.json_or_null("scopes").map(Option::unwrap_or_default)
    }

    /// Returns the deprecation of a version, from the [`deprecation_columns`].
    pub(crate) fn deprecation(&self) -> Result<Option<Deprecation>, StoreError> {
        let Some(since_us) = self.int_or_null("deprecated_us")? else {
            return Ok(None);
        };
        let successor = match self.id_or_null("successor")? {
            Some(id) => Some(Successor {
                id,
                name: self.text("successor_name")?,
                state: self.word("successor_state", State::from_word)?,
            }),
            None => None,
        };
        Ok(Some(Deprecation {
            since_us,
            sunset_us: self.int_or_null("sunset_us")?,
            successor,
            text: self.text_or_null("deprecation_text")?.unwrap_or_default(),
        }))
    }

    /// Returns the digest before a rotation, and until when it is accepted.
    pub(crate) fn previous_digest(&self) -> Result<Option<(Digest, i64)>, StoreError> {
        match self.int_or_null("previous_until_us")? {
            Some(until_us) => Ok(Some((self.digest("previous_digest")?, until_us))),
            None => Ok(None),
        }
    }
}

fn model_word<T>(
    name: &str,
    word: &str,
    from_word: fn(&str) -> Option<T>,
) -> Result<T, StoreError> {
    from_word(word).ok_or_else(|| StoreError::Corrupt(format!("column {name} holds {word:?}")))
}
