//! IDL comments as Rust documentation.
//!
//! Comments in IDL are plain text. Documentation in Rust is Markdown, where indented lines are code
//! that is compiled as a test, brackets are links and angle brackets are HTML. So markup is
//! escaped.

use proc_macro2::TokenStream;
use quote::quote;

/// The comment of a declaration as attributes, or `otherwise` where it has none.
pub(super) fn docs(comment: &[String], otherwise: &str) -> TokenStream {
    if comment.iter().all(|line| line.trim().is_empty()) {
        return attributes(&[otherwise.to_owned()]);
    }
    attributes(&markdown(comment))
}

fn attributes(lines: &[String]) -> TokenStream {
    lines
        .iter()
        .map(|line| {
            let line = if line.is_empty() { String::new() } else { format!(" {line}") };
            quote!(#[doc = #line])
        })
        .collect()
}

fn markdown(comment: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    // The indentation of the text of the open list item.
    let mut item_indent = 0;
    for line in comment {
        let text = line.replace('\t', " ");
        let text = text.trim();
        let marker = list_marker(text);
        let indent = if marker > 0 { 0 } else { item_indent };
        if marker > 0 {
            item_indent = marker;
        } else if text.is_empty() {
            item_indent = 0;
        }
        let indent = if text.is_empty() { 0 } else { indent };
        // One blank after the marker: further blanks would be part of the indentation.
        let (marker, text) = text.split_at(marker);
        lines.push(format!("{:indent$}{marker}{}", "", escape(text.trim_start())));
    }
    lines
}

/// The width of the list marker that begins a line: `- `, `* ` or `1. `.
fn list_marker(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text.get(digits..) {
        Some(rest) if digits > 0 && (rest.starts_with(". ") || rest.starts_with(") ")) => {
            digits + 2
        }
        _ if text.starts_with("- ") || text.starts_with("* ") || text.starts_with("+ ") => 2,
        _ => 0,
    }
}

/// `text` with a backslash before what Markdown would interpret, except within back-quotes.
fn escape(text: &str) -> String {
    // A fence opens a block of code, which rustdoc compiles as Rust.
    if text.starts_with("```") || text.starts_with("~~~") {
        return format!("\\{text}");
    }
    let mut escaped = String::with_capacity(text.len());
    // Quotes, headings, and lines that make a heading of the text above or an empty list item.
    let is_line = |rule: char| !text.is_empty() && text.chars().all(|character| character == rule);
    if text.starts_with(['>', '#']) || ['-', '=', '*', '+', '_'].into_iter().any(is_line) {
        escaped.push('\\');
    }
    let mut in_code = false;
    let closed = text.matches('`').count().is_multiple_of(2);
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if !in_code && let Some(length) = url(rest) {
            let (url, after) = rest.split_at(length);
            escaped.extend(["<", url, ">"]);
            rest = after;
            continue;
        }
        rest = &rest[character.len_utf8()..];
        match character {
            '`' if closed => in_code = !in_code,
            '`' | '[' | ']' | '<' if !in_code => escaped.push('\\'),
            _ => {}
        }
        escaped.push(character);
    }
    escaped
}

/// The length of the URL that begins `text`.
fn url(text: &str) -> Option<usize> {
    if !(text.starts_with("http://") || text.starts_with("https://")) {
        return None;
    }
    let ends = |c: char| c.is_whitespace() || "<>\"'`[](){}\\".contains(c);
    let address = &text[..text.find(ends).unwrap_or(text.len())];
    let address = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '*']);
    (!address.ends_with('/') || address.matches('/').count() > 2).then_some(address.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown_of(comment: &str) -> String {
        let lines: Vec<String> = comment.lines().map(str::to_owned).collect();
        markdown(&lines).join("\n")
    }

    #[test]
    fn indented_text_does_not_become_a_code_block() {
        assert_eq!(markdown_of("Uses:\n\n    x = 1"), "Uses:\n\nx = 1");
        assert_eq!(markdown_of("```\nx\n```"), "\\```\nx\n\\```");
    }

    #[test]
    fn a_tab_is_a_space() {
        assert_eq!(markdown_of("x\ty"), "x y");
    }

    #[test]
    fn brackets_are_text_except_in_code() {
        assert_eq!(markdown_of("a sequence<T>[3]"), "a sequence\\<T>\\[3\\]");
        assert_eq!(markdown_of("a `sequence<T>[3]`"), "a `sequence<T>[3]`");
        assert_eq!(markdown_of("an odd ` in [x]"), "an odd \\` in \\[x\\]");
    }

    #[test]
    fn addresses_are_links() {
        assert_eq!(markdown_of("see http://omg.org/idl."), "see <http://omg.org/idl>.");
        assert_eq!(
            markdown_of("a href=\"https://x.org/[1]\""),
            "a href=\"<https://x.org/>\\[1\\]\""
        );
        assert_eq!(markdown_of("begins with http://"), "begins with http://");
    }

    #[test]
    fn quotes_headings_and_rules_are_text() {
        assert_eq!(
            markdown_of("Profile\n> gives access\nto it"),
            "Profile\n\\> gives access\nto it"
        );
        assert_eq!(markdown_of("Title\n-----\n# one\n*"), "Title\n\\-----\n\\# one\n\\*");
    }

    #[test]
    fn a_list_item_is_indented_as_far_as_its_text() {
        assert_eq!(markdown_of("*   The Exceptions\nof all"), "* The Exceptions\n  of all");
    }

    #[test]
    fn the_lines_of_a_list_item_stay_with_it() {
        assert_eq!(markdown_of("- one\ntwo\n- three\n\nend"), "- one\n  two\n- three\n\nend");
        assert_eq!(markdown_of("12. one\n two"), "12. one\n    two");
    }
}
