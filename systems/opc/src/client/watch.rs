//! Watching items for long, over servers that fail and come back.

use super::connection::Connection;
use super::error::Error;
use super::group::{Group, GroupOptions};
use super::sink::{Event, Reading, Sinks, Subscription};
use super::target::Target;
use crate::data_access::iopc_shutdown;
use armilla_dcerpc::Status;
use armilla_dcom::automation::dispatch::CONNECTION_POINT_CONTAINER;
use armilla_dcom::client::Client;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How many callbacks may wait before the server has to.
const WAITING: usize = 256;
/// How often somebody looks whether to stop.
const GLANCE: Duration = Duration::from_millis(200);

/// What is watched, and how.
#[derive(Debug)]
pub struct Watch<'a> {
    /// The client that calls the server.
    pub client: &'a Client,
    /// The server.
    pub target: &'a Target,
    /// The items, by their whole names.
    pub items: &'a [String],
    /// How often the server looks for changes, and which ones count.
    pub group: GroupOptions,
    /// Where the server tells of changes; `None` for asking it instead.
    pub sinks: Option<&'a Sinks>,
    /// After how long a silence the server is asked whether it is there.
    pub silence: Duration,
    /// The longest pause before the next attempt to connect; the first one is a second.
    pub pause: Duration,
    /// How long to try in vain; `None` for as long as it takes.
    pub patience: Option<Duration>,
}

/// What somebody who watches is told.
#[derive(Debug)]
pub enum Told<'a> {
    /// The server was reached; how often it looks for changes.
    Connected(Duration),
    /// An item cannot be watched.
    Refused(&'a str, Status),
    /// The value of an item.
    Value(&'a str, &'a Result<crate::model::Sample, Status>),
    /// The server was lost, and is tried again after this time.
    Lost(&'a Error, Duration),
}

/// What one connection has.
struct Session<'a> {
    watch: &'a Watch<'a>,
    connection: Connection,
    // Dropped in this order: nothing is told of a group that is gone.
    _subscriptions: Vec<Subscription>,
    group: Group,
    items: Vec<(u32, u32)>,
    events: Receiver<Event>,
}

impl Watch<'_> {
    /// Watches until `stop`, and tells what happens.
    ///
    /// # Errors
    ///
    /// The last failure, when patience has ended; at once if `tell` fails, which is the `E`.
    pub fn run<E: From<Error>>(
        &self,
        stop: &AtomicBool,
        mut tell: impl FnMut(Told<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut pause = Duration::from_secs(1);
        let mut reached = Instant::now();
        loop {
            let error = match self.open(&mut tell)? {
                Ok(mut session) => {
                    let ended = session.follow(stop, &mut tell)?;
                    (pause, reached) = (Duration::from_secs(1), Instant::now());
                    ended
                }
                Err(error) => Some(error),
            };
            let Some(error) = error else { return Ok(()) };
            if self.patience.is_some_and(|patience| reached.elapsed() + pause > patience) {
                return Err(error.into());
            }
            tell(Told::Lost(&error, pause))?;
            let next = Instant::now() + pause;
            while Instant::now() < next {
                if stop.load(Ordering::SeqCst) {
                    return Ok(());
                }
                thread::sleep(GLANCE.min(next.saturating_duration_since(Instant::now())));
            }
            pause = (pause * 2).min(self.pause);
        }
    }

    fn open<E>(
        &self,
        tell: &mut impl FnMut(Told<'_>) -> Result<(), E>,
    ) -> Result<Result<Session<'_>, Error>, E> {
        let opened = Connection::open(self.client, self.target).and_then(|connection| {
            let group = connection.add_group(&self.group)?;
            let added = group.add(self.items)?;
            Ok((connection, group, added))
        });
        let (connection, group, added) = match opened {
            Ok(opened) => opened,
            Err(error) => return Ok(Err(error)),
        };
        tell(Told::Connected(group.rate()))?;
        let mut items = Vec::new();
        for (place, (id, added)) in self.items.iter().zip(added).enumerate() {
            match added {
                Ok(added) => items.push((place as u32, added.server_handle)),
                Err(status) => tell(Told::Refused(id, status))?,
            }
        }
        if items.is_empty() {
            return Ok(Err(Error::NoItems));
        }
        let (sender, events) = sync_channel(WAITING);
        let subscribed = self.sinks.map_or(Ok(Vec::new()), |sinks| {
            let mut all = vec![group.subscribe(sinks, sender.clone())?];
            // Not every server tells that it ends.
            let container = connection.interface(CONNECTION_POINT_CONTAINER.uuid);
            all.extend(container.ok().and_then(|container| {
                Subscription::at(&container, sinks, iopc_shutdown::IID, sender).ok()
            }));
            Ok(all)
        });
        Ok(subscribed.map(|subscriptions| Session {
            watch: self,
            connection,
            _subscriptions: subscriptions,
            group,
            items,
            events,
        }))
    }
}

