//! Published figures of other products, to stand beside ours: the tables of `bench/published`. They
//! were measured on other machines with other load generators; a report shows them and judges
//! nothing by them.

use std::path::Path;

use anyhow::Context as _;

use crate::kept::{Cell, Published};

/// A row of a published table, as far as we have figures of that kind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// The table's word for the scenario; a table that has none is of one scenario.
    pub scenario: Option<String>,
    /// Concurrent users, over all gateways.
    pub users: Option<u32>,
    /// Bytes of the message; a table that has none is of one size.
    pub message_bytes: Option<u64>,
    /// The back end's delay in milliseconds.
    pub delay_ms: u64,
    /// Requests a second, of all gateways together.
    pub per_second: Option<f64>,
    /// Average response time in milliseconds.
    pub average_ms: Option<f64>,
    /// The 99th percentile of it.
    pub p99_ms: Option<f64>,
    /// What the gateway added to the average.
    pub added_ms: Option<f64>,
}

/// The rows that stand beside a run, and what they are called.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Beside {
    /// The table's file name.
    pub file: String,
    rows: Vec<Row>,
    chosen: Published,
}

impl Beside {
    /// Reads the table that a run names from the folder `bench/published`; nothing where it names
    /// none.
    ///
    /// # Errors
    /// The file is not there or is not a table.
    pub fn read(folder: &Path, chosen: Option<&Published>) -> anyhow::Result<Self> {
        let Some(chosen) = chosen else {
            return Ok(Self::default());
        };
        let path = folder.join(&chosen.file);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("reading the published table {}", path.display()))?;
        Self::of(&text, chosen).with_context(|| format!("the published table {}", path.display()))
    }

    /// The chosen rows of a table.
    ///
    /// # Errors
    /// It is not a table, or does not have a column that rows are chosen by.
    pub fn of(text: &str, chosen: &Published) -> anyhow::Result<Self> {
        let mut table = csv::Reader::from_reader(text.as_bytes());
        let columns = table.headers()?.clone();
        for column in chosen.rows.keys() {
            let has_it = columns.iter().any(|name| name == column);
            anyhow::ensure!(has_it, "there is no column {column:?}");
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
                rows.push(Row::of(field));
            }
        }
        Ok(Self {
            file: chosen.file.clone(),
            rows,
            chosen: chosen.clone(),
        })
    }

    /// The row that was measured in a cell's circumstances, as far as the table tells them.
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
    /// Each table has its own words for the same figures.
    fn of<'a>(field: impl Fn(&str) -> Option<&'a str>) -> Self {
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
