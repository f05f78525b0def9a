//! Directives, including conditionals. A pragma of CORBA becomes a marker among the tokens, because
//! its effect depends on the enclosing scope.

use super::{Condition, MAX_INCLUDE_DEPTH, Preprocessor, Stop, condition, expansion, macros};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::similar::nearest;
use crate::lex::{Pragma, PragmaName, Token, TokenKind, literal};
use crate::source::Span;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The standard files of an ORB. They are used if the search finds no file of that name.
const BUILT_IN: &[(&str, &str)] =
    &[("orb.idl", include_str!("orb.idl")), ("Components.idl", include_str!("Components.idl"))];

/// The directives, for suggestions.
const DIRECTIVES: &[&str] = &[
    "define", "elif", "else", "endif", "error", "if", "ifdef", "ifndef", "import", "include",
    "line", "pragma", "undef", "warning",
];

/// The result of a step of a directive, or the error to report.
type Outcome<T> = Result<T, Box<Diagnostic>>;

impl Preprocessor<'_, '_> {
    /// Executes the directive that begins with `hash`.
    pub(super) fn directive(&mut self, hash: &Token) -> Result<(), Stop> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let line = frame.rest_of_line();
        let active = frame.active();
        // A `#` alone does nothing.
        let Some((name, arguments)) = line.split_first() else { return Ok(()) };
        let outcome = match &*name.text {
            "ifdef" | "ifndef" | "if" => self.open_conditional(name, arguments, active),
            "elif" | "else" | "endif" => self.continue_conditional(name, arguments),
            _ if !active => Ok(()),
            "include" | "include_next" | "import" => return self.include(name, arguments),
            "define" => self.define(name, arguments),
            "undef" => self.undefine(name, arguments),
            "pragma" => self.pragma(name, arguments),
            "error" | "warning" => self.message(name, arguments),
            "line" => self.line(name, arguments),
            // GNU extensions without an effect on IDL.
            "ident" | "sccs" | "assert" | "unassert" => Ok(()),
            // A line marker of a preprocessor that ran before.
            _ if name.kind == TokenKind::Number => self.line(name, &line),
            other => Err(unknown(other, hash.span.to(name.span))),
        };
        if let Err(diagnostic) = outcome {
            self.session.report(*diagnostic);
        }
        Ok(())
    }

    fn define(&mut self, name: &Token, arguments: &[Token]) -> Outcome<()> {
        let (defined, body) = macro_name(name, arguments)?;
        if defined.is_word("defined") {
            return bad(defined.span, "`defined` cannot be the name of a macro");
        }
        let new = macros::Macro::define(defined, body)?;
        if let Some(Some(old)) = self.macros.define(&defined.text, new) {
            let message = format!("the macro `{}` is defined again", defined.text);
            let warning = Diagnostic::warning(Code::MacroRedefined, defined.span, message);
            let warning = warning.secondary(old, "first defined here");
            return Err(Box::new(warning.help("write `#undef` before it if that is meant")));
        }
        Ok(())
    }

    /// `#line 7 "other.idl"`: the presumed location of the next line.
    fn line(&mut self, name: &Token, arguments: &[Token]) -> Outcome<()> {
        let (number, rest) = match arguments.split_first() {
            Some((number, rest)) => (number, rest),
            None => return bad(name.span, "`#line` needs a number"),
        };
        // 32 bits suffice for any file, and sums of two such numbers cannot overflow.
        let Ok(line) = number.text.parse::<u32>() else {
            return bad(number.span, "`#line` needs the number of a line");
        };
        let path = match rest.split_first() {
            Some((path, _)) if path.kind == TokenKind::String => match literal::unquote(&path.text)
            {
                Ok(text) => Some(PathBuf::from(text.value)),
                Err(message) => return bad(path.span, message),
            },
            Some((other, _)) => return bad(other.span, "the name of a file is needed here"),
            None => None,
        };
        let end = arguments.last().unwrap_or(number).span;
        let text = self.session.sources().text(end.file);
        let newline = text.get(end.end as usize..).and_then(|rest| rest.find('\n'));
        let start = newline.map_or(text.len(), |newline| end.end as usize + newline + 1);
        let sources = self.session.diagnostics.sources_mut();
        sources.presume(end.file, start as u32, line as usize, path);
        // In a line marker the flag 1 marks the start of an included file, 2 the return from it.
        match rest.get(1).map(|flag| &*flag.text) {
            Some("1") => self.push_marker(TokenKind::EnterFile, end),
            Some("2") => self.push_marker(TokenKind::LeaveFile, end),
            _ => {}
        }
        Ok(())
    }

    fn undefine(&mut self, name: &Token, arguments: &[Token]) -> Outcome<()> {
        let (undefined, _) = macro_name(name, arguments)?;
        self.macros.undefine(&undefined.text);
        Ok(())
    }

    fn message(&mut self, name: &Token, arguments: &[Token]) -> Outcome<()> {
        let text = match (arguments.first(), arguments.last()) {
            (Some(first), Some(last)) => self.session.sources().snippet(first.span.to(last.span)),
            _ => "no reason given",
        };
        let text = text.trim_matches('"').to_owned();
        Err(Box::new(if &*name.text == "error" {
            Diagnostic::error(Code::ErrorDirective, name.span, text)
        } else {
            Diagnostic::warning(Code::WarningDirective, name.span, text)
        }))
    }
}

