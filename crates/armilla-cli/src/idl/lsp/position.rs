//! Positions of the protocol: lines and UTF-16 code units, both counted from 0.

use lsp_types::{Position, Range};

/// The offsets of the lines of a text.
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let behind = text.match_indices('\n').map(|(newline, _)| newline + 1);
        Lines { text, starts: std::iter::once(0).chain(behind).collect() }
    }

    /// The position of the byte at `offset`, which is clamped to the text.
    pub(super) fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let column = self.text[self.starts[line]..offset].encode_utf16().count();
        Position::new(line as u32, column as u32)
    }

    pub(super) fn range(&self, range: std::ops::Range<usize>) -> Range {
        Range::new(self.position(range.start), self.position(range.end))
    }

    /// The offset of `position`, which is clamped to the end of its line.
    pub(super) fn offset(&self, position: Position) -> usize {
        let Some(start) = self.starts.get(position.line as usize) else { return self.text.len() };
        let line = self.text[*start..].split('\n').next().unwrap_or_default();
        let mut units = 0;
        for (offset, c) in line.char_indices() {
            if units >= position.character as usize {
                return start + offset;
            }
            units += c.len_utf16();
        }
        start + line.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf_16_code_units() {
        let text = "a\n// é 𝄞 x\n";
        let lines = Lines::new(text);
        let x = text.find('x').unwrap();
        assert_eq!(lines.position(x), Position::new(1, 8));
        assert_eq!(lines.offset(Position::new(1, 8)), x);
        assert_eq!(lines.offset(Position::new(1, 99)), text.len() - 1);
        assert_eq!(lines.offset(Position::new(9, 0)), text.len());
        assert_eq!(lines.position(999), Position::new(2, 0));
    }
}
