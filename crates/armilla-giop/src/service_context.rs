//! Service contexts: what the two ORBs tell each other beside a request or reply (CORBA 3.4
//! Part 2, 9.7). The contents of a context belong to whoever defines its id.

use armilla_cdr::{ByteOrder, CdrResult, Decoder, Encoder};

/// The id of the context that says in which code sets a connection's characters travel.
pub const CODE_SETS_CONTEXT: u32 = 1;

/// A service context to send or as received. `data` is an encapsulation for every id of the OMG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceContext<'r> {
    /// What the context is about.
    pub id: u32,
    /// Its octets.
    pub data: &'r [u8],
}

/// The service contexts of a received message, read one by one where they lie.
#[derive(Debug, Clone)]
pub struct ServiceContexts<'b> {
    /// Stands at the first context.
    list: Decoder<'b>,
    count: usize,
}

impl<'b> ServiceContexts<'b> {
    /// No contexts.
    pub const EMPTY: Self = Self { list: Decoder::new(&[], ByteOrder::NATIVE), count: 0 };

    /// Walks over a list of contexts, so that `input` stands behind it.
    ///
    /// # Errors
    /// When the octets end before the list does.
    #[inline]
    pub fn decode(input: &mut Decoder<'b>) -> CdrResult<Self> {
        let count = input.length()?;
        if count == 0 {
            return Ok(Self::EMPTY);
        }
        let list = input.clone();
        // Each turn consumes eight octets or fails, so `count` cannot make it long.
        for _ in 0..count {
            context(input)?;
        }
        Ok(Self { list, count })
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The contexts in the order in which they were sent.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = ServiceContext<'b>> + use<'b> {
        let mut input = self.list.clone();
        // `decode` walked the same way without an error.
        (0..self.count).map_while(move |_| context(&mut input).ok())
    }

    /// The data of the first context with this id.
    #[inline]
    pub fn find(&self, id: u32) -> Option<&'b [u8]> {
        self.iter().find(|context| context.id == id).map(|context| context.data)
    }
}

#[inline]
fn context<'b>(input: &mut Decoder<'b>) -> CdrResult<ServiceContext<'b>> {
    Ok(ServiceContext { id: input.u32()?, data: input.octets()? })
}

/// Appends a list of contexts.
///
/// # Errors
/// When a length does not fit 32 bits.
#[inline]
pub fn encode_contexts(out: &mut Encoder<'_>, contexts: &[ServiceContext<'_>]) -> CdrResult {
    out.put_length(contexts.len())?;
    for context in contexts {
        out.put_u32(context.id);
        out.copy_octets(context.data)?;
    }
    Ok(())
}
