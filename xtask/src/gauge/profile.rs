//! A count of callgrind ("Callgrind Format Specification", version 1): the events of each function
//! itself, by source file.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result};

use super::rooms::room;

/// Events by function and source file. Code of inlined functions is in theirs.
#[derive(Debug, Default)]
pub(super) struct Profile(HashMap<(String, String), u64>);

/// Names by number: the first mention of a number has the name.
#[derive(Debug, Default)]
struct Names(HashMap<String, String>);

impl Names {
    /// Returns the name of `(number) name`, `(number)` or `name`.
    fn find(&mut self, text: &str) -> Result<String> {
        let Some((number, name)) = text.strip_prefix('(').and_then(|it| it.split_once(')')) else {
            return Ok(text.to_owned());
        };
        if !name.is_empty() {
            self.0.insert(number.to_owned(), name.trim().to_owned());
        }
        let name = self.0.get(number);
        name.cloned()
            .with_context(|| format!("name {number} is unknown"))
    }
}

impl Profile {
    /// Parses the text of a count with lines as positions; sums these events.
    ///
    /// # Errors
    /// Fails on a number that is none, and on a name that was not mentioned before.
    pub(super) fn parse(text: &str, events: &[&str]) -> Result<Self> {
        let mut profile = Self::default();
        let names = text.lines().find_map(|line| line.strip_prefix("events:"));
        let names = names.context("no line names the events")?;
        let is_summed: Vec<_> = names
            .split_whitespace()
            .map(|name| events.contains(&name))
            .collect();
        let (mut files, mut functions) = (Names::default(), Names::default());
        let (mut file, mut function) = (String::new(), String::new());
        let mut is_of_callee = false;
        for line in text.lines() {
            match line.split_once('=') {
                Some(("fl" | "fi" | "fe", name)) => file = files.find(name)?,
                Some(("fn", name)) => function = functions.find(name)?,
                // Their numbers are also those of later lines.
                Some(("cfi" | "cfl", name)) => drop(files.find(name)?),
                Some(("cfn", name)) => drop(functions.find(name)?),
                Some(("calls", _)) => is_of_callee = true,
                Some(_) => {}
                // The line after `calls` has what the callee executed.
                None if std::mem::take(&mut is_of_callee) => {}
                None if line.starts_with(|it: char| it.is_ascii_digit() || "+-*".contains(it)) => {
                    let key = (function.clone(), file.clone());
                    let sum = profile.0.entry(key).or_default();
                    // Zeros at the end are left out.
                    for (count, is_summed) in line.split(' ').skip(1).zip(&is_summed) {
                        let count: u64 = count.parse().with_context(|| line.to_owned())?;
                        *sum += u64::from(*is_summed) * count;
                    }
                }
                None => {}
            }
        }
        Ok(profile)
    }

    /// Whether a function with this in its name is in the count.
    pub(super) fn has_function(&self, name: &str) -> bool {
        self.0.keys().any(|(function, _)| function.contains(name))
    }

    /// Sums the events by room, without those of digests.
    pub(super) fn by_room(&self) -> BTreeMap<String, u64> {
        let mut rooms = BTreeMap::new();
        for ((function, file), count) in &self.0 {
            if !function.contains("sha2::") {
                *rooms.entry(room(function, file)).or_default() += count;
            }
        }
        rooms
    }
}
