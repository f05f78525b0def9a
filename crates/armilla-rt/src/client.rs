//! The client side: a call goes to the lane of its priority, and carries the priority.
//!
//! For each lane, and for each band of priorities, a reference has a copy whose calls use
//! connections of their own. The copies are made with the first call; a call only chooses one.

use crate::dispatch::own_priority;
use crate::error::{RtError, RtErrorKind};
use crate::poa::check_bands;
use crate::policy::RtPolicy;
use crate::priority::{Mapper, Priority};
use crate::protocol::{Protocol, ProtocolType, Side, check_protocols};
use crate::shared_pools::{Change, OwnPool, PoolKey, SharedPools};
use crate::wire::{
    ExposedPolicies, LaneLocalEndpoint, PriorityModel, RT_CORBA_PRIORITY_CONTEXT,
    TAG_LANE_LOCAL_ENDPOINT, TAG_LOCAL_ENDPOINT, TAG_POLICIES, TAG_SAME_HOST_ENDPOINT,
    TAO_TAG_ENDPOINTS, TaoEndpoint, TaoEndpoints, decode_priority, encode_priority, local_address,
};
use armilla::transport::{Component, IiopProfile, TaggedComponent};
use armilla::{
    AddedContext, CallChoice, CallSelector, ClientExtension, ConnectionPool, Ior, Object, Orb,
    PolicyCurrent, PolicyType, Settings, SystemException,
};
use armilla_giop::ior::TAG_INTERNET_IOP;
use armilla_ipc::Address;
use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

/// What a client asks of its connections, beside what the servers' references say.
#[derive(Clone, Default)]
pub struct ClientPolicies {
    bands: Vec<(Priority, Priority)>,
    private: bool,
    protocol: Option<Change>,
    protocols: Vec<Protocol>,
}

impl ClientPolicies {
    /// Asks for nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a band of priorities, both ends included, which has connections of its own
    /// (`PriorityBandedConnectionPolicy`).
    #[must_use]
    pub fn band(mut self, lowest: Priority, highest: Priority) -> Self {
        self.bands.push((lowest, highest));
        self
    }

    /// Each reference has connections of its own (`PrivateConnectionPolicy`).
    #[must_use]
    pub const fn private_connections(mut self) -> Self {
        self.private = true;
        self
    }

    /// The connections have these settings instead of those of the ORB: `socket_queue`,
    /// `keep_alive`, `no_delay`, `dscp`, `socket_priority`, `busy_poll` (`ClientProtocolPolicy`).
    #[must_use]
    pub fn protocol(mut self, change: impl Fn(&mut Settings) + Send + Sync + 'static) -> Self {
        self.protocol = Some(Arc::new(change));
        self
    }

    /// Uses these protocols only, with their settings, the first one that the server has
    /// (`ClientProtocolPolicy`). IIOP has to be one of them, and is there for every server: what
    /// comes after it is not used.
    #[must_use]
    pub fn protocols(mut self, protocols: impl Into<Vec<Protocol>>) -> Self {
        self.protocols = protocols.into();
        self
    }

