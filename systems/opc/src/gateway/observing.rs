//! Those that are told of changes: a thread for each.

use super::values;
use crate::client::{self, GroupOptions, Sinks, Target, Told, Watch};
use crate::idl::opc::{Observer as _, ObserverRef};
use armilla::SystemException;
use armilla_dcom::client::Client;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How many there may be.
const MOST: usize = 64;
/// How long one may take for a call.
const TIME_LIMIT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone)]
pub(super) struct Observers {
    client: Client,
    target: Target,
    sinks: Option<Arc<Sinks>>,
    all: Arc<Mutex<All>>,
}

#[derive(Debug, Default)]
struct All {
    last: u32,
    stops: BTreeMap<u32, Arc<AtomicBool>>,
}

/// Why an observer is told nothing more.
enum End {
    Server,
    Observer,
}

impl From<client::Error> for End {
    fn from(_: client::Error) -> Self {
        Self::Server
    }
}

impl From<SystemException> for End {
    fn from(_: SystemException) -> Self {
        Self::Observer
    }
}

impl Observers {
    pub(super) fn new(client: Client, target: Target, sinks: Option<Arc<Sinks>>) -> Self {
        Self { client, target, sinks, all: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one; returns its number, or nothing if there are too many.
    pub(super) fn add(&self, items: &[String], rate: u32, told: &ObserverRef) -> Option<u32> {
        let stop = Arc::new(AtomicBool::new(false));
        let number = {
            let mut all = self.lock();
            if all.stops.len() >= MOST {
                return None;
            }
            all.last = all.last.wrapping_add(1);
            let number = all.last;
            all.stops.insert(number, stop.clone());
            number
        };
        let (observers, items, told) =
            (self.clone(), items.to_vec(), told.with_timeout(TIME_LIMIT));
        let run = move || {
            observers.tell(&items, rate, &told, &stop);
            observers.remove(number);
        };
        let begun = thread::Builder::new().name("opc-observer".to_string()).spawn(run);
        if begun.is_err() {
            self.remove(number);
            return None;
        }
        Some(number)
    }

    pub(super) fn remove(&self, number: u32) {
        if let Some(stop) = self.lock().stops.remove(&number) {
            stop.store(true, Ordering::SeqCst);
        }
    }

    pub(super) fn end(&self) {
        let all = std::mem::take(&mut self.lock().stops);
        all.values().for_each(|stop| stop.store(true, Ordering::SeqCst));
    }

    fn tell(&self, items: &[String], rate: u32, told: &ObserverRef, stop: &AtomicBool) {
        let rate = Duration::from_millis(rate.into());
        let watch = Watch {
            client: &self.client,
            target: &self.target,
            items,
            group: GroupOptions { rate, ..GroupOptions::default() },
            sinks: self.sinks.as_deref(),
            silence: Duration::from_secs(30),
            pause: Duration::from_secs(30),
            patience: None,
        };
        // An observer that fails has ended; the server is tried for as long as it takes.
        let _ = watch.run::<End>(stop, |what| {
            match what {
                Told::Connected(_) => {}
                Told::Refused(id, status) => {
                    told.changed(&[values::reading(id, &Err(status))?])?;
                }
                Told::Value(id, sample) => told.changed(&[values::reading(id, sample)?])?,
                Told::Lost(error, _) => told.lost(&error.to_string())?,
            }
            Ok(())
        });
    }
}
