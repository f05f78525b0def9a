//! The requests of clients, as the POA of a member hands them over: executed once, answered from the
//! log, or sent to the members of a newer view.

use crate::model::{Begun, Failure, Pending, Request, Role, Served, Style, View};
use crate::reference::group_reference;
use crate::shared::{Rules, Shared, now};
use armilla::{
    CallServant, Completion, EncodedReply, ExceptionKind, ObjectAddresses, PoaExtension,
    SystemException, UpcallInfo,
};
use armilla_giop::{FtGroupVersion, FtRequest};
use std::sync::Arc;

pub(crate) struct Requests(pub(crate) Arc<Shared>);

/// Who sends a request, and its number and end.
pub(crate) type Identity = (String, i32, u64);

impl PoaExtension for Requests {
    fn before_upcall(&self, _: &UpcallInfo<'_>) -> Result<(), SystemException> {
        Ok(())
    }

    fn after_upcall(&self) {}

    fn addresses(&self, _: &[u8]) -> Option<ObjectAddresses> {
        None
    }

    fn around(
        &self,
        request: &UpcallInfo<'_>,
        servant: CallServant<'_>,
    ) -> Option<Result<EncodedReply, SystemException>> {
        // What every object has is the same at each member.
        let operation = request.operation();
        let is_own = operation.starts_with('_')
            && !operation.starts_with("_get_")
            && !operation.starts_with("_set_");
        (!is_own).then(|| self.serve(request, servant))
    }
}

impl Requests {
    fn serve(
        &self,
        request: &UpcallInfo<'_>,
        servant: CallServant<'_>,
    ) -> Result<EncodedReply, SystemException> {
        let contexts = read_contexts(request)?;
        let Some(mut member) = self.0.rounds.come(|| self.0.member()) else {
            return Err(ExceptionKind::Transient.because("the member starts"));
        };
        let begun = self.begin(&mut member, request, contexts, servant);
        let told = self.tell(&mut member);
        match begun {
            Answer::Reply(reply) => reply,
            Answer::Pending(pending, failure) => {
                let outcome = match told {
                    Some(outcome) => outcome,
                    None => self.wait(member, &pending),
                };
                match outcome {
                    Ok(()) => reply(pending.settled(), failure),
                    Err(why) => Err(undecided(&why)),
                }
            }
        }
    }

    /// Begins to serve a request.
    fn begin(
        &self,
        member: &mut Rules<'_>,
        request: &UpcallInfo<'_>,
        (version, identity): (Option<u32>, Option<Identity>),
        servant: CallServant<'_>,
    ) -> Answer {
        let Shared { world, reads, rounds, .. } = &*self.0;
        let is_old = |view: &View| version.is_some_and(|it| it < view.version);
        let is_elsewhere = member.role() != Role::Primary;
        if let Some(view) = member.known_view()
            && (is_old(view) || is_elsewhere && version.is_none())
        {
            let newer = group_reference(&world.group, view);
            return Answer::Reply(newer.and_then(|it| EncodedReply::forward_for_good(&it)));
        }
        let (reads, is_active) =
            (reads.contains(request.operation()), member.style() == Style::Active);
        let octets = match is_active && !is_elsewhere && !reads {
            true => match request.keep() {
                Some(kept) => kept.into_octets(),
                None => return Answer::Reply(Err(in_fragments())),
            },
            false => Vec::new(),
        };
        let (who, mut failure, before) = (identity.clone(), None, member.pending());
        let of = Request { identity, reads, octets };
        let begun = member.begin(world, of, now(), |state, place| {
            let executed = match place.filter(|_| is_active || who.is_some()) {
                Some(place) => state.execute_as(who.as_ref(), place, servant),
                None => servant(),
            };
            match executed {
                Ok(reply) => Some((reply.status(), reply.body().to_vec())),
                Err(exception) => {
                    failure = Some(exception);
                    None
                }
            }
        });
        if before > 0 {
            // It may have told the backups of those that wait.
            rounds.tell(member.settled_place(), &Ok(()));
        }
        match begun {
            Begun::Done(Served::Expired) => Answer::Reply(Err(expired(who.as_ref()))),
            Begun::Done(served) => Answer::Reply(reply(served, failure)),
            Begun::Pending(pending) => Answer::Pending(pending, failure),
        }
    }

