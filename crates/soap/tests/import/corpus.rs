//! Checks every contract of a corpus against its README.
//!
//! `WSDL_CORPUS` names the folder of the corpus; the default is `../shared/wsdl` next to the
//! repository, if present.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tollgate_soap::compile::{Choice, CompileError, Compiled, compile};
use tollgate_soap::import::{Documents, Imported, read};

use crate::{size, soundness};

/// The maximum time for one contract.
const TIME_MAX: Duration = Duration::from_secs(5);

pub(crate) fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("WSDL_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/wsdl"),
    };
    folder.join("README.md").is_file().then_some(folder)
}

/// A row of the README's table of files.
pub(crate) struct Row {
    pub(crate) main: String,
    operations: usize,
    status: String,
    features: String,
}

pub(crate) fn rows(readme: &str) -> Vec<Row> {
    let table = readme.split("## Files").nth(1).expect("a table of files");
    let lines = table
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains(".wsdl |"));
    let rows = lines.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        Row {
            main: cells[0].to_owned(),
            operations: cells[1].parse().expect("a number of operations"),
            status: cells[4].to_owned(),
            features: cells[5].to_owned(),
        }
    });
    rows.collect()
}

/// Adds the documents that a document refers to, as control does for a set of files.
pub(crate) fn collected(folder: &Path, main: &str) -> Result<Documents, String> {
    let mut documents = Documents::default();
    let mut missing = vec![main.to_owned()];
    while !missing.is_empty() {
        let mut is_any = false;
        for uri in &missing {
            let Ok(bytes) = fs::read(folder.join(uri)) else {
                continue;
            };
            documents
                .add(uri, &bytes)
                .map_err(|error| format!("{uri}: {error}"))?;
            is_any = true;
        }
        if !is_any {
            break;
        }
        missing = documents
            .missing(main)
            .into_iter()
            .map(|missing| missing.uri)
            .collect();
    }
    Ok(documents)
}

pub(crate) type Outcome = Result<(Imported, Result<Compiled, CompileError>), String>;

pub(crate) fn imported(folder: &Path, main: &str) -> Outcome {
    let documents = collected(folder, main)?;
    let imported = read(&documents, main).map_err(|error| error.to_string())?;
    let compiled = compile(&imported, &Choice::default());
    Ok((imported, compiled))
}

#[test]
fn every_contract_of_the_corpus_matches_its_readme() {
    let Some(folder) = corpus() else {
        println!("the corpus is not there: name its folder with WSDL_CORPUS");
        return;
    };
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let rows = rows(&readme);
    assert!(rows.len() > 60, "only {} rows in the README", rows.len());
    let mut faults = Vec::new();
    println!("ops rest notes  ms contract");
    for row in &rows {
        let start = Instant::now();
        let outcome = imported(&folder, &row.main);
        let took = start.elapsed();
        if took > TIME_MAX {
            faults.push(format!("{}: took {took:?}", row.main));
        }
        let line = described(&outcome);
        println!("{line} {:>4} {}", took.as_millis(), row.main);
        if let Ok((_, Ok(compiled))) = &outcome {
            let mut operations = compiled.plan.operations.iter();
            let off = operations.find_map(|operation| operation.proxy_only.as_ref());
            off.iter().for_each(|why| println!("{:21}{why}", ""));
        }
        if let Ok((_, Ok(compiled))) = &outcome {
            soundness::check(&compiled.plan);
        }
        faults.extend(fault(row, &outcome).map(|fault| format!("{}: {fault}", row.main)));
    }
    let peak = size::peak_bytes().map_or_else(String::new, |peak| format!(", peak {peak} bytes"));
    println!("{} contracts{peak}", rows.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn described(outcome: &Outcome) -> String {
    let Ok((imported, compiled)) = outcome else {
        return "  -    -     -".to_owned();
    };
    let mut notes = imported.report.notes.len();
    let (mut operations, mut rest) = (0, 0);
    if let Ok(compiled) = compiled {
        notes += compiled.warnings.len();
        operations = compiled.plan.operations.len();
        let all = compiled.plan.operations.iter();
        rest = all
            .filter(|operation| operation.proxy_only.is_none())
            .count();
    }
    format!("{operations:>3} {rest:>4} {notes:>5}")
}

/// Operations that a strict reader loads but that cannot be called as REST, with the reason that
/// must be reported: their contracts are incomplete.
const PROXIED: [(&str, &str); 3] = [
    ("node-soap/builtin_types/", "its body has several parts"),
    ("wasabi/two_bindings/", "the port type has no operation"),
    (
        "wasabi/types_with_same_name",
        "SaveResponse` is not defined",
    ),
];

/// Returns the first expectation of the row that the outcome violates.
fn fault(row: &Row, outcome: &Outcome) -> Option<String> {
    let must_load = row.status == "loads" || row.status.contains("must import");
    let (imported, compiled) = match outcome {
        Err(_) if !must_load => return None,
        Err(error) => return Some(format!("must import, and: {error}")),
        Ok(outcome) => outcome,
    };
    let services = imported.report.services.iter();
    let ports = services.flat_map(|service| &service.ports);
    let operations = ports.flat_map(|port| &port.operations).count();
    if must_load && operations < row.operations {
        return Some(format!("{operations} operations of {}", row.operations));
    }
    let notes = imported.report.notes.len();
    if !must_load {
        let is_noted = compiled
            .as_ref()
            .is_ok_and(|compiled| compiled.warnings.len() + notes > 0);
        let is_reported = is_noted || compiled.is_err();
        return (!is_reported).then(|| "is not sound, and no note reports it".to_owned());
    }
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(_) if !row.features.contains("SOAP1") => return None,
        Err(error) => return Some(error.to_string()),
    };
    let is_encoded = row.features.contains("ENCODED");
    let is_expected = |why: &str| {
        let mut known = PROXIED.iter();
        known.any(|(main, reason)| row.main.starts_with(main) && why.contains(reason))
    };
    let operations = compiled.plan.operations.iter();
    let mut off = operations.filter_map(|operation| {
        let why = operation.proxy_only.as_deref()?;
        (!is_expected(why)).then(|| format!("`{}` must work: {why}", operation.name))
    });
    off.next().filter(|_| !is_encoded)
}
