//! Macros and their expansion.

use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{self, Token, TokenKind};
use crate::options::Options;
use crate::source::{FileId, Span};
use std::collections::HashMap;
use std::rc::Rc;

/// How deep macros may stand for one another.
const MAX_MACRO_DEPTH: usize = 64;
/// How many tokens one use of a macro may expand to.
const MAX_EXPANSION: usize = 100_000;

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
    /// Whether it takes arguments, which is not supported.
    pub(super) function_like: bool,
}

impl Macros {
    pub(super) fn new(options: &Options) -> Self {
        let mut macros = Macros { defined: HashMap::new() };
        for (name, value) in &options.defines {
            // Tokens of a macro take the position of its use, so their own does not matter.
            let (body, _) = lex::lex(value, FileId(0));
            let new = Macro { span: None, body: body.into(), function_like: false };
            macros.defined.insert(name.clone(), new);
        }
        for name in &options.undefines {
            macros.defined.remove(name);
        }
        macros
    }

    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.defined.contains_key(name)
    }

    /// Whether `name` is to be replaced. A macro with arguments is itself without them; `called`
    /// tells whether a `(` follows.
    pub(super) fn is_used(&self, name: &str, called: bool) -> bool {
        self.defined.get(name).is_some_and(|found| called || !found.function_like)
    }

    /// Defines a macro; returns the place of an older definition that means something else.
    pub(super) fn define(&mut self, name: &str, new: Macro) -> Option<Option<Span>> {
        let same = |a: &Macro, b: &Macro| {
            a.body.len() == b.body.len()
                && a.body.iter().zip(&*b.body).all(|(a, b)| a.text == b.text)
        };
        let old = self.defined.insert(name.to_owned(), new)?;
        (!same(&old, &self.defined[name])).then_some(old.span)
    }

    pub(super) fn undefine(&mut self, name: &str) {
        self.defined.remove(name);
    }

    /// Appends what `token` stands for to `output`; `budget` is what may still be appended in this
    /// compilation.
    pub(super) fn expand(
        &self,
        token: &Token,
        budget: &mut usize,
        output: &mut Vec<Token>,
    ) -> Result<(), Box<Diagnostic>> {
        let mut work = Expansion { macros: self, token, active: Vec::new(), budget, output };
        work.expand(&token.text)?;
        if let Some(first) = output.first_mut() {
            first.leading = token.leading.clone();
        }
        if let Some(last) = output.last_mut() {
            last.trailing = token.trailing.clone();
        }
        Ok(())
    }
}

/// One use of a macro.
struct Expansion<'a> {
    macros: &'a Macros,
    /// The use.
    token: &'a Token,
    /// The macros that are being expanded: within its own expansion a name is not a macro.
    active: Vec<&'a str>,
    budget: &'a mut usize,
    output: &'a mut Vec<Token>,
}

impl<'a> Expansion<'a> {
    fn expand(&mut self, name: &str) -> Result<(), Box<Diagnostic>> {
        let macros = self.macros;
        let Some((name, found)) = macros.defined.get_key_value(name) else { return Ok(()) };
        if found.function_like {
            let message = format!("the macro `{name}` takes arguments, which is not supported yet");
            let mut diagnostic = Diagnostic::error(Code::Unsupported, self.token.span, message);
            if let Some(span) = found.span {
                diagnostic = diagnostic.also(span, "defined here");
            }
            return Err(Box::new(diagnostic));
        }
        if self.active.len() >= MAX_MACRO_DEPTH {
            return self.too_much(format!("stands for macros more than {MAX_MACRO_DEPTH} deep"));
        }
        self.active.push(name);
        for token in &*found.body {
            if *self.budget == 0 || self.output.len() >= MAX_EXPANSION {
                return self.too_much(format!("expands to more than {MAX_EXPANSION} tokens"));
            }
            *self.budget -= 1;
            let is_macro = token.kind == TokenKind::Identifier
                && macros.is_defined(&token.text)
                && !self.active.contains(&&*token.text);
            if is_macro {
                self.expand(&token.text)?;
            } else {
                let span = self.token.span;
                let comments = Token { leading: None, trailing: None, ..token.clone() };
                self.output.push(Token { span, starts_line: false, ..comments });
            }
        }
        self.active.pop();
        Ok(())
    }

    fn too_much(&self, what: String) -> Result<(), Box<Diagnostic>> {
        let message = format!("the macro `{}` {what}", self.token.text);
        Err(Box::new(Diagnostic::error(Code::MacroLimit, self.token.span, message)))
    }
}
