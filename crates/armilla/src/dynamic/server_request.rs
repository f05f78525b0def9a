//! The request that a dynamic servant gets: `ServerRequest` (CORBA 3.4 Part 1, 11.3.1).

use super::{Context, Response, UnknownUserException};
use crate::client::interception::Interruption;
use crate::exception::{Completion, Error, ExceptionKind, Minor, SystemException, decode_members};
use crate::server::{Dispatched, ResponseHandler, ServerCall};
use crate::signature::write;
use crate::signature::{NamedValue, ParameterMode};
use armilla_cdr::{Any, CdrErrorKind, CdrResult, Decoder, Encoder, TypeCode};
use std::fmt;

/// A request that a [`DynamicServant`](super::DynamicServant) serves.
///
/// The servant calls the methods in this order, each once: [`arguments`](Self::arguments), then
/// [`context`](Self::context) if the operation has a `context` clause, then
/// [`set_result`](Self::set_result). It may call [`set_exception`](Self::set_exception) at any
/// time. A call out of order fails with `BAD_INV_ORDER`, which the servant must return.
pub struct ServerRequest<'r, 'a> {
    call: &'r mut ServerCall<'a>,
    /// `None` until the servant has read them.
    arguments: Option<Vec<NamedValue>>,
    /// The number of octets after the arguments.
    unread: usize,
    context_taken: bool,
    result: Option<Any>,
    raised: Option<Error<UnknownUserException>>,
    /// The exception or forward with which an interceptor replaces the reply.
    interrupted: Option<Interruption>,
    /// Whether a reply handle replies instead of the servant.
    left: bool,
}

impl<'r, 'a> ServerRequest<'r, 'a> {
    pub(super) fn new(call: &'r mut ServerCall<'a>) -> Self {
        let (arguments, result, raised, interrupted) = (None, None, None, None);
        let (unread, context_taken, left) = (0, false, false);
        Self { call, arguments, unread, context_taken, result, raised, interrupted, left }
    }

    /// The name of the operation; that of an attribute is `_get_NAME` or `_set_NAME`.
    pub fn operation(&self) -> &str {
        self.call.operation().as_str()
    }

    /// Whether the client expects a reply. For a oneway operation it usually does not, and the ORB
    /// discards the result.
    pub fn response_expected(&self) -> bool {
        self.call.response_expected()
    }

    /// Reads the arguments, whose directions and types the servant passes, and returns all of them.
    /// `out` arguments have no value yet. A servant must call it once, even for an operation
    /// without arguments, unless it raises an exception: the call makes the request visible to
    /// server interceptors
    /// ([`receive_request`](crate::server::interception::ServerInterceptor::receive_request)).
    ///
    /// # Errors
    /// `MARSHAL` when the request does not carry such arguments; the exception of an interceptor;
    /// `BAD_INV_ORDER` (minor code 7) when it was called before, or after
    /// [`set_exception`](Self::set_exception). The servant must return the error.
    pub fn arguments(
        &mut self,
        parameters: impl IntoIterator<Item = (ParameterMode, TypeCode)>,
    ) -> Result<&[NamedValue], SystemException> {
        if self.arguments.is_some() || self.raised.is_some() {
            return Err(out_of_order(Minor::BAD_INV_ORDER_ARGUMENTS_OUT_OF_ORDER, "arguments"));
        }
        let mut input = self.call.arguments();
        let read = |(mode, type_code)| {
            let mut argument = NamedValue::new("", mode, type_code);
            if argument.is_sent() {
                argument.read(&mut input)?;
            }
            Ok(argument)
        };
        let arguments: CdrResult<Vec<_>> = parameters.into_iter().map(read).collect();
        let arguments =
            arguments.map_err(|error| SystemException::decoding(&error, Completion::No))?;
        self.unread = input.remaining();
        let told = self.call.describe_arguments(|| {
            let described =
                |each: &NamedValue| NamedValue::new("", each.mode(), each.type_code().clone());
            arguments.iter().map(described).collect()
        });
        told.map_err(|interruption| self.interrupted_by(interruption))?;
        Ok(self.arguments.insert(arguments))
    }

    /// Stores the interruption by an interceptor, and returns the error for the servant.
    fn interrupted_by(&mut self, interruption: Interruption) -> SystemException {
        let told = match &interruption {
            Interruption::Exception(exception) => exception.clone(),
            Interruption::Forward(_) => {
                let (kind, minor) = (ExceptionKind::Transient, Minor::default());
                SystemException::new(kind, minor, Completion::No)
                    .with_reason("an interceptor sends the client elsewhere")
            }
        };
        self.interrupted = Some(interruption);
        told
    }

