//! Places in a document: a value and its JSON pointer (RFC 6901), which is formatted on demand.

use std::fmt;
use std::rc::Rc;

use crate::model::fault::pointer_token;
use crate::value::{Members, Value};

/// Maximum length of a written pointer in bytes, before escaping.
const BYTES_MAX: usize = 4_096;

/// The schema of values that nothing describes.
static ANYTHING: Value = Value::Map(Members(Vec::new()));

/// A JSON pointer that shares its beginning with others.
#[derive(Debug, Clone, Default)]
pub(super) struct Pointer<'d>(Option<Rc<(Pointer<'d>, Token<'d>)>>);

#[derive(Debug)]
enum Token<'d> {
    Key(&'d str),
    Index(usize),
    /// A whole pointer, escaped.
    Whole(String),
}

impl<'d> Pointer<'d> {
    /// Creates a pointer from its text.
    pub(super) fn whole(text: String) -> Self {
        Self(Some(Rc::new((Self::default(), Token::Whole(text)))))
    }

    /// Returns the pointer to a member of the object.
    pub(super) fn key(&self, key: &'d str) -> Self {
        Self(Some(Rc::new((self.clone(), Token::Key(key)))))
    }

    /// Returns the pointer to an item of the list.
    pub(super) fn index(&self, index: usize) -> Self {
        Self(Some(Rc::new((self.clone(), Token::Index(index)))))
    }
}

impl fmt::Display for Pointer<'_> {
    /// Writes the pointer. One that is too long is cut to the pointer of an enclosing value.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tokens = Vec::new();
        let mut rest = self;
        while let Some(step) = &rest.0 {
            tokens.push(&step.1);
            rest = &step.0;
        }
        let mut left = BYTES_MAX;
        for token in tokens.into_iter().rev() {
            let bytes = match token {
                Token::Key(key) => key.len(),
                Token::Index(_) => 1,
                Token::Whole(text) => text.len(),
            };
            let Some(still_left) = left.checked_sub(bytes + 1) else {
                break;
            };
            left = still_left;
            match token {
                Token::Key(key) => write!(out, "/{}", pointer_token(key))?,
                Token::Index(index) => write!(out, "/{index}")?,
                Token::Whole(text) => out.write_str(text)?,
            }
        }
        Ok(())
    }
}

/// A value and its pointer.
#[derive(Debug, Clone)]
pub(super) struct At<'d> {
    pub(super) value: &'d Value,
    pub(super) pointer: Pointer<'d>,
}

impl<'d> At<'d> {
    /// An absent schema, which allows everything.
    pub(super) fn anything(pointer: Pointer<'d>) -> Self {
        let value = &ANYTHING;
        Self { value, pointer }
    }

    /// Identifies the value in its document.
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self.value).addr()
    }

    /// Returns the number of its members or items, and of those of them: the work of reading it.
    pub(super) fn weight(&self) -> usize {
        match self.value {
            Value::Map(members) => members.0.iter().map(|(_, it)| 1 + size(it)).sum(),
            other => size(other),
        }
    }

    pub(super) fn map(&self) -> Option<&'d Members> {
        self.value.as_map()
    }

    /// Returns a member, unless it is null.
    pub(super) fn member(&self, key: &str) -> Option<Self> {
        let mut members = self.map()?.0.iter();
        let (key, value) = members.find(|(name, _)| name == key)?;
        let is_null = matches!(value, Value::Scalar(serde_json::Value::Null));
        (!is_null).then(|| self.below(key, value))
    }

    pub(super) fn text(&self, key: &str) -> Option<&'d str> {
        self.map()?.value(key)?.as_text()
    }

    /// Whether a member is `true`.
    pub(super) fn is(&self, key: &str) -> bool {
        let value = self.map().and_then(|members| members.value(key));
        matches!(value, Some(Value::Scalar(serde_json::Value::Bool(true))))
    }

    /// Returns the members of an object.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'d str, Self)> + use<'d> {
        let pointer = self.pointer.clone();
        let members = self.map().into_iter().flat_map(|members| &members.0);
        members.map(move |(key, value)| {
            let pointer = pointer.key(key);
            (key.as_str(), Self { value, pointer })
        })
    }

    /// Returns the items of a list.
    pub(super) fn items(&self) -> impl Iterator<Item = Self> + use<'d> {
        let pointer = self.pointer.clone();
        let list = match self.value {
            Value::List(list) => list.as_slice(),
            _ => &[],
        };
        let items = list.iter().enumerate();
        items.map(move |(index, value)| {
            let pointer = pointer.index(index);
            Self { value, pointer }
        })
    }

    /// Returns the place of a member with this value.
    pub(super) fn below(&self, key: &'d str, value: &'d Value) -> Self {
        let pointer = self.pointer.key(key);
        Self { value, pointer }
    }
}

/// The number of members or items of a value; long texts count as several.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::Map(members) => members.0.len(),
        Value::List(list) => list.len(),
        Value::Scalar(serde_json::Value::String(text)) => text.len() / 64,
        Value::Scalar(_) => 0,
    }
}
