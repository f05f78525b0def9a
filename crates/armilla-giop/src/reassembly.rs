//! Reassembles fragments into whole messages (CORBA 3.4 Part 2, 9.4.9). The way back is in
//! `fragments`.
//!
//! In 1.1 a fragment continues the one message that is open, and its data is aligned from the start
//! of the fragment. In 1.2 a fragment names its request id, so that messages interleave, and its
//! data is aligned as if the message were contiguous.

use crate::message::no_fragments;
use crate::{HEADER_LEN, HeaderError, Message, MessageHeader, MessageKind, Version};
use alloc::vec::Vec;
use armilla_cdr::{Decoder, FragmentedOctets};
use core::mem;

/// The most incomplete messages on one connection.
const MAX_OPEN: usize = 64;

/// How many messages of the largest size the fragments may have that are passed over. A client that
/// goes on regardless is cut off.
const IGNORED_MESSAGES: usize = 4;

/// How many octets they may have at least, however low the limit is.
const IGNORED_OCTETS: usize = 4 << 20;

/// The octets of a 1.2 fragment before its data: the header and the request id.
const FRAGMENT_HEADER_LEN: usize = HEADER_LEN + 4;

/// The fragmented messages of a connection.
#[derive(Debug)]
pub(crate) struct Reassembly {
    open: Vec<Open>,
    /// The octets of all open messages together.
    octets: usize,
    /// The octets of fragments that were passed over since the last one that ended its message.
    ignored: usize,
    /// The limit of `octets`, message headers not counted.
    limit: usize,
    finished: Option<Open>,
    /// The memory of a message that was released, for the next one.
    spare: Option<FragmentedOctets>,
}

/// Memory beyond this is not kept for the next message.
const RETAINED: usize = 1024 * 1024;

/// An incomplete message.
#[derive(Debug)]
struct Open {
    header: MessageHeader,
    /// The id that its fragments name, in 1.2.
    request_id: Option<u32>,
    /// All of it so far, the header in front.
    octets: FragmentedOctets,
}

impl Reassembly {
    pub(crate) const fn new(limit: usize) -> Self {
        Self { open: Vec::new(), octets: 0, ignored: 0, limit, finished: None, spare: None }
    }

    /// Whether a message is incomplete.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether a message is incomplete, or complete and not released yet.
    #[inline]
    pub(crate) fn is_busy(&self) -> bool {
        self.is_open() || self.finished.is_some()
    }

    /// The memory of all incomplete messages together, in octets: more than they have so far, since
    /// it grows in steps.
    #[cold]
    pub(crate) fn memory(&self) -> usize {
        self.open.iter().map(|open| open.octets.capacity()).sum()
    }

