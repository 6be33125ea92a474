//! The pass over the text. Arrays and objects are read recursively, since the depth is bounded;
//! scalars are read in place.

use std::num::NonZeroU32;

use tollgate_scan as scan;

use super::{
    Bounds, EMPTY, FILLED, Kind, Malformed, Node, NodeId, Problem, Tape, WITH_EXPONENT, WITH_POINT,
};

/// Maximum number of keys of an object that are compared pairwise; more are sorted at its end.
const KEYS_COMPARED_MAX: usize = 32;
/// Offsets are 32 bits, and [`NodeId`] counts from one.
const BYTES_MAX: usize = 1 << 30;

pub(super) fn read<'a>(
    tape: &mut Tape,
    json: &'a [u8],
    bounds: Bounds,
) -> Result<&'a str, Malformed> {
    let fail = |problem, offset| Err(Malformed { problem, offset });
    if json.len() > bounds.bytes_max.min(BYTES_MAX) {
        return fail(Problem::TooLong, bounds.bytes_max.min(BYTES_MAX));
    }
    let Some(text) = scan::utf8(json) else {
        let sound = std::str::from_utf8(json).map_or_else(|it| it.valid_up_to(), str::len);
        return fail(Problem::Encoding, sound);
    };
    let mut reading = Reading {
        bytes: json,
        text,
        at: 0,
        tape,
        bounds,
    };
    let root = reading
        .value(0)
        .and_then(|root| reading.end().map(|()| root));
    match root {
        Ok(root) => tape.root = Some(root),
        Err(problem) => return fail(problem, reading.at),
    }
    Ok(text)
}

pub(super) struct Reading<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) tape: &'a mut Tape,
    bounds: Bounds,
}

