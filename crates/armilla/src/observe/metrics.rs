//! Metrics: counters and latencies of requests, at the client and at the server.

use super::histogram::Histogram;
use super::prometheus;
use super::snapshot::{Counts, Side, Snapshot};
use crate::client::connections_made;
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

/// How many operations of a side have a series of their own. All later ones share the series
/// [`OTHER`], so that memory and the text for Prometheus stay small.
const MAX_OPERATIONS: usize = 1_000;

/// Counts the requests of an ORB, or of several. Clones share the counters, and any thread may use
/// them.
///
/// As an [initializer](crate::OrbBuilder::initializer) it registers the interceptors that count:
///
/// ```
/// use armilla::Orb;
/// use armilla::observe::Metrics;
///
/// let metrics = Metrics::new();
/// let orb = Orb::builder().initializer(metrics.clone()).build()?;
/// // … calls …
/// assert_eq!(metrics.snapshot().in_flight, (0, 0));
/// assert!(metrics.to_prometheus().contains("# TYPE armilla_requests_total counter"));
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[derive(Clone, Default)]
pub struct Metrics(Arc<Sides>);

#[derive(Default)]
struct Sides {
    client: Table,
    server: Table,
}

/// The series of one side, by operation.
#[derive(Default)]
struct Table {
    in_flight: CacheAligned<AtomicI64>,
    series: RwLock<BTreeMap<Box<str>, Arc<Series>>>,
}

/// A value on cache lines of its own, so that threads that update different counters do not contend
/// for a line. 128 octets: many processors fetch lines in pairs.
#[derive(Default)]
#[repr(align(128))]
struct CacheAligned<T>(T);

/// The counters of one operation.
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
        let name = if full { OTHER } else { operation };
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

/// A request whose operation is known: where it is counted, and since when.
struct Started {
    series: Arc<Series>,
    at: Instant,
}

impl Metrics {
    /// Counters that are all 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// The counters as they are now. Requests that end meanwhile may be in it or not.
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
            connections: connections_made().filter(|(_, count)| *count > 0).collect(),
        }
    }

    /// The snapshot in the text format of Prometheus, version 0.0.4.
    pub fn to_prometheus(&self) -> String {
        prometheus::text(&self.snapshot())
    }
}

/// The series of requests whose object was not found, whatever operation they name: a client that
/// makes up operation names must not fill the table.
const NO_OBJECT: &str = "(no object)";

/// The series of operations that have no series of their own.
const OTHER: &str = "other";

impl Metrics {
    /// Counts the end of a request that arrived at the server.
    fn end_served(&self, request: &ServerRequestInfo) {
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
        // The series is chosen once the object is found; see `NO_OBJECT`.
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
        self.end_served(request);
        Ok(())
    }

    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.end_served(request);
        Ok(())
    }

    fn send_other(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.end_served(request);
        Ok(())
    }

    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::Encoded
    }

    fn reads_values(&self) -> bool {
        false
    }
}

/// When a request arrived whose object has not been found yet.
struct Arrived(Instant);

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.snapshot().fmt(f)
    }
}
