//! What the tests of flows share.

use armilla_stream::{
    FlowConsumer, FlowOptions, FlowProducer, FlowRequest, FlowSpec, FlowSummary, Listener,
    StreamError,
};
use std::sync::mpsc::{Receiver, channel};

/// The transports of which each test runs over all.
pub(crate) const TRANSPORTS: [&str; 3] = ["tcp", "unix", "shm"];

pub(crate) fn listener() -> Listener {
    Listener::builder().tcp("127.0.0.1", 0).unix().shared_memory().start().unwrap()
}

/// Tests that run at the same time share the connections that the process keeps: none makes room
/// for another.
pub(crate) fn options() -> FlowOptions {
    FlowOptions { max_idle: 1000, ..FlowOptions::default() }
}

/// A request over one transport only.
pub(crate) fn over(transport: &str) -> FlowRequest {
    FlowRequest { connects: vec![transport.to_owned()], ..FlowRequest::default() }
}

/// Octets that differ from place to place.
pub(crate) fn content(size: usize) -> Vec<u8> {
    (0..size).map(|at| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()[0]).collect()
}

pub(crate) type Sent = Receiver<Result<FlowSummary, StreamError>>;

/// A flow whose producer does `produce` in a thread, and its consumer.
pub(crate) fn flow(
    listener: &Listener,
    request: &FlowRequest,
    spec: FlowSpec,
    produce: impl FnOnce(FlowProducer) -> Result<FlowSummary, StreamError> + Send + 'static,
) -> (Result<FlowConsumer, StreamError>, Sent) {
    let (done, sent) = channel();
    let work = move |producer: Result<FlowProducer, _>| {
        done.send(producer.and_then(produce)).ok();
    };
    let (agreement, _) = listener.agree(request, spec, work).unwrap();
    (agreement.collect(&options()), sent)
}
