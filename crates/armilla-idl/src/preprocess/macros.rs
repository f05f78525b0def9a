//! Macro definitions. `expansion` expands them.

use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{self, Token, TokenKind};
use crate::options::Options;
use crate::source::{FileId, Span};
use std::collections::HashMap;
use std::rc::Rc;

/// The name of the variable arguments of a macro.
const VARIADIC: &str = "__VA_ARGS__";

/// The macros that are defined.
pub(super) struct Macros {
    defined: HashMap<String, Macro>,
}

#[derive(Clone)]
pub(super) struct Macro {
    /// The span of its definition; `None` if the options define it.
    pub(super) span: Option<Span>,
    /// Its replacement tokens.
    pub(super) body: Rc<[Token]>,
    /// Its parameters; `None` for an object-like macro.
    pub(super) parameters: Option<Rc<[Rc<str>]>>,
    /// Whether the last parameter is variadic.
    pub(super) variadic: bool,
}

impl Macro {
    /// Parses the macro `name` from the tokens after its name in a `#define`.
    ///
    /// # Errors
    ///
    /// If the list of parameters or a `#` or `##` operator is not well formed.
    pub(super) fn define(name: &Token, rest: &[Token]) -> Result<Macro, Box<Diagnostic>> {
        let span = Some(name.span);
        match rest.split_first() {
            Some((open, rest)) if open.is("(") && open.span.start == name.span.end => {
                let Parameters { names, variadic, body } = parameters(open, rest)?;
                check_pastes(body)?;
                check_strings(&names, body)?;
                Ok(Macro { span, body: body.into(), parameters: Some(names.into()), variadic })
            }
            _ => {
                check_pastes(rest)?;
                Ok(Macro { span, body: rest.into(), parameters: None, variadic: false })
            }
        }
    }

    fn means(&self, other: &Macro) -> bool {
        self.parameters == other.parameters
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&*other.body).all(|(a, b)| a.text == b.text)
    }
}

/// `##` needs an operand on both sides.
fn check_pastes(body: &[Token]) -> Result<(), Box<Diagnostic>> {
    let at_edge = match body {
        [one, other, ..] if is_paste(one, other) => Some(one),
        [.., one, other] if is_paste(one, other) => Some(one),
        _ => None,
    };
    match at_edge {
        Some(sign) => bad(sign, "`##` needs a token on either side"),
        None => Ok(()),
    }
}

/// `#` needs a parameter.
fn check_strings(parameters: &[Rc<str>], body: &[Token]) -> Result<(), Box<Diagnostic>> {
    let mut rest = body;
    while let [sign, after @ ..] = rest {
        rest = after;
        match after {
            _ if !sign.is("#") => {}
            [other, after @ ..] if is_paste(sign, other) => rest = after,
            [name, ..] if parameters.contains(&name.text) => {}
            _ => return bad(sign, "`#` needs a parameter of the macro after it"),
        }
    }
    Ok(())
}

fn bad<T>(token: &Token, message: &str) -> Result<T, Box<Diagnostic>> {
    Err(Box::new(Diagnostic::error(Code::BadDirective, token.span, message)))
}

/// The parameters of a definition, and the tokens after them.
struct Parameters<'t> {
    names: Vec<Rc<str>>,
    variadic: bool,
    body: &'t [Token],
}

/// The parameters after the `(` of a definition, and the body.
fn parameters<'t>(open: &Token, tokens: &'t [Token]) -> Result<Parameters<'t>, Box<Diagnostic>> {
    let mut names: Vec<Rc<str>> = Vec::new();
    let mut rest = tokens;
    if let [close, body @ ..] = rest
        && close.is(")")
    {
        return Ok(Parameters { names, variadic: false, body });
    }
    loop {
        let named = rest.first().filter(|token| token.kind == TokenKind::Identifier);
        let after = rest.get(usize::from(named.is_some())..).unwrap_or_default();
        // `...`, or as GNU has it `name...`
        let (variadic, after) = match after {
            [a, b, c, after @ ..] if a.is(".") && b.is(".") && c.is(".") => (true, after),
            _ => (false, after),
        };
        let name = match named {
            Some(name) => name.text.clone(),
            None if variadic => VARIADIC.into(),
            None => {
                return bad(rest.first().unwrap_or(open), "the name of a parameter is needed here");
            }
        };
        if names.contains(&name) {
            return bad(&rest[0], "two parameters have the same name");
        }
        names.push(name);
        match after.split_first() {
            Some((close, body)) if close.is(")") => {
                return Ok(Parameters { names, variadic, body });
            }
            Some((comma, after)) if comma.is(",") && !variadic => rest = after,
            other => {
                let token = other.map_or(open, |(token, _)| token);
                return bad(token, "`,` or `)` is needed after a parameter");
            }
        }
    }
}

impl Macros {
    pub(super) fn new(options: &Options) -> Self {
        let mut macros = Macros { defined: HashMap::new() };
        for (name, value) in &options.defines {
            // Tokens of a macro get the span of its use, so their own does not matter.
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

    /// Defines a macro. Returns the span of an earlier definition that differs.
    pub(super) fn define(&mut self, name: &str, new: Macro) -> Option<Option<Span>> {
        let old = self.defined.insert(name.to_owned(), new)?;
        (!old.means(&self.defined[name])).then_some(old.span)
    }

    pub(super) fn undefine(&mut self, name: &str) {
        self.defined.remove(name);
    }
}

/// Whether `name` is a built-in macro.
pub(super) fn is_built_in(name: &str) -> bool {
    matches!(name, "__FILE__" | "__LINE__" | "__DATE__" | "__TIME__")
}

/// Whether two tokens are the two halves of a `##`.
pub(super) fn is_paste(one: &Token, other: &Token) -> bool {
    one.is("#") && other.is("#") && one.span.end == other.span.start
}
