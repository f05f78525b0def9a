//! The interfaces of the module `RTCORBA` in the standard's names (`idl/RTCORBA.idl`), for programs
//! that are carried over from other languages. They stand on the types of this crate.

mod policies;

pub use policies::PolicyObject;

use crate::current::RtCurrent;
use crate::error::{RtError, RtErrorKind};
use crate::orb::RtOrb;
use crate::priority::Priority;
use crate::protocol::Side;
use crate::rtcorba::rtorb::{
    DestroyThreadpoolRaises, InvalidThreadpool, MutexNotFound, OpenNamedMutexRaises,
};
use crate::rtcorba::{
    ClientProtocolPolicy, ClientProtocolPolicyRef, Current, Mutex, MutexRef, PriorityBand,
    PriorityBandedConnectionPolicy, PriorityBandedConnectionPolicyRef, PriorityModel,
    PriorityModelPolicy, PriorityModelPolicyRef, PrivateConnectionPolicy,
    PrivateConnectionPolicyRef, Protocol, Rtorb, ServerProtocolPolicy, ServerProtocolPolicyRef,
    TcpProtocolProperties, TcpProtocolPropertiesRef, ThreadpoolId, ThreadpoolLane,
    ThreadpoolPolicy, ThreadpoolPolicyRef,
};
use crate::threadpool::{RequestBuffering, Threadpool, ThreadpoolOptions};
use armilla::{Completion, Error, ExceptionKind, Minor, SystemException};
use armilla_ipc::real_time::{LockError, RawPiMutex};
use policies::{Bands, Model, OfClient, OfServer, Pool, Private, Tcp, TcpProperties};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

impl Current for RtCurrent {
    /// `BAD_INV_ORDER` if the thread has no priority.
    fn the_priority(&self) -> Result<i16, SystemException> {
        self.priority().map(Priority::get).ok_or_else(|| {
            let what = "the calling thread has no CORBA priority";
            exception(ExceptionKind::BadInvOrder, what.to_owned())
        })
    }

    fn set_the_priority(&self, value: i16) -> Result<(), SystemException> {
        Ok(self.set_priority(priority("calling thread", value)?)?)
    }
}

/// A mutex of the standard: a lock with priority inheritance.
struct StandardMutex(RawPiMutex);

impl Mutex for StandardMutex {
    fn lock(&self) -> Result<(), SystemException> {
        self.0.lock().map_err(refused)
    }

    fn unlock(&self) -> Result<(), SystemException> {
        self.0.unlock().map_err(refused)
    }

    fn try_lock(&self, max_wait: u64) -> Result<bool, SystemException> {
        let tried = match max_wait {
            0 => self.0.try_lock(),
            units => self.0.try_lock_for(Duration::from_nanos(units.saturating_mul(100))),
        };
        match tried {
            Ok(()) => Ok(true),
            Err(LockError::Busy) => Ok(false),
            Err(error) => Err(refused(error)),
        }
    }
}

impl Rtorb for RtOrb {
    fn create_mutex(&self) -> Result<MutexRef, SystemException> {
        Ok(new_mutex())
    }

    /// Takes the name of a mutex away, if it has one. The mutex ends with its last reference.
    fn destroy_mutex(&self, the_mutex: &MutexRef) -> Result<(), SystemException> {
        let mut named = self.part().mutexes.lock().unwrap_or_else(PoisonError::into_inner);
        named.retain(|_, mutex| mutex != the_mutex);
        Ok(())
    }

    /// The mutex of this name in this ORB, and whether it was created now.
    fn create_named_mutex(&self, name: &str) -> Result<(MutexRef, bool), SystemException> {
        let mut named = self.part().mutexes.lock().unwrap_or_else(PoisonError::into_inner);
        let created = !named.contains_key(name);
        let mutex = named.entry(name.to_owned()).or_insert_with(new_mutex);
        Ok((mutex.clone(), created))
    }

    fn open_named_mutex(&self, name: &str) -> Result<MutexRef, Error<OpenNamedMutexRaises>> {
        let named = self.part().mutexes.lock().unwrap_or_else(PoisonError::into_inner);
        named.get(name).cloned().ok_or_else(|| MutexNotFound.into())
    }

    fn create_threadpool(
        &self,
        stacksize: u32,
        static_threads: u32,
        dynamic_threads: u32,
        default_priority: i16,
        allow_request_buffering: bool,
        max_buffered_requests: u32,
        max_request_buffer_size: u32,
    ) -> Result<ThreadpoolId, SystemException> {
        let priority = priority("thread pool", default_priority)?;
        let (fixed, dynamic) = (static_threads as usize, dynamic_threads as usize);
        let options = ThreadpoolOptions::new(self.next_name(), fixed, dynamic, priority);
        let buffering =
            allow_request_buffering.then_some((max_buffered_requests, max_request_buffer_size));
        self.create(options, stacksize, buffering)
    }

    fn create_threadpool_with_lanes(
        &self,
        stacksize: u32,
        lanes: &[ThreadpoolLane],
        allow_borrowing: bool,
        allow_request_buffering: bool,
        max_buffered_requests: u32,
        max_request_buffer_size: u32,
    ) -> Result<ThreadpoolId, SystemException> {
        let mut options = ThreadpoolOptions::with_lanes(self.next_name());
        for lane in lanes {
            let (fixed, dynamic) = (lane.static_threads as usize, lane.dynamic_threads as usize);
            options = options.lane(priority("lane", lane.lane_priority)?, fixed, dynamic);
        }
        if allow_borrowing {
            options = options.borrowing();
        }
        let buffering =
            allow_request_buffering.then_some((max_buffered_requests, max_request_buffer_size));
        self.create(options, stacksize, buffering)
    }

