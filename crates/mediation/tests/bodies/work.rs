//! The work of messages: what is refused, what the worst programs count, and a search for others.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tollgate_mediation::compile::compile;
use tollgate_mediation::edits::Edits;
use tollgate_mediation::message::Messages;
use tollgate_mediation::program::{Program, Step};
use tollgate_mediation::run::{Stop, keep, run};
use tollgate_mediation::scope::Scratch;
use tollgate_mediation::value::Value;
use tollgate_model::api::{Configuration, Kind};

use crate::fuzzing::{Random, fuzz};
use crate::steps::{Head, Memory, compiled};
use crate::worst;

/// Units of a message without a body.
const UNITS: usize = 20_000_000;

/// Runs steps of a response; returns the units that they spent, and the refusal.
fn spent(steps: &Json, body: &str) -> (usize, Option<Stop>) {
    let (steps, mut memory) = (compiled("response", steps), Memory::default());
    let stop = memory.made(&steps, body.as_bytes()).err();
    (memory.scratch.spent(), stop)
}

fn exceeded(pointer: &str) -> Option<Stop> {
    Some(Stop::TooMuchWork(Some(pointer.into())))
}

fn numbers(count: usize) -> String {
    let numbers: Vec<_> = (10..10 + count).map(|number| number.to_string()).collect();
    numbers.join(",")
}

#[test]
fn a_search_for_each_item_is_refused() {
    let template = json!({ "$each": "body.items", "$as": "i", "$do": "{{ 7 in body.items }}" });
    let steps = json!([{ "policy": "json_template", "template": template }]);
    let body = format!("{{\"items\":[{}]}}", numbers(100_000));
    let (units, stop) = spent(&steps, &body);
    assert_eq!(stop, exceeded("/policies/response/0"));
    assert!(units < UNITS + 8 * body.len() + 1_000, "{units}");
}

#[test]
fn conditions_of_all_steps_have_one_budget() {
    let condition = vec!["'b' in body.a"; 60].join(" || ");
    let step = json!({ "policy": "set_header", "name": "x", "value": "y", "if": condition });
    let body = format!("{{\"a\":[{}]}}", vec!["1"; 50_000].join(","));
    let (_, stop) = spent(&json!(vec![step; 64]), &body);
    let first = spent(
        &json!([{ "policy": "let", "name": "a", "value": condition }]),
        &body,
    );
    assert_eq!(stop, exceeded("/policies/response/2"), "{first:?}");
}

#[test]
fn patterns_of_all_steps_have_one_budget() {
    let matches: Vec<_> = (0..20)
        .map(|number| format!("body.t.matches('a{number}$')"))
        .collect();
    let step = json!({ "policy": "let", "name": "a", "value": matches.join(" || ") });
    let body = format!("{{\"t\":\"{}\"}}", "a".repeat(1_000_000));
    let (_, stop) = spent(&json!(vec![step; 64]), &body);
    assert_eq!(stop, exceeded("/policies/response/1"));
}

#[test]
fn the_head_is_checked_once_for_a_step_that_waits_for_the_body() {
    let query = format!("a={}", "b".repeat(1_000));
    let head = Head {
        query: query.into_bytes(),
        ..Head::JSON
    };
    let of_query = json!({ "policy": "threat_protection", "patterns": ["x$"] });
    let of_condition = json!({ "policy": "json_edit", "edits": [{ "remove": "$.a" }],
        "if": "request.query['a'].matches('b$')" });
    for (step, expected) in [(of_query, 1_000..2_000), (of_condition, 2_000..4_000)] {
        let (steps, mut memory) = (compiled("request", &json!([step])), Memory::default());
        memory.run(&steps, &head, b"{}").expect("a request");
        let units = memory.scratch.spent();
        assert!(expected.contains(&units), "{units}");
    }
}

/// Compiles the policies of a version.
fn program(policies: &Json) -> Program {
    let configuration = json!({ "policies": policies, "upstream": { "url": "http://a" } });
    let configuration: Configuration = serde_json::from_value(configuration).expect("steps");
    let mut compiled = compile(&configuration, Kind::Rest).expect("valid steps");
    compiled.programs.remove(0)
}

/// Names without a value would be part of the key of a stored response as if the request did not
/// have them.
#[test]
fn what_is_kept_of_a_request_does_not_depend_on_what_its_steps_have_spent() {
    let condition = vec!["request.query['a'].matches('b$')"; 25].join(" || ");
    let step = json!({ "policy": "let", "name": "v", "value": condition });
    let program = program(&json!({
        "request": vec![step; 25],
        "response": [{ "policy": "set_header", "name": "x", "value": "{{ request.query['k'] }}" }],
    }));
    let mut scratch = Scratch::default();
    let mut spent_before_keeping = |length: usize| {
        let head = Head {
            query: format!("k=1&a={}", "a".repeat(length)).into_bytes(),
            ..Head::JSON
        };
        let (message, mut edits) = (head.message(), Edits::default());
        scratch.reset();
        let next = run(&program.request, &message, &mut edits, &scratch);
        let spent = scratch.spent();
        next.expect("a request within its work");
        let kept = keep(&program.kept, &message, &edits, &mut scratch).expect("values");
        let value = kept.value(&program.kept, &program.kept[0], &Scratch::default());
        assert!(matches!(value, Some(Value::Text("1"))), "{value:?}");
        spent
    };
    let (one, other) = (spent_before_keeping(1_000), spent_before_keeping(2_000));
    let longest = 1_000 + 1_000 * (UNITS - one) / (other - one) - 1;
    // Another look-up in the query would exceed what is left.
    assert!(UNITS - spent_before_keeping(longest) < longest / 2);
}

