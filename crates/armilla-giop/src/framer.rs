//! Splits the octets of a stream into whole messages (CORBA 3.4 Part 2, 9.4.1 and 9.4.9).
//!
//! The framer owns or borrows the receive buffer and decides how much is read at once; fragments
//! are put together in `reassembly`. What a message says is read elsewhere.

mod detached;
mod memory;
mod oversized;
mod refused_reply;

pub use oversized::{OversizedRequest, Skipped};
pub use refused_reply::RefusedReply;

use crate::header::MAGIC;
use crate::reassembly::Reassembly;
use crate::{
    HEADER_LEN, HeaderError, Message, MessageBuffer, MessageHeader, MessageKind, OwnedMessage,
};
use alloc::vec::Vec;
use armilla_cdr::Decoder;
use core::mem;

/// The size of the buffer unless messages are large. A read into it mostly brings whole messages.
const INITIAL: usize = 64 * 1024;

/// A buffer larger than this shrinks again, unless two messages in sequence needed half of it:
/// allocating it for each of many large messages costs a quarter of their time.
const RETAINED: usize = 1024 * 1024;

/// The most octets of an incomplete message for which the buffer is returned and they are copied.
const MAX_REMAINDER: usize = INITIAL / 2;

/// After a message of at least this size the next is expected to be as long, and a read asks for no
/// more than that: moving what follows the message costs more than another read, and over TCP with
/// small queues a sender that proceeds in large steps waits more often. Unix-domain sockets alone
/// would do better with three times as much.
const LARGE: usize = 4 * 1024;

/// How many CancelRequests are remembered ahead of their turn. Cancelling is advice, so further
/// ones may be passed over.
const MAX_CANCELLED_AHEAD: usize = 256;

/// The receive buffer of a connection: octets go in as they arrive, messages come out whole.
///
/// ```
/// use armilla_giop::{Framer, MessageKind, Version, close_connection};
///
/// let mut framer = Framer::new(1 << 20);
/// let arrived = close_connection(Version::V1_2);
/// framer.space()[..12].copy_from_slice(&arrived); // a read from the connection
/// framer.received(12);
/// let message = framer.next()?.expect("the message is complete");
/// assert_eq!(message.header.kind, MessageKind::CloseConnection);
/// # Ok::<(), armilla_giop::HeaderError>(())
/// ```
///
/// The caller reads into [`space`](Self::space), reports the octets to
/// [`received`](Self::received), and takes messages from [`next`](Self::next) until it has no more.
/// While messages fit the buffer nothing is allocated, and a message that arrives alone is not
/// moved. The buffer grows as a larger message arrives, never by what its header merely claims.
///
/// Where one thread reads on while another still works on a message, messages are taken out
/// instead: [`space_from`](Self::space_from) reads into a [`MessageBuffer`], and
/// [`take`](Self::take) returns a message there. For anything but a message that arrived alone the
/// framer borrows the memory; it returns it with a message in it, or without one by
/// [`return_buffer`](Self::return_buffer). So a connection on which nothing is under way holds no
/// buffer.
#[derive(Debug)]
pub struct Framer {
    buffer: Vec<u8>,
    /// Where the returned message begins, or else the first that was not returned.
    start: usize,
    /// Where the received octets end.
    end: usize,
    /// Where the space for more of them ends.
    room: usize,
    /// Whether all of them are in a `MessageBuffer` instead of `buffer`.
    outside: bool,
    /// The length of the returned message, until it is released.
    lent: usize,
    /// The length of the last whole message, or of the longest fragment since then.
    last: usize,
    /// The value of `last` when the size of the buffer was last reconsidered.
    before: usize,
    /// How many octets the incomplete message needs in all, as far as that is known.
    needed: usize,
    /// Up to where messages were scanned for CancelRequests.
    scanned: usize,
    /// The requests that those messages cancel.
    cancelled_ahead: Vec<u32>,
    max_message: usize,
    /// How many octets of a message above the limit are still to be discarded.
    skipped: usize,
    /// The kind of the next message to be skipped as if it were above the limit, if there is one.
    refuses: Option<MessageKind>,
    reassembly: Reassembly,
}

/// Where the next message is.
enum Ready {
    InBuffer(MessageHeader),
    Reassembled,
}

