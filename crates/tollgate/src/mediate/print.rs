//! The response of a dry run as text: each step as a diff.

use std::fmt::Write as _;

use serde_json::Value;

/// Maximum number of comparisons of two messages, line by line.
const COMPARISONS_MAX: usize = 4_000_000;

/// Returns the steps with their effect, the request to the upstream and the response.
pub(super) fn mediated(answer: &Value) -> String {
    let mut text = String::new();
    if let Some(operation) = answer["operation"].as_str() {
        let _infallible = writeln!(text, "operation {operation}");
    }
    for list in ["request", "response", "error"] {
        push_steps(&mut text, &answer[list]);
    }
    push_message(&mut text, "goes up", &answer["request"]["sent"]);
    let by = answer["answered_by"].as_str().unwrap_or_default();
    push_message(&mut text, &format!("answer of the {by}"), &answer["answer"]);
    text
}

/// Returns the refusal of the call, if it is refused.
pub(super) fn refusal(answer: &Value) -> Option<String> {
    let refused = answer.get("refused").filter(|it| it.is_object())?;
    let text = |name: &str| refused[name].as_str().unwrap_or_default();
    let place = match refused["pointer"].as_str() {
        Some(pointer) => format!(" at {pointer}"),
        None => String::new(),
    };
    let (code, status, detail) = (text("code"), &refused["status"], text("detail"));
    Some(format!("refused with {status} {code}{place}: {detail}"))
}

/// Returns a problem with all its faults, each with its pointer.
pub(super) fn problem(problem: &Value) -> String {
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let mut out = text(problem, "detail");
    for fault in problem["errors"].as_array().into_iter().flatten() {
        let (field, detail) = (text(fault, "field"), text(fault, "detail"));
        let _infallible = write!(out, "\n{field}: {detail}");
    }
    out
}

fn push_steps(text: &mut String, list: &Value) {
    let mut before = lines(&list["before"]);
    for step in list["steps"].as_array().into_iter().flatten() {
        let word = |name: &str| step[name].as_str().unwrap_or_default();
        let (pointer, policy) = (word("pointer"), word("policy"));
        let _infallible = write!(text, "\n{pointer} {policy}");
        let after = step.get("after").filter(|it| it.is_object());
        let Some(after) = after else {
            let why = match step["reason"].as_str() {
                Some(reason) => format!(": did not run, {reason}"),
                None => ": no change".to_owned(),
            };
            let _infallible = writeln!(text, "{why}");
            continue;
        };
        text.push('\n');
        let is_truncated = after["truncated"] == true;
        let after = lines(after);
        if is_truncated && after == before {
            text.push_str("  … changed after the part that is shown\n");
        }
        push_difference(text, &before, &after);
        before = after;
    }
}

fn push_message(text: &mut String, title: &str, message: &Value) {
    if !message.is_object() {
        let _infallible = writeln!(text, "\n{title}: nothing");
        return;
    }
    let _infallible = writeln!(text, "\n{title}");
    for line in lines(message) {
        let _infallible = writeln!(text, "{}", format!("  {line}").trim_end());
    }
}

/// Returns the lines of a message: the first one, the header fields and the body.
fn lines(message: &Value) -> Vec<String> {
    let first = match (message["method"].as_str(), message["path"].as_str()) {
        (Some(method), Some(path)) => format!("{method} {path}"),
        _ => message["status"].to_string(),
    };
    let mut lines = vec![first];
    for header in message["headers"].as_array().into_iter().flatten() {
        let part = |name: &str| header[name].as_str().unwrap_or_default().to_owned();
        lines.push(format!("{}: {}", part("name"), part("value")));
    }
    let bytes = message["body_bytes"].as_u64().unwrap_or_default();
    match message["body"].as_str() {
        Some("") => {}
        Some(body) => {
            lines.push(String::new());
            lines.extend(body.lines().map(str::to_owned));
        }
        None if bytes > 0 => {
            lines.push(String::new());
            lines.push(format!("({bytes} bytes that are no text)"));
        }
        None => {}
    }
    if message["truncated"] == true {
        lines.push("… cut".to_owned());
    }
    lines
}

/// Appends the lines that differ: those of before with `-`, those of after with `+`.
fn push_difference(text: &mut String, before: &[String], after: &[String]) {
    let pairs = before.iter().zip(after);
    let start = pairs.take_while(|(one, other)| one == other).count();
    let (before, after) = (&before[start..], &after[start..]);
    let pairs = before.iter().rev().zip(after.iter().rev());
    let end = pairs.take_while(|(one, other)| one == other).count();
    let before = &before[..before.len() - end];
    let after = &after[..after.len() - end];
    let mut push = |sign: char, line: &str| {
        let _infallible = writeln!(text, "{}", format!("{sign} {line}").trim_end());
    };
    let common = common(before, after);
    let (mut one, mut other) = (0, 0);
    for (at, in_after) in common.into_iter().chain([(before.len(), after.len())]) {
        before[one..at].iter().for_each(|line| push('-', line));
        after[other..in_after]
            .iter()
            .for_each(|line| push('+', line));
        (one, other) = (at + 1, in_after + 1);
    }
}

/// Returns the positions of a longest common subsequence; none if finding it takes too long.
fn common(before: &[String], after: &[String]) -> Vec<(usize, usize)> {
    let width = after.len() + 1;
    if before.len().saturating_mul(after.len()) > COMPARISONS_MAX {
        return Vec::new();
    }
    // Lengths of the longest common subsequences of the rests.
    let mut lengths = vec![0_u32; (before.len() + 1) * width];
    for one in (0..before.len()).rev() {
        for other in (0..after.len()).rev() {
            lengths[one * width + other] = match before[one] == after[other] {
                true => lengths[(one + 1) * width + other + 1] + 1,
                false => lengths[(one + 1) * width + other].max(lengths[one * width + other + 1]),
            };
        }
    }
    let (mut one, mut other) = (0, 0);
    let mut common = Vec::new();
    while one < before.len() && other < after.len() {
        if before[one] == after[other] {
            common.push((one, other));
            (one, other) = (one + 1, other + 1);
        } else if lengths[(one + 1) * width + other] >= lengths[one * width + other + 1] {
            one += 1;
        } else {
            other += 1;
        }
    }
    common
}
