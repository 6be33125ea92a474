//! Resolves names while parsing, so an unknown name is an error of the text.

use super::Fault;
use super::lexer::Token;
use super::node::Node;
use super::parser::Parser;
use crate::name::{Declared, Key, NAMES, Name, nearest};

impl Parser<'_> {
    /// Resolves a name that begins with a word.
    pub(super) fn name(&mut self, at: usize, word: &str) -> Result<Node, Fault> {
        if self.available.locals.contains(&word) {
            return self.read(at, Name::local(word));
        }
        let mut path = word.to_owned();
        loop {
            if let Some(declared) = NAMES.iter().find(|it| it.path == path) {
                return self.declared(at, declared);
            }
            let mut longer = NAMES
                .iter()
                .filter_map(|it| it.path.strip_prefix(path.as_str()));
            if !longer.any(|rest| rest.starts_with('.')) {
                return Err(self.unknown_name(at, &path));
            }
            let Some(segment) = self.segment()? else {
                let sentence = format!("`{path}` is not a value: name one of its members");
                return Err(Fault::new(at, sentence));
            };
            path.push('.');
            path.push_str(&segment);
        }
    }

    fn declared(&mut self, at: usize, declared: &Declared) -> Result<Node, Fault> {
        if let Some(sentence) = self.available.refuse(declared) {
            return Err(Fault::new(at, sentence));
        }
        if declared.key == Key::No {
            return self.read(at, Name::new(declared, ""));
        }
        let Some(key) = self.segment()? else {
            let path = declared.path;
            let sentence = format!("`{path}` needs a literal name: `{path}[\"x\"]`");
            return Err(Fault::new(at, sentence));
        };
        self.read(at, Name::new(declared, &key))
    }

    /// Parses `.x`, `.?x` or `["x"]` after a name.
    fn segment(&mut self) -> Result<Option<String>, Fault> {
        if self.accept(".")? || self.accept(".?")? {
            return Ok(Some(self.word()?.1.to_owned()));
        }
        if !self.accept("[")? {
            return Ok(None);
        }
        match self.advance()?.1 {
            Token::Text(text) => self.expect("]").map(|()| Some(text)),
            _ => Ok(None),
        }
    }

    fn read(&mut self, at: usize, name: Name) -> Result<Node, Fault> {
        let index = self.names.iter().position(|it| *it == name);
        let index = index.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        let index = u16::try_from(index).map_err(|_| Fault::new(at, "too many names"))?;
        Ok(Node::Name(index))
    }

    fn unknown_name(&self, at: usize, path: &str) -> Fault {
        let words = path.split('.').count();
        let prefix = |declared: &'static Declared| {
            let path = declared.path;
            let end = path
                .match_indices('.')
                .nth(words - 1)
                .map_or(path.len(), |it| it.0);
            &path[..end]
        };
        let known = NAMES
            .iter()
            .map(prefix)
            .chain(self.available.locals.iter().copied());
        let sentence = match nearest(path, known) {
            Some(known) => format!("unknown name `{path}`: did you mean `{known}`?"),
            None => format!("unknown name `{path}`"),
        };
        Fault::new(at, sentence)
    }
}
