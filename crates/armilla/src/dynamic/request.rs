//! Dynamic invocation: calls by the name of the operation (CORBA 3.4 Part 1, 10.2).

use super::UnknownUserException;
use super::context::{Clause, Context};
use super::exception::undeclared;
use crate::client::Object;
use crate::client::{self, Operation, OperationKey, OwnedOperation, ReplyFuture};
use crate::exception::{Error, Minor, SystemException};
use crate::signature::is_exception;
use crate::signature::{NamedValue, ParameterMode, Signature};
use armilla_cdr::{Any, CdrResult, Decoder, Encoder, TypeCode};
use armilla_giop::{ReplyStatus, ResponseFlags};

/// A call that the program builds at run time. It can be made any number of times, with the same or
/// other arguments, with the policies, the timeout, the
/// [`ConnectionPolicy`](crate::ConnectionPolicy) and the [`SyncScope`](crate::SyncScope) of the
/// reference. Threads that make the same call concurrently use clones.
///
/// A deferred request does not change by being sent. Its reply is in the future that the call
/// returns.
///
/// ```no_run
/// use armilla::{Any, Error, Object, TypeCode};
///
/// # fn example(account: Object, funds: TypeCode) -> Result<(), Box<dyn std::error::Error>> {
/// let mut withdraw = account.request("withdraw");
/// withdraw.add_in("amount", Any::new(&500.0)?).add_exception(funds);
/// match withdraw.invoke() {
///     Err(Error::User(raised)) => println!("{raised}"),
///     other => other?,
/// }
/// withdraw.set_argument(0, Any::new(&5.0)?);
/// withdraw.invoke()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Request {
    object: Object,
    operation: String,
    key: OperationKey,
    arguments: Vec<NamedValue>,
    result: NamedValue,
    exceptions: Vec<TypeCode>,
    context: Option<Clause>,
    /// Whether references implement the operation, so that no server knows it.
    is_of_references: bool,
}

/// The reply of a deferred call, or of a servant that [replies
/// later](super::ServerRequest::response_handler).
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The result; an empty any if the operation has none.
    pub result: Any,
    /// All arguments. The `out` and `inout` ones have the values of the reply.
    pub arguments: Vec<NamedValue>,
}

/// The operations of `Object` that are never sent (CORBA 3.4 Part 1, 10.2.1). Operations with a
/// name like that of an attribute (`_get_…`) are excluded, because an interface may declare them.
const OF_REFERENCES: [&str; 8] = [
    "_create_request",
    "_duplicate",
    "_hash",
    "_is_equivalent",
    "_is_nil",
    "_release",
    "_set_policy_overrides",
    "_validate_connection",
];

impl Object {
    /// Creates a request for the operation with this name, as IDL spells it. The operations of an
    /// attribute are `_get_NAME` and `_set_NAME`.
    ///
    /// Of the operations that every object has, a request can call those that are sent to the
    /// server (`_is_a`, `_non_existent`, `_interface`, `_component`, `_repository_id`). For the
    /// others (`_hash`, `_is_equivalent` …) the call fails with `BAD_PARAM` (minor code 32).
    #[doc(alias = "create_request")]
    #[doc(alias = "_request")]
    pub fn request(&self, operation: impl Into<String>) -> Request {
        let operation = operation.into();
        Request {
            object: self.clone(),
            is_of_references: OF_REFERENCES.contains(&&*operation),
            operation,
            key: OperationKey::new(),
            arguments: Vec::new(),
            result: NamedValue::new("", ParameterMode::Out, TypeCode::Void),
            exceptions: Vec::new(),
            context: None,
        }
    }
}

impl Request {
    /// The object that is called.
    pub const fn target(&self) -> &Object {
        &self.object
    }

    /// The name of the operation.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// Adds an argument. The order of the calls is the order of the arguments.
    #[doc(alias = "add_arg")]
    pub fn add(&mut self, argument: NamedValue) -> &mut Self {
        self.arguments.push(argument);
        self
    }

    /// Adds an `in` argument.
    pub fn add_in(&mut self, name: impl Into<String>, value: Any) -> &mut Self {
        self.add(NamedValue::with_value(name, ParameterMode::In, value))
    }

    /// Adds an `inout` argument.
    pub fn add_inout(&mut self, name: impl Into<String>, value: Any) -> &mut Self {
        self.add(NamedValue::with_value(name, ParameterMode::InOut, value))
    }