    fn destroy_threadpool(
        &self,
        threadpool: ThreadpoolId,
    ) -> Result<(), Error<DestroyThreadpoolRaises>> {
        let mut pools = self.part().pools.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = pools.get_mut(threadpool as usize).and_then(Option::take);
        drop(pools);
        match pool {
            Some(pool) => {
                pool.destroy();
                Ok(())
            }
            None => Err(InvalidThreadpool.into()),
        }
    }

    /// `BAD_PARAM` for negative sizes, and for `dont_route`.
    fn create_tcp_protocol_properties(
        &self,
        send_buffer_size: i32,
        recv_buffer_size: i32,
        keep_alive: bool,
        dont_route: bool,
        no_delay: bool,
        enable_network_priority: bool,
    ) -> Result<TcpProtocolPropertiesRef, SystemException> {
        let attributes = Tcp {
            send_buffer_size,
            recv_buffer_size,
            keep_alive,
            dont_route,
            no_delay,
            enable_network_priority,
        };
        policies::check(&attributes)?;
        let properties: Arc<dyn TcpProtocolProperties> = Arc::new(TcpProperties::new(attributes));
        Ok(properties.into())
    }

    fn create_priority_model_policy(
        &self,
        priority_model: PriorityModel,
        server_priority: i16,
    ) -> Result<PriorityModelPolicyRef, SystemException> {
        priority("PriorityModelPolicy", server_priority)?;
        let policy: Arc<dyn PriorityModelPolicy> =
            Arc::new(Model((priority_model, server_priority)));
        Ok(policy.into())
    }

    fn create_threadpool_policy(
        &self,
        threadpool: ThreadpoolId,
    ) -> Result<ThreadpoolPolicyRef, SystemException> {
        let policy: Arc<dyn ThreadpoolPolicy> = Arc::new(Pool(threadpool));
        Ok(policy.into())
    }

    fn create_priority_banded_connection_policy(
        &self,
        priority_bands: &[PriorityBand],
    ) -> Result<PriorityBandedConnectionPolicyRef, SystemException> {
        policies::bands(priority_bands)?;
        let policy: Arc<dyn PriorityBandedConnectionPolicy> =
            Arc::new(Bands(priority_bands.to_vec()));
        Ok(policy.into())
    }

    fn create_private_connection_policy(
        &self,
    ) -> Result<PrivateConnectionPolicyRef, SystemException> {
        let policy: Arc<dyn PrivateConnectionPolicy> = Arc::new(Private(()));
        Ok(policy.into())
    }

    fn create_server_protocol_policy(
        &self,
        protocols: &[Protocol],
    ) -> Result<ServerProtocolPolicyRef, SystemException> {
        policies::protocols("ServerProtocolPolicy", Side::Server, protocols)?;
        let policy: Arc<dyn ServerProtocolPolicy> = Arc::new(OfServer(protocols.to_vec()));
        Ok(policy.into())
    }

    fn create_client_protocol_policy(
        &self,
        protocols: &[Protocol],
    ) -> Result<ClientProtocolPolicyRef, SystemException> {
        policies::protocols("ClientProtocolPolicy", Side::Client, protocols)?;
        let policy: Arc<dyn ClientProtocolPolicy> = Arc::new(OfClient(protocols.to_vec()));
        Ok(policy.into())
    }
}

fn new_mutex() -> MutexRef {
    MutexRef::from(Arc::new(StandardMutex(RawPiMutex::new())) as Arc<dyn Mutex>)
}

impl RtOrb {
    /// The thread pool with this id, which [`Rtorb`] has created.
    pub fn threadpool(&self, id: ThreadpoolId) -> Option<Threadpool> {
        let pools = self.part().pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.get(id as usize)?.clone()
    }

    fn next_name(&self) -> String {
        let pools = self.part().pools.lock().unwrap_or_else(PoisonError::into_inner);
        format!("threadpool {}", pools.len())
    }

    fn create(
        &self,
        mut options: ThreadpoolOptions,
        stacksize: u32,
        buffering: Option<(u32, u32)>,
    ) -> Result<ThreadpoolId, SystemException> {
        if stacksize > 0 {
            options = options.stack_size(stacksize as usize);
        }
        if let Some((requests, octets)) = buffering {
            let (max_requests, max_octets) = (requests as usize, octets as usize);
            options = options.buffering(RequestBuffering { max_requests, max_octets });
        }
        let pool = RtOrb::create_threadpool(self, options)?;
        let mut pools = self.part().pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.push(Some(pool));
        Ok(u32::try_from(pools.len() - 1).unwrap_or(u32::MAX))
    }
}

fn priority(object: &str, number: i16) -> Result<Priority, RtError> {
    Priority::new(number).ok_or_else(|| {
        let reason = "a CORBA priority is 0 to 32767";
        let remedy = "choose one in this range";
        RtError::new(RtErrorKind::Value, object, "priority", number, reason, remedy)
    })
}

fn refused(error: LockError) -> SystemException {
    exception(ExceptionKind::BadInvOrder, format!("mutex: {error}"))
}

fn exception(kind: ExceptionKind, what: String) -> SystemException {
    SystemException::new(kind, Minor::BAD_ARGUMENT, Completion::No).with_reason(what)
}
