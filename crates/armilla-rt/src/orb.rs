//! The real-time part of an ORB: `RTCORBA::RTORB` (RT CORBA 1.2, *Real-time ORB*).

use crate::client::{ClientPolicies, RtClient};
use crate::current::RtCurrent;
use crate::error::RtError;
use crate::poa::RtPoaBuilder;
use crate::policy::RtPolicy;
use crate::priority::{Mapper, PriorityMapping};
use crate::rtcorba::MutexRef;
use crate::scheduler::{Scheduler, SchedulerOptions};
use crate::threadpool::{Threadpool, ThreadpoolOptions};
use armilla::{
    AddedContext, CallSelector, ClientExtension, Ior, Object, Orb, PoaBuilder, PolicyType,
    SystemException,
};
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

/// The real-time part of an ORB: it creates thread pools and POAs with real-time policies.
#[derive(Clone)]
#[doc(alias = "RTORB")]
pub struct RtOrb {
    orb: Orb,
    mapper: Mapper,
    strict: bool,
    part: Arc<RtPart>,
}

/// What an ORB has once.
#[derive(Default)]
pub(crate) struct RtPart {
    client: RtClient,
    /// The pools that have numbers, because they were created by the standard's names.
    pub(crate) pools: Mutex<Vec<Option<Threadpool>>>,
    /// The mutexes that have names.
    pub(crate) mutexes: Mutex<HashMap<String, MutexRef>>,
}

impl ClientExtension for RtPart {
    fn attach(
        &self,
        orb: &Orb,
        ior: &Ior,
    ) -> Result<Option<Arc<dyn CallSelector>>, SystemException> {
        self.client.selector(orb, ior, &[], None)
    }

    fn local_context(&self) -> Result<Option<AddedContext>, SystemException> {
        self.client.local_context()
    }
}

/// The policies that a reference has of its own. Where it is forwarded, they apply too.
#[derive(Clone)]
struct OwnPolicies {
    part: Arc<RtPart>,
    policies: Arc<[RtPolicy]>,
}

impl ClientExtension for OwnPolicies {
    fn attach(
        &self,
        orb: &Orb,
        ior: &Ior,
    ) -> Result<Option<Arc<dyn CallSelector>>, SystemException> {
        let follow: Arc<dyn ClientExtension> = Arc::new(self.clone());
        self.part.client.selector(orb, ior, &self.policies, Some(&follow))
    }
}

impl RtOrb {
    /// The real-time part of `orb`. From now on calls through this ORB go to the lane of their
    /// thread's priority, and carry it where the server asks for it. The mapping is linear over
    /// `SCHED_FIFO`, unless [`with_mapping`](Self::with_mapping) has set another one. An ORB has
    /// one such part: each call returns it, with the mapping, client policies, numbered pools and
    /// named mutexes that it has.
    ///
    /// # Panics
    /// If another crate has set an extension of the ORB's client.
    pub fn new(orb: &Orb) -> Self {
        let known: Arc<dyn Any + Send + Sync> =
            orb.set_client_extension(Arc::new(RtPart::default()));
        // Both extensions would decide where a call goes.
        let part = known.downcast::<RtPart>().expect("the ORB has no other client extension");
        Self { orb: orb.clone(), mapper: part.client.mapper(), strict: false, part }
    }

    /// The same with another priority mapping, for what is created from now on through this part
    /// and its later clones, and for calls of references that were not called before.
    #[must_use]
    pub fn with_mapping(mut self, mapping: impl PriorityMapping + 'static) -> Self {
        self.mapper = Mapper::new(Arc::new(mapping));
        self.part.client.set_mapper(&self.mapper);
        self
    }

    /// What the ORB has once.
    pub(crate) fn part(&self) -> &RtPart {
        &self.part
    }

    /// Sets what the client asks of its connections, for references that were not called before.
    ///
    /// # Errors
    /// If bands overlap or are empty.
    pub fn set_client_policies(&self, policies: ClientPolicies) -> Result<(), RtError> {
        policies.check()?;
        self.part.client.set_policies(policies);
        Ok(())
    }

