//! What a primary does with the requests of clients.

use super::member::{Member, Role, Served, Style};
use super::record::{Change, Entry, Order, Position, Record, digest};
use super::reply_log::ReplyLog;
use super::world::{Clock, Failure, Peers, Refusal, Registry, State};

/// A request that was executed, and is not known to all backups yet: its place, and what it is replied if it
/// is in the history that survives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    position: Position,
    /// Whether the member has been the primary all the time shows by this.
    reign: u64,
    reply: Option<(u32, Vec<u8>)>,
}

impl Pending {
    /// How many requests are in the history with it, and in which reign of the member.
    pub const fn place(&self) -> (u64, u64) {
        (self.reign, self.position.number)
    }

    /// What becomes of it when all backups know it.
    pub fn settled(self) -> Served {
        self.reply.map_or(Served::Failed, |(status, body)| Served::Reply(status, body, false))
    }
}

/// What has become of a request so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// All that becomes of it.
    Done(Served),
    /// It was executed. It is replied to when all backups know it.
    Pending(Pending),
}

/// The most requests that backups are told of at once.
const MOST_AT_ONCE: usize = 64;

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
    /// Begins to serve a request, which `execute` executes: it gets the place of the request in the history,
    /// none for one that only reads, and returns the status and the body of the reply. Further requests may
    /// be begun before the backups [are told](Self::settle_all) of all at once.
    pub fn begin(
        &mut self,
        world: &(impl Registry + Peers + Clock),
        request: Request,
        now: u64,
        execute: impl FnOnce(&S, Option<Position>) -> Option<(u32, Vec<u8>)>,
    ) -> Begun {
        if self.role != Role::Primary {
            return Begun::Done(Served::Elsewhere);
        }
        // What is answered at once must not depend on what may still be lost.
        let is_at_once = request.reads || self.is_known(&request);
        let must_settle = is_at_once || self.is_new || self.is_stuck;
        if (must_settle || self.unsettled.len() >= MOST_AT_ONCE)
            && let Err(failure) = self.settle(world)
        {
            return Begun::Done(self.undecided(failure));
        }
        if request.reads {
            return Begun::Done(self.read(world, |state| execute(state, None)));
        }
        match self.answer(&request, now) {
            Some(served) => Begun::Done(served),
            None => self.execute_first(world, request, execute),
        }
    }

    fn is_known(&self, request: &Request) -> bool {
        let identity = request.identity.as_ref();
        identity.is_some_and(|(client, retention, _)| self.log.find(client, *retention).is_some())
    }

    /// Answers a request that is not to be executed.
    fn answer(&mut self, request: &Request, now: u64) -> Option<Served> {
        self.log.expire(now);
        let (client, retention, expires) = request.identity.as_ref()?;
        if let Some(known) = self.log.find(client, *retention) {
            self.replayed += 1;
            return Some(Served::Reply(known.status, known.body.clone(), true));
        }
        if ReplyLog::is_expired(*expires, now) {
            return Some(Served::Expired);
        }
        (!self.log.has_room()).then_some(Served::Full)
    }

    fn execute_first(
        &mut self,
        world: &impl Clock,
        request: Request,
        execute: impl FnOnce(&S, Option<Position>) -> Option<(u32, Vec<u8>)>,
    ) -> Begun {
        let begun = world.elapsed();
        let reply = execute(&self.state, Some(self.next()));
        let took = world.elapsed().saturating_sub(begun);
        if let Err(Failure(why)) = self.note(request, reply.as_ref(), took) {
            // What it has changed cannot be told to anybody.
            if !self.backups().is_empty() {
                self.retire();
            }
            return Begun::Done(Served::Undecided(why));
        }
        Begun::Pending(Pending { position: self.last, reign: self.reign, reply })
    }

    /// Serves a request, and tells the backups: [`begin`](Self::begin) and
    /// [`settle_all`](Self::settle_all).
    pub fn serve(
        &mut self,
        world: &(impl Registry + Peers + Clock),
        request: Request,
        now: u64,
        execute: impl FnOnce(&S, Option<Position>) -> Option<(u32, Vec<u8>)>,
    ) -> Served {
        match self.begin(world, request, now, execute) {
            Begun::Done(served) => served,
            Begun::Pending(pending) => match self.settle_all(world) {
                Ok(()) => pending.settled(),
                Err(Failure(why)) => Served::Undecided(why),
            },
        }
    }

    /// Tells the backups of all requests that were begun.
    ///
    /// # Errors
    /// It is not known what becomes of them.
    pub fn settle_all(&mut self, world: &(impl Registry + Peers)) -> Result<(), Failure> {
        self.settle(world)
    }

    /// How many requests all backups know, and in which reign of the member.
    pub fn settled_place(&self) -> (u64, u64) {
        (self.reign, self.settled().number)
    }

    /// How many requests were begun and are not known to all backups.
    pub const fn pending(&self) -> usize {
        self.unsettled.len()
    }

    /// What has become of a request that was begun: `None` if the backups were not told of it yet.
    ///
    /// # Errors
    /// It may be lost: they could not all be told, or the member was not the primary all the time.
    pub fn outcome(&self, pending: &Pending) -> Option<Result<(), Failure>> {
        if pending.reign != self.reign || self.role != Role::Primary {
            return Some(Err(Failure("another member has become the primary".into())));
        }
        let is_open = self.unsettled.iter().any(|record| record.position == pending.position);
        match (is_open, self.is_stuck) {
            (false, _) => Some(Ok(())),
            (true, true) => Some(Err(Failure("not all backups could be told".into()))),
            (true, false) => None,
        }
    }

    /// What becomes of a request that finds the history not known to all backups.
    pub(super) fn undecided(&self, Failure(why): Failure) -> Served {
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
        let instead = self.change_to_keep(&change)?;
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
        self.last = position;
        let on_disk =
            instead.map(|change| Record { after, position, entry: entry.clone(), change });
        if let Some(entry) = entry.as_mut().filter(|_| is_active) {
            // Each member has its own.
            (entry.status, entry.body) = (0, Vec::new());
        }
        let record = Record { after, position, entry, change };
        self.keep_record(on_disk.as_ref().unwrap_or(&record))?;
        self.unsettled.push(record);
        self.keep_less()
    }

    /// Lets every backup know what was executed. Those that do not take it leave the view.
    pub(super) fn settle(&mut self, world: &(impl Registry + Peers)) -> Result<(), Failure> {
        if self.is_new {
            // Its log may have replies that a backup has never heard of.
            self.tell_view(world)?;
        }
        // Only what all have is not stuck.
        self.is_stuck = !self.unsettled.is_empty();
        let records = match self.backups().is_empty() {
            true => Vec::new(),
            false => self.unsettled.clone(),
        };
        if !records.is_empty() {
            let backups = self.backups();
            let told = world.apply_all(&backups, self.view.version, &records);
            for (backup, told) in backups.iter().zip(told) {
                if self.view.member(&backup.name).is_some() {
                    self.after_telling(world, backup, told)?;
                }
            }
        }
        self.unsettled.drain(..).for_each(|record| self.recent.push(record));
        self.is_stuck = false;
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
