//! What travels with requests: propagation contexts (Transaction Service 1.4, 2.15).

use crate::corba::{CoordinatorRef, OtidT, PropagationContext, TerminatorRef, TransIdentity};
use crate::model::{GlobalId, GlobalRef, common};
use armilla::interceptor::Codec;
use armilla::{
    Any, ByteOrder, CdrError, CdrResult, Completion, Decode, Decoder, ExceptionKind, Orb,
    SystemException, Version,
};
use std::time::Duration;

/// The service context of the OMG.
pub(crate) const OMG: u32 = 0;
/// That of Arjuna, and so of Narayana and WildFly.
pub(crate) const ARJUNA: u32 = 0xDEAD_BEEF;

/// How deep subtransactions are that are taken.
pub(crate) const DEEPEST: usize = 64;

/// The longest identifier that is taken: that of an XA transaction has 128 octets.
const LONGEST: usize = 1024;

/// A transaction of which a request tells.
#[derive(Debug, Clone)]
pub(crate) struct Incoming {
    /// How much time it has left; `None` if it has no limit.
    pub(crate) left: Option<Duration>,
    pub(crate) coordinator: CoordinatorRef,
    pub(crate) global: GlobalId,
    /// Those of which it is a part: the nearest first, the whole transaction last.
    pub(crate) parents: Vec<(CoordinatorRef, GlobalId)>,
}

impl Incoming {
    /// What a context tells. `None` if it is of no transaction.
    pub(crate) fn new(context: PropagationContext) -> Option<Self> {
        let (coordinator, global) = identity(context.current)?;
        let parents = context.parents.into_iter().map(identity).collect::<Option<Vec<_>>>()?;
        if parents.len() > DEEPEST {
            return None;
        }
        Some(Self { left: time(context.timeout), coordinator, global, parents })
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
            // What is behind the current transaction is of no use here.
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
        // Some peers put behind the parents what only they can read.
        let mut read = || -> CdrResult<_> {
            input.u32()?;
            let current = TransIdentity::decode(&mut input)?;
            Ok((current.coord, Vec::<TransIdentity>::decode(&mut input)?))
        };
        let (coordinator, parents) = read().map_err(malformed)?;
        let parents = parents.into_iter().map(identity).collect::<Option<Vec<_>>>();
        let parents = parents.filter(|it| it.len() <= DEEPEST).ok_or_else(|| {
            ExceptionKind::InvalidTransaction
                .because("a transaction above this one has no identifier")
        })?;
        let (format, branch_length, octets) = self.otid;
        let global = GlobalId { format, branch_length, octets: octets.to_vec() };
        Ok(Incoming { left: self.left, coordinator, global, parents })
    }
}

/// The coordinator and the identifier of a transaction, if it is one.
fn identity(identity: TransIdentity) -> Option<(CoordinatorRef, GlobalId)> {
    let TransIdentity { coord, otid, .. } = identity;
    let is_one = !coord.is_nil() && (1..=LONGEST).contains(&otid.tid.len());
    is_one.then(|| (coord, global(otid)))
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

pub(crate) fn global(otid: OtidT) -> GlobalId {
    let OtidT { format_id: format, bqual_length: branch_length, tid: octets } = otid;
    GlobalId { format, branch_length, octets }
}

/// What a context says of a transaction.
pub(crate) fn identify(
    coord: CoordinatorRef,
    term: TerminatorRef,
    global: &GlobalId,
) -> TransIdentity {
    let GlobalId { format, branch_length, octets } = global.clone();
    TransIdentity {
        coord,
        term,
        otid: OtidT { format_id: format, bqual_length: branch_length, tid: octets },
    }
}

/// The context of a transaction, with the time that is left in seconds, rounded up, and those of which it
/// is a part.
pub(crate) fn context(
    current: TransIdentity,
    parents: Vec<TransIdentity>,
    left: Option<Duration>,
) -> PropagationContext {
    let implementation_specific_data = Any::default();
    PropagationContext { timeout: seconds(left), current, parents, implementation_specific_data }
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
