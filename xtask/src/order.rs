//! Checks that ARCHITECTURE.md lists the steps of a request in the order in which the gateway calls
//! them.
//!
//! The table's second column has the calls of each step. The code is `request.rs` of the gateway:
//! the functions of other modules that `answer` calls, directly or in functions of its own file.

use std::collections::HashMap;

use anyhow::{Context, Result};
use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprPath, ItemFn};

use crate::fault::Fault;
use crate::tree::{TextFile, Tree};

#[cfg(test)]
mod tests;

const TABLE: &str = "ARCHITECTURE.md";
const HEADER: &str = "| step | called as |";
const CODE: &str = "crates/gateway/src/request.rs";
/// The function that calls the steps.
const WALK: &str = "answer";

pub(crate) fn check(tree: &Tree) -> Result<Vec<Fault>> {
    let file = |path| {
        tree.file(path)
            .with_context(|| format!("{path} is missing"))
    };
    let documented = documented(file(TABLE)?);
    let called = called(&file(CODE)?.text)?;
    let mut documented = documented.into_iter();
    let mut called = called.into_iter();
    loop {
        let fault = match (documented.next(), called.next()) {
            (None, None) => return Ok(Vec::new()),
            (Some((_, name)), Some(call)) if name == call => continue,
            (Some((line, name)), call) => {
                let call = call.map_or("nothing".to_owned(), |call| format!("`{call}`"));
                let text = format!("`{name}` is listed where {CODE} calls {call}");
                Fault::of_line(TABLE, line, text)
            }
            (None, Some(call)) => {
                let text = format!("`{call}`, which {CODE} calls, is not listed");
                Fault::of_file(TABLE, text)
            }
        };
        return Ok(vec![fault]);
    }
}

/// The calls in the table, each with its line.
fn documented(file: &TextFile) -> Vec<(usize, String)> {
    let lines = (1..).zip(file.text.lines());
    let rows = lines
        .skip_while(|(_, line)| !line.starts_with(HEADER))
        .take_while(|(_, line)| line.starts_with('|'));
    let calls = rows.skip(2).flat_map(|(line, row)| {
        let cell = row.split('|').nth(2).unwrap_or_default();
        let names = cell.split('`').skip(1).step_by(2);
        names.map(move |name| (line, name.to_owned()))
    });
    calls.collect()
}

/// The functions of other modules that the walk calls, in this order.
///
/// # Errors
/// Fails if the code cannot be parsed or has no walk.
fn called(code: &str) -> Result<Vec<String>> {
    let file = syn::parse_file(code).context(CODE)?;
    let functions = file.items.iter().filter_map(|item| match item {
        syn::Item::Fn(function) => Some((function.sig.ident.to_string(), function)),
        _ => None,
    });
    let mut calls = Calls {
        functions: functions.collect(),
        within: Vec::new(),
        names: Vec::new(),
    };
    let walk = calls.functions.get(WALK).copied();
    calls.visit_item_fn(walk.with_context(|| format!("{CODE} has no function `{WALK}`"))?);
    Ok(calls.names)
}

struct Calls<'c> {
    functions: HashMap<String, &'c ItemFn>,
    /// The functions that the visited one is called by: none is visited again within itself.
    within: Vec<String>,
    names: Vec<String>,
}

impl<'c> Visit<'c> for Calls<'c> {
    fn visit_expr_call(&mut self, call: &'c ExprCall) {
        // Arguments are evaluated before the call.
        visit::visit_expr_call(self, call);
        let Expr::Path(ExprPath { path, .. }) = &*call.func else {
            return;
        };
        let names: Vec<_> = path
            .segments
            .iter()
            .map(|it| it.ident.to_string())
            .collect();
        match names.as_slice() {
            [name] => {
                if let Some(function) = self.functions.get(name).copied()
                    && !self.within.contains(name)
                {
                    self.within.push(name.clone());
                    self.visit_item_fn(function);
                    self.within.pop();
                }
            }
            [module, _] if module.starts_with(char::is_lowercase) => {
                self.names.push(names.join("::"));
            }
            _ => {}
        }
    }
}