    /// The message that [`add`](Self::add) completed.
    pub(crate) fn finished(&self) -> Option<Message<'_>> {
        let Open { header, octets, .. } = self.finished.as_ref()?;
        Some(Message { header: *header, octets: octets.octets(), fragments: Some(octets) })
    }

    /// Moves the message that [`add`](Self::add) completed into `into`, in exchange for the memory
    /// there. Returns its header.
    pub(crate) fn take_finished(&mut self, into: &mut FragmentedOctets) -> Option<MessageHeader> {
        let Open { header, mut octets, .. } = self.finished.take()?;
        mem::swap(into, &mut octets);
        self.keep(octets);
        Some(header)
    }

    /// Drops the message that was completed.
    #[inline]
    pub(crate) fn release(&mut self) {
        if self.finished.is_some() {
            self.drop_finished();
        }
    }

    #[cold]
    fn drop_finished(&mut self) {
        if let Some(finished) = self.finished.take() {
            self.keep(finished.octets);
        }
    }

    /// Frees the memory that is kept for the next message. Returns how many octets that were.
    pub(crate) fn release_memory(&mut self) -> usize {
        self.spare.take().map_or(0, |spare| spare.capacity())
    }

    /// Keeps the memory of a message for the next one, unless there is too much of it.
    fn keep(&mut self, octets: FragmentedOctets) {
        let kept = self.spare.as_ref().map_or(0, FragmentedOctets::capacity);
        if (kept..=RETAINED).contains(&octets.capacity()) {
            self.spare = Some(octets);
        }
    }

    /// Takes a message that announces fragments, or a fragment; `true` if that completes a message.
    #[cold]
    pub(crate) fn add(
        &mut self,
        header: MessageHeader,
        octets: &[u8],
    ) -> Result<bool, HeaderError> {
        if header.kind == MessageKind::Fragment && self.ignore(header, octets)? {
            return Ok(false);
        }
        let size = self.octets.saturating_add(octets.len());
        if size > self.limit.saturating_add(HEADER_LEN) {
            return Err(HeaderError::TooLarge { size, limit: self.limit });
        }
        match header.kind {
            MessageKind::Fragment => self.append(header, octets),
            _ => self.begin(header, octets).map(|()| false),
        }
    }

    fn begin(&mut self, header: MessageHeader, octets: &[u8]) -> Result<(), HeaderError> {
        let interleaves = header.version >= Version::V1_2;
        let fragmentable = match header.kind {
            MessageKind::Request | MessageKind::Reply => true,
            MessageKind::LocateRequest | MessageKind::LocateReply => interleaves,
            _ => false,
        };
        if !fragmentable {
            return Err(HeaderError::NotFragmentable(header.kind));
        }
        let request_id = request_id(header, octets)?;
        if let Some(request_id) = request_id
            && self.position(Some(request_id)).is_some()
        {
            return Err(HeaderError::DuplicateFragmented { request_id });
        }
        let limit = if interleaves { MAX_OPEN } else { 1 };
        if self.open.len() >= limit {
            return Err(HeaderError::TooManyFragmented { limit });
        }
        self.octets += octets.len();
        let mut memory = self.spare.take().unwrap_or_else(no_fragments);
        memory.restart(octets);
        self.open.push(Open { header, request_id, octets: memory });
        Ok(())
    }

    /// Passes over a fragment of 1.2 that continues no message: its request was cancelled or refused
    /// between two fragments. `true` if it is one.
    fn ignore(&mut self, header: MessageHeader, octets: &[u8]) -> Result<bool, HeaderError> {
        let request_id = request_id(header, octets)?;
        if request_id.is_none() || self.position(request_id).is_some() {
            return Ok(false);
        }
        self.count_ignored(header, octets.len()).map(|()| true)
    }

    /// Counts the octets of a fragment that is passed over.
    pub(crate) fn count_ignored(
        &mut self,
        header: MessageHeader,
        octets: usize,
    ) -> Result<(), HeaderError> {
        self.ignored = match header.more_fragments {
            true => self.ignored.saturating_add(octets),
            false => 0,
        };
        match self.ignored > self.limit.saturating_mul(IGNORED_MESSAGES).max(IGNORED_OCTETS) {
            true => Err(HeaderError::TooLarge { size: self.ignored, limit: self.limit }),
            false => Ok(()),
        }
    }

    fn append(&mut self, header: MessageHeader, octets: &[u8]) -> Result<bool, HeaderError> {
        let request_id = request_id(header, octets)?;
        let index = self.position(request_id).ok_or(HeaderError::StrayFragment)?;
        let open = &mut self.open[index];
        if (open.header.version, open.header.order) != (header.version, header.order) {
            return Err(HeaderError::StrayFragment);
        }
        let before = open.octets.octets().len();
        match request_id {
            Some(_) => open.octets.extend(&octets[FRAGMENT_HEADER_LEN..]),
            None => open.octets.push(&octets[HEADER_LEN..]),
        }
        self.octets += open.octets.octets().len() - before;
        if header.more_fragments {
            return Ok(false);
        }
        let mut finished = self.remove(index);
        finished.close();
        self.finished = Some(finished);
        Ok(true)
    }

    /// Takes note of a whole message that comes between fragments: a CancelRequest may concern an
    /// incomplete request.
    #[cold]
    pub(crate) fn note(&mut self, header: MessageHeader, octets: &[u8]) {
        if header.kind != MessageKind::CancelRequest {
            return;
        }
        let request_id = Decoder::at(octets, HEADER_LEN, header.order).u32().ok();
        if let Some(index) = request_id.and_then(|_| self.position(request_id)) {
            let cancelled = self.remove(index);
            self.keep(cancelled.octets);
        }
    }

    /// Removes the incomplete message of GIOP 1.2 with this request id.
    pub(crate) fn drop_open(
        &mut self,
        request_id: u32,
    ) -> Option<(MessageHeader, FragmentedOctets)> {
        let index = self.position(Some(request_id))?;
        let open = self.remove(index);
        Some((open.header, open.octets))
    }

    /// Removes the largest incomplete message of GIOP 1.2 if `judge` says what it is.
    pub(crate) fn drop_largest<T>(
        &mut self,
        judge: impl Fn(&Message<'_>) -> Option<T>,
    ) -> Option<T> {
        let size = |open: &Open| open.octets.octets().len();
        let named = self.open.iter().filter(|open| open.request_id.is_some());
        let Open { header, octets, request_id } = named.max_by_key(|open| size(open))?;
        let judged = judge(&Message { header: *header, octets: octets.octets(), fragments: None })?;
        self.position(*request_id).map(|index| self.remove(index));
        Some(judged)
    }

    fn position(&self, request_id: Option<u32>) -> Option<usize> {
        self.open.iter().position(|open| open.request_id == request_id)
    }

    fn remove(&mut self, index: usize) -> Open {
        let open = self.open.swap_remove(index);
        self.octets -= open.octets.octets().len();
        open
    }
}

impl Open {
    /// Makes the header that of a message in one piece.
    fn close(&mut self) {
        let size = self.octets.octets().len() - HEADER_LEN;
        // The sum of fragments is limited to what a message may have, and that to 32 bits.
        self.header.size = u32::try_from(size).unwrap_or(u32::MAX);
        self.header.more_fragments = false;
        self.octets.octets_mut()[..HEADER_LEN].copy_from_slice(&self.header.encode());
    }
}

/// The request id, which comes first in the body of every 1.2 message that can have fragments, and
/// of the fragments; `None` before 1.2.
fn request_id(header: MessageHeader, octets: &[u8]) -> Result<Option<u32>, HeaderError> {
    match header.version >= Version::V1_2 {
        true => Decoder::at(octets, HEADER_LEN, header.order)
            .u32()
            .map(Some)
            .map_err(|_| HeaderError::NoRequestId),
        false => Ok(None),
    }
}
