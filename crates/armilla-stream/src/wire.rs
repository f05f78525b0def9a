//! What the two sides tell each other on the connection of a flow, beside the octets that flow.
//!
//! The side that connects sends a [`Greeting`], the side that listens an [`Answer`]. Then the octets
//! come from the producer: as they are if their number was agreed on, else in chunks, each behind
//! its length (4 octets, at most [`MAX_CHUNK`]), of which an empty one is the last. Then the producer
//! sends a [`Trailer`], and the consumer a [`Receipt`]. All numbers are big-endian.
//!
//! If both sides have said that they keep the connection, a receipt of [`Outcome::Complete`] does
//! not end it: the next greeting, with another token, may follow. Either side may close it at any
//! time between two flows.
//!
//! This module does no input or output.

use crate::Token;
use std::fmt;

/// The version of the protocol.
const VERSION: u8 = 1;

/// The most octets of a chunk.
pub const MAX_CHUNK: u32 = 1 << 20;

/// What a side of a flow sent that no side may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// These octets do not begin a message of this protocol.
    Magic([u8; 4]),
    /// The peer has another version of the protocol.
    Version(u8),
    /// A field has a value without meaning.
    Field(&'static str, u8),
    /// A chunk is larger than [`MAX_CHUNK`].
    Chunk(u32),
    /// The peer counted other octets than came.
    Count {
        /// What the peer counted.
        told: u64,
        /// What came.
        found: u64,
    },
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic(found) => {
                write!(f, "\"{}\" begins no message of a flow", found.escape_ascii())
            }
            Self::Version(found) => write!(f, "it speaks version {found}, and not {VERSION}"),
            Self::Field(name, value) => write!(f, "{value} is no {name}"),
            Self::Chunk(size) => write!(f, "a chunk of {size} octets exceeds {MAX_CHUNK}"),
            Self::Count { told, found } => write!(f, "it counted {told} octets where {found} are"),
        }
    }
}

impl std::error::Error for WireError {}

/// The first message: the side that connects shows its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// The token of the endpoint.
    pub token: Token,
    /// Where the flow begins in the whole.
    pub offset: u64,
    /// Whether the side that connects would keep the connection after a complete flow.
    pub keep: bool,
}

/// What the side that listens says to a [`Greeting`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The flow begins.
    Welcome,
    /// Nobody waits for this token: it is wrong, was used, or its time is up.
    UnknownToken,
    /// The flow was agreed to begin elsewhere.
    WrongOffset,
    /// The listener has as many connections as it may have.
    Busy,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Welcome => "welcome",
            Self::UnknownToken => "the token is unknown, was used, or its time is up",
            Self::WrongOffset => "the flow was agreed to begin elsewhere",
            Self::Busy => "it has as many flows as it may have",
        })
    }
}

/// The answer to a [`Greeting`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Whether the flow begins.
    pub verdict: Verdict,
    /// Where it begins.
    pub offset: u64,
    /// How many octets the whole has, or [`UNKNOWN_SIZE`](crate::UNKNOWN_SIZE).
    pub size: u64,
    /// Whether the connection stays open after a complete flow, for the next greeting.
    pub keep: bool,
}

/// How a side sees the end of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Everything was sent, or has arrived.
    Complete,
    /// It was cancelled.
    Cancelled,
    /// The checksum does not match.
    Damaged,
}

/// What the producer says behind the octets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trailer {
    /// How the producer sees the end.
    pub outcome: Outcome,
    /// How many octets this flow had.
    pub count: u64,
    /// The checksum of these octets: none, 4 octets (CRC-32) or 32 (SHA-256).
    pub digest: Vec<u8>,
}

/// What the consumer says at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// How the consumer sees the end.
    pub outcome: Outcome,
    /// How many octets arrived.
    pub count: u64,
}

impl Greeting {
    /// How many octets it has.
    pub const LENGTH: usize = 48;

    /// Its octets.
    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let mut octets = [0; Self::LENGTH];
        put_head(&mut octets, b"AFLG", self.keep.into());
        octets[8..40].copy_from_slice(self.token.octets());
        octets[40..].copy_from_slice(&self.offset.to_be_bytes());
        octets
    }

    /// Reads it.
    ///
    /// # Errors
    /// It is of another protocol or version.
    pub fn decode(octets: &[u8; Self::LENGTH]) -> Result<Self, WireError> {
        let keep = take_head(octets, b"AFLG")? & 1 == 1;
        let mut token = [0; Token::LENGTH];
        token.copy_from_slice(&octets[8..40]);
        let token = Token::from_octets(&token).ok_or(WireError::Field("token", 0))?;
        Ok(Self { token, offset: number(octets, 40), keep })
    }
}

impl Answer {
    /// How many octets it has.
    pub const LENGTH: usize = 24;

