//! Random expressions of the part of CEL that both evaluators have.

use crate::fuzzing::Random;

/// The type that an expression is meant to have.
#[derive(Clone, Copy)]
enum Type {
    Bool,
    Int,
    Double,
    Text,
    List,
    Null,
}

const TYPES: [Type; 6] = [
    Type::Bool,
    Type::Int,
    Type::Double,
    Type::Text,
    Type::List,
    Type::Null,
];

/// Objects with the keys that they have, and one that they do not.
const OBJECTS: [(&str, &[&str]); 6] = [
    ("body", &["t", "i", "d", "s", "n", "none"]),
    ("body.o", &["i", "none"]),
    ("body.o.p", &["s", "n", "none"]),
    ("body.rows[1]", &["k", "v", "none"]),
    ("request.headers", &["accept", "host"]),
    ("caller.claims", &["sub", "exp", "none"]),
];

const BOOLS: [&str; 5] = ["true", "false", "body.t", "body.f", "body.none"];
const INTS: [&str; 15] = [
    "0",
    "1",
    "2",
    "7",
    "0x1F",
    "-1",
    "-5",
    "9223372036854775807",
    "-9223372036854775808",
    "body.i",
    "body.o.i",
    "body.m",
    "body.rows[0].v",
    "response.status",
    "now",
];
const DOUBLES: [&str; 8] = [
    "0.0",
    "1.0",
    "2.5",
    ".5",
    "1e3",
    "-1.5e-2",
    "body.d",
    "body.rows[1].v",
];
const TEXTS: [&str; 19] = [
    "\"\"",
    "'abc'",
    "\"7\"",
    "'B'",
    r#""\u00e9\n""#,
    r"r'a\b'",
    "\"true\"",
    "'1.5'",
    "body.s",
    "body.u",
    "body.o.p.s",
    "request.method",
    "request.query[\"q\"]",
    "request.headers[\"x-a\"]",
    "path.id",
    "caller.claims.sub",
    "api[\"name\"]",
    "request.headers[\"none\"]",
    "error.detail",
];
const LISTS: [&str; 5] = [
    "[]",
    "body.l",
    "body.e",
    "caller.claims.groups",
    "[1, 'abc', 2.5]",
];
const PATTERNS: [&str; 5] = ["'^a'", "'[0-9]+$'", "''", r"r'\w{2}'", "'(?i)ABC|x'"];

pub(crate) fn expression(random: &mut Random) -> String {
    let of = TYPES[random.below(TYPES.len())];
    Generator { random }.of(of, 4)
}

struct Generator<'r> {
    random: &'r mut Random,
}

