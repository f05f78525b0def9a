//! What travels with requests: propagation contexts (Transaction Service 1.4, 2.15).

use crate::corba::{CoordinatorRef, OtidT, PropagationContext, TerminatorRef, TransIdentity};
use crate::model::GlobalId;
use armilla::interceptor::Codec;
use armilla::{Any, ByteOrder, Completion, Decode, Decoder, Orb, SystemException, Version};
use std::time::Duration;

/// The service context of the OMG.
pub(crate) const OMG: u32 = 0;
/// That of Arjuna, and so of Narayana and WildFly.
pub(crate) const ARJUNA: u32 = 0xDEAD_BEEF;

/// The longest identifier that is taken: that of an XA transaction has 128 octets.
const LONGEST: usize = 1024;

/// A transaction of which a request tells.
#[derive(Debug, Clone)]
pub(crate) struct Incoming {
    /// How much time it has left; `None` if it has no limit.
    pub(crate) left: Option<Duration>,
    pub(crate) coordinator: CoordinatorRef,
    pub(crate) global: GlobalId,
}

impl Incoming {
    /// Reads a context. `None` if it says that there is no transaction.
    ///
    /// # Errors
    /// `MARSHAL` if it is no context.
    pub(crate) fn parse(data: &[u8], orb: &Orb) -> Result<Option<Self>, SystemException> {
        let malformed = |error| SystemException::decoding(&error, Completion::No);
        let order = ByteOrder::from_flag(data.first().copied().unwrap_or_default());
        let mut input = Decoder::at(data, 1, order).with_context(orb);
        // What is behind the current transaction is of no use here, and some peers put there what
        // only they can read.
        let timeout = u32::decode(&mut input).map_err(malformed)?;
        let current = TransIdentity::decode(&mut input).map_err(malformed)?;
        Ok(Self::new(timeout, current))
    }

    pub(crate) fn new(timeout: u32, current: TransIdentity) -> Option<Self> {
        let TransIdentity { coord, otid, .. } = current;
        if coord.is_nil() || otid.tid.is_empty() || otid.tid.len() > LONGEST {
            return None;
        }
        let left = (timeout > 0).then(|| Duration::from_secs(timeout.into()));
        Some(Self { left, coordinator: coord, global: global(otid) })
    }
}

fn global(otid: OtidT) -> GlobalId {
    let OtidT { format_id: format, bqual_length: branch_length, tid: octets } = otid;
    GlobalId { format, branch_length, octets }
}

/// The context of a transaction, with the time that is left in seconds, rounded up.
pub(crate) fn context(
    coordinator: CoordinatorRef,
    terminator: TerminatorRef,
    global: &GlobalId,
    left: Option<Duration>,
) -> PropagationContext {
    let GlobalId { format, branch_length, octets } = global.clone();
    let otid = OtidT { format_id: format, bqual_length: branch_length, tid: octets };
    PropagationContext {
        timeout: seconds(left),
        current: TransIdentity { coord: coordinator, term: terminator, otid },
        parents: Vec::new(),
        implementation_specific_data: Any::default(),
    }
}

/// The octets of a context, in which [`set_time`] sets the time.
pub(crate) fn encode(context: &PropagationContext) -> Result<Vec<u8>, SystemException> {
    let value =
        Any::new(context).map_err(|error| SystemException::encoding(&error, Completion::No))?;
    Codec::new(Version::V1_2).encode_value(&value)
}

/// Sets the time that is left in an encoded context: its first member, behind the byte order.
pub(crate) fn set_time(encoded: &mut [u8], left: Option<Duration>) {
    let order = encoded.first().copied().unwrap_or_default();
    if let Some(place) = encoded.get_mut(4..8) {
        let left = seconds(left);
        place.copy_from_slice(&match order {
            0 => left.to_be_bytes(),
            _ => left.to_le_bytes(),
        });
    }
}

/// Whole seconds, at least one: 0 would be no limit.
fn seconds(left: Option<Duration>) -> u32 {
    left.map_or(0, |left| {
        let whole = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        u32::try_from(whole.max(1)).unwrap_or(u32::MAX)
    })
}

/// Reads a context and throws it away, for tests with arbitrary octets.
#[doc(hidden)]
pub fn check_context(data: &[u8], orb: &Orb) -> bool {
    Incoming::parse(data, orb).is_ok()
}
