//! Requests above the limit: their heads are read, so that the client gets a reply, and the rest is
//! skipped, so that the connection can go on.

use super::{Framer, INITIAL};
use crate::{HEADER_LEN, HeaderError, MessageHeader, MessageKind, Version};
use armilla_cdr::{CdrResult, Decoder};

/// How many octets behind the header are looked at for the request id. Before GIOP 1.2 service
/// contexts precede it.
const HEAD: usize = 4096;

/// A request that is larger than the limit, and that the framer skips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OversizedRequest {
    /// The version of the request, and so of the reply.
    pub version: Version,
    /// The id by which the client knows the reply.
    pub request_id: u32,
    /// Whether the client waits for a reply.
    pub response_expected: bool,
    /// Whether [`Framer::refuse_incomplete`] is the reason, and not the size of the request.
    pub refused: bool,
}

/// What has become of a message above the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// A request is skipped, and has to be answered.
    Request(OversizedRequest),
    /// A further fragment of a request that was skipped before.
    Remainder,
    /// The request id has not arrived yet: more octets are needed.
    Incomplete,
}

impl Framer {
    /// Treats the request that is incomplete as one above the limit: [`take`](Self::take) or
    /// [`next`](Self::next) returns [`HeaderError::TooLarge`] for it, so that it can be
    /// [skipped](Self::skip_oversized) and its memory becomes free. `false` if they do so only when
    /// more octets have arrived: the next fragment of a request, or nothing if there is no request.
    #[cold]
    pub fn refuse_incomplete(&mut self) -> bool {
        let front = self.buffer.get(self.start..self.end).and_then(<[u8]>::first_chunk);
        let kind = front.and_then(|front| MessageHeader::decode(front).ok()).map(|it| it.kind);
        let in_front = match kind {
            Some(MessageKind::Request) => self.expected_memory() > self.fragments_memory(),
            kind => kind == Some(MessageKind::Fragment),
        };
        self.refuses = match in_front {
            true => kind,
            false => self.reassembly.is_open().then_some(MessageKind::Fragment),
        };
        in_front
    }

    /// Whether the message with this header is to be skipped whatever its size.
    #[inline]
    pub(super) fn refuses(&self, header: MessageHeader) -> bool {
        self.refuses == Some(header.kind)
    }

    /// Skips the message for which [`take`](Self::take) or [`next`](Self::next) has returned
    /// [`HeaderError::TooLarge`]: later messages can be read then, and no more memory is used.
    /// While the request id has not arrived, `take` returns the error again.
    ///
    /// # Errors
    /// The error, when the message is no request or its id cannot be read, or when it came in
    /// fragments of GIOP 1.1, which do not name their request. Nothing can be read after it.
    #[cold]
    pub fn skip_oversized(&mut self, error: HeaderError) -> Result<Skipped, HeaderError> {
        let skipped = self.skip(error)?;
        if skipped != Skipped::Incomplete {
            self.refuses = None;
        }
        Ok(skipped)
    }

    fn skip(&mut self, error: HeaderError) -> Result<Skipped, HeaderError> {
        let arrived = &self.buffer[self.start..self.end];
        let header = MessageHeader::decode(arrived.first_chunk().ok_or(error)?)?;
        let size = header.size as usize;
        let refused = self.refuses(header);
        if size <= self.max_message && !refused {
            return self.skip_fragmented(header, error).map(Skipped::Request);
        }
        if header.kind == MessageKind::Fragment && header.version >= Version::V1_2 {
            return self.skip_fragment(header, error);
        }
        if header.kind != MessageKind::Request {
            return Err(error);
        }
        let wanted = HEADER_LEN + size.min(HEAD);
        match head(header, arrived) {
            Ok((request_id, response_expected)) => {
                self.skipped = size;
                let version = header.version;
                let request = OversizedRequest { version, request_id, response_expected, refused };
                Ok(Skipped::Request(request))
            }
            Err(_) if arrived.len() < wanted => {
                self.needed = wanted;
                Ok(Skipped::Incomplete)
            }
            Err(_) => Err(error),
        }
    }

