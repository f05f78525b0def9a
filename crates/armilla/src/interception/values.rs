//! What interceptors are told of the values of a call (CORBA 3.4 Part 1, 16.3.12): they are read
//! where somebody asks for them, from the octets of the request and the reply, by what IDL or the
//! program says of the operation.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::interception::Outcome;
use crate::interception::out_of_order;
use crate::signature::{NamedValue, Signature, is_exception};
use crate::wire::CODE_SETS_HERE as CODE_SETS;
use armilla_cdr::{Any, CdrResult, Decoder, Encode, Encoder, OwnedInput, TypeCode};

/// Reads from a decoder that stands where values begin.
pub(crate) type Read<'r> = &'r mut dyn FnMut(&mut Decoder<'_>) -> CdrResult;

/// A call whose values can be read.
pub(crate) trait Values {
    /// What is known of the operation.
    fn signature(&self) -> Option<Signature>;

    /// Whether the exceptions and contexts of the operation are known, not its parameters alone.
    fn is_declared(&self) -> bool {
        true
    }

    /// Reads the arguments that were sent.
    fn read_arguments(&self, read: Read<'_>) -> Result<(), SystemException>;

    /// Reads the results, or the user exception.
    fn read_reply(&self, read: Read<'_>) -> Result<(), SystemException>;
}

/// `NO_RESOURCES` where a call has no values to show (CORBA 3.4 Part 1, 16.3.12).
#[cold]
pub(crate) fn no_resources(what: &str) -> SystemException {
    SystemException::new(
        ExceptionKind::NoResources,
        Minor::NO_RESOURCES_NOT_SUPPORTED_BY_BINDING,
        Completion::No,
    )
    .with_reason(what)
}

#[cold]
fn unreadable(exception: &SystemException) -> SystemException {
    no_resources(&format!("the values of the call cannot be read by their types: {exception}"))
}

impl<'v> dyn Values + 'v {
    /// What is known of the operation, if values are to be shown at all.
    fn described(values: Option<&Self>) -> Result<(&Self, Signature), SystemException> {
        let found = values.and_then(|values| Some((values, values.signature()?)));
        found.ok_or_else(|| {
            no_resources("no IDL tells of the operation, or no interceptor reads_values")
        })
    }

    /// What is known of an operation whose exceptions and contexts are.
    fn declared(values: Option<&Self>) -> Result<(&Self, Signature), SystemException> {
        match Self::described(values)? {
            (values, _) if !values.is_declared() => {
                Err(no_resources("a dynamic servant tells of its arguments alone"))
            }
            declared => Ok(declared),
        }
    }

    /// The arguments, those that come back too if the call has `replied`.
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

    /// What was sent for the `context` clause, name and value in turn.
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

    /// The exception that `outcome` is. One whose TypeCode is not known is `UNKNOWN`, with the minor
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

/// Reads those that were sent, or those that come back.
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

/// A call that is served.
pub(crate) struct Served {
    pub(crate) signature: Signature,
    /// Whether IDL tells of the operation, and not the servant.
    pub(crate) is_declared: bool,
    pub(crate) arguments: OwnedInput,
    /// The results, or the user exception, once there are any.
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

/// What `write` writes, for who reads it within the process.
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

/// A system exception as a value: its minor code, and how far the operation had come.
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
    // `IDL:omg.org/CORBA/UNKNOWN:1.0`: the name is what stands behind the last of the scopes.
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
