//! Fills in a rival's configuration. `@NAME@` is a placeholder; a line with `@KEY@` or `@NUMBER@`
//! is repeated for each key, counting from 1, with `@COMMA@` if another follows; an unknown name is
//! an error, so it does not reach a gateway's configuration.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail};

/// A limit that no measurement reaches and that fits into every rival's integers.
pub(super) const NEVER_REACHED: u64 = 1_000_000_000;

/// Fills in a whole file.
pub(super) fn file(
    template: &str,
    values: &BTreeMap<&'static str, String>,
    keys: &[String],
) -> anyhow::Result<String> {
    let mut text = String::with_capacity(template.len());
    for (index, template) in template.lines().enumerate() {
        let at = || format!("line {}", index + 1);
        if !["@KEY@", "@NUMBER@"].iter().any(|it| template.contains(it)) {
            text.push_str(&line(template, values).with_context(at)?);
            text.push('\n');
            continue;
        }
        let mut values = values.clone();
        for (number, key) in (1_u64..).zip(keys) {
            values.insert("KEY", key.clone());
            values.insert("NUMBER", number.to_string());
            let is_last = number == keys.len() as u64;
            values.insert("COMMA", if is_last { "" } else { "," }.to_owned());
            text.push_str(&line(template, &values).with_context(at)?);
            text.push('\n');
        }
    }
    Ok(text)
}

/// Fills in one line.
pub(super) fn line(
    template: &str,
    values: &BTreeMap<&'static str, String>,
) -> anyhow::Result<String> {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('@') {
        text.push_str(before);
        match after.split_once('@').filter(|(name, _)| is_name(name)) {
            Some((name, after)) => {
                let Some(value) = values.get(name) else {
                    bail!("unknown placeholder @{name}@");
                };
                text.push_str(value);
                rest = after;
            }
            None => {
                text.push('@');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    Ok(text)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_uppercase() || it == b'_')
}
