//! An operation that travels in a form of its own, between clients and objects that both know it.

use crate::lab::{Recorder, RecorderRef};
use armilla::remoting::{Dispatched, ServerCall, Skeleton};
use armilla::{AnyServant, CdrError, CdrErrorKind, CdrResult, Decoder, Orb, SystemException};
use std::sync::Arc;

/// The component of references to objects that understand packed series. One for the world outside
/// would be asked of the OMG.
pub const PACKED: u32 = 0x4558_0002;

/// The operation by which they travel.
const RECORD_PACKED: &str = "record.packed";

/// Lets an ORB pack series, wherever a reference says that the object understands it.
pub fn install(orb: &Orb) {
    orb.register_stub_factory(PACKED, |_component, plain: RecorderRef| {
        Some(Arc::new(Packing { plain }))
    });
}

/// The client side: what stands before an object that understands packed series.
struct Packing {
    plain: RecorderRef,
}

impl Recorder for Packing {
    fn record(&self, values: &[i32]) -> Result<f64, SystemException> {
        let packed = pack(values);
        self.plain.invoke(RECORD_PACKED, |out| out.copy_octets(&packed), |input| input.f64())
    }

    fn octets(&self) -> Result<u64, SystemException> {
        self.plain.octets()
    }
}

/// The server side: stands before the skeleton of a recorder.
#[derive(Debug)]
pub struct Unpack;

impl Skeleton for Unpack {
    fn dispatch(&self, call: &mut ServerCall<'_>, servant: &AnyServant) -> Dispatched {
        match (call.operation().as_str(), servant.downcast::<dyn Recorder>()) {
            (RECORD_PACKED, Some(recorder)) => {
                let values = unpack(&mut call.arguments())?;
                call.reply(recorder.record(&values), |mean, out| {
                    out.put_f64(*mean);
                    Ok(())
                })
            }
            _ => servant.dispatch(call),
        }
    }
}

/// Encodes each value as its difference from the previous one, in groups of seven bits. The lowest
/// bit is the sign.
fn pack(values: &[i32]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(values.len());
    let mut last = 0_i32;
    for value in values {
        let difference = value.wrapping_sub(last);
        let mut rest = ((difference << 1) ^ (difference >> 31)).cast_unsigned();
        while rest >= 0x80 {
            packed.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        packed.push(rest as u8);
        last = *value;
    }
    packed
}

/// What [`pack`] made. A client may send anything.
fn unpack(input: &mut Decoder<'_>) -> CdrResult<Vec<i32>> {
    let packed = input.octets()?;
    let (mut values, mut last) = (Vec::with_capacity(packed.len()), 0_i32);
    let (mut group, mut shift) = (0_u32, 0);
    for octet in packed {
        if shift > 28 {
            return Err(no_series(input));
        }
        group |= u32::from(octet & 0x7f) << shift;
        shift += 7;
        if octet & 0x80 == 0 {
            let difference = (group >> 1).cast_signed() ^ -(group & 1).cast_signed();
            last = last.wrapping_add(difference);
            values.push(last);
            (group, shift) = (0, 0);
        }
    }
    match shift {
        0 => Ok(values),
        _ => Err(no_series(input)),
    }
}

fn no_series(input: &Decoder<'_>) -> CdrError {
    input.error(CdrErrorKind::Invalid("a packed series ends within a number or has one too large"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla::{ByteOrder, Encoder};

    fn carried(octets: &[u8]) -> CdrResult<Vec<i32>> {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        out.copy_octets(octets).unwrap();
        let octets = out.to_vec();
        unpack(&mut Decoder::new(&octets, ByteOrder::NATIVE))
    }

    #[test]
    fn every_series_arrives() {
        for series in [&[][..], &[0], &[1, 2, 3, 2, 1], &[i32::MIN, i32::MAX, -1, 0, i32::MIN]] {
            assert_eq!(carried(&pack(series)).as_deref(), Ok(series));
        }
    }

    #[test]
    fn what_is_no_series_is_refused() {
        assert!(carried(&[0x80]).is_err());
        assert!(carried(&[0xff; 6]).is_err());
    }
}
