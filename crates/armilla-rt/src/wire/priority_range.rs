//! The service context `RTCorbaPriorityRange`: the band of a connection (RT CORBA 1.2, *Binding of
//! Priority Banded Connection*).

use crate::priority::Priority;
use armilla::{ByteOrder, CdrErrorKind, CdrResult, Decoder};

/// The id of the context.
pub const RT_CORBA_PRIORITY_RANGE_CONTEXT: u32 = 11;

/// The operation of every object with which a client tells the server the band of a connection.
pub const BIND_PRIORITY_BAND: &str = "_bind_priority_band";

/// The data of the context: an encapsulation of the lowest and the highest priority of the band.
pub fn encode_priority_range((low, high): (Priority, Priority)) -> [u8; 6] {
    let [[l0, l1], [h0, h1]] = [low, high].map(|priority| priority.get().to_ne_bytes());
    [ByteOrder::NATIVE.flag(), 0, l0, l1, h0, h1]
}

/// Reads the data of the context: the lowest and the highest priority.
///
/// # Errors
/// When it ends too early, a priority is negative, or the lowest is above the highest.
pub fn decode_priority_range(data: &[u8]) -> CdrResult<(Priority, Priority)> {
    let order = ByteOrder::from_flag(Decoder::new(data, ByteOrder::Big).u8()?);
    let mut input = Decoder::at(data, 1, order);
    let mut priority = || {
        let number = input.u16()?.cast_signed();
        Priority::new(number)
            .ok_or_else(|| input.error(CdrErrorKind::Invalid("a CORBA priority is not negative")))
    };
    let (low, high) = (priority()?, priority()?);
    match low <= high {
        true => Ok((low, high)),
        false => {
            let what = "the lowest priority of a band is not above its highest";
            Err(input.error(CdrErrorKind::Invalid(what)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn band(low: i16, high: i16) -> (Priority, Priority) {
        (Priority::new(low).unwrap(), Priority::new(high).unwrap())
    }

    #[test]
    fn bands_are_read_in_both_byte_orders() {
        assert_eq!(decode_priority_range(&[1, 0, 5, 0, 0, 1]).unwrap(), band(5, 256));
        assert_eq!(decode_priority_range(&[0, 0, 0, 5, 1, 0]).unwrap(), band(5, 256));
    }

    #[test]
    fn every_band_survives_the_wire() {
        for (low, high) in [(0, 0), (0, i16::MAX), (7, 255), (256, 256)] {
            let data = encode_priority_range(band(low, high));
            assert_eq!(decode_priority_range(&data).unwrap(), band(low, high));
        }
    }

    #[test]
    fn what_is_too_short_negative_or_upside_down_is_refused() {
        let whole = encode_priority_range(band(1, 2));
        assert!((0..whole.len()).all(|length| decode_priority_range(&whole[..length]).is_err()));
        for data in [[1, 0, 0, 0x80, 5, 0], [1, 0, 5, 0, 0, 0x80], [1, 0, 6, 0, 5, 0]] {
            assert!(decode_priority_range(&data).is_err(), "{data:?}");
        }
    }
}
