//! The time of a unit of work, for each kind of work: sets the weights in `src/work.rs` and beside
//! what they count. Prints nanoseconds a unit, and the ratio to a unit of a template: at most 3.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steps::{Memory, compiled};

#[path = "../tests/support/steps.rs"]
mod steps;
#[path = "../tests/support/worst.rs"]
mod worst;

/// Time that each kind of work is measured for.
const TIME: Duration = Duration::from_millis(400);

/// Makes each program exceed the work of a message, or nearly so.
const SCALE: usize = 100;

/// A template of small values: its unit is the one that others are compared with.
fn template() -> (Value, String) {
    let fields = json!({ "a": "{{ x.a }}", "b": "{{ x.b }}", "c": "{{ x.c }} of {{ x.a }}" });
    let template = json!({ "$each": "body.items", "$as": "x", "$do": fields });
    let item = r#"{"a":"tea","b":12.50,"c":"two"}"#;
    let body = format!(r#"{{"items":[{}]}}"#, vec![item; 20_000].join(","));
    (
        json!([{ "policy": "json_template", "template": template }]),
        body,
    )
}

/// Returns the processor time of this thread, in nanoseconds, from Linux's scheduler.
fn processor_time_ns() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    text.split(' ')
        .next()
        .and_then(|it| it.parse().ok())
        .expect("nanoseconds")
}

/// Runs steps for some time; returns the processor time of one run in nanoseconds, and its units.
fn time(steps: &Value, body: &str) -> (f64, usize) {
    let (compiled, mut memory) = (compiled("response", steps), Memory::default());
    let (start, began_ns, mut runs) = (Instant::now(), processor_time_ns(), 0.0);
    while start.elapsed() < TIME {
        let _is_refused = memory.made(&compiled, body.as_bytes()).is_err();
        runs += 1.0;
    }
    (
        (processor_time_ns() - began_ns) / runs,
        memory.scratch.spent(),
    )
}

/// Returns the time of a unit in nanoseconds, without that of reading the body, and the units.
fn measure(steps: &Value, body: &str) -> (f64, usize) {
    let reading = json!([{ "policy": "let", "name": "a", "value": "body == 1" }]);
    let (of_reading, _) = time(&reading, body);
    let (of_steps, units) = time(steps, body);
    ((of_steps - of_reading) / units as f64, units)
}

#[expect(clippy::print_stdout, reason = "the result of a benchmark")]
fn main() {
    let (steps, body) = template();
    let (of_template, units) = measure(&steps, &body);
    println!("{of_template:5.2} ns, 1.00: template, {units} units");
    for worst in worst::programs(SCALE) {
        let (of_unit, units) = measure(&worst.steps, &worst.body);
        let ratio = of_unit / of_template;
        println!(
            "{of_unit:5.2} ns, {ratio:4.2}: {}, {units} units",
            worst.name
        );
    }
}
