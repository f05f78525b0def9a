//! A cache near the readers, in front of a server or a locator far away.
//!
//! It is a server itself: what is read comes once and stays, as long as there is room. What is stored
//! goes through: it is acknowledged when a server behind has it. What has not been used for longest
//! makes room, and only if a server behind says that it has it, so the only copy is never lost.
//! Without room, requests are passed on. While nothing behind answers, what is here is found and read.

mod keeping;
mod prefetch;

pub use prefetch::Worklist;

use crate::access::Operation;
use crate::audit::{Guard, Subject};
use crate::idl::server::{
    FetchRaises, MetadataRaises, PerformedRaises, PictureRaises, PixelsRaises, PlanRaises,
    PlannedRaises, ReadRaises, RemoveRaises, StoreRaises, StoredRaises, UnplanRaises,
};
use crate::idl::source::HoldersRaises;
use crate::idl::{
    self, Group, Image, Level, Missing, PixelFlow, Query, Refusal, Refused, Server, ServerRef,
    ServerState, Source, SourceRef, UnknownImage, Upload, View,
};
use crate::query;
use crate::server::{ImageServer, ServerSettings, Through, caller, may_ask, no_worklist};
use crate::store::Store;
use armilla::{Error, ExceptionKind, SystemException};
use armilla_stream::{FlowAgreement, FlowRequest, Listener, NoAgreement};
use keeping::Keeping;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

/// How much room a file needs whose size nobody knows yet.
const UNKNOWN: u64 = 64 << 20;

/// A cache. Clones share it; any thread may use it.
#[derive(Debug, Clone)]
pub struct Cache(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    keeping: Keeping,
    guard: Guard,
    listener: Listener,
    /// The server of what is here, which nobody else knows.
    local: ServerRef,
    this: OnceLock<ServerRef>,
}

impl Cache {
    /// Activates a cache in front of `behind`. The quota of its store is its size. Who may do what
    /// is asked here, so the rules are those of `settings`.
    ///
    /// # Errors
    /// As [`Poa::activate`](armilla::Poa::activate).
    pub fn activate(
        poa: &armilla::Poa,
        mut settings: ServerSettings,
        behind: SourceRef,
    ) -> Result<(Self, ServerRef), armilla::PoaError> {
        let keeping = Keeping::new(settings.store.clone(), behind);
        // What is here has a reference, too, and all rules are asked before it is used.
        let guard = std::mem::replace(&mut settings.guard, Guard::only_here());
        let through = keeping.clone();
        settings.through = Some(Through::new(move |incoming| through.pass_on(incoming)));
        let listener = settings.listener.clone();
        let local = ImageServer::activate(poa, settings)?;
        let shared = Shared { keeping, guard, listener, local, this: OnceLock::new() };
        let cache = Self(Arc::new(shared));
        let reference: ServerRef = poa.activate(idl::server::tie(cache.clone()))?;
        cache.0.keeping.set_own(&cache.0.local, &reference);
        // It is set here only.
        cache.0.this.set(reference.clone()).ok();
        Ok((cache, reference))
    }

    /// Brings what a worklist names before anybody asks for it; returns how many images came.
    ///
    /// # Errors
    /// Nothing behind answers.
    pub fn prefetch(&self, worklist: &Worklist) -> Result<usize, SystemException> {
        prefetch::prefetch(&self.0.keeping, worklist)
    }

    /// What is here.
    pub fn store(&self) -> &Store {
        self.0.keeping.store()
    }

    fn behind(&self) -> &SourceRef {
        self.0.keeping.behind()
    }

    fn permit(&self, operation: Operation, subject: Subject<'_>) -> Result<(), Refused> {
        let orb = self.0.this.get().and_then(|this| this.object().orb().ok());
        let checked = self.0.guard.check(&caller(orb.as_ref()), operation, subject);
        checked.map_err(|denied| Refused { kind: Refusal::Forbidden, reason: denied.to_string() })
    }

    fn permit_search(&self) -> Result<(), SystemException> {
        let subject = Subject { what: "search", ..Subject::default() };
        let permitted = self.permit(Operation::Read, subject);
        permitted.map_err(|refused| ExceptionKind::NoPermission.because(refused.reason))
    }

