//! Dynamic skeletons: servants of interfaces that the program gets to know while it runs (CORBA 3.4
//! Part 1, 11.2 and 15.3.11).

use super::named_value::write;
use super::{NamedValue, ParameterMode};
use crate::exception::{Completion, ExceptionKind, Minor, ReplyError, SystemException};
use crate::interceptor::Interruption;
use crate::object::{Interface, Upcast};
use crate::server::{Dispatched, ServerCall};
use armilla_cdr::{Any, CdrResult, Encoder, TypeCode};
use std::fmt;
use std::sync::Arc;

/// A servant that is handed every operation by its name: IDL `DynamicImplementation`.
///
/// It is activated like any other, as [`serve`] makes it; its object can have any interface, and
/// may also be called by stubs. Operations that every object has (`_is_a`, `_non_existent` …) do not
/// come here.
pub trait DynamicServant: Send + Sync + 'static {
    /// The repository id of the interface that the object has.
    fn primary_interface(&self) -> &str;

    /// Whether the object has the interface with this repository id: what it inherits from too.
    fn is_a(&self, repository_id: &str) -> bool {
        repository_id == self.primary_interface()
    }

    /// Serves a request: asks it for its [`arguments`](ServerRequest::arguments), and leaves it the
    /// result or an exception.
    ///
    /// # Errors
    /// What the caller shall get in place of a result.
    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException>;
}

/// The servant in the form in which a POA takes it.
pub fn serve(servant: impl DynamicServant) -> Arc<dyn DynamicServant> {
    Arc::new(servant)
}

impl Interface for dyn DynamicServant {
    const REPOSITORY_ID: &'static str = crate::OBJECT_ID;
    const BASES: &'static [&'static str] = &[];

    fn object_type(&self) -> &str {
        self.primary_interface()
    }

    fn has_interface(&self, repository_id: &str) -> bool {
        self.is_a(repository_id)
    }

    fn dispatch(&self, call: &mut ServerCall<'_>) -> Dispatched {
        if is_implicit(call.operation().as_str()) {
            return call.unknown_operation();
        }
        let mut request = ServerRequest::new(call);
        let outcome = self.invoke(&mut request);
        let Answer { result, arguments, raised, interrupted } = request.answer;
        if let Some(interruption) = interrupted {
            return call.interrupt(interruption);
        }
        let outcome = match (outcome, raised) {
            (Err(exception), _) => Err(Raised::System(exception)),
            (Ok(()), Some(exception)) => {
                call.tell_raised(exception.type_code());
                Err(Raised::User(exception))
            }
            (Ok(()), None) => {
                call.tell_result(result.type_code());
                Ok((result, arguments))
            }
        };
        call.reply(outcome, |(result, arguments), out| write_results(result, arguments, out))
    }

    fn is_told_by_servant(operation: &str) -> bool {
        !is_implicit(operation)
    }

    fn upcast(servant: Arc<Self>, target: &mut Upcast) {
        target.offer(|| servant);
    }
}

/// Whether it is an operation of `Object`, which is no business of the interface.
fn is_implicit(operation: &str) -> bool {
    operation.starts_with('_') && !operation.starts_with("_get_") && !operation.starts_with("_set_")
}

/// A request that a [`DynamicServant`] serves.
pub struct ServerRequest<'r, 'a> {
    call: &'r mut ServerCall<'a>,
    answer: Answer,
}

#[derive(Default)]
struct Answer {
    arguments: Vec<NamedValue>,
    result: Any,
    raised: Option<Any>,
    /// What an interceptor wants in place of the answer.
    interrupted: Option<Interruption>,
}

impl<'r, 'a> ServerRequest<'r, 'a> {
    fn new(call: &'r mut ServerCall<'a>) -> Self {
        Self { call, answer: Answer::default() }
    }

    /// The name of the operation; that of an attribute is `_get_NAME` or `_set_NAME`.
    pub fn operation(&self) -> &str {
        self.call.operation().as_str()
    }

