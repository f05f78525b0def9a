//! The formatter of `armilla idl fmt`.
//!
//! It works on tokens, not on the syntax tree. So it supports every construct of IDL, keeps
//! directives and comments, and formats a source with errors. It changes blanks and line ends only:
//! [`format`] verifies that before it returns.
//!
//! `scan` splits the text into tokens, `role` classifies punctuation, `lines` forms lines, `layout`
//! breaks long lines, `comment` indents comments of several lines.

mod comment;
mod layout;
mod lines;
mod role;
mod scan;
mod style;
mod token;

use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::options::Options;
use crate::session::Session;
use std::path::Path;
use token::FormatToken;

/// Formats `text`; diagnostics call it `name`.
///
/// Indentation is two columns for each level. Each declaration is on a line of its own, and at most
/// one empty line between two of them is kept. A list that does not fit into 100 columns has one
/// entry on each line. Comments and directives keep their positions, and text in `#if 0` is not
/// changed. The enumerators of an enum stay on one line if none is written on a line of its own.
/// Formatting is idempotent.
///
/// ```
/// let text = "interface  Bell{void ring( in long times ) ;  // loud\n};";
/// let formatted = armilla_idl::format("bell.idl", text).unwrap();
/// assert_eq!(formatted, "interface Bell {\n  void ring(in long times); // loud\n};\n");
/// ```
///
/// # Errors
///
/// If the text cannot be split into tokens: a comment or a literal does not end, or there is an
/// invalid character. Other errors of the source do not matter.
pub fn format(name: &str, text: &str) -> Result<String, Diagnostics> {
    let options = Options::new();
    let mut session = Session::new(&options);
    let errors = match session.add(Path::new(name), text.to_owned(), None) {
        Ok(file) => match scan::scan(text, file) {
            Ok(tokens) => {
                let formatted = lines::print(&tokens, text);
                match scan::scan(&formatted, file) {
                    Ok(after) if same(&tokens, &after) => return Ok(formatted),
                    _ => vec![unfaithful(name)],
                }
            }
            Err(errors) => errors,
        },
        Err(error) => vec![*error],
    };
    errors.into_iter().for_each(|error| session.report(error));
    Err(session.diagnostics)
}

/// Whether both have the same tokens, comments and directives.
fn same(before: &[FormatToken<'_>], after: &[FormatToken<'_>]) -> bool {
    let spoken = |token: &FormatToken<'_>| {
        token.text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let same = |(a, b): (&FormatToken<'_>, &FormatToken<'_>)| {
        a.kind == b.kind && (a.text == b.text || spoken(a) == spoken(b))
    };
    before.len() == after.len() && before.iter().zip(after).all(same)
}

fn unfaithful(name: &str) -> Diagnostic {
    let message = format!("`{name}` cannot be formatted without a change of its meaning");
    let note = "a token that a line continuation cuts in two can be the reason";
    Diagnostic::without_span(Code::BadDirective, message).note(note)
}
