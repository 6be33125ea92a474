//! Published figures of other products to compare with: the tables of `bench/published`. They were
//! measured on other machines with other load generators; a report shows them, but bases no verdict
//! on them.

use std::path::Path;

use anyhow::Context as _;

use crate::kept::{Cell, Published};

/// A row of a published table, limited to the figures that the lab also measures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// The table's name of the scenario; `None` if the table has only one.
    pub scenario: Option<String>,
    /// Concurrent users, over all gateways.
    pub users: Option<u32>,
    /// Size of the message in bytes; `None` if the table has only one.
    pub message_bytes: Option<u64>,
    /// The back end's delay in milliseconds.
    pub delay_ms: u64,
    /// Requests per second, over all gateways.
    pub per_second: Option<f64>,
    /// Average response time in milliseconds.
    pub average_ms: Option<f64>,
    /// The 99th percentile of the response time, in milliseconds.
    pub p99_ms: Option<f64>,
    /// Average response time added by the gateway, in milliseconds.
    pub added_ms: Option<f64>,
}

/// The published rows for a run, and how they map to its scenarios.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Beside {
    /// The table's file name.
    pub file: String,
    rows: Vec<Row>,
    chosen: Published,
}

impl Beside {
    /// Reads the table that a run refers to from the folder `bench/published`; empty if it refers
    /// to none.
    ///
    /// # Errors
    /// Fails if the file does not exist or is not a table.
    pub fn read(folder: &Path, chosen: Option<&Published>) -> anyhow::Result<Self> {
        let Some(chosen) = chosen else {
            return Ok(Self::default());
        };
        let path = folder.join(&chosen.file);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("reading the published table {}", path.display()))?;
        Self::parse(&text, chosen)
            .with_context(|| format!("the published table {}", path.display()))
    }

    /// Selects rows of a table.
    ///
    /// # Errors
    /// Fails if it is not a table, or lacks a column of the selection.
    pub fn parse(text: &str, chosen: &Published) -> anyhow::Result<Self> {
        let mut table = csv::Reader::from_reader(text.as_bytes());
        let columns = table.headers()?.clone();
        for column in chosen.rows.keys() {
            let has_it = columns.iter().any(|name| name == column);
            anyhow::ensure!(has_it, "no column is named {column:?}");
        }
        let mut rows = Vec::new();
        for record in table.records() {
            let record = record?;
            let field = |name: &str| {
                let at = columns.iter().position(|column| column == name)?;
                record.get(at).filter(|text| !text.is_empty())
            };
            let is_chosen = |(name, value): (&String, &String)| field(name) == Some(value);
            if chosen.rows.iter().all(is_chosen) {
                rows.push(Row::parse(field));
            }
        }
        Ok(Self {
            file: chosen.file.clone(),
            rows,
            chosen: chosen.clone(),
        })
    }

    /// Returns the row measured under a cell's conditions, as far as the table has them.
    #[must_use]
    pub fn row(&self, cell: &Cell) -> Option<&Row> {
        let renamed = self.chosen.scenarios.get(&cell.scenario);
        let scenario = renamed.unwrap_or(&cell.scenario);
        self.rows.iter().find(|row| {
            row.scenario
                .as_ref()
                .is_none_or(|of_row| of_row == scenario)
                && row.users == Some(cell.users)
                && row
                    .message_bytes
                    .is_none_or(|bytes| bytes == cell.message_bytes)
                && row.delay_ms == cell.delay_ms
        })
    }
}

impl Row {
    /// Parses a row; tables have different column names for the same figures.
    fn parse<'a>(field: impl Fn(&str) -> Option<&'a str>) -> Self {
        let number = |names: &[&str]| -> Option<f64> {
            let mut found = names.iter().filter_map(|name| field(name));
            found.next()?.parse().ok()
        };
        let gateways = number(&["gateways"]).unwrap_or(1.0);
        let of_each = number(&["concurrency_per_gateway"]);
        let users = number(&["users"]).or_else(|| Some(of_each? * gateways));
        Self {
            scenario: field("scenario").map(str::to_owned),
            users: users.map(|users| users as u32),
            message_bytes: number(&["payload_bytes", "message_bytes"]).map(|bytes| bytes as u64),
            delay_ms: number(&["backend_delay_ms"]).unwrap_or(0.0) as u64,
            per_second: number(&["throughput_per_s", "throughput_per_s_total"]),
            average_ms: number(&["average_response_ms", "average_ms"]),
            p99_ms: number(&["p99_ms"]),
            added_ms: number(&["added_latency_ms"]),
        }
    }
}

#[cfg(test)]
mod tests;
