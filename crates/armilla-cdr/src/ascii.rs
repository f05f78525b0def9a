//! Recognizes text that is the same in every code set for `char`: ASCII without NUL.

#[cfg(feature = "std")]
use fearless_simd::{Level, Simd, dispatch};

/// How many octets are compared side by side, and how many of the remainder.
const ROW: usize = 64;
const SHORT_ROW: usize = 16;

/// How many octets are compared before the loop decides whether to go on.
const BLOCK: usize = 4 * ROW;

/// From this many blocks on it pays to detect the processor's vector instructions; how many octets
/// it then compares at once; and the size of a cache line, since a load across two takes twice as
/// long.
#[cfg(feature = "std")]
const MANY: usize = 8;
#[cfg(feature = "std")]
const WIDE_ROW: usize = 128;
#[cfg(feature = "std")]
const LINE: usize = 64;

/// Whether every octet is one of 1 to 127. Nearly all text is; then this is one pass at the speed
/// of memory.
#[inline]
pub(crate) fn is_ascii_text(octets: &[u8]) -> bool {
    // As signed numbers neither NUL nor what is not ASCII is above zero.
    all(octets, |octet| octet.cast_signed() > 0)
}

/// Whether one of the octets is NUL.
pub(crate) fn has_nul(octets: &[u8]) -> bool {
    !all(octets, |octet| octet != 0)
}

/// Whether `holds` is true of every octet. Looks at all of them, in rows that the compiler makes
/// wide comparisons of.
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

/// A function of its own, so that the compiler vectorizes nothing but the loop, the same for all
/// callers; for long text there is one version for each kind of processor, in its widest
/// instructions.
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

/// Compares the octets from the first whole cache line on in whole blocks, the last first: what was
/// received last is still cached, and what is compared last is where the next reader begins.
#[cfg(feature = "std")]
#[inline(always)]
fn in_lines(octets: &[u8], holds: impl Fn(u8) -> bool + Copy) -> bool {
    let before = octets.as_ptr().align_offset(LINE);
    let (blocks, _) = octets.get(before..).unwrap_or(octets).as_chunks();
    blocks.iter().rev().all(|block| in_block::<WIDE_ROW>(block, holds))
}

/// One verdict for each place in a row, so that nothing but the last step goes from place to place.
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

    #[test]
    fn each_octet_decides_wherever_it_stands() {
        for octet in 0..=u8::MAX {
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
    fn no_octet_of_a_long_text_is_passed_over_wherever_it_lies_in_memory() {
        for before in [0, 1, 17, 63] {
            let mut memory = vec![b'x'; before + 2300];
            for place in before..memory.len() {
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