    /// Its octets.
    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let verdict = match self.verdict {
            Verdict::Welcome => 0,
            Verdict::UnknownToken => 1,
            Verdict::WrongOffset => 2,
            Verdict::Busy => 3,
        };
        let mut octets = [0; Self::LENGTH];
        put_head(&mut octets, b"AFLA", verdict);
        octets[6] = self.keep.into();
        octets[8..16].copy_from_slice(&self.offset.to_be_bytes());
        octets[16..].copy_from_slice(&self.size.to_be_bytes());
        octets
    }

    /// Reads it.
    ///
    /// # Errors
    /// It is of another protocol or version, or its verdict has no meaning.
    pub fn decode(octets: &[u8; Self::LENGTH]) -> Result<Self, WireError> {
        let verdict = match take_head(octets, b"AFLA")? {
            0 => Verdict::Welcome,
            1 => Verdict::UnknownToken,
            2 => Verdict::WrongOffset,
            3 => Verdict::Busy,
            other => return Err(WireError::Field("verdict", other)),
        };
        let keep = octets[6] & 1 == 1;
        Ok(Self { verdict, offset: number(octets, 8), size: number(octets, 16), keep })
    }
}

impl Trailer {
    /// How many octets it has.
    pub const LENGTH: usize = 48;

    /// Its octets. A checksum of another length than 0, 4 or 32 octets is left out.
    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let mut octets = [0; Self::LENGTH];
        put_head(&mut octets, b"AFLT", self.outcome.encode());
        octets[8..16].copy_from_slice(&self.count.to_be_bytes());
        if matches!(self.digest.len(), 4 | 32) {
            octets[6] = self.digest.len() as u8;
            octets[16..16 + self.digest.len()].copy_from_slice(&self.digest);
        }
        octets
    }

    /// Reads it.
    ///
    /// # Errors
    /// It is of another protocol or version, or a field has no meaning.
    pub fn decode(octets: &[u8; Self::LENGTH]) -> Result<Self, WireError> {
        let outcome = Outcome::decode(take_head(octets, b"AFLT")?)?;
        let length = octets[6];
        if !matches!(length, 0 | 4 | 32) {
            return Err(WireError::Field("length of a checksum", length));
        }
        let digest = octets[16..16 + usize::from(length)].to_vec();
        Ok(Self { outcome, count: number(octets, 8), digest })
    }
}

impl Receipt {
    /// How many octets it has.
    pub const LENGTH: usize = 16;

    /// Its octets.
    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let mut octets = [0; Self::LENGTH];
        put_head(&mut octets, b"AFLR", self.outcome.encode());
        octets[8..].copy_from_slice(&self.count.to_be_bytes());
        octets
    }

    /// Reads it.
    ///
    /// # Errors
    /// It is of another protocol or version, or its outcome has no meaning.
    pub fn decode(octets: &[u8; Self::LENGTH]) -> Result<Self, WireError> {
        let outcome = Outcome::decode(take_head(octets, b"AFLR")?)?;
        Ok(Self { outcome, count: number(octets, 8) })
    }
}

impl Outcome {
    const fn encode(self) -> u8 {
        match self {
            Self::Complete => 0,
            Self::Cancelled => 1,
            Self::Damaged => 2,
        }
    }

    const fn decode(octet: u8) -> Result<Self, WireError> {
        Ok(match octet {
            0 => Self::Complete,
            1 => Self::Cancelled,
            2 => Self::Damaged,
            other => return Err(WireError::Field("outcome", other)),
        })
    }
}

/// Reads the length of a chunk.
///
/// # Errors
/// It is larger than [`MAX_CHUNK`].
pub const fn decode_chunk(octets: [u8; 4]) -> Result<u32, WireError> {
    match u32::from_be_bytes(octets) {
        size if size > MAX_CHUNK => Err(WireError::Chunk(size)),
        size => Ok(size),
    }
}

/// Magic, version and one field, in 8 octets of which the rest is zero.
fn put_head(octets: &mut [u8], magic: &[u8; 4], field: u8) {
    octets[..4].copy_from_slice(magic);
    octets[4] = VERSION;
    octets[5] = field;
}

/// The field behind magic and version. What is zero today is not looked at.
fn take_head(octets: &[u8], magic: &[u8; 4]) -> Result<u8, WireError> {
    match octets {
        [a, b, c, d, version, field, ..] if [*a, *b, *c, *d] == *magic => match *version {
            VERSION => Ok(*field),
            other => Err(WireError::Version(other)),
        },
        [a, b, c, d, ..] => Err(WireError::Magic([*a, *b, *c, *d])),
        _ => Err(WireError::Magic([0; 4])),
    }
}

fn number(octets: &[u8], at: usize) -> u64 {
    octets[at..at + 8].iter().fold(0, |number, octet| number << 8 | u64::from(*octet))
}