impl Reading<'_> {
    fn end(&mut self) -> Result<(), Problem> {
        match self.skip_space() {
            None => Ok(()),
            Some(_) => Err(Problem::Trailing),
        }
    }

    /// Returns the next byte that is not white space, without consuming it.
    #[inline]
    fn skip_space(&mut self) -> Option<u8> {
        match self.bytes.get(self.at) {
            Some(&byte) if byte > b' ' => Some(byte),
            Some(_) => self.skip_spaces(),
            None => None,
        }
    }

    #[inline(never)]
    fn skip_spaces(&mut self) -> Option<u8> {
        let rest = self.bytes[self.at..].iter();
        let is_space = |byte: &&u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        self.at += rest.take_while(is_space).count();
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn value(&mut self, depth: u32) -> Result<NodeId, Problem> {
        match self.skip_space().ok_or(Problem::Truncated)? {
            b'"' => self.string::<false>(),
            b'{' => self.object(depth + 1),
            b'[' => self.array(depth + 1),
            b't' => self.word("true", Kind::True),
            b'f' => self.word("false", Kind::False),
            b'n' => self.word("null", Kind::Null),
            b'-' | b'0'..=b'9' => self.number(),
            _ => Err(Problem::Unexpected),
        }
    }

    /// Adds a node of the input. Offsets fit in 32 bits because the input is short enough.
    fn push(&mut self, kind: Kind, start: usize, end: usize) -> NodeId {
        self.push_node(Node {
            kind,
            is_unescaped: false,
            mark: 0,
            start: start as u32,
            end: NonZeroU32::new(end as u32),
            next: None,
        })
    }

    pub(super) fn push_node(&mut self, node: Node) -> NodeId {
        let id = NodeId::new(self.tape.nodes.len());
        self.tape.nodes.push(node);
        id
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<NodeId, Problem> {
        let rest = &self.bytes[self.at..];
        if !rest.starts_with(word.as_bytes()) {
            let is_short = word.as_bytes().starts_with(rest);
            return Err(if is_short {
                Problem::Truncated
            } else {
                Problem::Unexpected
            });
        }
        let id = self.push(kind, self.at, 0);
        self.at += word.len();
        Ok(id)
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<NodeId, Problem> {
        let start = self.at;
        if self.bytes[self.at] == b'-' {
            self.at += 1;
        }
        let whole = self.at;
        let has_leading_zero = self.bytes.get(whole) == Some(&b'0');
        match self.digits() {
            0 => return Err(Problem::Number),
            1 => {}
            _ if has_leading_zero => return Err(Problem::Number),
            _ => {}
        }
        let mut mark = 0;
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(Problem::Number);
            }
            mark |= WITH_POINT;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(Problem::Number);
            }
            mark |= WITH_EXPONENT;
        }
        Ok(self.push_node(Node {
            kind: Kind::Number,
            is_unescaped: false,
            mark,
            start: start as u32,
            end: NonZeroU32::new(self.at as u32),
            next: None,
        }))
    }

    #[inline(never)]
    fn array(&mut self, depth: u32) -> Result<NodeId, Problem> {
        if depth > self.bounds.depth_max {
            return Err(Problem::TooDeep);
        }
        let id = self.push(Kind::Array, self.at, 0);
        self.at += 1;
        if self.skip_space() == Some(b']') {
            self.at += 1;
            self.close(id, EMPTY);
            return Ok(id);
        }
        self.tape.nodes[id.index()].mark = FILLED;
        let mut last: Option<NodeId> = None;
        let mut count = 0;
        loop {
            count += 1;
            if count > self.bounds.items_max {
                return Err(Problem::TooManyItems);
            }
            let item = self.value(depth)?;
            if let Some(last) = last {
                self.tape.nodes[last.index()].next = Some(item);
            }
            last = Some(item);
            match self.skip_space().ok_or(Problem::Truncated)? {
                b',' => self.at += 1,
                b']' => break,
                _ => return Err(Problem::Unexpected),
            }
        }
        self.at += 1;
        self.close(id, FILLED);
        Ok(id)
    }

    #[inline(never)]
    fn object(&mut self, depth: u32) -> Result<NodeId, Problem> {
        if depth > self.bounds.depth_max {
            return Err(Problem::TooDeep);
        }
        let id = self.push(Kind::Object, self.at, 0);
        self.at += 1;
        if self.skip_space() == Some(b'}') {
            self.at += 1;
            self.close(id, EMPTY);
            return Ok(id);
        }
        self.tape.nodes[id.index()].mark = FILLED;
        let mut last: Option<NodeId> = None;
        let mut keys = Keys {
            object: id,
            marks: 0,
            count: 0,
        };
        loop {
            match self.skip_space().ok_or(Problem::Truncated)? {
                b'"' => {}
                _ => return Err(Problem::Unexpected),
            }
            let start = self.at;
            let key = self.string::<true>()?;
            if self.is_duplicate(&mut keys, key) {
                self.at = start;
                return Err(Problem::DuplicateKey);
            }
            if let Some(last) = last {
                self.tape.nodes[last.index()].next = Some(key);
            }
            last = Some(key);
            match self.skip_space().ok_or(Problem::Truncated)? {
                b':' => self.at += 1,
                _ => return Err(Problem::Unexpected),
            }
            self.value(depth)?;
            match self.skip_space().ok_or(Problem::Truncated)? {
                b',' => self.at += 1,
                b'}' => break,
                _ => return Err(Problem::Unexpected),
            }
        }
        if keys.count > KEYS_COMPARED_MAX {
            self.refuse_duplicates(id)?;
        }
        self.at += 1;
        self.close(id, FILLED);
        Ok(id)
    }

    /// Sets the end of an array or object, behind its last byte.
    #[inline]
    fn close(&mut self, id: NodeId, mark: u16) {
        let node = &mut self.tape.nodes[id.index()];
        node.mark = mark;
        node.end = NonZeroU32::new(self.at as u32);
    }

    /// Compares a key with those before it, as long as there are few. Most marks are new, so most
    /// keys need no comparison.
    fn is_duplicate(&self, keys: &mut Keys, key: NodeId) -> bool {
        keys.count += 1;
        if keys.count > KEYS_COMPARED_MAX {
            return false;
        }
        let node = self.tape.nodes[key.index()];
        let bytes = node.end.map_or(0, NonZeroU32::get).wrapping_sub(node.start);
        let mixed = u32::from(node.mark) ^ (bytes << 16);
        let bit = 1_u64 << (mixed.wrapping_mul(0x9E37_79B1) >> 26);
        let is_new = keys.marks & bit == 0;
        keys.marks |= bit;
        if is_new {
            return false;
        }
        self.has_other(keys.object, key)
    }

    #[inline(never)]
    fn has_other(&self, object: NodeId, key: NodeId) -> bool {
        let view = self.tape.view(self.text);
        let mark = self.tape.nodes[key.index()].mark;
        view.children(object).any(|other| {
            self.tape.nodes[other.index()].mark == mark && view.bytes(other) == view.bytes(key)
        })
    }

    /// Sorts the keys of an object with many, so that duplicates are adjacent.
    fn refuse_duplicates(&mut self, object: NodeId) -> Result<(), Problem> {
        let mut keys = std::mem::take(&mut self.tape.keys);
        let view = self.tape.view(self.text);
        keys.clear();
        keys.extend(view.keys(object).map(|(name, key)| (name.head, key)));
        keys.sort_unstable_by(|one, other| {
            let heads = one.0.cmp(&other.0);
            heads.then_with(|| view.bytes(one.1).cmp(view.bytes(other.1)))
        });
        let has_duplicates = keys.windows(2).any(|pair| {
            let [one, other] = [pair[0], pair[1]];
            one.0 == other.0 && view.bytes(one.1) == view.bytes(other.1)
        });
        self.tape.keys = keys;
        if has_duplicates {
            return Err(Problem::DuplicateKey);
        }
        Ok(())
    }
}

struct Keys {
    object: NodeId,
    /// A bit for each mark seen.
    marks: u64,
    count: usize,
}
