//! The preprocessor: from files to one stream of tokens (IDL 4.2, 7.3).
//!
//! It works on tokens with spans, so that positions survive inclusion and macro expansion. An
//! explicit stack holds the open files: inclusion does not recurse.

mod condition;
mod directive;
mod expansion;
mod import;
mod macros;

pub(crate) use import::is_of_windows;

use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{self, Token, TokenKind};
use crate::session::Session;
use crate::source::{FileId, Span};
use macros::Macros;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The maximum depth of inclusion.
const MAX_INCLUDE_DEPTH: usize = 64;
/// The maximum number of tokens of a compilation, including skipped and expanded ones.
const MAX_TOKENS: usize = 4_000_000;

/// Preprocesses the files `mains` in order, with the files that they include. The last token is of
/// the kind [`TokenKind::End`].
///
/// A file that was read for one of them is not read again for a later one, so that each declaration
/// appears once. Macros persist, include guards among them.
///
/// # Errors
///
/// If a limit was exceeded and reported.
pub(crate) fn preprocess(session: &mut Session<'_>, mains: &[FileId]) -> Result<Vec<Token>, Stop> {
    let macros = Macros::new(session.options);
    let mut preprocessor = Preprocessor {
        session,
        macros,
        frames: Vec::new(),
        lexed: HashMap::new(),
        once: HashSet::new(),
        output: Vec::new(),
        budget: MAX_TOKENS,
        earlier: Earlier::default(),
    };
    for main in mains {
        preprocessor.main(*main)?;
    }
    preprocessor.marker(TokenKind::End, *mains.last().ok_or(Stop)?);
    Ok(preprocessor.output)
}

/// A fatal error was reported.
pub(crate) struct Stop;

struct Preprocessor<'s, 'o> {
    session: &'s mut Session<'o>,
    macros: Macros,
    /// The files that are open, the compiled file first.
    frames: Vec<Frame>,
    /// Files that were read before.
    lexed: HashMap<FileId, Rc<[Token]>>,
    /// The files with `#pragma once`, and those that were imported.
    once: HashSet<FileId>,
    output: Vec<Token>,
    /// The number of tokens that may still be read.
    budget: usize,
    earlier: Earlier,
}

/// The files that were read for earlier compiled files.
#[derive(Default)]
struct Earlier {
    /// Files that were read at file scope for earlier compiled files.
    files: HashSet<FileId>,
    /// Files that were read at file scope for the current compiled file.
    current: Vec<FileId>,
    /// The number of open braces after a prefix of the output, and the length of that prefix.
    depth: usize,
    counted: usize,
}

