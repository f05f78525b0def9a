//! The values of a call for interceptors (CORBA 3.4 Part 1, 16.3.12). Values are decoded only when
//! an interceptor asks for them: from the octets of the request and the reply, with the signature
//! of the operation.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::interception::Outcome;
use crate::interception::out_of_order;
use crate::signature::{NamedValue, Signature, is_exception};
use crate::wire::CODE_SETS_HERE as CODE_SETS;
use armilla_cdr::{Any, CdrResult, Decoder, Encode, Encoder, OwnedInput, TypeCode};

/// Reads from a decoder that is positioned at the start of the values.
pub(crate) type Read<'r> = &'r mut dyn FnMut(&mut Decoder<'_>) -> CdrResult;

/// A call whose values can be read.
pub(crate) trait Values {
    /// The signature of the operation, if known.
    fn signature(&self) -> Option<Signature>;

    /// Whether the signature includes the exceptions and contexts, not only the parameters.
    fn is_declared(&self) -> bool {
        true
    }

    /// Reads the arguments that were sent.
    fn read_arguments(&self, read: Read<'_>) -> Result<(), SystemException>;

    /// Reads the results or the user exception.
    fn read_reply(&self, read: Read<'_>) -> Result<(), SystemException>;
}

/// `NO_RESOURCES` for a call whose values are not available (CORBA 3.4 Part 1, 16.3.12).
pub(crate) fn no_resources(what: &str) -> SystemException {
    SystemException::new(
        ExceptionKind::NoResources,
        Minor::NO_RESOURCES_NOT_SUPPORTED_BY_BINDING,
        Completion::No,
    )
    .with_reason(what)
}

fn unreadable(exception: &SystemException) -> SystemException {
    let why = exception.as_cause();
    no_resources(&format!("the values of the call cannot be read by their types: {why}"))
}

impl<'v> dyn Values + 'v {
    /// The values and the signature, if they are available.
    fn described(values: Option<&Self>) -> Result<(&Self, Signature), SystemException> {
        let found = values.and_then(|values| Some((values, values.signature()?)));
        found.ok_or_else(|| {
            no_resources(
                "the signature of the operation is unknown, or no interceptor reads_values",
            )
        })
    }

    /// The values and a signature that includes exceptions and contexts.
    fn declared(values: Option<&Self>) -> Result<(&Self, Signature), SystemException> {
        match Self::described(values)? {
            (values, _) if !values.is_declared() => {
                Err(no_resources("a dynamic servant declares only its arguments"))
            }
            declared => Ok(declared),
        }
    }

    /// The arguments. Includes the values of `inout` and `out` arguments if the call has `replied`.
    pub(crate) fn arguments(
        values: Option<&Self>,
        replied: bool,
    ) -> Result<Vec<NamedValue>, SystemException> {
        let (values, signature) = Self::described(values)?;
        let Signature { mut parameters, result, .. } = signature;
        let mut sent = parameters.iter_mut().filter(|parameter| parameter.is_sent());
        if sent.by_ref().next().is_some() {
            let read = &mut |input: &mut Decoder<'_>| read_each(&mut parameters, input, true);
            values.read_arguments(read).map_err(|exception| unreadable(&exception))?;
        }
        let mut returned = parameters.iter().filter(|parameter| parameter.is_returned());
        if replied && returned.next().is_some() {
            let read = &mut |input: &mut Decoder<'_>| {
                read_result(&result, input)?;
                read_each(&mut parameters, input, false)
            };
            values.read_reply(read).map_err(|exception| unreadable(&exception))?;
        }
        Ok(parameters)
    }

    /// The result of a call that has replied.
    pub(crate) fn result(values: Option<&Self>) -> Result<Any, SystemException> {
        let (values, Signature { result, .. }) = Self::described(values)?;
        let mut value = Any::default();
        let read = &mut |input: &mut Decoder<'_>| {
            value = read_result(&result, input)?;
            Ok(())
        };
        values.read_reply(read).map_err(|exception| unreadable(&exception))?;
        Ok(value)
    }

    /// The types of the exceptions that the operation raises.
    pub(crate) fn exceptions(values: Option<&Self>) -> Result<Vec<TypeCode>, SystemException> {
        Self::declared(values).map(|(_, signature)| signature.exceptions)
    }

    /// The names in the `context` clause of the operation.
    pub(crate) fn contexts(values: Option<&Self>) -> Result<Vec<String>, SystemException> {
        Self::declared(values).map(|(_, signature)| signature.contexts)
    }

    /// The properties that were sent for the `context` clause, name and value alternating.
    pub(crate) fn operation_context(values: Option<&Self>) -> Result<Vec<String>, SystemException> {
        let (values, signature) = Self::declared(values)?;
        if signature.contexts.is_empty() {
            return Ok(Vec::new());
        }
        let (mut parameters, mut strings) = (signature.parameters, Vec::new());
        let read = &mut |input: &mut Decoder<'_>| {
            read_each(&mut parameters, input, true)?;
            strings = input.sequence()?;
            Ok(())
        };
        values.read_arguments(read).map_err(|exception| unreadable(&exception))?;
        Ok(strings)
    }

    /// The exception of `outcome`. One without a known TypeCode is shown as `UNKNOWN` with minor
    /// code 1 of the OMG (CORBA 3.4 Part 1, 16.3.13).
    pub(crate) fn exception(
        values: Option<&Self>,
        outcome: Option<&Outcome>,
    ) -> Result<Any, SystemException> {
        match outcome {
            Some(Outcome::SystemException(exception)) => any_of(exception),
            Some(Outcome::UserException(id)) => match Self::raised(values, id) {
                Some(raised) => Ok(raised),
                None => {
                    let (kind, minor) =
                        (ExceptionKind::Unknown, Minor::UNKNOWN_UNLISTED_USER_EXCEPTION);
                    any_of(&SystemException::new(kind, minor, Completion::Yes).with_reason(&**id))
                }
            },
            _ => Err(out_of_order("the request has not ended with an exception")),
        }
    }

    fn raised(values: Option<&Self>, id: &str) -> Option<Any> {
        let (values, Signature { exceptions, .. }) = Self::described(values).ok()?;
        let code = exceptions.into_iter().find(|code| is_exception(code, id))?;
        let mut raised = None;
        let read = &mut |input: &mut Decoder<'_>| {
            raised = Some(Any::read(code.clone(), input)?);
            Ok(())
        };
        values.read_reply(read).ok()?;
        raised
    }
}