    /// Reads the arguments, which are of these types and go these ways, and gives all of them; those
    /// that are only returned have no value yet. It is to be called once, also where there are none,
    /// and before anything else: server interceptors see the request
    /// ([`receive_request`](crate::interceptor::ServerInterceptor::receive_request)) when it is.
    ///
    /// # Errors
    /// `MARSHAL` when the request does not carry such arguments, or what an interceptor ends it with;
    /// return that.
    pub fn arguments(
        &mut self,
        parameters: impl IntoIterator<Item = (ParameterMode, TypeCode)>,
    ) -> Result<&[NamedValue], SystemException> {
        let mut input = self.call.arguments();
        let read = |(mode, type_code)| {
            let mut argument = NamedValue::new("", mode, type_code);
            if argument.is_sent() {
                argument.read(&mut input)?;
            }
            Ok(argument)
        };
        let arguments: CdrResult<Vec<_>> = parameters.into_iter().map(read).collect();
        self.answer.arguments =
            arguments.map_err(|error| SystemException::decoding(&error, Completion::No))?;
        let told = self.call.tell_arguments(|| {
            let parameters = self.answer.arguments.iter();
            parameters
                .map(|each| NamedValue::new("", each.mode(), each.type_code().clone()))
                .collect()
        });
        match told {
            Ok(()) => Ok(&self.answer.arguments),
            Err(interruption) => Err(self.interrupted_by(interruption)),
        }
    }

    /// Keeps what an interceptor wants; gives what the servant is told.
    #[cold]
    fn interrupted_by(&mut self, interruption: Interruption) -> SystemException {
        let told = match &interruption {
            Interruption::Exception(exception) => exception.clone(),
            Interruption::Forward(_) => {
                let (kind, minor) = (ExceptionKind::Transient, Minor::default());
                SystemException::new(kind, minor, Completion::No)
                    .because("an interceptor sends the client elsewhere")
            }
        };
        self.answer.interrupted = Some(interruption);
        told
    }

    /// The properties that a caller sent for a `context` clause, a name and a value each; they stand
    /// behind the arguments of these types.
    ///
    /// # Errors
    /// `MARSHAL` when the request carries none; return that.
    pub fn context(&self) -> Result<Vec<(String, String)>, SystemException> {
        let mut input = self.call.arguments();
        let mut sent = self.answer.arguments.iter().filter(|argument| argument.is_sent());
        let skipped = sent
            .try_for_each(|argument| Any::read(argument.type_code().clone(), &mut input).map(drop));
        let strings = skipped.and_then(|()| input.sequence::<String>());
        let strings = strings.map_err(|error| SystemException::decoding(&error, Completion::No))?;
        let mut strings = strings.into_iter();
        let pair = || Some((strings.next()?, strings.next()?));
        Ok(std::iter::from_fn(pair).collect())
    }

    /// Sets what the argument `index` comes back as.
    ///
    /// # Panics
    /// When there is no such argument.
    pub fn set_argument(&mut self, index: usize, value: Any) {
        self.answer.arguments[index].set_value(value);
    }

    /// Sets the result.
    pub fn set_result(&mut self, result: Any) {
        self.answer.result = result;
    }

    /// Raises a user exception instead of giving a result.
    ///
    /// # Errors
    /// `BAD_PARAM` with reason 21 when the any does not hold an exception.
    pub fn set_exception(&mut self, exception: Any) -> Result<(), SystemException> {
        if !matches!(exception.type_code().resolved(), TypeCode::Exception(_)) {
            let what = "what is raised must be of an exception's type";
            let minor = Minor::omg(21);
            let raised = SystemException::new(ExceptionKind::BadParam, minor, Completion::Yes);
            return Err(raised.because(what));
        }
        self.answer.raised = Some(exception);
        Ok(())
    }
}

impl fmt::Debug for ServerRequest<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerRequest").field("operation", &self.operation()).finish()
    }
}

fn write_results(result: &Any, arguments: &[NamedValue], out: &mut Encoder<'_>) -> CdrResult {
    if !matches!(result.type_code(), TypeCode::Null | TypeCode::Void) {
        result.write(out)?;
    }
    let mut returned = arguments.iter().filter(|argument| argument.is_returned());
    returned.try_for_each(|argument| write(argument.value(), argument.type_code(), out))
}

/// What a dynamic servant raised.
enum Raised {
    User(Any),
    System(SystemException),
}

impl ReplyError for Raised {
    fn system(&self) -> Option<&SystemException> {
        match self {
            Self::System(exception) => Some(exception),
            Self::User(_) => None,
        }
    }

    fn encode_user<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        match self {
            Self::User(exception) => exception.write(out),
            Self::System(_) => Ok(()),
        }
    }
}