/// Conditionals.
impl Preprocessor<'_, '_> {
    fn open_conditional(&mut self, name: &Token, line: &[Token], active: bool) -> Outcome<()> {
        let chosen = match &*name.text {
            _ if !active => Ok(false),
            "if" => self.evaluate(name, line),
            _ => macro_name(name, line).map(|(tested, _)| {
                self.macros.is_defined(&tested.text) == (&*name.text == "ifdef")
            }),
        };
        let taken = *chosen.as_ref().unwrap_or(&false);
        let condition = Condition {
            span: name.span,
            enclosing: active,
            active: taken,
            taken,
            seen_else: false,
        };
        if let Some(frame) = self.frames.last_mut() {
            frame.conditions.push(condition);
        }
        chosen.map(drop)
    }

    fn evaluate(&mut self, name: &Token, line: &[Token]) -> Outcome<bool> {
        let sources = self.session.diagnostics.sources();
        condition::evaluate(&self.macros, sources, &mut self.budget, name, line)
    }

    fn continue_conditional(&mut self, name: &Token, line: &[Token]) -> Outcome<()> {
        let Some(current) = self.frames.last_mut().and_then(|frame| frame.conditions.pop()) else {
            let message = format!("`#{}` without an `#if` before it", name.text);
            return Err(error(Code::UnbalancedConditional, name.span, message));
        };
        if &*name.text == "endif" {
            return Ok(());
        }
        let Condition { span, enclosing, taken, seen_else, .. } = current;
        let mut next = Condition { active: false, seen_else: &*name.text == "else", ..current };
        let mut outcome = Ok(());
        if seen_else {
            let message = format!("`#{}` after the `#else` of the same `#if`", name.text);
            let diagnostic = Diagnostic::error(Code::UnbalancedConditional, name.span, message);
            outcome = Err(Box::new(diagnostic.secondary(span, "the `#if` is here")));
        } else if enclosing && !taken {
            let chosen = match &*name.text {
                "else" => Ok(true),
                _ => self.evaluate(name, line),
            };
            next.active = *chosen.as_ref().unwrap_or(&false);
            next.taken = next.active;
            outcome = chosen.map(drop);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.conditions.push(next);
        }
        outcome
    }
}

/// Inclusion.
impl Preprocessor<'_, '_> {
    fn include(&mut self, name: &Token, arguments: &[Token]) -> Result<(), Stop> {
        match self.find_included(name, arguments) {
            Ok((path, span)) => {
                self.include_file(&path, span)?;
                // `#import` is an `#include` that reads a file only once.
                if name.is_word("import") {
                    self.once.extend(self.session.sources().find(&path));
                }
                Ok(())
            }
            Err(diagnostic) => {
                self.session.report(*diagnostic);
                Ok(())
            }
        }
    }

