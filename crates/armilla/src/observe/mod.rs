//! Observability: [metrics](Metrics), [spans](Spans), and [traces](Traces) that cross processes.
//! Needs the feature `observe`.
//!
//! Each of the three is an [initializer](crate::OrbBuilder::initializer) that registers
//! [interceptors](crate::interceptor) with one ORB. An ORB without them pays nothing for this
//! module, and no other module knows of it. Reports of failures to the operator are not here: the
//! ORB makes those in any case.
//!
//! ```
//! use armilla::Orb;
//! use armilla::observe::{Metrics, Spans, TraceContext, Traces};
//!
//! let (metrics, traces) = (Metrics::new(), Traces::new());
//! let orb = Orb::builder()
//!     .initializer(metrics.clone())
//!     .initializer(traces.clone())
//!     .initializer(Spans)
//!     .build()?;
//! // From now on the calls of this thread belong to this trace, and so do the calls that servants
//! // make to serve them.
//! traces.set_current(&orb, Some(&TraceContext::begin()))?;
//! // … calls …
//! println!("{}", metrics.to_prometheus());
//! # Ok::<(), armilla::SystemException>(())
//! ```
//!
//! Collocated calls, which go straight to a servant of the same process, are not observed.

mod histogram;
mod metrics;
mod prometheus;
mod snapshot;
mod spans;
mod trace_context;
mod traces;

pub use histogram::Latencies;
pub use metrics::Metrics;
pub use snapshot::{Counts, Side, Snapshot};
pub use spans::Spans;
pub use trace_context::{InvalidTraceContext, TraceContext};
pub use traces::{TRACE_CONTEXT, TraceBridge, Traces};
