//! From text to a tree, by recursive descent.

use super::function::{FUNCTIONS, Form, Function};
use super::lexer::{Lexer, Token};
use super::node::{DEPTH_MAX, Node, Operator};
use super::pattern::Pattern;
use super::{Expression, Fault};
use crate::name::{Available, Name, nearest};

/// CEL's functions that loop.
const MACROS: [&str; 6] = ["all", "exists", "exists_one", "existsOne", "filter", "map"];

/// Operators between two operands, those that bind weakest first.
const LEVELS: [&[(&str, Operator)]; 3] = [
    &[
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<", Operator::Less),
        ("<=", Operator::LessOrEqual),
        (">", Operator::Greater),
        (">=", Operator::GreaterOrEqual),
        ("in", Operator::In),
    ],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[
        ("*", Operator::Multiply),
        ("/", Operator::Divide),
        ("%", Operator::Remainder),
    ],
];

pub(super) struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The next token, and its offset.
    token: Token<'t>,
    at: usize,
    start: usize,
    depth: usize,
    pub(super) available: &'t Available<'t>,
    /// The names that were read so far.
    pub(super) names: Vec<Name>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(
        text: &'t str,
        start: usize,
        available: &'t Available<'t>,
    ) -> Result<Self, Fault> {
        let mut lexer = Lexer::new(text, start);
        let (at, token) = lexer.next()?;
        Ok(Self {
            lexer,
            token,
            at,
            start,
            depth: 0,
            available,
            names: Vec::new(),
        })
    }

    pub(super) fn parse_whole(mut self) -> Result<Expression, Fault> {
        let root = self.expression()?;
        match self.token {
            Token::End => self.finish(root),
            _ => Err(self.unexpected()),
        }
    }

    /// Parses up to `}}`, and returns the offset after it.
    pub(super) fn parse_hole(mut self) -> Result<(Expression, usize), Fault> {
        let root = self.expression()?;
        match self.token {
            Token::Sign("}}") => {
                let end = self.lexer.at();
                Ok((self.finish(root)?, end))
            }
            Token::End => Err(Fault::new(self.start, "a hole without its closing `}}`")),
            _ => Err(self.unexpected()),
        }
    }

    fn finish(self, root: Node) -> Result<Expression, Fault> {
        if root.depth() > DEPTH_MAX {
            return Err(Fault::new(self.start, TOO_DEEP));
        }
        Ok(Expression {
            root,
            names: self.names.into(),
        })
    }

    pub(super) fn advance(&mut self) -> Result<(usize, Token<'t>), Fault> {
        let (at, token) = self.lexer.next()?;
        Ok((
            std::mem::replace(&mut self.at, at),
            std::mem::replace(&mut self.token, token),
        ))
    }

    /// Whether the next token is this sign or keyword.
    fn is_next(&self, sign: &str) -> bool {
        match &self.token {
            Token::Sign(next) => *next == sign,
            Token::Word(next) => *next == sign && sign == "in",
            _ => false,
        }
    }

    pub(super) fn accept(&mut self, sign: &str) -> Result<bool, Fault> {
        let is_next = self.is_next(sign);
        if is_next {
            self.advance()?;
        }
        Ok(is_next)
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<(), Fault> {
        if self.accept(sign)? {
            return Ok(());
        }
        Err(match self.token {
            Token::End | Token::Sign("}}") => Fault::new(self.at, format!("`{sign}` is missing")),
            _ => self.unexpected(),
        })
    }

    fn unexpected(&self) -> Fault {
        let sentence = match &self.token {
            Token::End | Token::Sign("}}") => "the expression ends too early".to_owned(),
            Token::Sign(sign) => format!("unexpected `{sign}`"),
            Token::Word(word) => format!("unexpected `{word}`"),
            Token::Text(_) => "unexpected text".to_owned(),
            Token::Integer(_) | Token::Double(_) => "unexpected number".to_owned(),
        };
        Fault::new(self.at, sentence)
    }

    fn expression(&mut self) -> Result<Node, Fault> {
        if self.depth == DEPTH_MAX {
            return Err(Fault::new(self.at, TOO_DEEP));
        }
        self.depth += 1;
        let mut node = self.any()?;
        if self.accept("?")? {
            let yes = self.any()?;
            self.expect(":")?;
            node = Node::Choose([node, yes, self.expression()?].into());
        }
        self.depth -= 1;
        Ok(node)
    }

    fn any(&mut self) -> Result<Node, Fault> {
        self.chain("||", Self::all, Node::Any)
    }

    fn all(&mut self) -> Result<Node, Fault> {
        self.chain("&&", |parser| parser.binary(0), Node::All)
    }

    fn chain(
        &mut self,
        sign: &str,
        operand: impl Fn(&mut Self) -> Result<Node, Fault>,
        join: impl Fn(Box<[Node]>) -> Node,
    ) -> Result<Node, Fault> {
        let first = operand(self)?;
        if !self.is_next(sign) {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.accept(sign)? {
            operands.push(operand(self)?);
        }
        Ok(join(operands.into()))
    }

    fn binary(&mut self, level: usize) -> Result<Node, Fault> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut node = self.binary(level + 1)?;
        while let Some(&(_, operator)) = operators.iter().find(|it| self.is_next(it.0)) {
            self.advance()?;
            node = Node::Binary(operator, [node, self.binary(level + 1)?].into());
        }
        Ok(node)
    }

    /// As in CEL, two equal signs cancel each other out.
    fn unary(&mut self) -> Result<Node, Fault> {
        let (mut is_not, mut is_negative) = (false, false);
        while self.accept("!")? {
            is_not = !is_not;
        }
        while !is_not && self.accept("-")? {
            is_negative = !is_negative;
        }
        if let (Token::Integer(magnitude), true) = (&self.token, is_negative) {
            let integer = 0_i64.checked_sub_unsigned(*magnitude);
            let (at, _) = self.advance()?;
            return integer
                .map(Node::Int)
                .ok_or_else(|| Fault::new(at, TOO_LARGE));
        }
        let node = self.member()?;
        Ok(match (is_not, is_negative) {
            (true, _) => Node::Not(Box::new(node)),
            (_, true) => Node::Negate(Box::new(node)),
            _ => node,
        })
    }

    fn member(&mut self) -> Result<Node, Fault> {
        let mut node = self.primary()?;
        loop {
            if self.accept(".")? {
                let (at, word) = self.word()?;
                node = if self.is_next("(") {
                    self.call(at, word, Some(node))?
                } else {
                    Node::Select(Box::new(node), word.into())
                };
            } else if self.accept(".?")? {
                node = Node::Select(Box::new(node), self.word()?.1.into());
            } else if self.accept("[")? {
                let index = self.expression()?;
                self.expect("]")?;
                node = match index {
                    Node::Text(key) => Node::Select(Box::new(node), key),
                    index => Node::Index([node, index].into()),
                };
            } else {
                return Ok(node);
            }
        }
    }

    pub(super) fn word(&mut self) -> Result<(usize, &'t str), Fault> {
        match self.token {
            Token::Word(word) => Ok((self.advance()?.0, word)),
            _ => Err(self.unexpected()),
        }
    }

    fn primary(&mut self) -> Result<Node, Fault> {
        if matches!(self.token, Token::End | Token::Sign(_))
            && !self.is_next("(")
            && !self.is_next("[")
        {
            return Err(self.unexpected());
        }
        let (at, token) = self.advance()?;
        Ok(match token {
            Token::Integer(magnitude) => {
                let integer = i64::try_from(magnitude);
                Node::Int(integer.map_err(|_| Fault::new(at, TOO_LARGE))?)
            }
            Token::Double(double) => Node::Double(double),
            Token::Text(text) => Node::Text(text.into()),
            Token::Word("true") => Node::Bool(true),
            Token::Word("false") => Node::Bool(false),
            Token::Word("null") => Node::Null,
            Token::Word(word) if self.is_next("(") => self.call(at, word, None)?,
            Token::Word(word) => self.name(at, word)?,
            Token::Sign("[") => Node::List(self.list("]")?.into()),
            Token::Sign(_) | Token::End => {
                let node = self.expression()?;
                self.expect(")")?;
                node
            }
        })
    }

    fn list(&mut self, end: &str) -> Result<Vec<Node>, Fault> {
        let mut nodes = Vec::new();
        while !self.accept(end)? {
            nodes.push(self.expression()?);
            if !self.accept(",")? {
                self.expect(end)?;
                break;
            }
        }
        Ok(nodes)
    }

    fn call(&mut self, at: usize, word: &str, target: Option<Node>) -> Result<Node, Fault> {
        let described = FUNCTIONS.iter().find(|it| it.word == word);
        let described = described.ok_or_else(|| unknown_function(at, word))?;
        self.expect("(")?;
        let start = self.at;
        let arguments = self.list(")")?;
        let is_right = match (described.form, &target) {
            (Form::Global | Form::Both, None) => arguments.len() == 1,
            (Form::Member(count), Some(_)) => arguments.len() == count,
            (Form::Both, Some(_)) => arguments.is_empty(),
            _ => false,
        };
        if !is_right {
            return Err(Fault::new(at, format!("write {}", described.usage())));
        }
        let operands: Box<[Node]> = target.into_iter().chain(arguments).collect();
        match (described.function, &*operands) {
            (Function::Has, [Node::Name(_) | Node::Select(..)]) => {}
            (Function::Has, _) => {
                return Err(Fault::new(
                    start,
                    "write `has(a.b)`: it takes a name or a member",
                ));
            }
            (Function::Matches, [of, Node::Text(pattern)]) => {
                let pattern = Pattern::try_from(String::from(&**pattern));
                let pattern = pattern.map_err(|sentence| Fault::new(start, sentence))?;
                return Ok(Node::Matches(Box::new(of.clone()), pattern));
            }
            (Function::Matches, _) => {
                return Err(Fault::new(start, "`matches` takes a literal text only"));
            }
            _ => {}
        }
        Ok(Node::Call(described.function, operands))
    }
}

const TOO_DEEP: &str = "an expression is nested at most 64 deep";
const TOO_LARGE: &str = "an integer has at most 64 bits";

fn unknown_function(at: usize, word: &str) -> Fault {
    let sentence = match nearest(word, FUNCTIONS.iter().map(|it| it.word)) {
        _ if MACROS.contains(&word) => {
            format!("`{word}` is a macro, which expressions do not have")
        }
        Some(known) => format!("unknown function `{word}`: did you mean `{known}`?"),
        None => format!("unknown function `{word}`"),
    };
    Fault::new(at, sentence)
}
