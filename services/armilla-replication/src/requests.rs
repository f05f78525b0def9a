//! The requests of clients, as the POA of a member hands them over: executed once, answered from the
//! log, or sent to the members of a newer view.

use crate::checkpointable::identified;
use crate::model::{Request, Role, Served, Style};
use crate::reference::group_reference;
use crate::shared::{Shared, now};
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
        let (version, identity) = read_contexts(request)?;
        let Some(mut member) = self.0.member() else {
            return Err(ExceptionKind::Transient.because("the member starts"));
        };
        let latest = member.known_view();
        let is_old = |view: &crate::model::View| version.is_some_and(|it| it < view.version);
        let is_elsewhere = member.role() != Role::Primary;
        if let Some(view) = latest
            && (is_old(view) || is_elsewhere && version.is_none())
        {
            return EncodedReply::forward_for_good(&group_reference(&self.0.world.group, view)?);
        }
        let reads = self.0.reads.contains(request.operation());
        let octets = match member.style() {
            Style::Active if !is_elsewhere && !reads => match request.keep() {
                Some(kept) => kept.into_octets(),
                None => return Err(in_fragments()),
            },
            _ => Vec::new(),
        };
        let (of, mut failure) = (Request { identity, reads, octets }, None);
        let who = of.identity.clone();
        let world = &self.0.world;
        let is_active = member.style() == Style::Active;
        let served = member.serve(world, of, now(), |_, place| {
            let executed = match place.filter(|_| is_active || who.is_some()) {
                Some(place) => identified(&world.group, who.as_ref(), place, servant),
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
        drop(member);
        match served {
            Served::Reply(status, body, _) => EncodedReply::from_parts(status, body)
                .ok_or_else(|| ExceptionKind::Internal.because("a reply without a status")),
            Served::Elsewhere => {
                Err(ExceptionKind::Transient.because("this member is not the primary"))
            }
            Served::Expired => Err(ExceptionKind::BadContext
                .because("the request has expired: its FT_REQUEST context says so")),
            Served::Full => Err(ExceptionKind::ImpLimit
                .because("the log of replies is full; set shorter limits for requests")),
            Served::Failed => Err(failure.unwrap_or_else(|| undecided("the servant says nothing"))),
            Served::Undecided(why) => Err(undecided(&why)),
        }
    }
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