    /// Adds an `out` argument.
    pub fn add_out(&mut self, name: impl Into<String>, type_code: TypeCode) -> &mut Self {
        self.add(NamedValue::new(name, ParameterMode::Out, type_code))
    }

    /// Sets the type of the result. Default: `void`.
    pub fn set_return_type(&mut self, type_code: TypeCode) -> &mut Self {
        self.result = NamedValue::new("", ParameterMode::Out, type_code);
        self
    }

    /// Adds an exception that the operation may raise. An exception that was not added becomes
    /// `UNKNOWN`.
    pub fn add_exception(&mut self, type_code: TypeCode) -> &mut Self {
        self.exceptions.push(type_code);
        self
    }

    /// Sets the context of an operation whose `context` clause has these names. Each call sends the
    /// properties of `context` with these names that exist at that time.
    ///
    /// ```
    /// # fn example(mut request: armilla::dynamic::Request, orb: armilla::Orb)
    /// # -> Result<(), armilla::SystemException> {
    /// let context = orb.default_context();
    /// context.set_values([("sys.host", "alpha"), ("user", "ann"), ("shell", "zsh")])?;
    /// request.set_context(context, ["user", "sys.*"])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `BAD_PARAM` (minor code 36) for a name that is not valid in a `context` clause.
    pub fn set_context<'s>(
        &mut self,
        context: &Context,
        clause: impl IntoIterator<Item = &'s str>,
    ) -> Result<&mut Self, SystemException> {
        self.context = Some(Clause::new(context, clause)?);
        Ok(self)
    }

    /// The arguments. The `out` and `inout` ones have the values of the last call.
    pub fn arguments(&self) -> &[NamedValue] {
        &self.arguments
    }

    /// Sets the value of the argument `index` for later calls.
    ///
    /// # Panics
    /// When there is no argument `index`.
    pub fn set_argument(&mut self, index: usize, value: Any) -> &mut Self {
        self.arguments[index].set_value(value);
        self
    }

    /// The result of the last call. An empty any before the first call, and for an operation
    /// without a result.
    pub fn return_value(&self) -> &Any {
        static NOTHING: std::sync::LazyLock<Any> = std::sync::LazyLock::new(Any::default);
        self.result.value().unwrap_or(&NOTHING)
    }

    /// Makes the call and waits for the reply.
    ///
    /// # Errors
    /// One of the exceptions that were added, or any system exception; `BAD_PARAM` when an argument
    /// has no value or a value of another type.
    pub fn invoke(&mut self) -> Result<(), Error<UnknownUserException>> {
        self.check()?;
        let signature = self.signature();
        let Self { object, operation, key, arguments, result, exceptions, context, .. } = self;
        let sent = &*arguments;
        let (operation, response) = (Operation::dynamic(operation, key), ResponseFlags::Target);
        let write = |out: &mut _| write_arguments(sent, context.as_ref(), out);
        let signature = signature.as_ref();
        let request = client::Request { operation, response, arguments: &write, signature };
        let reply = client::call(object, request)?.ok_or_else(client::no_reply)?;
        // The returned values are kept apart until all have been decoded.
        let returned = reply.decode(operation, |status, body| match status {
            ReplyStatus::NoException => read_results(result, sent, body).map(Ok),
            _ => user_exception(exceptions, body).map(Err),
        })??;
        give_back(arguments, returned);
        Ok(())
    }

    /// # Errors
    /// `BAD_PARAM` for an operation that is never sent, and for arguments that cannot be sent.
    fn check(&self) -> Result<(), SystemException> {
        if self.is_of_references {
            return Err(of_references(&self.operation));
        }
        let mut sent = self.arguments.iter().filter(|argument| argument.is_sent());
        match sent.find_map(NamedValue::fault) {
            Some(fault) => Err(SystemException::bad_param(Minor::ENCODING_FAILED, fault)),
            None => Ok(()),
        }
    }

    /// The signature for interceptors; `None` if the ORB has none.
    fn signature(&self) -> Option<Signature> {
        self.object.reference().ok()?.orb.interceptors()?;
        let parameters = self.arguments.iter().map(|argument| {
            NamedValue::new(argument.name(), argument.mode(), argument.type_code().clone())
        });
        Some(Signature {
            parameters: parameters.collect(),
            result: self.result.type_code().clone(),
            exceptions: self.exceptions.clone(),
            contexts: self.context.as_ref().map(Clause::names).unwrap_or_default(),
        })
    }

    /// Makes the call without waiting for the reply: `send_deferred`. The future takes the place of
    /// `poll_response` and `get_response`; dropping it cancels the call. Several calls may be in
    /// progress at the same time, also of the same request, which may be changed or dropped
    /// meanwhile. For `send_multiple_requests` and `get_next_response`, put the futures into a
    /// [`PollableSet`](crate::PollableSet).
    ///
    /// ```no_run
    /// # fn example(mut one: armilla::dynamic::Request, mut other: armilla::dynamic::Request)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// let replies = [one.send_deferred(), other.send_deferred()];
    /// for reply in replies {
    ///     println!("{:?}", reply.wait()?.result);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn send_deferred(&self) -> ReplyFuture<Response, Error<UnknownUserException>> {
        if let Err(refused) = self.check() {
            return ReplyFuture::ready(Err(refused.into()));
        }
        let (mut result, mut arguments) = (self.result.clone(), self.arguments.clone());
        let exceptions = self.exceptions.clone();
        let operation = OwnedOperation::dynamic(&self.operation, &self.key, self.signature());
        let finish = move |status, input: &mut Decoder<'_>| {
            if status != ReplyStatus::NoException {
                return user_exception(&exceptions, input).map(Err);
            }
            let returned = read_results(&mut result, &arguments, input)?;
            give_back(&mut arguments, returned);
            Ok(Ok(Response { result: result.value().cloned().unwrap_or_default(), arguments }))
        };
        let write = |out: &mut _| write_arguments(&self.arguments, self.context.as_ref(), out);
        client::begin(&self.object, operation, &write, Box::new(finish))
    }

    /// Makes a oneway call: `send_oneway`. The [`SyncScope`](crate::SyncScope) of the reference
    /// determines when it returns; by default when the operating system has accepted the request.
    ///
    /// ```no_run
    /// # fn example(log: armilla::Object) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut entry = log.request("append");
    /// entry.add_in("line", armilla::Any::new("started")?);
    /// entry.send_oneway()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Any system exception when the request cannot be sent; the exception of the server if the
    /// scope waits for it.
    pub fn send_oneway(&self) -> Result<(), SystemException> {
        self.check()?;
        let operation = Operation::dynamic(&self.operation, &self.key);
        let response = client::oneway_response(&self.object)?;
        let write = |out: &mut _| write_arguments(&self.arguments, self.context.as_ref(), out);
        let signature = self.signature();
        let signature = signature.as_ref();
        let request = client::Request { operation, response, arguments: &write, signature };
        client::call(&self.object, request).map(drop)
    }
}

