//! The edge cases of messages as JSON, checked with both transcoders and the OpenAPI document:
//! `edges.md` has them as tables, each under its schema.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::examples::blocks;
use crate::service::{Service, compact, content, expected_content, wsdl};

const PAGE: &str = include_str!("edges.md");

/// A row of the page.
struct Row<'p> {
    id: &'p str,
    /// Its direction and what is checked; the page explains the words.
    way: &'p str,
    json: &'p str,
    /// The elements of the message, or the sentence if the row is refused.
    message: &'p str,
}

fn rows(section: &str) -> impl Iterator<Item = Row<'_>> {
    let lines = section.lines().filter(|line| line.starts_with("| rest"));
    lines.map(|line| {
        let cells = line.trim_matches('|').split(" | ");
        let cells: Vec<&str> = cells.map(|cell| cell.trim().trim_matches('`')).collect();
        let [id, way, json, message] = cells[..] else {
            panic!("not four cells: {line}");
        };
        Row {
            id,
            way,
            json,
            message,
        }
    })
}

/// Returns the service of a section: a schema with the element `m`, which is both request and
/// response, or a whole contract; and the documents that it refers to.
fn service(section: &str) -> Service {
    let blocks = blocks(section);
    let (kind, main) = blocks[0];
    let main = match kind {
        "xml contract" => main.to_owned(),
        _ => wsdl(main, "m", "m"),
    };
    let others = blocks[1..].iter();
    let others = others.map(|(kind, text)| (kind.trim_start_matches("xml "), *text));
    let documents: Vec<_> = [("main.wsdl", main.as_str())]
        .into_iter()
        .chain(others)
        .collect();
    Service::of(&documents)
}

/// Fails unless both are equal.
fn same(found: &str, expected: &str) -> Result<(), String> {
    let message = || format!("expected {expected}\n  found    {found}");
    (found == expected).then_some(()).ok_or_else(message)
}

fn answered(service: &Service, row: &Row<'_>, fits: bool) -> Result<(), String> {
    let (json, mismatches) = service.answered(row.message)?;
    same(&json, &compact(row.json))?;
    if (mismatches == 0) != fits {
        return Err(format!("{mismatches} mismatches"));
    }
    let value: Value = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    match service.misfit_of_answer(&value) {
        Some(misfit) if fits => Err(format!("the document: {misfit}")),
        _ => Ok(()),
    }
}

fn sent(service: &Service, row: &Row<'_>) -> Result<(), String> {
    let xml = service.sent(row.json)?;
    same(&content(&xml), &expected_content(row.message))
}

fn refused(service: &Service, row: &Row<'_>) -> Result<(), String> {
    match service.sent(row.json) {
        Ok(xml) => Err(format!("written: {xml}")),
        Err(message) => same(message.replace("\n", "; ").trim(), row.message),
    }
}

/// Whether the document allows the JSON of a row as a request; it does not allow invalid JSON.
fn is_allowed(service: &Service, row: &Row<'_>) -> bool {
    let value = serde_json::from_str::<Value>(row.json);
    value.is_ok_and(|value| service.misfit_of_request(&value).is_none())
}

fn check(service: &Service, row: &Row<'_>) -> Result<(), String> {
    let is_allowed = is_allowed(service, row);
    let (must_allow, checked) = match row.way {
        "both" => (
            Some(true),
            answered(service, row, true).and(sent(service, row)),
        ),
        "answer" => (None, answered(service, row, true)),
        "answer, misfit" => (None, answered(service, row, false)),
        "answer, none" => {
            let message = service.answered(row.message).map(|(json, _)| json);
            let error = message.err().unwrap_or_else(|| "none".to_owned());
            (None, same(&error, row.json))
        }
        "request" => (Some(true), sent(service, row)),
        "request, silent" => (Some(false), sent(service, row)),
        "refused" => (Some(false), refused(service, row)),
        "refused, silent" => (Some(true), refused(service, row)),
        other => (None, Err(format!("there is no way {other}"))),
    };
    checked?;
    match must_allow {
        Some(must) if must != is_allowed => Err(format!("the document allows it: {is_allowed}")),
        _ => Ok(()),
    }
}

#[test]
fn every_edge_case_of_the_page_holds() {
    let (mut ids, mut wrong) = (BTreeSet::new(), Vec::new());
    for section in PAGE.split("\n## ").skip(1) {
        let service = service(section);
        for row in rows(section) {
            assert!(ids.insert(row.id), "{} is there twice", row.id);
            if let Err(message) = check(&service, &row) {
                wrong.push(format!(
                    "{} ({}): {}\n  {message}",
                    row.id, row.way, row.json
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(ids.len() > 100, "{} rows", ids.len());
}
