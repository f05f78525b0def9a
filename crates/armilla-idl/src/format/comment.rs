//! Indentation of comments with several lines, which move as a whole.

use super::scan::width;
use super::style::WIDTH;
use super::token::{FormatToken, Kind};

/// The lines of `token` at the column `indent`, the first one without indentation.
pub(super) fn reindented(token: &FormatToken<'_>, indent: usize) -> String {
    if token.kind != Kind::BlockComment || !token.text.contains('\n') {
        return token.text.to_owned();
    }
    // The limit keeps comments from moving further right with each pass.
    let (column, indent) = (token.column.min(WIDTH), indent.min(WIDTH));
    let mut lines = token.text.lines().map(str::trim_end);
    let mut text = lines.next().unwrap_or_default().to_owned();
    let rest: Vec<&str> = lines.collect();
    let filled = || rest.iter().filter(|line| !line.trim_start().is_empty());
    let starred = filled().all(|line| line.trim_start().starts_with('*'));
    for line in rest {
        text.push('\n');
        let bare = line.trim_start();
        if bare.is_empty() {
            continue;
        }
        let old = width(&line[..line.len() - bare.len()]);
        let new = if starred { indent + 1 } else { (old + indent).saturating_sub(column) };
        text.extend(std::iter::repeat_n(' ', new));
        text.push_str(bare);
    }
    text
}
