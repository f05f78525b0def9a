//! Calls that are larger than one PDU (C706 12.6.2, "Fragmentation and Reassembly").

use super::header::Flags;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;

/// The parts of `stub`, each at most `room` octets long, with the flags of their PDUs and how many
/// octets there are from the part on. An empty stub has one part.
///
/// `room` is taken down to a multiple of 8, as every part but the last must have.
pub fn fragments(stub: &[u8], room: usize) -> impl Iterator<Item = (Flags, u32, &[u8])> {
    let room = (room & !7).max(8);
    let count = stub.len().div_ceil(room).max(1);
    (0..count).map(move |index| {
        let start = index * room;
        let part = &stub[start..stub.len().min(start + room)];
        let flags =
            Flags::default().with(Flags::FIRST, index == 0).with(Flags::LAST, index + 1 == count);
        (flags, u32::try_from(stub.len() - start).unwrap_or(u32::MAX), part)
    })
}

/// What a [`Reassembly`] holds at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Octets of one stub.
    pub stub: usize,
    /// Octets of all unfinished stubs of the connection.
    pub total: usize,
    /// Unfinished stubs of the connection.
    pub calls: usize,
}

impl Default for Limits {
    /// 4 MiB for one, 8 MiB and 64 calls for all.
    fn default() -> Self {
        Self { stub: 4 << 20, total: 8 << 20, calls: 64 }
    }
}

/// Why a fragment was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fragment {
    /// A first fragment of a call that has begun, or another one of a call that has not.
    Misplaced,
    /// It belongs to another operation, context or object than the first one.
    Different,
    /// The stub, or all of them, would exceed [`Limits`].
    TooLarge,
    /// More calls are unfinished than [`Limits::calls`].
    TooMany,
}

impl fmt::Display for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Misplaced => "a fragment came before the first one, or the first one twice",
            Self::Different => "a fragment belongs to another operation than the first one",
            Self::TooLarge => "the fragments exceed the limit for unfinished calls",
            Self::TooMany => "too many calls are unfinished",
        })
    }
}

impl core::error::Error for Fragment {}

/// Puts stubs together, those of several calls at once. `T` is what all fragments of a call have in
/// common.
#[derive(Debug)]
pub struct Reassembly<T> {
    calls: BTreeMap<u32, (T, Vec<u8>)>,
    total: usize,
    limits: Limits,
}

impl<T: PartialEq> Reassembly<T> {
    /// An empty one.
    pub fn new(limits: Limits) -> Self {
        Self { calls: BTreeMap::new(), total: 0, limits }
    }

    /// Takes a fragment; returns what all have in common and the stub if it was the last one.
    ///
    /// # Errors
    ///
    /// If it does not belong where it came, or is too much. The call is forgotten then.
    pub fn receive(
        &mut self,
        call_id: u32,
        flags: Flags,
        common: T,
        part: &[u8],
    ) -> Result<Option<(T, Vec<u8>)>, Fragment> {
        let mut stub = self.begin(call_id, flags, &common)?;
        if stub.len() + part.len() > self.limits.stub {
            return Err(Fragment::TooLarge);
        }
        stub.extend_from_slice(part);
        if flags.has(Flags::LAST) {
            return Ok(Some((common, stub)));
        }
        if self.total + stub.len() > self.limits.total {
            return Err(Fragment::TooLarge);
        }
        self.total += stub.len();
        self.calls.insert(call_id, (common, stub));
        Ok(None)
    }

    /// What there is of the call so far, taken out.
    fn begin(&mut self, call_id: u32, flags: Flags, common: &T) -> Result<Vec<u8>, Fragment> {
        match (self.take(call_id), flags.has(Flags::FIRST)) {
            (None, true) if self.calls.len() >= self.limits.calls => Err(Fragment::TooMany),
            (None, true) => Ok(Vec::new()),
            (Some((known, _)), false) if known != *common => Err(Fragment::Different),
            (Some((_, stub)), false) => Ok(stub),
            (None, false) | (Some(_), true) => Err(Fragment::Misplaced),
        }
    }

    fn take(&mut self, call_id: u32) -> Option<(T, Vec<u8>)> {
        let call = self.calls.remove(&call_id)?;
        self.total -= call.1.len();
        Some(call)
    }

    /// Forgets a call that will not be finished; returns whether it had begun.
    pub fn abandon(&mut self, call_id: u32) -> bool {
        self.take(call_id).is_some()
    }

    /// What the fragments of a call have in common that has begun; `None` if it has not.
    pub fn common(&self, call_id: u32) -> Option<&T> {
        self.calls.get(&call_id).map(|(common, _)| common)
    }

    /// How many octets of all unfinished calls there are.
    pub fn held(&self) -> usize {
        self.total
    }

    /// One of the calls that have begun.
    pub fn first(&self) -> Option<(u32, &T)> {
        self.calls.first_key_value().map(|(call_id, (common, _))| (*call_id, common))
    }

    /// Whether fragments of any call are missing.
    pub fn is_partial(&self) -> bool {
        !self.calls.is_empty()
    }
}