/// Sets the values of the `out` and `inout` arguments.
fn give_back(arguments: &mut [NamedValue], returned: Vec<Any>) {
    let places = arguments.iter_mut().filter(|argument| argument.is_returned());
    places.zip(returned).for_each(|(argument, value)| argument.set_value(value));
}

/// Writes the arguments, which `check` has checked.
fn write_arguments<'p>(
    arguments: &'p [NamedValue],
    context: Option<&Clause>,
    out: &mut Encoder<'p>,
) -> CdrResult {
    let sent = arguments.iter().filter(|argument| argument.is_sent());
    sent.filter_map(NamedValue::value).try_for_each(|value| value.write_borrowed(out))?;
    context.map_or(Ok(()), |clause| clause.write(out))
}

/// Reads the result, and returns the values of the `out` and `inout` arguments.
fn read_results(
    result: &mut NamedValue,
    arguments: &[NamedValue],
    input: &mut Decoder<'_>,
) -> CdrResult<Vec<Any>> {
    if !matches!(result.type_code(), TypeCode::Void) {
        result.read(input)?;
    }
    let returned = arguments.iter().filter(|argument| argument.is_returned());
    returned.map(|argument| Any::read(argument.type_code().clone(), input)).collect()
}

fn of_references(operation: &str) -> SystemException {
    let what =
        format!("{operation} is answered by the reference, and no object can be asked for it");
    SystemException::bad_param(Minor::BAD_PARAM_IMPLICIT_OPERATION, what)
}

fn user_exception(
    exceptions: &[TypeCode],
    input: &mut Decoder<'_>,
) -> CdrResult<Error<UnknownUserException>> {
    let repository_id = input.clone().string()?.into_owned();
    match exceptions.iter().find(|code| is_exception(code, &repository_id)) {
        Some(code) => {
            let exception = Any::read(code.clone(), input)?;
            Ok(Error::User(UnknownUserException { exception }))
        }
        None => Ok(Error::System(undeclared(&repository_id))),
    }
}
