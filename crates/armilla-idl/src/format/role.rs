//! The role of punctuation: whether `-` is unary or binary, whether `>>` closes two brackets,
//! whether `:` ends a label. The roles determine the blanks between tokens.

use super::token::{FormatToken, Kind, Role};
use crate::lex::keyword;

/// Assigns every token its role.
pub(super) fn assign(tokens: &mut [FormatToken<'_>]) {
    let mut roles = Roles::default();
    for index in 0..tokens.len() {
        let token = &tokens[index];
        if token.is_comment() || token.needs_line_before() {
            continue;
        }
        let role = match token.kind {
            Kind::Punctuation => roles.sign(token.text, roles.last.map(|last| &tokens[last])),
            _ => Role::Other,
        };
        let after_at = roles.last.is_some_and(|last| tokens[last].is_punctuation("@"));
        if (token.is_word("case") || token.is_word("default")) && !after_at {
            roles.label = Some(roles.open.len());
        }
        tokens[index].role = role;
        roles.last = Some(index);
    }
}

#[derive(Default)]
struct Roles {
    /// The open brackets.
    open: Vec<char>,
    /// The number of open brackets at the start of a label without its colon.
    label: Option<usize>,
    /// The index of the last token.
    last: Option<usize>,
}

impl Roles {
    fn sign(&mut self, sign: &str, last: Option<&FormatToken<'_>>) -> Role {
        match sign {
            "(" | "[" | "{" => {
                self.open.extend(sign.chars());
                Role::Open
            }
            ")" | "]" | "}" => {
                self.close(sign);
                Role::Close
            }
            "<" => {
                self.open.push('<');
                Role::OpenAngle
            }
            ">" if self.open.ends_with(&['<']) => {
                self.open.pop();
                Role::CloseAngle
            }
            ">>" if self.open.ends_with(&['<', '<']) => {
                self.open.truncate(self.open.len() - 2);
                Role::CloseAngle
            }
            ";" => {
                while self.open.last().is_some_and(|bracket| *bracket != '{') {
                    self.open.pop();
                }
                self.label = None;
                Role::Separator
            }
            "," => Role::Separator,
            "::" => Role::Scope,
            ":" if self.label == Some(self.open.len()) => {
                self.label = None;
                Role::LabelColon
            }
            "@" | "~" => Role::Prefix,
            "+" | "-" if !last.is_some_and(ends_operand) => Role::Prefix,
            _ => Role::Infix,
        }
    }

    /// Closes the bracket that `sign` matches, and angle brackets that are open in it.
    fn close(&mut self, sign: &str) {
        let opening = match sign {
            ")" => '(',
            "]" => '[',
            _ => '{',
        };
        if let Some(index) = self.open.iter().rposition(|bracket| *bracket == opening) {
            self.open.truncate(index);
        }
    }
}

/// Whether an operand can end with `token`, so that a following operator is binary.
fn ends_operand(token: &FormatToken<'_>) -> bool {
    match token.kind {
        Kind::Number | Kind::Literal => true,
        Kind::Word => !is_keyword(token.text) || matches!(token.text, "TRUE" | "FALSE"),
        _ => token.role == Role::Close,
    }
}

fn is_keyword(word: &str) -> bool {
    keyword::reserved(word).is_some_and(|keyword| keyword == word)
}

/// Whether there is a blank between `first` and `second` on one line. `before` is the token before
/// them.
pub(super) fn blank_between(
    before: Option<&FormatToken<'_>>,
    first: &FormatToken<'_>,
    second: &FormatToken<'_>,
) -> bool {
    let angles = first.role == Role::CloseAngle && second.role == Role::CloseAngle;
    if first.is_comment() || second.is_comment() || angles {
        return true;
    }
    if second.kind == Kind::Invalid || first.kind == Kind::Invalid {
        return second.is_spaced;
    }
    match (first.role, second.role) {
        (_, Role::Separator | Role::LabelColon | Role::CloseAngle) => false,
        (Role::Prefix, _) => first.text == second.text,
        (Role::Scope | Role::OpenAngle, _) => false,
        (Role::Open, Role::Close) => false,
        (Role::Open, _) => first.text == "{",
        (_, Role::Close) => second.text == "}",
        (_, Role::OpenAngle) => false,
        (Role::Infix | Role::Separator | Role::LabelColon, _) => true,
        (_, Role::Scope) => blank_before_scope(first, second),
        (_, Role::Open) => match second.text {
            "{" => true,
            "[" => false,
            _ => blank_before_parenthesis(before, first),
        },
        _ => true,
    }
}

/// `in ::A`, but `B::A`. A keyword of CORBA 3 may be a name; then the source decides.
fn blank_before_scope(first: &FormatToken<'_>, second: &FormatToken<'_>) -> bool {
    match first.kind {
        Kind::Word if is_keyword(first.text) => true,
        Kind::Word if may_be_keyword(first.text) => second.is_spaced,
        Kind::Word => false,
        _ => true,
    }
}

/// `raises (E)`, but `ring()` and `@default(1)`.
fn blank_before_parenthesis(before: Option<&FormatToken<'_>>, first: &FormatToken<'_>) -> bool {
    let annotation = before.is_some_and(|before| before.is_punctuation("@"));
    let keyword = is_keyword(first.text) || matches!(first.text, "getraises" | "setraises");
    first.kind == Kind::Word && keyword && !annotation
}

/// Whether `word` is a keyword only before a name.
fn may_be_keyword(word: &str) -> bool {
    keyword::is_corba3(word) || ["alias", "mirrorport", "port"].contains(&word)
}
