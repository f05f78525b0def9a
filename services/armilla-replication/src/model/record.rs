//! What the primary tells its backups of each request: what it has changed, and the reply.

use super::codec::{decoded, encoded};
use armilla_cdr::{CdrError, CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};

/// A place in the history of a group. Two members at the same place have the same state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Position {
    /// The version of the view in which the last request was executed.
    pub view: u32,
    /// The number of requests so far.
    pub number: u64,
}

/// The reply to a request, under the identity of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The client.
    pub client: String,
    /// The number of the request among those of the client.
    pub retention: i32,
    /// Until when the client may send the request again (`TimeBase::TimeT`).
    pub expires: u64,
    /// The status of the reply (`GIOP::ReplyStatusType_1_2`).
    pub status: u32,
    /// The results or the exception, encoded.
    pub body: Vec<u8>,
}

/// What a request has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The difference to the state before.
    Update(Vec<u8>),
    /// The whole state.
    State(Vec<u8>),
    /// Not what it has changed, but the request itself, which every member executes.
    Request(Order),
}

impl Change {
    /// The number of its octets.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Update(octets) | Self::State(octets) => octets.len(),
            Self::Request(order) => order.request.len(),
        }
    }
}

/// A request that all members execute, each itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The request.
    pub request: Vec<u8>,
    /// The [digest](digest) of the primary's reply: the others must reply the same.
    pub digest: u64,
    /// How long the primary took, in nanoseconds.
    pub took: u64,
}

/// What tells replies apart: FNV-1a of the status and the body; 0 if there is none.
pub fn digest(reply: Option<&(u32, Vec<u8>)>) -> u64 {
    let Some((status, body)) = reply else { return 0 };
    let octets = status.to_le_bytes().into_iter().chain(body.iter().copied());
    octets.fold(0xcbf2_9ce4_8422_2325, |hash, octet| {
        (hash ^ u64::from(octet)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A request that the primary has executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The place in the history that it follows.
    pub after: Position,
    /// Its place in the history.
    pub position: Position,
    /// The reply; `None` if the request had no identity. If all members execute the request, each has a
    /// reply of its own, and this one says nothing.
    pub entry: Option<Entry>,
    /// What it has changed.
    pub change: Change,
}

/// The kinds of changes, as octets.
const UPDATE: u8 = 0;
const STATE: u8 = 1;
const REQUEST: u8 = 2;

impl Record {
    /// The octets of the record.
    ///
    /// # Errors
    /// When a length does not fit 32 bits.
    pub fn to_octets(&self) -> CdrResult<Vec<u8>> {
        encoded(self)
    }

    /// The record of which these are the octets.
    ///
    /// # Errors
    /// When they are not those of a record.
    pub fn from_octets(octets: &[u8]) -> Result<Self, CdrError> {
        decoded(octets)
    }
}

impl Encode for Position {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u32(self.view);
        out.put_u64(self.number);
        Ok(())
    }
}

impl<'a> Decode<'a> for Position {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { view: input.u32()?, number: input.u64()? })
    }
}

impl Encode for Entry {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.client)?;
        out.put_i32(self.retention);
        out.put_u64(self.expires);
        out.put_u32(self.status);
        out.put_sequence(&self.body)
    }
}

impl<'a> Decode<'a> for Entry {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self {
            client: input.string()?.into_owned(),
            retention: input.i32()?,
            expires: input.u64()?,
            status: input.u32()?,
            body: input.octets()?.to_vec(),
        })
    }
}

impl Encode for Record {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.after.encode(out)?;
        self.position.encode(out)?;
        out.put_bool(self.entry.is_some());
        if let Some(entry) = &self.entry {
            entry.encode(out)?;
        }
        match &self.change {
            Change::Update(octets) => {
                out.put_u8(UPDATE);
                out.put_sequence(octets)
            }
            Change::State(octets) => {
                out.put_u8(STATE);
                out.put_sequence(octets)
            }
            Change::Request(Order { request, digest, took }) => {
                out.put_u8(REQUEST);
                out.put_u64(*digest);
                out.put_u64(*took);
                out.put_sequence(request)
            }
        }
    }
}

impl<'a> Decode<'a> for Record {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let (after, position) = (Position::decode(input)?, Position::decode(input)?);
        let entry = if input.bool()? { Some(Entry::decode(input)?) } else { None };
        let change = match input.u8()? {
            UPDATE => Change::Update(input.octets()?.to_vec()),
            STATE => Change::State(input.octets()?.to_vec()),
            REQUEST => {
                let (digest, took) = (input.u64()?, input.u64()?);
                Change::Request(Order { request: input.octets()?.to_vec(), digest, took })
            }
            _ => return Err(input.error(CdrErrorKind::Invalid("no kind of change"))),
        };
        if input.remaining() != 0 {
            return Err(input.error(CdrErrorKind::Invalid("octets behind a record")));
        }
        Ok(Self { after, position, entry, change })
    }
}