impl Generator<'_> {
    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.random.below(of.len())]
    }

    /// Returns an expression that mostly has this type.
    fn of(&mut self, of: Type, depth: usize) -> String {
        let of = match self.random.below(40) {
            0 => TYPES[self.random.below(TYPES.len())],
            _ => of,
        };
        if depth == 0 || self.random.below(4) == 0 {
            return self.atom(of);
        }
        if self.random.below(10) == 0 {
            return self.of_any_type(of, depth - 1);
        }
        match of {
            Type::Bool => self.boolean(depth - 1),
            Type::Int => self.integer(depth - 1),
            Type::Double => self.double(depth - 1),
            Type::Text => self.text(depth - 1),
            Type::List => self.list(depth - 1),
            Type::Null => "null".to_owned(),
        }
    }

    fn atom(&mut self, of: Type) -> String {
        let atoms: &[&str] = match of {
            Type::Bool => &BOOLS,
            Type::Int => &INTS,
            Type::Double => &DOUBLES,
            Type::Text => &TEXTS,
            Type::List => &LISTS,
            Type::Null => &["null", "body.n"],
        };
        self.one(atoms).to_owned()
    }

    /// Returns an operand, in parentheses or not: the operators around it may bind stronger.
    fn operand(&mut self, of: Type, depth: usize) -> String {
        let text = self.of(of, depth);
        match self.random.below(3) {
            0 => text,
            _ => format!("({text})"),
        }
    }

    fn binary(&mut self, of: Type, operators: &[&str], depth: usize) -> String {
        let one = self.operand(of, depth);
        let operator = self.one(operators);
        let other = self.operand(of, depth);
        format!("{one} {operator} {other}")
    }

    fn of_any_type(&mut self, of: Type, depth: usize) -> String {
        let (object, keys) = OBJECTS[self.random.below(OBJECTS.len())];
        let key = self.one(keys);
        match self.random.below(3) {
            0 => {
                // CEL evaluates it even where it is not needed.
                let default = match of {
                    Type::Bool => "true",
                    Type::Int => "3",
                    Type::Double => "0.5",
                    Type::Text => "'or'",
                    Type::List => "[3]",
                    Type::Null => "null",
                };
                format!("{object}.?{key}.orValue({default})")
            }
            1 => {
                let index = self.operand(Type::Int, depth);
                format!("({})[{index}]", self.of(Type::List, depth))
            }
            _ => {
                let (condition, yes) = (self.of(Type::Bool, depth), self.of(of, depth));
                format!("({condition}) ? ({yes}) : {}", self.of(of, depth))
            }
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        let of = TYPES[self.random.below(TYPES.len())];
        match self.random.below(12) {
            0 => self.binary(of, &["==", "!="], depth),
            1 => self.binary(of, &["<", "<=", ">", ">="], depth),
            2 => {
                let (one, other) = (
                    self.operand(Type::Int, depth),
                    self.operand(Type::Double, depth),
                );
                format!("{one} {} {other}", self.one(&["==", "<", ">="]))
            }
            3 | 4 => self.binary(Type::Bool, &["&&", "||"], depth),
            5 => format!("!({})", self.of(Type::Bool, depth)),
            6 => format!("!{}", self.one(&["true", "!body.t", "body.none"])),
            7 => format!(
                "{} in ({})",
                self.operand(of, depth),
                self.of(Type::List, depth)
            ),
            8 => {
                let (object, keys) = OBJECTS[self.random.below(4)];
                match self.random.below(2) {
                    0 => format!("has({object}.{})", self.one(keys)),
                    _ => format!("{} in {object}", self.operand(Type::Text, depth)),
                }
            }
            9 => {
                let function = self.one(&["startsWith", "endsWith", "contains"]);
                let (one, other) = (self.of(Type::Text, depth), self.of(Type::Text, depth));
                format!("({one}).{function}({other})")
            }
            10 => {
                let pattern = self.one(&PATTERNS);
                format!("({}).matches({pattern})", self.of(Type::Text, depth))
            }
            _ => format!("bool({})", self.of(Type::Text, depth)),
        }
    }

    fn integer(&mut self, depth: usize) -> String {
        match self.random.below(5) {
            0 | 1 => self.binary(Type::Int, &["+", "-", "*", "/", "%"], depth),
            2 => format!(
                "-{}",
                self.one(&["7", "body.i", "-body.i", "(body.m)", "-5"])
            ),
            3 => {
                let of = [Type::Int, Type::Double, Type::Text][self.random.below(3)];
                format!("int({})", self.of(of, depth))
            }
            _ => {
                let of = [Type::Text, Type::List][self.random.below(2)];
                match self.random.below(3) {
                    0 => format!("size({})", self.of(of, depth)),
                    1 => format!("({}).size()", self.of(of, depth)),
                    _ => format!("size({})", self.one(&["body.o", "body", "body.rows"])),
                }
            }
        }
    }

    fn double(&mut self, depth: usize) -> String {
        match self.random.below(4) {
            0 | 1 => self.binary(Type::Double, &["+", "-", "*", "/"], depth),
            2 => format!("-({})", self.of(Type::Double, depth)),
            _ => {
                let of = [Type::Int, Type::Double, Type::Text][self.random.below(3)];
                format!("double({})", self.of(of, depth))
            }
        }
    }

    fn text(&mut self, depth: usize) -> String {
        match self.random.below(3) {
            0 => self.binary(Type::Text, &["+"], depth),
            1 => {
                let function = self.one(&["lowerAscii", "upperAscii"]);
                format!("({}).{function}()", self.of(Type::Text, depth))
            }
            _ => {
                let of = [Type::Int, Type::Double, Type::Text, Type::Bool][self.random.below(4)];
                format!("string({})", self.of(of, depth))
            }
        }
    }

    fn list(&mut self, depth: usize) -> String {
        if self.random.below(3) == 0 {
            return self.binary(Type::List, &["+"], depth);
        }
        let items: Vec<_> = (0..self.random.below(4))
            .map(|_| {
                let of = TYPES[self.random.below(TYPES.len())];
                self.of(of, depth)
            })
            .collect();
        format!("[{}]", items.join(", "))
    }
}