    /// The version of the message with which an error has to do: that of the header in front, or
    /// 1.0, which every peer understands, if there is none.
    pub fn failed_version(&self) -> Version {
        let first = self.buffer.get(self.start..self.end).and_then(<[u8]>::first_chunk);
        let header = first.and_then(|first| MessageHeader::decode(first).ok());
        header.map_or(Version::V1_0, |header| header.version)
    }

    /// Skips a fragment that is above the limit by itself, and drops the request to which it belongs,
    /// unless that was refused before.
    fn skip_fragment(
        &mut self,
        header: MessageHeader,
        error: HeaderError,
    ) -> Result<Skipped, HeaderError> {
        let arrived = &self.buffer[self.start..self.end];
        let Ok(request_id) = Decoder::at(arrived, HEADER_LEN, header.order).u32() else {
            self.needed = HEADER_LEN + size_of::<u32>();
            return Ok(Skipped::Incomplete);
        };
        let size = header.size as usize;
        let skipped = match self.reassembly.drop_open(request_id) {
            Some((open, octets)) if open.kind == MessageKind::Request => {
                let (_, response_expected) = head(open, octets.octets()).map_err(|_| error)?;
                let version = header.version;
                let refused = self.refuses(header);
                Skipped::Request(OversizedRequest {
                    version,
                    request_id,
                    response_expected,
                    refused,
                })
            }
            Some(_) => return Err(error),
            None => Skipped::Remainder,
        };
        self.reassembly.count_ignored(header, size)?;
        self.skipped = size;
        Ok(skipped)
    }

    /// Drops the message to which the fragment at the start belongs. Its further fragments are
    /// dropped as those of a cancelled request are.
    fn skip_fragmented(
        &mut self,
        header: MessageHeader,
        error: HeaderError,
    ) -> Result<OversizedRequest, HeaderError> {
        let length = HEADER_LEN + header.size as usize;
        let octets = self.buffer.get(self.start..self.start + length).ok_or(error)?;
        if header.version < Version::V1_2 {
            return Err(error);
        }
        let (request_id, response_expected) = match header.kind {
            MessageKind::Request => head(header, octets).map_err(|_| error)?,
            MessageKind::Fragment => {
                let id = Decoder::at(octets, HEADER_LEN, header.order).u32().map_err(|_| error)?;
                match self.reassembly.drop_open(id) {
                    Some((open, octets)) if open.kind == MessageKind::Request => {
                        head(open, octets.octets()).map_err(|_| error)?
                    }
                    _ => return Err(error),
                }
            }
            _ => return Err(error),
        };
        self.start += length;
        let (version, refused) = (header.version, false);
        Ok(OversizedRequest { version, request_id, response_expected, refused })
    }

    /// Discards what has arrived of the message that is skipped; `true` if that was the rest of
    /// it. Its header stays in front until then, so that nothing takes what follows for a message.
    pub(super) fn discard_skipped(&mut self) -> bool {
        let body = self.end - self.start - HEADER_LEN;
        let discarded = body.min(self.skipped);
        self.skipped -= discarded;
        if self.skipped == 0 {
            self.start += HEADER_LEN + discarded;
            return true;
        }
        self.end = self.start + HEADER_LEN;
        self.needed = HEADER_LEN + 1;
        if self.buffer.len() > INITIAL {
            self.move_to(0);
            self.buffer.truncate(INITIAL);
            self.buffer.shrink_to_fit();
        }
        false
    }
}

/// The request id and whether a response is expected, from the first octets of a request.
fn head(header: MessageHeader, octets: &[u8]) -> CdrResult<(u32, bool)> {
    /// The bit of `response_flags` by which a client asks for a reply.
    const RESPONSE: u8 = 1;
    let mut input = Decoder::at(octets, HEADER_LEN, header.order);
    if header.version >= Version::V1_2 {
        return Ok((input.u32()?, input.u8()? & RESPONSE != 0));
    }
    for _ in 0..input.length()? {
        input.u32()?;
        input.octets()?;
    }
    Ok((input.u32()?, input.bool()?))
}
