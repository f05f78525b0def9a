//! What the pages of all experiments consist of.

use super::chart::escape;
use crate::outcome::Absent;
use std::fmt::{Display, Write};

/// A self-contained HTML document.
pub(crate) fn document(title: &str, body: &str) -> String {
    let style = include_str!("page.css");
    format!(
        "<!doctype html>\n<html lang=en><meta charset=utf-8>\
         <meta name=viewport content=\"width=device-width,initial-scale=1\">\
         <title>Armilla: {title}</title><style>{style}</style>\n<main><h1>{title}</h1>\n\
         {body}</main></html>\n"
    )
}

/// The machine, what came out in a sentence, and what the page lacks.
pub(crate) fn preface(
    machine: &impl Display,
    conclusion: &str,
    (absent, failures, interrupted): (&[Absent], &[String], bool),
) -> String {
    let (machine, conclusion) = (escape(&machine.to_string()), escape(conclusion));
    let mut out = format!("<p class=facts>{machine}</p>\n<p class=conclusion>{conclusion}</p>\n");
    for Absent { program, remedy } in absent {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<p class=absent>Absent: {program} ({})</p>", escape(remedy));
    }
    for failure in failures {
        let _ = writeln!(out, "<p class=absent>Failed: {}</p>", escape(failure));
    }
    if interrupted {
        out.push_str("<p class=absent>The run was interrupted.</p>\n");
    }
    out
}

/// A table of texts, which scrolls where it is wider than the page.
pub(crate) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut out = String::from("<div class=scroll><table><thead><tr>");
    head.iter().for_each(|name| out.extend(["<th>", name]));
    out.push_str("<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        row.iter().for_each(|cell| out.extend(["<td>", &escape(cell)]));
        out.push('\n');
    }
    out + "</table></div>\n"
}