    /// Tells the backups of what was executed, unless somebody comes who will. `None` then.
    fn tell(&self, member: &mut Rules<'_>) -> Option<Result<(), String>> {
        if member.pending() == 0 {
            return Some(Ok(()));
        }
        if self.0.rounds.is_shared() {
            return None;
        }
        Some(self.tell_now(member))
    }

    fn tell_now(&self, member: &mut Rules<'_>) -> Result<(), String> {
        let (reign, settled) = member.settled_place();
        let last = (reign, settled + member.pending() as u64);
        let outcome = member.settle_all(&self.0.world).map_err(|Failure(why)| why);
        self.0.rounds.tell(last, &outcome);
        outcome
    }

    /// Waits until somebody has told the backups of a request, or does it.
    fn wait(&self, member: Rules<'_>, pending: &Pending) -> Result<(), String> {
        drop(member);
        loop {
            if let Some(outcome) = self.0.rounds.wait(pending) {
                return outcome;
            }
            let gone = || "the member ends".to_owned();
            let mut member = self.0.member().ok_or_else(gone)?;
            match member.outcome(pending) {
                Some(outcome) => return outcome.map_err(|Failure(why)| why),
                None => self.tell_now(&mut member)?,
            }
        }
    }
}

/// What a request has come to.
enum Answer {
    Reply(Result<EncodedReply, SystemException>),
    /// It was executed, and the backups are to be told. What the ORB says if the servant has not replied.
    Pending(Pending, Option<SystemException>),
}

fn reply(
    served: Served,
    failure: Option<SystemException>,
) -> Result<EncodedReply, SystemException> {
    match served {
        Served::Reply(status, body, _) => EncodedReply::from_parts(status, body)
            .ok_or_else(|| ExceptionKind::Internal.because("a reply without a status")),
        Served::Elsewhere => {
            Err(ExceptionKind::Transient.because("this member is not the primary"))
        }
        Served::Expired => Err(expired(None)),
        Served::Full => Err(ExceptionKind::ImpLimit
            .because("the log of replies is full; set shorter limits for requests")),
        Served::Failed => Err(failure.unwrap_or_else(|| undecided("the servant says nothing"))),
        Served::Undecided(why) => Err(undecided(&why)),
    }
}

/// What a client gets whose request comes when its time is over.
fn expired(who: Option<&Identity>) -> SystemException {
    /// In units of 100 ns.
    const SECOND: u64 = 10_000_000;
    let ago = who.map_or(0, |(_, _, expires)| now().saturating_sub(*expires) / SECOND);
    ExceptionKind::BadContext
        .because(format!(
            "the request has expired: by the clock of this member its FT_REQUEST context has ended {ago} s ago"
        ))
        .with_hint("if the client has not tried for so long, its clock and that of the member disagree")
}

fn in_fragments() -> SystemException {
    ExceptionKind::NoImplement.because(
        "the members of an active group cannot be told a request of GIOP 1.1 that came in fragments",
    )
}

/// The request may be in the history that survives, or not: the client asks again.
fn undecided(why: &str) -> SystemException {
    ExceptionKind::Transient.because(why).with_completed(Completion::Maybe)
}

/// The version of the group that the client knows, and the identity of the request.
fn read_contexts(
    request: &UpcallInfo<'_>,
) -> Result<(Option<u32>, Option<Identity>), SystemException> {
    let malformed =
        |error| ExceptionKind::BadContext.because(format!("a service context for groups: {error}"));
    let version = request.service_context(FtGroupVersion::ID).map(FtGroupVersion::decode_data);
    let FtGroupVersion(version) = match version.transpose().map_err(malformed)? {
        Some(version) => version,
        None => return Ok((None, read_identity(request).map_err(malformed)?)),
    };
    Ok((Some(version), read_identity(request).map_err(malformed)?))
}

fn read_identity(request: &UpcallInfo<'_>) -> Result<Option<Identity>, armilla::CdrError> {
    let context = request.service_context(FtRequest::ID).map(FtRequest::decode_data);
    Ok(context.transpose()?.map(|it| (it.client_id, it.retention_id, it.expiration_time)))
}
