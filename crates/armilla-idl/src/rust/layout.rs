//! The layout of fixed-size structs in CDR. This module only computes numbers; `fixed` decides
//! which structs have a layout.
//!
//! CDR aligns every primitive to its size from the start of the message (CORBA 3.4 Part 2, 9.3.1),
//! so the offset of a member depends on the position of its struct. But after a member of the
//! largest alignment, the position modulo that alignment is known. It is the same after every value
//! of the struct. So a value that begins there has its members at constant offsets and ends at the
//! same position modulo the alignment.

use std::ops::Range;

/// The layout of a struct that begins where another value of it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// The largest alignment of a primitive in it.
    pub(super) align: usize,
    /// The position modulo `align` after any value.
    pub(super) phase: usize,
    /// The size of a value that begins at `phase`, in octets.
    pub(super) stride: usize,
    /// The offset of each primitive in such a value.
    pub(super) offsets: Vec<usize>,
}

impl Layout {
    /// The layout of a struct that, flattened, is primitives of these sizes: 1, 2, 4 or 8 octets.
    pub(super) fn of(sizes: &[usize]) -> Self {
        let align = sizes.iter().copied().max().unwrap_or(1);
        let phase = end(sizes, 0) % align;
        let mut position = phase;
        let mut offsets = Vec::with_capacity(sizes.len());
        for size in sizes {
            let start = position.next_multiple_of(*size);
            offsets.push(start - phase);
            position = start + size;
        }
        Layout { align, phase, stride: position - phase, offsets }
    }

    /// The range of each primitive, with the padding after it.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = self.offsets.iter().skip(1).chain([&self.stride]);
        self.offsets.iter().zip(ends).map(|(start, end)| *start..*end)
    }
}

/// The end of a struct that begins at `start`.
fn end(sizes: &[usize], start: usize) -> usize {
    sizes.iter().fold(start, |position, size| position.next_multiple_of(*size) + size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_struct_of_mixed_members_repeats_every_24_octets() {
        // struct BinStruct { short s; char c; long l; octet o; double d; };
        let layout = Layout::of(&[2, 1, 4, 1, 8]);
        assert_eq!(
            layout,
            Layout { align: 8, phase: 0, stride: 24, offsets: vec![0, 2, 4, 8, 16] }
        );
    }

    #[test]
    fn a_struct_with_a_small_tail_ends_within_its_alignment() {
        // struct Sample { double value; boolean valid; };
        let layout = Layout::of(&[8, 1]);
        assert_eq!(layout, Layout { align: 8, phase: 1, stride: 16, offsets: vec![7, 15] });
    }

    #[test]
    fn octets_are_packed() {
        let layout = Layout::of(&[1, 1, 1]);
        assert_eq!(layout, Layout { align: 1, phase: 0, stride: 3, offsets: vec![0, 1, 2] });
    }

    /// Every struct of up to five primitives, begun at every position of a message: from the
    /// second element of a sequence on, each stands where the layout says.
    #[test]
    fn a_layout_agrees_with_a_walk_through_the_message() {
        let sizes = [1, 2, 4, 8];
        for count in 1..=5_u32 {
            for choice in 0..4_usize.pow(count) {
                let members: Vec<usize> =
                    (0..count).map(|i| sizes[choice / 4_usize.pow(i) % 4]).collect();
                for start in 0..8 {
                    check_by_walk(&members, start);
                }
            }
        }
    }

    fn check_by_walk(members: &[usize], start: usize) {
        let layout = Layout::of(members);
        let mut position = end(members, start);
        for _element in 0..3 {
            assert_eq!(position % layout.align, layout.phase, "{members:?} from {start}");
            let element = position;
            for (size, offset) in members.iter().zip(&layout.offsets) {
                position = position.next_multiple_of(*size);
                assert_eq!(position, element + offset, "{members:?} from {start}");
                position += size;
            }
            assert_eq!(position, element + layout.stride, "{members:?} from {start}");
        }
    }
}
