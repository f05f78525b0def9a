//! POAs with real-time policies: `RTPortableServer::POA` (RT CORBA 1.2,
//! *Real-time POA*).

use crate::dispatch::Dispatch;
use crate::error::{RtError, RtErrorKind};
use crate::policy::RtPolicy;
use crate::priority::{Mapper, Priority, PriorityTransform};
use crate::threadpool::Threadpool;
use crate::wire::PriorityModel;
use armilla::codegen::Interface;
use armilla::{Object, ObjectId, Poa, PoaBuilder, PoaError, Policy, Ref, SystemException};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A POA with real-time policies, to be created.
///
/// ```no_run
/// # fn example(orb: &armilla::Orb) -> Result<(), armilla::SystemException> {
/// use armilla_rt::{Priority, PriorityModel, RtOrb, ThreadpoolOptions};
///
/// let rt = RtOrb::new(orb);
/// let [low, high] = [1_000, 30_000].map(|number| Priority::new(number).unwrap());
/// let lanes = ThreadpoolOptions::with_lanes("sensors").lane(low, 2, 0).lane(high, 1, 0);
/// let pool = rt.create_threadpool(lanes)?;
/// let sensors = rt
///     .poa(orb.root_poa().create_poa("sensors"))
///     .threadpool(&pool)
///     .priority_model(PriorityModel::ServerDeclared(high))
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "the POA is made by `build`"]
pub struct RtPoaBuilder {
    builder: PoaBuilder,
    dispatch: Dispatch,
    /// A policy that a POA cannot have.
    misplaced: Option<RtPolicy>,
}

impl RtPoaBuilder {
    pub(crate) fn new(mapper: &Mapper, strict: bool, builder: PoaBuilder) -> Self {
        let mut dispatch = Dispatch::new(builder.name().to_owned(), mapper.clone());
        dispatch.strict = strict;
        Self { builder, dispatch, misplaced: None }
    }

    /// Adds policies, of real time ([`RtPolicy`]) and others: the argument of `create_POA`.
    pub fn policies(self, policies: impl IntoIterator<Item = Policy>) -> Self {
        policies.into_iter().fold(self, |mut this, policy| {
            let Policy::Custom(custom) = &policy else {
                this.builder = this.builder.policy(policy);
                return this;
            };
            match RtPolicy::of(custom) {
                Some(policy) => this.with(policy.clone()),
                None => {
                    this.builder = this.builder.policy(policy);
                    this
                }
            }
        })
    }

    fn with(mut self, policy: RtPolicy) -> Self {
        match policy {
            RtPolicy::PriorityModel(model) => self.dispatch.model = Some(model),
            RtPolicy::Threadpool(pool) => self.dispatch.pool = Some(pool),
            RtPolicy::PriorityBandedConnection(bands) => self.dispatch.bands = bands,
            other => self.misplaced = Some(other),
        }
        self
    }

    /// Its requests are served by this pool, and its references lead to the endpoints of the pool's
    /// lanes (`ThreadpoolPolicy`). By default the ORB's own threads serve them.
    pub fn threadpool(mut self, pool: &Threadpool) -> Self {
        self.dispatch.pool = Some(pool.clone());
        self
    }

    /// Whose priority the servants run at (`PriorityModelPolicy`). By default requests do not
    /// change the priority of a thread.
    pub fn priority_model(mut self, model: PriorityModel) -> Self {
        self.dispatch.model = Some(model);
        self
    }

    /// The bands of priorities for which clients have a connection each
    /// (`PriorityBandedConnectionPolicy`), from the lowest to the highest priority of a band.
    pub fn priority_bands(mut self, bands: impl Into<Vec<(Priority, Priority)>>) -> Self {
        self.dispatch.bands = bands.into();
        self
    }

    /// Changes the priorities of requests.
    pub fn priority_transform(mut self, transform: Arc<dyn PriorityTransform>) -> Self {
        self.dispatch.transform = Some(transform);
        self
    }

    /// Creates the POA.
    ///
    /// # Errors
    /// As [`PoaBuilder::build`]; `INV_POLICY` when the policies contradict one another, and
    /// `DATA_CONVERSION` when a priority has no native one.
    pub fn build(self) -> Result<RtPoa, SystemException> {
        self.check()?;
        let dispatch = Arc::new(self.dispatch);
        let poa = self.builder.extension(dispatch.clone()).build()?;
        Ok(RtPoa { poa, dispatch })
    }