    /// Completes what is not set with policy objects, the first of a type first.
    ///
    /// # Errors
    /// For a policy of servers.
    fn complete<'p>(
        mut self,
        policies: impl IntoIterator<Item = &'p RtPolicy>,
    ) -> Result<Self, RtError> {
        for policy in policies {
            match policy {
                RtPolicy::PriorityBandedConnection(bands) if self.bands.is_empty() => {
                    self.bands.clone_from(bands);
                }
                RtPolicy::ClientProtocol(protocols) if self.protocols.is_empty() => {
                    check_protocols("client policies", Side::Client, protocols)?;
                    self.protocols.clone_from(protocols);
                }
                RtPolicy::PrivateConnection => self.private = true,
                _ => {}
            }
        }
        Ok(self)
    }

    /// Whether calls need connections of their own.
    fn are_special(&self) -> bool {
        self.private || self.protocol.is_some() || !self.protocols.is_empty()
    }

    pub(crate) fn check(&self) -> Result<(), RtError> {
        check_bands("client policies", &self.bands)?;
        match self.protocols.is_empty() {
            true => Ok(()),
            false => check_protocols("client policies", Side::Client, &self.protocols),
        }
    }

    /// Leaves the endpoints of one host that calls may use, in the order of preference: those of
    /// protocols before IIOP, if the policies name any.
    fn choose_protocols(&self, components: &mut Vec<TaggedComponent>) {
        if self.protocols.is_empty() {
            return;
        }
        let preferred = self.protocols.iter().map(|protocol| protocol.protocol_type);
        let preferred: Vec<_> = preferred.take_while(|one| *one != ProtocolType::Iiop).collect();
        let place = |component: &TaggedComponent| {
            let protocol = match local_address(component)? {
                Address::Shm(_) => ProtocolType::SharedMemory,
                _ => ProtocolType::UnixDomain,
            };
            preferred.iter().position(|one| *one == protocol)
        };
        // What the ORB would choose by itself is none of the protocols of policies.
        components.retain(|component| match component.id {
            TAG_LOCAL_ENDPOINT => place(component).is_some(),
            id => id != TAG_SAME_HOST_ENDPOINT,
        });
        components.sort_by_key(|component| place(component));
    }

    /// The connections that calls at these priorities share, unless each reference has its own.
    fn pool_key(
        &self,
        (low, high): (Priority, Priority),
        urgency: Priority,
        band: Option<(Priority, Priority)>,
    ) -> PoolKey {
        let (protocols, change) = (self.protocols.clone(), self.protocol.clone());
        PoolKey { low, high, urgency, band, protocols, change }
    }
}

/// The client side of a real-time ORB.
#[derive(Default)]
pub(crate) struct RtClient {
    state: RwLock<(Mapper, ClientPolicies)>,
    pools: SharedPools,
}

impl RtClient {
    pub(crate) fn mapper(&self) -> Mapper {
        self.state.read().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    pub(crate) fn set_mapper(&self, mapper: &Mapper) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).0 = mapper.clone();
    }

    pub(crate) fn set_policies(&self, policies: ClientPolicies) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).1 = policies;
    }
}

impl RtClient {
    /// The policies in effect for a reference with these of its own, which is called for the first
    /// time: then those of the thread, those that were set here, and those of the ORB.
    fn policies(&self, orb: &Orb, own: &[RtPolicy]) -> Result<ClientPolicies, RtError> {
        let here = self.state.read().unwrap_or_else(PoisonError::into_inner).1.clone();
        if let Some(policy) = own.iter().find(|policy| is_of_servers(policy)) {
            return Err(RtError::new(
                RtErrorKind::Policy,
                "reference",
                policy.name(),
                policy.policy_type().0,
                "it is a policy of servers",
                "give it to a POA (RtPoaBuilder::policies)",
            ));
        }
        let of_thread = PolicyCurrent::policies().custom;
        let of_thread = own.iter().chain(of_thread.iter().filter_map(RtPolicy::of));
        let mut policies = ClientPolicies::new().complete(of_thread)?;
        policies.private |= here.private;
        policies.protocol = here.protocol;
        if policies.bands.is_empty() {
            policies.bands = here.bands;
        }
        if policies.protocols.is_empty() {
            policies.protocols = here.protocols;
        }
        let of_orb = orb.policies().custom;
        let of_orb = of_orb.iter().chain(&orb.settings().custom_policies);
        let policies = policies.complete(of_orb.filter_map(RtPolicy::of))?;
        policies.check()?;
        Ok(policies)
    }

