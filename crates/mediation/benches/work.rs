//! The time of a unit of work, for each kind of work: sets the weights in `src/work.rs` and beside
//! what they count. Prints nanoseconds a unit, and the ratio to a unit of a template: at most 3.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::json;
use steps::{Memory, compiled};
use worst::Worst;

#[path = "../tests/support/steps.rs"]
mod steps;
#[path = "../tests/support/worst.rs"]
mod worst;

/// Time that each kind of work is measured for.
const TIME: Duration = Duration::from_millis(400);

/// Makes each program exceed the work of a message, or nearly so.
const SCALE: usize = 100;

/// A template of small values: its unit is the one that others are compared with.
fn template() -> Worst {
    let fields = json!({ "a": "{{ x.a }}", "b": "{{ x.b }}", "c": "{{ x.c }} of {{ x.a }}" });
    let template = json!({ "$each": "body.items", "$as": "x", "$do": fields });
    let item = r#"{"a":"tea","b":12.50,"c":"two"}"#;
    let body = format!(r#"{{"items":[{}]}}"#, vec![item; 20_000].join(","));
    let step = json!({ "policy": "json_template", "template": template });
    Worst::new("template", step, body)
}

/// Returns the processor time of this thread, in nanoseconds, from Linux's scheduler.
fn processor_time_ns() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    text.split(' ')
        .next()
        .and_then(|it| it.parse().ok())
        .expect("nanoseconds")
}

/// Runs something for some time; returns the processor time of one run in nanoseconds.
fn time(mut run: impl FnMut() -> bool) -> f64 {
    let (start, began_ns, mut runs) = (Instant::now(), processor_time_ns(), 0.0);
    while start.elapsed() < TIME {
        black_box(run());
        runs += 1.0;
    }
    (processor_time_ns() - began_ns) / runs
}

/// Returns the time of a unit in nanoseconds, without that of reading the body, and the units.
fn measure(of: &Worst) -> (f64, usize) {
    let (body, mut memory) = (of.body.as_bytes(), Memory::default());
    let reading = json!([{ "policy": "let", "name": "a", "value": "body == 1" }]);
    let reading = compiled("response", &reading);
    let of_reading = time(|| memory.made(&reading, body).is_ok());
    let (steps, head) = (compiled(of.list, &of.steps), of.head());
    let of_steps = time(|| memory.run(&steps, &head, body).is_ok());
    let units = memory.scratch.spent();
    ((of_steps - of_reading) / units as f64, units)
}

#[expect(clippy::print_stdout, reason = "the result of a benchmark")]
fn main() {
    let (of_template, units) = measure(&template());
    println!("{of_template:5.2} ns, 1.00: template, {units} units");
    for worst in worst::programs(SCALE) {
        let (of_unit, units) = measure(&worst);
        let ratio = of_unit / of_template;
        println!(
            "{of_unit:5.2} ns, {ratio:4.2}: {}, {units} units",
            worst.name
        );
    }
}
