//! Text that is the same in every code set for `char`: ASCII without NUL.

/// How many octets are looked at before it is decided whether to go on.
const BLOCK: usize = 64;

/// Whether every octet is one of 1 to 127. Looks at all of them, in blocks that the compiler makes
/// wide comparisons of: texts are nearly always plain, and then this is one pass at the speed of
/// memory.
#[inline]
pub(crate) fn is_plain(octets: &[u8]) -> bool {
    // As signed numbers neither NUL nor what is not ASCII is above zero.
    let plain =
        |octets: &[u8]| octets.iter().fold(true, |all, octet| all & (octet.cast_signed() > 0));
    let (blocks, rest) = octets.as_chunks::<BLOCK>();
    blocks.iter().all(|block| plain(block)) && plain(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn each_octet_decides_wherever_it_stands() {
        for octet in 0..=u8::MAX {
            for place in [0, 15, 63, 64, 99] {
                let mut text = vec![b'x'; 100];
                text[place] = octet;
                assert_eq!(is_plain(&text), (1..=127).contains(&octet), "{octet} at {place}");
            }
        }
        assert!(is_plain(b""));
    }
}
