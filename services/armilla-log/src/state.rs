//! What a log knows besides its records: its identity, where it begins, and how far its consumers
//! are. It is a small file that is replaced as a whole, and has everything twice.

use crate::Damage;
use crate::LogError;
use crate::files::{Files, LogFile};
use crc32c::crc32c;
use std::collections::BTreeMap;

/// The name of the file.
pub(crate) const NAME: &str = "state";

const NEW: &str = "state.new";
const MAGIC: &[u8; 8] = b"armstat\x01";

/// The longest file that is read: 10,000 consumers with names of 200 octets, twice.
const MOST: u64 = 8 << 20;

/// What a log knows besides its records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct State {
    pub(crate) log: u64,
    /// Whether the log was made to the end. Otherwise nobody was given it.
    pub(crate) is_made: bool,
    /// The number of the first segment.
    pub(crate) first: u64,
    /// Up to which position each consumer has everything, by name.
    pub(crate) consumers: BTreeMap<String, u64>,
}

impl State {
    fn encode(&self) -> Vec<u8> {
        let mut octets = MAGIC.to_vec();
        octets.extend_from_slice(&self.log.to_le_bytes());
        octets.extend_from_slice(&u64::from(self.is_made).to_le_bytes());
        octets.extend_from_slice(&self.first.to_le_bytes());
        octets.extend_from_slice(&(self.consumers.len() as u32).to_le_bytes());
        for (name, position) in &self.consumers {
            octets.extend_from_slice(&(name.len() as u32).to_le_bytes());
            octets.extend_from_slice(name.as_bytes());
            octets.extend_from_slice(&position.to_le_bytes());
        }
        let sum = crc32c(&octets);
        octets.extend_from_slice(&sum.to_le_bytes());
        octets
    }

    /// The octets of its file.
    pub(crate) fn twice(&self) -> Vec<u8> {
        self.encode().repeat(2)
    }

    fn decode(octets: &[u8]) -> Option<Self> {
        let (content, sum) = octets.split_last_chunk::<4>()?;
        if crc32c(content).to_le_bytes() != *sum {
            return None;
        }
        let mut rest = content.strip_prefix(MAGIC)?;
        let mut take = |count: usize| {
            let (taken, behind) = rest.split_at_checked(count)?;
            rest = behind;
            Some(taken)
        };
        let mut number = || Some(u64::from_le_bytes(*take(8)?.first_chunk()?));
        let (log, is_made, first) = (number()?, number()? != 0, number()?);
        let count = u32::from_le_bytes(*take(4)?.first_chunk()?);
        let mut consumers = BTreeMap::new();
        for _ in 0..count {
            let length = u32::from_le_bytes(*take(4)?.first_chunk()?);
            let name = str::from_utf8(take(length as usize)?).ok()?.to_owned();
            consumers.insert(name, u64::from_le_bytes(*take(8)?.first_chunk()?));
        }
        rest.is_empty().then_some(Self { log, is_made, first, consumers })
    }

    /// Puts it in the place of the one on the disk.
    ///
    /// # Errors
    /// The old one is there; after a failure of the disk it may be the new one.
    pub(crate) fn write<F: Files>(&self, files: &F) -> Result<(), LogError> {
        let failed = |error| files.error(NAME, "cannot be replaced", &error);
        let file = files.create(NEW).map_err(failed)?;
        file.write_all_at(&self.twice(), 0).map_err(failed)?;
        file.sync().map_err(failed)?;
        files.rename(NEW, NAME).map_err(failed)
    }

    /// Reads it. With it comes what is damaged but was there twice.
    ///
    /// # Errors
    /// It cannot be read, or both copies are damaged.
    pub(crate) fn read<F: Files>(files: &F) -> Result<(Self, Option<Damage>), LogError> {
        let failed = |error| files.error(NAME, "cannot be read", &error);
        let damage = |offset, what| Damage::of_file(files.path().join(NAME), offset, what);
        let file = files.open(NAME).map_err(failed)?;
        let length = file.length().map_err(failed)?;
        if length > MOST {
            return Err(damage(MOST, "it is longer than it can be").into());
        }
        let mut octets = vec![0; length as usize];
        let read = file.read_at(&mut octets, 0).map_err(failed)?;
        octets.truncate(read);
        Self::of_copies(&octets)
            .map(|(state, wrong)| {
                (state, wrong.map(|offset| damage(offset, "one of its two copies is damaged")))
            })
            .ok_or_else(|| damage(0, "both of its copies are damaged").into())
    }

    /// The state by its two copies, and where one is damaged.
    pub(crate) fn of_copies(octets: &[u8]) -> Option<(Self, Option<u64>)> {
        let (first, second) = octets.split_at(octets.len() / 2);
        match (Self::decode(first), Self::decode(second)) {
            (Some(state), Some(copy)) if state == copy => Some((state, None)),
            (Some(state), _) => Some((state, Some(first.len() as u64))),
            (None, Some(state)) => Some((state, Some(0))),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::State;

    #[test]
    fn one_damaged_copy_does_no_harm_and_is_found() {
        let consumers = [("a consumer".to_owned(), 4096), (String::new(), 0)].into();
        let state = State { log: 5, is_made: true, first: 3, consumers };
        let octets = [state.encode(), state.encode()].concat();
        assert_eq!(State::of_copies(&octets), Some((state.clone(), None)));
        for bit in 0..octets.len() * 8 {
            let mut octets = octets.clone();
            octets[bit / 8] ^= 1 << (bit % 8);
            let (read, damage) = State::of_copies(&octets).expect("the other copy is good");
            assert_eq!(read, state);
            assert!(damage.is_some(), "bit {bit}");
        }
    }
}
