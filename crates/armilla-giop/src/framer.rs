//! Octets from a stream into whole messages.

use crate::reassembly::Reassembly;
use crate::{HEADER_LEN, HeaderError, Message, MessageBuffer, MessageHeader, MessageKind};
use alloc::vec;
use alloc::vec::Vec;
use armilla_cdr::Decoder;
use core::mem;

/// How large the buffer is but for large messages. A read into it mostly brings whole messages.
const INITIAL: usize = 64 * 1024;

/// A buffer that grew further than this shrinks again, unless two messages in turn have needed half of it:
/// to make it anew for each of many costs a quarter of their time.
const RETAINED: usize = 1024 * 1024;

/// What has arrived of a message is left behind alone when the buffer is given back, if it is no
/// more than this.
const MAX_REMAINDER: usize = INITIAL / 2;

/// From how many octets on a message makes the next likely to be as long, and no more is read at once than
/// that needs. To move what follows away from it costs more than to read again, and over TCP with small
/// queues a sender that is let go on by large steps waits more often. Unix-domain sockets alone would do better
/// with three times as much.
const LARGE: usize = 4 * 1024;

/// How many requests that were given up are remembered before their turn. To give up is advice, so
/// that more of them may be passed over.
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
/// The loop around it is: read into [`space`](Self::space), tell [`received`](Self::received),
/// then take from [`next`](Self::next) until it has no more. While messages fit the buffer nothing
/// is allocated, and a message that arrives alone is not moved either. A larger message makes the
/// buffer grow as it arrives, never by what its header merely claims.
///
/// Where one thread is to read on while another still works on a message, the message is taken out
/// instead: [`space_from`](Self::space_from) is in the memory of a [`MessageBuffer`], out of which
/// [`take`](Self::take) finds a message that arrived alone; the framer borrows it for anything else, and
/// gives it back with a message in it, or by [`park`](Self::return_buffer) without. A connection on which nothing
/// is under way then holds no buffer at all.
#[derive(Debug)]
pub struct Framer {
    buffer: Vec<u8>,
    /// Where the first message begins that was not returned, or the returned one.
    start: usize,
    /// Where the octets end that were received.
    end: usize,
    /// Where the space for them ends.
    room: usize,
    /// Whether they were received in the memory of a lender, all of them.
    outside: bool,
    /// The length of the message that was returned, until it is released.
    lent: usize,
    /// How long the last message was, or fragment, that was whole.
    last: usize,
    /// How long the one before it was, when the buffer was looked at for its size.
    before: usize,
    /// How many octets from `start` on the message under way needs, as far as that is known.
    needed: usize,
    /// Up to where the messages behind the first were looked at.
    scanned: usize,
    /// The requests that those messages give up.
    cancelled_ahead: Vec<u32>,
    max_message: usize,
    reassembly: Reassembly,
}

/// Where the next message is.
enum Ready {
    InBuffer(MessageHeader),
    Reassembled,
}

impl Framer {
    /// A framer that refuses messages with more than `max_message` octets behind the header. It
    /// takes memory when it is first asked for space.
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

    /// Where the next octets from the connection go, in memory that `lender` has if the framer has
    /// none; never empty. After they were [received](Self::received) the next message is
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

    /// Sees to it that there is enough memory, and not less than large messages have made of it.
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
            self.start = 0;
            self.end = 0;
            self.needed = 0;
            self.scanned = 0;
            if self.buffer.len() > INITIAL {
                let mut buffer = mem::take(&mut self.buffer);
                self.resize(&mut buffer);
                self.buffer = buffer;
            }
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

    /// Tells that `count` octets were read into the space.
    #[inline]
    pub fn received(&mut self, count: usize) {
        debug_assert!(count <= self.room - self.end, "more than there was space for");
        self.end = (self.end + count).min(self.room);
    }

    /// The next whole message, or `None` when more octets are needed. It is released by the next
    /// call of this function or of [`space`](Self::space).
    ///
    /// Fragments are put together, so what comes out looks as if it had been sent in one piece.
    ///
    /// # Errors
    /// When the octets are no messages, or more than the limits allow. Nothing can be read after
    /// such an error, which comes again with every call.
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

    /// As [`next`](Self::next) for a request or a reply of 1.2 that is all that was received since the
    /// last message, in one piece, as most are; anything else is left to that, which would return this
    /// too and costs more.
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

    /// The header of a [usual](MessageHeader::decode_fast) message that has this length in all.
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

    /// As [`take`](Self::take) for a message as [`next_single`](Self::next_single) returns them.
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

