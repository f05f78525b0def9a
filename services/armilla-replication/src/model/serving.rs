//! What a primary does with the requests of clients.

use super::member::{Member, Role, Served, Style};
use super::record::{Change, Entry, Order, Position, Record, digest};
use super::reply_log::ReplyLog;
use super::world::{Clock, Failure, Peers, Refusal, Registry, State};

/// A request of a client.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// Its identity: client, retention id, expiration.
    pub identity: Option<(String, i32, u64)>,
    /// Whether it changes nothing, so that the backups need not hear of it.
    pub reads: bool,
    /// The request, for the other members of an active group to execute it.
    pub octets: Vec<u8>,
}

impl<S: State> Member<S> {
    /// Serves a request, which `execute` executes: it gets the place of the request in the history, none
    /// for one that only reads, and returns the status and the body of the reply.
    pub fn serve(
        &mut self,
        world: &(impl Registry + Peers + Clock),
        request: Request,
        now: u64,
        execute: impl FnOnce(&S, Option<Position>) -> Option<(u32, Vec<u8>)>,
    ) -> Served {
        if self.role != Role::Primary {
            return Served::Elsewhere;
        }
        if let Err(failure) = self.settle(world) {
            return self.unsettled(failure);
        }
        if request.reads {
            return self.read(world, |state| execute(state, None));
        }
        self.log.expire(now);
        if let Some((client, retention, expires)) = &request.identity {
            if let Some(known) = self.log.find(client, *retention) {
                self.replayed += 1;
                return Served::Reply(known.status, known.body.clone(), true);
            }
            if ReplyLog::is_expired(*expires, now) {
                return Served::Expired;
            }
            if !self.log.has_room() {
                return Served::Full;
            }
        }
        let begun = world.elapsed();
        let reply = execute(&self.state, Some(self.next()));
        let took = world.elapsed().saturating_sub(begun);
        if let Err(Failure(why)) = self.note(request, reply.as_ref(), took) {
            // What it has changed cannot be told to anybody.
            if !self.backups().is_empty() {
                self.retire();
            }
            return Served::Undecided(why);
        }
        match (self.settle(world), reply) {
            (Ok(()), Some((status, body))) => Served::Reply(status, body, false),
            (Ok(()), None) => Served::Failed,
            (Err(Failure(why)), _) => Served::Undecided(why),
        }
    }

    /// What becomes of a request that finds the history not known to all backups.
    pub(super) fn unsettled(&self, Failure(why): Failure) -> Served {
        match self.role {
            Role::Primary => Served::Undecided(why),
            _ => Served::Elsewhere,
        }
    }

    /// The place of the next request.
    const fn next(&self) -> Position {
        Position { view: self.view.version, number: self.last.number + 1 }
    }

    /// Notes what a request has changed, or the request itself, and its reply.
    fn note(
        &mut self,
        request: Request,
        reply: Option<&(u32, Vec<u8>)>,
        took: u64,
    ) -> Result<(), Failure> {
        let Request { identity, octets, .. } = request;
        let is_active = self.style == Style::Active;
        let change = match is_active {
            true => Change::Request(Order { request: octets, digest: digest(reply), took }),
            false => self.state.change()?,
        };
        let (after, position) = (self.last, self.next());
        let mut entry =
            identity.zip(reply).map(|((client, retention, expires), (status, body))| Entry {
                client,
                retention,
                expires,
                status: *status,
                body: body.clone(),
            });
        if let Some(entry) = &entry {
            self.log.insert(entry.clone());
        }
        if let Some(entry) = entry.as_mut().filter(|_| is_active) {
            // Each member has its own.
            (entry.status, entry.body) = (0, Vec::new());
        }
        self.last = position;
        let record = Record { after, position, entry, change };
        self.keep_record(&record)?;
        self.unsettled.push(record);
        self.keep_less()
    }

    /// Lets every backup know what was executed. Those that do not take it leave the view.
    pub(super) fn settle(&mut self, world: &(impl Registry + Peers)) -> Result<(), Failure> {
        if self.is_new {
            // Its log may have replies that a backup has never heard of.
            self.tell_view(world)?;
        }
        while let Some(record) = self.unsettled.first().cloned() {
            for backup in self.backups() {
                if self.view.member(&backup.name).is_some() {
                    let told = world.apply(&backup, self.view.version, &record);
                    self.after_telling(world, &backup, told)?;
                }
            }
            self.recent.push(self.unsettled.remove(0));
        }
        Ok(())
    }

    /// Executes the request of a record, as the primary has done. Returns the reply for the log.
    ///
    /// # Errors
    /// The reply is another one. The member has no state then that it could vouch for.
    pub(super) fn execute(
        &mut self,
        record: &Record,
        order: &Order,
    ) -> Result<Option<Entry>, Refusal> {
        self.catch_up()?;
        let reply = self.state.execute(record);
        if digest(reply.as_ref()) != order.digest {
            self.deviated += 1;
            self.retire();
            let why =
                "its reply is not that of the primary: the servant depends on more than requests";
            return Err(self.refusal(why.into()));
        }
        let entry = record.entry.clone().zip(reply);
        Ok(entry.map(|(entry, (status, body))| Entry { status, body, ..entry }))
    }
}
