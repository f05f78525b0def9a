//! The two ends, the network between them, and what became of each call.

mod messages;

use crate::random::Random;
use armilla_cdr::{ByteOrder, CdrResult, Encoder};
use armilla_giop::engine::{ClosingMessage, ConnectionLoss, Initiator, Responder, Role};
use armilla_giop::{
    CompletionStatus, Framer, MessageBuffer, MessageHeader, OutgoingRequest, ResponseFlags,
    TargetAddress, Version, begin_request, cancel_request, close_connection, encode_locate_request,
    put_body,
};
use std::collections::{BTreeSet, VecDeque};

const IN_PROGRESS: usize = 6;
const IN_FLIGHT: usize = 12;

/// What a call ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    Answered,
    Located,
    Refused,
    Cancelled,
    Expired,
    Closed,
    Unsent,
    Broken,
}

/// What is known of a call.
#[derive(Debug, Default)]
struct Call {
    fate: Option<Fate>,
    /// How often servants were called for its present attempt, and for those before.
    executed: u32,
    before: u32,
}

/// How messages leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sending {
    /// One behind the other, and the engine knows how much has left.
    InOrder,
    /// Fragments of several at a time.
    Interleaved,
}

/// One end of the connection.
struct End {
    role: Role,
    framer: Framer,
    reader: MessageBuffer,
    initiator: Initiator<u32>,
    responder: Responder,
    /// Messages that are being sent, each as what is left of its fragments, with the request that
    /// it is.
    messages: Vec<(Option<u32>, VecDeque<Vec<u8>>)>,
    /// Octets that the network has yet to take.
    outbox: VecDeque<u8>,
    /// Requests that servants have: the number, the call, and whether it only asks where.
    serving: Vec<(u32, u32, bool)>,
    has_closed: bool,
}

impl End {
    fn new(role: Role, version: Version) -> Self {
        let initiator = match version >= Version::V1_2 {
            true => Initiator::bidirectional(IN_FLIGHT, role),
            false => Initiator::new(IN_FLIGHT),
        };
        Self {
            role,
            framer: Framer::new(1 << 16),
            reader: MessageBuffer::new(),
            initiator,
            responder: Responder::new(IN_PROGRESS),
            messages: Vec::new(),
            outbox: VecDeque::new(),
            serving: Vec::new(),
            has_closed: false,
        }
    }
}

pub(crate) struct World {
    random: Random,
    version: Version,
    sending: Sending,
    now: u64,
    ends: [End; 2],
    /// What the network has taken from either end.
    wires: [VecDeque<u8>; 2],
    calls: Vec<Call>,
    broken: bool,
    pub(crate) fates: BTreeSet<Fate>,
    pub(crate) twice: u32,
    pub(crate) forwarded: u32,
}