    /// Opens the connection that calls of the calling thread will use, at its priority, so that the
    /// first call does not have to: `validate_connection`. Returns whether the object exists.
    ///
    /// # Errors
    /// As [`Object::locate`]; `INV_POLICY` when no lane or band has the priority of the thread.
    pub fn validate_connection(&self, object: impl AsRef<Object>) -> Result<bool, SystemException> {
        object.as_ref().locate()
    }

    /// The policies with which calls of the calling thread contradict what the object asks for, by
    /// their types: what `validate_connection` returns as `inconsistent_policies`. None if there is
    /// no contradiction.
    ///
    /// # Errors
    /// `INV_POLICY` when the policies of the client contradict themselves.
    pub fn inconsistent_policies(
        &self,
        object: impl AsRef<Object>,
    ) -> Result<Vec<PolicyType>, SystemException> {
        self.part.client.inconsistent_policies(&self.orb, &object.as_ref().ior())
    }

    /// The reference with policies of its own, which take precedence over those of the thread and
    /// the ORB: `set_policy_overrides`.
    ///
    /// # Errors
    /// `INV_POLICY` for a policy of servers, and where policies contradict one another or the
    /// object.
    pub fn with_policies(
        &self,
        object: impl AsRef<Object>,
        policies: impl IntoIterator<Item = RtPolicy>,
    ) -> Result<Object, SystemException> {
        let own = OwnPolicies { part: self.part.clone(), policies: policies.into_iter().collect() };
        let object = object.as_ref();
        let selector = own.attach(&self.orb, &object.ior())?;
        Ok(selector.map_or_else(|| object.clone(), |it| object.with_call_selector(it)))
    }

    /// The same, which refuses whatever the system does not grant in full: a thread pool whose
    /// threads cannot have their native priorities is an error, and not a warning.
    #[must_use]
    pub const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// The priority of the calling thread.
    pub fn current(&self) -> RtCurrent {
        RtCurrent { mapper: self.mapper.clone() }
    }

    /// Creates a thread pool: `create_threadpool` and `create_threadpool_with_lanes`.
    ///
    /// # Errors
    /// `BAD_PARAM` for values out of range, `DATA_CONVERSION` when a priority has no native one or
    /// two lanes have the same, `NO_PERMISSION` when the ORB is [strict](Self::strict) and the
    /// system refuses a native priority, `INITIALIZE` when an endpoint cannot be opened.
    pub fn create_threadpool(
        &self,
        options: ThreadpoolOptions,
    ) -> Result<Threadpool, SystemException> {
        let policies = self.orb.policies().custom;
        let all = policies.iter().chain(&self.orb.settings().custom_policies);
        let protocols = all.filter_map(RtPolicy::of).find_map(|policy| match policy {
            RtPolicy::ServerProtocol(protocols) => Some(protocols),
            _ => None,
        });
        let options = match protocols.filter(|_| options.protocol.is_none()) {
            Some(protocols) => options.server_protocols(protocols)?,
            None => options,
        };
        Threadpool::create(&self.orb, &self.mapper, options, self.strict)
    }

    /// Creates a scheduler, which decides by deadlines or criticality which request runs next in a
    /// [thread pool](ThreadpoolOptions::scheduled_by).
    ///
    /// # Errors
    /// `BAD_PARAM` for values out of range and tasks that contradict themselves, `INV_POLICY` for
    /// options that contradict one another, `DATA_CONVERSION` when a priority has no native one or
    /// two have the same, `NO_PERMISSION` when the ORB is [strict](Self::strict) and the system
    /// refuses a native priority. Tasks that may be late are no error: the log names them, and
    /// [`Scheduler::report`] has the verdicts.
    pub fn create_scheduler(
        &self,
        options: SchedulerOptions,
    ) -> Result<Scheduler, SystemException> {
        Scheduler::create(&self.mapper, self.strict, options)
    }

    /// Adds real-time policies to a POA that is about to be created.
    pub fn poa(&self, builder: PoaBuilder) -> RtPoaBuilder {
        RtPoaBuilder::new(&self.mapper, self.strict, builder)
    }

    /// The ORB.
    pub const fn orb(&self) -> &Orb {
        &self.orb
    }
}

impl fmt::Debug for RtOrb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mapper, strict, .. } = self;
        f.debug_struct("RtOrb").field("mapper", mapper).field("strict", strict).finish()
    }
}
