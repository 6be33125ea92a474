//! A fuzz target without a fuzzer: mutated expressions and templates are parsed and evaluated.
//! Nothing panics, all output is UTF-8 and within its bound, and JSON templates make JSON.

use serde_json::Value as Json;
use tollgate_json::tape::{Bounds, Tape};
use tollgate_mediation::expression::Expression;
use tollgate_mediation::name::Available;
use tollgate_mediation::scope::Scratch;
use tollgate_mediation::text::{Place, Rendered, Template};

use crate::cel::MESSAGE;
use crate::fuzzing::{Random, fuzz};
use crate::generated;
use crate::sample::Sample;

const AVAILABLE: Available<'_> = Available {
    response: true,
    body: true,
    error: true,
    locals: &["x"],
};

const PLACES: [Place; 7] = [
    Place::Plain,
    Place::Json,
    Place::JsonString,
    Place::Xml,
    Place::Path,
    Place::QueryValue,
    Place::Header,
];

/// Pieces that mutations insert.
const PIECES: [&str; 40] = [
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    ".?",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "?",
    ":",
    "==",
    "<",
    " in ",
    "&&",
    "||",
    "{{",
    "}}",
    "\"",
    "'",
    "\\",
    "r'",
    "0x",
    "9223372036854775808",
    "1e309",
    "null",
    "body",
    "request",
    ".headers[\"",
    "has(",
    "size(",
    ".matches('(a+)+$')",
    ".orValue(",
    "x",
    "é",
    "\r\n",
];

/// Returns a generated expression, mutated or repeated.
fn mutated(random: &mut Random) -> String {
    let mut text = generated::expression(random);
    for _ in 0..random.below(4) {
        let boundaries: Vec<_> = text
            .char_indices()
            .map(|it| it.0)
            .chain([text.len()])
            .collect();
        let mut at = || boundaries[random.below(boundaries.len())];
        let (one, other) = (at(), at());
        let range = one.min(other)..one.max(other).min(one.min(other) + 20);
        let range = range.start
            ..boundaries
                .iter()
                .copied()
                .find(|it| *it >= range.end)
                .unwrap_or(0);
        let piece = PIECES[random.below(PIECES.len())];
        match random.below(4) {
            0 => text.replace_range(range, piece),
            1 => text.replace_range(range, ""),
            2 => text.insert_str(range.start, &piece.repeat(random.below(100))),
            _ => text.insert_str(range.start, piece),
        }
    }
    text
}

#[test]
fn expressions() {
    let mut tape = Tape::default();
    let json = tape
        .read(MESSAGE.as_bytes(), Bounds::default())
        .expect("JSON");
    let view = tape.view(json);
    let scope = Sample { view: &view };
    let mut scratch = Scratch::default();
    fuzz(|random| {
        let text = mutated(random);
        scratch.reset();
        let is_parsed = match Expression::parse(&text, &AVAILABLE) {
            Err(fault) => {
                assert!(
                    fault.offset <= text.len() && !fault.sentence.is_empty(),
                    "{text}"
                );
                false
            }
            Ok(expression) => {
                let value = expression.evaluate(&scope, &scratch);
                let mut out = Vec::new();
                scratch.write_json(value, &mut out).expect(&text);
                serde_json::from_slice::<Json>(&out).expect(&text);
                let bytes = postcard::to_stdvec(&expression).expect(&text);
                let stored: Expression = postcard::from_bytes(&bytes).expect(&text);
                assert_eq!(stored, expression, "{text}");
                // The value does not depend on what was made before.
                let mut again = Vec::new();
                let fresh = Scratch::default();
                let value = stored.evaluate(&scope, &fresh);
                fresh.write_json(value, &mut again).expect(&text);
                assert_eq!(out, again, "{text}");
                true
            }
        };
        template(&text, random, (&scope, &scratch));
        is_parsed
    });
}

/// Renders a template with the text as a hole, or as one of its literal parts.
fn template(text: &str, random: &mut Random, (scope, scratch): (&Sample<'_>, &Scratch)) {
    let is_whole = Expression::parse(text, &AVAILABLE).is_ok() && !text.contains("}}");
    let place = PLACES[random.below(PLACES.len())];
    let form = random.below(3);
    let template = match form {
        0 => format!("{text}{{{{ body.s }}}}"),
        1 => format!("{{\"a\": {{{{ {text} }}}}, \"b\": [{{{{ {text} }}}}]}}"),
        _ => format!("{{\"a\": \"x{{{{ {text} }}}}\"}}"),
    };
    let Ok(parsed) = Template::parse(&template, place, &AVAILABLE) else {
        return;
    };
    let mut out = b"<".to_vec();
    let rendered = parsed.render(scope, scratch, &mut out);
    let out = std::str::from_utf8(&out[1..]).expect(&template);
    match rendered {
        Rendered::Complete | Rendered::Incomplete => {
            let is_json = place == Place::Json && form > 0 && is_whole;
            assert!(
                !is_json || serde_json::from_str::<Json>(out).is_ok(),
                "{template}\n{out}"
            );
        }
        _ => assert_eq!(out, "", "{template}"),
    }
}

#[test]
fn values_never_end_the_string_around_them() {
    let template = r#"{"a": "{{ body }}", "b": {{ body }}, "c": "d"}"#;
    let template = Template::parse(template, Place::Json, &AVAILABLE).expect("a template");
    let mut tape = Tape::default();
    fuzz(|random| {
        let characters = [
            '"', '\\', '\n', '\u{1}', '\u{7F}', '{', '}', ',', 'a', 'é', '\u{2028}',
        ];
        let text: String = (0..random.below(12))
            .map(|_| characters[random.below(characters.len())])
            .collect();
        let message = serde_json::json!({ "body": text }).to_string();
        let json = tape
            .read(message.as_bytes(), Bounds::default())
            .expect("JSON");
        let view = tape.view(json);
        let scope = Sample { view: &view };
        let mut out = Vec::new();
        template.render(&scope, &Scratch::default(), &mut out);
        let out: Json = serde_json::from_slice(&out).expect(&text);
        assert_eq!(out, serde_json::json!({ "a": text, "b": text, "c": "d" }));
        text.contains('"')
    });
}
