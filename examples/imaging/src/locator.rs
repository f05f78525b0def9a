//! An image locator: asks all image servers at once, merges what they say, and answers when some of
//! them are down.

use crate::idl::source::HoldersRaises;
use crate::idl::{self, Image, Missing, Query, ServerRef, Source, SourceRef, UnknownImage};
use crate::query;
use armilla::{Error, Orb, SystemException};
use std::collections::BTreeMap;
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
}

type Answer<T> = (String, Result<T, String>);

impl Locator {
    /// Activates a locator of the servers at these URLs.
    ///
    /// # Errors
    /// As [`Poa::activate`](armilla::Poa::activate).
    pub fn activate(orb: &Orb, servers: Vec<String>) -> Result<SourceRef, armilla::PoaError> {
        let locator = Self { orb: orb.clone(), servers };
        orb.root_poa().activate(idl::source::tie(locator))
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
            asked.into_iter().map(answer).collect()
        })
    }
}

impl Source for Locator {
    fn find(&self, wanted: &Query) -> Result<(Vec<Image>, Vec<Missing>), SystemException> {
        let mut images: BTreeMap<String, Image> = BTreeMap::new();
        let mut missing = Vec::new();
        let asked = self.ask(|server| server.find(wanted).map_err(|error| error.to_string()));
        for (server, answer) in asked {
            match answer {
                Ok((found, others)) => {
                    images.extend(found.into_iter().map(|image| (image.uid.clone(), image)));
                    missing.extend(others);
                }
                Err(reason) => {
                    tracing::warn!(server, reason, "a server does not answer");
                    missing.push(Missing { server, reason });
                }
            }
        }
        let mut found: Vec<_> = images.into_values().collect();
        found.sort_by(query::order);
        found.truncate(wanted.limit as usize);
        Ok((found, missing))
    }

    fn holders(&self, uid: &str) -> Result<Vec<ServerRef>, Error<HoldersRaises>> {
        let asked = self.ask(|server| server.holders(uid).map_err(|error| error.to_string()));
        let holders: Vec<_> = asked.into_iter().filter_map(|(_, holders)| holders.ok()).collect();
        let holders = holders.concat();
        if holders.is_empty() {
            return Err(Error::User(UnknownImage { uid: uid.to_owned() }.into()));
        }
        Ok(holders)
    }
}