/// Reads the parameters that were sent, or those that are returned.
fn read_each(parameters: &mut [NamedValue], input: &mut Decoder<'_>, sent: bool) -> CdrResult {
    let travels = |parameter: &&mut NamedValue| match sent {
        true => parameter.is_sent(),
        false => parameter.is_returned(),
    };
    parameters.iter_mut().filter(travels).try_for_each(|parameter| parameter.read(input))
}

fn read_result(code: &TypeCode, input: &mut Decoder<'_>) -> CdrResult<Any> {
    match code {
        TypeCode::Void => Ok(Any::default()),
        code => Any::read(code.clone(), input),
    }
}

/// The values of a call that the server side serves.
pub(crate) struct Served {
    pub(crate) signature: Signature,
    /// Whether IDL declares the operation. If not, a dynamic servant has declared its arguments.
    pub(crate) is_declared: bool,
    pub(crate) arguments: OwnedInput,
    /// The encoded results or user exception; `None` until the servant has returned.
    pub(crate) reply: Option<OwnedInput>,
}

impl Values for Served {
    fn signature(&self) -> Option<Signature> {
        Some(self.signature.clone())
    }

    fn is_declared(&self) -> bool {
        self.is_declared
    }

    fn read_arguments(&self, read: Read<'_>) -> Result<(), SystemException> {
        read(&mut self.arguments.decoder())
            .map_err(|error| SystemException::decoding(&error, Completion::No))
    }

    fn read_reply(&self, read: Read<'_>) -> Result<(), SystemException> {
        let Some(reply) = &self.reply else { return Err(no_resources("there is no reply yet")) };
        read(&mut reply.decoder())
            .map_err(|error| SystemException::decoding(&error, Completion::Yes))
    }
}

/// The octets that `write` produces, for a reader within the process.
pub(crate) fn written<'p>(write: &dyn Fn(&mut Encoder<'p>) -> CdrResult) -> CdrResult<OwnedInput> {
    let mut out = Encoder::with_code_sets(Vec::new(), armilla_cdr::ByteOrder::NATIVE, CODE_SETS);
    write(&mut out).or_else(|error| {
        out.with_other_order(error, |out| {
            out.truncate(0);
            write(out)
        })
    })?;
    Ok(Decoder::new(&out.to_vec(), out.order()).with_code_sets(CODE_SETS).to_owned_input())
}

/// The members of a system exception: its minor code and its completion status.
struct Members(u32, u32);

impl Encode for Members {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u32(self.0);
        out.put_u32(self.1);
        Ok(())
    }
}

fn any_of(exception: &SystemException) -> Result<Any, SystemException> {
    let statuses = ["COMPLETED_YES", "COMPLETED_NO", "COMPLETED_MAYBE"];
    let id = exception.kind().repository_id();
    // In `IDL:omg.org/CORBA/UNKNOWN:1.0` the name follows the last slash.
    let name = id.split(':').nth(1).and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let status = TypeCode::enumeration(
        "IDL:omg.org/CORBA/completion_status:1.0",
        "completion_status",
        statuses,
    );
    let members = [("minor", TypeCode::ULong), ("completed", status)];
    let completed = match exception.completed() {
        Completion::Yes => 0,
        Completion::No => 1,
        Completion::Maybe => 2,
    };
    let values = Members(exception.minor().0, completed);
    Ok(Any::with_type(TypeCode::exception(id, name, members), &values)?)
}
