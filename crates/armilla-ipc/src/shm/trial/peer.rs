//! The peer of a trial, which takes the steps of a script and knows what the stream should have seen
//! of them; and the system between the two, of which it answers what concerns the stream.

use super::{HEADER, MOST};
use crate::SendError;
use crate::shm::region::Region;
use crate::shm::ring::{
    AWAKE, Consumer, DOORBELL, FUTEX, Producer, READER_CLOSED, RESET, Side, WRITER_CLOSED,
};
use rustix::event::PollFlags;
use std::io::{self, ErrorKind};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::{mem, ptr};

/// The most steps of a script, so that one script ends soon.
const MOST_STEPS: usize = 400;

/// Its bytes go through ring 1, those of the stream through ring 0.
pub(super) struct Peer {
    memory: Region,
    script: Script,
    producer: Producer,
    consumer: Consumer,
    pub(super) moved: Moved,
    /// For what is read.
    buffer: Vec<u8>,
    /// Whether it has written no word that a correct peer would not have written.
    keeps_rules: bool,
    /// Whether it has woken the stream each time that it should.
    is_prompt: bool,
    /// Whether a transfer may fail: one of the sides has ended something.
    pub(super) may_fail: bool,
    /// It writes no more, or nothing at all any more.
    wrote_last: bool,
    is_gone: bool,
    /// The stream has shut its direction of the socket down.
    not_read: bool,
    /// It takes a step with each call of the system by the stream, and not only while it sleeps.
    is_busy: bool,
    /// Bytes in the socket to the stream, and whether somebody was woken at a word of it.
    bells: u32,
    has_woken: bool,
    /// How often the stream has rung, and woken at a word.
    rung: u32,
    woken: u32,
    /// How it sleeps, and how often the stream had woken in that way before.
    as_consumer: Option<Sleep>,
    as_producer: Option<Sleep>,
}

/// A sleep of the peer.
#[derive(Clone, Copy)]
struct Sleep {
    how: u32,
    woken_before: u32,
}

/// How many bytes each side has written and read.
#[derive(Clone, Copy, Default)]
pub(super) struct Moved {
    pub(super) by_peer: u64,
    pub(super) received: u64,
    pub(super) sent: u64,
    pub(super) read_by_peer: u64,
}

/// What a sleeping stream sees of a step.
enum Meanwhile {
    /// It sleeps on, unless it was woken.
    Step,
    Interrupted,
    SliceOver,
    TimeOver,
}

impl Peer {
    pub(super) fn new(memory: Region) -> Self {
        let producer = Producer::new(memory.capacities(1));
        let consumer = Consumer::new(memory.capacities(0));
        Self {
            memory,
            script: Script::default(),
            producer,
            consumer,
            moved: Moved::default(),
            buffer: Vec::new(),
            keeps_rules: true,
            is_prompt: true,
            may_fail: false,
            wrote_last: false,
            is_gone: false,
            not_read: false,
            is_busy: false,
            bells: 0,
            has_woken: false,
            rung: 0,
            woken: 0,
            as_consumer: None,
            as_producer: None,
        }
    }

    /// A new peer in the same memory, in the state in which a stream begins.
    pub(super) fn anew(self, data: &[u8]) -> Self {
        let Self { memory, mut script, buffer, .. } = self;
        for ring in [0, 1].map(|which| memory.ring(which)) {
            ring.forge(0, 0);
            ring.forge_move(0);
            ring.forge_control([0; 4]);
        }
        script.begin(data);
        Self { script, buffer, ..Self::new(memory) }
    }

    /// The next step of the script.
    pub(super) fn next(&mut self) -> Option<u8> {
        self.script.steps += 1;
        if self.script.steps > MOST_STEPS {
            return None;
        }
        self.script.octet()
    }

    pub(super) fn number(&mut self) -> u64 {
        self.script.number()
    }

    pub(super) fn count(&mut self) -> usize {
        self.script.number() as usize % MOST
    }

    /// What the peer alone does.
    pub(super) fn act(&mut self, step: u8) {
        let count = if step < 6 { self.count() } else { 0 };
        if self.is_gone && self.keeps_rules {
            return;
        }
        match step {
            0 | 1 => self.writes(count, true),
            2 => self.writes(count, false),
            3 | 4 => self.reads(count, true),
            5 => self.reads(count, false),
            _ => self.forges(),
        }
    }

