//! A view that is called by number (CORBA 2.3, 18.2).

use super::raised::Raised;
use crate::ground::{Ground, of_system};
use crate::model::{Mismatch, USER_EXCEPTION};
use crate::number::{Method, Numbered, Place, Pointer, Raises, Value, from_value, to_value};
use armilla::dynamic::{DynAny, Request};
use armilla::{Any, Error, Object, SystemException};
use armilla_dcerpc::Status;
use armilla_dcerpc::ndr::Unique;
use armilla_dcom::server::ObjectCall;
use std::sync::Arc;

/// The kinds of exceptions that a client of COM is told.
const SYSTEM_EXCEPTION: u16 = 1;
const USER_KIND: u16 = 2;

/// What a call by number is about.
pub(crate) struct Called<'a> {
    pub(crate) bridge: &'a Arc<dyn Ground>,
    pub(crate) object: &'a Object,
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
        match self.operation(method) {
            Ok((status, results)) => {
                let nothing = method.raises.iter().map(|_| Value::nothing(&Raises::shape()));
                (self.answer(status, results.into_iter().chain(nothing)), true)
            }
            Err(failed) => (self.failed(method, failed), false),
        }
    }

    fn operation(&self, method: &Method) -> Result<(Status, Vec<Value>), Failed> {
        let given = self.call.read_arguments(|input| method.read_given(input));
        let given = given.map_err(|status| Mismatch { status, what: "malformed".to_owned() })?;
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

    /// A failure has results, too: they say nothing but the exception.
    fn failed(&self, method: &Method, failed: Failed) -> Result<Vec<u8>, Status> {
        let (status, kind, id, object) = match failed {
            Failed::Mismatch(mismatch) => {
                tracing::debug!(%mismatch, "a call by number does not cross");
                return Err(mismatch.status);
            }
            Failed::System(exception) => {
                let id = exception.kind().repository_id().to_owned();
                (of_system(&exception).status, SYSTEM_EXCEPTION, id, None)
            }
            Failed::User(exception) => {
                let id = exception.type_code().id().unwrap_or_default().to_owned();
                (USER_EXCEPTION, USER_KIND, id, Some(exception))
            }
        };
        let told = match &method.raises {
            None => None,
            Some(raises) => {
                let object = object.map(|exception| {
                    let raised = Raised::new(self.bridge.clone(), exception, raises.clone());
                    self.bridge.export(Arc::new(raised), raises.iid)
                });
                let object = object.transpose().map_err(|mismatch| mismatch.status)?;
                let id = Value::pointer(Value::WideString((&*id).into()));
                let parts = vec![Value::U2(kind), id, Value::Interface(Unique::from(object))];
                Some(Value::Pointer(Pointer::To(Box::new(Value::Parts(4, parts)))))
            }
        };
        let nothing = method.taken.iter().map(|(_, shape)| Value::nothing(shape));
        self.answer(status, nothing.chain(told))
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
