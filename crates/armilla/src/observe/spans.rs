//! Spans: one span of the `tracing` crate for each request.

use crate::exception::SystemException;
use crate::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, OrbInitInfo, OrbInitializer, Outcome,
    ProcessingMode, ServerInterceptor, ServerRequestInfo,
};
use std::time::Instant;
use tracing::field::{Empty, display};
use tracing::{Span, info_span};

/// Makes a span for each request of an ORB, at the level `info`: `corba.call` at the client,
/// `corba.serve` at the server.
///
/// The fields are `operation`, `endpoint`, `request_id` and, at the server, `object`, the id of the
/// object. When the request ends, `outcome` and `duration_ms` are added. The parent of a span is
/// the span that the thread is in when the request begins.
///
/// ```
/// use armilla::Orb;
/// use armilla::observe::Spans;
///
/// // A program sets a `tracing` subscriber first, such as that of tracing-subscriber.
/// let orb = Orb::builder().initializer(Spans).build()?;
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Spans;

/// The span of a request that has not ended, and when it began.
struct Started(Span, Instant);

fn end(started: Option<&Started>, outcome: Option<&Outcome>) {
    let Some(Started(span, started_at)) = started else { return };
    match outcome {
        Some(Outcome::SystemException(exception)) => {
            span.record("outcome", display(exception.kind()));
        }
        Some(Outcome::UserException(id)) => {
            span.record("outcome", id.as_str());
        }
        Some(outcome) => {
            span.record("outcome", format_args!("{:?}", outcome.status()).to_string().as_str());
        }
        None => {}
    }
    span.record("duration_ms", started_at.elapsed().as_secs_f64() * 1e3);
}

impl OrbInitializer for Spans {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        info.add_client_interceptor(Self)?;
        info.add_server_interceptor(Self)?;
        Ok(())
    }
}

impl ClientInterceptor for Spans {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let span = info_span!(
            "corba.call",
            operation = request.operation(),
            endpoint = Empty,
            request_id = request.request_id(),
            outcome = Empty,
            duration_ms = Empty,
        );
        if !span.is_disabled() {
            span.record("endpoint", request.address().unwrap_or_default());
            request.keep(Started(span, Instant::now()));
        }
        Ok(())
    }

    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        end(request.kept(), request.outcome());
        Ok(())
    }

    fn receive_exception(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        end(request.kept(), request.outcome());
        Ok(())
    }

    fn receive_other(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        end(request.kept(), request.outcome());
        Ok(())
    }

    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::Encoded
    }

    fn reads_values(&self) -> bool {
        false
    }
}

impl ServerInterceptor for Spans {
    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        let span = info_span!(
            "corba.serve",
            operation = request.operation(),
            endpoint = %request.peer(),
            request_id = request.request_id(),
            object = Empty,
            outcome = Empty,
            duration_ms = Empty,
        );
        if !span.is_disabled() {
            request.keep(Started(span, Instant::now()));
        }
        Ok(())
    }

    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        if let (Some(Started(span, _)), Ok(id)) = (request.kept(), request.object_id()) {
            span.record("object", format!("{id:?}").as_str());
        }
        Ok(())
    }

    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        end(request.kept(), request.outcome());
        Ok(())
    }

    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        end(request.kept(), request.outcome());
        Ok(())
    }

    fn send_other(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        end(request.kept(), request.outcome());
        Ok(())
    }

    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::Encoded
    }

    fn reads_values(&self) -> bool {
        false
    }
}
