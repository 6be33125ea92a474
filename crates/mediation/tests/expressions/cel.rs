//! Expressions beside the crate `cel`: where it has a value, ours is the same; where it reports an
//! error, ours has no value. The intended differences are listed in `DIFFERENCES`.
//!
//! `CEL_EXPRESSIONS` sets the number of generated expressions; a failure prints the expression.

use std::collections::HashMap;
use std::sync::Arc;

use cel::objects::{Key, Map};
use cel::{Context, Env, Program, Value as Cel};
use serde_json::Value as Json;
use tollgate_json::tape::{Bounds, Tape};
use tollgate_mediation::expression::Expression;
use tollgate_mediation::name::Available;
use tollgate_mediation::scope::Scratch;
use tollgate_mediation::value::Value;

use crate::fuzzing::Random;
use crate::generated;
use crate::sample::Sample;

/// A message, its caller and its API.
pub(crate) const MESSAGE: &str = r#"{
  "request": {"method": "GET", "path": "/a/7", "query": {"q": "7", "e": ""},
    "headers": {"x-a": "abc", "accept": "text/plain"}, "id": "r1", "address": "::1"},
  "path": {"id": "7"},
  "response": {"status": 200, "headers": {"etag": "\"x\""}},
  "body": {"t": true, "f": false, "n": null, "i": 7,
    "m": -9223372036854775808, "d": 2.5, "s": "abc",
    "u": "é😀", "l": [1, 2.5, "abc", null, true, [7]], "e": [],
    "o": {"i": 3, "p": {"s": "7", "n": null}}, "rows": [{"k": "a", "v": 1}, {"k": "b", "v": 2.5}]},
  "caller": {"application": "app_1", "subscription": "sub_1", "plan": "gold",
    "environment": "production", "claims": {"sub": "ada", "groups": ["a", "b"], "exp": 1800000000}},
  "api": {"name": "shop", "version": "1.0", "operation": "GET /a/{id}"},
  "var": {"x": 12, "y": "abc"},
  "now": 1798213953,
  "error": {"code": "admit.limit", "status": 429, "detail": "too many"}
}"#;

/// An expression, its value in `cel` and here; `-` for an error, and for no value.
const DIFFERENCES: [(&str, &str, &str); 13] = [
    // There are no optional values.
    ("body.o.?i == 3", "false", "true"),
    ("body.?none", "optional", "-"),
    // A default is for any value, and evaluated only if it is needed.
    ("body.none.orValue(1)", "-", "1"),
    ("body.i.orValue(1)", "-", "7"),
    ("body.?i.orValue(1 / 0)", "-", "7"),
    ("(1 / 0).orValue(1)", "-", "1"),
    // `has` takes names and members in brackets.
    ("has(body[\"i\"])", "-", "true"),
    // The digits of a body are kept.
    ("string(body.zero)", "\"1.5\"", "\"1.50\""),
    // CEL reserves the word.
    ("var.x", "-", "12"),
    // Objects are not compared, nor joined to lists.
    ("body.o == body.o", "true", "-"),
    ("size([1] + body.o)", "3", "-"),
    // Functions that CEL has elsewhere, or not at all.
    ("base64(\"a\")", "-", "\"YQ==\""),
    ("urlEncode(\"/\")", "-", "\"%2F\""),
];

const AVAILABLE: Available<'_> = Available {
    response: true,
    body: true,
    error: true,
    locals: &[],
};

fn cel_value(json: &Json) -> Cel {
    match json {
        Json::Null => Cel::Null,
        Json::Bool(boolean) => Cel::Bool(*boolean),
        Json::String(text) => text.as_str().into(),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Cel::Int(integer),
            None => Cel::Float(number.as_f64().expect("a double")),
        },
        Json::Array(items) => Cel::List(Arc::new(items.iter().map(cel_value).collect())),
        Json::Object(members) => {
            let members = members.iter();
            let map: HashMap<Key, Cel> = members
                .map(|(key, value)| (key.as_str().into(), cel_value(value)))
                .collect();
            Cel::Map(Map { map: Arc::new(map) })
        }
    }
}

/// The environment and context of `cel` for a message.
fn context(message: &str) -> (Arc<Env>, Context<'static, 'static>) {
    let mut env = Env::stdlib();
    env.add_extension(cel::extensions::strings)
        .expect("an extension");
    let env = Arc::new(env);
    let mut context = Context::with_env(Arc::clone(&env));
    let json: Json = serde_json::from_str(message).expect("JSON");
    for (name, value) in json.as_object().expect("an object") {
        context.add_variable_from_value(name.as_str(), cel_value(value));
    }
    (env, context)
}

