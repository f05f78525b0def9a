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

/// A call that is put together while the program runs. It can be made any number of times, with the
/// same arguments or with others, and as the object reference says: with its policies, its timeout,
/// its [`ConnectionPolicy`](crate::ConnectionPolicy) and its [`SyncScope`](crate::SyncScope). Threads that make the same call
/// at the same time have clones of it.
///
/// A request that was sent is no more than it was before: what comes back is in what its call
/// returned, so nothing can be asked for too early, or twice.
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
    /// Whether no server knows the operation, because references answer it themselves.
    is_of_references: bool,
}

/// What comes back of a call that nobody waits for, or that a servant [answers
/// later](super::ServerRequest::response_handler).
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The result; an empty any where the operation has none.
    pub result: Any,
    /// All arguments; those that are returned have the values that come back.
    pub arguments: Vec<NamedValue>,
}

/// The operations of `Object` that never travel (CORBA 3.4 Part 1, 10.2.1). Not among them are those
/// that are spelled like the attributes of an interface.
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
    /// A call of the operation with this name, which is as IDL spells it; that of an attribute is
    /// `_get_NAME` or `_set_NAME`. Of the operations that every object has, those that travel can be
    /// called so (`_is_a`, `_non_existent`, `_interface`, `_component`, `_repository_id`); others
    /// (`_hash`, `_is_equivalent` …) fail with `BAD_PARAM`, reason 32.
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

    /// Adds an argument; they are sent in the order in which they are added.
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

    /// Says of which type the result is; `void` when nothing is said.
    pub fn set_return_type(&mut self, type_code: TypeCode) -> &mut Self {
        self.result = NamedValue::new("", ParameterMode::Out, type_code);
        self
    }

    /// Says that the operation raises this exception. What it raises beside those that the request
    /// was told of becomes `UNKNOWN`.
    pub fn add_exception(&mut self, type_code: TypeCode) -> &mut Self {
        self.exceptions.push(type_code);
        self
    }

    /// Gives the operation, which has a `context` clause with these names, the properties that
    /// `context` has by them whenever the call is made. One that it does not have is not sent.
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
    /// `BAD_PARAM` with reason 36 when IDL has no such names.
    pub fn set_context<'s>(
        &mut self,
        context: &Context,
        clause: impl IntoIterator<Item = &'s str>,
    ) -> Result<&mut Self, SystemException> {
        self.context = Some(Clause::new(context, clause)?);
        Ok(self)
    }

    /// The arguments; those that are returned have the value of the last call.
    pub fn arguments(&self) -> &[NamedValue] {
        &self.arguments
    }

    /// Gives the argument `index` another value for later calls.
    ///
    /// # Panics
    /// When there are not so many arguments.
    pub fn set_argument(&mut self, index: usize, value: Any) -> &mut Self {
        self.arguments[index].set_value(value);
        self
    }

    /// The result of the last call; an empty any before the first, and where the operation has none.
    pub fn return_value(&self) -> &Any {
        static NOTHING: std::sync::LazyLock<Any> = std::sync::LazyLock::new(Any::default);
        self.result.value().unwrap_or(&NOTHING)
    }

    /// Makes the call and waits for what comes back.
    ///
    /// # Errors
    /// One of the exceptions that the request was told of, or any system exception: `BAD_PARAM` when
    /// an argument has no value, or one of another type.
    pub fn invoke(&mut self) -> Result<(), Error<UnknownUserException>> {
        self.check()?;
        let signature = self.signature();
        let Self { object, operation, key, arguments, result, exceptions, context, .. } = self;
        let mut raised = None;
        // Arguments that come back are kept apart until all of them have come.
        let mut returned = Vec::new();
        let sent = &*arguments;
        let mut finish = |status, input: &mut Decoder<'_>| -> CdrResult {
            if status == ReplyStatus::NoException {
                returned = read_results(result, sent, input)?;
            } else {
                raised = Some(user_exception(exceptions, input)?);
            }
            Ok(())
        };
        let (operation, response) = (Operation::dynamic(operation, key), ResponseFlags::Target);
        let write = |out: &mut _| write_arguments(sent, context.as_ref(), out);
        let signature = signature.as_ref();
        let request = client::Request { operation, response, arguments: &write, signature };
        client::call(object, request, &mut finish)?;
        give_back(arguments, returned);
        raised.map_or(Ok(()), Err)
    }

    /// # Errors
    /// `BAD_PARAM` for what no server knows, and for arguments that cannot be sent.
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

    /// What interceptors are told of the operation, if there are any.
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

    /// Makes the call without waiting for what comes back: `send_deferred`. The future is
    /// `poll_response` and `get_response`; dropping it cancels the call. Any number of calls may be
    /// under way, also of the same request, which may change or go meanwhile. What
    /// `send_multiple_requests` and `get_next_response` do a [`PollableSet`](crate::PollableSet) does
    /// with the futures.
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

    /// Sends the call as a oneway: `send_oneway`. No result comes back, and it returns when the
    /// [`SyncScope`](crate::SyncScope) of the reference says so: mostly when the request was handed to
    /// the operating system.
    ///
    /// # Errors
    /// When the request could not be sent; where the scope waits for the server, what it failed with
    /// there.
    pub fn send_oneway(&self) -> Result<(), SystemException> {
        self.check()?;
        let operation = Operation::dynamic(&self.operation, &self.key);
        let response = client::oneway_response(&self.object)?;
        let write = |out: &mut _| write_arguments(&self.arguments, self.context.as_ref(), out);
        let signature = self.signature();
        let signature = signature.as_ref();
        let request = client::Request { operation, response, arguments: &write, signature };
        client::call(&self.object, request, &mut |_, _| Ok(()))
    }
}

/// Gives the arguments that come back their values.
fn give_back(arguments: &mut [NamedValue], returned: Vec<Any>) {
    let places = arguments.iter_mut().filter(|argument| argument.is_returned());
    places.zip(returned).for_each(|(argument, value)| argument.set_value(value));
}

/// Writes arguments, which were checked before.
fn write_arguments<'p>(
    arguments: &'p [NamedValue],
    context: Option<&Clause>,
    out: &mut Encoder<'p>,
) -> CdrResult {
    let sent = arguments.iter().filter(|argument| argument.is_sent());
    sent.filter_map(NamedValue::value).try_for_each(|value| value.write_borrowed(out))?;
    context.map_or(Ok(()), |clause| clause.write(out))
}

/// Reads the result and gives the arguments that came back.
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

#[cold]
fn of_references(operation: &str) -> SystemException {
    let what =
        format!("{operation} is answered by the reference, and no object can be asked for it");
    SystemException::bad_param(Minor::BAD_PARAM_IMPLICIT_OPERATION, what)
}

#[cold]
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
