//! Asking where an object is, without calling it (CORBA 3.4 Part 2, 9.4.5).

use super::deadline::Deadline;
use super::exclusive::{ExclusiveConnection, ReplyReceiver};
use super::invocation::{Forward, Invocation};
use super::route::Target;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException, decode_system};
use crate::object::{Object, Reference};
use crate::orb::{Located as EndpointAddress, Orb};
use crate::poa::with_wait_limit;
use armilla_cdr::{
    ByteOrder, CdrError, CdrErrorKind, CdrResult, CodeSet, Decode, Decoder, Encoder,
};
use armilla_giop::{
    AddressingDisposition, LocateStatus, Message, MessageHeader, ServiceContexts,
    decode_locate_reply, encode_locate_request, engine::ClientEvent, ior::Ior,
};

/// What a server said of the place of an object.
enum Located {
    Here,
    Unknown,
    At(Forward),
    Raised(SystemException),
}

/// Whether the server knows the object; follows forwards.
pub(crate) fn locate(object: &Object) -> Result<bool, SystemException> {
    let reference = object.reference()?;
    reference.callable()?;
    if let Some(key) = reference.local_key().filter(|_| reference.is_near()) {
        let limit = object.reply_limit(reference.orb.settings());
        return with_wait_limit(limit, || locate_here(object, &reference.orb, key));
    }
    let settings = reference.orb.settings();
    let mut deadline = Deadline::after(object.timeout().or(settings.call_timeout));
    let mut invocation = Invocation::default();
    if let Some(effective) = object.effective(settings) {
        invocation.keep_to(effective, reference, &mut deadline)?;
        // The question where the object is binds the reference.
        invocation.unbind(&mut deadline);
    }
    loop {
        let route = reference.route()?;
        let target = route.preferred();
        match ask(reference, target, &invocation.deadline(&deadline, &route)) {
            Ok(Located::Here) => return Ok(true),
            // An earlier forward may have become stale: the reference's own address knows better.
            Ok(Located::Unknown) if reference.fall_back(&route, &mut invocation) => {}
            Ok(Located::Unknown) => return Ok(false),
            Ok(Located::Raised(exception)) => return Err(exception),
            Ok(Located::At(forward)) => reference.follow(&route, forward, &mut invocation)?,
            Err(error) => reference.after_failure(&route, target, &mut invocation, error)?,
        }
    }
}

/// Whether this process knows the object with this key; follows published names.
fn locate_here(object: &Object, orb: &Orb, mut key: Vec<u8>) -> Result<bool, SystemException> {
    for _ in 0..=orb.settings().max_forwards {
        let ior = match orb.locate(&key, false)? {
            EndpointAddress::Here => return Ok(true),
            EndpointAddress::Elsewhere(ior) => ior,
            EndpointAddress::Nowhere | EndpointAddress::Unnamed => return Ok(false),
        };
        let target = object.with_reference(Object::from_ior(orb, ior));
        match target.local_key() {
            Some(next) => key = next,
            None => return locate(&target),
        }
    }
    Ok(false)
}

/// Asks over a connection of its own choice: what stands idle, else a new one.
fn ask(
    reference: &Reference,
    target: &Target,
    deadline: &Deadline,
) -> Result<Located, SystemException> {
    let mut link = match target.access.endpoint.idle_connection(deadline.started) {
        Some(link) => link,
        None => match target.access.endpoint.reverse_connection(target.access.version) {
            Some(reverse_connection) => {
                return reverse_connection.locate(target, deadline, |m| read_kept(m, reference));
            }
            None => target.access.endpoint.connect(deadline)?,
        },
    };
    let answer = exchange(reference, &mut link, target, deadline)?;
    link.last_used = deadline.started;
    target.access.endpoint.give_back(link);
    Ok(answer)
}

fn exchange(
    reference: &Reference,
    link: &mut ExclusiveConnection,
    target: &Target,
    deadline: &Deadline,
) -> Result<Located, SystemException> {
    let id = link.begin(true)?;
    let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::NATIVE, CodeSet::default());
    encode_locate_request(&mut out, target.access.version, id, target.address())
        .map_err(|error| SystemException::encoding(&error, Completion::No))?;
    MessageHeader::finish(&mut out)
        .map_err(|error| SystemException::bad_param(Minor::MESSAGE_TOO_LARGE, error.to_string()))?;
    link.put(&out, deadline)?;
    let read = link.receive(deadline, &mut &*reference)?;
    read.map_err(|error| SystemException::decoding(&error, Completion::No))
}

impl ReplyReceiver<CdrResult<Located>> for &Reference {
    fn take(&mut self, arrived: ClientEvent<'_, ()>) -> CdrResult<Located> {
        match arrived {
            ClientEvent::LocateReply((), header, body) => read(header.status, body, self),
            _ => Err(CdrError::new(CdrErrorKind::Invalid(
                "a Reply outcome_of where a LocateReply is due",
            ))),
        }
    }
}

fn read_kept(message: &Message<'_>, reference: &Reference) -> Result<Located, SystemException> {
    decode_locate_reply(message)
        .and_then(|(header, body)| read(header.status, body, reference))
        .map_err(|error| SystemException::decoding(&error, Completion::No))
}

/// Reads the body of a LocateReply.
fn read(status: LocateStatus, body: Decoder<'_>, reference: &Reference) -> CdrResult<Located> {
    let mut body = body.with_context(&reference.orb);
    Ok(match status {
        LocateStatus::ObjectHere => Located::Here,
        LocateStatus::UnknownObject => Located::Unknown,
        LocateStatus::ObjectForward => Located::At(Forward::To(Ior::decode(&mut body)?.into())),
        LocateStatus::ObjectForwardPerm => {
            Located::At(Forward::ForGood(Ior::decode(&mut body)?.into()))
        }
        LocateStatus::NeedsAddressingMode => {
            Located::At(Forward::Readdress(AddressingDisposition::decode(&mut body)?))
        }
        LocateStatus::SystemException => match decode_system(&ServiceContexts::EMPTY, &mut body)? {
            // Another way to say that the object is unknown, and the one of JacORB.
            error if error.kind() == ExceptionKind::ObjectNotExist => Located::Unknown,
            error => Located::Raised(error),
        },
    })
}
