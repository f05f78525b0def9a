//! Both ends of a connection under a seeded scheduler: calls in one direction or both, in pieces of any
//! size, in fragments that interleave, forwarded, named anew, given up, late; replies that come twice;
//! an end that closes while the other calls, or a network that breaks. Without sockets, threads and
//! clocks: `ARMILLA_SEED=17 cargo test -p armilla-giop --test both_ends` runs seed 17 again, alone.

mod random;

use armilla_cdr::{ByteOrder, CdrResult, Encoder};
use armilla_giop::engine::{
    ClientEvent, ClosingMessage, ConnectionLoss, Initiator, ReceiveError, RequestAction, Responder,
    Role, ServerEvent,
};
use armilla_giop::{
    CompletionStatus, Fragments, Framer, LocateStatus, Message, MessageBuffer, MessageHeader,
    MessageKind, OutgoingRequest, ReplyStatus, ResponseFlags, TargetAddress, Version,
    begin_locate_reply, begin_reply, begin_request, cancel_request, close_connection,
    decode_request, encode_locate_request, put_body,
};
use random::Random;
use std::collections::{BTreeSet, VecDeque};

const SEEDS: u64 = 200;
const STEPS: u32 = 500;
const IN_PROGRESS: usize = 6;
const IN_FLIGHT: usize = 12;

/// What a call ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Answered,
    Located,
    BeginError,
    GivenUp,
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
    said_farewell: bool,
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
            said_farewell: false,
        }
    }
}

struct World {
    random: Random,
    version: Version,
    sending: Sending,
    now: u64,
    ends: [End; 2],
    /// What the network has taken from either end.
    wires: [VecDeque<u8>; 2],
    calls: Vec<Call>,
    broken: bool,
    fates: BTreeSet<Fate>,
    twice: u32,
    forwarded: u32,
}

fn encoded<'p>(fill: impl FnOnce(&mut Encoder<'p>) -> CdrResult) -> Encoder<'p> {
    let mut out = Encoder::new(ByteOrder::NATIVE);
    fill(&mut out).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    out
}

impl World {
    fn new(seed: u64) -> Self {
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

    fn step(&mut self) {
        let end = self.random.below(2) as usize;
        match self.random.below(20) {
            0..4 => self.call(end),
            4 => self.give_up(end),
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
        self.look_for_farewell(end);
    }

    // ---- Calling -------------------------------------------------------------------------------------

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

    fn give_up(&mut self, end: usize) {
        let id = self.random.below(60);
        let Some(number) = self.ends[end].initiator.cancel(id) else { return };
        self.ended(number, Fate::GivenUp);
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
            Fate::BeginError | Fate::Closed | Fate::Unsent | Fate::Located => {
                assert_eq!(call.executed, 0, "call {number} was executed though {fate:?}");
            }
            Fate::GivenUp | Fate::Expired | Fate::Broken => assert!(call.executed <= 1),
        }
    }

    // ---- Sending -------------------------------------------------------------------------------------

    /// Sends a message, in fragments or whole.
    fn send(&mut self, end: usize, request: Option<u32>, message: &Encoder<'_>) {
        let cut = self.random.below(2) == 0;
        let fragments = cut.then(|| Fragments::of(message, 64)).flatten();
        let parts: VecDeque<Vec<u8>> = match &fragments {
            Some(fragments) => fragments.iter().map(|parts| parts.concat()).collect(),
            None => [message.to_vec()].into(),
        };
        let octets = parts.iter().map(Vec::len).sum();
        self.queue(end, request, parts, octets);
    }

    fn queue(&mut self, end: usize, request: Option<u32>, parts: VecDeque<Vec<u8>>, octets: usize) {
        let end = &mut self.ends[end];
        match (self.sending, request) {
            (Sending::Interleaved, _) => return end.messages.push((request, parts)),
            (Sending::InOrder, Some(id)) => end.initiator.queue(id, octets),
            (Sending::InOrder, None) => end.initiator.queue_other(octets),
        }
        end.outbox.extend(parts.into_iter().flatten());
    }

    /// Goes on with one of the messages that are being sent.
    fn feed(&mut self, end: usize) {
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
    fn transmit(&mut self, end: usize) {
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

    // ---- Receiving -----------------------------------------------------------------------------------

    /// Something of what the other end has sent arrives.
    fn arrive(&mut self, end: usize) {
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
                    let begun = self.ends[end].responder.begin(id, || framer.has_cancel_for(id));
                    self.request(end, &message, begun);
                }
                MessageKind::Reply | MessageKind::LocateReply => self.reply(end, &message),
                _ => self.other(end, &message),
            }
        }
        framer.return_buffer(&mut reader);
        (self.ends[end].framer, self.ends[end].reader) = (framer, reader);
    }

