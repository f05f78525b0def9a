//! LocateRequest: asking for the location of an object without calling it (CORBA 3.4 Part 2,
//! 9.4.5).

use crate::client::connection::ExclusiveConnection;
use crate::client::invocation::{Invocation, Selected};
use crate::client::reference::{Object, Reference, Target};
use crate::client::request::{Deadline, Forward, no_reply};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException, decode_system};
use crate::object_key::KeyOctets;
use crate::runtime::{Located, Orb};
use crate::threads::{BlockingScope, wait_limit};
use armilla_cdr::{
    ByteOrder, CdrError, CdrErrorKind, CdrResult, CodeSet, Decode, Decoder, Encoder,
};
use armilla_giop::{
    AddressingDisposition, LocateStatus, Message, MessageHeader, MessageKind, ServiceContexts,
    decode_locate_reply, encode_locate_request, ior::Ior,
};
use std::thread;

/// The answer of a server to a LocateRequest.
enum RemoteAnswer {
    Here,
    Unknown,
    At(Forward),
    Raised(SystemException),
}

/// Whether the server knows the object. Follows forwards, and binds the reference.
pub(crate) fn locate(object: &Object) -> Result<bool, SystemException> {
    let Selected { object, .. } = &object.selected()?;
    let reference = object.reference()?;
    let mut invocation = Invocation::begin(object, reference)?;
    invocation.allow_rebinding();
    let mut elsewhere = None;
    if let Some(key) = reference.local_key().filter(|_| reference.is_collocated()) {
        match locate_collocated(&reference.orb, key, &mut invocation)? {
            LocalAnswer::Here => return Ok(true),
            LocalAnswer::Unknown => return Ok(false),
            LocalAnswer::Elsewhere(ior) => {
                elsewhere = Some(object.with_reference(Object::from_ior(&reference.orb, ior)));
            }
        }
    }
    locate_remote(elsewhere.as_ref().unwrap_or(object).clone(), invocation)
}

/// Asks the server to which the reference is bound.
fn locate_remote(mut object: Object, mut invocation: Invocation) -> Result<bool, SystemException> {
    loop {
        let reference = object.reference()?;
        let route = reference.route()?;
        let target = route.preferred();
        match ask(reference, target, &invocation.attempt_deadline(&route)) {
            Ok(RemoteAnswer::Here) => return Ok(true),
            // The forward may be outdated: ask at the reference's own addresses.
            Ok(RemoteAnswer::Unknown) if invocation.fall_back(reference, &route) => {}
            Ok(RemoteAnswer::Unknown) => return Ok(false),
            Ok(RemoteAnswer::Raised(exception)) => return Err(exception),
            Ok(RemoteAnswer::At(forward)) => {
                invocation.follow(reference, &route, forward)?;
                if let Some(selector) = reference.binding.forward_selector() {
                    let chosen = selector.select()?.object.into_owned();
                    drop(route);
                    (object, _) = object.through(chosen, None, &|selector| selector.select())?;
                }
            }
            Err(failure) => {
                invocation.judge_failure::<()>(reference, &route, target, failure)?;
            }
        }
        invocation.take_pause().into_iter().for_each(thread::sleep);
    }
}

/// The answer of this process.
enum LocalAnswer {
    Here,
    Unknown,
    /// The object is in another process.
    Elsewhere(Ior),
}

/// Asks this process for the object with this key. Follows published names.
fn locate_collocated(
    orb: &Orb,
    mut key: KeyOctets,
    invocation: &mut Invocation,
) -> Result<LocalAnswer, SystemException> {
    loop {
        let limit = invocation.time_left();
        let ior = match wait_limit::within(limit, limit, || orb.locate_collocated(&key))? {
            Located::Here => return Ok(LocalAnswer::Here),
            Located::Elsewhere(ior) => ior,
            Located::Nowhere | Located::Unnamed => return Ok(LocalAnswer::Unknown),
        };
        // Published names that refer to each other denote no object.
        if invocation.count_forward(orb).is_err() {
            return Ok(LocalAnswer::Unknown);
        }
        match orb.local_key(&ior) {
            Some((next, _)) => key = KeyOctets::from_slice(&next),
            None => return Ok(LocalAnswer::Elsewhere(ior)),
        }
    }
}

/// Asks over an idle connection, or over a new one.
fn ask(
    reference: &Reference,
    target: &Target,
    deadline: &Deadline,
) -> Result<RemoteAnswer, SystemException> {
    let _blocking = BlockingScope::begin();
    let mut link = match target.access.endpoint.idle_connection(deadline.started) {
        Some(link) => link,
        None => match target.access.endpoint.reverse_connection(target.access.version) {
            Some(reverse_connection) => {
                let answer = reverse_connection.locate(target.object(), deadline)?;
                return read_answer(answer.reply.message(), reference);
            }
            None => target.access.endpoint.connect(target.object(), deadline)?,
        },
    };
    let answer = exchange(reference, &mut link, target, deadline)?;
    link.last_used = deadline.started;
    target.access.endpoint.return_idle(link);
    Ok(answer)
}

fn exchange(
    reference: &Reference,
    link: &mut ExclusiveConnection,
    target: &Target,
    deadline: &Deadline,
) -> Result<RemoteAnswer, SystemException> {
    let id = link.begin(true)?;
    let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::NATIVE, CodeSet::default());
    encode_locate_request(&mut out, target.access.version, id, target.object().named())
        .map_err(|error| SystemException::encoding(&error, Completion::No))?;
    MessageHeader::finish(&mut out)
        .map_err(|error| SystemException::bad_param(Minor::MESSAGE_TOO_LARGE, error.to_string()))?;
    link.put(&out, deadline)?;
    link.receive(deadline, false)?;
    read_answer(link.message(), reference)
}

#[cold]
fn wrong_reply() -> CdrError {
    CdrError::new(CdrErrorKind::Invalid("a Reply instead of a LocateReply"))
}

/// Reads the message that answers a LocateRequest.
fn read_answer(
    message: Option<Message<'_>>,
    reference: &Reference,
) -> Result<RemoteAnswer, SystemException> {
    let message = message.ok_or_else(no_reply)?;
    if message.header.kind != MessageKind::LocateReply {
        return Err(SystemException::decoding(&wrong_reply(), Completion::No));
    }
    decode_locate_reply(&message)
        .and_then(|(header, body)| read(header.status, body, reference))
        .map_err(|error| SystemException::decoding(&error, Completion::No))
}

/// Decodes the body of a LocateReply.
fn read(status: LocateStatus, body: Decoder<'_>, reference: &Reference) -> CdrResult<RemoteAnswer> {
    let mut body = body.with_context(&reference.orb);
    Ok(match status {
        LocateStatus::ObjectHere => RemoteAnswer::Here,
        LocateStatus::UnknownObject => RemoteAnswer::Unknown,
        LocateStatus::ObjectForward => {
            RemoteAnswer::At(Forward::To(Ior::decode(&mut body)?.into()))
        }
        LocateStatus::ObjectForwardPerm => {
            RemoteAnswer::At(Forward::ForGood(Ior::decode(&mut body)?.into()))
        }
        LocateStatus::NeedsAddressingMode => {
            RemoteAnswer::At(Forward::Readdress(AddressingDisposition::decode(&mut body)?))
        }
        LocateStatus::SystemException => match decode_system(&ServiceContexts::EMPTY, &mut body)? {
            // JacORB reports an unknown object in this way.
            error if error.kind() == ExceptionKind::ObjectNotExist => RemoteAnswer::Unknown,
            error => RemoteAnswer::Raised(error),
        },
    })
}
