//! How many calls the generator made of what: the cubes must have the same, restarts or not.

use std::collections::HashMap;
use std::error::Error;

use tollgate_analytics::{Dimension, Query, Row, Usage};
use tollgate_model::id::Id;
use tollgate_model::record::Record;

use crate::now_us;
use crate::questions::RANGE_US;

/// The totals of a dimension, which are compared.
struct Compared {
    dimension: Dimension,
    of_record: fn(&Record) -> Option<i64>,
    of_row: fn(&Row) -> Option<i64>,
}

const COMPARED: [Compared; 8] = [
    Compared {
        dimension: Dimension::Api,
        of_record: |record| record.api.map(Id::raw),
        of_row: |row| row.api().map(Id::raw),
    },
    Compared {
        dimension: Dimension::Version,
        of_record: |record| record.version.map(Id::raw),
        of_row: |row| row.version().map(Id::raw),
    },
    Compared {
        dimension: Dimension::Operation,
        of_record: |record| record.operation.map(Id::raw),
        of_row: |row| row.operation().map(Id::raw),
    },
    Compared {
        dimension: Dimension::Application,
        of_record: |record| record.application.map(Id::raw),
        of_row: |row| row.application().map(Id::raw),
    },
    Compared {
        dimension: Dimension::Plan,
        of_record: |record| record.plan.map(Id::raw),
        of_row: |row| row.plan().map(Id::raw),
    },
    Compared {
        dimension: Dimension::Status,
        of_record: |record| Some(record.status.into()),
        of_row: |row| row.status().map(Into::into),
    },
    Compared {
        dimension: Dimension::Refusal,
        of_record: |record| record.refusal.map(|it| it as i64),
        of_row: |row| row.refusal().map(|it| it as i64),
    },
    Compared {
        dimension: Dimension::Agent,
        of_record: |record| Some(record.agent.number().into()),
        of_row: |row| row.agent().map(|it| it.number().into()),
    },
];

/// Calls by each of [`COMPARED`].
#[derive(Default)]
pub(crate) struct Totals([HashMap<Option<i64>, u64>; COMPARED.len()]);

impl Totals {
    pub(crate) fn add(&mut self, record: &Record) {
        for (compared, calls) in COMPARED.iter().zip(&mut self.0) {
            *calls.entry((compared.of_record)(record)).or_default() += 1;
        }
    }

    /// Compares them with the figures of the last eight days.
    ///
    /// # Errors
    /// Fails if one differs.
    pub(crate) async fn check(&self, usage: &Usage) -> Result<(), Box<dyn Error>> {
        let now_us = now_us()?;
        for (compared, expected) in COMPARED.iter().zip(&self.0) {
            let query = Query {
                group_by: vec![compared.dimension],
                ..Query::of(now_us - RANGE_US * 8 / 7..now_us)
            };
            let answer = usage.query(&query).await?;
            let rows = answer.rows.iter();
            let found = rows.map(|row| ((compared.of_row)(row), row.measures.calls));
            let found: HashMap<_, _> = found.collect();
            if found != *expected {
                return Err(format!("{:?}: totals differ", compared.dimension).into());
            }
        }
        Ok(())
    }
}
