//! Large results of octets. What has not arrived with the first read is received straight into the
//! memory of the result, so that it is not copied.

use crate::client::connection::exclusive::ExclusiveConnection;
use crate::client::request::Deadline;
use crate::exception::SystemException;
use armilla_giop::{HEADER_LEN, Message, ReplyStatus, decode_reply};

/// Fewer octets than this are as well copied: they need no read of their own.
const WORTH_DETACHING: usize = 32 << 10;

/// The memory that is reserved at first, whatever the reply claims; it grows as octets arrive.
const RESERVED_AT_FIRST: usize = 1 << 20;

/// How much is read first of a reply whose octets may be received apart, where a further read costs
/// no system call.
const BEGINNING: usize = 4 << 10;

impl ExclusiveConnection {
    /// As [`read`](Self::read), of no more than shows whether the reply is one whose octets are
    /// received apart.
    #[cold]
    #[inline(never)]
    pub(super) fn read_beginning(
        &mut self,
        deadline: &Deadline,
        watched: bool,
        first: bool,
    ) -> Result<(), SystemException> {
        self.prepare_read(deadline, watched, first)?;
        let space = self.framer.space();
        let most = space.len().min(BEGINNING);
        let received = self.stream.recv(&mut space[..most]);
        let count = self.arrived(received, deadline)?;
        self.framer.received(count);
        Ok(())
    }

    /// Receives the octets of the incomplete reply apart from it, if its results are a large
    /// sequence of octets. `false` if they are not, or if that is not known yet.
    #[cold]
    #[inline(never)]
    pub(super) fn receive_detached(
        &mut self,
        deadline: &Deadline,
        watched: bool,
    ) -> Result<bool, SystemException> {
        let Some((place, len)) = self.framer.incomplete().as_ref().and_then(octets_of) else {
            return Ok(false);
        };
        self.detached = Vec::new();
        self.reserve_octets(len.min(RESERVED_AT_FIRST))?;
        if self.framer.detach(place, &mut self.detached).is_none() {
            return Ok(false);
        }
        while self.detached.len() < len {
            let (arrived, room) = (self.detached.len(), self.detached.capacity());
            if arrived == room {
                self.reserve_octets(arrived.min(len - arrived))?;
            }
            self.prepare_read(deadline, watched, false)?;
            let received = self.stream.recv_append(&mut self.detached);
            self.arrived(received, deadline)?;
        }
        // An allocator may have given more memory than it was asked for.
        let next = self.detached.split_off(len);
        self.framer.append(&next);
        Ok(true)
    }

    /// Makes room for `more` octets apart from the reply.
    fn reserve_octets(&mut self, more: usize) -> Result<(), SystemException> {
        if !self.memory.resize(self.detached.len() + more) {
            let status = Some(ReplyStatus::NoException);
            return Err(self.memory.refused(&self.peer, status));
        }
        self.detached.reserve_exact(more);
        Ok(())
    }
}

/// Where the octets begin in a reply whose results are a sequence of octets, and how many they are,
/// if enough of them have not arrived yet.
fn octets_of(reply: &Message<'_>) -> Option<(usize, usize)> {
    let (header, mut body) = decode_reply(reply).ok()?;
    let len = body.u32().ok()? as usize;
    let (place, arrived) = (body.position(), reply.octets.len());
    let end = place.checked_add(len)?;
    let whole = HEADER_LEN + reply.header.size as usize;
    let usual = header.status == ReplyStatus::NoException && end == whole;
    (usual && end - arrived >= WORTH_DETACHING).then_some((place, len))
}
