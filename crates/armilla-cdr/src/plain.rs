//! Text that is the same in every code set for `char`: ASCII without NUL.

/// Whether every octet is one of 1 to 127. Looks at all of them, in steps that the compiler makes
/// wide: texts are nearly always plain, and then this is one pass at the speed of memory.
#[inline]
pub(crate) fn is_plain(octets: &[u8]) -> bool {
    // The top bit is set in what is not ASCII, and in what is one less than a NUL.
    let seen = octets.iter().fold(0, |seen, octet| seen | octet | octet.wrapping_sub(1));
    seen & 0x80 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn each_octet_decides_wherever_it_stands() {
        for octet in 0..=u8::MAX {
            for place in [0, 15, 16, 99] {
                let mut text = vec![b'x'; 100];
                text[place] = octet;
                assert_eq!(is_plain(&text), (1..=127).contains(&octet), "{octet} at {place}");
            }
        }
        assert!(is_plain(b""));
    }
}
