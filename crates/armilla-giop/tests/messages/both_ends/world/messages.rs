//! How messages leave, cross the network and are received.

use super::{Fate, Sending, World, encoded};
use armilla_cdr::Encoder;
use armilla_giop::engine::{
    ClientEvent, ClosingMessage, ConnectionLoss, ReceiveError, RequestAction, ServerEvent,
};
use armilla_giop::{
    Fragments, Framer, LocateStatus, Message, MessageKind, ReplyStatus, Version,
    begin_locate_reply, begin_reply, decode_request, put_body,
};
use std::collections::VecDeque;

impl World {
    /// Sends a message, in fragments or whole.
    pub(super) fn send(&mut self, end: usize, request: Option<u32>, message: &Encoder<'_>) {
        let cut = self.random.below(2) == 0;
        let fragments = cut.then(|| Fragments::of(message, 64)).flatten();
        let parts: VecDeque<Vec<u8>> = match &fragments {
            Some(fragments) => fragments.iter().map(|parts| parts.concat()).collect(),
            None => [message.to_vec()].into(),
        };
        let octets = parts.iter().map(Vec::len).sum();
        self.queue(end, request, parts, octets);
    }

    pub(super) fn queue(
        &mut self,
        end: usize,
        request: Option<u32>,
        parts: VecDeque<Vec<u8>>,
        octets: usize,
    ) {
        let end = &mut self.ends[end];
        match (self.sending, request) {
            (Sending::Interleaved, _) => return end.messages.push((request, parts)),
            (Sending::InOrder, Some(id)) => end.initiator.queue(id, octets),
            (Sending::InOrder, None) => end.initiator.queue_other(octets),
        }
        end.outbox.extend(parts.into_iter().flatten());
    }

    /// Goes on with one of the messages that are being sent.
    pub(super) fn feed(&mut self, end: usize) {
        let Ok(count @ 1..) = u32::try_from(self.ends[end].messages.len()) else { return };
        let index = self.random.below(count) as usize;
        let end = &mut self.ends[end];
        let (_, fragments) = &mut end.messages[index];
        end.outbox.extend(fragments.pop_front().unwrap());
        if fragments.is_empty() {
            end.messages.remove(index);
        }
    }

    /// The network takes something.
    pub(super) fn transmit(&mut self, end: usize) {
        let most = self.random.below(500) as usize;
        let sender = &mut self.ends[end];
        let count = most.min(sender.outbox.len());
        sender.initiator.sent(count);
        let taken = sender.outbox.drain(..count);
        match self.broken {
            true => drop(taken),
            false => self.wires[end].extend(taken),
        }
    }

    /// Something of what the other end has sent arrives.
    pub(super) fn arrive(&mut self, end: usize) {
        let most = self.random.below(400) as usize;
        let wire = &mut self.wires[1 - end];
        let mut framer = std::mem::replace(&mut self.ends[end].framer, Framer::new(0));
        let mut reader = std::mem::take(&mut self.ends[end].reader);
        let space = framer.space_from(&mut reader);
        let count = most.min(wire.len()).min(space.len());
        space.iter_mut().zip(wire.drain(..count)).for_each(|(place, octet)| *place = octet);
        framer.received(count);
        while let Some(message) = framer.take(&mut reader).unwrap() {
            match message.header.kind {
                MessageKind::Request => {
                    let id = decode_request(&message).unwrap().0.request_id;
                    let action = self.ends[end].responder.begin(id, || framer.has_cancel_for(id));
                    self.request(end, &message, action);
                }
                MessageKind::Reply | MessageKind::LocateReply => self.reply(end, &message),
                _ => self.other(end, &message),
            }
        }
        framer.return_buffer(&mut reader);
        (self.ends[end].framer, self.ends[end].reader) = (framer, reader);
    }

