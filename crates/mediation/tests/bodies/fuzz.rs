//! Fuzz targets without a fuzzer: generated templates and edits on generated bodies, broken at
//! random. Nothing panics, and what is made is JSON without duplicate keys, within its bound.

use serde_json::{Value as Json, json};
use tollgate_json::tape::{Bounds, Tape};
use tollgate_mediation::compile::compile;
use tollgate_mediation::run::Stop;
use tollgate_model::api::{Configuration, Kind};

use crate::fuzzing::{Random, fuzz};
use crate::steps::{Memory, compiled};

const NAMES: [&str; 6] = ["a", "b", "c", "", "\"", "é\n"];
const EXPRESSIONS: [&str; 12] = [
    "body",
    "body.a",
    "body.b",
    "body[0]",
    "body.a.b",
    "body.none",
    "null",
    "1.5",
    "'</script>\"'",
    "[1, body.a]",
    "size(body)",
    "body.a + body.b",
];

fn pick<'p>(random: &mut Random, from: &[&'p str]) -> &'p str {
    from[random.below(from.len())]
}

/// Appends a JSON text with white space and escapes.
fn push_json(random: &mut Random, depth: usize, out: &mut String) {
    out.push_str(pick(random, &["", "", " ", "\n\t"]));
    match random.below(if depth == 0 { 6 } else { 10 }) {
        0 => out.push_str("null"),
        1 => out.push_str(pick(random, &["true", "false"])),
        2 => out.push_str(pick(
            random,
            &["0", "-1.50", "1e400", "123456789012345678901234567890"],
        )),
        3 => out.push_str(&Json::from(pick(random, &NAMES)).to_string()),
        4 => out.push_str(pick(
            random,
            &["\"\\u0061\"", "\"\\ud83d\\ude00\"", "\"1234567890\""],
        )),
        5 => out.push_str(pick(random, &["[]", "{}", "[ ]", "{ }"])),
        6 | 7 => {
            out.push('[');
            for index in 0..random.below(5) {
                if index > 0 {
                    out.push(',');
                }
                push_json(random, depth - 1, out);
            }
            out.push(']');
        }
        _ => {
            out.push('{');
            let first = random.below(NAMES.len());
            for index in 0..random.below(NAMES.len()) {
                if index > 0 {
                    out.push(',');
                }
                let name = NAMES[(first + index) % NAMES.len()];
                let is_escaped = name == "a" && random.below(3) == 0;
                let name = Json::from(name).to_string();
                out.push_str(if is_escaped { "\"\\u0061\"" } else { &name });
                out.push(':');
                push_json(random, depth - 1, out);
            }
            out.push('}');
        }
    }
    out.push_str(pick(random, &["", "", " "]));
}

/// Returns a body; some are broken.
fn body(random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    push_json(random, 5, &mut text);
    let mut body = text.into_bytes();
    if random.below(8) == 0 {
        let at = random.below(body.len());
        match random.below(3) {
            0 => body[at] = (random.next() >> 40) as u8,
            1 => body.truncate(at),
            _ => body.insert(at, b"{}[],:\"\\"[random.below(8)]),
        }
    }
    body
}

fn path(random: &mut Random) -> String {
    let mut path = "$".to_owned();
    for _ in 0..=random.below(4) {
        path.push_str(pick(
            random,
            &[
                ".a",
                ".b",
                "..a",
                "..c",
                ".*",
                "..*",
                "[0]",
                "[-1]",
                "[1,'a']",
                "['b', \"c\"]",
                "..[0]",
                "['']",
                "['\\u0061']",
                "..['a', *]",
                "['\"']",
            ],
        ));
    }
    path
}

fn edit(random: &mut Random) -> Json {
    match random.below(3) {
        0 => json!({ "set": path(random), "value": pick(random, &EXPRESSIONS) }),
        1 => json!({ "remove": path(random) }),
        _ => {
            let last = pick(random, &[".a", "..b", "['c']"]);
            json!({ "rename": path(random) + last, "to": pick(random, &["", "d", "\"", "é\n"]) })
        }
    }
}