#[test]
fn names_that_take_too_much_work_to_keep_are_refused() {
    let names = (0..1_000).map(|index| format!("{{{{ request.query['k{index}'] }}}}"));
    let program = program(&json!({ "response": [
        { "policy": "json_template", "template": names.collect::<Vec<_>>() },
    ] }));
    let head = Head {
        query: vec![b'a'; 60_000],
        ..Head::JSON
    };
    let mut scratch = Scratch::default();
    let kept = keep(
        &program.kept,
        &head.message(),
        &Edits::default(),
        &mut scratch,
    );
    assert_eq!(kept.map(drop), Err(Stop::TooMuchWork(None)));
}

#[test]
fn what_steps_of_all_kinds_spend_adds_up() {
    let body = format!(
        "{{\"a\":[{}],\"t\":\"{}\"}}",
        numbers(200),
        "t".repeat(2_000)
    );
    let template = json!({ "$each": "body.a", "$as": "i", "$do": "{{ i in body.a }}" });
    let steps = [
        json!({ "policy": "set_header", "name": "x-a", "value": "{{ request.id }}-{{ now }}" }),
        json!({ "policy": "let", "name": "t", "value": "body.t.upperAscii()" }),
        json!({ "policy": "set_header", "name": "x-b", "value": "{{ var.t }}" }),
        json!({ "policy": "json_edit", "edits": [{ "set": "$..u", "value": "body.t + 'u'" }] }),
        json!({ "policy": "mask", "paths": ["$..u", "$.a[*].b"], "if": "size(body.a) > 9" }),
        json!({ "policy": "json_template", "template": template }),
    ];
    let counts = |steps: &[Json]| spent(&json!(steps), &body).0;
    let mut before = 0;
    for index in 0..steps.len() {
        let units = counts(&steps[..=index]);
        assert!(units > before, "{index}: {units}");
        before = units;
    }
}

#[test]
fn the_worst_programs_count_units() {
    let mut counts = String::new();
    for worst in worst::programs(1) {
        let (steps, mut memory) = (compiled(worst.list, &worst.steps), Memory::default());
        let stop = memory
            .run(&steps, &worst.head(), worst.body.as_bytes())
            .err();
        let units = memory.scratch.spent();
        assert_eq!(stop, None, "{}", worst.name);
        let _ = writeln!(counts, "{units:7} {}", worst.name);
    }
    assert_eq!(counts, include_str!("work.txt"));
}

#[test]
fn as_many_edits_as_a_step_may_have_are_within_the_work() {
    let mebibyte = 1 << 20;
    let sets: Vec<_> = (0..64)
        .map(|index| json!({ "set": format!("$.f{index}"), "value": "0" }))
        .collect();
    let text = format!("{{\"t\":\"{}\"}}", "a".repeat(mebibyte - 1_000));
    let members = (0..64).map(|index| format!("\"f{index}\":\"value\""));
    let item = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    let items = format!("{{\"items\":[{}]}}", vec![item; 600].join(","));
    let renames: Vec<_> = (0..64)
        .map(|index| json!({ "rename": format!("$.items[*].f{index}"), "to": format!("g{index}") }))
        .collect();
    for (edits, body) in [(sets, text), (renames, items)] {
        let steps = json!([{ "policy": "json_edit", "edits": edits }]);
        let (units, stop) = spent(&steps, &body);
        assert_eq!(stop, None, "{units} {}", body.len());
    }
}

#[test]
fn reading_a_longer_body_than_the_one_that_arrived_counts() {
    let template = |count| {
        let items = vec!["{{ body.a }}"; count];
        json!({ "policy": "json_template", "template": { "a": items } })
    };
    let mask = json!({ "policy": "mask", "paths": ["$.none"] });
    let body = format!("{{\"a\":\"{}\"}}", "a".repeat(8_000));
    let of_masks = |count| {
        let made = spent(&json!([template(count)]), &body).0;
        let masked = spent(&json!([template(count), mask, mask]), &body).0;
        masked - made
    };
    assert!(of_masks(1) < 100, "{}", of_masks(1));
    let beyond = 3 * 8_000 / 10;
    let counted = 2 * beyond..2 * beyond + 200;
    assert!(counted.contains(&of_masks(4)), "{}", of_masks(4));
}

