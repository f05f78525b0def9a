//! Tables of the pages. On a narrow screen a table of records becomes a card for each record; what
//! is empty is not shown, and a word is broken only if it is longer than [`LONGEST_WORD`].

use maud::{Markup, html};

/// The longest word that is kept whole, in characters. Seven columns of such words fit into a page.
const LONGEST_WORD: usize = 20;

/// A table of records: the names of its columns, and the cells of each record. The first cell of a
/// record names it. A column in which every cell is empty is left out, and so is an empty cell on a
/// narrow screen, where each record is a card whose values carry the names of their columns.
///
/// ```
/// use armilla_service::page::table;
/// use maud::html;
///
/// let rows = [("bank", "running", ""), ("till", "stopped", "")];
/// let rows = rows.map(|(name, stage, why)| vec![html! { (name) }, html! { (stage) }, html! { (why) }]);
/// let text = table(&["Server", "Stage", "Reason"], rows).into_string();
/// assert!(text.contains("<td data-label=\"Stage\">stopped</td>"), "{text}");
/// assert!(!text.contains("Reason"), "nothing has a reason: {text}");
/// ```
pub fn table(heads: &[&str], rows: impl IntoIterator<Item = Vec<Markup>>) -> Markup {
    let rows: Vec<Vec<Markup>> = rows.into_iter().collect();
    let is_shown = |column: usize| {
        rows.iter().any(|row| row.get(column).is_some_and(|cell| !cell.0.is_empty()))
    };
    let shown: Vec<(usize, &str)> =
        heads.iter().copied().enumerate().filter(|(column, _)| is_shown(*column)).collect();
    html! {
        table.cards {
            thead { tr { @for (_, head) in &shown { th scope="col" { (head) } } } }
            tbody {
                @for row in &rows {
                    tr {
                        @for (column, head) in &shown {
                            @if let Some(cell) = row.get(*column) { (record_cell(head, cell)) }
                        }
                    }
                }
            }
        }
    }
}

fn record_cell(head: &str, cell: &Markup) -> Markup {
    html! {
        td data-label=[(!head.is_empty()).then_some(head)] class=[class(cell)] { (cell) }
    }
}

/// What is known of one thing: names and values, below one another. An empty value is left out.
///
/// ```
/// use armilla_service::page::facts;
/// use maud::html;
///
/// let text = facts([("Host", html! { "node7" }), ("Client", html! {})]).into_string();
/// assert!(text.contains("node7") && !text.contains("Client"), "{text}");
/// ```
pub fn facts<'a>(rows: impl IntoIterator<Item = (&'a str, Markup)>) -> Markup {
    let rows: Vec<_> = rows.into_iter().filter(|(_, value)| !value.0.is_empty()).collect();
    html! {
        @if !rows.is_empty() {
            table.facts {
                tbody {
                    @for (name, value) in &rows {
                        tr { th scope="row" { (name) } td class=[class(value)] { (value) } }
                    }
                }
            }
        }
    }
}

/// The class of a cell whose words may be broken.
fn class(cell: &Markup) -> Option<&'static str> {
    (longest_word(&cell.0) > LONGEST_WORD).then_some("long")
}

/// The length of the longest word that a reader sees in HTML, in characters.
fn longest_word(html: &str) -> usize {
    let (mut longest, mut length) = (0, 0);
    let (mut in_tag, mut in_entity) = (false, false);
    for character in html.chars() {
        match character {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            _ if in_tag => {}
            // An entity is one character.
            '&' => (in_entity, length) = (true, length + 1),
            ';' if in_entity => in_entity = false,
            _ if in_entity => {}
            space if space.is_whitespace() => length = 0,
            _ => length += 1,
        }
        longest = longest.max(length);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_measured_as_a_reader_sees_them() {
        for (html, length) in [
            ("", 0),
            ("two words", 5),
            ("<a href=\"/a-long-link-that-nobody-sees\">it</a>", 2),
            ("one<b>word</b>", 7),
            ("&lt;me&gt;", 4),
            ("größer", 6),
            ("a > b", 1),
        ] {
            assert_eq!(longest_word(html), length, "{html}");
        }
    }

    #[test]
    fn only_what_is_too_long_may_be_broken() {
        let rows = [["a-name-of-twenty-char", "x"], ["s", "running"]];
        let rows = rows.map(|row| row.map(|cell| html! { (cell) }).to_vec());
        let text = table(&["Server", "Stage"], rows).into_string();
        assert_eq!(text.matches("class=\"long\"").count(), 1, "{text}");
        assert!(text.contains("<td data-label=\"Stage\">running</td>"), "{text}");
    }

    #[test]
    fn a_record_that_lacks_cells_and_a_table_without_records_are_no_error() {
        let text = table(&["A", "B"], [vec![html! { "a" }], vec![html! {}, html! { "b" }]]);
        assert!(text.0.contains("<td data-label=\"A\"></td>"), "{}", text.0);
        assert!(!table(&["A"], []).0.contains("<td"));
        assert!(facts([("A", html! {})]).0.is_empty());
    }
}