    /// Takes the next whole message out into `into`, or gives `None` when more octets are needed. The
    /// message keeps its memory and what stands behind it is moved, or the other way round where
    /// that is less. Otherwise as [`next`](Self::next).
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
            Some(Ready::Reassembled) => self
                .reassembly
                .take_finished()
                .map(|(header, octets)| into.reassembled(header, octets)),
        })
    }

    /// Gives the memory that was borrowed back to `lender`, but for what has arrived of a message.
    pub fn return_buffer(&mut self, lender: &mut MessageBuffer) {
        self.release();
        if self.buffer.len() >= INITIAL && self.end - self.start <= MAX_REMAINDER {
            let rest = self.buffer[self.start..self.end].to_vec();
            *lender.memory() = mem::replace(&mut self.buffer, rest);
            self.moved_to_front();
        }
    }

    /// Whether something has arrived that was not returned yet, be it whole or not.
    #[inline]
    pub const fn has_more(&self) -> bool {
        self.end - self.start > self.lent
    }

    /// Whether what has already arrived behind the message that was returned last gives up the
    /// request with this number.
    #[inline]
    pub fn has_cancel_for(&mut self, request_id: u32) -> bool {
        self.has_more() && self.scan_for_cancel(request_id)
    }

    /// Whether a message has begun to arrive and is not complete.
    #[inline]
    pub fn is_partial(&self) -> bool {
        self.end - self.start > self.lent || self.reassembly.is_open()
    }

    /// Gives up the message that was returned.
    #[inline]
    fn release(&mut self) {
        self.start += self.lent;
        self.lent = 0;
        self.reassembly.release();
    }

    /// Finds the next message: afterwards it is lent, or `needed` says what is missing.
    #[inline(always)] // once in each of the two ways to get messages
    fn advance(&mut self) -> Result<Option<Ready>, HeaderError> {
        loop {
            let arrived = &self.buffer[self.start..self.end];
            let Some(first) = arrived.first_chunk() else {
                self.needed = HEADER_LEN;
                return Ok(None);
            };
            let header = MessageHeader::decode(first)?;
            let size = header.size as usize;
            if size > self.max_message {
                return Err(HeaderError::TooLarge { size, limit: self.max_message });
            }
            let length = HEADER_LEN.saturating_add(size);
            let Some(octets) = arrived.get(..length) else {
                self.needed = length;
                return Ok(None);
            };
            self.last = length;
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

    /// Brings the message under way to the front, or makes the buffer larger for it: by no more
    /// than has arrived. Each octet of a message moves at most once with its whole message.
    #[cold]
    fn make_room(&mut self) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.moved_to_front();
        }
        let full = self.buffer.len();
        if self.end == full {
            let enough = self.needed.max(full + INITIAL);
            let length = enough.min(2 * full);
            self.buffer.reserve_exact(length - full);
            self.buffer.resize(length, 0);
        }
    }

    /// Goes on with the octets `rest`, which stood at `from` in the memory used before.
    #[inline]
    fn carry_over(&mut self, rest: &[u8], from: usize) {
        if !rest.is_empty() {
            if self.buffer.len() < rest.len() {
                self.buffer.resize(rest.len().max(INITIAL), 0);
            }
            self.buffer[..rest.len()].copy_from_slice(rest);
        }
        self.scanned = self.scanned.saturating_sub(from);
        (self.start, self.end) = (0, rest.len());
    }

    /// Uses the memory of `lender`, which gets what there was before.
    #[cold]
    fn borrow(&mut self, lender: &mut Vec<u8>) {
        mem::swap(&mut self.buffer, lender);
        if self.buffer.len() < INITIAL {
            self.buffer = vec![0; INITIAL];
        }
        if self.start != self.end {
            let held = &lender[self.start..self.end];
            self.buffer[..held.len()].copy_from_slice(held);
        }
        self.moved_to_front();
    }

    /// Notes that what had begun at `start` begins at the front now.
    fn moved_to_front(&mut self) {
        self.end -= self.start;
        self.scanned = self.scanned.saturating_sub(self.start);
        self.start = 0;
    }

    /// Looks at the messages that wait, each of them once, for such as give up requests.
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

    /// Forgets what the message at `start` gives up, because it is returned.
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

    /// Sees to it that there is enough memory, and gives some back after a large message.
    #[cold]
    #[inline(never)]
    fn resize(&mut self, memory: &mut Vec<u8>) {
        // While large messages follow each other the memory that they need stays.
        let usual = self.last.min(mem::replace(&mut self.before, self.last));
        let retained = RETAINED.max(2 * usual);
        let large = memory.len() > INITIAL && (self.last <= INITIAL || memory.len() > retained);
        if large || memory.len() < INITIAL {
            *memory = vec![0; INITIAL];
        }
    }
}
