//! Texts of others, such as names, errors and what servers have written. A terminal would obey the
//! control characters in them.

use std::borrow::Cow;

/// A text that stays in its line: control characters are escapes such as `\n` and `\u{1b}`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// A text with its lines and tabs; other control characters are escapes.
pub fn many_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| matches!(character, '\n' | '\t'))
}

fn escaped(text: &str, harmless: impl Fn(char) -> bool) -> Cow<'_, str> {
    let obeyed = |character: char| character.is_control() && !harmless(character);
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| match obeyed(character) {
        true => character.escape_default().to_string(),
        false => character.to_string(),
    };
    Cow::Owned(text.chars().map(shown).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escapes() {
        let text = "a\tb\u{1b}]0;title\u{7}\nc\r\u{9b}31md\u{7f}é";
        let lines = "a\tb\\u{1b}]0;title\\u{7}\nc\\r\\u{9b}31md\\u{7f}é";
        assert_eq!(many_lines(text), lines);
        assert_eq!(one_line(text), lines.replace('\t', "\\t").replace('\n', "\\n"));
        assert!(matches!(one_line("plain é"), Cow::Borrowed(_)));
    }
}
