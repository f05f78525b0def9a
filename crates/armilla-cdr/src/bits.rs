//! Bit fields within an integer, for the bitsets of IDL 4.

/// Reads the field of `width` bits at `position`, which must be within `bits`.
#[doc(hidden)]
pub const fn get_bits(bits: u64, position: u32, width: u32) -> u64 {
    (bits >> position) & mask(width)
}

/// Reads the field of `width` bits at `position` as a signed number.
#[doc(hidden)]
pub const fn get_signed_bits(bits: u64, position: u32, width: u32) -> i64 {
    let unused = u64::BITS - width;
    (get_bits(bits, position, width) << unused).cast_signed() >> unused
}

/// Returns `bits` with the field of `width` bits at `position` set to `value`.
#[doc(hidden)]
pub const fn set_bits(bits: u64, position: u32, width: u32, value: u64) -> u64 {
    let mask = mask(width) << position;
    (bits & !mask) | ((value << position) & mask)
}

/// A mask of `width` bits, 1 to 64.
const fn mask(width: u32) -> u64 {
    u64::MAX >> (u64::BITS - width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_keeps_to_its_bits() {
        let bits = set_bits(0xffff, 4, 5, 0);
        assert_eq!(bits, 0xfe0f);
        assert_eq!(set_bits(bits, 4, 5, 0xffff), 0xffff, "what does not fit is cut off");
        assert_eq!(get_bits(set_bits(0, 4, 5, 19), 4, 5), 19);
        assert_eq!(get_signed_bits(set_bits(0, 60, 4, -3_i64 as u64), 60, 4), -3);
        assert_eq!(get_bits(u64::MAX, 0, 64), u64::MAX);
        assert_eq!(set_bits(0, 63, 1, 1), 1 << 63);
    }
}
