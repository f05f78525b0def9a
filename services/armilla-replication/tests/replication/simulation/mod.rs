//! The rules of a group in a world of failures, under a seed: messages are lost before and after
//! they arrive, members die and come back, backups lose patience for no reason, the registry does
//! not answer. Whatever happens, each request is executed once in the history that survives, and
//! each of its replies is the same.

use armilla_replication::model::{
    Change, Failure, History, Journal, Kept, Limits, Member, MemberInfo, Peers, Position, Record,
    Refusal, Registry, Role, Served, State, Style, View, Welcome,
};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

const MEMBERS: usize = 3;

/// Pseudo-random numbers (xorshift64*), the same for a seed.
struct Random(Cell<u64>);

impl Random {
    fn below(&self, limit: u64) -> u64 {
        let mut state = self.0.get();
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        self.0.set(state);
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) % limit
    }

    fn one_in(&self, limit: u64) -> bool {
        self.below(limit) == 0
    }
}

/// An object that counts each request, by number. Its state is text.
#[derive(Default)]
struct Counts(RefCell<BTreeMap<u64, u32>>, Cell<Option<u64>>);

impl Counts {
    fn execute(&self, request: u64) -> Vec<u8> {
        let mut counts = self.0.borrow_mut();
        *counts.entry(request).or_default() += 1;
        self.1.set(Some(request));
        // A reply that tells the history apart.
        counts.len().to_string().into()
    }

    fn read(octets: &[u8]) -> BTreeMap<u64, u32> {
        let numbers: Vec<u64> = std::str::from_utf8(octets)
            .unwrap()
            .split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect();
        numbers.chunks(2).map(|pair| (pair[0], pair[1] as u32)).collect()
    }
}

impl State for Counts {
    fn change(&self) -> Result<Change, Failure> {
        let request = self.1.take().unwrap_or_default();
        let count = self.0.borrow().get(&request).copied().unwrap_or_default();
        Ok(Change::Update(format!("{request} {count}").into()))
    }

    fn whole(&self) -> Result<Vec<u8>, Failure> {
        let text: Vec<_> = self.0.borrow().iter().map(|(k, v)| format!("{k} {v}")).collect();
        Ok(text.join(" ").into())
    }

    fn make(&self, change: &Change) -> Result<(), Failure> {
        match change {
            Change::Update(octets) => self.0.borrow_mut().extend(Self::read(octets)),
            Change::State(octets) => *self.0.borrow_mut() = Self::read(octets),
        }
        Ok(())
    }
}

/// The disk of a place, which outlives the processes there. Sometimes the process dies while it writes,
/// before or after that is on the disk.
#[derive(Clone, Default)]
struct Disk(Arc<Mutex<Written>>);

#[derive(Default)]
struct Written {
    kept: Vec<Vec<u8>>,
    /// How many writes are left until the process dies, and whether the last one is on the disk.
    fate: Option<(u64, bool)>,
    has_died: bool,
}

impl Journal for Disk {
    fn keep(&self, kept: &Kept) -> Result<(), Failure> {
        let mut disk = self.0.lock().unwrap();
        assert!(!disk.has_died, "it writes after it has died");
        let octets = kept.to_octets().unwrap();
        match disk.fate.take() {
            Some((0, is_done)) => {
                if is_done {
                    disk.kept.push(octets);
                }
                disk.has_died = true;
                Err(Failure("it dies".into()))
            }
            fate => {
                disk.fate = fate.map(|(left, is_done)| (left - 1, is_done));
                disk.kept.push(octets);
                Ok(())
            }
        }
    }
}

impl Disk {
    fn read(&self) -> Option<History> {
        let disk = self.0.lock().unwrap();
        disk.kept.iter().fold(None, |history, octets| {
            History::follow(history, Kept::from_octets(octets).unwrap()).unwrap()
        })
    }
}

/// A member; `None` while its process is gone.
type Slot = RefCell<Option<Member<Counts>>>;

struct World {
    random: Random,
    registry: RefCell<Option<View>>,
    slots: [Slot; MEMBERS],
    /// How often something fails: one time in so many.
    trouble: Cell<u64>,
    style: Style,
    /// If members have disks.
    disks: Option<[Disk; MEMBERS]>,
}

