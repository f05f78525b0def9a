//! Detects text that is the same in every code set for `char`: ASCII without NUL.

#[cfg(feature = "std")]
use fearless_simd::{Level, Simd, dispatch};

/// The number of octets that are compared in parallel, and the number for the remainder.
const ROW: usize = 64;
const SHORT_ROW: usize = 16;

/// The number of octets that are compared before the loop may end early.
const BLOCK: usize = 4 * ROW;

/// The number of blocks from which on the detection of vector instructions pays; the number of
/// octets that they compare at a time; and the size of a cache line, because a load across two
/// lines takes twice as long.
#[cfg(feature = "std")]
const MANY: usize = 8;
#[cfg(feature = "std")]
const WIDE_ROW: usize = 128;
#[cfg(feature = "std")]
const LINE: usize = 64;

/// Whether every octet is in 1 to 127. Most text is, and then one pass at the speed of memory
/// suffices.
#[inline]
pub(crate) fn is_ascii_text(octets: &[u8]) -> bool {
    // As signed numbers, NUL and octets beyond ASCII are not above zero.
    all(octets, |octet| octet.cast_signed() > 0)
}

/// Whether an octet is NUL.
pub(crate) fn has_nul(octets: &[u8]) -> bool {
    !all(octets, |octet| octet != 0)
}

/// Whether `holds` is true of every octet. It checks all of them, in rows that the compiler
/// vectorizes.
#[inline]
fn all(octets: &[u8], holds: impl Fn(u8) -> bool + Copy) -> bool {
    let (blocks, rest) = octets.as_chunks::<BLOCK>();
    let (rows, rest) = rest.as_chunks::<ROW>();
    let (short_rows, rest) = rest.as_chunks::<SHORT_ROW>();
    (blocks.is_empty() || in_blocks(blocks, holds))
        && rows.iter().all(|row| in_row(row, holds))
        && short_rows.iter().all(|row| in_row(row, holds))
        && rest.iter().all(|octet| holds(*octet))
}

#[inline(always)]
fn in_row<const ROW: usize>(row: &[u8; ROW], holds: impl Fn(u8) -> bool) -> bool {
    row.iter().fold(true, |all, octet| all & holds(*octet))
}

/// A separate function, so that the compiler vectorizes this loop alone and all callers share it.
/// For long text there is a version for each kind of processor, with its widest instructions.
#[inline(never)]
fn in_blocks(blocks: &[[u8; BLOCK]], holds: impl Fn(u8) -> bool + Copy) -> bool {
    #[cfg(feature = "std")]
    if let [first, .., last] = blocks
        && blocks.len() >= MANY
    {
        return dispatch!(Level::new(), simd => simd.vectorize(
            #[inline(always)]
            || {
                in_block::<WIDE_ROW>(first, holds)
                    && in_lines(blocks.as_flattened(), holds)
                    && in_block::<WIDE_ROW>(last, holds)
            },
        ));
    }
    blocks.iter().all(|block| in_block::<ROW>(block, holds))
}

/// Compares whole blocks from the first cache line boundary on, the last block first: the octets
/// received last are still cached, and the next reader begins at those compared last.
#[cfg(feature = "std")]
#[inline(always)]
fn in_lines(octets: &[u8], holds: impl Fn(u8) -> bool + Copy) -> bool {
    let before = octets.as_ptr().align_offset(LINE);
    let (blocks, _) = octets.get(before..).unwrap_or(octets).as_chunks();
    blocks.iter().rev().all(|block| in_block::<WIDE_ROW>(block, holds))
}

/// One result for each position in a row, so that only the last step combines positions.
#[inline(always)]
fn in_block<const ROW: usize>(block: &[u8; BLOCK], holds: impl Fn(u8) -> bool) -> bool {
    let mut all = [u8::MAX; ROW];
    for row in block.as_chunks::<ROW>().0 {
        for (all, octet) in all.iter_mut().zip(row) {
            *all &= if holds(*octet) { u8::MAX } else { 0 };
        }
    }
    all.iter().fold(u8::MAX, |both, all| both & all) == u8::MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// In an interpreter that looks for undefined behaviour, a few octets and places stand for all.
    const fn step(there: usize) -> usize {
        if cfg!(miri) { there } else { 1 }
    }

    #[test]
    fn every_octet_position_is_checked() {
        for octet in (0..=u8::MAX).step_by(step(51)) {
            for place in [0, 15, 63, 64, 79, 126, 255, 256, 400, 512, 599, 1023, 1024, 1500, 1599] {
                for length in [16, 80, 127, 600, 1600] {
                    let mut text = vec![b'x'; length];
                    let Some(there) = text.get_mut(place) else { continue };
                    *there = octet;
                    assert_eq!(
                        is_ascii_text(&text),
                        (1..=127).contains(&octet),
                        "{octet} at {place}"
                    );
                    assert_eq!(has_nul(&text), octet == 0, "{octet} at {place}");
                }
            }
        }
        assert!(is_ascii_text(b"") && !has_nul(b""));
    }

    #[test]
    fn every_octet_of_a_long_text_is_checked_at_every_alignment() {
        for before in [0, 1, 17, 63] {
            let mut memory = vec![b'x'; before + 2300];
            for place in (before..memory.len()).step_by(step(331)) {
                memory[place] = 0;
                assert!(has_nul(&memory[before..]), "{place} of a text from {before} on");
                memory[place] = 200;
                assert!(!is_ascii_text(&memory[before..]), "{place} of a text from {before} on");
                memory[place] = b'x';
            }
            assert!(is_ascii_text(&memory[before..]) && !has_nul(&memory[before..]));
        }
    }
}