    fn check(&self) -> Result<(), RtError> {
        let Dispatch { poa, model, pool, mapper, .. } = &self.dispatch;
        let object = format!("POA {poa:?}");
        if let Some(policy) = &self.misplaced {
            return Err(misplaced(&object, policy));
        }
        if let Some(pool) = pool.as_ref().filter(|pool| pool.is_destroyed()) {
            let (reason, remedy) = ("it was destroyed", "create another thread pool");
            let (kind, name) = (RtErrorKind::Policy, format!("{:?}", pool.name()));
            return Err(RtError::new(kind, object, "threadpool", name, reason, remedy));
        }
        let scheduler = pool.as_ref().and_then(Threadpool::scheduler);
        if let (Some(model), Some(scheduler)) = (model, scheduler) {
            return Err(RtError::new(
                RtErrorKind::Policy,
                object,
                "priority model",
                format_args!("{model:?}"),
                format_args!(
                    "scheduler {:?} of its thread pool chooses the priorities",
                    scheduler.name()
                ),
                "leave the priority model out, or the scheduler",
            ));
        }
        let bands = &self.dispatch.bands;
        check_bands(&object, bands)?;
        if let Some(model) = model {
            mapper.native(&object, model.server_priority())?;
            let of_clients = matches!(model, PriorityModel::ClientPropagated(_));
            let selecting = if of_clients { &bands[..] } else { &[] };
            check_lane(&object, pool.as_ref(), model.server_priority(), selecting)?;
            check_in_band(&object, bands, model.server_priority())?;
        }
        match (model, pool) {
            (Some(PriorityModel::ClientPropagated(_)), Some(pool)) if pool.has_lanes() => {
                check_lanes_in_bands(&object, pool, bands)
            }
            _ => Ok(()),
        }
    }
}

/// A policy that `object` cannot have.
fn misplaced(object: &str, policy: &RtPolicy) -> RtError {
    let (reason, remedy) = match policy {
        RtPolicy::ServerProtocol(_) => (
            "endpoints belong to thread pools, and this POA has none of its own",
            "give it to ThreadpoolOptions::server_protocols, or to the ORB before the pool is made",
        ),
        _ => (
            "it is a policy of clients",
            "give it to Orb::set_policies, PolicyCurrent or RtOrb::with_policies",
        ),
    };
    let (name, kind) = (policy.name(), policy.policy_type());
    RtError::new(RtErrorKind::Policy, object, name, kind.0, reason, remedy)
}

/// Checks that a pool with lanes has one of this priority, or one that these bands select for it.
fn check_lane(
    object: &str,
    pool: Option<&Threadpool>,
    priority: Priority,
    bands: &[(Priority, Priority)],
) -> Result<(), RtError> {
    let lacks = |pool: &&Threadpool| pool.lane_for(priority, bands).is_none();
    let Some(pool) = pool.filter(lacks) else { return Ok(()) };
    let lanes: Vec<_> = pool.report().iter().map(|lane| lane.priority.to_string()).collect();
    Err(RtError::new(
        RtErrorKind::Policy,
        object,
        "server_priority",
        priority,
        format_args!("thread pool {:?} has lanes {} only", pool.name(), lanes.join(", ")),
        "choose the priority of a lane, or add a lane",
    ))
}

/// Checks that a priority of the server is in a band, if there are any.
fn check_in_band(
    object: &str,
    bands: &[(Priority, Priority)],
    priority: Priority,
) -> Result<(), RtError> {
    if bands.is_empty() || bands.iter().any(|(low, high)| (*low..=*high).contains(&priority)) {
        return Ok(());
    }
    Err(RtError::new(
        RtErrorKind::Policy,
        object,
        "server_priority",
        priority,
        format_args!("the bands of its connections are {} only", ranges(bands)),
        "choose a priority in a band, or add a band for it",
    ))
}

/// Checks that each lane is in a band, and that each band has a lane: nobody could call otherwise.
fn check_lanes_in_bands(
    object: &str,
    pool: &Threadpool,
    bands: &[(Priority, Priority)],
) -> Result<(), RtError> {
    let lanes: Vec<_> = pool.report().iter().map(|lane| lane.priority).collect();
    lanes.iter().try_for_each(|lane| {
        check_in_band(&format!("{object}, lane of thread pool {:?}", pool.name()), bands, *lane)
    })?;
    let has_lane =
        |band: &&(Priority, Priority)| lanes.iter().any(|lane| (band.0..=band.1).contains(lane));
    let Some((low, high)) = bands.iter().find(|band| !has_lane(band)) else { return Ok(()) };
    let shown: Vec<_> = lanes.iter().map(ToString::to_string).collect();
    Err(RtError::new(
        RtErrorKind::Policy,
        object,
        "priority band",
        format_args!("{low} to {high}"),
        format_args!("thread pool {:?} has lanes {} only", pool.name(), shown.join(", ")),
        "leave the band out, or add a lane in it",
    ))
}

/// Bands as text.
fn ranges(bands: &[(Priority, Priority)]) -> String {
    let shown: Vec<_> = bands.iter().map(|(low, high)| format!("{low} to {high}")).collect();
    shown.join(", ")
}

/// Checks that bands are ranges that do not overlap. Two may share an edge, as the bands of TAO's
/// programs do: a priority belongs to the first band that has it.
pub(crate) fn check_bands(object: &str, bands: &[(Priority, Priority)]) -> Result<(), RtError> {
    let mut sorted = bands.to_vec();
    sorted.sort();
    let wrong = sorted.iter().find(|(low, high)| low > high).copied();
    let overlap = sorted.windows(2).find(|pair| pair[0].1 > pair[1].0 || pair[0] == pair[1]);
    let overlap = overlap.map(|pair| pair[1]);
    let (reason, band) = match (wrong, overlap) {
        (Some(band), _) => ("its lowest priority is above its highest", band),
        (None, Some(band)) => ("it overlaps another band", band),
        (None, None) => return Ok(()),
    };
    Err(RtError::new(
        RtErrorKind::Policy,
        object,
        "priority band",
        format_args!("{} to {}", band.0, band.1),
        reason,
        "give each priority at most one band",
    ))
}