impl World {
    fn new(seed: u64, has_disks: bool) -> Self {
        let random = Random(Cell::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1));
        let style = if random.one_in(2) { Style::ColdPassive } else { Style::WarmPassive };
        let (registry, slots) = Default::default();
        let disks = has_disks.then(Default::default);
        Self { random, registry, slots, trouble: Cell::new(8), style, disks }
    }

    fn fails(&self) -> bool {
        self.trouble.get() != 0 && self.random.one_in(self.trouble.get())
    }

    /// Passes a message on: it may be lost on the way there, or its answer on the way back.
    fn send<T>(
        &self,
        to: &MemberInfo,
        act: impl FnOnce(&mut Member<Counts>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let lost = || Refusal::Unreachable("lost".into());
        let place: usize = to.name.parse().unwrap();
        if self.fails() {
            return Err(lost());
        }
        let mut slot = self.slots[place].try_borrow_mut().map_err(|_| lost())?;
        let answer = act(slot.as_mut().filter(|it| it.me() == to).ok_or_else(lost)?);
        if self.fails() { Err(lost()) } else { answer }
    }

    /// Lets a member do something, unless its process is gone or it is already at work.
    fn with<T>(&self, place: usize, act: impl FnOnce(&mut Member<Counts>) -> T) -> Option<T> {
        self.slots[place].try_borrow_mut().ok()?.as_mut().map(act)
    }

    fn start(&self, place: usize, incarnation: u64) {
        let name = place.to_string();
        let peer = format!("{name}/{incarnation}");
        let me = MemberInfo { name, object: peer.clone(), peer };
        let mut member = Member::new(me, self.style, Limits::default(), Counts::default());
        if let Some(disks) = &self.disks {
            let disk = &disks[place];
            disk.0.lock().unwrap().has_died = false;
            let fate = self.fails().then(|| (self.random.below(20), self.random.one_in(2)));
            disk.0.lock().unwrap().fate = fate;
            member = member.with_disk(Box::new(disk.clone()), disk.read()).unwrap();
        }
        *self.slots[place].borrow_mut() = Some(member);
    }

    /// Whether the group outlives the death of a member: another one of the latest view has a state.
    fn survives(&self, place: usize) -> bool {
        let view = self.registry.borrow().clone().unwrap_or_default();
        let others = view.members.iter().filter(|it| it.name != place.to_string());
        others.into_iter().any(|other| {
            let has_state =
                |it: &mut Member<Counts>| it.me() == other && it.role() != Role::Newcomer;
            self.with(other.name.parse().unwrap(), has_state) == Some(true)
        })
    }

    /// Ends the process of a member that has died while it wrote.
    fn bury(&self) {
        for (slot, disk) in self.slots.iter().zip(self.disks.iter().flatten()) {
            if disk.0.lock().unwrap().has_died
                && let Ok(mut slot) = slot.try_borrow_mut()
            {
                *slot = None;
            }
        }
    }

    /// What a member does when it has time: a newcomer joins, a backup may lose patience.
    fn tick(&self, place: usize) {
        let role = self.with(place, |member| member.role());
        match role {
            Some(Role::Newcomer) => self.join(place),
            Some(Role::Backup) => {
                self.with(place, |member| member.take_over(self).ok());
            }
            Some(Role::Primary) => {
                self.with(place, |member| member.look(self).ok());
                let view = self.with(place, |member| member.view().clone()).unwrap();
                if self.random.one_in(4)
                    && let Some(heir) = view.members.last()
                {
                    self.with(place, |member| member.hand_over(self, &heir.name).ok());
                    return;
                }
                for backup in &view.members[1..] {
                    let beat = self.send(backup, |member| member.beat(view.version));
                    if beat.is_err() && self.random.one_in(2) {
                        self.with(place, |member| member.dismiss(self, &backup.name).ok());
                    }
                }
            }
            None => {}
        }
    }

    fn join(&self, place: usize) {
        if self.with(place, |member| member.look(self).is_ok()) != Some(true) {
            return;
        }
        let Ok(latest) = self.read() else { return };
        let Some(me) = self.with(place, |member| member.me().clone()) else { return };
        let primary = latest.as_ref().and_then(View::primary).filter(|primary| **primary != me);
        let Some(primary) = primary else {
            self.with(place, |member| member.take_over(self).ok());
            return;
        };
        let has_history = self.with(place, |member| member.has_history());
        let has_state = |primary: &mut Member<Counts>| match primary.role() {
            Role::Newcomer => Err(Refusal::Unreachable("it has no state".into())),
            _ => Ok(()),
        };
        if has_history == Some(true) && self.send(primary, has_state).is_err() {
            self.with(place, |member| member.take_over(self).ok());
            return;
        }
        let has_learned = self.with(place, |member| member.learned().is_some()) == Some(true);
        if !has_learned {
            let taught = self.send(primary, |primary| primary.teach(self, &me.name));
            let Ok(welcome) = taught else { return };
            self.with(place, |member| member.learn(&welcome).ok());
            // The group goes on while the newcomer takes the state.
            if self.random.one_in(2) {
                return;
            }
        }
        let Some(Some(last)) = self.with(place, |member| member.learned()) else { return };
        match self.send(primary, |primary| primary.admit(self, &me, last)) {
            Ok(admission) => drop(self.with(place, |member| member.join(admission).ok())),
            Err(Refusal::Behind(_)) => drop(self.with(place, |member| member.unlearn())),
            Err(_) => {}
        }
    }
}

impl Registry for World {
    fn read(&self) -> Result<Option<View>, Failure> {
        if self.fails() {
            return Err(Failure("the registry is away".into()));
        }
        Ok(self.registry.borrow().clone())
    }

