//! Federation: the events of one channel pass on to another one.

use crate::channel::EventChannel;
use crate::corba::comm::PushSupplier as _;
use crate::corba::push_consumer::PushRaises;
use crate::corba::{
    Event, EventChannel as _, EventChannelRef, ProxyPushSupplier as _, ProxyPushSupplierRef,
    PushConsumer, PushConsumerRef, push_consumer,
};
use crate::error::EventError;
use crate::options::ConsumerOptions;
use armilla::{Error, Orb, SystemException};
use armilla_ipc::real_time::Semaphore;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tracing::warn;

/// How a [`Gateway`] works.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GatewayOptions {
    /// What of the other channel passes on, and how it is queued there.
    pub consumer: ConsumerOptions,
    /// How often the gateway looks whether it is still connected. Default: 1 s.
    pub check: Duration,
    /// How long its calls of the other channel may take. Default: 2 s.
    pub timeout: Duration,
}

impl GatewayOptions {
    /// The gateway is this consumer of the other channel.
    pub const fn new(consumer: ConsumerOptions) -> Self {
        Self { consumer, check: Duration::from_secs(1), timeout: Duration::from_secs(2) }
    }
}

/// Passes the events of a channel, perhaps of another process, on to a channel of this process, as
/// far as their header allows (`hops`). It connects again when the other channel comes back. Two
/// gateways, one in either direction, make two channels one; events do not go round, because an
/// event usually passes on once.
#[must_use = "the gateway ends when this is dropped"]
pub struct Gateway {
    shared: Arc<Shared>,
    orb: Orb,
    consumer: PushConsumerRef,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    from: EventChannelRef,
    options: GatewayOptions,
    proxy: Mutex<Option<ProxyPushSupplierRef>>,
    passed: AtomicU64,
    stopped: AtomicU64,
    ended: AtomicBool,
    wake: Semaphore,
}

impl Gateway {
    /// Passes events of `from` on to `to`. `orb` serves the consumer that `from` calls, and so has
    /// to listen where the process of `from` can reach it.
    ///
    /// # Errors
    /// When `from` refuses the consumer, or cannot be reached now.
    pub fn connect(
        orb: &Orb,
        from: &EventChannelRef,
        to: &EventChannel,
        options: GatewayOptions,
    ) -> Result<Self, EventError> {
        let shared = Arc::new(Shared {
            from: from.with_timeout(options.timeout),
            options,
            proxy: Mutex::default(),
            passed: AtomicU64::new(0),
            stopped: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            wake: Semaphore::new(0),
        });
        let servant = Passage { to: to.clone(), shared: shared.clone() };
        let consumer = orb.root_poa().activate(push_consumer::tie(servant));
        let consumer = consumer.map_err(SystemException::from)?;
        let mut gateway = Self { shared: shared.clone(), orb: orb.clone(), consumer, thread: None };
        shared.connect(&gateway.consumer)?;
        let consumer = gateway.consumer.clone();
        let thread = thread::Builder::new().name("event-gateway".into());
        let thread = thread.spawn(move || shared.keep_connected(&consumer));
        let thread = thread.map_err(|error| EventError::Limit(format!("no thread: {error}")))?;
        gateway.thread = Some(thread);
        Ok(gateway)
    }

    /// How many events have passed on, and how many were not allowed to.
    pub fn counts(&self) -> (u64, u64) {
        let Shared { passed, stopped, .. } = &*self.shared;
        (passed.load(Ordering::Relaxed), stopped.load(Ordering::Relaxed))
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        self.shared.wake.signal_all();
        // A thread that panicked has nothing left to do.
        self.thread.take().into_iter().for_each(|thread| drop(thread.join()));
        // The other channel may be gone; then there is nothing to disconnect.
        self.shared.take_proxy().into_iter().for_each(|it| drop(it.disconnect_push_supplier()));
        let poa = self.orb.root_poa();
        if let Ok(id) = poa.reference_to_id(self.consumer.object()) {
            poa.deactivate(&id).ok();
        }
    }
}

impl Shared {
    fn connect(&self, consumer: &PushConsumerRef) -> Result<(), EventError> {
        use crate::corba::event_channel::ConnectConsumerRaises as Raises;
        let qos = self.options.consumer.to_qos();
        let proxy = self.from.connect_consumer(consumer, &qos).map_err(|error| match error {
            Error::User(Raises::InvalidSubscription(it)) => EventError::Subscription(it.reason),
            Error::User(Raises::InvalidQos(it)) => EventError::Qos(it.reason),
            Error::User(Raises::LimitReached(it)) => EventError::Limit(it.reason),
            Error::System(exception) => exception.into(),
        })?;
        let proxy = proxy.with_timeout(self.options.timeout);
        *self.proxy.lock().unwrap_or_else(PoisonError::into_inner) = Some(proxy);
        Ok(())
    }

    fn take_proxy(&self) -> Option<ProxyPushSupplierRef> {
        self.proxy.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Connects again whenever the connection is lost.
    fn keep_connected(&self, consumer: &PushConsumerRef) {
        let ended = || self.ended.load(Ordering::SeqCst).then_some(());
        let mut reported = false;
        while self.wake.wait_for(Some(self.options.check), ended).is_none() {
            let proxy = self.proxy.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if proxy.is_some_and(|proxy| proxy.statistics().is_ok()) {
                continue;
            }
            // The other channel may still know the old connection.
            self.take_proxy().into_iter().for_each(|it| drop(it.disconnect_push_supplier()));
            match self.connect(consumer) {
                Ok(()) => reported = false,
                Err(error) if !reported => {
                    warn!("a gateway of events has lost its channel: {error}");
                    reported = true;
                }
                Err(_) => {}
            }
        }
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (passed, stopped) = self.counts();
        let mut debug = f.debug_struct("Gateway");
        debug.field("passed", &passed).field("stopped", &stopped).finish()
    }
}

/// The consumer that the other channel calls.
struct Passage {
    to: EventChannel,
    shared: Arc<Shared>,
}

impl PushConsumer for Passage {
    fn push(&self, received: &[Event]) -> Result<(), Error<PushRaises>> {
        for event in received {
            let Some(hops) = event.header.hops.checked_sub(1) else {
                self.shared.stopped.fetch_add(1, Ordering::Relaxed);
                continue;
            };
            self.shared.passed.fetch_add(1, Ordering::Relaxed);
            self.to.push_foreign(&event.clone().with_hops(hops), None);
        }
        Ok(())
    }

    fn disconnect_push_consumer(&self) -> Result<(), SystemException> {
        // The thread of the gateway notices, and connects again.
        Ok(())
    }
}
