//! Rejects meaningless names: `get_` before a noun, and catch-alls called utils, helpers or
//! managers.

use crate::fault::Fault;
use crate::survey::Survey;
use crate::tree::{TextFile, Tree};

#[cfg(test)]
mod tests;

/// The whole name of a file or folder, or the last word of a type's name.
const CATCH_ALLS: [&str; 6] = ["util", "utils", "helper", "helpers", "manager", "managers"];

pub(crate) fn check(tree: &Tree, surveys: &[Survey]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in tree.files.iter().filter(|file| is_source(file)) {
        let path = file
            .path
            .strip_suffix(file.extension())
            .unwrap_or(&file.path);
        let parts = path.trim_end_matches('.').split('/');
        faults.extend(parts.filter(|part| CATCH_ALLS.contains(part)).map(|part| {
            Fault::of_file(
                &file.path,
                format!("`{part}` means nothing: name its content"),
            )
        }));
    }
    for survey in surveys {
        functions(survey, &mut faults);
        for (name, line) in survey
            .types
            .iter()
            .filter(|(name, _)| ends_in_catch_all(name))
        {
            let text = format!("`{name}` means nothing: name its purpose");
            faults.push(Fault::of_line(&survey.path, *line, text));
        }
    }
    faults
}

fn is_source(file: &TextFile) -> bool {
    matches!(file.extension(), "rs" | "ts" | "tsx")
}

fn functions(survey: &Survey, faults: &mut Vec<Fault>) {
    for function in survey
        .functions
        .iter()
        .filter(|function| !function.is_of_trait)
    {
        let name = function.name.rsplit("::").next().unwrap_or(&function.name);
        if name.starts_with("get_") {
            let text = format!("`{name}`: drop the get_");
            faults.push(Fault::of_line(&survey.path, function.line, text));
        }
    }
}

/// Matches `PoolManager`, but not `Eyemanager`: only whole words count.
fn ends_in_catch_all(name: &str) -> bool {
    let last_word = name
        .rfind(char::is_uppercase)
        .map_or(name, |start| &name[start..]);
    CATCH_ALLS.contains(&last_word.to_lowercase().as_str())
}
