//! The tokens that the formatter moves.

/// Something that stays in the text as it is.
#[derive(Debug, Clone)]
pub(super) struct FormatToken<'t> {
    pub(super) kind: Kind,
    pub(super) role: Role,
    pub(super) text: &'t str,
    /// How many line ends there are between it and the piece before.
    pub(super) newlines: usize,
    /// Whether anything at all is between it and the piece before.
    pub(super) is_spaced: bool,
    /// How far from the start of its line it stood, if it has several lines.
    pub(super) column: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    Literal,
    Punctuation,
    /// What is no token, in text that is compiled under a condition only.
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

    /// Whether it begins a line of its own.
    pub(super) fn needs_line_before(&self) -> bool {
        matches!(self.kind, Kind::Directive | Kind::Verbatim)
    }

    /// Whether nothing can follow it on its line.
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
    /// The colon behind `case X` or `default`.
    LabelColon,
    /// A sign between two operands; the colon before base interfaces is one too.
    Infix,
    /// A sign before its operand; `@` is one too.
    Prefix,
}
