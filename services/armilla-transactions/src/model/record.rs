//! What is written to the log.

use super::identity::{GlobalId, Key};
use super::status::Heuristic;
use std::fmt;
use std::sync::Arc;

/// A record of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Of which transaction.
    pub key: Key,
    /// What it says.
    pub kind: Kind,
}

/// What a record says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A subordinate has voted to commit: it is in doubt.
    Prepared {
        /// The identifier that all coordinators share.
        global: GlobalId,
        /// Whom to ask for the outcome.
        superior: Arc<str>,
        /// Those that have voted to commit.
        participants: Vec<Arc<str>>,
    },
    /// The decision to commit.
    Committed {
        /// The identifier that all coordinators share.
        global: GlobalId,
        /// The superior of a subordinate.
        superior: Option<Arc<str>>,
        /// Those that have voted to commit.
        participants: Vec<Arc<str>>,
        /// Whether an operator has decided it, and not the superior.
        by_operator: bool,
    },
    /// An operator has decided to roll back what was in doubt.
    RolledBackByOperator,
    /// Participants have decided on their own: their places in the record before, and what they did.
    Heuristic {
        /// Whether the decision was to commit.
        committed: bool,
        /// The identifier that all coordinators share.
        global: GlobalId,
        /// Their names, and what they did.
        participants: Vec<(Arc<str>, Heuristic)>,
    },
    /// Nothing is left of the transaction.
    End,
}

/// Octets that are no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordError {
    /// Where, from the beginning of the record.
    pub offset: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "octet {} of a record of the transaction log: {}", self.offset, self.what)
    }
}

impl std::error::Error for RecordError {}

/// The first octet of each record: the version of the format.
const VERSION: u8 = 1;

impl Record {
    /// The octets of the record. Lengths are four octets, the least significant first.
    pub fn to_octets(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(128);
        out.push(VERSION);
        out.push(match &self.kind {
            Kind::Prepared { .. } => 1,
            Kind::Committed { .. } => 2,
            Kind::RolledBackByOperator => 3,
            Kind::Heuristic { .. } => 4,
            Kind::End => 5,
        });
        out.extend(self.key.0);
        match &self.kind {
            Kind::Prepared { global, superior, participants } => {
                put_global(&mut out, global);
                put(&mut out, superior.as_bytes());
                put_names(&mut out, participants);
            }
            Kind::Committed { global, superior, participants, by_operator } => {
                put_global(&mut out, global);
                out.push(u8::from(*by_operator) | u8::from(superior.is_some()) << 1);
                put(&mut out, superior.as_deref().unwrap_or_default().as_bytes());
                put_names(&mut out, participants);
            }
            Kind::Heuristic { committed, global, participants } => {
                put_global(&mut out, global);
                out.push(u8::from(*committed));
                out.extend(length(participants.len()));
                for (name, what) in participants {
                    put(&mut out, name.as_bytes());
                    out.push(what.number());
                }
            }
            Kind::RolledBackByOperator | Kind::End => {}
        }
        out
    }

    /// Reads a record.
    ///
    /// # Errors
    /// The octets are no record, or more than one.
    pub fn parse(octets: &[u8]) -> Result<Self, RecordError> {
        let mut reader = Reader { octets, at: 0 };
        if reader.octet()? != VERSION {
            return Err(RecordError { offset: 0, what: "an unknown version of the format" });
        }
        let kind = reader.octet()?;
        let mut key = Key([0; 16]);
        key.0.copy_from_slice(reader.take(16)?);
        let kind = match kind {
            1 => Kind::Prepared {
                global: reader.global()?,
                superior: reader.text()?,
                participants: reader.names()?,
            },
            2 => {
                let (global, flags) = (reader.global()?, reader.flags(3)?);
                let superior = match (reader.text()?, flags & 2 != 0) {
                    (text, true) => Some(text),
                    (text, false) if text.is_empty() => None,
                    _ => return Err(reader.error("a superior that the record says it has not")),
                };
                let (participants, by_operator) = (reader.names()?, flags & 1 != 0);
                Kind::Committed { global, superior, participants, by_operator }
            }
            3 => Kind::RolledBackByOperator,
            4 => {
                let (global, committed) = (reader.global()?, reader.flags(1)? != 0);
                let count = reader.count(5)?;
                let mut participants = Vec::with_capacity(count);
                for _ in 0..count {
                    let (name, number) = (reader.text()?, usize::from(reader.octet()?));
                    let what = Heuristic::ALL.get(number);
                    participants.push((name, *what.ok_or_else(|| reader.error(UNKNOWN))?));
                }
                Kind::Heuristic { committed, global, participants }
            }
            5 => Kind::End,
            _ => return Err(RecordError { offset: 1, what: UNKNOWN }),
        };
        match reader.at == octets.len() {
            true => Ok(Self { key, kind }),
            false => Err(reader.error("there is more than the record")),
        }
    }
}

