//! The world in which simulated members live: what is lost in it, who dies, and what time it is where.

use super::object::{Counts, Disk, Random};
use armilla_replication::model::{
    Clock, Failure, Lease, Limits, Member, MemberInfo, Peers, Position, Record, Refusal, Registry,
    Role, State, Style, View, Welcome,
};
use std::cell::{Cell, RefCell};

pub(super) const MEMBERS: usize = 3;

/// For how long backups promise not to take over.
const PROMISE: u64 = 2_100_000;

/// How long a step takes at most: one of these, in each world.
const STEPS: [u64; 3] = [300_000, 150_000, 60_000];

/// How fast clocks go, in hundredths: most often as wrong as they may.
const RATES: [u64; 6] = [95, 95, 98, 101, 105, 105];

/// A mistake that somebody has made, and that is to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mistake {
    /// There is none.
    None,
    /// The primary relies on promises for longer than they hold.
    LongLease,
    /// Clocks go wrong by more than they may.
    WildClocks,
    /// A backup says that it has what it has not.
    Forgets,
    /// A backup executes a request that it has executed.
    Twice,
    /// The primary replies before it has told the backups.
    Early,
}

/// A member; `None` while its process is gone.
type Slot = RefCell<Option<Member<Counts>>>;

pub(super) struct World {
    pub(super) random: Random,
    pub(super) registry: RefCell<Option<View>>,
    pub(super) slots: [Slot; MEMBERS],
    /// How often something fails: one time in so many.
    pub(super) trouble: Cell<u64>,
    style: Style,
    /// If members have disks.
    pub(super) disks: Option<[Disk; MEMBERS]>,
    /// A place that reaches no other one and no registry, but clients.
    cut_off: Cell<Option<usize>>,
    time: Cell<u64>,
    most_of_a_step: u64,
    /// What the clocks of the places show at the beginning, and how fast they go, in hundredths.
    clocks: [(u64, u64); MEMBERS],
    pub(super) mistake: Mistake,
    /// Whether servants deviate now and then.
    pub(super) has_bad_servants: bool,
    pub(super) incarnations: Cell<u64>,
    /// How many reads members that are gone have answered alone, and how often one has deviated.
    pub(super) past: Cell<(u64, u64)>,
}

impl World {
    pub(super) fn new(seed: u64, style: Style, has_disks: bool, mistake: Mistake) -> Self {
        let random = Random::new(seed);
        let (registry, slots, cut_off, time, past) = Default::default();
        let disks = has_disks.then(Default::default);
        let rate = || match (mistake, RATES[random.below(RATES.len() as u64) as usize]) {
            (Mistake::WildClocks, rate) if rate < 100 => 70,
            (Mistake::WildClocks, _) => 140,
            (_, rate) => rate,
        };
        let clocks = [(); MEMBERS].map(|()| (random.below(1 << 40), rate()));
        let most_of_a_step = STEPS[random.below(STEPS.len() as u64) as usize];
        let trouble = if random.one_in(2) { 8 } else { 40 };
        let (trouble, incarnations) = (Cell::new(trouble), Cell::new(0));
        let has_bad_servants = false;
        Self {
            random,
            registry,
            slots,
            trouble,
            style,
            disks,
            cut_off,
            time,
            most_of_a_step,
            clocks,
            mistake,
            has_bad_servants,
            incarnations,
            past,
        }
    }

