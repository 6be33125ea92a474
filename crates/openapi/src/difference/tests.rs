use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::examples::{EXAMPLES, Of};
use super::*;
use crate::Limits;

mod bounds_of_work;
mod hostile;
mod judgement;
mod operations;
mod overlaps;
mod schemas;
mod versions;

fn document(text: &str) -> Document {
    Document::read(text.as_bytes(), Limits::default()).unwrap()
}

/// The difference of two documents in YAML or JSON.
fn of(old: &str, new: &str) -> Difference {
    difference(&document(old), &document(new))
}

/// Runs it and returns how long it took.
fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed())
}

/// A document with this path item of `/pets`.
fn with_item(item: &str) -> String {
    format!(
        "openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\npaths:\n  /pets: {item}\n\
         components:\n  securitySchemes:\n    key: {{type: apiKey, in: header, name: X-Key}}\n    \
         oauth2: {{type: oauth2, flows: {{}}}}\n"
    )
}

/// A path item with a schema in a request or a response.
fn item_with(of: Of, schema: &str) -> String {
    match of {
        Of::PathItem => schema.to_owned(),
        Of::Request => {
            format!(
                "{{post: {{requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}}}}}"
            )
        }
        Of::Response => {
            let content = format!("{{application/json: {{schema: {schema}}}}}");
            format!("{{post: {{responses: {{'200': {{content: {content}}}}}}}}}")
        }
    }
}

/// The difference of two path items, or of two schemas.
fn between(kind: Of, old: &str, new: &str) -> Difference {
    of(
        &with_item(&item_with(kind, old)),
        &with_item(&item_with(kind, new)),
    )
}

/// The words of the rules that break, each once.
fn broken(difference: &Difference) -> BTreeSet<&'static str> {
    let rules = difference.changes().filter_map(|it| it.breaking);
    rules.map(Rule::word).collect()
}

fn sentences(difference: &Difference) -> Vec<&str> {
    difference.changes().map(|it| &*it.sentence).collect()
}

/// The verdicts of all changes, each once: the word of a rule, `ok`, or `unjudged`.
fn words(difference: &Difference) -> String {
    let words = difference.changes().map(|it| match it.breaking {
        Some(rule) => rule.word(),
        None if it.judged => "ok",
        None => "unjudged",
    });
    let words: BTreeSet<_> = words.collect();
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// How a change of a schema is judged in requests and in responses, as [`words`].
fn judged(old: &str, new: &str) -> (String, String) {
    let judge = |kind| {
        let difference = between(kind, old, new);
        words(&difference)
    };
    (judge(Of::Request), judge(Of::Response))
}

#[test]
fn each_rule_breaks_by_its_own_example_alone() {
    let rules: Vec<_> = EXAMPLES.iter().map(|it| it.rule).collect();
    assert_eq!(rules, RULES);
    for example in &EXAMPLES {
        let word = example.rule.word();
        let breaking = between(example.of, example.before, example.breaks);
        assert_eq!(broken(&breaking), BTreeSet::from([word]), "{breaking:#?}");
        let compatible = between(example.of, example.before, example.compatible);
        assert_eq!(
            broken(&compatible),
            BTreeSet::new(),
            "{word} {compatible:#?}"
        );
        let is_null = example.rule == Rule::RequestNullRemoved;
        assert_eq!(compatible.is_empty(), is_null, "{word}");
        for difference in [&breaking, &compatible] {
            assert!(difference.changes().all(|it| it.judged), "{word}");
        }
    }
}

#[test]
fn words_are_those_of_serde() {
    for rule in RULES {
        let word = serde_json::to_value(rule).unwrap();
        assert_eq!(word, rule.word());
        assert!(rule.sentence().ends_with('.'), "{}", rule.word());
    }
}

#[test]
fn the_page_lists_every_rule() {
    let page = rules_markdown();
    for rule in RULES {
        assert!(page.contains(&format!("`{}`\n", rule.word())));
    }
}