const UNKNOWN: &str = "a number that has no meaning";

fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

fn put(out: &mut Vec<u8>, octets: &[u8]) {
    out.extend(length(octets.len()));
    out.extend(octets);
}

fn put_global(out: &mut Vec<u8>, global: &GlobalId) {
    out.extend(global.format.to_le_bytes());
    out.extend(global.branch_length.to_le_bytes());
    put(out, &global.octets);
}

fn put_names(out: &mut Vec<u8>, names: &[Arc<str>]) {
    out.extend(length(names.len()));
    names.iter().for_each(|name| put(out, name.as_bytes()));
}

struct Reader<'o> {
    octets: &'o [u8],
    at: usize,
}

impl<'o> Reader<'o> {
    const fn error(&self, what: &'static str) -> RecordError {
        RecordError { offset: self.at, what }
    }

    fn take(&mut self, length: usize) -> Result<&'o [u8], RecordError> {
        let rest = &self.octets[self.at..];
        let taken = rest.get(..length).ok_or_else(|| self.error("the record ends too early"))?;
        self.at += length;
        Ok(taken)
    }

    fn octet(&mut self) -> Result<u8, RecordError> {
        self.take(1).map(|octets| octets[0])
    }

    fn flags(&mut self, all: u8) -> Result<u8, RecordError> {
        let flags = self.octet()?;
        if flags & !all == 0 { Ok(flags) } else { Err(self.error(UNKNOWN)) }
    }

    fn number(&mut self) -> Result<i32, RecordError> {
        let mut number = [0; 4];
        number.copy_from_slice(self.take(4)?);
        Ok(i32::from_le_bytes(number))
    }

    /// How many follow, of which each has so many octets at least.
    fn count(&mut self, least: usize) -> Result<usize, RecordError> {
        let count = usize::try_from(self.number()?).map_err(|_| self.error(UNKNOWN))?;
        let most = (self.octets.len() - self.at) / least;
        if count <= most { Ok(count) } else { Err(self.error("the record ends too early")) }
    }

    fn run(&mut self) -> Result<&'o [u8], RecordError> {
        let length = self.count(1)?;
        self.take(length)
    }

    fn text(&mut self) -> Result<Arc<str>, RecordError> {
        let text = std::str::from_utf8(self.run()?);
        text.map(Arc::from).map_err(|_| self.error("a name is no UTF-8"))
    }

    fn names(&mut self) -> Result<Vec<Arc<str>>, RecordError> {
        (0..self.count(4)?).map(|_| self.text()).collect()
    }

    fn global(&mut self) -> Result<GlobalId, RecordError> {
        let (format, branch_length) = (self.number()?, self.number()?);
        Ok(GlobalId { format, branch_length, octets: self.run()?.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Record> {
        let global = GlobalId { format: 7, branch_length: 1, octets: vec![1, 2, 3] };
        let participants = vec![Arc::from("IOR:00"), Arc::from("bank")];
        let superior: Arc<str> = Arc::from("IOR:01");
        let kinds = [
            Kind::Prepared {
                global: global.clone(),
                superior: superior.clone(),
                participants: participants.clone(),
            },
            Kind::Committed {
                global: global.clone(),
                superior: Some(superior),
                participants,
                by_operator: true,
            },
            Kind::RolledBackByOperator,
            Kind::Heuristic {
                committed: true,
                global,
                participants: vec![("a".into(), Heuristic::Hazard)],
            },
            Kind::End,
        ];
        kinds.into_iter().map(|kind| Record { key: Key([9; 16]), kind }).collect()
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        for record in all() {
            assert_eq!(Record::parse(&record.to_octets()), Ok(record));
        }
    }

    #[test]
    fn a_record_that_was_cut_or_prolonged_is_none() {
        for record in all() {
            let octets = record.to_octets();
            for end in 0..octets.len() {
                assert!(Record::parse(&octets[..end]).is_err(), "{record:?} up to {end}");
            }
            assert!(Record::parse(&[&octets[..], &[0]].concat()).is_err());
        }
    }
}
