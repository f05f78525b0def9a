//! Which tokens form a line: a declaration, the start and the end of a body, a label, an
//! enumerator, an annotation, a comment or a directive.

use super::comment;
use super::layout::{flat_width, is_clause, lay_out};
use super::scan::column;
use super::style::{STEP, WIDTH};
use super::token::{FormatToken, Kind, Role};
use crate::lex::keyword;

/// The formatted text of `tokens`, with the line endings and the byte order mark of `source`.
pub(super) fn print(tokens: &[FormatToken<'_>], source: &str) -> String {
    let mut printer = Printer {
        tokens,
        text: String::new(),
        start: 0,
        state: State::default(),
        opened: false,
        outer: Vec::new(),
    };
    for index in 0..tokens.len() {
        printer.token(index);
    }
    printer.flush(tokens.len());
    let bom = if source.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let crlf = source.find('\n').is_some_and(|newline| source[..newline].ends_with('\r'));
    let text =
        if crlf { printer.text.replace("\r\n", "\n").replace('\n', "\r\n") } else { printer.text };
    format!("{bom}{text}")
}

/// The maximum indentation in levels, and the maximum nesting of conditionals whose branches are
/// distinguished.
const MAX_DEPTH: usize = 64;

struct Printer<'p, 't> {
    tokens: &'p [FormatToken<'t>],
    text: String,
    /// The first token of the pending line.
    start: usize,
    state: State,
    /// Whether the last line began a body.
    opened: bool,
    /// The states at the start of the open conditionals.
    outer: Vec<Option<State>>,
}

/// The structure around a token.
#[derive(Debug, Clone, Default)]
struct State {
    /// The open bodies.
    bodies: Vec<Body>,
    /// The number of open brackets on the line.
    brackets: usize,
    /// Whether the last line was a label, to which the next declaration belongs.
    labelled: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// Its entries end with a semicolon.
    Declarations,
    /// Its entries are separated by commas.
    List,
}