    /// What chooses a copy for each call of a reference with these policies of its own; `None` if
    /// there is nothing to choose. Forwards of such a reference are looked at by `follow`.
    pub(crate) fn selector(
        &self,
        orb: &Orb,
        ior: &Ior,
        own: &[RtPolicy],
        follow: Option<&Arc<dyn ClientExtension>>,
    ) -> Result<Option<Arc<dyn CallSelector>>, SystemException> {
        let Some(profile) = first_profile(ior) else { return Ok(None) };
        // A copy that was made here has no policies; it is not copied again.
        if component(&profile).is_some_and(|pool: ConnectionPool| orb.has_connection_pool(pool)) {
            return Ok(None);
        }
        let policies = self.policies(orb, own)?;
        let mapper = self.mapper();
        let exposed = component::<ExposedPolicies>(&profile).unwrap_or_default();
        let model = exposed.model;
        let propagated = matches!(model, Some(PriorityModel::ClientPropagated(_)));
        let bands = bands_of(&policies, &exposed)?;
        if !propagated && bands.is_empty() && !policies.are_special() {
            // What the server declares, its reference says with the address alone.
            return Ok(None);
        }
        let lanes = match component::<TaoEndpoints>(&profile) {
            Some(TaoEndpoints(lanes)) if propagated => lanes,
            _ => Vec::new(),
        };
        let default = model.map(PriorityModel::server_priority);
        let (profile, policies) = (&profile, &policies);
        let parts = Parts { orb, ior, profile, policies, pools: &self.pools, default, follow };
        let copies = parts.copies(&lanes, &bands)?;
        Ok(Some(Arc::new(Selector { copies, propagated, default, mapper })))
    }

    /// What an asynchronous call of the calling thread within the process carries.
    pub(crate) fn local_context(&self) -> Result<Option<AddedContext>, SystemException> {
        Ok(own_priority(&self.mapper())?.map(priority_context))
    }

    /// The types of the policies with which calls of the calling thread contradict the object.
    pub(crate) fn inconsistent_policies(
        &self,
        orb: &Orb,
        ior: &Ior,
    ) -> Result<Vec<PolicyType>, SystemException> {
        const MODEL: PolicyType = PolicyType(40);
        const BANDS: PolicyType = PolicyType(45);
        let Some(profile) = first_profile(ior) else { return Ok(Vec::new()) };
        let policies = self.policies(orb, &[])?;
        let exposed = component::<ExposedPolicies>(&profile).unwrap_or_default();
        let Ok(bands) = bands_of(&policies, &exposed) else { return Ok(vec![BANDS]) };
        let mapper = self.mapper();
        let default = exposed.model.map(PriorityModel::server_priority);
        let propagated = matches!(exposed.model, Some(PriorityModel::ClientPropagated(_)));
        let priority = priority_of_call(own_priority(&mapper)?, default, propagated);
        let mut found = Vec::new();
        let in_band = |(low, high): &&(Priority, Priority)| (*low..=*high).contains(&priority);
        let band = bands.iter().find(in_band).copied();
        if !bands.is_empty() && band.is_none() {
            found.push(BANDS);
        }
        if let Some(TaoEndpoints(lanes)) = component(&profile).filter(|_| propagated) {
            let (low, high) = band.unwrap_or((priority, priority));
            let serves = |lane: &TaoEndpoint| {
                lane.priority.is_none_or(|of_lane| (low..=high).contains(&of_lane))
            };
            if !lanes.iter().any(serves) {
                found.push(MODEL);
            }
        }
        Ok(found)
    }
}

/// Whether only servers have policies of this type.
const fn is_of_servers(policy: &RtPolicy) -> bool {
    matches!(
        policy,
        RtPolicy::PriorityModel(_) | RtPolicy::Threadpool(_) | RtPolicy::ServerProtocol(_)
    )
}

/// The priority at which a call runs, which its band has: that of the client if it is propagated,
/// otherwise what the server declares.
fn priority_of_call(own: Option<Priority>, server: Option<Priority>, propagated: bool) -> Priority {
    let priority = if propagated { own.or(server) } else { server.or(own) };
    priority.unwrap_or_default()
}

/// The service context that carries a priority.
fn priority_context(priority: Priority) -> AddedContext {
    (RT_CORBA_PRIORITY_CONTEXT, encode_priority(priority))
}

