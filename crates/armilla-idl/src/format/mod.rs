//! `armilla idl fmt`: IDL in one layout, whoever wrote it.
//!
//! The formatter works on tokens and not on the tree, so that it knows every construct of IDL there
//! is or will be, keeps what the preprocessor would swallow, and serves a source with errors in it.
//! It moves blanks and line ends and nothing else: [`format`] proves that before it returns.
//!
//! `scan` makes pieces of the text, `role` tells what a sign is to its neighbours, `lines` decides
//! what stands on a line of its own, `layout` breaks a line that is too long, `comment` moves
//! comments of several lines.

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

/// Formats `text`, which messages call `name`.
///
/// Each level is indented by two columns, each declaration stands on a line of its own, at most one
/// empty line between two of them is kept, and a list that does not fit into 100 columns has one
/// entry on each line. Comments and directives stay where they are; what `#if 0` leaves out is not
/// touched. Whether the enumerators of an enum share a line is the author's choice: they do if none
/// of them is written on a line of its own. What is formatted already does not change.
///
/// ```
/// let text = "interface  Bell{void ring( in long times ) ;  // loud\n};";
/// let formatted = armilla_idl::format("bell.idl", text).unwrap();
/// assert_eq!(formatted, "interface Bell {\n  void ring(in long times); // loud\n};\n");
/// ```
///
/// # Errors
///
/// If the text cannot be told apart into tokens: a comment or a literal does not end, or there is a
/// character that IDL does not know. Other errors of the source do not matter.
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
