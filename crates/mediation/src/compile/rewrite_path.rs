//! Compiles steps `rewrite_path`: the template of the path, and which of its holes keep the slashes
//! of the caller's path.

use tollgate_model::policies::RewritePath;
use tollgate_model::template::PathTemplate;

use super::step::Steps;
use crate::expression::Expression;
use crate::name::{Name, Source};
use crate::program::Action;
use crate::text::{self, Template};

impl Steps<'_> {
    pub(super) fn rewrite_path(&mut self, it: &RewritePath, at: &str) -> Option<Action> {
        let field = format!("{at}/path");
        let mut path = self.template(&it.path, text::Place::Path, &field)?;
        if let Some(detail) = path_fault(&it.path, &path) {
            self.fault(&field, "policy.path", detail);
        }
        if let Some(name) = self.find_twofold(&path) {
            let detail = format!(
                "path.{name} is the rest of the path in some operations and one segment in others: \
                 rename one of them, or use policies of operations"
            );
            self.fault(&field, "policy.path", detail);
        }
        path.keep_rests(|name| self.is_rest(name));
        Some(Action::RewritePath(path, self.reading))
    }

    /// Returns a hole's name that is a rest in some operations that the list applies to, and not in
    /// others.
    fn find_twofold(&self, path: &Template) -> Option<Box<str>> {
        let mut holes = path.expressions().filter_map(Expression::name);
        let twofold = holes.find(|name| self.is_rest(name) && self.is_segment(name));
        twofold.map(|name| name.key.clone())
    }

    /// Whether a name is the rest of the path of an operation that the list applies to.
    fn is_rest(&self, name: &Name) -> bool {
        let mut rests = self
            .operations
            .iter()
            .filter_map(|(_, _, path)| path.rest());
        name.source == Source::PathParameter && rests.any(|rest| *rest.name == *name.key)
    }

    /// Whether a name is a parameter that is not a rest, of an operation that the list applies to.
    fn is_segment(&self, name: &Name) -> bool {
        let mut paths = self.operations.iter().map(|(_, _, path)| path);
        let is_rest = |path: &PathTemplate| path.rest().is_some_and(|rest| *rest.name == *name.key);
        paths.any(|path| !is_rest(path) && path.parameters().any(|it| *it == *name.key))
    }
}

/// Returns what is wrong with a path that a step sets.
fn path_fault(written: &str, path: &Template) -> Option<&'static str> {
    if !written.starts_with('/') {
        return Some("a path begins with \"/\"");
    }
    let is_of_path = |byte: u8| byte.is_ascii_graphic() && !b"?#\\\"<>^`{|}".contains(&byte);
    if !path
        .literals()
        .all(|literal| literal.bytes().all(is_of_path))
    {
        return Some("a path has neither query nor fragment, and is percent-encoded");
    }
    let decoded = written.to_ascii_lowercase().replace("%2e", ".");
    let mut segments = decoded.split('/');
    if segments.any(|segment| segment == "." || segment == "..") {
        return Some("no segment of a path is \".\" or \"..\"");
    }
    None
}
