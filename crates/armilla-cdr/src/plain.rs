//! Text that is the same in every code set for `char`: ASCII without NUL.

#[cfg(feature = "std")]
use fearless_simd::{Level, Simd, dispatch};

/// How many octets are looked at side by side, and of what is left as long as there are so many.
const ROW: usize = 64;
const SHORT_ROW: usize = 16;

/// How many octets are looked at before it is decided whether to go on.
const BLOCK: usize = 4 * ROW;

/// How many blocks are worth finding out what the processor can do, and how many octets it looks at then.
#[cfg(feature = "std")]
const MANY: usize = 4;
#[cfg(feature = "std")]
const WIDE_ROW: usize = 128;

/// Whether every octet is one of 1 to 127. Looks at all of them, in rows that the compiler makes wide
/// comparisons of: texts are nearly always plain, and then this is one pass at the speed of memory.
#[inline]
pub(crate) fn is_plain(octets: &[u8]) -> bool {
    let (blocks, rest) = octets.as_chunks::<BLOCK>();
    let (rows, rest) = rest.as_chunks::<ROW>();
    let (short_rows, rest) = rest.as_chunks::<SHORT_ROW>();
    (blocks.is_empty() || are_plain(blocks))
        && rows.iter().all(is_plain_row)
        && short_rows.iter().all(is_plain_row)
        && rest.iter().all(|octet| may_stand(*octet))
}

#[inline(always)]
fn is_plain_row<const ROW: usize>(row: &[u8; ROW]) -> bool {
    row.iter().fold(true, |all, octet| all & may_stand(*octet))
}

/// Stands by itself, so that the compiler sees nothing but the loop, and makes the same of it wherever
/// it is called; of a long text it makes one for each kind of processor, in the widest instructions.
#[inline(never)]
fn are_plain(blocks: &[[u8; BLOCK]]) -> bool {
    #[cfg(feature = "std")]
    if blocks.len() >= MANY {
        return dispatch!(Level::new(), simd => simd.vectorize(
            #[inline(always)]
            || blocks.iter().all(is_plain_block::<WIDE_ROW>),
        ));
    }
    blocks.iter().all(is_plain_block::<ROW>)
}

/// One verdict for each place in a row, so that nothing but the last step goes from place to place.
#[inline(always)]
fn is_plain_block<const ROW: usize>(block: &[u8; BLOCK]) -> bool {
    let mut all = [u8::MAX; ROW];
    for row in block.as_chunks::<ROW>().0 {
        for (all, octet) in all.iter_mut().zip(row) {
            *all &= if may_stand(*octet) { u8::MAX } else { 0 };
        }
    }
    all.iter().fold(u8::MAX, |both, all| both & all) == u8::MAX
}

/// As signed numbers neither NUL nor what is not ASCII is above zero.
#[inline]
const fn may_stand(octet: u8) -> bool {
    octet.cast_signed() > 0
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
                    assert_eq!(is_plain(&text), (1..=127).contains(&octet), "{octet} at {place}");
                }
            }
        }
        assert!(is_plain(b""));
    }
}
