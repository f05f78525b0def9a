//! Trace propagation: a request carries the [`TraceContext`] of its caller in a service context.

use super::TraceContext;
use crate::exception::{Completion, Minor, SystemException};
use crate::interceptor::{
    ClientInterceptor, ClientRequestInfo, Codec, Interruption, OrbInitInfo, OrbInitializer,
    ProcessingMode, ServerInterceptor, ServerRequestInfo, SlotId,
};
use crate::runtime::Orb;
use armilla_cdr::Any;
use armilla_giop::Version;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The id of the service context that carries a [`TraceContext`]: "ARM" and a one.
///
/// Its data is an encapsulation of an `any` with a `sequence<string>` of two: the `traceparent` and
/// the `tracestate`.
pub const TRACE_CONTEXT: u32 = 0x4152_4d01;

/// Connects the traces of an ORB to those of another library, such as OpenTelemetry.
///
/// ```
/// use armilla::observe::{TraceBridge, TraceContext, Traces};
///
/// struct Library;
///
/// impl TraceBridge for Library {
///     fn current(&self) -> Option<TraceContext> {
///         // … ask the library for the span of this thread …
///         None
///     }
/// }
///
/// let traces = Traces::with_bridge(Library);
/// ```
pub trait TraceBridge: Send + Sync {
    /// The span of the calling thread; `None` outside any trace. It has precedence over the span
    /// that was [set](Traces::set_current).
    fn current(&self) -> Option<TraceContext>;

    /// The calling thread is about to serve a request that belongs to a trace.
    fn received(&self, context: &TraceContext, operation: &str) {
        let _ = (context, operation);
    }
}

/// Propagates traces from process to process, as an
/// [initializer](crate::OrbBuilder::initializer) of one ORB.
///
/// When a thread within a trace makes a request, the request carries a new span of that trace. The
/// servant, and all calls that it makes, are then within that span. A thread outside any trace
/// sends no context.
///
/// ```
/// use armilla::Orb;
/// use armilla::observe::{TraceContext, Traces};
///
/// let traces = Traces::new();
/// let orb = Orb::builder().initializer(traces.clone()).build()?;
/// let root = TraceContext::begin();
/// traces.set_current(&orb, Some(&root))?;
/// assert_eq!(traces.current(&orb), Some(root));
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[derive(Clone, Default)]
pub struct Traces {
    slot: Arc<OnceLock<SlotId>>,
    bridge: Option<Arc<dyn TraceBridge>>,
}

impl Traces {
    /// Propagation for one ORB.
    pub fn new() -> Self {
        Self::default()
    }

    /// Propagation for one ORB, connected to the traces of another library.
    pub fn with_bridge(bridge: impl TraceBridge + 'static) -> Self {
        Self { bridge: Some(Arc::new(bridge)), ..Self::default() }
    }

    /// The span of the calling thread; within a servant, that of the request it serves.
    pub fn current(&self, orb: &Orb) -> Option<TraceContext> {
        let value = orb.pi_current().slot(*self.slot.get()?).ok()?;
        from_value(&value)
    }

    /// Sets the span of the calling thread; `None` takes the thread out of its trace.
    ///
    /// # Errors
    /// `BAD_PARAM` when `orb` is not the ORB that this is an initializer of.
    pub fn set_current(
        &self,
        orb: &Orb,
        context: Option<&TraceContext>,
    ) -> Result<(), SystemException> {
        let value = context.map_or(Ok(Any::default()), to_value)?;
        match self.slot.get() {
            Some(slot) => orb.pi_current().set_slot(*slot, value),
            None => Err(SystemException::bad_param(
                Minor::BAD_ARGUMENT,
                "these traces are the initializer of no ORB",
            )),
        }
    }
}

fn to_value(context: &TraceContext) -> Result<Any, SystemException> {
    Any::new(&vec![context.to_string(), context.state.clone()])
        .map_err(|error| SystemException::encoding(&error, Completion::No))
}

fn from_value(value: &Any) -> Option<TraceContext> {
    let texts: Vec<String> = value.get().ok()??;
    match texts.as_slice() {
        [parent, state] => TraceContext::from_headers(parent, state),
        _ => None,
    }
}

const CODEC: Codec = Codec::new(Version::V1_2);

impl OrbInitializer for Traces {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        if self.slot.set(info.allocate_slot()).is_err() {
            let what = "these traces are the initializer of another ORB already";
            return Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what));
        }
        info.add_client_interceptor(self.clone())?;
        info.add_server_interceptor(self.clone())?;
        Ok(())
    }
}

impl ClientInterceptor for Traces {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let Some(slot) = self.slot.get() else { return Ok(()) };
        let bridged = self.bridge.as_ref().and_then(|bridge| bridge.current());
        let current = match bridged {
            Some(context) => Some(context),
            None => from_value(&request.slot(*slot)?),
        };
        if let Some(context) = current {
            let octets = CODEC.encode(&to_value(&context.child())?)?;
            request.add_request_service_context(TRACE_CONTEXT, &octets, true)?;
        }
        Ok(())
    }

    fn processing_mode(&self) -> ProcessingMode {
        // A collocated servant runs in its caller's thread, so it is in the caller's trace.
        ProcessingMode::Encoded
    }

    fn reads_values(&self) -> bool {
        false
    }
}

impl ServerInterceptor for Traces {
    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        let octets = request.request_service_contexts().get(TRACE_CONTEXT);
        // A malformed context is ignored: the request does not depend on it.
        let context = octets.and_then(|octets| from_value(&CODEC.decode(octets).ok()?));
        if let (Some(context), Some(slot)) = (context, self.slot.get()) {
            request.set_slot(*slot, to_value(&context)?)?;
            request.keep(context);
        }
        Ok(())
    }

    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        if let (Some(bridge), Some(context)) = (&self.bridge, request.kept::<TraceContext>()) {
            bridge.received(context, request.operation());
        }
        Ok(())
    }

    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::Encoded
    }

    fn reads_values(&self) -> bool {
        false
    }
}

impl fmt::Debug for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Traces").field("bridged", &self.bridge.is_some()).finish_non_exhaustive()
    }
}