fn encoded<'p>(fill: impl FnOnce(&mut Encoder<'p>) -> CdrResult) -> Encoder<'p> {
    let mut out = Encoder::new(ByteOrder::NATIVE);
    fill(&mut out).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    out
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let version = [Version::V1_0, Version::V1_1, Version::V1_2]
            [random.below(3).max(random.below(3)) as usize];
        let interleaves = version >= Version::V1_2 && random.below(2) == 0;
        Self {
            random,
            version,
            sending: if interleaves { Sending::Interleaved } else { Sending::InOrder },
            now: 0,
            ends: [End::new(Role::Originator, version), End::new(Role::Acceptor, version)],
            wires: Default::default(),
            calls: Vec::new(),
            broken: false,
            fates: BTreeSet::new(),
            twice: 0,
            forwarded: 0,
        }
    }

    pub(crate) fn step(&mut self) {
        let end = self.random.below(2) as usize;
        match self.random.below(20) {
            0..4 => self.call(end),
            4 => self.cancel_one(end),
            5..8 => self.feed(end),
            8..12 => self.transmit(end),
            12..16 => self.arrive(end),
            16..18 => self.end_one(end),
            18 => {
                self.now += u64::from(self.random.below(30));
                self.expire(end);
            }
            _ => match self.random.below(60) {
                0 => self.close(end),
                1 => self.break_down(),
                _ => {}
            },
        }
        self.poll_closing_message(end);
    }

    fn call(&mut self, end: usize) {
        if self.ends[end].role == Role::Acceptor && self.version < Version::V1_2 {
            return;
        }
        let number = u32::try_from(self.calls.len()).unwrap();
        if self.attempt(end, number) {
            self.calls.push(Call::default());
        }
    }

    /// Sends a request for a call, or a question; `false` when the connection takes none.
    fn attempt(&mut self, end: usize, number: u32) -> bool {
        let deadline =
            (self.random.below(3) == 0).then(|| self.now + u64::from(self.random.below(200)));
        let Ok(id) = self.ends[end].initiator.begin(number, deadline) else { return false };
        assert!(self.version < Version::V1_2 || id % 2 == end as u32, "numbers of one's own");
        let target = TargetAddress::Key(b"key");
        let octets = self.random.below(400);
        let message = match self.random.below(5) {
            0 => encoded(|out| {
                encode_locate_request(
                    out,
                    self.version,
                    id,
                    TargetAddress::Key(&number.to_ne_bytes()),
                )
            }),
            _ => encoded(|out| {
                let (response, operation) = (ResponseFlags::Target, "operate");
                let header =
                    OutgoingRequest { request_id: id, response, target, operation, contexts: &[] };
                begin_request(out, self.version, &header)?;
                put_body(out, self.version, |out| {
                    out.put_u32(number);
                    out.copy_octets(&vec![7; octets as usize])
                })
            }),
        };
        self.send(end, Some(id), &message);
        true
    }

    fn cancel_one(&mut self, end: usize) {
        let id = self.random.below(60);
        let Some(number) = self.ends[end].initiator.cancel(id) else { return };
        self.ended(number, Fate::Cancelled);
        self.cancel(end, id);
    }

    fn expire(&mut self, end: usize) {
        let mut expired = Vec::new();
        let due = self.ends[end].initiator.poll_timeout();
        self.ends[end].initiator.expire(self.now, |id, number| expired.push((id, number)));
        assert!(expired.is_empty() || due.is_some_and(|due| due <= self.now));
        for (id, number) in expired {
            self.ended(number, Fate::Expired);
            self.cancel(end, id);
        }
    }

    fn cancel(&mut self, end: usize, id: u32) {
        // What has not been sent of the request never is.
        if self.sending == Sending::Interleaved {
            self.ends[end].messages.retain(|(request, _)| *request != Some(id));
        }
        let octets = cancel_request(self.version, id);
        self.queue(end, None, [octets.to_vec()].into(), octets.len());
    }

    fn ended(&mut self, number: u32, fate: Fate) {
        let call = &mut self.calls[number as usize];
        assert_eq!(call.fate.replace(fate), None, "call {number} ended twice, now {fate:?}");
        self.fates.insert(fate);
        match fate {
            Fate::Answered => assert_eq!(call.executed, 1, "call {number}"),
            Fate::Refused | Fate::Closed | Fate::Unsent | Fate::Located => {
                assert_eq!(call.executed, 0, "call {number} was executed though {fate:?}");
            }
            Fate::Cancelled | Fate::Expired | Fate::Broken => assert!(call.executed <= 1),
        }
    }

    /// An end begins to close. The client's may say so since 1.2.
    fn close(&mut self, end: usize) {
        if self.ends[end].role == Role::Acceptor || self.version >= Version::V1_2 {
            self.ends[end].responder.close(ClosingMessage::CloseConnection);
            self.ends[end].initiator.close();
        }
    }

    /// Says closing_message when nothing is owed in either direction, and everything before has
    /// left.
    fn poll_closing_message(&mut self, end: usize) {
        let this = &mut self.ends[end];
        if !this.initiator.is_idle() || !this.messages.is_empty() {
            return;
        }
        if let Some(closing_message) = this.responder.poll_closing_message() {
            assert!(this.serving.is_empty(), "a closing message before the last reply");
            assert!(!this.has_closed, "a second closing message");
            this.has_closed = true;
            if closing_message.is_some() {
                this.outbox.extend(close_connection(self.version));
            }
        }
    }

    fn break_down(&mut self) {
        self.broken = true;
        for end in [0, 1] {
            self.wires[end].clear();
            self.ends[end].responder.close(ClosingMessage::None);
            self.lose(end, &ConnectionLoss::Broken);
        }
    }

    fn lose(&mut self, end: usize, loss: &ConnectionLoss) {
        let lost: Vec<_> = self.ends[end].initiator.end(loss).collect();
        for (number, executed) in lost {
            let fate = match (executed, loss) {
                (CompletionStatus::No, ConnectionLoss::Closed) => Fate::Closed,
                (CompletionStatus::No, _) => Fate::Unsent,
                _ => Fate::Broken,
            };
            self.ended(number, fate);
        }
    }

    /// Lets everything leave, arrive and end. An end that closes does not wait for ever for
    /// replies: when both close neither gets any.
    pub(crate) fn end(&mut self) {
        self.settle();
        for end in [0, 1] {
            if self.ends[end].responder.is_closing() && !self.ends[end].initiator.is_idle() {
                self.lose(end, &ConnectionLoss::Broken);
                self.settle();
            }
        }
        for (end, this) in self.ends.iter().enumerate() {
            let waiting = this.initiator.in_flight();
            assert!(this.initiator.is_idle(), "end {end} waits for {waiting} replies");
            assert_eq!(this.responder.in_progress(), 0);
            assert!(self.broken || !this.framer.is_partial());
        }
        let open = self.calls.iter().position(|call| call.fate.is_none());
        assert_eq!(open, None, "a call without an end");
    }

    fn settle(&mut self) {
        (0..2).for_each(|end| self.poll_closing_message(end));
        let busy = |end: &End, wire: &VecDeque<u8>| {
            !(end.messages.is_empty()
                && end.outbox.is_empty()
                && end.serving.is_empty()
                && wire.is_empty())
        };
        while self.ends.iter().zip(&self.wires).any(|(end, wire)| busy(end, wire)) {
            for end in [0, 1] {
                self.feed(end);
                self.transmit(end);
                self.arrive(end);
                self.end_one(end);
                self.poll_closing_message(end);
            }
        }
        (0..2).for_each(|end| self.poll_closing_message(end));
    }
}
