//! Serving a request at its priority: the extension of real-time POAs.

use crate::current::{ThreadPriority, corba_priority, native_priority, set_priority};
use crate::error::{RtError, RtErrorKind};
use crate::priority::{Mapper, Priority, PriorityTransform};
use crate::scheduler::RunPermit;
use crate::threadpool::{Lane, Threadpool};
use crate::wire::{
    ExposedPolicies, PriorityModel, RT_CORBA_PRIORITY_CONTEXT, TaoEndpoint, TaoEndpoints,
    decode_priority,
};
use armilla::transport::Component;
use armilla::{
    AddedContext, Completion, ExceptionKind, Minor, ObjectAddresses, ObjectId, PoaExtension,
    SystemException, UpcallInfo,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use tracing::warn;

/// What a POA with real-time policies does around each upcall.
pub(crate) struct Dispatch {
    pub(crate) poa: String,
    pub(crate) model: Option<PriorityModel>,
    pub(crate) bands: Vec<(Priority, Priority)>,
    pub(crate) pool: Option<Threadpool>,
    pub(crate) mapper: Mapper,
    pub(crate) transform: Option<Arc<dyn PriorityTransform>>,
    pub(crate) strict: bool,
    /// The priorities that objects have of their own. Looked at only if there are any.
    has_own: AtomicBool,
    own: RwLock<HashMap<Box<[u8]>, Priority>>,
    /// Whether the log says already that a native priority was refused.
    reported: AtomicBool,
}

/// An upcall in progress in a thread.
struct Frame {
    /// The priority to go back to.
    before: ThreadPriority,
    /// The right to run that the thread has.
    permit: Option<Permit>,
    /// What changes the priorities of its calls.
    outbound: Option<Outbound>,
}

/// The right to run a request in a thread pool.
enum Permit {
    /// A permit of a lane.
    Lane(LanePermit),
    /// The permit of the pool's scheduler.
    Scheduled(RunPermit),
}

/// A permit of a lane, until it is dropped.
struct LanePermit {
    /// `None` once it was given back.
    pool: Option<Threadpool>,
    /// The index of the lane in the pool.
    index: usize,
}

/// Brings a thread back to the priority that it had, unless its upcall has begun.
struct Restore(Option<ThreadPriority>);

impl Drop for Restore {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(ThreadPriority::restore);
    }
}

/// The transform of a POA, for the calls of one of its objects.
struct Outbound {
    transform: Arc<dyn PriorityTransform>,
    poa: String,
    object_id: Box<[u8]>,
}

thread_local! {
    static FRAMES: RefCell<Vec<Frame>> = RefCell::new(Vec::with_capacity(4));
}

impl Dispatch {
    pub(crate) fn new(poa: String, mapper: Mapper) -> Self {
        Self {
            poa,
            model: None,
            bands: Vec::new(),
            pool: None,
            mapper,
            transform: None,
            strict: false,
            has_own: AtomicBool::new(false),
            own: RwLock::default(),
            reported: AtomicBool::new(false),
        }
    }

    /// Gives an object a priority of its own, which it keeps: references carry it. Whether it had
    /// none before.
    ///
    /// # Errors
    /// If it has another one already.
    pub(crate) fn set_own(&self, id: &[u8], priority: Priority) -> Result<bool, RtError> {
        let mut own = self.own.write().unwrap_or_else(PoisonError::into_inner);
        match own.get(id) {
            Some(before) if *before != priority => Err(RtError::new(
                RtErrorKind::Order,
                format_args!("{:?} of POA {:?}", ObjectId::new(id), self.poa),
                "priority",
                priority,
                format_args!("it has the priority {before}, and references to it say so"),
                "give it the same priority again, or another id",
            )),
            Some(_) => Ok(false),
            None => {
                own.insert(id.into(), priority);
                self.has_own.store(true, Ordering::Release);
                Ok(true)
            }
        }
    }

    /// Takes the priority of an object away that could not be activated, or whose id ends.
    pub(crate) fn forget_own(&self, id: &[u8]) {
        if self.has_own.load(Ordering::Acquire) {
            self.own.write().unwrap_or_else(PoisonError::into_inner).remove(id);
        }
    }

    /// The priority that the server declares for an object.
    #[inline]
    pub(crate) fn declared(&self, id: &[u8], model: PriorityModel) -> Priority {
        if !self.has_own.load(Ordering::Acquire) {
            return model.server_priority();
        }
        let own = self.own.read().unwrap_or_else(PoisonError::into_inner);
        own.get(id).copied().unwrap_or(model.server_priority())
    }

