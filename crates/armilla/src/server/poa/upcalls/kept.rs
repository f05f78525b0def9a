//! Requests that are kept as octets, and executed by servants of other processes.

use armilla_cdr::{ByteOrder, CodeSet, CodeSets};
use armilla_giop::{HEADER_LEN, Message};

/// A request as it has arrived, which the servants of other objects can execute too: those that keep the
/// same state ([`UpcallInfo::keep`](crate::UpcallInfo::keep)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRequest {
    /// The code sets of the connection, and the message behind them.
    octets: Vec<u8>,
}

/// The octets before the message: the numbers of two code sets, and whether lone surrogates are allowed.
const BEFORE: usize = 9;

/// Where the header of a message has its flags, and its size.
const FLAGS: usize = 6;
const SIZE: usize = 8;

impl KeptRequest {
    pub(crate) fn of(message: &Message<'_>, code_sets: CodeSets) -> Option<Self> {
        if !message.is_contiguous() {
            return None;
        }
        let mut octets = Vec::with_capacity(BEFORE + message.octets.len());
        octets.extend(code_sets.char.id().to_le_bytes());
        octets.extend(code_sets.wchar.map_or(0, CodeSet::id).to_le_bytes());
        octets.push(code_sets.lone_surrogates.into());
        octets.extend_from_slice(message.octets);
        // It is whole, however it has come.
        let size = u32::try_from(message.octets.len().checked_sub(HEADER_LEN)?).ok()?;
        let (size, flags) = match message.header.order {
            ByteOrder::Big => (size.to_be_bytes(), 0),
            ByteOrder::Little => (size.to_le_bytes(), 1),
        };
        octets[BEFORE + FLAGS] = flags;
        octets[BEFORE + SIZE..BEFORE + HEADER_LEN].copy_from_slice(&size);
        Some(Self { octets })
    }

    /// The request that was kept as these octets. What they are shows when it is executed.
    pub const fn from_octets(octets: Vec<u8>) -> Self {
        Self { octets }
    }

    /// The octets of it.
    pub fn into_octets(self) -> Vec<u8> {
        self.octets
    }

    /// The code sets of its texts, and the message.
    pub(crate) fn parse(&self) -> Option<(CodeSets, Message<'_>)> {
        let (before, message) = self.octets.split_first_chunk::<BEFORE>()?;
        let [char, wchar] = [0, 4].map(|at| {
            let number = [before[at], before[at + 1], before[at + 2], before[at + 3]];
            u32::from_le_bytes(number)
        });
        let wchar = if wchar == 0 { None } else { Some(CodeSet::from_id(wchar)?) };
        let char = CodeSet::from_id(char)?;
        let code_sets = CodeSets { char, wchar, lone_surrogates: before[BEFORE - 1] != 0 };
        Some((code_sets, Message::parse(message).ok().flatten()?))
    }
}