    pub(super) fn request(&mut self, end: usize, message: &Message<'_>, action: RequestAction) {
        let (header, mut body) = decode_request(message).unwrap();
        let number = body.u32().unwrap();
        assert!(body.octets().unwrap().iter().all(|octet| *octet == 7));
        match action {
            RequestAction::Serve => {
                assert!(!self.ends[end].has_closed, "begun after the closing message");
                self.calls[number as usize].executed += 1;
                self.ends[end].serving.push((header.request_id, number, false));
            }
            RequestAction::Refuse => {
                self.answer(end, header.request_id, ReplyStatus::SystemException, number);
            }
            RequestAction::Ignore => {}
        }
    }

    pub(super) fn reply(&mut self, end: usize, message: &Message<'_>) {
        let (number, status, echoed) = match self.ends[end].initiator.receive(message).unwrap() {
            ClientEvent::Stale => return,
            ClientEvent::LocateReply(number, header, _) => {
                assert_eq!(header.status, LocateStatus::ObjectHere);
                return self.ended(number, Fate::Located);
            }
            ClientEvent::Reply(number, header, mut body) => {
                (number, header.status, body.u32().unwrap())
            }
        };
        assert_eq!(number, echoed, "the reply to another call");
        match status {
            ReplyStatus::NoException => self.ended(number, Fate::Answered),
            ReplyStatus::SystemException => self.ended(number, Fate::Refused),
            _ => {
                // Elsewhere, or named in another way: over the same connection here.
                self.forwarded += 1;
                let call = &mut self.calls[number as usize];
                call.before += std::mem::take(&mut call.executed);
                if !self.attempt(end, number) {
                    self.ended(number, Fate::Refused);
                }
            }
        }
    }

    pub(super) fn other(&mut self, end: usize, message: &Message<'_>) {
        match self.ends[end].responder.receive(message) {
            Ok(ServerEvent::Nothing) => {}
            Ok(ServerEvent::Locate(request)) => {
                let key = request.target.object_key().unwrap();
                let number = u32::from_ne_bytes(key.try_into().unwrap());
                self.ends[end].serving.push((request.request_id, number, true));
            }
            Err(ReceiveError::Closed) => {
                self.ends[end].responder.close(ClosingMessage::None);
                self.lose(end, &ConnectionLoss::Closed);
            }
            Err(fault) => panic!("{fault}"),
        }
    }

    /// One of the servants ends.
    pub(super) fn end_one(&mut self, end: usize) {
        let Ok(count @ 1..) = u32::try_from(self.ends[end].serving.len()) else { return };
        let index = self.random.below(count) as usize;
        let (id, number, asked) = self.ends[end].serving.swap_remove(index);
        if !self.ends[end].responder.finish(id) {
            return;
        }
        assert!(!self.ends[end].has_closed, "a reply after the closing_message");
        if asked {
            let message = encoded(|out| {
                begin_locate_reply(out, self.version, id, LocateStatus::ObjectHere);
                Ok(())
            });
            return self.send(end, None, &message);
        }
        let status = match (self.random.below(8), self.version >= Version::V1_2) {
            (0, _) => ReplyStatus::LocationForward,
            (1, true) => ReplyStatus::LocationForwardPerm,
            (2, true) => ReplyStatus::NeedsAddressingMode,
            _ => ReplyStatus::NoException,
        };
        self.answer(end, id, status, number);
        if self.random.below(10) == 0 {
            self.twice += 1;
            self.answer(end, id, status, number);
            if self.sending == Sending::Interleaved {
                // Behind the first, for two of one number cannot come in fragments at a time.
                let messages = &mut self.ends[end].messages;
                let (_, second) = messages.pop().unwrap();
                messages.last_mut().unwrap().1.extend(second);
            }
        }
    }

    pub(super) fn answer(&mut self, end: usize, id: u32, status: ReplyStatus, number: u32) {
        let octets = self.random.below(300) as usize;
        let message = encoded(|out| {
            begin_reply(out, self.version, id, status, &[])?;
            put_body(out, self.version, |out| {
                out.put_u32(number);
                out.copy_octets(&vec![9; octets])
            })
        });
        self.send(end, None, &message);
    }
}
