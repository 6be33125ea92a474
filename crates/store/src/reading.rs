//! Read transactions.

use crate::StoreError;
use crate::db::Connection;
use crate::row::Row;
use crate::value::Value;

/// A read transaction: all its reads see the same state.
pub(crate) struct Reading {
    connection: Connection,
    is_over: bool,
}

impl Reading {
    pub(crate) async fn begin(connection: Connection) -> Result<Self, StoreError> {
        let mut reading = Self {
            connection,
            is_over: false,
        };
        reading.connection.begin_read().await?;
        Ok(reading)
    }

    pub(crate) async fn rows(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        self.connection.rows(sql, values).await
    }

    pub(crate) async fn row(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, values).await?.pop())
    }

    pub(crate) async fn end(mut self) -> Result<(), StoreError> {
        self.connection.commit().await?;
        self.is_over = true;
        Ok(())
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if !self.is_over {
            self.connection.discard();
        }
    }
}
