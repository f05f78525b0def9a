//! The directives, conditionals among them. Pragmas of CORBA become marks in the stream of tokens,
//! because their effect depends on the scope that they stand in.

use super::{Condition, MAX_INCLUDE_DEPTH, Preprocessor, Stop, condition, macros};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{Pragma, PragmaName, Token, TokenKind, literal};
use crate::source::Span;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The result of a step of a directive: what is wrong with it.
type Outcome<T> = Result<T, Box<Diagnostic>>;

impl Preprocessor<'_, '_> {
    /// Obeys the directive that begins with `hash`.
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
            "include" => return self.include(name, arguments),
            "define" => self.define(name, arguments),
            "undef" => self.undefine(name, arguments),
            "pragma" => self.pragma(name, arguments),
            "error" | "warning" => self.message(name, arguments),
            "line" | "ident" | "sccs" => Ok(()),
            // The line marks of a preprocessor that ran before.
            _ if name.kind == TokenKind::Number => Ok(()),
            other => {
                let message = format!("`#{other}` is not a directive");
                bad(hash.span.to(name.span), message)
            }
        };
        if let Err(diagnostic) = outcome {
            self.session.report(*diagnostic);
        }
        Ok(())
    }

    fn define(&mut self, name: &Token, arguments: &[Token]) -> Outcome<()> {
        let (defined, body) = macro_name(name, arguments)?;
        let function_like =
            body.first().is_some_and(|t| t.is("(") && t.span.start == defined.span.end);
        let new = macros::Macro { span: Some(defined.span), body: body.into(), function_like };
        if let Some(Some(old)) = self.macros.define(&defined.text, new) {
            let message = format!("the macro `{}` is defined again", defined.text);
            let warning = Diagnostic::warning(Code::MacroRedefined, defined.span, message);
            let warning = warning.also(old, "first defined here");
            return Err(Box::new(warning.help("write `#undef` before it if that is meant")));
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
            "if" => condition::evaluate(&mut self.macros, &mut self.budget, name.span, line),
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

    fn continue_conditional(&mut self, name: &Token, line: &[Token]) -> Outcome<()> {
        let conditions = self.frames.last_mut().map(|frame| &mut frame.conditions);
        let Some((conditions, current)) = conditions.and_then(|c| c.pop().map(|last| (c, last)))
        else {
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
            let message = format!("`#{}` behind the `#else` of the same `#if`", name.text);
            let diagnostic = Diagnostic::error(Code::UnbalancedConditional, name.span, message);
            outcome = Err(Box::new(diagnostic.also(span, "the `#if` is here")));
        } else if enclosing && !taken {
            let chosen = match &*name.text {
                "else" => Ok(true),
                _ => condition::evaluate(&mut self.macros, &mut self.budget, name.span, line),
            };
            next.active = *chosen.as_ref().unwrap_or(&false);
            next.taken = next.active;
            outcome = chosen.map(drop);
        }
        conditions.push(next);
        outcome
    }
}

/// Inclusion.
impl Preprocessor<'_, '_> {
    fn include(&mut self, name: &Token, arguments: &[Token]) -> Result<(), Stop> {
        match self.find_included(name, arguments) {
            Ok((path, span)) => self.include_file(&path, span),
            Err(diagnostic) => {
                self.session.report(*diagnostic);
                Ok(())
            }
        }
    }

    /// The path of the file that an `#include` names, and whether the search for it was a success.
    fn find_included(&mut self, name: &Token, arguments: &[Token]) -> Outcome<(PathBuf, Span)> {
        let (path, span, quoted) = self.included_name(name, arguments)?;
        let mut candidates = Vec::new();
        if quoted && let Some(frame) = self.frames.last() {
            let directory = self.session.sources().path(frame.file).parent();
            candidates.push(directory.unwrap_or(Path::new("")).to_owned());
        }
        candidates.extend(self.session.options.include_paths.iter().cloned());
        for directory in &candidates {
            match self.session.open(&directory.join(&path), Some(span)) {
                Some(Ok(_)) => return Ok((directory.join(&path), span)),
                Some(Err(diagnostic)) => return Err(diagnostic),
                None => {}
            }
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
        Err(Box::new(diagnostic.help("add the directory that holds it to the include paths")))
    }

    /// The name between the quotes or angle brackets of an `#include`.
    fn included_name(&self, name: &Token, line: &[Token]) -> Outcome<(String, Span, bool)> {
        let whole = match (line.first(), line.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => return bad(name.span, "`#include` needs the name of a file"),
        };
        let spelled = self.session.sources().snippet(whole);
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

    fn include_file(&mut self, path: &Path, span: Span) -> Result<(), Stop> {
        let Some(file) = self.session.sources().find(path) else { return Ok(()) };
        if self.once.contains(&file) {
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
        self.push_mark(TokenKind::EnterFile, span);
        self.open(file);
        Ok(())
    }
}

/// Pragmas.
impl Preprocessor<'_, '_> {
    fn pragma(&mut self, name: &Token, arguments: &[Token]) -> Outcome<()> {
        // A pragma that is not CORBA's belongs to some other tool.
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
        self.push_mark(TokenKind::Pragma(Rc::new(pragma)), span);
        Ok(())
    }
}

fn prefix(kind: &Token, arguments: &[Token]) -> Outcome<Pragma> {
    let prefix = one_string(kind, arguments)?;
    if prefix.starts_with('/') || prefix.ends_with('/') || prefix.contains([' ', ':']) {
        let message = format!("`{prefix}` cannot begin a repository id");
        return Err(error(Code::BadPragma, kind.span, message));
    }
    Ok(Pragma::Prefix(prefix))
}

fn one_string(kind: &Token, arguments: &[Token]) -> Outcome<String> {
    let [argument] = arguments else {
        let message = format!("`#pragma {}` needs one string here", kind.text);
        return bad(arguments.first().unwrap_or(kind).span, message);
    };
    if argument.kind != TokenKind::String {
        return bad(argument.span, "a string in quotes is needed here");
    }
    literal::unquote(&argument.text).or_else(|message| bad(argument.span, message))
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
    while let Some((part, behind)) = rest.split_first()
        && part.kind == TokenKind::Identifier
    {
        let name = part.text.strip_prefix('_').unwrap_or(&part.text);
        parts.push((name.to_owned(), part.span));
        match behind.split_first() {
            Some((separator, behind)) if separator.is("::") => rest = behind,
            _ => return Ok((PragmaName { absolute, parts }, behind)),
        }
    }
    let message = format!("`#pragma {}` needs the name of a declaration", kind.text);
    bad(rest.first().unwrap_or(kind).span, message)
}

/// The name that a `#define`, `#undef`, `#ifdef` or `#ifndef` is about, and what follows it.
fn macro_name<'a>(name: &Token, arguments: &'a [Token]) -> Outcome<(&'a Token, &'a [Token])> {
    match arguments.split_first() {
        Some((first, rest)) if first.kind == TokenKind::Identifier => Ok((first, rest)),
        found => {
            let span = found.map_or(name.span, |(first, _)| first.span);
            bad(span, format!("`#{}` needs the name of a macro", name.text))
        }
    }
}

fn bad<T>(span: Span, message: impl Into<String>) -> Outcome<T> {
    Err(error(Code::BadDirective, span, message))
}

fn error(code: Code, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, span, message))
}
