//! The macros that are defined, and how a definition is read. What they expand to is in
//! `expansion`.

use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{self, Token, TokenKind};
use crate::options::Options;
use crate::source::{FileId, Span};
use std::collections::HashMap;
use std::rc::Rc;

/// The name under which a macro with a variable number of arguments knows the last of them.
const VARIADIC: &str = "__VA_ARGS__";

/// The macros that are defined.
pub(super) struct Macros {
    defined: HashMap<String, Macro>,
}

#[derive(Clone)]
pub(super) struct Macro {
    /// Where it is defined; `None` if the options define it.
    pub(super) span: Option<Span>,
    /// What it stands for.
    pub(super) body: Rc<[Token]>,
    /// What its arguments are called; `None` for a macro without arguments.
    pub(super) parameters: Option<Rc<[Rc<str>]>>,
}

impl Macro {
    /// The macro `name` with what follows its name in a `#define`.
    ///
    /// # Errors
    ///
    /// When the list of parameters is not well formed.
    pub(super) fn define(name: &Token, rest: &[Token]) -> Result<Macro, Box<Diagnostic>> {
        let span = Some(name.span);
        match rest.split_first() {
            Some((open, rest)) if open.is("(") && open.span.start == name.span.end => {
                let (parameters, body) = parameters(open, rest)?;
                Ok(Macro { span, body: body.into(), parameters: Some(parameters.into()) })
            }
            _ => Ok(Macro { span, body: rest.into(), parameters: None }),
        }
    }

    /// Whether its last parameter takes all arguments that are left.
    pub(super) fn is_variadic(&self) -> bool {
        let last = self.parameters.as_ref().and_then(|parameters| parameters.last());
        last.is_some_and(|last| &**last == VARIADIC)
    }

    fn means(&self, other: &Macro) -> bool {
        self.parameters == other.parameters
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&*other.body).all(|(a, b)| a.text == b.text)
    }
}

/// Parameters, and what stands behind them.
type Parameters<'t> = (Vec<Rc<str>>, &'t [Token]);

/// The parameters behind the `(` of a definition, and the body behind them.
fn parameters<'t>(open: &Token, tokens: &'t [Token]) -> Result<Parameters<'t>, Box<Diagnostic>> {
    let bad = |token: &Token, message: &str| {
        Err(Box::new(Diagnostic::error(Code::BadDirective, token.span, message)))
    };
    let mut parameters: Vec<Rc<str>> = Vec::new();
    let mut rest = tokens;
    if let [close, body @ ..] = rest
        && close.is(")")
    {
        return Ok((parameters, body));
    }
    loop {
        let (name, behind): (Rc<str>, _) = match rest {
            [a, b, c, behind @ ..] if a.is(".") && b.is(".") && c.is(".") => {
                (VARIADIC.into(), behind)
            }
            [name, behind @ ..] if name.kind == TokenKind::Identifier => {
                (name.text.clone(), behind)
            }
            _ => {
                return bad(rest.first().unwrap_or(open), "the name of a parameter is needed here");
            }
        };
        if parameters.contains(&name) {
            return bad(&rest[0], "two parameters have the same name");
        }
        let is_last = &*name == VARIADIC;
        parameters.push(name);
        match behind.split_first() {
            Some((close, body)) if close.is(")") => return Ok((parameters, body)),
            Some((comma, behind)) if comma.is(",") && !is_last => rest = behind,
            other => {
                let token = other.map_or(open, |(token, _)| token);
                return bad(token, "`,` or `)` is needed behind a parameter");
            }
        }
    }
}

impl Macros {
    pub(super) fn new(options: &Options) -> Self {
        let mut macros = Macros { defined: HashMap::new() };
        for (name, value) in &options.defines {
            // Tokens of a macro take the position of its use, so their own does not matter.
            let (tokens, _) = lex::lex(&format!("{name} {value}"), FileId(0));
            if let Some((name, rest)) = tokens.split_first()
                && let Ok(new) = Macro::define(name, rest)
            {
                macros.defined.insert(name.text.to_string(), Macro { span: None, ..new });
            }
        }
        for name in &options.undefines {
            macros.defined.remove(name);
        }
        macros
    }

    pub(super) fn get(&self, name: &str) -> Option<&Macro> {
        self.defined.get(name)
    }

    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.defined.contains_key(name) || is_built_in(name)
    }

    /// Defines a macro; returns the place of an older definition that means something else.
    pub(super) fn define(&mut self, name: &str, new: Macro) -> Option<Option<Span>> {
        let old = self.defined.insert(name.to_owned(), new)?;
        (!old.means(&self.defined[name])).then_some(old.span)
    }

    pub(super) fn undefine(&mut self, name: &str) {
        self.defined.remove(name);
    }
}

/// Whether `name` is a macro that every source has.
pub(super) fn is_built_in(name: &str) -> bool {
    matches!(name, "__FILE__" | "__LINE__")
}
