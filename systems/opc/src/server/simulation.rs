//! The plant with the groups that are told of it, and the thread that moves it.

use super::live::LiveGroup;
use super::{Limits, PlantOptions};
use crate::data_access::iopc_shutdown::{ShutdownRequest, ShutdownRequestIn};
use crate::model::{Plant, STEP, Space};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::client::Client;
use armilla_dcom::{Clock, ConnectionPoint};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Each step, a lock is taken in this order: plant, list of groups, one group.
#[derive(Debug)]
pub(super) struct Simulation {
    pub(super) limits: Limits,
    pub(super) space: Arc<Space>,
    /// Call sinks, each in its way.
    sinks: Vec<Client>,
    plant: Mutex<Plant>,
    groups: Mutex<Vec<Weak<LiveGroup>>>,
    shutdowns: Mutex<Vec<Weak<ConnectionPoint>>>,
    sessions: AtomicUsize,
    clock: Clock,
    /// What the clock said at the beginning, and when that was.
    began: (Duration, Duration),
    /// How far the plant has moved since then.
    moved: Mutex<Duration>,
    stopped: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each change is complete before anything can panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Simulation {
    pub(super) fn new(options: &PlantOptions, sinks: Vec<Client>) -> Arc<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let plant = Plant::new(options.tanks, options.counters, now);
        Arc::new(Self {
            limits: options.limits,
            space: plant.space().clone(),
            sinks,
            plant: Mutex::new(plant),
            groups: Mutex::default(),
            shutdowns: Mutex::default(),
            sessions: AtomicUsize::new(0),
            clock: options.clock.clone(),
            began: (options.clock.now(), now),
            moved: Mutex::default(),
            stopped: AtomicBool::new(false),
        })
    }

    pub(super) fn plant(&self) -> MutexGuard<'_, Plant> {
        lock(&self.plant)
    }

    /// Where the sinks of an interface connect.
    pub(super) fn connection_point(&self, iid: Uuid) -> Arc<ConnectionPoint> {
        ConnectionPoint::with_clients(iid, self.sinks.clone())
    }

    /// How long the clock runs.
    pub(super) fn now(&self) -> Duration {
        self.clock.now().saturating_sub(self.began.0)
    }

    /// The time after 1970 at the beginning, and now.
    pub(super) fn times(&self) -> (Duration, Duration) {
        (self.began.1, self.began.1 + self.now())
    }

    /// Moves the plant to the clock's time, step by step: no step of a group is left out, however
    /// late it is.
    pub(super) fn run(&self) {
        let mut moved = lock(&self.moved);
        while *moved + STEP <= self.now() {
            *moved += STEP;
            let mut plant = self.plant();
            plant.step(self.began.1 + *moved);
            for group in self.live_groups() {
                group.update(&plant, *moved);
            }
        }
    }

    pub(super) fn run_by_itself(self: &Arc<Self>) -> io::Result<()> {
        let simulation = self.clone();
        let run = move || {
            while !simulation.stopped.load(Ordering::SeqCst) {
                simulation.run();
                let next = *lock(&simulation.moved) + STEP;
                thread::sleep(next.saturating_sub(simulation.now()));
            }
        };
        thread::Builder::new().name("opc-plant".to_string()).spawn(run).map(drop)
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    fn live_groups(&self) -> Vec<Arc<LiveGroup>> {
        let mut groups = lock(&self.groups);
        let live: Vec<_> = groups.iter().filter_map(Weak::upgrade).collect();
        let live: Vec<_> = live.into_iter().filter(|group| !group.is_removed()).collect();
        *groups = live.iter().map(Arc::downgrade).collect();
        live
    }

    pub(super) fn group_count(&self) -> usize {
        self.live_groups().len()
    }

    /// Lets a group be updated.
    pub(super) fn add_group(&self, group: &Arc<LiveGroup>) -> Result<(), Status> {
        if self.live_groups().len() >= self.limits.groups {
            return Err(Status::OUT_OF_MEMORY);
        }
        lock(&self.groups).push(Arc::downgrade(group));
        Ok(())
    }

    /// Counts a session; it is counted no longer when this is dropped.
    pub(super) fn enter(self: &Arc<Self>) -> Result<Seat, Status> {
        let seat = Seat(self.clone());
        match self.sessions.fetch_add(1, Ordering::SeqCst) >= self.limits.sessions {
            true => Err(Status::OUT_OF_MEMORY),
            false => Ok(seat),
        }
    }

    /// Lets the clients of a session know when the server ends.
    pub(super) fn add_shutdown(&self, shutdown: &Arc<ConnectionPoint>) {
        let mut shutdowns = lock(&self.shutdowns);
        shutdowns.retain(|shutdown| shutdown.strong_count() > 0);
        shutdowns.push(Arc::downgrade(shutdown));
    }

    pub(super) fn announce_end(&self, reason: &str) {
        let all: Vec<_> = lock(&self.shutdowns).iter().filter_map(Weak::upgrade).collect();
        let given = ShutdownRequestIn { reason: reason.into() };
        for shutdown in all {
            shutdown.send(|sink| sink.call::<ShutdownRequest>(&given));
        }
    }
}

/// The place of a session among those that there may be.
#[derive(Debug)]
pub(super) struct Seat(Arc<Simulation>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.sessions.fetch_sub(1, Ordering::SeqCst);
    }
}