fn is_same(ours: Value<'_>, cel: &Cel) -> bool {
    match (ours, cel) {
        (Value::Null, Cel::Null) => true,
        (Value::Bool(ours), Cel::Bool(cel)) => ours == *cel,
        (Value::Int(ours), Cel::Int(cel)) => ours == *cel,
        (Value::Double(ours), Cel::Float(cel)) => ours == *cel || ours.is_nan() && cel.is_nan(),
        (Value::Number(ours), Cel::Int(cel)) => ours.parse() == Ok(*cel),
        (Value::Number(ours), Cel::Float(cel)) => ours.parse() == Ok(*cel),
        (Value::Text(ours), Cel::String(cel)) => ours == cel.as_str(),
        (Value::Json(..), Cel::Map(cel)) => cel.map.iter().all(|(key, value)| match key {
            Key::String(key) => is_same(Scratch::default().member(ours, key), value),
            _ => false,
        }),
        (_, Cel::List(cel)) => ours.items().is_some_and(|items| {
            items.clone().count() == cel.len()
                && items.zip(cel.iter()).all(|(ours, cel)| is_same(ours, cel))
        }),
        _ => false,
    }
}

fn parse(text: &str) -> Expression {
    Expression::parse(text, &AVAILABLE).unwrap_or_else(|fault| panic!("{fault}: {text}"))
}

#[test]
fn generated_expressions_have_the_values_of_cel() {
    let count =
        std::env::var("CEL_EXPRESSIONS").map_or(100_000, |it| it.parse().expect("a number"));
    let (env, context) = context(MESSAGE);
    let mut tape = Tape::default();
    let json = tape
        .read(MESSAGE.as_bytes(), Bounds::default())
        .expect("JSON");
    let view = tape.view(json);
    let scope = Sample { view: &view };
    let mut scratch = Scratch::default();
    let mut random = Random(0x5EED_5EED_5EED_5EED);
    let mut values = 0;
    for _ in 0..count {
        let text = generated::expression(&mut random);
        let program = env.compile(&text);
        let program = program.unwrap_or_else(|error| panic!("{error}: {text}"));
        let cel = program.execute(&context);
        scratch.reset();
        let ours = parse(&text);
        let ours = ours.evaluate(&scope, &scratch);
        let is_right = match &cel {
            Ok(cel) => is_same(ours, cel),
            Err(_) => matches!(ours, Value::Absent),
        };
        assert!(is_right, "{text}\ncel: {cel:?}\nours: {ours:?}");
        values += usize::from(cel.is_ok());
    }
    assert!(values * 2 > count, "only {values} of {count} have a value");
}

#[test]
fn the_differences_are_those_listed() {
    let message = MESSAGE.replace("\"i\": 7", "\"i\": 7, \"zero\": 1.50");
    let (env, context) = context(&message);
    let mut tape = Tape::default();
    let json = tape
        .read(message.as_bytes(), Bounds::default())
        .expect("JSON");
    let view = tape.view(json);
    let scope = Sample { view: &view };
    for (text, expected, ours) in DIFFERENCES {
        let program = env.compile(text);
        let cel = match program.as_ref().map(|it| it.execute(&context)) {
            Ok(Ok(Cel::Opaque(_))) => "optional".to_owned(),
            Ok(Ok(value)) => json_of(&value),
            _ => "-".to_owned(),
        };
        assert_eq!(cel, expected, "cel: {text}");
        let (expression, scratch) = (parse(text), Scratch::default());
        let mut json = Vec::new();
        match expression.evaluate(&scope, &scratch) {
            Value::Absent => json.push(b'-'),
            value => {
                scratch.write_json(value, &mut json).expect(text);
            }
        }
        assert_eq!(String::from_utf8(json).as_deref(), Ok(ours), "{text}");
    }
    for text in [
        "1u",
        "b'a'",
        "{'a': 1}",
        "[1].map(x, x)",
        "matches('a', 'b')",
        "type(1)",
        "'''a'''",
    ] {
        assert!(Program::compile(text).is_ok(), "{text}");
        assert!(Expression::parse(text, &AVAILABLE).is_err(), "{text}");
    }
}

fn json_of(value: &Cel) -> String {
    match value {
        Cel::Bool(boolean) => boolean.to_string(),
        Cel::Int(integer) => integer.to_string(),
        Cel::String(text) => format!("{text:?}"),
        other => format!("{other:?}"),
    }
}
