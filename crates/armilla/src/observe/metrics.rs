//! Counters and latencies of requests, at either end.

use super::histogram::{Histogram, Latencies};
use super::prometheus;
use crate::exception::SystemException;
use crate::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, OrbInitInfo, OrbInitializer, Outcome,
    ProcessingMode, ServerInterceptor, ServerRequestInfo,
};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

/// How many operations are counted apart; those that come later are counted together, as `other`.
const MAX_OPERATIONS: usize = 1_000;

/// Which end of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Where it is made.
    Client,
    /// Where it is served.
    Server,
}

/// The numbers of an ORB, or of several. Clones share them; all may be used from any thread.
#[derive(Clone, Default)]
pub struct Metrics(Arc<Sides>);

#[derive(Default)]
struct Sides {
    client: Table,
    server: Table,
}

/// The series of one side by operation.
#[derive(Default)]
struct Table {
    in_flight: CacheAligned<AtomicI64>,
    series: RwLock<BTreeMap<Box<str>, Arc<Series>>>,
}

/// On cache lines of its own, so that threads that count different things do not meet.
#[derive(Default)]
#[repr(align(128))]
struct CacheAligned<T>(T);

/// What is counted of one operation.
#[derive(Default)]
#[repr(align(128))]
struct Series {
    replies: AtomicU64,
    oneways: AtomicU64,
    user_exceptions: AtomicU64,
    system_exceptions: AtomicU64,
    forwards: AtomicU64,
    retries: AtomicU64,
    latencies: Histogram,
}

impl Series {
    fn count(&self, outcome: Option<&Outcome>, started_at: Instant) {
        let counter = match outcome {
            Some(Outcome::Reply) => &self.replies,
            Some(Outcome::UserException(_)) => &self.user_exceptions,
            Some(Outcome::SystemException(_)) => &self.system_exceptions,
            Some(Outcome::Forward(_)) => &self.forwards,
            Some(Outcome::Retry) => &self.retries,
            _ => &self.oneways,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        self.latencies.record(started_at.elapsed());
    }

    fn snapshot(&self) -> Counts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            replies: read(&self.replies),
            oneways: read(&self.oneways),
            user_exceptions: read(&self.user_exceptions),
            system_exceptions: read(&self.system_exceptions),
            forwards: read(&self.forwards),
            retries: read(&self.retries),
            latencies: self.latencies.snapshot(),
        }
    }
}

impl Table {
    fn series(&self, operation: &str) -> Arc<Series> {
        let series = self.series.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = series.get(operation) {
            return found.clone();
        }
        let full = series.len() >= MAX_OPERATIONS;
        drop(series);
        let mut series = self.series.write().unwrap_or_else(PoisonError::into_inner);
        let name = if full { "other" } else { operation };
        series.entry(name.into()).or_default().clone()
    }

    fn begin(&self, operation: &str) -> Started {
        self.in_flight.0.fetch_add(1, Ordering::Relaxed);
        Started { series: self.series(operation), at: Instant::now() }
    }

    fn end(&self, started: Option<&Started>, outcome: Option<&Outcome>) {
        self.in_flight.0.fetch_sub(1, Ordering::Relaxed);
        if let Some(started) = started {
            started.series.count(outcome, started.at);
        }
    }
}

/// Where and from when on a request is counted.
struct Started {
    series: Arc<Series>,
    at: Instant,
}

/// What was counted until now.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// How many requests are under way, made and served.
    pub in_flight: (i64, i64),
    /// By side and operation. Beyond the first 1,000 operations of a side all are `other`.
    pub operations: BTreeMap<(Side, String), Counts>,
}

/// How requests for one operation ended, and how long each took. A request that was forwarded or
/// tried again counts as such, and then once more.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// With a reply.
    pub replies: u64,
    /// Without one, since none was expected.
    pub oneways: u64,
    /// With an exception of the IDL.
    pub user_exceptions: u64,
    /// With a system exception.
    pub system_exceptions: u64,
    /// Elsewhere.
    pub forwards: u64,
    /// With another attempt.
    pub retries: u64,
    /// From the beginning of the request to its end.
    pub latencies: Latencies,
}

impl Metrics {
    /// Nothing counted yet. As an [initializer](crate::OrbBuilder::initializer) it counts the requests
    /// of an ORB.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was counted until now. Counters go on while it is taken.
    pub fn snapshot(&self) -> Snapshot {
        let sides = [(Side::Client, &self.0.client), (Side::Server, &self.0.server)];
        let operations = sides.into_iter().flat_map(|(side, table)| {
            let series = table.series.read().unwrap_or_else(PoisonError::into_inner);
            let counts =
                series.iter().map(|(name, series)| ((side, name.to_string()), series.snapshot()));
            counts.collect::<Vec<_>>()
        });
        let in_flight = |table: &Table| table.in_flight.0.load(Ordering::Relaxed);
        Snapshot {
            in_flight: (in_flight(&self.0.client), in_flight(&self.0.server)),
            operations: operations.collect(),
        }
    }

    /// The snapshot in the text format of Prometheus, version 0.0.4.
    pub fn to_prometheus(&self) -> String {
        prometheus::text(&self.snapshot())
    }
}

/// As what requests are counted whose object was not found, whatever they call its operation.
const NO_OBJECT: &str = "(no object)";

impl Metrics {
    /// A request that arrived has ended.
    fn served(&self, request: &ServerRequestInfo) {
        let table = &self.0.server;
        let lost = request.kept().filter(|_| request.object_id().is_err());
        match lost {
            Some(Arrived(at)) => {
                let started = Started { series: table.series(NO_OBJECT), at: *at };
                table.end(Some(&started), request.outcome());
            }
            None => table.end(request.kept(), request.outcome()),
        }
    }
}

impl OrbInitializer for Metrics {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        info.add_client_interceptor(self.clone())?;
        info.add_server_interceptor(self.clone())?;
        Ok(())
    }
}

impl ClientInterceptor for Metrics {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let started = self.0.client.begin(request.operation());
        request.keep(started);
        Ok(())
    }

    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.0.client.end(request.kept(), request.outcome());
        Ok(())
    }

    fn receive_exception(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.0.client.end(request.kept(), request.outcome());
        Ok(())
    }

    fn receive_other(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.0.client.end(request.kept(), request.outcome());
        Ok(())
    }

    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::Encoded
    }

    fn reads_values(&self) -> bool {
        false
    }
}

impl ServerInterceptor for Metrics {
    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        // Who asks for what is not there shall not fill the table with names.
        self.0.server.in_flight.0.fetch_add(1, Ordering::Relaxed);
        request.keep(Arrived(Instant::now()));
        Ok(())
    }

    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let at = request.kept().map_or_else(Instant::now, |Arrived(at)| *at);
        request.keep(Started { series: self.0.server.series(request.operation()), at });
        Ok(())
    }

    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.served(request);
        Ok(())
    }

    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.served(request);
        Ok(())
    }

    fn send_other(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.served(request);
        Ok(())
    }

    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::Encoded
    }

    fn reads_values(&self) -> bool {
        false
    }
}

/// When a request came, whose object was not found yet.
struct Arrived(Instant);

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.snapshot().fmt(f)
    }
}