impl Session<'_> {
    /// Tells of values until it is to stop (`None`) or the server is lost.
    fn follow<E>(
        &mut self,
        stop: &AtomicBool,
        tell: &mut impl FnMut(Told<'_>) -> Result<(), E>,
    ) -> Result<Option<Error>, E> {
        match self.watch.sinks {
            Some(_) => self.listen(stop, tell),
            None => self.ask(stop, tell),
        }
    }

    fn listen<E>(
        &mut self,
        stop: &AtomicBool,
        tell: &mut impl FnMut(Told<'_>) -> Result<(), E>,
    ) -> Result<Option<Error>, E> {
        let (mut heard, mut asked) = (Instant::now(), false);
        while !stop.load(Ordering::SeqCst) {
            match self.events.recv_timeout(GLANCE) {
                Ok(Event::Changed(readings)) => {
                    (heard, asked) = (Instant::now(), false);
                    self.tell_all(&readings, tell)?;
                }
                Ok(Event::Ending(reason)) => return Ok(Some(Error::Ending(reason))),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Some(Error::Silent)),
            }
            if heard.elapsed() < self.watch.silence {
                continue;
            }
            // Either nothing changes, or nothing arrives: what was asked for must.
            if asked {
                return Ok(Some(Error::Silent));
            }
            if let Err(error) = self.group.refresh() {
                return Ok(Some(error));
            }
            if let Err(error) = self.connection.state() {
                return Ok(Some(error));
            }
            (heard, asked) = (Instant::now(), true);
        }
        Ok(None)
    }

    fn ask<E>(
        &mut self,
        stop: &AtomicBool,
        tell: &mut impl FnMut(Told<'_>) -> Result<(), E>,
    ) -> Result<Option<Error>, E> {
        let mut last: Vec<Reading> = Vec::new();
        let mut next = Instant::now();
        while !stop.load(Ordering::SeqCst) {
            if Instant::now() < next {
                thread::sleep(GLANCE.min(next.saturating_duration_since(Instant::now())));
                continue;
            }
            next = Instant::now() + self.group.rate();
            let readings = match self.group.poll(&self.items) {
                Ok(readings) => readings,
                Err(error) => return Ok(Some(error)),
            };
            // Both lists have the order of the items.
            let pairs = readings.iter().enumerate();
            let changed = pairs.filter(|(at, reading)| last.get(*at) != Some(reading));
            let changed: Vec<_> = changed.map(|(_, reading)| reading.clone()).collect();
            self.tell_all(&changed, tell)?;
            last = readings;
        }
        Ok(None)
    }

    fn tell_all<E>(
        &self,
        readings: &[Reading],
        tell: &mut impl FnMut(Told<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for reading in readings {
            if let Some(id) = self.watch.items.get(reading.place as usize) {
                tell(Told::Value(id, &reading.sample))?;
            }
        }
        Ok(())
    }
}