/// The bands in effect.
fn bands_of(
    policies: &ClientPolicies,
    exposed: &ExposedPolicies,
) -> Result<Vec<(Priority, Priority)>, RtError> {
    let (own, other) = (&policies.bands, &exposed.bands);
    if !own.is_empty() && !other.is_empty() && own != other {
        return Err(RtError::new(
            RtErrorKind::Policy,
            "reference",
            "priority bands",
            format_args!("{own:?} of the client, {other:?} of the server"),
            "both sides have bands, and they differ",
            "leave the bands to one side",
        ));
    }
    let bands = if own.is_empty() { other.clone() } else { own.clone() };
    check_bands("reference", &bands)?;
    Ok(bands)
}

/// What the copies of a reference are made from.
struct Parts<'p> {
    orb: &'p Orb,
    ior: &'p Ior,
    profile: &'p IiopProfile,
    policies: &'p ClientPolicies,
    pools: &'p SharedPools,
    /// The priority of the server.
    default: Option<Priority>,
    /// What looks at forwards, if the reference has policies of its own.
    follow: Option<&'p Arc<dyn ClientExtension>>,
}

impl Parts<'_> {
    /// A copy for each lane, or for each band and the lanes in it. Without lanes all go to the
    /// address of the profile.
    fn copies(
        &self,
        lanes: &[TaoEndpoint],
        bands: &[(Priority, Priority)],
    ) -> Result<Vec<Copy>, SystemException> {
        let all = [(Priority::MIN, Priority::MAX)];
        let is_banded = !bands.is_empty();
        let bands = if is_banded { bands } else { &all[..] };
        let mut copies = Vec::new();
        for &band in bands {
            let has = |lane: &&TaoEndpoint| {
                lane.priority.is_none_or(|priority| (band.0..=band.1).contains(&priority))
            };
            let inside = lanes.iter().filter(has);
            // A call at the priority of a lane goes to this lane …
            for (lane, priority) in inside.clone().filter_map(|lane| Some((lane, lane.priority?))) {
                copies.push(self.copy_for((priority, priority), band, is_banded, Some(lane))?);
            }
            // … and another one to the first lane of its band that the reference names.
            let first = inside.into_iter().find(|lane| is_banded || lane.priority.is_none());
            if first.is_some() || lanes.is_empty() {
                copies.push(self.copy_for(band, band, is_banded, first)?);
            }
        }
        Ok(copies)
    }

    /// The copy for calls at these priorities.
    fn copy_for(
        &self,
        (low, high): (Priority, Priority),
        band: (Priority, Priority),
        is_banded: bool,
        lane: Option<&TaoEndpoint>,
    ) -> Result<Copy, SystemException> {
        let whole = (low, high) == (Priority::MIN, Priority::MAX);
        let urgency = if whole { self.default.unwrap_or_default() } else { high };
        let key = self.policies.pool_key((low, high), urgency, is_banded.then_some(band));
        let own = self.policies.private.then(|| OwnPool::open(self.orb, &key));
        let pool = match &own {
            Some(own) => own.pool,
            None => self.pools.get(self.orb, key),
        };
        Ok(Copy { low, high, object: self.copy(lane, pool)?, _own: own })
    }

    /// A copy with a pool of connections, at the endpoint of a lane.
    fn copy(
        &self,
        lane: Option<&TaoEndpoint>,
        pool: ConnectionPool,
    ) -> Result<Object, SystemException> {
        let mut profile = self.profile.clone();
        if let Some(lane) = lane {
            (profile.host, profile.port) = (lane.host.clone(), lane.port);
        }
        let of_lane = |own: LaneLocalEndpoint| {
            let is_own = lane.is_some_and(|lane| lane.priority == Some(own.priority));
            is_own.then_some(TaggedComponent { id: TAG_LOCAL_ENDPOINT, data: own.data })
        };
        let lanes = profile.components.iter();
        let of_lane: Vec<_> = lanes
            .filter_map(|one| LaneLocalEndpoint::from_tagged(one).ok()?.and_then(of_lane))
            .collect();
        profile.components.retain(|component| {
            // What leads elsewhere, or would be looked at again.
            let leads = lane.is_some() && is_address(component);
            let looked_at = [TAG_POLICIES, TAO_TAG_ENDPOINTS, TAG_LANE_LOCAL_ENDPOINT];
            !looked_at.contains(&component.id) && !leads
        });
        profile.components.extend(of_lane);
        self.policies.choose_protocols(&mut profile.components);
        profile.components.push(pool.to_tagged()?);
        let profiles = vec![profile.to_tagged()?];
        let ior = Ior { type_id: self.ior.type_id.clone(), profiles };
        let copy = self.orb.string_to_object(&ior.to_text()?)?;
        self.follow.into_iter().for_each(|follow| copy.set_forward_extension(follow.clone()));
        Ok(copy)
    }
}

