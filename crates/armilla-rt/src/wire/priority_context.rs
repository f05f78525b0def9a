//! The service context `RTCorbaPriority`: the priority of a call (RT CORBA 1.2,
//! *Real-time CORBA Priority Models*).

use crate::priority::Priority;
use armilla::{ByteOrder, CdrErrorKind, CdrResult, Decoder};

/// The id of the context.
pub const RT_CORBA_PRIORITY_CONTEXT: u32 = 10;

/// The data of the context: an encapsulation of the priority.
pub fn encode_priority(priority: Priority) -> [u8; 4] {
    let [first, second] = priority.get().to_ne_bytes();
    [ByteOrder::NATIVE.flag(), 0, first, second]
}

/// Reads the data of the context.
///
/// # Errors
/// When it ends too early, or the priority is negative.
pub fn decode_priority(data: &[u8]) -> CdrResult<Priority> {
    let order = ByteOrder::from_flag(Decoder::new(data, ByteOrder::Big).u8()?);
    let mut input = Decoder::at(data, 1, order);
    let number = input.u16()?.cast_signed();
    Priority::new(number)
        .ok_or_else(|| input.error(CdrErrorKind::Invalid("a CORBA priority is not negative")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_octets_of_tao_are_read() {
        assert_eq!(decode_priority(&[1, 0, 0x32, 0]).unwrap(), Priority::new(50).unwrap());
        assert_eq!(decode_priority(&[0, 0, 0, 0x32]).unwrap(), Priority::new(50).unwrap());
    }

    #[test]
    fn every_priority_survives_the_wire() {
        for number in [0, 1, 50, 255, 256, i16::MAX] {
            let priority = Priority::new(number).unwrap();
            assert_eq!(decode_priority(&encode_priority(priority)).unwrap(), priority);
        }
    }

    #[test]
    fn what_is_too_short_or_negative_is_refused() {
        for data in [&[][..], &[1], &[1, 0], &[1, 0, 5], &[1, 0, 0, 0x80], &[0, 0, 0xff, 0xff]] {
            assert!(decode_priority(data).is_err(), "{data:?}");
        }
    }
}
