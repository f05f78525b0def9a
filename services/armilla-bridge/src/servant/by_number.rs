//! A view that is called by number (CORBA 2.3, 18.2).

use super::raised::Raised;
use super::told;
use crate::ground::{Ground, failed as failed_as, of_system};
use crate::model::{Mismatch, USER_EXCEPTION};
use crate::number::{Method, Numbered, Place, Pointer, Raises, Value, from_value, to_value};
use armilla::dynamic::{DynAny, Request};
use armilla::{Any, Error, Object, SystemException};
use armilla_dcerpc::Status;
use armilla_dcerpc::ndr::Unique;
use armilla_dcom::ErrorInfo;
use armilla_dcom::server::ObjectCall;
use std::sync::Arc;

/// The kinds of exceptions that a client of COM is told.
const SYSTEM_EXCEPTION: u16 = 1;
const USER_KIND: u16 = 2;

/// What a call by number is about.
pub(crate) struct Called<'a> {
    pub(crate) bridge: &'a Arc<dyn Ground>,
    pub(crate) object: &'a Object,
    pub(crate) repository_id: &'a str,
    pub(crate) numbered: &'a Numbered,
    pub(crate) call: &'a ObjectCall<'a>,
}

/// How an operation ends that did not succeed.
enum Failed {
    /// A value does not cross.
    Mismatch(Mismatch),
    System(SystemException),
    User(Any),
}

impl<E: Into<Mismatch>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self::Mismatch(error.into())
    }
}

impl Called<'_> {
    /// The method, if there is one whose values travel.
    pub(crate) fn method(&self) -> Result<&Method, Status> {
        let method = self.numbered.method(self.call.opnum);
        match method.ok_or(Status::OPERATION_OUT_OF_RANGE)? {
            method if method.travels => Ok(method),
            _ => Err(Status::NOT_IMPLEMENTED),
        }
    }

    /// Executes the call; returns the answer, and whether the operation succeeded.
    pub(crate) fn run(&self, method: &Method) -> (Result<Vec<u8>, Status>, bool) {
        // Arguments that cannot be read are those of another method: nothing is known of its results.
        let given = match self.call.read_arguments(|input| method.read_given(input)) {
            Ok(given) => given,
            Err(status) => return (Err(status), false),
        };
        let numbers = method.numbers(&given);
        if method.check_given(&given, &numbers).is_err() {
            return (Err(Status::BAD_STUB), false);
        }
        let done = self.operation(method, given).and_then(|(status, mut results)| {
            method.place_taken(&mut results, &numbers).map_err(Failed::Mismatch)?;
            Ok((status, results))
        });
        match done {
            Ok((status, results)) => {
                let nothing = method.raises.iter().map(|_| Value::nothing(&Raises::shape()));
                (self.answer(status, results.into_iter().chain(nothing)), true)
            }
            Err(failed) => (self.failed(method, failed), false),
        }
    }

    fn operation(
        &self,
        method: &Method,
        given: Vec<Value>,
    ) -> Result<(Status, Vec<Value>), Failed> {
        let signature = &method.signature;
        let mut request = signature.request(self.object).map_err(Failed::System)?;
        for ((index, _), value) in method.given.iter().zip(given) {
            let (name, _, code) = &signature.parameters[*index];
            let value = from_value(value, code, &**self.bridge);
            request.set_argument(*index, value.map_err(|error| error.within(name))?.to_any()?);
        }
        let done = match signature.oneway {
            true => request.send_oneway().map_err(Error::System),
            false => request.invoke(),
        };
        match done {
            Ok(()) => {
                let results = self.results(method, &request).map_err(Failed::Mismatch)?;
                Ok((success(method, &request), results))
            }
            Err(Error::System(exception)) => Err(Failed::System(exception)),
            Err(Error::User(raised)) => Err(Failed::User(raised.exception)),
        }
    }

    fn results(&self, method: &Method, request: &Request) -> Result<Vec<Value>, Mismatch> {
        let taken = method.taken.iter().map(|(place, shape)| {
            let value = match place {
                Place::Result => Some(request.return_value()),
                Place::Parameter(index) => {
                    request.arguments().get(*index).and_then(|argument| argument.value())
                }
            };
            let missing = || Mismatch::ty("a result is missing");
            let mut value = DynAny::from_any(value.ok_or_else(missing)?)?;
            to_value(&mut value, shape, &**self.bridge)
        });
        taken.collect()
    }

    /// The answer of a call that was not made.
    pub(crate) fn refused(&self, method: &Method, why: Mismatch) -> Result<Vec<u8>, Status> {
        self.failed(method, Failed::Mismatch(why))
    }

    /// A failure has results, too: they say nothing but the exception.
    fn failed(&self, method: &Method, failed: Failed) -> Result<Vec<u8>, Status> {
        let (Mismatch { status, what }, told) = match failed {
            Failed::Mismatch(mismatch) => (mismatch, None),
            Failed::System(exception) => {
                let id = exception.kind().repository_id().to_owned();
                (of_system(&exception), Some((SYSTEM_EXCEPTION, id, None)))
            }
            Failed::User(exception) => {
                let id = exception.type_code().id().unwrap_or_default().to_owned();
                let what = told::user(&exception);
                (failed_as(USER_EXCEPTION, what), Some((USER_KIND, id, Some(exception))))
            }
        };
        let source = told::source(self.repository_id, &method.signature.operation);
        self.call.explain(ErrorInfo::new(source, what));
        let told = method.raises.as_ref().map(|raises| match told {
            None => Ok(Value::nothing(&Raises::shape())),
            Some((kind, id, object)) => self.exception(raises, kind, &id, object),
        });
        let told = told.transpose()?;
        let nothing = method.taken.iter().map(|(_, shape)| Value::nothing(shape));
        self.answer(status, nothing.chain(told))
    }

    /// The exception as the last parameter.
    fn exception(
        &self,
        raises: &Arc<Raises>,
        kind: u16,
        id: &str,
        exception: Option<Any>,
    ) -> Result<Value, Status> {
        let object = exception.map(|exception| {
            let raised = Raised::new(self.bridge.clone(), exception, raises.clone());
            self.bridge.export(Arc::new(raised), raises.iid)
        });
        let object = object.transpose().map_err(|mismatch| mismatch.status)?;
        let id = Value::pointer(Value::WideString(id.into()));
        let parts = vec![Value::U2(kind), id, Value::Interface(Unique::from(object))];
        Ok(Value::Pointer(Pointer::To(Box::new(Value::Parts(4, parts)))))
    }

    fn answer(
        &self,
        status: Status,
        mut results: impl Iterator<Item = Value>,
    ) -> Result<Vec<u8>, Status> {
        self.call.write_answer(status, |out| results.try_for_each(|value| value.write(out)))
    }
}

/// Which success it was: what the operation returned, if that is an HRESULT.
fn success(method: &Method, request: &Request) -> Status {
    if !method.success {
        return Status::OK;
    }
    let result = request.return_value();
    match (result.get::<i32>(), result.get::<u32>()) {
        (Ok(Some(number)), _) => Status(number as u32),
        (_, Ok(Some(number))) => Status(number),
        _ => Status::OK,
    }
}