    /// The priority at which a request runs; `None` leaves that of the thread.
    fn target(&self, request: &UpcallInfo<'_>) -> Result<Option<Priority>, SystemException> {
        let Some(model) = self.model else { return Ok(None) };
        let declared = self.declared(request.object_id(), model);
        let propagates = matches!(model, PriorityModel::ClientPropagated(_));
        let carried = match propagates {
            true => request.service_context(RT_CORBA_PRIORITY_CONTEXT),
            false => None,
        };
        let arrived = match carried {
            Some(data) => decode_priority(data).map_err(|error| {
                let what = format!("the priority of the request: {error}");
                SystemException::new(ExceptionKind::BadParam, Minor::BAD_ARGUMENT, Completion::No)
                    .with_reason(what)
            })?,
            None if propagates && !request.is_remote() => {
                own_priority(&self.mapper)?.unwrap_or(declared)
            }
            None => declared,
        };
        let mut arrived = arrived;
        if let Some(connection) = request.connection() {
            self.check_connection(connection, arrived)?;
            if carried.is_some() {
                arrived = self.priority_here(arrived);
            }
        }
        let Some(transform) = &self.transform else { return Ok(Some(arrived)) };
        match transform.inbound(arrived, request.object_id()) {
            Some(priority) => Ok(Some(priority)),
            None => Err(refused_by_transform(&self.poa, arrived)),
        }
    }

    /// The priority at which a request runs that carries `arrived`: that of the lane to which it
    /// has come, if it has come to one. The client has chosen the lane by the priority or by its
    /// band. The server cannot check that: the band may be one that the client alone knows, since
    /// TAO's clients do not tell theirs.
    fn priority_here(&self, arrived: Priority) -> Priority {
        let lane = self.pool.as_ref().and_then(Threadpool::own_lane);
        lane.map_or(arrived, |lane| lane.priority)
    }

    /// Takes the right to run in the pool, unless the thread has it already.
    fn enter(
        &self,
        target: Option<Priority>,
        request: &UpcallInfo<'_>,
    ) -> Result<Option<Permit>, SystemException> {
        let Some(pool) = &self.pool else { return Ok(None) };
        if let Some(scheduler) = pool.scheduler() {
            let id = request.repository_id();
            let interfaces = std::iter::once(&*id).chain(request.base_ids().iter().copied());
            let operation = scheduler.of_request(request.operation(), interfaces);
            return Ok(scheduler.begin(&operation)?.map(Permit::Scheduled));
        }
        let lanes = pool.lanes();
        let own = lanes.iter().position(|lane| lane.is_current());
        let index =
            own.or_else(|| target.and_then(|priority| pool.lane_for(priority, &self.bands)));
        let index = index.unwrap_or(lanes.len() - 1);
        let holds = FRAMES.with_borrow(|frames| {
            let permits = frames.iter().filter_map(|frame| frame.permit.as_ref());
            permits
                .into_iter()
                .any(|held| matches!(held, Permit::Lane(permit) if permit.is_of(lanes)))
        });
        if holds {
            return Ok(None);
        }
        let (lending, own) = pool.lending(index);
        let entered = Lane::enter(lending, own, request.size())?;
        let index = index - own + entered;
        Ok(Some(Permit::Lane(LanePermit { pool: Some(pool.clone()), index })))
    }

    /// Runs the calling thread at the priority of its permit, or at `target` if it has not that
    /// already.
    fn run_at(
        &self,
        permit: Option<&Permit>,
        target: Option<Priority>,
        before: ThreadPriority,
    ) -> Result<(), SystemException> {
        match (permit, target) {
            (Some(Permit::Scheduled(permit)), _) => Ok(permit.raise()?),
            (_, Some(target)) if before.corba() != Some(target) => self.raise(target),
            _ => Ok(()),
        }
    }