    /// The world as the member at a place sees it.
    pub(super) const fn at(&self, place: usize) -> At<'_> {
        At(self, place)
    }

    pub(super) fn fails(&self) -> bool {
        self.trouble.get() != 0 && self.random.one_in(self.trouble.get())
    }

    /// Lets time pass.
    pub(super) fn pass(&self, most: u64) {
        self.time.set(self.time.get() + self.random.below(most + 1));
    }

    pub(super) fn step(&self) {
        match self.cut_off.get() {
            None if self.trouble.get() != 0 && self.random.one_in(50) => {
                self.cut_off.set(Some(self.random.below(MEMBERS as u64) as usize));
            }
            Some(_) if self.trouble.get() == 0 || self.random.one_in(50) => self.cut_off.set(None),
            _ => {}
        }
        self.pass(self.most_of_a_step);
    }

    /// A process stands still, for longer than promises last or not, most often about as long.
    pub(super) fn stand(&self) {
        if self.random.one_in(2) {
            self.pass(2 * PROMISE);
        } else {
            self.time.set(self.time.get() + PROMISE * 9 / 10);
            self.pass(PROMISE / 5);
        }
    }

    /// Passes a message on: it may be lost on the way there, or its answer on the way back.
    fn send<T>(
        &self,
        from: usize,
        to: &MemberInfo,
        act: impl FnOnce(&mut Member<Counts>, &At<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let lost = || Refusal::Unreachable("lost".into());
        let place: usize = to.name.parse().unwrap();
        self.pass(self.most_of_a_step / 10);
        if self.fails() || [from, place].map(Some).contains(&self.cut_off.get()) {
            return Err(lost());
        }
        let mut slot = self.slots[place].try_borrow_mut().map_err(|_| lost())?;
        let member = slot.as_mut().filter(|it| it.me() == to).ok_or_else(lost)?;
        let answer = act(member, &self.at(place));
        self.pass(self.most_of_a_step / 10);
        if self.fails() { Err(lost()) } else { answer }
    }

    /// Lets a member do something, unless its process is gone or it is already at work.
    pub(super) fn with<T>(
        &self,
        place: usize,
        act: impl FnOnce(&mut Member<Counts>) -> T,
    ) -> Option<T> {
        self.slots[place].try_borrow_mut().ok()?.as_mut().map(act)
    }

    /// Starts a process, if there is none.
    pub(super) fn start(&self, place: usize) {
        let Ok(mut slot) = self.slots[place].try_borrow_mut() else { return };
        if slot.is_some() {
            return;
        }
        let name = place.to_string();
        self.incarnations.set(self.incarnations.get() + 1);
        let peer = format!("{name}/{}", self.incarnations.get());
        let me = MemberInfo { name, object: peer.clone(), peer };
        let counts = Counts::default();
        if self.has_bad_servants && self.fails() {
            counts.deviates_after.set(Some(self.random.below(40) as u32));
        }
        let lease = match self.mistake {
            Mistake::LongLease => Lease { promise: PROMISE, trust: PROMISE * 3 / 2 },
            _ => Lease::of(PROMISE),
        };
        let mut member = Member::new(me, self.style, Limits::default(), counts).with_lease(lease);
        if let Some(disks) = &self.disks {
            let disk = &disks[place];
            disk.0.lock().unwrap().has_died = false;
            let fate = self.fails().then(|| (self.random.below(20), self.random.one_in(2)));
            disk.0.lock().unwrap().fate = fate;
            let now = self.at(place).elapsed();
            member = member.with_disk(Box::new(disk.clone()), disk.read(), now).unwrap();
        }
        *slot = Some(member);
    }

    /// Ends a process, unless it stands still.
    pub(super) fn kill(&self, place: usize) {
        if let Ok(mut slot) = self.slots[place].try_borrow_mut()
            && let Some(member) = slot.take()
        {
            let (alone, deviated) = self.past.get();
            self.past.set((alone + member.reads().0, deviated + member.deviated()));
        }
    }

    /// How many reads were answered alone, and how often members have deviated.
    pub(super) fn seen(&self) -> (u64, u64) {
        (0..MEMBERS).for_each(|place| self.kill(place));
        self.past.get()
    }

    /// Whether the group outlives the death of a member: another one of the latest view has a state.
    pub(super) fn survives(&self, place: usize) -> bool {
        let view = self.registry.borrow().clone().unwrap_or_default();
        let others = view.members.iter().filter(|it| it.name != place.to_string());
        others.into_iter().any(|other| {
            let has_state =
                |it: &mut Member<Counts>| it.me() == other && it.role() != Role::Newcomer;
            self.with(other.name.parse().unwrap(), has_state) == Some(true)
        })
    }

    /// Ends the processes of members that have died while they wrote.
    pub(super) fn bury(&self) {
        for (place, disk) in self.disks.iter().flatten().enumerate() {
            let has_died = disk.0.lock().unwrap().has_died;
            if has_died {
                self.kill(place);
            }
        }
    }

    /// What a member does when it has time: a newcomer joins, a backup may lose patience.
    pub(super) fn tick(&self, place: usize) {
        let here = self.at(place);
        match self.with(place, |member| member.role()) {
            Some(Role::Newcomer) => self.join(place),
            Some(Role::Backup) => {
                self.with(place, |member| {
                    member.withhold(self.random.one_in(2));
                    member.take_over(&here).ok()
                });
            }
            Some(Role::Primary) => {
                self.with(place, |member| member.look(&here).ok());
                let view = self.with(place, |member| member.view().clone()).unwrap();
                if self.random.one_in(8)
                    && let Some(heir) = view.members.last()
                {
                    self.with(place, |member| member.hand_over(&here, &heir.name).ok());
                    return;
                }
                self.beat(place, &view);
            }
            None => {}
        }
    }

    /// The primary tells its backups that it lives. It does other things until they have answered.
    fn beat(&self, place: usize, view: &View) {
        let here = self.at(place);
        let Some(asks) = self.with(place, |member| member.asks_for()) else { return };
        for backup in view.members.iter().skip(1) {
            let asked = here.elapsed();
            let promise =
                |it: &mut Member<Counts>, at: &At<'_>| it.promise(view.version, asks, at.elapsed());
            match self.send(place, backup, promise) {
                Ok(true) => drop(self.with(place, |member| {
                    member.note_promises(view.version, asked, std::slice::from_ref(backup));
                })),
                Ok(false) => {}
                Err(_) if self.random.one_in(2) => {
                    self.with(place, |member| member.dismiss(&here, &backup.name).ok());
                }
                Err(_) => {}
            }
        }
    }

    fn join(&self, place: usize) {
        let here = self.at(place);
        if self.with(place, |member| member.look(&here).is_ok()) != Some(true) {
            return;
        }
        let Ok(latest) = here.read() else { return };
        let Some(me) = self.with(place, |member| member.me().clone()) else { return };
        let primary = latest.as_ref().and_then(View::primary).filter(|primary| **primary != me);
        let Some(primary) = primary else {
            self.with(place, |member| member.take_over(&here).ok());
            return;
        };
        let has_history = self.with(place, |member| member.has_history());
        let has_state = |primary: &mut Member<Counts>, _: &At<'_>| match primary.role() {
            Role::Newcomer => Err(Refusal::Unreachable("it has no state".into())),
            _ => Ok(()),
        };
        if has_history == Some(true) && self.send(place, primary, has_state).is_err() {
            self.with(place, |member| member.take_over(&here).ok());
            return;
        }
        let has_learned = self.with(place, |member| member.learned().is_some()) == Some(true);
        if !has_learned {
            let taught = self.send(place, primary, |primary, there| primary.teach(there, &me.name));
            let Ok(welcome) = taught else { return };
            self.with(place, |member| member.learn(&welcome).ok());
            // The group goes on while the newcomer takes the state.
            if self.random.one_in(2) {
                return;
            }
        }
        let Some(Some(last)) = self.with(place, |member| member.learned()) else { return };
        match self.send(place, primary, |primary, there| primary.admit(there, &me, last)) {
            Ok(admission) => drop(self.with(place, |member| member.join(admission).ok())),
            Err(Refusal::Behind(_)) => drop(self.with(place, |member| member.unlearn())),
            Err(_) => {}
        }
    }
}

