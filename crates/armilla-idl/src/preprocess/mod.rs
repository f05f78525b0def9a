//! The preprocessor: from files to one stream of tokens (IDL 4.2, 7.3).
//!
//! It works on tokens that know where they stand, so that positions survive inclusion and macro
//! expansion. Files that are being read are kept on a stack of its own: inclusion does not recurse.

mod condition;
mod directive;
mod expansion;
mod macros;

use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{self, Token, TokenKind};
use crate::session::Session;
use crate::source::{FileId, Span};
use macros::Macros;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How deep files may include one another.
const MAX_INCLUDE_DEPTH: usize = 64;
/// How many tokens a compilation may read, left out and expanded ones included.
const MAX_TOKENS: usize = 4_000_000;

/// Preprocesses the files `mains`, one behind the other, and all that they include. The last token
/// is of the kind [`TokenKind::End`].
///
/// What one of them has read need not be read again for a later one that includes it too, or is it:
/// each declaration comes once. Macros live on, because guards do.
///
/// # Errors
///
/// When a limit was hit and reported.
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

/// An error was reported behind which nothing sensible can follow.
pub(crate) struct Stop;

struct Preprocessor<'s, 'o> {
    session: &'s mut Session<'o>,
    macros: Macros,
    /// The files that are open, the compiled file first.
    frames: Vec<Frame>,
    /// Files that were read before.
    lexed: HashMap<FileId, Rc<[Token]>>,
    /// The files that say `#pragma once`.
    once: HashSet<FileId>,
    output: Vec<Token>,
    /// How many more tokens may be read.
    budget: usize,
    earlier: Earlier,
}

/// What was read for the files before the one that is being compiled.
#[derive(Default)]
struct Earlier {
    /// Files that were read at file scope, for the files before this one.
    files: HashSet<FileId>,
    /// Those of this one.
    current: Vec<FileId>,
    /// How many braces are open behind the first tokens of the output, and how many those are.
    depth: usize,
    counted: usize,
}

impl Earlier {
    /// Notes that `file` is to be read behind `output`; says whether it was read before.
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

/// A file that is open.
struct Frame {
    file: FileId,
    tokens: Rc<[Token]>,
    next: usize,
    /// The `#if`s that are open.
    conditions: Vec<Condition>,
}

/// An `#if` with its `#elif`s and `#else`.
struct Condition {
    span: Span,
    /// Whether the text around it counts.
    enclosing: bool,
    /// Whether the branch that is being read counts.
    active: bool,
    /// Whether some branch was chosen.
    taken: bool,
    /// Whether `#else` has come.
    seen_else: bool,
}

impl Frame {
    fn active(&self) -> bool {
        self.conditions.last().is_none_or(|condition| condition.active)
    }

    /// The tokens from the next one to the end of its line.
    fn rest_of_line(&mut self) -> Vec<Token> {
        let rest = &self.tokens[self.next..];
        let length = rest.iter().position(|token| token.starts_line).unwrap_or(rest.len());
        self.next += length;
        rest[..length].to_vec()
    }
}

impl Preprocessor<'_, '_> {
    /// Reads one of the files to be compiled. Those behind the first begin anew at file scope, as
    /// an included file does.
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

    /// Passes a token of the source on, or what it stands for if it is a macro.
    fn text(&mut self, token: Token) -> Result<(), Stop> {
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
                // Without arguments it is only a name.
                self.output.push(token);
                continue;
            }
            let uses: Vec<Token> = std::iter::once(token.clone()).chain(arguments).collect();
            let mut expansion = self.expand(&token, &uses)?;
            // What a macro ends with may take the arguments that follow it in the source.
            next = expansion.pop_if(|last| {
                let found = self.macros.get(&last.text).filter(|_| last.text != token.text);
                last.kind == TokenKind::Identifier
                    && found.is_some_and(|found| found.parameters.is_some())
            });
            self.emit(&expansion);
        }
        Ok(())
    }

    /// Passes on what a macro stands for, in which there may be pragmas.
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

    /// Takes the arguments in parentheses that follow the name of a macro; nothing if there are
    /// none.
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

    /// Replaces macros by what they stand for; `tokens` stand where `token` stands.
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

    /// Counts a token against the limit of the whole compilation.
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
        self.frames.push(Frame { file, tokens, next: 0, conditions: Vec::new() });
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

    /// Puts a mark behind the text of `file`.
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