    fn request(&mut self, end: usize, message: &Message<'_>, begun: RequestAction) {
        let (header, mut body) = decode_request(message).unwrap();
        let number = body.u32().unwrap();
        assert!(body.octets().unwrap().iter().all(|octet| *octet == 7));
        match begun {
            RequestAction::Serve => {
                assert!(!self.ends[end].said_farewell, "begun after the closing_message");
                self.calls[number as usize].executed += 1;
                self.ends[end].serving.push((header.request_id, number, false));
            }
            RequestAction::Refuse => {
                self.answer(end, header.request_id, ReplyStatus::SystemException, number);
            }
            RequestAction::Ignore => {}
        }
    }

    fn reply(&mut self, end: usize, message: &Message<'_>) {
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
            ReplyStatus::SystemException => self.ended(number, Fate::BeginError),
            _ => {
                // Elsewhere, or named in another way: over the same connection here.
                self.forwarded += 1;
                let call = &mut self.calls[number as usize];
                call.before += std::mem::take(&mut call.executed);
                if !self.attempt(end, number) {
                    self.ended(number, Fate::BeginError);
                }
            }
        }
    }

    fn other(&mut self, end: usize, message: &Message<'_>) {
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

    // ---- Serving -------------------------------------------------------------------------------------

    /// One of the servants ends.
    fn end_one(&mut self, end: usize) {
        let Ok(count @ 1..) = u32::try_from(self.ends[end].serving.len()) else { return };
        let index = self.random.below(count) as usize;
        let (id, number, asked) = self.ends[end].serving.swap_remove(index);
        if !self.ends[end].responder.finish(id) {
            return;
        }
        assert!(!self.ends[end].said_farewell, "a reply after the closing_message");
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

    fn answer(&mut self, end: usize, id: u32, status: ReplyStatus, number: u32) {
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

    // ---- Ending --------------------------------------------------------------------------------------

    /// An end begins to close. The client's may say so since 1.2.
    fn close(&mut self, end: usize) {
        if self.ends[end].role == Role::Acceptor || self.version >= Version::V1_2 {
            self.ends[end].responder.close(ClosingMessage::CloseConnection);
            self.ends[end].initiator.close();
        }
    }

    /// Says closing_message when nothing is owed in either direction, and everything before has left.
    fn look_for_farewell(&mut self, end: usize) {
        let this = &mut self.ends[end];
        if !this.initiator.is_idle() || !this.messages.is_empty() {
            return;
        }
        if let Some(closing_message) = this.responder.poll_closing_message() {
            assert!(this.serving.is_empty(), "a closing_message before the last reply");
            assert!(!this.said_farewell, "a second closing_message");
            this.said_farewell = true;
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

    /// Lets everything leave, arrive and end. An end that closes does not wait for ever for replies:
    /// when both close neither gets any.
    fn end(&mut self) {
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
        (0..2).for_each(|end| self.look_for_farewell(end));
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
                self.look_for_farewell(end);
            }
        }
        (0..2).for_each(|end| self.look_for_farewell(end));
    }
}

#[test]
fn every_call_ends_once_with_its_own_reply_or_a_truthful_reason() {
    let seeds = match std::env::var("ARMILLA_SEED") {
        Ok(seed) => vec![seed.parse().expect("ARMILLA_SEED is a number")],
        Err(_) => (0..SEEDS).collect(),
    };
    let (mut fates, mut twice, mut forwarded) = (BTreeSet::new(), 0, 0);
    for seed in &seeds {
        let run = std::panic::catch_unwind(|| {
            let mut world = World::new(*seed);
            (0..STEPS).for_each(|_| world.step());
            world.end();
            (world.fates, world.twice, world.forwarded)
        });
        let Ok(seen) = run else { panic!("seed {seed} fails: ARMILLA_SEED={seed} runs it again") };
        fates.extend(seen.0);
        twice += seen.1;
        forwarded += seen.2;
    }
    if seeds.len() > 1 {
        use Fate::*;
        let all = [Answered, Located, BeginError, GivenUp, Expired, Closed, Unsent, Broken];
        assert!(fates.into_iter().eq(all), "some never came about");
        assert!(
            twice > 100 && forwarded > 100,
            "{twice} replies came twice, {forwarded} elsewhere"
        );
    }
}
