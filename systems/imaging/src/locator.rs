//! An image locator: asks all image servers at once, merges what they say, and answers when some of
//! them are down.

use crate::access::Operation;
use crate::audit::{Guard, Subject};
use crate::idl::source::HoldersRaises;
use crate::idl::{
    self, Group, Image, Level, Missing, Query, Server, ServerRef, Source, SourceRef, UnknownImage,
};
use crate::query;
use crate::server::{caller, may_ask};
use armilla::{Error, ExceptionKind, Orb, SystemException};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a server has to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The servant of a locator.
#[derive(Debug)]
pub struct Locator {
    orb: Orb,
    /// The servers, as URLs: one that is down is looked for at each question.
    servers: Vec<String>,
    /// Who may search here: to the servers, all clients have the address of this locator.
    guard: Guard,
    /// Those that did not answer when they were asked last.
    down: Mutex<BTreeSet<String>>,
}

type Answer<T> = (String, Result<T, String>);

impl Locator {
    /// Activates a locator of the servers at these URLs, whose clients `guard` asks.
    ///
    /// # Errors
    /// As [`Poa::activate`](armilla::Poa::activate).
    pub fn activate(
        orb: &Orb,
        servers: Vec<String>,
        guard: Guard,
    ) -> Result<SourceRef, armilla::PoaError> {
        let locator = Self { orb: orb.clone(), servers, guard, down: Mutex::default() };
        orb.root_poa().activate(idl::source::tie(locator))
    }

    fn permit_search(&self) -> Result<(), SystemException> {
        let subject = Subject { what: "search", ..Subject::default() };
        let checked = self.guard.check(&caller(Some(&self.orb)), Operation::Read, subject);
        checked.map_err(|denied| ExceptionKind::NoPermission.because(denied.to_string()))
    }

    /// Asks all servers at the same time.
    fn ask<T: Send>(
        &self,
        question: impl Fn(&ServerRef) -> Result<T, String> + Sync,
    ) -> Vec<Answer<T>> {
        let ask = |url: &String| {
            let server = self.orb.resolve::<dyn idl::Server>(url);
            let server = server.map_err(|error| error.to_string())?;
            question(&server.with_timeout(PATIENCE))
        };
        thread::scope(|scope| {
            let asked: Vec<_> =
                self.servers.iter().map(|url| (url, scope.spawn(|| ask(url)))).collect();
            let answer = |(url, asked): (&String, thread::ScopedJoinHandle<'_, _>)| {
                let panicked = || Err("the question failed".to_owned());
                (url.clone(), asked.join().unwrap_or_else(|_| panicked()))
            };
            asked.into_iter().map(answer).inspect(|(url, answer)| self.note(url, answer)).collect()
        })
    }

    /// Says in the log when a server goes, and when it comes back.
    fn note<T>(&self, server: &str, answer: &Result<T, String>) {
        let mut down = self.down.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Err(reason) if down.insert(server.to_owned()) => {
                tracing::warn!(server, reason, "a server does not answer");
            }
            Ok(_) if down.remove(server) => tracing::info!(server, "a server answers again"),
            _ => {}
        }
    }
}

/// The answers, and who gave none. A server that is a locator itself says whom it misses.
fn split<T>(asked: Vec<Answer<(T, Vec<Missing>)>>) -> (Vec<T>, Vec<Missing>) {
    let (mut answers, mut missing) = (Vec::new(), Vec::new());
    for (server, answer) in asked {
        match answer {
            Ok((answer, others)) => {
                answers.push(answer);
                missing.extend(others);
            }
            Err(reason) => missing.push(Missing { server, reason }),
        }
    }
    (answers, missing)
}

impl Locator {
    /// The images of all servers that match.
    fn find_all(&self, wanted: &Query) -> (Vec<Image>, Vec<Missing>) {
        let mut images: BTreeMap<String, Image> = BTreeMap::new();
        let asked = self.ask(|server| server.find(wanted).map_err(|error| error.to_string()));
        let (answers, missing) = split(asked);
        for image in answers.into_iter().flatten() {
            images.insert(image.uid.clone(), image);
        }
        let mut found: Vec<_> = images.into_values().collect();
        found.sort_by(query::order);
        found.truncate(wanted.limit as usize);
        (found, missing)
    }

    /// Studies or series of which several servers have images: their images are counted once.
    fn merged(&self, shared: &[String], level: Level) -> BTreeMap<String, Group> {
        if shared.is_empty() {
            return BTreeMap::new();
        }
        let mut wanted = query::everything();
        match level {
            Level::Series => wanted.series = shared.join("\\"),
            _ => wanted.study = shared.join("\\"),
        }
        let (images, _) = self.find_all(&wanted);
        let groups = query::group(&images, level).into_iter();
        groups.map(|group| (query::key(&group.first, level).to_owned(), group)).collect()
    }
}

impl Source for Locator {
    fn find(&self, wanted: &Query) -> Result<(Vec<Image>, Vec<Missing>), SystemException> {
        self.permit_search()?;
        Ok(self.find_all(wanted))
    }

    fn groups(
        &self,
        wanted: &Query,
        level: Level,
    ) -> Result<(Vec<Group>, Vec<Missing>), SystemException> {
        self.permit_search()?;
        let asked =
            self.ask(|server| server.groups(wanted, level).map_err(|error| error.to_string()));
        let (answers, missing) = split(asked);
        let mut groups: BTreeMap<String, (Group, bool)> = BTreeMap::new();
        for group in answers.into_iter().flatten() {
            let key = query::key(&group.first, level).to_owned();
            match groups.get_mut(&key) {
                Some((_, shared)) => *shared = true,
                None => drop(groups.insert(key, (group, false))),
            }
        }
        let mut found: Vec<_> = groups.into_iter().collect();
        found.sort_by(|(_, (a, _)), (_, (b, _))| query::group_order(&a.first, &b.first));
        found.truncate(wanted.limit as usize);
        let shared = found.iter().filter(|(_, (_, shared))| *shared && level != Level::Instances);
        let shared: Vec<_> = shared.map(|(key, _)| key.clone()).collect();
        let mut merged = self.merged(&shared, level);
        let whole = |(key, (group, _))| merged.remove(&key).unwrap_or(group);
        Ok((found.into_iter().map(whole).collect(), missing))
    }

    fn members(&self) -> Result<(Vec<ServerRef>, Vec<Missing>), SystemException> {
        let asked = self.ask(|server| {
            let state = server.state().map_err(|error| error.to_string())?;
            Ok(((state.room, server.clone()), Vec::new()))
        });
        let (mut found, missing) = split(asked);
        found.sort_by_key(|(room, _)| std::cmp::Reverse(*room));
        Ok((found.into_iter().map(|(_, server)| server).collect(), missing))
    }

    fn holders(&self, uid: &str) -> Result<Vec<ServerRef>, Error<HoldersRaises>> {
        may_ask(&self.guard, &caller(Some(&self.orb)))?;
        let asked = self.ask(|server| match server.holders(uid) {
            Ok(holders) => Ok(holders),
            Err(Error::User(_)) => Ok(Vec::new()),
            Err(error) => Err(error.to_string()),
        });
        let holders: Vec<_> = asked.into_iter().filter_map(|(_, holders)| holders.ok()).collect();
        let holders = holders.concat();
        if holders.is_empty() {
            return Err(Error::User(UnknownImage { uid: uid.to_owned() }.into()));
        }
        Ok(holders)
    }
}