/// Whether a component is another address of the object: `TAG_ALTERNATE_IIOP_ADDRESS`, or an
/// endpoint on the same host.
fn is_address(component: &TaggedComponent) -> bool {
    [3, TAG_LOCAL_ENDPOINT].contains(&component.id)
}

fn first_profile(ior: &Ior) -> Option<IiopProfile> {
    let profile = ior.profiles.iter().find(|profile| profile.id == TAG_INTERNET_IOP)?;
    IiopProfile::decode_data(&profile.data).ok()
}

fn component<C: Component>(profile: &IiopProfile) -> Option<C> {
    profile.components.iter().find_map(|component| C::from_tagged(component).ok()?)
}

/// The copy of a reference for some priorities.
struct Copy {
    low: Priority,
    high: Priority,
    object: Object,
    /// The pool of its connections, if no other reference uses it.
    _own: Option<OwnPool>,
}

/// Chooses the copy for a call.
struct Selector {
    copies: Vec<Copy>,
    /// Whether requests carry the priority.
    propagated: bool,
    /// The priority of the server for requests without one.
    default: Option<Priority>,
    mapper: Mapper,
}

impl CallSelector for Selector {
    fn select(&self) -> Result<CallChoice<'_>, SystemException> {
        self.select_at(own_priority(&self.mapper)?)
    }

    fn select_for(&self, caller: Option<AddedContext>) -> Result<CallChoice<'_>, SystemException> {
        self.select_at(caller.and_then(|(_, data)| decode_priority(&data).ok()))
    }
}

impl Selector {
    /// The choice for a call of a thread with this priority.
    fn select_at(&self, own: Option<Priority>) -> Result<CallChoice<'_>, SystemException> {
        let priority = priority_of_call(own, self.default, self.propagated);
        let copy = self.copies.iter().find(|copy| (copy.low..=copy.high).contains(&priority));
        let Some(copy) = copy else { return Err(self.no_copy(priority).into()) };
        let context = own.filter(|_| self.propagated);
        let context = context.map(priority_context);
        Ok(CallChoice { object: Cow::Borrowed(&copy.object), context })
    }

    #[cold]
    fn no_copy(&self, priority: Priority) -> RtError {
        // The most urgent first, and without the lanes that a band has.
        let ranges = || self.copies.iter().map(|copy| (copy.high, copy.low));
        let within = |(high, low), (h, l)| (high, low) != (h, l) && l <= low && high <= h;
        let is_alone = |own: &(Priority, Priority)| !ranges().any(|other| within(*own, other));
        let mut known: Vec<_> = ranges().filter(is_alone).collect();
        known.sort_by(|one, other| other.cmp(one));
        let known = known.into_iter().map(|(high, low)| match low == high {
            true => low.to_string(),
            false => format!("{low} to {high}"),
        });
        let known: Vec<_> = known.collect();
        RtError::new(
            RtErrorKind::Policy,
            "call",
            "priority",
            priority,
            format_args!("the object has lanes or bands for {} only", known.join(", ")),
            "give the thread one of these priorities (RtCurrent::set_priority)",
        )
    }
}