    /// Whether a flow may go to where the caller listens. Whom requests are passed on to sees this
    /// cache and not its caller.
    fn check<E: From<NoAgreement>>(&self, request: &FlowRequest) -> Result<(), Error<E>> {
        self.0.listener.check(request).map_err(|none| Error::User(none.into()))
    }

    /// Reads an image where it is: here, where it is brought first, or behind if there is no room.
    fn read_at<T, E>(
        &self,
        what: &str,
        uid: &str,
        read: impl Fn(&ServerRef) -> Result<T, Error<E>>,
    ) -> Result<T, Error<E>>
    where
        E: From<UnknownImage> + From<Refused>,
    {
        let subject = Subject { what, image: uid, ..Subject::default() };
        self.permit(Operation::Read, subject).map_err(|refused| Error::User(refused.into()))?;
        match self.0.keeping.ensure(uid) {
            Ok(()) => read(&self.0.local),
            Err(why) => {
                tracing::info!(uid, why, "an image is not kept here");
                let mut failed = None;
                for holder in self.0.keeping.holders_behind(uid)? {
                    match read(&holder) {
                        Err(error) => failed = Some(error),
                        done => return done,
                    }
                }
                let unknown = || Error::User(UnknownImage { uid: uid.to_owned() }.into());
                Err(failed.unwrap_or_else(unknown))
            }
        }
    }
}