    /// The path of the file that an `#include` names.
    pub(super) fn find_included(
        &mut self,
        name: &Token,
        arguments: &[Token],
    ) -> Outcome<(PathBuf, Span)> {
        let (path, span, quoted) = self.included_name(name, arguments)?;
        let here = self.frames.last().and_then(|frame| {
            let directory = self.session.sources().path(frame.file).parent()?;
            Some(directory.to_owned())
        });
        let here = here.unwrap_or_default();
        let paths = &self.session.options.include_paths;
        // `#include_next` continues the search after the directory of this file.
        let next = name.is_word("include_next");
        let after = paths.iter().position(|path| next && *path == here).map_or(0, |at| at + 1);
        let mut candidates: Vec<PathBuf> = paths[after..].to_vec();
        if quoted && !next {
            candidates.retain(|path| *path != here);
            candidates.insert(0, here);
        }
        for directory in &candidates {
            match self.session.open(&directory.join(&path), Some(span)) {
                Some(Ok(_)) => return Ok((directory.join(&path), span)),
                Some(Err(diagnostic)) => return Err(diagnostic),
                None => {}
            }
        }
        let name = Path::new(&path).file_name();
        if let Some((path, text)) = BUILT_IN.iter().find(|(known, _)| name == Some(known.as_ref()))
        {
            let path = Path::new(path);
            if self.session.sources().find(path).is_none() {
                self.session.add_built_in(path, text, span);
            }
            return Ok((path.to_owned(), span));
        }
        let message = format!("cannot find the file `{path}`");
        let mut diagnostic = Diagnostic::error(Code::IncludeNotFound, span, message);
        if !candidates.is_empty() {
            let shown = |path: &PathBuf| match path.to_string_lossy() {
                empty if empty.is_empty() => "`.`".to_owned(),
                path => format!("`{path}`"),
            };
            let searched: Vec<String> = candidates.iter().map(shown).collect();
            diagnostic = diagnostic.note(format!("searched in {}", searched.join(", ")));
        }
        Err(Box::new(diagnostic.help(
            "add the directory that holds it to the include paths: `-I DIR`, `Build::include`",
        )))
    }

    /// The name between the quotes or angle brackets of an `#include`.
    fn included_name(&mut self, name: &Token, line: &[Token]) -> Outcome<(String, Span, bool)> {
        let whole = match (line.first(), line.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => return bad(name.span, "`#include` needs the name of a file"),
        };
        let sources = self.session.diagnostics.sources();
        let mut spelled = sources.snippet(whole).to_owned();
        if line.first().is_some_and(|first| self.macros.is_defined(&first.text)) {
            let tokens = expansion::expand(&self.macros, sources, &mut self.budget, name, line)?;
            spelled = tokens.iter().map(|token| &*token.text).collect();
        }
        for (open, close, quoted) in [('"', '"', true), ('<', '>', false)] {
            let inner = spelled.strip_prefix(open).and_then(|rest| rest.split_once(close));
            if let Some((path, rest)) = inner {
                if path.is_empty() || !rest.trim().is_empty() {
                    break;
                }
                return Ok((path.to_owned(), whole, quoted));
            }
        }
        let message = "`#include` needs the name of one file";
        let diagnostic = Diagnostic::error(Code::BadDirective, whole, message);
        Err(Box::new(diagnostic.help("write `\"name.idl\"` or `<name.idl>`")))
    }

    pub(super) fn include_file(&mut self, path: &Path, span: Span) -> Result<(), Stop> {
        let Some(file) = self.session.sources().find(path) else { return Ok(()) };
        // What a file of MIDL includes is MIDL, too.
        if self.frames.last().is_some_and(|frame| self.session.midl.contains(&frame.file)) {
            self.session.midl.insert(file);
        }
        if self.once.contains(&file) || self.earlier.reads(file, &self.output) {
            return Ok(());
        }
        if self.frames.len() >= MAX_INCLUDE_DEPTH {
            let message = format!("files include one another more than {MAX_INCLUDE_DEPTH} deep");
            let mut diagnostic = Diagnostic::error(Code::IncludeDepth, span, message);
            if self.frames.iter().any(|frame| frame.file == file) {
                let guard = "guard the file with `#ifndef`, `#define` and `#endif`";
                diagnostic = diagnostic.label("this file includes itself").help(guard);
            }
            self.session.report(diagnostic);
            return Err(Stop);
        }
        if self.lexed.contains_key(&file) {
            self.session.diagnostics.sources_mut().include_again(file, span);
        }
        self.push_marker(TokenKind::EnterFile, span);
        self.open(file);
        Ok(())
    }
}

/// Pragmas.
impl Preprocessor<'_, '_> {
    /// Executes `_Pragma("…")`; `arguments` includes the parentheses.
    pub(super) fn pragma_operator(&mut self, name: &Token, arguments: &[Token]) {
        let outcome = match arguments {
            [_, text, _] if text.kind == TokenKind::String => match literal::unquote(&text.text) {
                Ok(said) => {
                    let (tokens, _) = crate::lex::lex(&said.value, text.span.file);
                    // All tokens get the span of the string.
                    let placed = tokens.into_iter().map(|token| Token { span: text.span, ..token });
                    self.pragma(name, &placed.collect::<Vec<_>>())
                }
                Err(message) => bad(text.span, message),
            },
            _ => bad(name.span, "`_Pragma` needs one string in parentheses"),
        };
        if let Err(diagnostic) = outcome {
            self.session.report(*diagnostic);
        }
    }

