//! The gateway accepts whatever the OpenAPI document allows: instances from which members or items
//! are missing, or in which they are null or twice, are refused by both, or by the document alone.

use serde_json::Value;
use tollgate_soap::to_xml::{Request, Scratch};

use super::fuzzing::Random;
use super::instances::{Instances, MIXED};
use super::validator::misfit;
use super::{Both, corpus, shop};

/// Instances of each operation, and the changes of each.
const TRIES: usize = 20;

/// Changes one place of a value.
fn change(value: &mut Value, random: &mut Random) {
    let below: Vec<&mut Value> = match value {
        Value::Object(members) => members.values_mut().collect(),
        Value::Array(items) => items.iter_mut().collect(),
        _ => Vec::new(),
    };
    let deeper = below.len();
    if deeper > 0 && random.below(3) > 0 {
        let one = below.into_iter().nth(random.below(deeper));
        return one.into_iter().for_each(|it| change(it, random));
    }
    match (value, random.below(4)) {
        (Value::Object(members), 0..=2) => {
            let key = members.keys().nth(random.below(deeper)).cloned();
            key.and_then(|key| members.remove(&key));
        }
        (Value::Array(items), 0) => items.clear(),
        (Value::Array(items), 1) => drop(items.pop()),
        (Value::Array(items), 2) => items.extend(items.last().cloned()),
        (Value::String(text), 0) => text.push('-'),
        (Value::String(text), 1) => text.clear(),
        (value, _) => *value = Value::Null,
    }
}

/// Beginnings of sentences about what no schema can express.
const SILENT: [&str; 3] = [
    "must be base64",
    "must be hexadecimal",
    "must be an element",
];

/// Whether the gateway takes the JSON as a request; with its reasons if not.
fn is_taken(both: &Both, operation: usize, value: &Value) -> Result<(), String> {
    // Markup in mixed content is up to the caller.
    let json = value.to_string().replace(MIXED, "a");
    let request = Request {
        body: Some(json.as_bytes()),
        ..Request::default()
    };
    let (mut scratch, mut xml) = (Scratch::default(), Vec::new());
    let written = both
        .to_xml
        .write(operation, &request, &mut scratch, &mut xml);
    let Err(mut violations) = written else {
        return Ok(());
    };
    violations.retain(|it| SILENT.iter().all(|start| !it.sentence.starts_with(start)));
    if violations.is_empty() {
        return Ok(());
    }
    Err(format!("{json}\n{violations:?}"))
}

// rest.openapi.complete
#[test]
fn what_the_document_allows_is_accepted() {
    let (mut wrong, mut allowed, mut forbidden) = (Vec::new(), 0, 0);
    let shop = [("shop".to_owned(), shop())];
    for (name, plan) in shop.into_iter().chain(corpus()) {
        let both = Both::load(plan);
        let mut random = Random(1);
        for (index, operation) in both.plan.operations.iter().enumerate() {
            let Some(body) = &operation.request.body else {
                continue;
            };
            if operation.proxy_only.is_some() {
                continue;
            }
            let path = format!("/{}", operation.name);
            let content = &both.document["paths"][path]["post"]["requestBody"]["content"];
            let schema = &content["application/json"]["schema"];
            if schema.is_null() {
                continue;
            }
            for _ in 0..TRIES {
                let mut random = Random(random.next() | 1);
                let Some(instance) = Instances::new(&both.plan, &mut random).element(body) else {
                    continue;
                };
                for _ in 0..TRIES {
                    let mut value = instance.clone();
                    change(&mut value, &mut random);
                    if misfit(&both.document, schema, &value).is_some() {
                        forbidden += 1;
                        continue;
                    }
                    allowed += 1;
                    if let Err(why) = is_taken(&both, index, &value) {
                        wrong.push(format!("{name}, {}: {why}", operation.name));
                    }
                }
            }
        }
    }
    println!("{allowed} allowed, {forbidden} forbidden");
    let first: Vec<_> = wrong.iter().take(5).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), first.join("\n"));
    assert!(allowed > 0 && forbidden > 0);
}
