//! The server's end of a connection under a seeded scheduler: a client that asks, gives up and
//! goes, a network that cuts what is sent, and servants that end in any order. Without sockets,
//! threads and clocks, so a seed that fails fails again.

use crate::random;
use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::engine::{ClosingMessage, ReceiveError, RequestAction, Responder, ServerEvent};
use armilla_giop::{
    Framer, MessageBuffer, MessageHeader, MessageKind, OutgoingRequest, ResponseFlags,
    TargetAddress, Version, begin_request, cancel_request, close_connection, decode_request,
};
use random::Random;
use std::collections::{HashMap, HashSet};

const SEEDS: u64 = 200;
const IN_PROGRESS: usize = 8;

fn request(request_id: u32) -> Vec<u8> {
    let mut out = Encoder::new(ByteOrder::NATIVE);
    let response = ResponseFlags::Target;
    let (target, operation, contexts) = (TargetAddress::Key(b"key"), "operate", &[]);
    let request = OutgoingRequest { request_id, response, target, operation, contexts };
    begin_request(&mut out, Version::V1_2, &request).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    out.to_vec()
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Served,
    Replied,
    Dropped,
    Refused,
}

/// A client and a server with a network between them.
struct World {
    random: Random,
    /// What the client has sent and has not arrived.
    wire: Vec<u8>,
    sent: u32,
    cancelled: HashSet<u32>,
    framer: Framer,
    reader: MessageBuffer,
    responder: Responder,
    serving: Vec<u32>,
    fates: HashMap<u32, Fate>,
    closing_message: Option<MessageKind>,
    client_closed: bool,
}

impl World {
    fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            wire: Vec::new(),
            sent: 0,
            cancelled: HashSet::new(),
            framer: Framer::new(1 << 16),
            reader: MessageBuffer::new(),
            responder: Responder::new(IN_PROGRESS),
            serving: Vec::new(),
            fates: HashMap::new(),
            closing_message: None,
            client_closed: false,
        }
    }

    fn step(&mut self) {
        match self.random.below(12) {
            0..4 if !self.client_closed => {
                self.wire.extend(request(self.sent));
                self.sent += 1;
            }
            4 if self.sent > 0 => {
                let id = self.random.below(self.sent);
                self.wire.extend(cancel_request(Version::V1_2, id));
                self.cancelled.insert(id);
            }
            5..9 => self.arrive(),
            9..11 => self.end_one(),
            _ if self.random.below(40) == 0 => {
                self.responder.close(ClosingMessage::CloseConnection)
            }
            _ if self.random.below(40) == 0 && !self.client_closed => {
                self.wire.extend(close_connection(Version::V1_2));
                self.client_closed = true;
            }
            _ => {}
        }
        self.look_for_farewell();
    }

    /// Some of what was sent arrives, and is worked off.
    fn arrive(&mut self) {
        let space = self.framer.space_from(&mut self.reader);
        let count = (self.random.below(300) as usize).min(self.wire.len()).min(space.len());
        space[..count].copy_from_slice(&self.wire[..count]);
        self.wire.drain(..count);
        self.framer.received(count);
        while let Some(message) = self.framer.take(&mut self.reader).unwrap() {
            if message.header.kind != MessageKind::Request {
                match self.responder.receive(&message) {
                    Ok(ServerEvent::Nothing) => {}
                    Err(ReceiveError::Closed) => self.responder.close(ClosingMessage::None),
                    other => panic!("{other:?}"),
                }
                continue;
            }
            let id = decode_request(&message).unwrap().0.request_id;
            let fate = match self.responder.begin(id, || self.framer.has_cancel_for(id)) {
                RequestAction::Serve => {
                    assert!(self.closing_message.is_none(), "begun after the closing_message");
                    self.serving.push(id);
                    Fate::Served
                }
                RequestAction::Refuse => Fate::Refused,
                RequestAction::Ignore => Fate::Dropped,
            };
            assert_eq!(self.fates.insert(id, fate), None, "{id} came twice");
        }
        self.framer.return_buffer(&mut self.reader);
    }

    /// One of the servants ends.
    fn end_one(&mut self) {
        assert_eq!(self.responder.in_progress(), self.serving.len());
        assert!(self.serving.len() <= IN_PROGRESS);
        let Ok(count @ 1..) = u32::try_from(self.serving.len()) else { return };
        let id = self.serving.swap_remove(self.random.below(count) as usize);
        let given_up = self.responder.is_cancelled(id);
        assert!(!given_up || self.cancelled.contains(&id), "{id} was not given up");
        let wanted = self.responder.finish(id);
        assert_eq!(wanted, !given_up);
        assert!(self.closing_message.is_none(), "a reply after the closing_message");
        self.fates.insert(id, if wanted { Fate::Replied } else { Fate::Dropped });
    }

    fn look_for_farewell(&mut self) {
        let Some(closing_message) = self.responder.poll_closing_message() else { return };
        assert!(self.serving.is_empty(), "a closing_message before the last reply");
        assert!(self.closing_message.is_none(), "a second closing_message");
        let kind = closing_message.map(|octets| MessageHeader::decode(&octets).unwrap().kind);
        self.closing_message = Some(kind.unwrap_or(MessageKind::MessageError));
    }

    /// Lets everything arrive and end, and the connection close.
    fn end(&mut self) {
        while !self.wire.is_empty() {
            self.arrive();
            self.end_one();
            self.look_for_farewell();
        }
        self.responder.close(ClosingMessage::CloseConnection);
        while !self.serving.is_empty() {
            self.end_one();
        }
        self.look_for_farewell();
        assert!(
            self.closing_message.is_some(),
            "the connection closes when nothing is owed any more"
        );
        assert!(!self.framer.is_partial());
    }
}

#[test]
fn every_request_is_begun_once_or_never_and_nothing_follows_the_farewell() {
    let mut seen = HashSet::new();
    for seed in 0..SEEDS {
        let run = std::panic::catch_unwind(|| {
            let mut world = World::new(seed);
            (0..400).for_each(|_| world.step());
            world.end();
            for id in 0..world.sent {
                match world.fates.get(&id) {
                    Some(Fate::Replied | Fate::Refused) => {}
                    // Nobody is without a reply who has not asked for it, or was told.
                    _ => assert!(world.cancelled.contains(&id) || world.closing_message.is_some()),
                }
            }
            world.fates.into_values().collect::<Vec<_>>()
        });
        match run {
            Ok(fates) => seen.extend(fates.into_iter().map(|fate| format!("{fate:?}"))),
            Err(_) => panic!("seed {seed} fails"),
        }
    }
    for fate in [Fate::Replied, Fate::Dropped, Fate::Refused] {
        assert!(seen.contains(&format!("{fate:?}")), "{fate:?} never came about");
    }
}