/// A POA with real-time policies. It is the [`Poa`] to which it dereferences.
#[derive(Clone)]
pub struct RtPoa {
    poa: Poa,
    dispatch: Arc<Dispatch>,
}

impl RtPoa {
    /// The POA.
    pub const fn poa(&self) -> &Poa {
        &self.poa
    }

    /// Activates `servant` with a priority of its own: `activate_object_with_priority`. The
    /// priority is forgotten when the object is deactivated; who activates it again under its id
    /// gives it anew.
    ///
    /// # Errors
    /// As [`Poa::activate`]; `WrongPolicy` unless the POA declares priorities; `BAD_PARAM` and
    /// others when the priority has no lane or no native priority.
    #[doc(alias = "activate_object_with_priority")]
    pub fn activate_with_priority<I: Interface + ?Sized>(
        &self,
        servant: Arc<I>,
        priority: Priority,
    ) -> Result<Ref<I>, PoaError> {
        self.check_own(priority)?;
        let object = self.poa.activate(servant)?;
        self.claim(self.poa.reference_to_id(object.object())?.as_bytes(), priority)?;
        Ok(object)
    }

    /// Activates `servant` under `id` with a priority of its own:
    /// `activate_object_with_id_and_priority`.
    ///
    /// # Errors
    /// As [`activate_with_priority`](Self::activate_with_priority) and [`Poa::activate_with_id`];
    /// `BAD_INV_ORDER` if the object was given another priority before, with or without a servant.
    #[doc(alias = "activate_object_with_id_and_priority")]
    pub fn activate_with_id_and_priority<I: Interface + ?Sized>(
        &self,
        id: impl Into<ObjectId>,
        servant: Arc<I>,
        priority: Priority,
    ) -> Result<Ref<I>, PoaError> {
        self.check_own(priority)?;
        let id = id.into();
        let is_new = self.claim(id.as_bytes(), priority)?;
        let activated = self.poa.activate_with_id(id.clone(), servant);
        if activated.is_err() && is_new {
            self.dispatch.forget_own(id.as_bytes());
        }
        activated
    }

    /// Creates a reference to the object `id` with a priority of its own:
    /// `create_reference_with_id_and_priority`.
    ///
    /// # Errors
    /// As [`activate_with_priority`](Self::activate_with_priority) and
    /// [`Poa::create_object_with_id`]; `BAD_INV_ORDER` if the object was given another priority
    /// before.
    pub fn create_reference_with_id_and_priority(
        &self,
        repository_id: &str,
        id: impl Into<ObjectId>,
        priority: Priority,
    ) -> Result<Object, PoaError> {
        self.check_own(priority)?;
        let id = id.into();
        self.claim(id.as_bytes(), priority)?;
        self.poa.create_object_with_id(repository_id, id)
    }

    /// Creates a reference with a priority of its own: `create_reference_with_priority`.
    ///
    /// # Errors
    /// As [`activate_with_priority`](Self::activate_with_priority) and [`Poa::create_object`].
    pub fn create_reference_with_priority(
        &self,
        repository_id: &str,
        priority: Priority,
    ) -> Result<Object, PoaError> {
        self.check_own(priority)?;
        let made = self.poa.create_object(repository_id)?;
        let id = self.poa.reference_to_id(&made)?;
        self.claim(id.as_bytes(), priority)?;
        self.poa.create_object_with_id(repository_id, id)
    }

    /// Gives an object a priority of its own. Whether it had none before.
    fn claim(&self, id: &[u8], priority: Priority) -> Result<bool, PoaError> {
        let claimed = self.dispatch.set_own(id, priority);
        claimed.map_err(|error| PoaError::from(SystemException::from(error)))
    }

    /// Checks the priority that an object is to have of its own.
    fn check_own(&self, priority: Priority) -> Result<(), PoaError> {
        let Some(PriorityModel::ServerDeclared(_)) = self.dispatch.model else {
            return Err(PoaError::WrongPolicy);
        };
        let object = format!("object of POA {:?}", self.dispatch.poa);
        let checked = self
            .dispatch
            .mapper
            .native(&object, priority)
            .and_then(|_| check_lane(&object, self.dispatch.pool.as_ref(), priority, &[]))
            .and_then(|()| check_in_band(&object, &self.dispatch.bands, priority));
        checked.map_err(|error| PoaError::from(SystemException::from(error)))
    }
}

impl Deref for RtPoa {
    type Target = Poa;

    fn deref(&self) -> &Poa {
        &self.poa
    }
}

impl fmt::Debug for RtPoa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RtPoa({:?})", self.dispatch.poa)
    }
}

impl fmt::Debug for RtPoaBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RtPoaBuilder").field("builder", &self.builder).finish_non_exhaustive()
    }
}