    /// Writes, and moves as it likes.
    fn writes(&mut self, count: usize, wakes: bool) {
        if self.wrote_last && self.keeps_rules {
            return;
        }
        let ring = self.memory.ring(1);
        if self.as_producer.take().is_some() {
            ring.clear_sleep(Side::Producer);
        }
        let Ok(room) = self.producer.room(ring, u64::MAX) else { return };
        if count.is_multiple_of(3) && self.producer.has_left_other_area() {
            self.producer.move_to(ring, self.producer.area().other());
        }
        let room = self.producer.room(ring, 0).unwrap_or(room).min(self.producer.capacity());
        let bytes = pattern(self.moved.by_peer, count.min(room as usize));
        self.memory.write((1, self.producer.area()), self.producer.position(), bytes);
        self.producer.publish(ring, bytes.len() as u64);
        self.moved.by_peer += bytes.len() as u64;
        let woken = if wakes { ring.sleeper(Side::Consumer) } else { AWAKE };
        self.is_prompt &= wakes || bytes.is_empty();
        self.wakes(woken);
    }

    fn reads(&mut self, count: usize, wakes: bool) {
        let ring = self.memory.ring(0);
        if self.as_consumer.take().is_some() {
            ring.clear_sleep(Side::Consumer);
        }
        let found = self.consumer.available(ring, u64::MAX);
        let Ok(available) = found else {
            return assert!(!self.keeps_rules, "the stream broke the protocol");
        };
        let mut buffer = mem::take(&mut self.buffer);
        buffer.resize(count.min(available as usize), 0);
        let at = (0, self.consumer.area());
        self.memory.read(at, self.consumer.position(), &mut buffer);
        self.consumer.release(ring, buffer.len() as u64);
        if self.keeps_rules {
            let expected = pattern(self.moved.read_by_peer, buffer.len());
            assert!(buffer == expected, "the stream sent other bytes");
        }
        self.moved.read_by_peer += buffer.len() as u64;
        let woken = match wakes {
            true => ring.producer_with_room(self.consumer.room_given()),
            false => AWAKE,
        };
        self.is_prompt &= wakes || buffer.is_empty();
        self.buffer = buffer;
        self.wakes(woken);
    }

    /// Wakes the stream, which sleeps in this way.
    fn wakes(&mut self, how: u32) {
        match how {
            AWAKE => {}
            DOORBELL => self.bells += 1,
            _ => self.has_woken = true,
        }
    }

    /// Writes any numbers to the shared words.
    fn forges(&mut self) {
        (self.keeps_rules, self.may_fail) = (false, true);
        let what = self.script.octet().unwrap_or(0);
        let which = self.number() as usize & 1;
        let mut left = [2, 1, 4][usize::from(what % 3)];
        let numbers = [(); 4].map(|()| {
            let there = left > 0;
            left -= i32::from(there);
            if there { self.number() } else { 0 }
        });
        let ring = self.memory.ring(which);
        match what % 3 {
            0 => ring.forge(numbers[0], numbers[1]),
            1 => ring.forge_move(numbers[0]),
            _ => ring.forge_control(numbers.map(|number| number as u32)),
        }
    }

    /// Ends something, wakes in vain, or goes to sleep.
    pub(super) fn ends(&mut self, how: u64) {
        if self.is_gone {
            return;
        }
        match how % 8 {
            0 => self.sets(1, WRITER_CLOSED),
            1 => self.sets(0, READER_CLOSED),
            4 => self.sets(1, WRITER_CLOSED | RESET),
            5 => {
                self.may_fail = true;
                self.is_gone = true;
            }
            6 if (how / 8).is_multiple_of(2) => self.bells += 1,
            6 => self.is_busy ^= true,
            7 => self.sleeps(how / 8),
            _ => {}
        }
    }

    fn sets(&mut self, which: usize, flags: u32) {
        self.may_fail = true;
        self.wrote_last |= which == 1;
        let ring = self.memory.ring(which);
        ring.end(flags);
        let (theirs, own, sleep) = match which {
            1 => (Side::Consumer, Side::Producer, &mut self.as_producer),
            _ => (Side::Producer, Side::Consumer, &mut self.as_consumer),
        };
        ring.sleeper(own);
        *sleep = None;
        let woken = ring.sleeper(theirs);
        self.wakes(woken);
    }

    /// Announces a sleep, and looks once more.
    fn sleeps(&mut self, how: u64) {
        let (how, woken_before) =
            if how & 1 == 0 { (FUTEX, self.woken) } else { (DOORBELL, self.rung) };
        let sleep = Some(Sleep { how, woken_before });
        let (incoming, outgoing) = (self.memory.ring(0), self.memory.ring(1));
        if how & 2 == 0 {
            incoming.announce_sleep(Side::Consumer, how);
            self.as_consumer = sleep;
        } else {
            outgoing.announce_room_needed(self.room_needed() as u32);
            outgoing.announce_sleep(Side::Producer, how);
            self.as_producer = sleep;
        }
        if self.has_bytes() {
            self.as_consumer = None;
        }
        if self.has_room() {
            self.as_producer = None;
        }
    }