impl Framer {
    /// A framer that refuses messages with more than `max_message` octets after the header. It
    /// allocates when it is first asked for space.
    pub const fn new(max_message: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            end: 0,
            room: 0,
            outside: false,
            lent: 0,
            last: 0,
            before: 0,
            needed: 0,
            scanned: 0,
            cancelled_ahead: Vec::new(),
            max_message,
            skipped: 0,
            refuses: None,
            reassembly: Reassembly::new(max_message),
        }
    }

    /// Where the next octets from the connection go; never empty.
    #[inline(always)]
    pub fn space(&mut self) -> &mut [u8] {
        self.release();
        if self.start != self.end || self.buffer.len() != INITIAL {
            return self.space_within(&mut Vec::new());
        }
        (self.start, self.end, self.scanned) = (0, 0, 0);
        (self.room, self.outside) = (INITIAL, false);
        &mut self.buffer
    }

    /// Where the next octets from the connection go, in the memory of `lender` unless the framer
    /// holds octets already; never empty. After [`received`](Self::received) the next message is
    /// [taken](Self::take) into the same `lender`.
    #[inline(always)]
    pub fn space_from<'s>(&'s mut self, lender: &'s mut MessageBuffer) -> &'s mut [u8] {
        self.release();
        let memory = lender.memory();
        if self.start != self.end {
            return self.space_within(memory);
        }
        if memory.len() != INITIAL || self.buffer.len() > INITIAL {
            self.grow_borrowed(memory);
            if memory.len() > INITIAL {
                mem::swap(&mut self.buffer, memory);
                return self.free_space();
            }
        }
        (self.start, self.end, self.scanned) = (0, 0, 0);
        (self.room, self.outside) = (memory.len(), true);
        if self.last >= LARGE {
            self.room = self.room.min(self.last);
        }
        &mut memory[..self.room]
    }

    #[cold]
    #[inline(never)]
    fn space_within(&mut self, lender: &mut Vec<u8>) -> &mut [u8] {
        if self.buffer.len() < INITIAL {
            self.borrow(lender);
        }
        self.free_space()
    }

    /// Gives the lender's memory the size that the last messages call for.
    #[cold]
    #[inline(never)]
    fn grow_borrowed(&mut self, memory: &mut Vec<u8>) {
        if self.buffer.len() > memory.len() {
            mem::swap(&mut self.buffer, memory);
        }
        self.resize(memory);
    }

    #[inline]
    fn free_space(&mut self) -> &mut [u8] {
        if self.start == self.end {
            if self.buffer.len() > INITIAL {
                let mut buffer = mem::take(&mut self.buffer);
                self.resize(&mut buffer);
                self.buffer = buffer;
            }
            let front = self.front();
            (self.start, self.end, self.needed, self.scanned) = (front, front, 0, 0);
        } else if self.end == self.buffer.len() || self.needed > self.buffer.len() - self.start {
            self.make_room();
        }
        (self.room, self.outside) = (self.buffer.len(), false);
        let likely = self.needed.max(self.last);
        if likely >= LARGE && likely > self.end - self.start {
            self.room = self.room.min(self.start + likely);
        }
        &mut self.buffer[self.end..self.room]
    }

    /// Reports that `count` octets were read into the space.
    #[inline]
    pub fn received(&mut self, count: usize) {
        debug_assert!(count <= self.room - self.end, "more than there was space for");
        self.end = (self.end + count).min(self.room);
    }

    /// The next whole message, or `None` when more octets are needed. The next call of this
    /// function or of [`space`](Self::space) releases it.
    ///
    /// Fragments are put together: the message looks as if it had been sent without them.
    ///
    /// # Errors
    /// When the octets are not GIOP messages or exceed a limit. Nothing can be read after such an
    /// error, which every further call repeats.
    #[inline(always)]
    #[allow(clippy::should_implement_trait)] // An iterator could not lend.
    pub fn next(&mut self) -> Result<Option<Message<'_>>, HeaderError> {
        self.release();
        Ok(match self.advance()? {
            None => None,
            Some(Ready::InBuffer(header)) => {
                let octets = &self.buffer[self.start..self.start + self.lent];
                Some(Message { header, octets, fragments: None })
            }
            Some(Ready::Reassembled) => self.reassembly.finished(),
        })
    }

    /// The message that [`next`](Self::next) or [`next_single`](Self::next_single) has returned
    /// last, until it is released.
    pub fn current(&self) -> Option<Message<'_>> {
        match self.lent {
            0 => self.reassembly.finished(),
            _ => Message::parse(self.current_octets()).ok().flatten(),
        }
    }

    /// The octets of the [current](Self::current) message if it came without fragments.
    #[inline(always)]
    pub fn current_octets(&self) -> &[u8] {
        self.buffer.get(self.start..self.start + self.lent).unwrap_or_default()
    }

    /// Moves the [current](Self::current) message into `into`, and releases it. A large message
    /// that nothing follows takes the memory along, in exchange for that of `into`; any other is
    /// copied.
    pub fn take_current(&mut self, into: &mut OwnedMessage) {
        let (start, end) = (self.start, self.start + self.lent);
        if self.lent == 0 {
            return into.take_reassembled(|memory| self.reassembly.take_finished(memory));
        }
        let Ok(Some(message)) = Message::parse(&self.buffer[start..end]) else {
            return into.clear();
        };
        let header = message.header;
        if self.lent >= LARGE && self.end == end {
            into.swap(header, &mut self.buffer, start..end);
            (self.start, self.end, self.lent) = (0, 0, 0);
        } else {
            into.copy_octets(header, &self.buffer[start..end]);
            self.release();
        }
    }

    /// The fast path of [`next`](Self::next): returns a request or a reply of 1.2 without fragments
    /// if it is all that was received since the last message. `None` leaves the octets to `next`.
    #[inline(always)]
    pub fn next_single(&mut self) -> Option<Message<'_>> {
        if self.lent != 0 || self.reassembly.is_busy() || !self.cancelled_ahead.is_empty() {
            return None;
        }
        let octets = self.buffer.get(self.start..self.end)?;
        let header = self.single_message_header(octets.first_chunk()?, octets.len())?;
        (self.lent, self.last) = (octets.len(), octets.len());
        Some(Message { header, octets, fragments: None })
    }

    /// The header, if [`MessageHeader::decode_fast`] reads it and the message has this length in
    /// all.
    #[inline(always)]
    fn single_message_header(
        &self,
        first: &[u8; HEADER_LEN],
        length: usize,
    ) -> Option<MessageHeader> {
        let header = MessageHeader::decode_fast(first)?;
        let size = header.size as usize;
        (size <= self.max_message && size + HEADER_LEN == length).then_some(header)
    }

    /// The fast path of [`take`](Self::take), for a message as [`next_single`](Self::next_single)
    /// returns it.
    #[inline(always)]
    pub fn take_single<'m>(&mut self, into: &'m mut MessageBuffer) -> Option<Message<'m>> {
        if !self.outside || self.reassembly.is_busy() || !self.cancelled_ahead.is_empty() {
            return None;
        }
        let octets = into.arrived().get(..self.end)?;
        let header = self.single_message_header(octets.first_chunk()?, octets.len())?;
        self.last = self.end;
        (self.end, self.outside) = (0, false);
        Some(Message { header, octets, fragments: None })
    }

    /// Moves the next whole message into `into`, or returns `None` when more octets are needed. Of
    /// the message and the octets after it the shorter part is copied. Otherwise as
    /// [`next`](Self::next).
    ///
    /// # Errors
    /// Those of [`next`](Self::next).
    #[inline(never)]
    pub fn take<'m>(
        &mut self,
        into: &'m mut MessageBuffer,
    ) -> Result<Option<Message<'m>>, HeaderError> {
        if mem::take(&mut self.outside) && self.end > 0 {
            mem::swap(&mut self.buffer, into.memory());
        }
        self.release();
        Ok(match self.advance()? {
            None => None,
            Some(Ready::InBuffer(header)) => {
                let (start, end) = (self.start, self.start + self.lent);
                self.lent = 0;
                if self.end - end <= end - start {
                    mem::swap(&mut self.buffer, into.memory());
                    self.carry_over(&into.memory()[end..self.end], end);
                    Some(into.found(header, start..end))
                } else {
                    self.start = end;
                    Some(into.copied(header, &self.buffer[start..end]))
                }
            }
            Some(Ready::Reassembled) => {
                let header = self.reassembly.take_finished(into.fragments());
                header.map(|header| into.reassembled(header))
            }
        })
    }

    /// Returns the borrowed memory to `lender`; octets of an incomplete message are copied.
    pub fn return_buffer(&mut self, lender: &mut MessageBuffer) {
        self.release();
        if self.buffer.len() >= INITIAL && self.end - self.start <= MAX_REMAINDER {
            let rest = self.buffer[self.start..self.end].to_vec();
            *lender.memory() = mem::replace(&mut self.buffer, rest);
            self.moved_to(0);
        }
    }

    /// Whether octets have arrived that were not returned yet, of a whole message or not.
    #[inline]
    pub const fn has_more(&self) -> bool {
        self.end - self.start > self.lent
    }

    /// Whether a CancelRequest for this request has arrived after the message that was returned
    /// last.
    #[inline]
    pub fn has_cancel_for(&mut self, request_id: u32) -> bool {
        self.has_more() && self.scan_for_cancel(request_id)
    }

    /// Whether a message is incomplete.
    #[inline]
    pub fn is_partial(&self) -> bool {
        self.end - self.start > self.lent || self.reassembly.is_open()
    }

    /// Releases the returned message.
    #[inline]
    fn release(&mut self) {
        self.start += self.lent;
        self.lent = 0;
        self.reassembly.release();
    }

    /// Finds the next message: then `lent` is its length, or else `needed` says what is missing.
    #[inline(always)] // has two callers
    fn advance(&mut self) -> Result<Option<Ready>, HeaderError> {
        loop {
            let arrived = &self.buffer[self.start..self.end];
            let Some(first) = arrived.first_chunk() else {
                // Other protocols say less than a header: an alert of TLS has seven octets.
                if let Some(magic) = arrived.first_chunk().filter(|magic| **magic != MAGIC) {
                    return Err(HeaderError::BadMagic(*magic));
                }
                self.needed = HEADER_LEN;
                return Ok(None);
            };
            let header = MessageHeader::decode(first)?;
            let size = header.size as usize;
            if size > self.max_message || self.skipped > 0 || self.refuses(header) {
                if self.skipped > 0 {
                    match self.discard_skipped() {
                        true => continue,
                        false => return Ok(None),
                    }
                }
                return Err(HeaderError::TooLarge { size, limit: self.max_message });
            }
            let length = HEADER_LEN.saturating_add(size);
            let Some(octets) = arrived.get(..length) else {
                self.needed = length;
                return Ok(None);
            };
            // The last fragment may be short. What the next message is like the longest one tells.
            self.last = match header.kind == MessageKind::Fragment {
                true => self.last.max(length),
                false => length,
            };
            if header.more_fragments || header.kind == MessageKind::Fragment {
                let complete = self.reassembly.add(header, octets)?;
                self.start += length;
                if complete {
                    return Ok(Some(Ready::Reassembled));
                }
                continue;
            }
            if self.reassembly.is_open() {
                self.reassembly.note(header, octets);
            }
            if !self.cancelled_ahead.is_empty() {
                self.forget_cancel(header, self.start);
            }
            self.lent = length;
            return Ok(Some(Ready::InBuffer(header)));
        }
    }

    /// Scans the messages that wait, each once, for CancelRequests.
    #[cold]
    fn scan_for_cancel(&mut self, request_id: u32) -> bool {
        let mut at = self.scanned.max(self.start + self.lent);
        while let Ok(Some(message)) = Message::parse(&self.buffer[at..self.end]) {
            if message.header.kind == MessageKind::CancelRequest
                && self.cancelled_ahead.len() < MAX_CANCELLED_AHEAD
                && let Ok(id) = message.body().u32()
            {
                self.cancelled_ahead.push(id);
            }
            at += message.octets.len();
        }
        self.scanned = at;
        self.cancelled_ahead.contains(&request_id)
    }

    /// Forgets the CancelRequest at `start`, which is being returned.
    #[cold]
    fn forget_cancel(&mut self, header: MessageHeader, start: usize) {
        if header.kind == MessageKind::CancelRequest {
            let arrived = &self.buffer[start..self.end];
            let id = Decoder::at(arrived, HEADER_LEN, header.order).u32();
            if let Some(index) = self.cancelled_ahead.iter().position(|known| Ok(*known) == id) {
                self.cancelled_ahead.swap_remove(index);
            }
        }
    }
}
