//! What is in a cache: bringing it once, making room, passing on what is stored.

use crate::fetch::send;
use crate::idl::source::HoldersRaises;
use crate::idl::{Criterion, Image, Query, Refusal, Refused, ServerRef, Source, SourceRef};
use crate::query::everything;
use crate::server::refused;
use crate::store::{Incoming, Store};
use crate::web::sources::Sources;
use armilla::{Error, SystemException};
use dicom_dictionary_std::tags;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// How long one thread waits for another that brings the same image.
const PATIENCE: Duration = Duration::from_secs(120);

/// How many images at most are asked for behind in order to make room once, though they must stay.
const TRIES: usize = 64;

/// What a cache keeps. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Keeping(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    store: Store,
    behind: SourceRef,
    sources: Sources,
    /// The references of this cache, which do not count as holders.
    own: OnceLock<[ServerRef; 2]>,
    state: Mutex<State>,
    arrived: Condvar,
    /// One thread makes room at a time.
    clearing: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    /// Images that a thread is bringing.
    coming: HashSet<String>,
    /// When each image was used last, in uses.
    used: HashMap<String, u64>,
    uses: u64,
}

impl Keeping {
    pub(super) fn new(store: Store, behind: SourceRef) -> Self {
        let sources = Sources::new(behind.clone());
        let (own, state) = (OnceLock::new(), Mutex::default());
        let (arrived, clearing) = (Condvar::new(), Mutex::new(()));
        Self(Arc::new(Shared { store, behind, sources, own, state, arrived, clearing }))
    }

    pub(super) fn set_own(&self, local: &ServerRef, cache: &ServerRef) {
        self.0.own.set([local.clone(), cache.clone()]).ok();
    }

    pub(super) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(super) fn behind(&self) -> &SourceRef {
        &self.0.behind
    }

    /// The servers behind that have an image; none if they say that it is not known.
    pub(super) fn holders_behind(&self, uid: &str) -> Result<Vec<ServerRef>, SystemException> {
        let own = |holder: &ServerRef| {
            let own = self.0.own.get().into_iter().flatten();
            own.into_iter().any(|own| own.object().is_equivalent(holder.object()))
        };
        match self.0.behind.holders(uid) {
            // A locator behind may have this cache among its servers.
            Ok(holders) => Ok(holders.into_iter().filter(|holder| !own(holder)).collect()),
            Err(Error::User(HoldersRaises::UnknownImage(_))) => Ok(Vec::new()),
            Err(Error::System(exception)) => Err(exception),
        }
    }

    /// Has an image here: it is brought if need be, by one thread for all that want it.
    pub(super) fn ensure(&self, uid: &str) -> Result<(), String> {
        let coming = |state: &mut State| state.coming.contains(uid);
        let waited = self.0.arrived.wait_timeout_while(self.state(), PATIENCE, coming);
        let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if self.0.store.image(uid).is_some() {
            state.touch(uid);
            return Ok(());
        }
        if waited.timed_out() {
            return Err("another request is still bringing it".to_owned());
        }
        state.coming.insert(uid.to_owned());
        drop(state);
        // The others go on however this ends.
        let _coming = Coming(self, uid);
        self.bring(uid)
    }

    fn bring(&self, uid: &str) -> Result<(), String> {
        let tag = crate::attributes::to_number(tags::SOP_INSTANCE_UID);
        let others = vec![Criterion { tag, pattern: uid.to_owned() }];
        let found = self.0.behind.find(&Query { others, ..everything() });
        let (images, _) = found.map_err(|error| error.to_string())?;
        // What a caller asks for may be a pattern.
        let image = images.iter().find(|image| image.uid == uid);
        self.bring_image(image.ok_or("no server behind has it")?)
    }

    fn bring_image(&self, image: &Image) -> Result<(), String> {
        self.make_room(image.size)?;
        let mut incoming = self.0.store.receive(image.size).map_err(|error| error.to_string())?;
        self.0.sources.send(image, &mut incoming).map_err(|error| error.to_string())?;
        // Whoever brings it could bring another one, which others would then read here.
        incoming.keep_as(image).map_err(|error| error.to_string())?;
        self.state().touch(&image.uid);
        Ok(())
    }

    /// Makes room for so many octets: those images go that were not used for longest, if a server
    /// behind has them.
    pub(super) fn make_room(&self, octets: u64) -> Result<(), String> {
        let _clearing = self.0.clearing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.0.store.room() >= octets {
            return Ok(());
        }
        let (_, kept, _) = self.0.store.usage();
        if octets > self.0.store.room().saturating_add(kept) {
            // Nothing goes for what would not fit even so.
            return Err(format!("{octets} octets are more than the cache has"));
        }
        let mut candidates = self.0.store.find(&everything());
        let used = self.state().used.clone();
        candidates.sort_by_key(|image| (used.get(&image.uid).copied(), image.stored));
        let mut kept = 0;
        for image in candidates {
            match self.holders_behind(&image.uid) {
                Ok(holders) if !holders.is_empty() => {
                    self.0.store.remove(&image.uid).map_err(|error| error.to_string())?;
                    self.state().used.remove(&image.uid);
                    tracing::debug!(uid = image.uid, "an image has made room");
                }
                Ok(_) => {
                    tracing::warn!(uid = image.uid, "no server behind has this image; it stays");
                    kept += 1;
                }
                Err(error) => return Err(format!("nothing behind tells what it has: {error}")),
            }
            if self.0.store.room() >= octets {
                return Ok(());
            }
            if kept >= TRIES {
                break;
            }
        }
        Err("there is no room that anything here could make".to_owned())
    }

    /// Passes a file on, and keeps it when a server behind has it.
    pub(super) fn pass_on(&self, incoming: Incoming) -> Result<Arc<Image>, Refused> {
        let failed = |reason: String| Refused { kind: Refusal::Failed, reason };
        // What is no image goes nowhere.
        let described = incoming.check().map_err(|error| refused(&error))?;
        let members = self.0.behind.members();
        let (servers, missing) = members.map_err(|error| failed(error.to_string()))?;
        let mut why = failed(format!(
            "no server behind the cache takes images now; {} do not answer",
            missing.len()
        ));
        for server in servers {
            match send(&server, incoming.path()) {
                Ok(image) => {
                    // It is safe, whether it stays here or not.
                    return Ok(match incoming.keep() {
                        Ok(kept) => {
                            self.state().touch(&kept.uid);
                            kept
                        }
                        Err(error) => {
                            tracing::info!(uid = image.uid, %error, "an image is only kept behind");
                            Arc::new(image)
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(uid = described.uid, %error, "a server behind refuses an image");
                    why.kind = error.refusal.unwrap_or(Refusal::Failed);
                    why.reason = error.to_string();
                }
            }
        }
        Err(why)
    }

    /// Forgets an image that was removed.
    pub(super) fn forget(&self, uid: &str) {
        self.state().used.remove(uid);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// That an image is coming.
struct Coming<'a>(&'a Keeping, &'a str);

impl Drop for Coming<'_> {
    fn drop(&mut self) {
        self.0.state().coming.remove(self.1);
        self.0.0.arrived.notify_all();
    }
}

impl State {
    fn touch(&mut self, uid: &str) {
        self.uses += 1;
        self.used.insert(uid.to_owned(), self.uses);
    }
}
