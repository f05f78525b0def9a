//! The interceptor of a client.

use super::choose::{Showing, choose};
use super::credentials::{CREDENTIALS, ClientCredentials, Identity};
use super::forms::REMOTE_JAVA;
use super::session::{Session, Sessions, State, Whose};
use armilla::interceptor::{ClientInterceptor, ClientRequestInfo, Interruption, SlotId};
use armilla::{Completion, ExceptionKind, Rebind, SystemException};
use armilla_giop::csi::{ContextErrorKind, GssupError, SECURITY_ATTRIBUTES_CONTEXT, SasMessage};
use armilla_giop::ior::{Component, CsiSecMechList, TaggedComponent};
use std::cell::Cell;
use std::sync::{Arc, OnceLock};

/// What a client shows, and to whom it has.
pub(super) struct Shown {
    pub(super) credentials: Option<ClientCredentials>,
    pub(super) identity: Option<Identity>,
    pub(super) stateful: bool,
    pub(super) in_clear: bool,
    pub(super) sessions: Sessions,
    /// Where a thread notes for whom it acts. Set when the ORB is made.
    pub(super) slot: OnceLock<SlotId>,
}

/// For whom a thread acts, in its slot.
pub(super) type Acting = Option<Arc<Identity>>;

pub(super) struct Calls(pub(super) Arc<Shown>);

/// What was sent with a request.
struct Sent {
    session: Arc<Session>,
    in_context: bool,
}

thread_local! {
    /// The context that this thread has to establish anew with its next request.
    static AGAIN: Cell<u64> = const { Cell::new(0) };
}

impl ClientInterceptor for Calls {
    fn name(&self) -> &str {
        "armilla-security"
    }

    fn reads_values(&self) -> bool {
        false
    }

    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let Some(address) = request.endpoint() else { return Ok(()) };
        let Some(session) = self.0.session(request, address)? else { return Ok(()) };
        // Not on the way there, to whoever forwards the request.
        let again = session.number != 0 && AGAIN.get() == session.number;
        if again {
            AGAIN.set(0);
        }
        let in_context = session.state() == State::Established && !again;
        if in_context {
            let data = &session.in_context;
            request.add_request_service_context(SECURITY_ATTRIBUTES_CONTEXT, data, true)?;
        } else {
            let data = &session.establish;
            request.add_request_service_context(SECURITY_ATTRIBUTES_CONTEXT, data, true)?;
        }
        request.keep(Sent { session, in_context });
        Ok(())
    }

    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        note(request);
        Ok(())
    }

    fn receive_other(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        note(request);
        Ok(())
    }

    fn receive_exception(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let Some(Answer::Error { kind, numbers, token }) = answer(request) else {
            note(request);
            return Ok(());
        };
        let Some(sent) = request.kept::<Sent>() else { return Ok(()) };
        let refused = match request.outcome() {
            Some(armilla::interceptor::Outcome::SystemException(exception)) => exception.clone(),
            _ => return Ok(()),
        };
        // Some say "no context" by the number of another mechanism.
        let is_gone = sent.in_context
            && matches!(
                kind,
                Some(ContextErrorKind::NoContext | ContextErrorKind::InvalidMechanism)
            );
        let not_run =
            refused.completed() == Completion::No && refused.kind() == ExceptionKind::NoPermission;
        if is_gone {
            sent.session.set_state(State::Fresh);
        }
        if is_gone && not_run {
            // Also where the reference was forwarded: it is asked again where it leads itself, which
            // may be elsewhere now, and what comes then establishes a context anew.
            AGAIN.set(sent.session.number);
            return Err(Interruption::Forward(request.target().clone()));
        }
        Err(explained(&refused, kind, numbers, token).into())
    }
}

/// What the server has answered.
enum Answer {
    Complete { stateful: bool },
    Error { kind: Option<ContextErrorKind>, numbers: (i32, i32), token: Option<GssupError> },
}

fn answer(request: &ClientRequestInfo<'_>) -> Option<Answer> {
    let contexts = request.reply_service_contexts().ok()?;
    match SasMessage::decode_data(contexts.get(SECURITY_ATTRIBUTES_CONTEXT)?).ok()? {
        SasMessage::Complete { stateful, .. } => Some(Answer::Complete { stateful }),
        SasMessage::Error(error) => Some(Answer::Error {
            kind: ContextErrorKind::of(error.major),
            numbers: (error.major, error.minor),
            token: GssupError::parse(error.token),
        }),
        _ => None,
    }
}