    /// Runs the calling thread at `target`.
    fn raise(&self, target: Priority) -> Result<(), SystemException> {
        let native = self.mapper.native(format_args!("POA {:?}", self.poa), target)?;
        match set_priority(target, native) {
            Err(error) if self.strict => Err(error.into()),
            Err(error) => {
                self.report_once(&error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Logs that the system refuses a native priority, the first time.
    pub(crate) fn report_once(&self, error: &RtError) {
        if !self.reported.swap(true, Ordering::Relaxed) {
            warn!("{error}");
        }
    }

    /// The endpoints of lanes, each with its priority: that of the lane with the index `own`, whose
    /// address is in the profile, then the `others`. TAO takes the host and the port of the first
    /// one from the profile, and from here its priority alone.
    fn endpoints(pool: &Threadpool, own: usize, others: bool) -> Vec<TaoEndpoint> {
        let lanes = pool.lanes();
        let after = lanes[..own].iter().chain(&lanes[own + 1..]).filter(|_| others);
        let endpoints = std::iter::once(&lanes[own]).chain(after).filter_map(|lane| {
            let (host, port) = lane.address()?.clone();
            let priority = pool.has_lanes().then_some(lane.priority);
            Some(TaoEndpoint { host, port, priority })
        });
        endpoints.collect()
    }
}

/// The priority of the calls of the calling thread, if it has one.
///
/// # Errors
/// `NO_PERMISSION` when the transform of the servant that it runs refuses the call.
pub(crate) fn own_priority(mapper: &Mapper) -> Result<Option<Priority>, SystemException> {
    let own =
        corba_priority().or_else(|| native_priority().and_then(|native| mapper.corba(native)));
    own.map(outbound).transpose()
}

/// The priority of a call that the calling thread makes at `priority`: what the transform of the
/// servant that it runs, if there is one, makes of it.
///
/// # Errors
/// `NO_PERMISSION` when the transform refuses the call.
fn outbound(priority: Priority) -> Result<Priority, SystemException> {
    // The transform is foreign code: it may call, and so needs the frames.
    let found = FRAMES.with_borrow(|frames| {
        let outbound = frames.last()?.outbound.as_ref()?;
        let Outbound { transform, poa, object_id } = outbound;
        Some((transform.clone(), poa.clone(), object_id.clone()))
    });
    let Some((transform, poa, object_id)) = found else { return Ok(priority) };
    let changed = transform.outbound(priority, &object_id);
    changed.ok_or_else(|| refused_by_transform(&poa, priority))
}

impl Permit {
    /// Gives it back. Returns the pool whose lanes account for the work.
    fn leave(self) -> Option<Threadpool> {
        // A permit ends when it is dropped.
        let Self::Lane(mut permit) = self else { return None };
        permit.give_back()
    }
}

impl LanePermit {
    fn is_of(&self, lanes: &[Arc<Lane>]) -> bool {
        self.pool.as_ref().is_some_and(|pool| std::ptr::eq(pool.lanes(), lanes))
    }

    fn give_back(&mut self) -> Option<Threadpool> {
        let pool = self.pool.take()?;
        let (lending, own) = pool.lending(self.index);
        Lane::leave(lending, own);
        Some(pool)
    }
}

impl Drop for LanePermit {
    /// The upcall has not begun: its priority was refused, or the program's mapping has panicked.
    fn drop(&mut self) {
        self.give_back();
    }
}

impl PoaExtension for Dispatch {
    #[inline]
    fn answer(&self, request: &UpcallInfo<'_>) -> Option<Result<(), SystemException>> {
        self.bind(request)
    }

    /// The priority that the request carries, if clients propagate theirs (RT CORBA 1.2, *Real-time
    /// CORBA Priority Models*).
    fn reply_context(&self, request: &UpcallInfo<'_>) -> Option<AddedContext> {
        let Some(PriorityModel::ClientPropagated(_)) = self.model else { return None };
        let data = request.service_context(RT_CORBA_PRIORITY_CONTEXT)?;
        decode_priority(data).ok()?;
        Some((RT_CORBA_PRIORITY_CONTEXT, *data.first_chunk()?))
    }

    fn before_upcall(&self, request: &UpcallInfo<'_>) -> Result<(), SystemException> {
        let target = self.target(request)?;
        let permit = self.enter(target, request)?;
        let before = ThreadPriority::current();
        let mut restore = Restore(Some(before));
        self.run_at(permit.as_ref(), target, before)?;
        let outbound = self.transform.as_ref().map(|transform| Outbound {
            transform: transform.clone(),
            poa: self.poa.clone(),
            object_id: request.object_id().into(),
        });
        FRAMES.with_borrow_mut(|frames| frames.push(Frame { before, permit, outbound }));
        restore.0 = None;
        Ok(())
    }

    fn after_upcall(&self) {
        let Some(frame) = FRAMES.with_borrow_mut(Vec::pop) else { return };
        let pool = frame.permit.and_then(Permit::leave);
        frame.before.restore();
        if let Some(pool) = pool {
            pool.lanes().iter().for_each(|lane| lane.charge());
        }
    }

    fn deactivated(&self, object_id: &[u8]) {
        self.forget_own(object_id);
    }

    fn addresses(&self, object_id: &[u8]) -> Option<ObjectAddresses> {
        let mut addresses = ObjectAddresses::default();
        let declared = self.model.map(|model| self.declared(object_id, model));
        let policies = ExposedPolicies {
            model: self.model.map(|model| match (model, declared) {
                (PriorityModel::ServerDeclared(_), Some(own)) => PriorityModel::ServerDeclared(own),
                (model, _) => model,
            }),
            bands: self.bands.clone(),
        };
        if policies != ExposedPolicies::default() {
            addresses.components.extend(policies.to_component().ok());
        }
        if let Some(pool) = &self.pool {
            let lane = declared.and_then(|priority| pool.lane_for(priority, &self.bands));
            let lane = lane.unwrap_or(0);
            let first = pool.lanes()[lane].address().cloned();
            addresses.iiop.extend(first);
            // What is served at one priority has one endpoint.
            let declared = matches!(self.model, Some(PriorityModel::ServerDeclared(_)));
            let listed = Self::endpoints(pool, lane, !declared);
            addresses.components.extend(TaoEndpoints(listed).to_tagged().ok());
            let propagated = matches!(self.model, Some(PriorityModel::ClientPropagated(_)));
            let one = (!propagated).then_some(lane);
            addresses.components.extend(pool.local_components(one));
            addresses.only_these = true;
        }
        Some(addresses)
    }
}

#[cold]
fn refused_by_transform(poa: &str, priority: Priority) -> SystemException {
    let what = format!("POA {poa:?}: its priority transform refuses the priority {priority}");
    SystemException::new(ExceptionKind::NoPermission, Minor::BAD_ARGUMENT, Completion::No)
        .with_reason(what)
}