/// Texts of expressions with places for others: `_`.
const FORMS: [&str; 26] = [
    "_ in _",
    "_ == _",
    "_ < _",
    "_ + _",
    "_ * _",
    "size(_)",
    "has(body.o.none)",
    "_.contains(_)",
    "_.startsWith(_)",
    "_.matches('[0-9]+x')",
    r"_.matches('\\w+@')",
    "_.matches('(a|b)*a(a|b){40}c')",
    "_.matches('(?i)union|select')",
    "_.upperAscii()",
    "base64(_)",
    "urlEncode(_)",
    "string(_)",
    "int(_)",
    "double(_)",
    "[_, _]",
    "_[1000]",
    "_ ? _ : _",
    "_.orValue(_)",
    "_ && _",
    "request.headers['x-a']",
    "var.v",
];

const OPERANDS: [&str; 12] = [
    "body.n", "body.s", "body.t", "body.u", "body.o", "body.l", "body.d", "x", "1", "'a'", "[1]",
    "1.5",
];

fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.below(4) == 0 {
        return OPERANDS[random.below(OPERANDS.len())].to_owned();
    }
    let form = FORMS[random.below(FORMS.len())];
    let mut pieces = form.split('_');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let _ = write!(text, "({}){piece}", expression(random, depth - 1));
    }
    text
}

/// Returns steps that evaluate an expression for each item of `body.l`, and other steps.
fn generated(random: &mut Random) -> Json {
    let fill = format!("{{{{ {} }}}}", expression(random, 3));
    let template = json!({ "policy": "json_template", "template":
        { "$each": "body.l", "$as": "x", "$do": fill } });
    let outer = |random: &mut Random| expression(random, 3).replace('x', "body.n");
    let others = [
        json!({ "policy": "let", "name": "v", "value": outer(random) }),
        json!({ "policy": "set_header", "name": "x-a", "value": "{{ body.t }}",
            "if": outer(random) }),
        json!({ "policy": "json_edit", "edits": [{ "set": "$.l[*]..a", "value": outer(random) }] }),
        json!({ "policy": "mask", "paths": ["$..*..*..a", "$.n[-1]"], "if": outer(random) }),
    ];
    let mut steps: Vec<_> = others
        .into_iter()
        .filter(|_| random.below(3) == 0)
        .collect();
    steps.push(template);
    Json::Array(steps)
}

fn body(random: &mut Random) -> String {
    let mut size = || 10_usize.pow(1 + random.below(3) as u32);
    let array = |item: &str, count| format!("[{}]", vec![item; count].join(","));
    let members = (0..size()).map(|index| format!("\"name-{index}\":0"));
    format!(
        r#"{{"n":{},"s":{},"t":"{}","u":"{}","o":{{{}}},"l":{},"d":{}}}"#,
        array("7", size()),
        array("\"aa\"", size()),
        "ab".repeat(size()),
        "é<".repeat(size()),
        members.collect::<Vec<_>>().join(","),
        array("1", size()),
        array("[[1.5e3]]", size()),
    )
}

/// Compiles generated steps; `None` if one is too long, or reads a variable that no step sets.
fn compiled_if_valid(steps: &Json) -> Option<Vec<Step>> {
    let configuration = json!({ "policies": { "response": steps } });
    let configuration: Configuration = serde_json::from_value(configuration).expect("steps");
    let mut compiled = compile(&configuration, Kind::Rest).ok()?;
    Some(compiled.programs.remove(0).response)
}

/// Units that a program spends at least, to compare its time: reading its body is free.
const COMPARED_UNITS: usize = 1_000_000;

/// Searches for programs that take long for their units: with `FUZZ_SECONDS=60` and `--release` it
/// prints the worst, which become rows of `worst.rs`. The same program spends the same units, and
/// no more than a message may.
#[test]
fn fuzz_work() {
    let mut worst = Duration::ZERO;
    fuzz(|random| {
        let (program, body) = (generated(random), body(random));
        let Some(steps) = compiled_if_valid(&program) else {
            return false;
        };
        let mut memory = Memory::default();
        let mut run = || {
            let began = Instant::now();
            let stop = memory.made(&steps, body.as_bytes()).err();
            (began.elapsed(), stop, memory.scratch.spent())
        };
        let ((first, stop, units), (second, again, units_again)) = (run(), run());
        assert_eq!((&stop, units), (&again, units_again), "{program}");
        let is_exceeded = matches!(stop, Some(Stop::TooMuchWork(_)));
        assert_eq!(
            units > UNITS + 8 * body.len(),
            is_exceeded,
            "{units} {program}"
        );
        let of_units = first.min(second) / u32::try_from(units / 1_000).unwrap_or(u32::MAX).max(1);
        if units > COMPARED_UNITS && of_units > worst {
            worst = of_units;
            let bytes = body.len();
            println!("{of_units:?} for 1,000 of {units} units: {program} {bytes} bytes");
        }
        true
    });
}
