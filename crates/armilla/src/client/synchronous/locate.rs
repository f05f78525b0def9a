//! LocateRequest: asking for the location of an object without calling it (CORBA 3.4 Part 2,
//! 9.4.5).

use crate::client::connection::{ExclusiveConnection, MultiplexedConnection};
use crate::client::endpoint::Access;
use crate::client::invocation::{Action, At, Invocation, Selected, Step};
use crate::client::reference::{Object, Reference, Target};
use crate::client::request::{Answer, Deadline, Forward, no_reply};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException, decode_system};
use crate::runtime::Located;
use crate::threads::{BlockingScope, wait_limit};
use armilla_cdr::{
    ByteOrder, CdrError, CdrErrorKind, CdrResult, CodeSet, Decode, Decoder, Encoder,
};
use armilla_giop::{
    AddressingDisposition, LocateStatus, Message, MessageHeader, MessageKind, ReplyStatus,
    ServiceContexts, decode_locate_reply, decode_reply, encode_locate_request, ior::Ior,
};
use std::thread;

/// Whether the server knows the object. Follows forwards, and binds the reference.
pub(crate) fn locate(object: &Object) -> Result<bool, SystemException> {
    let Selected { mut object, .. } = object.selected()?;
    let mut invocation = Invocation::begin(&object, object.reference()?)?;
    invocation.allow_rebinding();
    loop {
        let step = match attempt(&object, &mut invocation) {
            Err(unknown) if unknown.kind() == ExceptionKind::ObjectNotExist => return Ok(false),
            judged => judged?,
        };
        match invocation.advance(&object, step, &|selector| selector.select()) {
            Ok(Action::Done(())) => return Ok(true),
            Ok(Action::Send) => {}
            Ok(Action::Pause(pause)) => thread::sleep(pause),
            Ok(Action::Go(next, _)) => object = next,
            Err(error) => return denotes_nothing(&object, error),
        }
    }
}

/// Published names that refer to each other denote no object.
fn denotes_nothing(object: &Object, error: SystemException) -> Result<bool, SystemException> {
    let in_circle = error.minor() == Minor::TOO_MANY_FORWARDS;
    match in_circle && object.reference()?.stays_here() {
        true => Ok(false),
        false => Err(error),
    }
}

/// Asks where the object is once, and judges the answer. An unknown object is an answer with
/// `OBJECT_NOT_EXIST`.
fn attempt(object: &Object, invocation: &mut Invocation) -> Result<Step, SystemException> {
    let reference = object.reference()?;
    let operation = "a LocateRequest";
    if let Some(key) = reference.key_here() {
        let limit = invocation.time_left();
        let located = wait_limit::within(limit, limit, || reference.orb.locate_collocated(&key));
        let answer = located.map(|located| match located {
            Located::Here => Answer::Results(()),
            Located::Elsewhere(ior) => Answer::Forward(Forward::To(ior.into()).into()),
            Located::Nowhere | Located::Unnamed => Answer::Raised(unknown()),
        });
        return invocation.judge(At { reference, remote: None, operation }, answer);
    }
    let route = &*reference.route()?;
    let target = route.preferred();
    let answer = ask(reference, target, &invocation.attempt_deadline(route));
    invocation.judge(At { reference, remote: Some((route, target)), operation }, answer)
}

fn unknown() -> SystemException {
    SystemException::new(ExceptionKind::ObjectNotExist, Minor::default(), Completion::No)
}

/// Asks over an idle connection, or over a new one.
fn ask(
    reference: &Reference,
    target: &Target,
    deadline: &Deadline,
) -> Result<Answer, SystemException> {
    let _blocking = BlockingScope::begin();
    let Access { endpoint, version, .. } = &*target.access;
    let over_reverse = |link: &MultiplexedConnection| {
        let answer = link.locate(target.object(), deadline)?;
        read_answer(answer.reply.message(), reference)
    };
    let mut link = match endpoint.idle_connection(deadline.started) {
        Some(link) => link,
        None => match endpoint.reverse_connection(*version) {
            Some(link) => return over_reverse(&link),
            None => match endpoint.silent_reverse_connection(*version) {
                None => endpoint.connect(target.object(), deadline)?,
                Some(silent) => {
                    let share = deadline.with_addresses(deadline.addresses + 1);
                    match endpoint.connect(target.object(), &share) {
                        Ok(link) => link,
                        Err(_) => {
                            silent.trust();
                            return over_reverse(&silent);
                        }
                    }
                }
            },
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
) -> Result<Answer, SystemException> {
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

/// Reads the message that answers a LocateRequest.
fn read_answer(
    message: Option<Message<'_>>,
    reference: &Reference,
) -> Result<Answer, SystemException> {
    let message = message.ok_or_else(no_reply)?;
    let answer = match message.header.kind {
        MessageKind::Reply => read_reply(&message, reference),
        _ => decode_locate_reply(&message)
            .and_then(|(header, body)| read(header.status, body, reference)),
    };
    answer.map_err(|error| SystemException::decoding(&error, Completion::No))
}

/// Reads a Reply to a LocateRequest. TAO carries out `_non_existent` for a LocateRequest; if that
/// is answered by what is to tell the location, as by the locator of its implementation repository,
/// the answer is a Reply, and a LocateReply with the same id follows, which nobody waits for.
fn read_reply(message: &Message<'_>, reference: &Reference) -> CdrResult<Answer> {
    let (header, body) = decode_reply(message)?;
    let mut body = body.with_context(&reference.orb);
    let status = match header.status {
        ReplyStatus::NoException => {
            return Ok(match body.remaining() > 0 && bool::decode(&mut body)? {
                true => Answer::Raised(unknown()),
                false => Answer::Results(()),
            });
        }
        ReplyStatus::LocationForward => LocateStatus::ObjectForward,
        ReplyStatus::LocationForwardPerm => LocateStatus::ObjectForwardPerm,
        ReplyStatus::NeedsAddressingMode => LocateStatus::NeedsAddressingMode,
        ReplyStatus::SystemException => LocateStatus::SystemException,
        ReplyStatus::UserException => {
            let what = "a user exception in answer to a LocateRequest";
            return Err(CdrError::new(CdrErrorKind::Invalid(what)));
        }
    };
    read(status, body, reference)
}

/// Decodes the body of a LocateReply.
fn read(status: LocateStatus, body: Decoder<'_>, reference: &Reference) -> CdrResult<Answer> {
    let mut body = body.with_context(&reference.orb);
    let forward = |forward| Answer::Forward(Box::new(forward));
    Ok(match status {
        LocateStatus::ObjectHere => Answer::Results(()),
        LocateStatus::UnknownObject => Answer::Raised(unknown()),
        LocateStatus::ObjectForward => forward(Forward::To(Ior::decode(&mut body)?.into())),
        LocateStatus::ObjectForwardPerm => {
            forward(Forward::ForGood(Ior::decode(&mut body)?.into()))
        }
        LocateStatus::NeedsAddressingMode => {
            forward(Forward::Readdress(AddressingDisposition::decode(&mut body)?))
        }
        // JacORB reports an unknown object by `OBJECT_NOT_EXIST`.
        LocateStatus::SystemException => {
            Answer::Raised(decode_system(&ServiceContexts::EMPTY, &mut body)?)
        }
    })
}
