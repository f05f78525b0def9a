//! Requests for objects that only the main thread may call: the thread on which they arrive hands
//! them over, waits, and sends the reply.

use super::caller::{Requester, serve_from};
use crate::callbacks::guarded;
use crate::exception::{Completion, SystemException};
use crate::runtime::Orb;
use crate::server::interception::ServerFlow;
use crate::server::poa::PoaInner;
use crate::server::reply::capture::{Capture, Stage};
use crate::server::reply::flow::RequestFlow;
use crate::sync::lock;
use crate::threads::{BlockingScope, wait_limit};
use armilla_cdr::CodeSets;
use armilla_giop::{Message, OwnedMessage};
use armilla_ipc::Address;
use std::sync::{Arc, Mutex};

/// The state of the interceptors before a servant is called; `None` when there are none.
pub(in crate::server) type ArrivingFlow = Option<Box<ServerFlow>>;

/// A request for the main thread.
pub(in crate::server) struct MainThreadRequest<'m> {
    pub(in crate::server) peer: &'m Address,
    pub(in crate::server) orb: &'m Orb,
    pub(in crate::server) poa: &'m Arc<PoaInner>,
    pub(in crate::server) message: &'m Message<'m>,
    pub(in crate::server) code_sets: CodeSets,
    pub(in crate::server) response_expected: bool,
    /// Whether the client is answered before the servant is called.
    pub(in crate::server) sync_with_server: bool,
}

/// Serves a request whose reply is captured, with the state of the interceptors.
pub(in crate::server) type Serve = fn(&Arc<Capture>, &Message<'_>, CodeSets, ArrivingFlow);

/// Lets the main thread serve a request by `serve`, as soon as its POA admits it. Returns the reply,
/// empty where there is none; or `None` when the main thread is not to serve it. The reply to a
/// request with `SYNC_WITH_SERVER` is passed to `acknowledge` as soon as it is there.
///
/// # Errors
/// `BAD_INV_ORDER` when the ORB is shut down first; `TIMEOUT` when the time limit of a collocated
/// call expires. `flow` is there again if the request was not begun.
pub(in crate::server) fn serve_on_main_thread(
    request: &MainThreadRequest<'_>,
    flow: &mut ArrivingFlow,
    serve: Serve,
    acknowledge: &mut dyn FnMut(Vec<u8>),
) -> Option<Result<Vec<u8>, SystemException>> {
    let _blocking = BlockingScope::begin();
    loop {
        // This thread waits while the POA manager holds requests, not the main thread: that one may
        // be about to activate the manager.
        if !request.poa.admits_by_main_thread(request.orb) {
            return None;
        }
        match hand_over(request, flow, serve, acknowledge) {
            Ok(None) => {}
            Ok(Some(reply)) => return Some(Ok(reply)),
            Err(exception) => return Some(Err(exception)),
        }
    }
}

/// What the main thread is handed. When it is dropped before it was run, the ORB is shut down.
struct Job {
    capture: Arc<Capture>,
    flow: Arc<Mutex<ArrivingFlow>>,
}

impl Drop for Job {
    fn drop(&mut self) {
        self.capture.pass(&[Stage::Waiting], Stage::Dropped);
        // The servant may have panicked beside the catch of the dispatch.
        self.capture.pass(&[Stage::Begun], Stage::Served);
    }
}

/// Hands the request to the main thread. `None` when the POA no longer admitted it there.
fn hand_over(
    request: &MainThreadRequest<'_>,
    flow: &mut ArrivingFlow,
    serve: Serve,
    acknowledge: &mut dyn FnMut(Vec<u8>),
) -> Result<Option<Vec<u8>>, SystemException> {
    let MainThreadRequest { orb, code_sets, response_expected, sync_with_server, .. } = *request;
    let capture = Arc::new(Capture::new(orb, request.peer.clone()));
    flow.iter_mut().for_each(|flow| flow.leave_thread());
    let handed = Arc::new(Mutex::new(flow.take()));
    let job = Job { capture: capture.clone(), flow: handed.clone() };
    let (main, poa, mut kept) = (orb.clone(), request.poa.clone(), OwnedMessage::new());
    kept.copy_from(request.message);
    orb.main_thread().push(Box::new(move || {
        let Some(message) = kept.message() else { return };
        if !poa.admits_now() {
            job.capture.pass(&[Stage::Waiting], Stage::Refused);
        } else if job.capture.pass(&[Stage::Waiting], Stage::Begun) {
            let capture = &job.capture;
            let mut flow = lock(&job.flow).take();
            flow.iter_mut().for_each(|flow| flow.enter_thread());
            let limit = main.settings().call_timeout;
            let serve = || {
                serve_from(Some(Requester::Other(capture.clone())), || {
                    serve(capture, &message, code_sets, flow)
                })
            };
            // A panic is reported, and the drop of the job tells who waits.
            guarded("a request for the main thread", Completion::Maybe, || {
                wait_limit::within(limit, limit, serve);
            })
            .ok();
        }
    }));
    let is_end = |stage| match stage {
        Stage::Waiting | Stage::Begun => false,
        Stage::Served => !response_expected,
        Stage::Refused | Stage::Dropped | Stage::Abandoned => true,
    };
    // Until the main thread begins, the request is not delivered.
    let is_begun = |stage| stage == Stage::Begun || is_end(stage);
    let (reply, stage) = match capture.wait_for_stage(wait_limit::left(), is_begun) {
        (reply, Stage::Begun) if reply.is_empty() => {
            capture.wait_for_stage(wait_limit::left_for_reply(), is_end)
        }
        ended => ended,
    };
    *flow = lock(&handed).take();
    flow.iter_mut().for_each(|flow| flow.enter_thread());
    match stage {
        Stage::Refused => Ok(None),
        Stage::Dropped => Err(SystemException::shut_down()),
        Stage::Served if !response_expected => Ok(Some(reply)),
        _ if !reply.is_empty() && sync_with_server => {
            acknowledge(reply);
            // The request is in progress until the servant has returned.
            capture.wait_for_stage(wait_limit::left_for_reply(), |stage| stage == Stage::Served);
            Ok(Some(Vec::new()))
        }
        _ if !reply.is_empty() => Ok(Some(reply)),
        stage => Err(too_late(stage)),
    }
}

/// The main thread has not replied in time. Whether it has begun the call is known.
#[cold]
fn too_late(stage: Stage) -> SystemException {
    let what = "the main thread did not serve the call in time";
    let completed = if stage == Stage::Abandoned { Completion::No } else { Completion::Maybe };
    wait_limit::exhausted(completed, what.into())
}
