//! Traces that cross processes: the context of W3C Trace Context in a service context.

use super::TraceContext;
use crate::exception::{Completion, SystemException};
use crate::interceptor::{
    ClientInterceptor, ClientRequestInfo, Codec, Interruption, OrbInitInfo, OrbInitializer,
    ProcessingMode, ServerInterceptor, ServerRequestInfo, SlotId,
};
use crate::orb::Orb;
use armilla_cdr::Any;
use armilla_giop::Version;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The id of the service context that carries a [`TraceContext`]: "ARM" and a one. It holds an
/// encapsulation of an `any`, a `sequence<string>` of two: the `traceparent` and the `tracestate`.
pub const TRACE_CONTEXT: u32 = 0x4152_4d01;

/// Ties the traces of an ORB to those of another library, such as OpenTelemetry.
pub trait TraceBridge: Send + Sync {
    /// Where the present thread is in a trace, when it is in one. It goes before what was
    /// [set](Traces::set_current).
    fn current(&self) -> Option<TraceContext>;

    /// A request that belongs to a trace is about to be served by the present thread.
    fn received(&self, context: &TraceContext, operation: &str) {
        let _ = (context, operation);
    }
}

/// Carries traces from process to process. As an [initializer](crate::OrbBuilder::initializer) it does
/// so for an ORB: a request that a thread makes within a trace goes with a new span of it, and what
/// serves the request is within that span, with all calls that it makes itself. Without a trace
/// nothing is sent.
#[derive(Clone, Default)]
pub struct Traces {
    slot: Arc<OnceLock<SlotId>>,
    bridge: Option<Arc<dyn TraceBridge>>,
}

impl Traces {
    /// For one ORB.
    pub fn new() -> Self {
        Self::default()
    }

    /// For one ORB, tied to the traces of another library.
    pub fn with_bridge(bridge: impl TraceBridge + 'static) -> Self {
        Self { bridge: Some(Arc::new(bridge)), ..Self::default() }
    }

    /// Where the present thread is in a trace; within a servant, where the request is that it serves.
    pub fn current(&self, orb: &Orb) -> Option<TraceContext> {
        let value = orb.pi_current().slot(*self.slot.get()?).ok()?;
        from_value(&value)
    }

    /// Says where the present thread is in a trace from now on; `None` for in no trace.
    ///
    /// # Errors
    /// `BAD_PARAM` when this is not the ORB that these traces were brought into.
    pub fn set_current(
        &self,
        orb: &Orb,
        context: Option<&TraceContext>,
    ) -> Result<(), SystemException> {
        let value = context.map_or(Ok(Any::default()), to_value)?;
        match self.slot.get() {
            Some(slot) => orb.pi_current().set_slot(*slot, value),
            None => Err(SystemException::bad_param(
                crate::exception::Minor::BAD_ARGUMENT,
                "these traces were brought into no ORB",
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
            let what = "these traces were brought into an ORB already";
            return Err(SystemException::bad_param(crate::exception::Minor::BAD_ARGUMENT, what));
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
        // A servant that is called directly is in the trace of its caller's thread.
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
        // What is no trace is no reason to refuse the request.
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
