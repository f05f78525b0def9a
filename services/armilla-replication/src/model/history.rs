//! What a member writes to its disk, so that a group comes back all of whose members have died.
//!
//! # What must stay true
//!
//! - A member that says that it has a record has it on its disk.
//! - A history on a disk belongs to the *identities* under which its member was in views. It is whole if
//!   the latest view has one of them: members that lack something are taken out before it is replied.
//! - A newcomer that is given a state writes it under no identity, in the place of any older history, and
//!   under its own when it has what was executed up to the view that has it.

use super::codec::{decoded, encoded};
use super::record::{Position, Record};
use super::view::MemberInfo;
use super::world::{Failure, Welcome};
use armilla_cdr::{CdrError, CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};

/// What a member writes to its disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// The state at a place, under these identities; what was written before is not needed.
    Checkpoint(Vec<MemberInfo>, Welcome),
    /// A request that was executed then.
    Record(Record),
    /// The same history belongs to this identity, too.
    Identity(MemberInfo),
}

/// The disk of a member.
pub trait Journal: Send {
    /// Writes. It is on the disk when this returns.
    ///
    /// # Errors
    /// It is not known whether it was written. Nothing more is written then.
    fn keep(&self, kept: &Kept) -> Result<(), Failure>;
}

/// What was found on the disk of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    pub(super) identities: Vec<MemberInfo>,
    pub(super) welcome: Welcome,
    pub(super) records: Vec<Record>,
}

impl History {
    /// Goes on with what is behind a history on the disk; `None` stands for none.
    ///
    /// # Errors
    /// It does not follow what is before it.
    pub fn follow(before: Option<Self>, kept: Kept) -> Result<Option<Self>, Failure> {
        let orphan = || Failure("a record on the disk belongs to no checkpoint".into());
        match kept {
            Kept::Checkpoint(identities, welcome) => {
                Ok(Some(Self { identities, welcome, records: Vec::new() }))
            }
            Kept::Record(record) => {
                let mut history = before.ok_or_else(orphan)?;
                if record.after != history.last() {
                    return Err(Failure(
                        "a record on the disk does not follow the last one".into(),
                    ));
                }
                history.records.push(record);
                Ok(Some(history))
            }
            Kept::Identity(identity) => {
                let mut history = before.ok_or_else(orphan)?;
                history.identities.push(identity);
                Ok(Some(history))
            }
        }
    }

    /// What a member writes that has it.
    pub fn into_kept(self) -> impl Iterator<Item = Kept> {
        let checkpoint = Kept::Checkpoint(self.identities, self.welcome);
        std::iter::once(checkpoint).chain(self.records.into_iter().map(Kept::Record))
    }

    /// How far it has come.
    pub fn last(&self) -> Position {
        self.records.last().map_or(self.welcome.last, |record| record.position)
    }
}

impl Kept {
    /// The octets of it.
    ///
    /// # Errors
    /// When a length does not fit 32 bits.
    pub fn to_octets(&self) -> CdrResult<Vec<u8>> {
        encoded(self)
    }

    /// That of which these are the octets.
    ///
    /// # Errors
    /// When they are not.
    pub fn from_octets(octets: &[u8]) -> Result<Self, CdrError> {
        decoded(octets)
    }
}

impl Encode for MemberInfo {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.name)?;
        out.put_string(&self.object)?;
        out.put_string(&self.peer)
    }
}

impl<'a> Decode<'a> for MemberInfo {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self {
            name: input.string()?.into_owned(),
            object: input.string()?.into_owned(),
            peer: input.string()?.into_owned(),
        })
    }
}

impl Welcome {
    /// The octets of it.
    ///
    /// # Errors
    /// When a length does not fit 32 bits.
    pub fn to_octets(&self) -> CdrResult<Vec<u8>> {
        encoded(self)
    }

    /// That of which these are the octets.
    ///
    /// # Errors
    /// When they are not.
    pub fn from_octets(octets: &[u8]) -> Result<Self, CdrError> {
        decoded(octets)
    }
}

impl Encode for Welcome {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u32(self.view);
        self.last.encode(out)?;
        out.put_sequence(&self.state)?;
        out.put_sequence(&self.log)
    }
}

impl<'a> Decode<'a> for Welcome {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self {
            view: input.u32()?,
            last: Position::decode(input)?,
            state: input.octets()?.to_vec(),
            log: input.octets()?.to_vec(),
        })
    }
}

impl Encode for Kept {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        match self {
            Self::Checkpoint(identities, welcome) => {
                out.put_u8(0);
                out.put_sequence(identities)?;
                welcome.encode(out)
            }
            Self::Record(record) => {
                out.put_u8(1);
                record.encode(out)
            }
            Self::Identity(identity) => {
                out.put_u8(2);
                identity.encode(out)
            }
        }
    }
}

impl<'a> Decode<'a> for Kept {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(match input.u8()? {
            0 => Self::Checkpoint(input.sequence()?, Welcome::decode(input)?),
            1 => Self::Record(Record::decode(input)?),
            2 => Self::Identity(MemberInfo::decode(input)?),
            _ => return Err(input.error(CdrErrorKind::Invalid("not what a member writes"))),
        })
    }
}