    /// Whether the stream has written something for it, or nothing more.
    fn has_bytes(&mut self) -> bool {
        let ring = self.memory.ring(0);
        self.consumer.available(ring, u64::MAX) != Ok(0) || ring.ended() & WRITER_CLOSED != 0
    }

    fn room_needed(&self) -> u64 {
        self.producer.capacity() / 2
    }

    /// Whether it could go on writing, or need not.
    fn has_room(&mut self) -> bool {
        let (ring, needed) = (self.memory.ring(1), self.room_needed());
        self.producer.room(ring, needed).map_or(true, |room| room >= needed)
            || ring.ended() & READER_CLOSED != 0
    }

    /// Checks that the stream has woken it if there is something for it.
    ///
    /// # Panics
    /// If it sleeps on.
    pub(super) fn check_sleep(&mut self) {
        if !self.keeps_rules || self.is_gone {
            return;
        }
        if let Some(sleep) = self.as_consumer
            && self.has_bytes()
        {
            assert!(self.was_woken(sleep), "the peer waits for bytes that are there");
            self.as_consumer = None;
        }
        if let Some(sleep) = self.as_producer
            && self.has_room()
        {
            assert!(self.was_woken(sleep), "the peer waits for room that is there");
            self.as_producer = None;
        }
    }

    /// Checks what the stream has received into a buffer.
    ///
    /// # Panics
    /// If that is not what the peer has written.
    pub(super) fn check_received(&mut self, received: io::Result<usize>, buffer: &[u8]) {
        let at_end = match received {
            Ok(count) => {
                assert!(count <= buffer.len());
                let expected = pattern(self.moved.received, count);
                let is_right = !self.keeps_rules || &buffer[..count] == expected;
                assert!(is_right, "other bytes were received");
                self.moved.received += count as u64;
                count == 0 && !buffer.is_empty()
            }
            Err(error) => {
                self.check_failure(&error);
                error.kind() == ErrorKind::ConnectionReset
            }
        };
        if self.keeps_rules {
            let unread = self.moved.by_peer.checked_sub(self.moved.received);
            assert!(unread.is_some(), "more was received than written");
            let may_end = !at_end || self.may_fail && (self.not_read || unread == Some(0));
            assert!(may_end, "the stream ended before its last bytes");
        }
    }

    /// Checks how much of `most` bytes the stream has sent.
    ///
    /// # Panics
    /// If that cannot be.
    pub(super) fn check_sent(&mut self, sent: Result<usize, SendError>, most: usize) {
        let count = sent.unwrap_or_else(|error| {
            self.check_failure(&error.source);
            error.sent
        });
        assert!(count <= most);
        self.moved.sent += count as u64;
    }

    fn check_failure(&self, error: &io::Error) {
        let is_patient = matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        let is_right = error.kind() != ErrorKind::InvalidData || !self.keeps_rules;
        assert!(is_patient || self.may_fail && is_right, "a correct peer earns {error}");
    }

    fn was_woken(&self, sleep: Sleep) -> bool {
        let woken = if sleep.how == DOORBELL { self.rung } else { self.woken };
        woken > sleep.woken_before
    }

    /// Checks that a stream that sleeps on, as one side of a ring, has nothing to do there.
    ///
    /// # Panics
    /// If it has.
    pub(super) fn check_stream(&mut self, side: Side) {
        if !self.keeps_rules || !self.is_prompt {
            return;
        }
        if side == Side::Consumer {
            let unread = self.moved.by_peer - self.moved.received;
            assert!(unread == 0, "the stream waits for {unread} bytes that are there");
        } else {
            let unread = self.consumer.available(self.memory.ring(0), u64::MAX);
            assert!(unread != Ok(0), "the stream waits for room that is there");
        }
    }

    /// The side to which a word belongs on which the stream sleeps; it has mapped it elsewhere.
    fn side_of(&self, word: &AtomicU32) -> Side {
        let place = |word: &AtomicU32| ptr::from_ref(word).addr() % HEADER;
        let is_producer = place(word) == place(self.memory.ring(0).word(Side::Producer));
        if is_producer { Side::Producer } else { Side::Consumer }
    }
}