impl Earlier {
    /// Records that `file` is read after `output`. Returns whether it was read before.
    fn reads(&mut self, file: FileId, output: &[Token]) -> bool {
        for token in output.get(self.counted..).unwrap_or_default() {
            match &*token.text {
                "{" => self.depth += 1,
                "}" => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.counted = output.len();
        if self.depth == 0 {
            self.current.push(file);
        }
        self.depth == 0 && self.files.contains(&file)
    }
}

/// An open file.
struct Frame {
    file: FileId,
    tokens: Rc<[Token]>,
    next: usize,
    /// The open conditionals.
    conditions: Vec<Condition>,
    /// The files that are imported here, the last one first.
    imports: Vec<Token>,
}

/// An `#if` with its `#elif`s and `#else`.
struct Condition {
    span: Span,
    /// Whether the enclosing text is active.
    enclosing: bool,
    /// Whether the current branch is active.
    active: bool,
    /// Whether some branch was active.
    taken: bool,
    /// Whether `#else` was seen.
    seen_else: bool,
}

impl Frame {
    fn active(&self) -> bool {
        self.conditions.last().is_none_or(|condition| condition.active)
    }

    /// Takes the tokens up to the end of the line.
    fn rest_of_line(&mut self) -> Vec<Token> {
        let rest = &self.tokens[self.next..];
        let length = rest.iter().position(|token| token.starts_line).unwrap_or(rest.len());
        self.next += length;
        rest[..length].to_vec()
    }
}

impl Preprocessor<'_, '_> {
    /// Reads one of the compiled files. Each after the first starts at file scope, like an included
    /// file.
    fn main(&mut self, main: FileId) -> Result<(), Stop> {
        if self.earlier.reads(main, &self.output) {
            return Ok(());
        }
        let is_first = self.output.is_empty();
        if !is_first {
            self.push_marker(TokenKind::EnterFile, Span { file: main, start: 0, end: 0 });
        }
        self.open(main);
        self.run()?;
        if !is_first {
            self.marker(TokenKind::LeaveFile, main);
        }
        self.earlier.files.extend(self.earlier.current.drain(..));
        Ok(())
    }

    fn run(&mut self) -> Result<(), Stop> {
        while let Some(frame) = self.frames.last_mut() {
            let behind = self.output.last().is_some_and(|last| last.is(";"));
            if behind && let Some(name) = frame.imports.pop() {
                self.import(&name)?;
                continue;
            }
            let Some(token) = frame.tokens.get(frame.next).cloned() else {
                self.close();
                continue;
            };
            frame.next += 1;
            let active = frame.active();
            self.spend(token.span)?;
            if token.starts_line && token.is("#") {
                self.directive(&token)?;
            } else if active {
                self.text(token)?;
            }
        }
        Ok(())
    }

    /// Emits a token of the source, or its expansion if it names a macro.
    fn text(&mut self, token: Token) -> Result<(), Stop> {
        if token.is_word("import") {
            self.find_imports();
        }
        let mut next = Some(token);
        while let Some(token) = next.take() {
            if token.is_word("_Pragma") {
                let arguments = self.arguments(&token)?;
                self.pragma_operator(&token, &arguments);
                continue;
            }
            if token.kind != TokenKind::Identifier || !self.macros.is_defined(&token.text) {
                self.output.push(token);
                continue;
            }
            let takes_arguments =
                self.macros.get(&token.text).is_some_and(|found| found.parameters.is_some());
            let arguments = if takes_arguments { self.arguments(&token)? } else { Vec::new() };
            if takes_arguments && arguments.is_empty() {
                // A function-like macro without arguments is an ordinary name.
                self.output.push(token);
                continue;
            }
            let uses: Vec<Token> = std::iter::once(token.clone()).chain(arguments).collect();
            let mut expansion = self.expand(&token, &uses)?;
            // The last token of an expansion may name a macro whose arguments follow in the source.
            next = expansion.pop_if(|last| {
                let found = self.macros.get(&last.text).filter(|_| last.text != token.text);
                last.kind == TokenKind::Identifier
                    && found.is_some_and(|found| found.parameters.is_some())
            });
            self.emit(&expansion);
        }
        Ok(())
    }

    /// Emits the expansion of a macro, which may contain pragmas.
    fn emit(&mut self, mut tokens: &[Token]) {
        while let Some((token, rest)) = tokens.split_first() {
            tokens = rest;
            if !token.is_word("_Pragma") {
                self.output.push(token.clone());
                continue;
            }
            let length = expansion::arguments_length(rest).unwrap_or(0);
            self.pragma_operator(token, &rest[..length]);
            tokens = &rest[length..];
        }
    }

    /// Takes the parenthesized arguments after the name of a macro, if any.
    fn arguments(&mut self, name: &Token) -> Result<Vec<Token>, Stop> {
        let Some(frame) = self.frames.last_mut() else { return Ok(Vec::new()) };
        let rest = frame.tokens.get(frame.next..).unwrap_or_default();
        if !rest.first().is_some_and(|first| first.is("(")) {
            return Ok(Vec::new());
        }
        let Some(length) = expansion::arguments_length(rest) else {
            let message = format!("the arguments of the macro `{}` have no end", name.text);
            self.session.report(Diagnostic::error(Code::BadMacroUse, name.span, message));
            return Err(Stop);
        };
        frame.next += length;
        Ok(rest[..length].to_vec())
    }

    /// Expands macros in `tokens`; all get the span of `token`.
    fn expand(&mut self, token: &Token, tokens: &[Token]) -> Result<Vec<Token>, Stop> {
        let sources = self.session.diagnostics.sources();
        match expansion::expand(&self.macros, sources, &mut self.budget, token, tokens) {
            Ok(expansion) => Ok(expansion),
            Err(diagnostic) => {
                let stop = diagnostic.code == Code::MacroLimit;
                self.session.report(*diagnostic);
                if stop { Err(Stop) } else { Ok(Vec::new()) }
            }
        }
    }

    /// Counts a token against the limit of the compilation.
    fn spend(&mut self, span: Span) -> Result<(), Stop> {
        if self.budget == 0 {
            let message = format!("the source has more than {MAX_TOKENS} tokens");
            self.session.report(Diagnostic::error(Code::TooLarge, span, message));
            return Err(Stop);
        }
        self.budget -= 1;
        Ok(())
    }

    fn open(&mut self, file: FileId) {
        let tokens = match self.lexed.get(&file) {
            Some(tokens) => tokens.clone(),
            None => self.lex(file),
        };
        self.frames.push(Frame {
            file,
            tokens,
            next: 0,
            conditions: Vec::new(),
            imports: Vec::new(),
        });
    }

    fn lex(&mut self, file: FileId) -> Rc<[Token]> {
        let (tokens, unterminated) = lex::lex(self.session.sources().text(file), file);
        if let Some(span) = unterminated {
            let message = "this comment has no end";
            let diagnostic = Diagnostic::error(Code::Unterminated, span, message);
            self.session.report(diagnostic.help("close it with `*/`"));
        }
        let tokens: Rc<[Token]> = tokens.into();
        self.lexed.insert(file, tokens.clone());
        tokens
    }

    /// Closes the innermost file.
    fn close(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        for condition in &frame.conditions {
            let message = "this conditional has no `#endif`";
            let code = Code::UnbalancedConditional;
            self.session.report(Diagnostic::error(code, condition.span, message));
        }
        if !self.frames.is_empty() {
            self.marker(TokenKind::LeaveFile, frame.file);
        }
    }

    /// Emits a marker after the text of `file`.
    fn marker(&mut self, kind: TokenKind, file: FileId) {
        let end = self.session.sources().text(file).trim_end().len() as u32;
        let span = Span { file, start: end, end };
        self.push_marker(kind, span);
    }

    fn push_marker(&mut self, kind: TokenKind, span: Span) {
        let text = "".into();
        let marker = Token { kind, span, text, starts_line: true, leading: None, trailing: None };
        self.output.push(marker);
    }
}