    fn replace(&self, before: u32, next: &View) -> Result<bool, Failure> {
        let away = || Failure("the registry is away".into());
        if self.fails() {
            return Err(away());
        }
        let mut latest = self.registry.borrow_mut();
        let fits = latest.as_ref().map_or(0, |latest| latest.version) == before;
        if fits {
            *latest = Some(next.clone());
        }
        if self.fails() { Err(away()) } else { Ok(fits) }
    }
}

impl Peers for World {
    fn apply(&self, to: &MemberInfo, view: u32, record: &Record) -> Result<(), Refusal> {
        let octets = record.to_octets().unwrap();
        self.send(to, |member| member.apply(view, Record::from_octets(&octets).unwrap()))
    }

    fn install(&self, to: &MemberInfo, view: u32, last: Position) -> Result<(), Refusal> {
        self.send(to, |member| member.install(view, last))
    }

    fn lead(&self, to: &MemberInfo) -> Result<(), Refusal> {
        self.send(to, |member| {
            let away = |failure: Failure| Refusal::Unreachable(failure.0);
            member.lead(self).map_err(away).map(drop)
        })
    }

    fn transfer(&self, to: &MemberInfo, welcome: &Welcome) -> Result<(), Refusal> {
        self.send(to, |member| member.transfer(welcome))
    }
}

/// Runs a world under a seed. Returns the number of requests that were answered, and of views.
fn run(seed: u64, requests: u64, has_disks: bool) -> (u64, u32) {
    let world = World::new(seed, has_disks);
    let mut incarnations = MEMBERS as u64;
    (0..MEMBERS).for_each(|place| world.start(place, place as u64));
    let mut replies: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    for request in 0..requests {
        // A client sends its request again, to any member, until it has a reply.
        for attempt in 0.. {
            assert!(
                attempt < 10_000,
                "seed {seed}: request {request} is never answered: {:?} {:?}",
                world.registry.borrow(),
                world.slots
            );
            let place = world.random.below(MEMBERS as u64) as usize;
            world.bury();
            match world.random.below(12) {
                0 if has_disks || world.survives(place) => *world.slots[place].borrow_mut() = None,
                1 if world.slots[place].borrow().is_none() => {
                    incarnations += 1;
                    world.start(place, incarnations);
                }
                2..=4 => world.tick(place),
                _ => {}
            }
            let identity = Some(("client".to_owned(), request as i32, u64::MAX));
            let served = world.slots[place].try_borrow_mut().ok().and_then(|mut slot| {
                let execute = |state: &Counts| Some((0, state.execute(request)));
                Some(slot.as_mut()?.serve(&world, identity, 0, execute))
            });
            let Some(Served::Reply(0, body, _)) = served else { continue };
            if let Some(before) = replies.insert(request, body.clone()) {
                assert_eq!(before, body, "seed {seed}: request {request} has two replies");
            }
            // The reply may be lost, and the client sends once more.
            if !world.fails() {
                break;
            }
        }
    }
    check(seed, &world, requests, incarnations);
    let version = world.registry.borrow().as_ref().unwrap().version;
    (replies.len() as u64, version)
}

/// When trouble ends, the primary has executed each request once.
fn check(seed: u64, world: &World, requests: u64, incarnations: u64) {
    world.trouble.set(0);
    world.bury();
    for disk in world.disks.iter().flatten() {
        disk.0.lock().unwrap().fate = None;
    }
    // With disks all may be gone, and all come back.
    for place in (0..MEMBERS).filter(|_| world.disks.is_some()) {
        if world.slots[place].borrow().is_none() {
            world.start(place, incarnations + 1 + place as u64);
        }
    }
    for round in 0.. {
        assert!(
            round < 100,
            "seed {seed}: there is no primary of {:?}: {:?}",
            world.registry.borrow(),
            world.slots
        );
        (0..MEMBERS).for_each(|place| world.tick(place));
        let latest = world.registry.borrow().clone().unwrap();
        let place: usize = latest.members[0].name.parse().unwrap();
        let found = world.with(place, |member| {
            (member.role() == Role::Primary && *member.view() == latest)
                .then(|| member.state().0.borrow().clone())
        });
        if let Some(Some(counts)) = found {
            let expected: BTreeMap<u64, u32> = (0..requests).map(|number| (number, 1)).collect();
            assert_eq!(counts, expected, "seed {seed}");
            return;
        }
    }
}

#[test]
fn each_request_is_executed_once_whatever_fails() {
    let seeds = std::env::var("SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let (mut answered, mut views) = (0, 0);
    for seed in 1..=seeds {
        let (replies, version) = run(seed, 30, false);
        answered += replies;
        views += u64::from(version);
    }
    assert_eq!(answered, seeds * 30);
    assert!(views > seeds * 5, "the groups changed only {views} times in {seeds} worlds");
}

#[test]
fn with_disks_each_request_is_executed_once_although_all_members_die() {
    let seeds = std::env::var("SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let (mut answered, mut views) = (0, 0);
    for seed in 1..=seeds {
        let (replies, version) = run(seed, 30, true);
        answered += replies;
        views += u64::from(version);
    }
    assert_eq!(answered, seeds * 30);
    assert!(views > seeds * 5, "the groups changed only {views} times in {seeds} worlds");
}
