//! Line breaking: one declaration, label or bracket on one line, or on as many as it needs.

use super::comment;
use super::role::blank_between;
use super::style::{STEP, WIDTH};
use super::token::{FormatToken, Kind, Role};

/// The maximum nesting of broken lists. Deeper lists stay on one line.
const MAX_DEPTH: usize = 32;

/// The lines of `tokens` at the column `indent`, without a trailing newline.
pub(super) fn lay_out(tokens: &[FormatToken<'_>], indent: usize) -> String {
    let mut layout = Layout {
        tokens,
        closing: closing(tokens),
        text: " ".repeat(indent),
        column: indent,
        indent,
        line_indent: indent,
        line_is_empty: true,
        depth: 0,
    };
    layout.range(0, tokens.len());
    layout.text
}

/// The width of `tokens` on one line; `None` if they need several lines.
pub(super) fn flat_width(tokens: &[FormatToken<'_>]) -> Option<usize> {
    let mut width = 0;
    for (index, token) in tokens.iter().enumerate() {
        if token.needs_line_before() || token.needs_line_after() {
            return None;
        }
        width += token.text.chars().count() + usize::from(blank_before(tokens, index));
    }
    Some(width)
}

/// Whether `token` begins a clause after the parameters of an operation or attribute.
pub(super) fn is_clause(token: &FormatToken<'_>) -> bool {
    matches!(token.text, "raises" | "getraises" | "setraises" | "context")
}

/// The index of the closing bracket of each opening one.
fn closing(tokens: &[FormatToken<'_>]) -> Vec<Option<usize>> {
    let mut closing = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.role {
            Role::Open => open.push(index),
            Role::Close => {
                if let Some(open) = open.pop() {
                    closing[open] = Some(index);
                }
            }
            _ => {}
        }
    }
    closing
}

fn blank_before(tokens: &[FormatToken<'_>], index: usize) -> bool {
    let Some(last) = index.checked_sub(1) else { return false };
    let before = last.checked_sub(1).map(|before| &tokens[before]);
    blank_between(before, &tokens[last], &tokens[index])
}

struct Layout<'p, 't> {
    tokens: &'p [FormatToken<'t>],
    /// The index of the closing bracket of each opening one.
    closing: Vec<Option<usize>>,
    text: String,
    column: usize,
    /// The indentation of the current declaration or entry.
    indent: usize,
    /// The indentation of the current line.
    line_indent: usize,
    line_is_empty: bool,
    /// The nesting of broken lists.
    depth: usize,
}

impl Layout<'_, '_> {
    fn range(&mut self, from: usize, to: usize) {
        let mut continued = self.indent;
        let mut level = 0_usize;
        let mut index = from;
        while index < to {
            if index > from && !self.tokens[index - 1].is_comment() {
                continued = self.indent + 2 * STEP;
            }
            let breaks = index > from && level == 0 && self.may_break(index);
            if breaks && self.column + self.chunk(index, to) > WIDTH {
                self.line(continued);
            }
            match self.group(index, to) {
                Some(close) if !self.fits(index, close, to) => {
                    self.put(index, continued);
                    self.entries(index + 1, close);
                    self.put(close, continued);
                    index = close;
                }
                _ => {
                    self.put(index, continued);
                    match self.tokens[index].role {
                        Role::Open | Role::OpenAngle => level += 1,
                        Role::Close | Role::CloseAngle => level = level.saturating_sub(1),
                        _ => {}
                    }
                }
            }
            index += 1;
        }
    }

    /// Writes each entry of a list, and the closing bracket, on a line of its own.
    fn entries(&mut self, from: usize, to: usize) {
        let (outer, line) = (self.indent, self.line_indent);
        self.depth += 1;
        let mut start = from;
        let mut level = 0_usize;
        for index in from..to {
            let token = &self.tokens[index];
            match token.role {
                Role::Open | Role::OpenAngle => level += 1,
                Role::Close | Role::CloseAngle => level = level.saturating_sub(1),
                _ => {}
            }
            let next = self.tokens.get(index + 1).filter(|_| index + 1 < to);
            let trailing_comment = next.is_some_and(|next| next.is_comment() && next.newlines == 0);
            let separator = self.is_comma(index) || (index > start && self.ends_entry(index));
            if level == 0 && separator && !trailing_comment {
                self.entry(start, index + 1, line + STEP);
                start = index + 1;
            }
        }
        if start < to {
            self.entry(start, to, line + STEP);
        }
        self.depth -= 1;
        self.indent = outer;
        self.line(line);
    }

    fn entry(&mut self, from: usize, to: usize, indent: usize) {
        let trailing_comment = self.tokens[from].is_comment() && self.tokens[from].newlines == 0;
        if !trailing_comment {
            self.line(indent);
        }
        self.indent = indent;
        self.range(from, to);
    }

    /// Whether the comment at `index` is a trailing comment after the comma of an entry.
    fn ends_entry(&self, index: usize) -> bool {
        self.tokens[index].is_comment()
            && self.tokens[index].newlines == 0
            && self.is_comma(index - 1)
    }

    fn is_comma(&self, index: usize) -> bool {
        self.tokens[index].is_punctuation(",")
    }

    /// Writes one token, on a new line if it or the last one requires that.
    fn put(&mut self, index: usize, continued: usize) {
        let token = &self.tokens[index];
        let forced = index > 0 && self.tokens[index - 1].needs_line_after();
        if token.needs_line_before() {
            self.line(0);
        } else if forced && !self.line_is_empty {
            self.line(continued);
        } else if token.needs_line_after() && token.newlines > 0 && !self.line_is_empty {
            self.line(self.indent);
        }
        if !self.line_is_empty && blank_before(self.tokens, index) {
            self.text.push(' ');
            self.column += 1;
        }
        let text = comment::reindented(token, self.column);
        self.text.push_str(&text);
        self.column = match text.rsplit_once('\n') {
            Some((_, last)) => last.chars().count(),
            None => self.column + text.chars().count(),
        };
        self.line_is_empty = false;
    }

    /// Begins a line, unless the current one is empty.
    fn line(&mut self, indent: usize) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        if !self.line_is_empty {
            self.text.push('\n');
        }
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
        self.line_indent = indent;
        self.line_is_empty = true;
    }

    /// The closing bracket of the list at `index`, if that may be broken.
    fn group(&self, index: usize, to: usize) -> Option<usize> {
        let token = &self.tokens[index];
        if token.role != Role::Open || token.text == "[" || self.depth == MAX_DEPTH {
            return None;
        }
        self.closing[index].filter(|close| (index + 2..to).contains(close))
    }

    /// Whether the list from `open` to `close` fits on the line, with the tokens that must follow
    /// it there.
    fn fits(&self, open: usize, close: usize, to: usize) -> bool {
        let blank = usize::from(blank_before(self.tokens, open));
        let tail = if close + 1 < to && !self.may_break(close + 1) {
            self.chunk(close + 1, to)
        } else {
            0
        };
        flat_width(&self.tokens[open..=close])
            .is_some_and(|width| self.column + blank + width + tail <= WIDTH)
    }

    /// Whether a line may end before `index`, outside of brackets.
    fn may_break(&self, index: usize) -> bool {
        let (Some(last), token) = (self.tokens.get(index.wrapping_sub(1)), &self.tokens[index])
        else {
            return false;
        };
        is_clause(token) && last.role != Role::Separator && index > 1
            || last.is_punctuation(",")
            || last.role == Role::Infix
            || last.kind == Kind::Literal && token.kind == Kind::Literal
    }

    /// The width from `index` to the next possible line break, including the blank before `index`.
    fn chunk(&self, index: usize, to: usize) -> usize {
        let mut width = 0;
        let mut level = 0_usize;
        let clause = self.tokens[index].kind == Kind::Word;
        for at in index..to {
            let token = &self.tokens[at];
            if at > index && level == 0 && self.may_break(at)
                || token.is_comment()
                || token.needs_line_before()
            {
                break;
            }
            width += token.text.chars().count() + usize::from(blank_before(self.tokens, at));
            if token.needs_line_after() {
                break;
            }
            match token.role {
                // A list of parameters can be broken; the list of a clause is kept together.
                Role::Open if token.text == "(" && level == 0 && !(clause && at == index + 1) => {
                    break;
                }
                Role::Open | Role::OpenAngle => level += 1,
                Role::Close | Role::CloseAngle => level = level.saturating_sub(1),
                _ => {}
            }
        }
        width
    }
}
