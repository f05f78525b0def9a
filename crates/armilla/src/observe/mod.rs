//! What an ORB does, for those who run it: numbers, spans, and traces that cross processes.
//!
//! All of it stands on [interceptors](crate::interceptor), so an ORB that is not watched pays nothing
//! for it. Each part is brought into an ORB while that is made:
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
//! // Calls that this thread makes from now on belong to this trace, wherever they lead.
//! traces.set_current(&orb, Some(&TraceContext::begin()))?;
//! // … calls …
//! println!("{}", metrics.to_prometheus());
//! # Ok::<(), armilla::SystemException>(())
//! ```
//!
//! Calls to objects of the same process go straight to the servant and are not seen.

mod histogram;
mod metrics;
mod prometheus;
mod spans;
mod trace_context;
mod traces;

pub use histogram::Latencies;
pub use metrics::{Counts, Metrics, Side, Snapshot};
pub use spans::Spans;
pub use trace_context::TraceContext;
pub use traces::{TRACE_CONTEXT, TraceBridge, Traces};
