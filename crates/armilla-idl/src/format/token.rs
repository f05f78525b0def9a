//! The tokens of the formatter.

/// A part of the text that the formatter does not change.
#[derive(Debug, Clone)]
pub(super) struct FormatToken<'t> {
    pub(super) kind: Kind,
    pub(super) role: Role,
    pub(super) text: &'t str,
    /// The number of newlines between it and the token before.
    pub(super) newlines: usize,
    /// Whether there are blanks between it and the token before.
    pub(super) is_spaced: bool,
    /// The column of its start, if it has several lines.
    pub(super) column: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    Literal,
    Punctuation,
    /// An invalid token in conditional text.
    Invalid,
    LineComment,
    BlockComment,
    /// A directive with all its lines.
    Directive,
    /// The lines between `#if 0` and its end.
    Verbatim,
}

impl FormatToken<'_> {
    pub(super) fn is_comment(&self) -> bool {
        matches!(self.kind, Kind::LineComment | Kind::BlockComment)
    }

    pub(super) fn is_punctuation(&self, sign: &str) -> bool {
        self.kind == Kind::Punctuation && self.text == sign
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    /// Whether a line must begin before it.
    pub(super) fn needs_line_before(&self) -> bool {
        matches!(self.kind, Kind::Directive | Kind::Verbatim)
    }

    /// Whether a line must end after it.
    pub(super) fn needs_line_after(&self) -> bool {
        match self.kind {
            Kind::LineComment | Kind::Invalid | Kind::Directive | Kind::Verbatim => true,
            Kind::BlockComment => self.text.contains('\n'),
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A word, a number, a literal, a comment.
    Other,
    /// `(`, `[` or `{`
    Open,
    /// `)`, `]` or `}`
    Close,
    /// `<` of `sequence<T>`
    OpenAngle,
    /// `>` and sometimes `>>`
    CloseAngle,
    /// `,` or `;`
    Separator,
    /// `::`
    Scope,
    /// The colon after `case X` or `default`.
    LabelColon,
    /// A binary operator, or the colon before bases.
    Infix,
    /// A unary operator, or `@`.
    Prefix,
}