/// Notes whether the server keeps the context that the request has established.
fn note(request: &ClientRequestInfo<'_>) {
    let Some(sent) = request.kept::<Sent>().filter(|sent| !sent.in_context) else { return };
    if sent.session.number == 0 {
        return;
    }
    if let Some(Answer::Complete { stateful }) = answer(request) {
        let state = if stateful { State::Established } else { State::Stateless };
        sent.session.set_state(state);
    }
}

/// The exception of a server that has refused the credentials, with what it says of them.
fn explained(
    refused: &SystemException,
    kind: Option<ContextErrorKind>,
    (major, minor): (i32, i32),
    token: Option<GssupError>,
) -> SystemException {
    let what = match kind {
        Some(ContextErrorKind::InvalidEvidence) => "the server does not accept the credentials",
        Some(ContextErrorKind::InvalidMechanism) => "the server does not have this mechanism",
        Some(ContextErrorKind::ConflictingEvidence) => "the context has other credentials",
        Some(ContextErrorKind::NoContext) => "the server has no such security context",
        None => "the server refuses the security context",
    };
    let more = match token {
        Some(GssupError::NoUser) => ", it knows no such user",
        Some(GssupError::BadPassword) => ", the password is wrong",
        Some(GssupError::BadTarget) => ", they are for another server",
        _ => "",
    };
    let made = SystemException::new(refused.kind(), refused.minor(), refused.completed());
    made.with_reason(format!("{what}{more} (CSIv2 error {major}, {minor})"))
        .with_hint(remedy(kind, token))
}

/// What is to be done about it.
fn remedy(kind: Option<ContextErrorKind>, token: Option<GssupError>) -> &'static str {
    match (kind, token) {
        (_, Some(GssupError::BadTarget)) => {
            "the reference is that of another server: get a new one; the server's log says why"
        }
        (Some(ContextErrorKind::InvalidEvidence), _) => {
            "are the user, the domain, the password and the code of a second factor right, and if \
             the client acts for somebody, may it act for that one? the server's log says why"
        }
        (Some(ContextErrorKind::InvalidMechanism), _) => {
            "a reference says what its server takes: get a new one; the server's log says why"
        }
        (Some(ContextErrorKind::NoContext), _) => "call again, which establishes another one",
        _ => "the server's log says why",
    }
}

impl Shown {
    /// The session for a request; `None` if nothing is shown.
    fn session(
        &self,
        request: &ClientRequestInfo<'_>,
        address: &str,
    ) -> Result<Option<Arc<Session>>, SystemException> {
        let policies = request.policies();
        let own = policies.custom_policy(CREDENTIALS);
        let own = own.and_then(|policy| policy.get::<ClientCredentials>());
        // A call that must stay where it is bound cannot be made again for a context that is gone.
        let stays = policies.rebind.is_some_and(|rebind| rebind != Rebind::Transparent);
        let stateful = self.stateful && !stays;
        let credentials = own.or(self.credentials.as_ref());
        let acting = self.slot.get().and_then(|slot| request.shared::<Acting>(*slot).ok()?);
        let identity = acting.and_then(|acting| acting.as_deref()).or(self.identity.as_ref());
        if credentials.is_none() && identity.is_none() {
            // The server says if it requires anything.
            return Ok(None);
        }
        let Some(profile) = request.effective_profile() else { return Ok(None) };
        let asserted = identity.map(Identity::to_octets).unwrap_or_default();
        let number = credentials.map_or(0, |credentials| credentials.0.number);
        let whose = Whose { credentials: number, stateful, address, identity: &asserted };
        if let Some(known) = self.sessions.find(&whose, &profile.data) {
            return Ok(known);
        }
        let data = request.effective_components(CsiSecMechList::ID).into_iter().next();
        let Some(data) = data else {
            return Ok(self.sessions.note(&whose, (&profile.data, &[]), None, false));
        };
        let list = CsiSecMechList::from_tagged(&TaggedComponent {
            id: CsiSecMechList::ID,
            data: data.clone(),
        });
        let Some(list) = list.map_err(decoding)? else { return Ok(None) };
        let java = !request.effective_components(REMOTE_JAVA).is_empty();
        let showing = Showing { credentials, identity, in_clear: self.in_clear, java };
        let shown = choose(&list, address, &showing)?;
        let (stateful, server) = (stateful && list.stateful, [&[java.into()], &data[..]]);
        Ok(self.sessions.note(&whose, (&profile.data, &server), shown, stateful))
    }
}

fn decoding(error: armilla::CdrError) -> SystemException {
    SystemException::decoding(&error, Completion::No)
}