fn template(random: &mut Random, (depth, each): (usize, usize)) -> Json {
    let of = |random: &mut Random| {
        let names = ["x0", "x1", "x2", "x1.a", "x0.b[0]"];
        let known = names
            .into_iter()
            .filter(|it| it.as_bytes()[1] < b'0' + each as u8);
        let known: Vec<_> = known.chain(EXPRESSIONS).collect();
        pick(random, &known).to_owned()
    };
    match random.below(if depth == 0 { 4 } else { 9 }) {
        0 => json!(pick(random, &NAMES)),
        1 => format!("{{{{ {} }}}}", of(random)).into(),
        2 => format!("{}\"{{{{ {} }}}}", pick(random, &NAMES), of(random)).into(),
        3 => json!(random.below(9)),
        4 | 5 => {
            let count = random.below(4);
            (0..count)
                .map(|_| template(random, (depth - 1, each)))
                .collect()
        }
        6 if each < 3 => json!({
            "$each": of(random), "$as": format!("x{each}"),
            "$do": template(random, (depth - 1, each + 1)),
        }),
        _ => {
            let count = random.below(4);
            let members = (0..count)
                .map(|index| (NAMES[index].to_owned(), template(random, (depth - 1, each))));
            Json::Object(members.collect())
        }
    }
}

/// Runs a step and checks what it makes; returns whether it took the body.
fn check(step: &Json, body: &[u8], memory: &mut Memory) -> bool {
    let steps = compiled("request", &json!([step]));
    let is_json = Tape::default().read(body, Bounds::default()).is_ok();
    let shown = || format!("{step}\n{}", body.escape_ascii());
    match memory.made(&steps, body) {
        Ok(Some(made)) => {
            assert!(is_json, "{}", shown());
            assert!(made.len() <= 10 << 20, "{}", shown());
            let read = Tape::default().read(made, Bounds::default()).map(|_| ());
            assert_eq!(read, Ok(()), "{}\n{}", shown(), made.escape_ascii());
            true
        }
        Ok(None) => true,
        Err(Stop::NotWellFormed(_)) => {
            assert!(!is_json, "{}", shown());
            false
        }
        Err(stop) => {
            assert!(
                matches!(stop, Stop::Missing(_) | Stop::TooLong),
                "{stop:?} {}",
                shown()
            );
            true
        }
    }
}

#[test]
fn templates() {
    let mut memory = Memory::default();
    fuzz(|random| {
        let step = json!({
            "policy": "json_template", "template": template(random, (4, 0)),
            "missing": pick(random, &["drop", "null", "refuse"]),
        });
        check(&step, &body(random), &mut memory)
    });
}

#[test]
fn edits() {
    let mut memory = Memory::default();
    fuzz(|random| {
        let count = 1 + random.below(4);
        let edits: Vec<_> = (0..count).map(|_| edit(random)).collect();
        check(
            &json!({ "policy": "json_edit", "edits": edits }),
            &body(random),
            &mut memory,
        )
    });
}

#[test]
fn paths() {
    let characters: Vec<char> = "$.[]*'\"\\u0a-19,: ?é".chars().collect();
    fuzz(|random| {
        let mut path: Vec<char> = path(random).chars().collect();
        for _ in 0..random.below(3) {
            let at = random.below(path.len());
            if path.is_empty() {
                break;
            }
            let character = characters[random.below(characters.len())];
            match random.below(3) {
                0 => path[at] = character,
                1 => path.insert(at, character),
                _ => path.truncate(at),
            }
        }
        let path: String = path.into_iter().collect();
        let configuration = json!({
            "policies": { "request": [{ "policy": "json_edit", "edits": [{ "remove": path }] }] },
            "upstream": { "url": "http://a" },
        });
        let configuration: Configuration = serde_json::from_value(configuration).expect("steps");
        match compile(&configuration, Kind::Rest) {
            Ok(_) => true,
            Err(faults) => {
                assert_eq!(
                    faults[0].field, "/policies/request/0/edits/0/remove",
                    "{path:?}"
                );
                false
            }
        }
    });
}
