//! Comments: stripped of their delimiters and attached to a token.

use super::token::Docs;

/// A comment and the lines of the source on which it begins and ends.
#[derive(Debug)]
pub(super) struct Comment {
    pub(super) text: String,
    pub(super) first_line: u32,
    pub(super) last_line: u32,
}

/// Splits the comments between two tokens into the trailing comment of the first and the leading
/// comment of the second. A comment trails if it begins on the line where the first token ends,
/// unless the second token is on that line too. It leads if no empty line separates it from the
/// second.
pub(super) fn split(
    comments: &[Comment],
    first_ends: u32,
    second_begins: u32,
) -> (Option<Docs>, Option<Docs>) {
    let trails =
        |comment: &&Comment| comment.first_line == first_ends && comment.last_line < second_begins;
    let trailing = comments.iter().take_while(trails).count();
    let (trailing, rest) = comments.split_at(trailing);
    let mut next_line = second_begins;
    let mut leading = rest.len();
    for comment in rest.iter().rev() {
        if next_line.saturating_sub(comment.last_line) > 1 {
            break;
        }
        next_line = comment.first_line;
        leading -= 1;
    }
    (lines(trailing), lines(&rest[leading..]))
}

fn lines(comments: &[Comment]) -> Option<Docs> {
    let lines: Vec<String> = comments.iter().flat_map(|c| clean(&c.text)).collect();
    let first = lines.iter().position(|line| !line.is_empty())?;
    let last = lines.iter().rposition(|line| !line.is_empty())?;
    Some(lines[first..=last].into())
}

/// The lines of a comment without delimiters, rules and common indentation.
fn clean(comment: &str) -> Vec<String> {
    if let Some(text) = comment.strip_prefix("//") {
        let text = text.trim_start_matches(['/', '!', '<']).trim_end();
        let text = text.strip_prefix(' ').unwrap_or(text);
        return if is_rule(text) { Vec::new() } else { vec![text.to_owned()] };
    }
    let text = comment.trim_start_matches("/*").trim_start_matches(['*', '!', '<']);
    let text = text.strip_suffix("*/").unwrap_or(text).trim_end_matches('*');
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().trim().to_owned();
    let rest: Vec<&str> = lines.map(str::trim_end).collect();
    let filled = || rest.iter().filter(|line| !line.is_empty());
    let starred = filled().all(|line| line.trim_start().starts_with('*'));
    let indent = filled().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let body = rest.iter().map(|line| {
        let bare = line.get(indent..).unwrap_or_default();
        match bare.trim_start().strip_prefix('*') {
            Some(text) if starred => text.strip_prefix(' ').unwrap_or(text).to_owned(),
            _ => bare.to_owned(),
        }
    });
    std::iter::once(first).chain(body).filter(|line| !is_rule(line)).collect()
}

/// Whether a line is a rule: `-----`, `*****`, `=====`.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.chars().all(|c| "-=*/#~_+".contains(c))
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn a_line_comment_loses_its_signs_and_one_space() {
        assert_eq!(clean("/// An account."), ["An account."]);
        assert_eq!(clean("//   indented"), ["  indented"]);
        assert!(clean("//-----------").is_empty());
    }

    #[test]
    fn a_block_comment_loses_leading_stars() {
        assert_eq!(clean("/**\n * One.\n *   Two.\n */"), ["", "One.", "  Two.", ""]);
        assert_eq!(clean("/* One. */"), ["One."]);
    }

    #[test]
    fn a_block_comment_without_stars_loses_its_indentation() {
        assert_eq!(clean("/*\n    One.\n      Two.\n*/"), ["", "One.", "  Two."]);
    }
}