    /// The properties that the caller sent for the `context` clause of the operation: `ctx`. The
    /// context is empty if the request carries none.
    ///
    /// # Errors
    /// `MARSHAL` when other data follows the arguments; `BAD_INV_ORDER` (minor code 8) before
    /// [`arguments`](Self::arguments), and after `context`, [`set_result`](Self::set_result) and
    /// [`set_exception`](Self::set_exception). The servant must return the error.
    #[doc(alias = "ctx")]
    pub fn context(&mut self) -> Result<Context, SystemException> {
        let over = self.context_taken || self.result.is_some() || self.raised.is_some();
        if self.arguments.is_none() || over || self.left {
            return Err(out_of_order(Minor::BAD_INV_ORDER_CONTEXT_OUT_OF_ORDER, "context"));
        }
        self.context_taken = true;
        if self.unread == 0 {
            return Ok(Context::new());
        }
        let context = self.read_behind(Context::read);
        context.map_err(|error| SystemException::decoding(&error, Completion::No))
    }

    /// Reads the data after the arguments, to the last octet.
    fn read_behind<T>(&self, read: impl FnOnce(&mut Decoder<'_>) -> CdrResult<T>) -> CdrResult<T> {
        let mut input = self.call.arguments();
        let mut sent = self.arguments.iter().flatten().filter(|argument| argument.is_sent());
        sent.try_for_each(|argument| {
            Any::read(argument.type_code().clone(), &mut input).map(drop)
        })?;
        let value = read(&mut input)?;
        match input.remaining() {
            0 => Ok(value),
            _ => Err(input.error(CdrErrorKind::Invalid("more than a context came"))),
        }
    }

    /// Sets the value that the argument `index` has in the reply.
    ///
    /// # Panics
    /// When there is no argument `index`.
    pub fn set_argument(&mut self, index: usize, value: Any) {
        let arguments = self.arguments.as_deref_mut().unwrap_or_default();
        arguments[index].set_value(value);
    }

    /// Sets the result. An operation without a result does not need it; an any of the type `void`
    /// has the same effect.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (minor code 9) before [`arguments`](Self::arguments), and after `set_result`
    /// and [`set_exception`](Self::set_exception). `MARSHAL` when the request has data that the
    /// servant did not read: minor code 2 for a [`context`](Self::context), 3 for arguments. The
    /// servant must return the error.
    pub fn set_result(&mut self, result: Any) -> Result<(), SystemException> {
        let over = self.result.is_some() || self.raised.is_some() || self.left;
        if self.arguments.is_none() || over {
            return Err(out_of_order(Minor::BAD_INV_ORDER_RESULT_OUT_OF_ORDER, "set_result"));
        }
        match self.left_unread() {
            Some(minor) => Err(undescribed(minor)),
            None => {
                self.result = Some(result);
                Ok(())
            }
        }
    }

    /// The minor code of `MARSHAL` for data that the servant did not read.
    fn left_unread(&self) -> Option<Minor> {
        if self.unread == 0 || self.context_taken {
            return None;
        }
        Some(match self.read_behind(Context::read) {
            Ok(_) => Minor::MARSHAL_CONTEXT_NOT_REQUESTED,
            Err(_) => Minor::MARSHAL_ARGUMENTS_NOT_DESCRIBED,
        })
    }

    /// Raises a user exception, or a system exception, instead of a result. The last call counts.
    /// An exception that the operation does not declare becomes `UNKNOWN` (minor code 1) at the
    /// caller.
    ///
    /// # Errors
    /// `BAD_PARAM` (minor code 21) when the any does not hold an exception.
    pub fn set_exception(&mut self, exception: Any) -> Result<(), SystemException> {
        let TypeCode::Exception(code) = exception.type_code().resolved() else {
            let what = "what is raised must be of an exception's type";
            let minor = Minor::BAD_PARAM_NOT_AN_EXCEPTION;
            let raised = SystemException::new(ExceptionKind::BadParam, minor, Completion::Yes);
            return Err(raised.with_reason(what));
        };
        let kind = ExceptionKind::from_repository_id(&code.id);
        self.raised = Some(match kind.repository_id() == code.id {
            true => Error::System(system_exception(kind, &exception)?),
            false => Error::User(UnknownUserException { exception }),
        });
        Ok(())
    }

    /// Returns a handle with which any thread may reply at any time. The program completes the
    /// handle with the result and all arguments that [`arguments`](Self::arguments) returned, after
    /// it has set the values of the `out` and `inout` ones. The ORB ignores the result of
    /// [`invoke`] then.
    ///
    /// ```
    /// # use armilla::dynamic::{ParameterMode, Response, ServerRequest};
    /// # use armilla::{Any, SystemException, TypeCode};
    /// fn double(request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
    ///     let arguments = request.arguments([(ParameterMode::In, TypeCode::Long)])?.to_vec();
    ///     let reply = request.response_handler()?;
    ///     std::thread::spawn(move || {
    ///         let number = arguments[0].value().and_then(|any| any.get::<i32>().ok()?);
    ///         let result = Any::new(&(2 * number.unwrap_or_default()));
    ///         reply.complete(match result {
    ///             Ok(result) => Ok(Response { result, arguments }),
    ///             Err(error) => Err(SystemException::from(error).into()),
    ///         });
    ///     });
    ///     Ok(())
    /// }
    /// ```
    ///
    /// [`invoke`]: super::DynamicServant::invoke
    ///
    /// # Errors
    /// Those of [`set_result`](Self::set_result), whose place it takes. The servant must return the
    /// error.
    pub fn response_handler(
        &mut self,
    ) -> Result<ResponseHandler<Response, Error<UnknownUserException>>, SystemException> {
        self.set_result(Any::default())?;
        self.left = true;
        Ok(self.call.response_handler_described(
            |response, out| write_results(&response.result, &response.arguments, out),
            |flow, outcome| match outcome {
                Ok(response) => flow.describe_result(response.result.type_code()),
                Err(Error::User(raised)) => flow.describe_exception(raised.exception.type_code()),
                Err(Error::System(_)) => {}
            },
        ))
    }

    /// Replies with the result or exception that the servant has set, or the error in `outcome`.
    pub(super) fn finish(self, outcome: Result<(), SystemException>) -> Dispatched {
        let undescribed_arguments = Minor::MARSHAL_ARGUMENTS_NOT_DESCRIBED;
        let is_unread =
            self.arguments.is_none() || self.left_unread() == Some(undescribed_arguments);
        let Self { call, arguments, result, raised, interrupted, left, .. } = self;
        if left {
            return Ok(());
        }
        if let Some(interruption) = interrupted {
            return call.interrupt(interruption);
        }
        let outcome = match (outcome, raised) {
            (Err(exception), _) => Err(exception.into()),
            (Ok(()), Some(raised)) => Err(raised),
            (Ok(()), None) if is_unread => Err(undescribed(undescribed_arguments).into()),
            (Ok(()), None) => Ok((result.unwrap_or_default(), arguments.unwrap_or_default())),
        };
        match &outcome {
            Ok((result, _)) => call.describe_result(result.type_code()),
            Err(Error::User(raised)) => call.describe_exception(raised.exception.type_code()),
            Err(Error::System(_)) => {}
        }
        call.reply(outcome, |(result, arguments), out| write_results(result, arguments, out))
    }
}

impl fmt::Debug for ServerRequest<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerRequest").field("operation", &self.operation()).finish()
    }
}

