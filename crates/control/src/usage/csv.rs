//! A report as a table (RFC 4180), for programs that compute with tables.

use serde::Serialize;

use super::nouns::Named;
use super::question::Question;
use super::row::UsageRow;
use super::words::Word;

/// What spreadsheets take for the beginning of a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Returns rows as a table: a column for the time, two for each dimension with names, one for each
/// metric. Without metrics, one for the number of calls.
pub(super) fn table(question: &Question, has_time: bool, rows: &[UsageRow]) -> String {
    let Question {
        group_by, metrics, ..
    } = question;
    let mut head = Vec::new();
    if has_time {
        head.push("time".to_owned());
    }
    for word in group_by {
        head.extend(columns(*word).iter().map(|&name| name.to_owned()));
    }
    match metrics[..] {
        [] => head.push("calls".to_owned()),
        _ => head.extend(metrics.iter().map(|metric| metric.word.to_owned())),
    }
    let mut table = String::new();
    push(&mut table, &head);
    for row in rows {
        let mut fields = Vec::new();
        if has_time {
            fields.extend(text_of(row.time.or(row.minute).as_ref()));
        }
        for word in group_by {
            fields.extend(values(*word, row));
        }
        match &row.metrics {
            Some(values) => fields.extend(metrics.iter().map(|metric| {
                let value = values.get(metric.word).copied().flatten();
                value.map_or_else(String::new, |it| it.to_string())
            })),
            None => fields.push(row.measures.measures.calls.to_string()),
        }
        push(&mut table, &fields);
    }
    table
}

/// The columns of a dimension.
const fn columns(word: Word) -> &'static [&'static str] {
    match word {
        Word::Minute => &[],
        Word::Api => &["api", "api_name"],
        Word::Version => &["version", "version_name"],
        Word::Operation => &["operation", "operation_name"],
        Word::Application => &["application", "application_name"],
        Word::Plan => &["plan", "plan_name"],
        Word::Environment => &["environment"],
        Word::Status => &["status"],
        Word::Refusal => &["refusal"],
        Word::Cache => &["cache"],
        Word::Agent => &["agent"],
        Word::Credential => &["credential"],
    }
}

/// The fields of a dimension, in the order of its columns.
fn values(word: Word, row: &UsageRow) -> Vec<String> {
    fn named<I: ToString>(named: Option<&Named<I>>) -> Vec<String> {
        let id = named.map(|it| it.id.to_string());
        let name = named.and_then(|it| it.name.clone());
        vec![id.unwrap_or_default(), name.unwrap_or_default()]
    }
    match word {
        Word::Minute => Vec::new(),
        Word::Api => named(row.nouns.api.as_ref()),
        Word::Version => named(row.nouns.version.as_ref()),
        Word::Operation => named(row.nouns.operation.as_ref()),
        Word::Application => named(row.nouns.application.as_ref()),
        Word::Plan => named(row.nouns.plan.as_ref()),
        Word::Environment => text_of(row.environment.as_ref()),
        Word::Status => vec![row.status.map_or_else(String::new, |it| it.to_string())],
        Word::Refusal => text_of(row.refusal.as_ref()),
        Word::Cache => text_of(row.cache.as_ref()),
        Word::Agent => text_of(row.agent.as_ref()),
        Word::Credential => vec![row.credential.clone().unwrap_or_default()],
    }
}

/// A field of what JSON has as a text; empty without it.
fn text_of<V: Serialize>(value: Option<&V>) -> Vec<String> {
    let value = value.and_then(|it| serde_json::to_value(it).ok());
    let text = value.as_ref().and_then(|it| it.as_str());
    vec![text.unwrap_or_default().to_owned()]
}

fn push(table: &mut String, fields: &[String]) {
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            table.push(',');
        }
        table.push_str(&quoted(field));
    }
    table.push_str("\r\n");
}

/// A field, in quotes if it needs them. A text that a spreadsheet would compute begins with an
/// apostrophe.
fn quoted(field: &str) -> String {
    let is_number = field.parse::<f64>().is_ok();
    let field = match field.starts_with(FORMULA) && !is_number {
        true => format!("'{field}"),
        false => field.to_owned(),
    };
    match field.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}