impl<'t> Printer<'_, 't> {
    fn token(&mut self, index: usize) {
        let token = &self.tokens[index];
        match token.kind {
            Kind::Directive | Kind::Verbatim
                if self.line(index).iter().all(FormatToken::is_comment) =>
            {
                if self.start < index {
                    self.flush(index);
                }
                self.directive(index);
            }
            Kind::Directive => self.condition(token.text),
            Kind::LineComment | Kind::BlockComment if self.start == index => self.comment(index),
            Kind::Punctuation => self.sign(index),
            Kind::Word if self.is_complete(index) => self.flush(index + 1),
            _ => {}
        }
    }

    fn sign(&mut self, index: usize) {
        let token = &self.tokens[index];
        match token.text {
            "{" => self.open(index),
            "}" if self.state.brackets > 0 => self.state.brackets -= 1,
            "}" => self.close(index),
            "(" | "[" => self.state.brackets += 1,
            ")" | "]" => {
                self.state.brackets = self.state.brackets.saturating_sub(1);
                if self.is_complete(index) {
                    self.flush(index + 1);
                }
            }
            ";" => {
                self.state.brackets = 0;
                self.flush(index + 1);
            }
            "," if self.ends_list_entry(index) => self.flush(index + 1),
            ":" if token.role == Role::LabelColon && self.line_ends(index) => {
                self.flush(index + 1);
                self.state.labelled = true;
            }
            _ => {}
        }
    }

    fn open(&mut self, index: usize) {
        if self.state.brackets > 0 || self.stays_on_line(index) {
            self.state.brackets += 1;
            return;
        }
        let body = if self.opens_list(index) { Body::List } else { Body::Declarations };
        self.flush(index + 1);
        self.state.bodies.push(body);
        self.opened = true;
    }

    fn close(&mut self, index: usize) {
        self.flush(index);
        self.state.bodies.pop();
        self.state.labelled = false;
        if self.line_ends(index)
            && !self.tokens.get(index + 1).is_some_and(|p| p.is_punctuation(";"))
        {
            self.flush(index + 1);
        }
    }

    /// Whether the body at `index` stays on its line: it is empty, or a list that was written so
    /// and fits.
    fn stays_on_line(&self, index: usize) -> bool {
        let rest = &self.tokens[index + 1..];
        let Some(length) =
            rest.iter().position(|token| token.is_punctuation("}") || token.is_punctuation("{"))
        else {
            return false;
        };
        if length == 0 {
            return rest[0].is_punctuation("}");
        }
        let end = length + usize::from(rest.get(length + 1).is_some_and(|p| p.is_punctuation(";")));
        let line = &self.tokens[self.start..=index + 1 + end];
        self.opens_list(index)
            && rest[length].is_punctuation("}")
            && rest[..length].iter().all(|token| token.newlines == 0 && !token.is_punctuation(";"))
            && flat_width(line).is_some_and(|width| self.indent() + width <= WIDTH)
    }

    /// Whether the body at `index` is that of an enum or a bitmask.
    fn opens_list(&self, index: usize) -> bool {
        let mut level = 0_usize;
        self.line(index).iter().any(|token| {
            match token.role {
                Role::Open => level += 1,
                Role::Close => level = level.saturating_sub(1),
                _ => {}
            }
            level == 0 && (token.is_word("enum") || token.is_word("bitmask"))
        })
    }

    /// The tokens of the pending line before `end`.
    fn line(&self, end: usize) -> &[FormatToken<'t>] {
        self.tokens.get(self.start..end).unwrap_or_default()
    }

    fn ends_list_entry(&self, comma: usize) -> bool {
        self.state.brackets == 0
            && self.state.bodies.last() == Some(&Body::List)
            && !self.inside_angles(comma)
    }

    fn inside_angles(&self, index: usize) -> bool {
        let level = |token: &FormatToken<'_>| match token.role {
            Role::OpenAngle => 1,
            Role::CloseAngle => -(token.text.len() as isize),
            _ => 0,
        };
        self.line(index).iter().map(level).sum::<isize>() > 0
    }

    /// Whether only trailing comments follow the token at `index` on its line.
    fn line_ends(&self, index: usize) -> bool {
        for token in &self.tokens[index + 1..] {
            if token.newlines > 0 || token.needs_line_after() {
                return true;
            }
            if !token.is_comment() {
                return false;
            }
        }
        true
    }

    /// Whether the line ends with the token at `index` without punctuation: it has annotations
    /// only, or the use of a macro.
    fn is_complete(&self, index: usize) -> bool {
        if self.state.brackets > 0 || !self.line_ends(index) {
            return false;
        }
        let next = self.tokens[index + 1..].iter().find(|token| !token.is_comment());
        let line = self.line(index + 1);
        if line[0].is_punctuation("@") {
            let goes_on =
                next.is_some_and(|next| next.is_punctuation("(") || next.is_punctuation("::"));
            return !goes_on && is_annotations(line);
        }
        let first = &line[0];
        if first.kind != Kind::Word || keyword::reserved(first.text).is_some() {
            return false;
        }
        match line.get(1) {
            None => next.is_some_and(|next| {
                next.kind == Kind::Word && keyword::reserved(next.text) == Some(next.text)
            }),
            Some(second) => {
                let goes_on = next.is_some_and(|next| next.is_punctuation(";") || is_clause(next));
                second.is_punctuation("(") && self.tokens[index].is_punctuation(")") && !goes_on
            }
        }
    }

    fn indent(&self) -> usize {
        self.state.bodies.len().min(MAX_DEPTH) * STEP
    }

    /// Writes the tokens of the pending line before `end`.
    fn flush(&mut self, end: usize) {
        let tokens = self.tokens;
        let line = tokens.get(self.start..end).unwrap_or_default();
        let Some(first) = line.first() else { return };
        let is_label = first.is_word("case") || first.is_word("default");
        let belongs = self.state.labelled && !is_label && !first.is_punctuation("}");
        let indent = self.indent() + if belongs { STEP } else { 0 };
        self.empty_line(first);
        self.text.push_str(&lay_out(line, indent));
        self.text.push('\n');
        self.state.brackets = 0;
        // After a label, comments and annotations only begin its declaration.
        if !line.iter().all(FormatToken::is_comment) && !is_annotations(line) {
            self.state.labelled = false;
        }
        self.start = end;
    }

    /// Keeps one empty line before `first`, except at the start and the end of a body.
    fn empty_line(&mut self, first: &FormatToken<'_>) {
        let opened = std::mem::take(&mut self.opened) || self.text.is_empty();
        if first.newlines > 1 && !opened && !first.is_punctuation("}") {
            self.text.push('\n');
        }
    }

    fn directive(&mut self, index: usize) {
        let token = &self.tokens[index];
        self.empty_line(token);
        self.text.push_str(token.text);
        self.text.push('\n');
        self.start = index + 1;
        if token.kind == Kind::Directive {
            self.condition(token.text);
        }
    }

    /// Each branch of a conditional begins in the state of the first one.
    fn condition(&mut self, directive: &str) {
        let name = directive.trim_start_matches('#').trim_start();
        let name = name.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        match name {
            "if" | "ifdef" | "ifndef" => {
                let state = (self.outer.len() < MAX_DEPTH).then(|| self.state.clone());
                self.outer.push(state);
            }
            "else" | "elif" => {
                if let Some(Some(state)) = self.outer.last() {
                    self.state = state.clone();
                }
            }
            "endif" => {
                self.outer.pop();
            }
            _ => {}
        }
    }

    fn comment(&mut self, index: usize) {
        let token = &self.tokens[index];
        let next = self.tokens.get(index + 1);
        if token.newlines == 0 && self.text.ends_with('\n') {
            let leads = !token.needs_line_after()
                && next.is_some_and(|next| next.newlines == 0 && !next.is_comment());
            if !leads {
                self.text.pop();
                self.text.push(' ');
                let column = if token.needs_line_after() { column(&self.text) } else { 0 };
                self.text.push_str(&comment::reindented(token, column));
                self.text.push('\n');
                self.start = index + 1;
                return;
            }
        }
        if token.needs_line_after() || next.is_none_or(|next| next.newlines > 0) {
            self.flush(index + 1);
        }
    }
}

/// Whether `line` has annotations only: `@key @range(min = 0, max = 9)`.
fn is_annotations(line: &[FormatToken<'_>]) -> bool {
    let mut level = 0_usize;
    let mut last = None::<&FormatToken<'_>>;
    for token in line.iter().filter(|token| !token.is_comment()) {
        match token.role {
            Role::Open => level += 1,
            Role::Close => level = level.saturating_sub(1),
            Role::Prefix if token.text == "@" => {}
            Role::Scope => {}
            _ if level > 0 => {}
            Role::Other
                if last
                    .is_some_and(|last| last.is_punctuation("@") || last.is_punctuation("::")) => {}
            _ => return false,
        }
        last = Some(token);
    }
    level == 0 && line.first().is_some_and(|first| first.is_punctuation("@"))
}
