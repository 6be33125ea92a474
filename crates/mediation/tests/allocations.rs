//! Evaluation does not allocate once its scratch exists, and without a made text not at all.

use allocation_counter::measure;
use call::{CONDITION, Call};
use tollgate_json::tape::{Bounds, Tape};
use tollgate_mediation::expression::Expression;
use tollgate_mediation::name::Available;
use tollgate_mediation::scope::Scratch;
use tollgate_mediation::text::{Place, Rendered, Template};

#[path = "support/call.rs"]
mod call;
#[path = "support/steps.rs"]
mod steps;

const AVAILABLE: Available<'_> = Available {
    response: false,
    body: true,
    error: false,
    locals: &[],
};

#[test]
fn a_condition_of_three_terms_is_evaluated_without_an_allocation() {
    let condition = Expression::parse(CONDITION, &AVAILABLE).expect("an expression");
    let tape = Tape::default();
    let view = tape.view("");
    let call = Call { body: &view };
    let scratch = Scratch::default();
    let count = measure(|| assert_eq!(condition.condition(&call, &scratch), Some(true)));
    assert_eq!(count.count_total, 0);
}

#[test]
fn texts_are_made_in_memory_that_is_reused() {
    let text = r#"{{ request.query["lang"].upperAscii() + string(body.n * 2) }}-{{ body.d }}
        {{ urlEncode(body.s) }} {{ [1, body.n][1] }} {{ base64(request.method) }}"#;
    let template = Template::parse(text, Place::Json, &AVAILABLE).expect("a template");
    let json = r#"{"n": 21, "d": 1.50, "s": "a b"}"#;
    let mut tape = Tape::default();
    let json = tape.read(json.as_bytes(), Bounds::default()).expect("JSON");
    let view = tape.view(json);
    let call = Call { body: &view };
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let mut run = || {
        out.clear();
        scratch.reset();
        let rendered = template.render(&call, &scratch, &mut out);
        assert_eq!(rendered, Rendered::Complete);
    };
    // The first run allocates the memory that the next ones reuse.
    run();
    assert_eq!(measure(run).count_total, 0);
    assert!(out.starts_with(b"\"EN42\"-1.50"), "{}", out.escape_ascii());
}

#[test]
fn bodies_are_made_in_memory_that_is_reused() {
    let bodies = [10, 1_000].map(|count| {
        let line = r#"{"sku":"A\u0042-1","price":12.50,"count":2,"tags":[]}"#;
        format!(r#"{{"id":4711,"lines":[{}]}}"#, vec![line; count].join(","))
    });
    let template = serde_json::json!([{ "policy": "json_template", "template": {
        "order": "{{ body.id }}", "none": "{{ body.none }}",
        "lines": { "$each": "body.lines", "$as": "line", "$do":
            { "name": "{{ line.sku }} x {{ line.count }}", "price": "{{ line.price }}" } },
    } }]);
    let edit = serde_json::json!([{ "policy": "json_edit", "edits": [
        { "set": "$.lines[*].count", "value": "body.id + 1" },
        { "rename": "$..sku", "to": "article" },
        { "remove": "$..tags" },
        { "set": "$.note", "value": "'x'" },
    ] }]);
    for step in [template, edit] {
        let steps = steps::compiled("response", &step);
        let mut memory = steps::Memory::default();
        for body in &bodies {
            let mut run = || {
                let made = memory.made(&steps, body.as_bytes());
                assert!(made.is_ok_and(|made| made.is_some_and(|made| made.len() > 300)));
            };
            run();
            run();
            let count = measure(run).count_total;
            assert_eq!(count, 0, "{step}");
        }
    }
}