/// The world as one of its members sees it.
pub(super) struct At<'w>(&'w World, usize);

impl Clock for At<'_> {
    fn elapsed(&self) -> u64 {
        let (begun, rate) = self.0.clocks[self.1];
        begun + self.0.time.get() * rate / 100
    }
}

impl At<'_> {
    fn has_no_registry(&self) -> bool {
        self.0.fails() || self.0.cut_off.get() == Some(self.1)
    }
}

impl Registry for At<'_> {
    fn read(&self) -> Result<Option<View>, Failure> {
        if self.has_no_registry() {
            return Err(Failure("the registry is away".into()));
        }
        Ok(self.0.registry.borrow().clone())
    }

    fn replace(&self, before: u32, next: &View) -> Result<bool, Failure> {
        let away = || Failure("the registry is away".into());
        if self.has_no_registry() {
            return Err(away());
        }
        let mut latest = self.0.registry.borrow_mut();
        let fits = latest.as_ref().map_or(0, |latest| latest.version) == before;
        if fits {
            *latest = Some(next.clone());
        }
        if self.0.fails() { Err(away()) } else { Ok(fits) }
    }
}

impl Peers for At<'_> {
    fn apply(&self, to: &MemberInfo, view: u32, records: &[Record]) -> Result<(), Refusal> {
        let octets: Vec<_> = records.iter().map(|record| record.to_octets().unwrap()).collect();
        let world = self.0;
        if world.mistake == Mistake::Forgets && world.fails() {
            return Ok(());
        }
        world.send(self.1, to, |member, _| {
            let records: Vec<_> =
                octets.iter().map(|record| Record::from_octets(record).unwrap()).collect();
            if world.mistake == Mistake::Twice && member.role() == Role::Backup && world.fails() {
                member.state().execute(&records[0]);
            }
            member.apply(view, records)
        })
    }

    fn install(&self, to: &MemberInfo, view: u32, last: Position) -> Result<(), Refusal> {
        self.0.send(self.1, to, |member, _| member.install(view, last))
    }

    fn lead(&self, to: &MemberInfo) -> Result<(), Refusal> {
        self.0.send(self.1, to, |member, there| {
            let away = |failure: Failure| Refusal::Unreachable(failure.0);
            member.lead(there).map_err(away).map(drop)
        })
    }

    fn transfer(&self, to: &MemberInfo, welcome: &Welcome) -> Result<(), Refusal> {
        self.0.send(self.1, to, |member, _| member.transfer(welcome))
    }

    fn confirm(&self, to: &MemberInfo, view: u32, promise: u64) -> Result<bool, Refusal> {
        self.0.send(self.1, to, |member, there| member.promise(view, promise, there.elapsed()))
    }
}