/// Groups of two sources; of a group that both have, that with more images.
fn joined(found: Vec<Group>, here: Vec<Group>, level: Level, limit: u32) -> Vec<Group> {
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for group in found.into_iter().chain(here) {
        let key = query::key(&group.first, level).to_owned();
        if groups.get(&key).is_none_or(|known| known.images < group.images) {
            groups.insert(key, group);
        }
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by(|a, b| query::group_order(&a.first, &b.first));
    groups.truncate(limit as usize);
    groups
}

/// What stands in for the answer of those behind.
fn alone(exception: &SystemException) -> Vec<Missing> {
    let server = "what stands behind the cache".to_owned();
    vec![Missing { server, reason: exception.to_string() }]
}

impl Source for Cache {
    fn find(&self, wanted: &Query) -> Result<(Vec<Image>, Vec<Missing>), SystemException> {
        self.permit_search()?;
        Ok(match self.behind().find(wanted) {
            Ok((found, missing)) if missing.is_empty() => (found, missing),
            // What a server has that does not answer may be here.
            Ok((mut found, missing)) => {
                let known: HashSet<_> = found.iter().map(|image| image.uid.clone()).collect();
                let here = self.store().find(wanted);
                let more = here.iter().filter(|image| !known.contains(&image.uid));
                found.extend(more.map(|image| Image::clone(image)));
                found.sort_by(query::order);
                found.truncate(wanted.limit as usize);
                (found, missing)
            }
            Err(exception) => {
                let found = self.store().find(wanted);
                (found.iter().map(|image| Image::clone(image)).collect(), alone(&exception))
            }
        })
    }

    fn groups(
        &self,
        wanted: &Query,
        level: Level,
    ) -> Result<(Vec<Group>, Vec<Missing>), SystemException> {
        self.permit_search()?;
        Ok(match self.behind().groups(wanted, level) {
            Ok((found, missing)) if missing.is_empty() => (found, missing),
            Ok((found, missing)) => {
                let here = self.store().groups(wanted, level);
                (joined(found, here, level, wanted.limit), missing)
            }
            Err(exception) => (self.store().groups(wanted, level), alone(&exception)),
        })
    }

    fn members(&self) -> Result<(Vec<ServerRef>, Vec<Missing>), SystemException> {
        Ok((self.0.this.get().cloned().into_iter().collect(), Vec::new()))
    }

    fn holders(&self, uid: &str) -> Result<Vec<ServerRef>, Error<HoldersRaises>> {
        let orb = self.0.this.get().and_then(|this| this.object().orb().ok());
        may_ask(&self.0.guard, &caller(orb.as_ref()))?;
        let behind = self.0.keeping.holders_behind(uid);
        let here = self.store().image(uid).is_some();
        match behind {
            Err(exception) if !here => Err(exception.into()),
            Ok(behind) if !here && behind.is_empty() => {
                Err(Error::User(UnknownImage { uid: uid.to_owned() }.into()))
            }
            behind => {
                let this = self.0.this.get().cloned();
                Ok(this.into_iter().chain(behind.unwrap_or_default()).collect())
            }
        }
    }
}

impl Server for Cache {
    fn state(&self) -> Result<ServerState, SystemException> {
        self.0.local.state()
    }

    fn fetch(&self, uid: &str, request: &FlowRequest) -> Result<FlowAgreement, Error<FetchRaises>> {
        self.check(request)?;
        self.read_at("file", uid, |server| server.fetch(uid, request))
    }

    fn read(&self, uid: &str, offset: u64, count: u32) -> Result<Vec<u8>, Error<ReadRaises>> {
        self.read_at("file", uid, |server| server.read(uid, offset, count))
    }

    fn store(
        &self,
        size: u64,
        study: &str,
        request: &FlowRequest,
    ) -> Result<Upload, Error<StoreRaises>> {
        let subject = Subject { what: "begin", study, ..Subject::default() };
        let permitted = self.permit(Operation::Store, subject);
        permitted.map_err(|refused| Error::User(refused.into()))?;
        self.check(request)?;
        // If there is no room even so, the store says it.
        self.0.keeping.make_room(if size == 0 { UNKNOWN } else { size }).ok();
        self.0.local.store(size, study, request)
    }

    fn stored(&self, ticket: u64) -> Result<Image, Error<StoredRaises>> {
        let orb = self.0.this.get().and_then(|this| this.object().orb().ok());
        let subject = Subject { what: "file", ..Subject::default() };
        let checked = self.0.guard.check_again(&caller(orb.as_ref()), Operation::Store, subject);
        checked.map_err(|denied| {
            let reason = denied.to_string();
            Error::User(Refused { kind: Refusal::Forbidden, reason }.into())
        })?;
        self.0.local.stored(ticket)
    }

    fn remove(&self, uid: &str) -> Result<(), Error<RemoveRaises>> {
        let subject = Subject { what: "file", image: uid, ..Subject::default() };
        let permitted = self.permit(Operation::Remove, subject);
        permitted.map_err(|refused| Error::User(refused.into()))?;
        // First where it counts.
        for holder in self.0.keeping.holders_behind(uid)? {
            holder.remove(uid)?;
        }
        self.0.keeping.forget(uid);
        match self.store().image(uid) {
            Some(_) => self.0.local.remove(uid),
            None => Ok(()),
        }
    }

    fn metadata(&self, uid: &str) -> Result<String, Error<MetadataRaises>> {
        self.read_at("metadata", uid, |server| server.metadata(uid))
    }

    fn pixels(
        &self,
        uid: &str,
        frame: u32,
        stored: bool,
        request: &FlowRequest,
    ) -> Result<PixelFlow, Error<PixelsRaises>> {
        self.check(request)?;
        self.read_at("pixels", uid, |server| server.pixels(uid, frame, stored, request))
    }

    fn picture(&self, uid: &str, frame: u32, how: &View) -> Result<Vec<u8>, Error<PictureRaises>> {
        self.read_at("picture", uid, |server| server.picture(uid, frame, how))
    }

    fn plan(&self, _: &str) -> Result<String, Error<PlanRaises>> {
        Err(Error::User(no_worklist().into()))
    }

    fn unplan(&self, _: &str) -> Result<(), Error<UnplanRaises>> {
        Err(Error::User(no_worklist().into()))
    }

    fn planned(&self, _: bool, _: &str) -> Result<Vec<String>, Error<PlannedRaises>> {
        Err(Error::User(no_worklist().into()))
    }

    fn performed(&self, _: &str) -> Result<Vec<String>, Error<PerformedRaises>> {
        Err(Error::User(no_worklist().into()))
    }
}