/// The system.
impl Peer {
    /// The events of the socket of the stream.
    pub(super) fn events(&mut self, interest: PollFlags) -> PollFlags {
        self.acts_if_busy();
        self.events_now(interest)
    }

    fn events_now(&self, interest: PollFlags) -> PollFlags {
        let mut events = PollFlags::empty();
        let has_bytes = self.bells > 0 || self.is_gone || self.not_read;
        events.set(PollFlags::IN, has_bytes && interest.contains(PollFlags::IN));
        events.set(PollFlags::HUP, self.is_gone);
        events
    }

    pub(super) fn sleep_at_socket(&mut self, interest: PollFlags) -> io::Result<PollFlags> {
        // Who sleeps without interest is either side.
        let side = interest.contains(PollFlags::IN).then_some(Side::Consumer);
        loop {
            let events = self.events_now(interest);
            if !events.is_empty() {
                return Ok(events);
            }
            if !self.lets_sleep(side)?.unwrap_or(false) {
                return Ok(events);
            }
        }
    }

    pub(super) fn sleep_on(&mut self, word: &AtomicU32, expected: u32) -> io::Result<bool> {
        let side = Some(self.side_of(word));
        self.has_woken = false;
        while word.load(SeqCst) == expected && !self.has_woken {
            match self.lets_sleep(side)? {
                Some(true) => {}
                Some(false) => return Ok(true),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Whether the stream sleeps on, and is not interrupted; `None` if a slice is over, and an error
    /// if its time is.
    fn lets_sleep(&mut self, side: Option<Side>) -> io::Result<Option<bool>> {
        let meanwhile = self.meanwhile();
        if matches!(meanwhile, Meanwhile::SliceOver | Meanwhile::TimeOver) {
            side.into_iter().for_each(|side| self.check_stream(side));
        }
        match meanwhile {
            Meanwhile::Step => Ok(Some(true)),
            Meanwhile::Interrupted => Ok(Some(false)),
            Meanwhile::SliceOver => Ok(None),
            Meanwhile::TimeOver => Err(ErrorKind::TimedOut.into()),
        }
    }

    fn acts_if_busy(&mut self) {
        if self.is_busy {
            self.meanwhile();
        }
    }

    /// What happens while the stream sleeps. Behind the end of the script its time is over.
    fn meanwhile(&mut self) -> Meanwhile {
        match self.next().map(|step| step % 16) {
            Some(step @ (0..=5 | 14)) => self.act(step),
            Some(15) => {
                let how = self.number();
                self.ends(how);
            }
            Some(6 | 7) => return Meanwhile::Interrupted,
            Some(8..=11) => return Meanwhile::SliceOver,
            Some(_) | None => return Meanwhile::TimeOver,
        }
        Meanwhile::Step
    }

    /// Whether the peer is there.
    pub(super) fn drain_doorbell(&mut self) -> bool {
        self.acts_if_busy();
        let rang = mem::take(&mut self.bells) > 0;
        rang || !self.is_gone && !self.not_read
    }

    pub(super) fn is_rung(&mut self) {
        self.rung += 1;
    }

    pub(super) fn is_woken(&mut self) {
        self.woken += 1;
    }

    /// The stream reads no more.
    pub(super) fn is_not_read(&mut self) {
        self.not_read = true;
    }
}

/// What is left of a script; behind its end are zeros.
#[derive(Default)]
struct Script {
    octets: Vec<u8>,
    at: usize,
    steps: usize,
}

impl Script {
    fn begin(&mut self, octets: &[u8]) {
        self.octets.clear();
        self.octets.extend_from_slice(octets);
        (self.at, self.steps) = (0, 0);
    }

    fn octet(&mut self) -> Option<u8> {
        let octet = self.octets.get(self.at).copied()?;
        self.at += 1;
        Some(octet)
    }

    /// A number of any size: the first octet says how many follow.
    fn number(&mut self) -> u64 {
        let count = self.octet().unwrap_or(0);
        let value =
            (0..count % 9).fold(0, |value, _| value << 8 | u64::from(self.octet().unwrap_or(0)));
        // Close to the greatest there is, too.
        if count & 0x80 == 0 { value } else { !value }
    }
}

/// The bytes of an endless sequence from a position on; no size of a ring is a multiple of its
/// period.
pub(super) fn pattern(position: u64, count: usize) -> &'static [u8] {
    const PERIOD: usize = 251;
    static BYTES: LazyLock<Vec<u8>> =
        LazyLock::new(|| (0..PERIOD + MOST).map(|at| (at % PERIOD) as u8).collect());
    &BYTES[(position % PERIOD as u64) as usize..][..count]
}