    fn pragma(&mut self, name: &Token, arguments: &[Token]) -> Outcome<()> {
        // A pragma that CORBA does not define is for another tool.
        let Some((kind, arguments)) = arguments.split_first() else { return Ok(()) };
        let pragma = match &*kind.text {
            "prefix" => prefix(kind, arguments)?,
            "ID" => {
                let (name, rest) = scoped_name(kind, arguments)?;
                Pragma::Id { name, id: one_string(kind, rest)? }
            }
            "version" => {
                let (name, rest) = scoped_name(kind, arguments)?;
                Pragma::Version { name, version: version(kind, rest)? }
            }
            "once" => {
                self.once.extend(self.frames.last().map(|frame| frame.file));
                return Ok(());
            }
            _ => return Ok(()),
        };
        let span = name.span.to(arguments.last().unwrap_or(kind).span);
        self.push_marker(TokenKind::Pragma(Rc::new(pragma)), span);
        Ok(())
    }
}

fn prefix(kind: &Token, arguments: &[Token]) -> Outcome<Pragma> {
    one_string(kind, arguments).map(Pragma::Prefix)
}

fn one_string(kind: &Token, arguments: &[Token]) -> Outcome<String> {
    let [argument] = arguments else {
        let message = format!("`#pragma {}` needs one string here", kind.text);
        return bad(arguments.first().unwrap_or(kind).span, message);
    };
    if argument.kind != TokenKind::String {
        let text = &argument.text;
        let help = format!("write `\"{text}\"`; macros are not replaced in it");
        let error = error(Code::BadDirective, argument.span, "a string in quotes is needed here");
        return Err(Box::new(error.help(help)));
    }
    match literal::unquote(&argument.text) {
        Ok(text) => Ok(text.value),
        Err(message) => bad(argument.span, message),
    }
}

fn version(kind: &Token, arguments: &[Token]) -> Outcome<String> {
    if let [version] = arguments {
        let halves = version.text.split_once('.');
        if halves.is_some_and(|(a, b)| a.parse::<u16>().is_ok() && b.parse::<u16>().is_ok()) {
            return Ok(version.text.to_string());
        }
    }
    bad(arguments.first().unwrap_or(kind).span, "a version such as `1.2` is needed here")
}

fn scoped_name<'a>(kind: &Token, line: &'a [Token]) -> Outcome<(PragmaName, &'a [Token])> {
    let absolute = line.first().is_some_and(|token| token.is("::"));
    let mut rest = &line[usize::from(absolute)..];
    let mut parts = Vec::new();
    while let Some((part, after)) = rest.split_first()
        && part.kind == TokenKind::Identifier
    {
        let name = part.text.strip_prefix('_').unwrap_or(&part.text);
        parts.push((name.to_owned(), part.span));
        match after.split_first() {
            Some((separator, after)) if separator.is("::") => rest = after,
            _ => return Ok((PragmaName { absolute, span: kind.span, parts }, after)),
        }
    }
    let message = format!("`#pragma {}` needs the name of a declaration", kind.text);
    bad(rest.first().unwrap_or(kind).span, message)
}

/// The macro name of a `#define`, `#undef`, `#ifdef` or `#ifndef`, and the tokens after it.
fn macro_name<'a>(name: &Token, arguments: &'a [Token]) -> Outcome<(&'a Token, &'a [Token])> {
    match arguments.split_first() {
        Some((first, rest)) if first.kind == TokenKind::Identifier => Ok((first, rest)),
        found => {
            let span = found.map_or(name.span, |(first, _)| first.span);
            bad(span, format!("`#{}` needs the name of a macro", name.text))
        }
    }
}

/// The error for a directive that does not exist.
fn unknown(directive: &str, span: Span) -> Box<Diagnostic> {
    let error =
        Diagnostic::error(Code::BadDirective, span, format!("`#{directive}` is not a directive"));
    Box::new(match nearest(directive, DIRECTIVES) {
        Some(meant) => error.help(format!("did you mean `#{meant}`?")),
        None => error,
    })
}

fn bad<T>(span: Span, message: impl Into<String>) -> Outcome<T> {
    Err(error(Code::BadDirective, span, message))
}

fn error(code: Code, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, span, message))
}
