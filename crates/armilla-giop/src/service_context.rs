//! Service contexts: data that ORBs attach to requests and replies (CORBA 3.4 Part 2, 9.7). The
//! module that defines the id of a context decodes its data.

use crate::cursor::Cursor;
use armilla_cdr::{ByteOrder, CdrResult, Encoder};

/// The id of the context with the transmission code sets of a connection (`CodeSets`).
pub const CODE_SETS_CONTEXT: u32 = 1;

/// A service context to send or as received. `data` is an encapsulation for every id of the OMG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceContext<'r> {
    /// The id, which determines the meaning.
    pub id: u32,
    /// The data.
    pub data: &'r [u8],
}

/// The service contexts of a received message. They are decoded one by one, without copies.
///
/// ```
/// use armilla_cdr::{ByteOrder, Encoder};
/// use armilla_giop::{
///     Message, MessageHeader, OutgoingRequest, ResponseFlags, ServiceContext, TargetAddress,
///     Version, begin_request, decode_request,
/// };
///
/// const BADGE: u32 = 0x4241_4400;
/// let request = OutgoingRequest {
///     request_id: 7,
///     response: ResponseFlags::Target,
///     target: TargetAddress::Key(b"account"),
///     operation: "deposit",
///     contexts: &[ServiceContext { id: BADGE, data: b"Vega" }],
/// };
/// let mut out = Encoder::new(ByteOrder::NATIVE);
/// begin_request(&mut out, Version::V1_2, &request)?;
/// MessageHeader::finish(&mut out)?;
/// let octets = out.to_vec();
///
/// let message = Message::parse(&octets)?.expect("the message is whole");
/// let (header, _) = decode_request(&message)?;
/// assert_eq!(header.contexts.find(BADGE), Some(&b"Vega"[..]));
/// assert_eq!(header.contexts.iter().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ServiceContexts<'b> {
    /// The contexts, from the first to the end of the last. Nothing in them is aligned to more
    /// than the four octets to which the list is.
    list: &'b [u8],
    order: ByteOrder,
}

impl<'b> ServiceContexts<'b> {
    /// No contexts.
    pub const EMPTY: Self = Self { list: &[], order: ByteOrder::NATIVE };

    /// Walks over a list of contexts, so that `input` stands behind it.
    #[inline]
    pub(crate) fn decode(input: &mut Cursor<'b>) -> CdrResult<Self> {
        match input.u32()? {
            0 => Ok(Self::EMPTY),
            count => Self::walk(input, count),
        }
    }

    #[cold]
    #[inline(never)]
    fn walk(input: &mut Cursor<'b>, count: u32) -> CdrResult<Self> {
        let mut ahead = input.clone();
        // Each turn consumes eight octets or fails, so `count` cannot make it long.
        for _ in 0..count {
            context(&mut ahead)?;
        }
        let list = input.raw(ahead.position() - input.position())?;
        Ok(Self { list, order: input.order() })
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The contexts in the order in which they were sent.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = ServiceContext<'b>> + use<'b> {
        let mut input = Cursor::at(self.list, 0, self.order);
        // `walk` came to the end of the list without an error, so this ends there and not before.
        core::iter::from_fn(move || context(&mut input).ok())
    }

    /// The data of the first context with this id.
    #[inline]
    pub fn find(&self, id: u32) -> Option<&'b [u8]> {
        self.iter().find(|context| context.id == id).map(|context| context.data)
    }
}

impl PartialEq for ServiceContexts<'_> {
    /// The same contexts in the same order; byte order and padding do not matter.
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for ServiceContexts<'_> {}

#[inline]
fn context<'b>(input: &mut Cursor<'b>) -> CdrResult<ServiceContext<'b>> {
    Ok(ServiceContext { id: input.u32()?, data: input.octets()? })
}

/// Appends a list of contexts.
///
/// # Errors
/// When a length does not fit 32 bits.
#[inline]
pub(crate) fn encode_contexts(out: &mut Encoder<'_>, contexts: &[ServiceContext<'_>]) -> CdrResult {
    out.put_length(contexts.len())?;
    for context in contexts {
        out.put_u32(context.id);
        out.copy_octets(context.data)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ORDERS;
    use alloc::vec::Vec;

    fn encoded(order: ByteOrder, contexts: &[ServiceContext<'_>]) -> Vec<u8> {
        let mut out = Encoder::new(order);
        encode_contexts(&mut out, contexts).unwrap();
        out.to_vec()
    }

    #[test]
    fn contexts_are_found_by_id_and_unknown_ones_skipped() {
        for order in ORDERS {
            let contexts = [(7, &b"unknown"[..]), (1, b"code sets"), (9, b"")]
                .map(|(id, data)| ServiceContext { id, data });
            let octets = encoded(order, &contexts);
            let mut input = Cursor::at(&octets, 0, order);
            let list = ServiceContexts::decode(&mut input).unwrap();
            assert_eq!(input.position(), octets.len());
            assert!(list.iter().eq(contexts));
            assert_eq!(list.find(CODE_SETS_CONTEXT), Some(&b"code sets"[..]));
            assert_eq!(list.find(9), Some(&b""[..]));
            assert_eq!(list.find(2), None);
        }
    }

    #[test]
    fn a_count_without_contexts_behind_it_is_refused_before_it_costs_anything() {
        let octets = [0xff; 64];
        assert!(ServiceContexts::decode(&mut Cursor::at(&octets, 0, ByteOrder::Big)).is_err());
        let mut octets = encoded(ByteOrder::Big, &[ServiceContext { id: 1, data: b"abcd" }]);
        octets[3] = 2;
        assert!(ServiceContexts::decode(&mut Cursor::at(&octets, 0, ByteOrder::Big)).is_err());
    }
}
