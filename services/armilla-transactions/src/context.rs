//! What travels with requests: propagation contexts (Transaction Service 1.4, 2.15).

use crate::corba::{CoordinatorRef, OtidT, PropagationContext, TerminatorRef, TransIdentity};
use crate::model::{GlobalId, GlobalRef, common};
use armilla::interceptor::Codec;
use armilla::{
    Any, ByteOrder, CdrError, CdrResult, Completion, Decode, Decoder, Orb, SystemException, Version,
};
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
    pub(crate) fn new(timeout: u32, current: TransIdentity) -> Option<Self> {
        let TransIdentity { coord, otid, .. } = current;
        if coord.is_nil() || otid.tid.is_empty() || otid.tid.len() > LONGEST {
            return None;
        }
        Some(Self { left: time(timeout), coordinator: coord, global: global(otid) })
    }
}

/// A context of which only the identifier was read: who knows the transaction needs no more, and
/// references take long to read.
#[derive(Debug)]
pub(crate) struct Skimmed<'d> {
    otid: Otid<'d>,
    left: Option<Duration>,
    data: &'d [u8],
}

/// An identifier: its format, how many octets tell branches apart, and its octets.
type Otid<'d> = (i32, i32, &'d [u8]);

impl<'d> Skimmed<'d> {
    /// Reads a context. `None` if it says that there is no transaction.
    ///
    /// # Errors
    /// `MARSHAL` if it is no context.
    pub(crate) fn parse(data: &'d [u8]) -> Result<Option<Self>, SystemException> {
        let skim = || -> CdrResult<Option<Self>> {
            let mut input = open(data);
            let left = time(input.u32()?);
            let has_coordinator = skip_reference(&mut input)?;
            let _terminator = skip_reference(&mut input)?;
            // What is behind the current transaction is of no use here, and some peers put there what
            // only they can read.
            let otid = (input.i32()?, input.i32()?, input.octets()?);
            let is_one = has_coordinator && (1..=LONGEST).contains(&otid.2.len());
            Ok(is_one.then_some(Self { otid, left, data }))
        };
        skim().map_err(malformed)
    }

    /// What the branches of the transaction have in common.
    pub(crate) fn global(&self) -> GlobalRef<'d> {
        let (format, branch_length, octets) = self.otid;
        common(format, branch_length, octets)
    }

    /// Reads the rest.
    ///
    /// # Errors
    /// `MARSHAL` if there is no reference to the coordinator.
    pub(crate) fn read(self, orb: &Orb) -> Result<Incoming, SystemException> {
        let mut input = open(self.data).with_context(orb);
        let coordinator = input.u32().and_then(|_| CoordinatorRef::decode(&mut input));
        let coordinator = coordinator.map_err(malformed)?;
        let (format, branch_length, octets) = self.otid;
        let global = GlobalId { format, branch_length, octets: octets.to_vec() };
        Ok(Incoming { left: self.left, coordinator, global })
    }
}

fn open(data: &[u8]) -> Decoder<'_> {
    let order = ByteOrder::from_flag(data.first().copied().unwrap_or_default());
    Decoder::at(data, 1, order)
}

fn malformed(error: CdrError) -> SystemException {
    SystemException::decoding(&error, Completion::No)
}

/// Passes over a reference: its type, and its profiles. Returns whether it is one to an object.
fn skip_reference(input: &mut Decoder<'_>) -> CdrResult<bool> {
    input.octets()?;
    let profiles = input.length()?;
    for _ in 0..profiles {
        input.u32()?;
        input.octets()?;
    }
    Ok(profiles > 0)
}

fn time(seconds: u32) -> Option<Duration> {
    (seconds > 0).then(|| Duration::from_secs(seconds.into()))
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
    Skimmed::parse(data).is_ok_and(|it| it.is_none_or(|it| it.read(orb).is_ok()))
}
