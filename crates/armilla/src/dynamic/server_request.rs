//! A request as a dynamic servant sees it (CORBA 3.4 Part 1, 11.3.1).

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
/// It is asked in one order: [`arguments`](Self::arguments), then the [`context`](Self::context) of an
/// operation that has one, then [`set_result`](Self::set_result), each once;
/// [`set_exception`](Self::set_exception) at any time. What breaks the order fails with
/// `BAD_INV_ORDER`, which the servant returns.
pub struct ServerRequest<'r, 'a> {
    call: &'r mut ServerCall<'a>,
    /// `None` before the servant has asked for them.
    arguments: Option<Vec<NamedValue>>,
    /// How many octets stand behind them.
    unread: usize,
    context_taken: bool,
    result: Option<Any>,
    raised: Option<Error<UnknownUserException>>,
    /// What an interceptor wants in place of the answer.
    interrupted: Option<Interruption>,
    /// Whether somebody else has the right to reply.
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

    /// Whether the client waits for a reply; it does not, mostly, for a oneway operation, and what the
    /// servant leaves goes nowhere.
    pub fn response_expected(&self) -> bool {
        self.call.response_expected()
    }

    /// Reads the arguments, which are of these types and go these ways, and gives all of them; those
    /// that are only returned have no value yet. A servant calls it once, also where there are none,
    /// unless it raises an exception: server interceptors see the request
    /// ([`receive_request`](crate::server::interception::ServerInterceptor::receive_request)) when it does.
    ///
    /// # Errors
    /// `MARSHAL` when the request does not carry such arguments, or what an interceptor ends it with;
    /// `BAD_INV_ORDER` with reason 7 when it was called before, or after
    /// [`set_exception`](Self::set_exception). Return that.
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

    /// Keeps what an interceptor wants; gives what the servant is told.
    #[cold]
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

    /// The properties that the caller sent for the `context` clause of the operation: `ctx`. They are
    /// in a context of their own, which is empty where the request carries none.
    ///
    /// # Errors
    /// `MARSHAL` when something else stands behind the arguments; `BAD_INV_ORDER` with reason 8 before
    /// [`arguments`](Self::arguments), and after `context`, [`set_result`](Self::set_result) and
    /// [`set_exception`](Self::set_exception). Return that.
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

    /// Reads what stands behind the arguments, to the last octet.
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

    /// Sets what the argument `index` comes back as.
    ///
    /// # Panics
    /// When there is no such argument.
    pub fn set_argument(&mut self, index: usize, value: Any) {
        let arguments = self.arguments.as_deref_mut().unwrap_or_default();
        arguments[index].set_value(value);
    }

    /// Sets the result. An operation without one needs no call of it; an any of the type `void` is
    /// the same.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` with reason 9 before [`arguments`](Self::arguments), and after `set_result`
    /// and [`set_exception`](Self::set_exception); `MARSHAL` with reason 3 when the caller sent more
    /// than the arguments that the servant asked for, and with reason 2 when that is a
    /// [`context`](Self::context). Return that.
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

    /// Why, in the specification's list for `MARSHAL`, the servant cannot have understood the request.
    fn left_unread(&self) -> Option<Minor> {
        if self.unread == 0 || self.context_taken {
            return None;
        }
        Some(match self.read_behind(Context::read) {
            Ok(_) => Minor::MARSHAL_CONTEXT_NOT_REQUESTED,
            Err(_) => Minor::MARSHAL_ARGUMENTS_NOT_DESCRIBED,
        })
    }

    /// Raises an exception instead of giving a result: a user exception, or a system exception, which
    /// the servant might as well return. The last one counts.
    ///
    /// # Errors
    /// `BAD_PARAM` with reason 21 when the any does not hold an exception. One that the operation does
    /// not declare becomes `UNKNOWN` with reason 1 at the caller.
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

    /// Leaves the reply to whoever has the handle that this gives, at any time and in any thread. It is
    /// completed with the result and all arguments as [`arguments`](Self::arguments) gave them, those
    /// that come back with the values that they shall have. What [`invoke`] returns after this goes
    /// nowhere.
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
    /// As [`set_result`](Self::set_result), in whose place it stands. Return that.
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

    /// Answers with what the servant has left, or raised by `outcome`.
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
#[cold]
fn system_exception(kind: ExceptionKind, any: &Any) -> CdrResult<SystemException> {
    let mut input = any.decoder();
    if input.next_string_is(kind.repository_id()) {
        input.string()?;
    }
    decode_members(kind, &mut input)
}

/// `BAD_INV_ORDER`: the servant asks for something at the wrong time.
#[cold]
fn out_of_order(minor: Minor, what: &str) -> SystemException {
    let kind = ExceptionKind::BadInvOrder;
    let what = format!("the dynamic servant called {what} at a time when it cannot");
    SystemException::new(kind, minor, Completion::Maybe).with_reason(what)
}

/// `MARSHAL`: the servant has not taken all that was sent.
#[cold]
fn undescribed(minor: Minor) -> SystemException {
    let what = match minor {
        Minor::MARSHAL_CONTEXT_NOT_REQUESTED => {
            "the dynamic servant did not ask for the context that the caller sent"
        }
        _ => "the dynamic servant did not ask for all arguments that the caller sent",
    };
    SystemException::new(ExceptionKind::Marshal, minor, Completion::Maybe).with_reason(what)
}