fn write_results<'p>(
    result: &'p Any,
    arguments: &'p [NamedValue],
    out: &mut Encoder<'p>,
) -> CdrResult {
    if !matches!(result.type_code(), TypeCode::Null | TypeCode::Void) {
        result.write_borrowed(out)?;
    }
    let mut returned = arguments.iter().filter(|argument| argument.is_returned());
    returned.try_for_each(|argument| write(argument.value(), argument.type_code(), out))
}

/// The system exception that an any holds.
fn system_exception(kind: ExceptionKind, any: &Any) -> CdrResult<SystemException> {
    let mut input = any.decoder();
    if input.next_string_is(kind.repository_id()) {
        input.string()?;
    }
    decode_members(kind, &mut input)
}

/// `BAD_INV_ORDER`: the servant called a method out of order.
fn out_of_order(minor: Minor, what: &str) -> SystemException {
    let kind = ExceptionKind::BadInvOrder;
    let what = format!("the dynamic servant called {what} out of order");
    SystemException::new(kind, minor, Completion::Maybe).with_reason(what)
}

/// `MARSHAL`: the servant did not read all data of the request.
fn undescribed(minor: Minor) -> SystemException {
    let what = match minor {
        Minor::MARSHAL_CONTEXT_NOT_REQUESTED => {
            "the dynamic servant did not ask for the context that the caller sent"
        }
        _ => "the dynamic servant did not ask for all arguments that the caller sent",
    };
    SystemException::new(ExceptionKind::Marshal, minor, Completion::Maybe).with_reason(what)
}
