//! An object of COM as programs of CORBA call it: by the operations of an interface that the IDL
//! has, or by the names of its members (CORBA 2.3, 18.3 and 19.9).

use crate::counts::Way;
use crate::ground::{Ground, failed, of_com};
use crate::interfaces::AUTOMATION;
use crate::model::{Interface, Mismatch, from_variant, system_exception, to_variant};
use crate::number::{Numbered, Place, from_value, to_value};
use armilla::dynamic::{DynAny, DynamicServant, NamedValue, ParameterMode, ServerRequest, serve};
use armilla::{Any, Completion, ExceptionKind, Minor, ObjectId, SystemException, TypeCode};
use armilla_dcerpc::ndr::{Decoder, Encoder};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::InterfacePointer;
use armilla_dcom::automation::Variant;
use armilla_dcom::automation::dispatch::{DISPATCH, flags};
use armilla_dcom::client::{Answer, Cause, Error as ComError, Proxy};
use armilla_ifr::model::Signature;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// How many names of members are remembered of an object that is called by name.
const MOST_NAMES: usize = 256;

/// Where an object of COM comes from.
pub(crate) enum Source {
    /// A class on a host: it is activated by the first call, and anew when it is gone.
    Class { host: String, class: Uuid },
    /// It came as a value; whose resolver is there.
    Given { resolver: String },
}

/// The proxy of an object, if there is one, and how the last attempt to get one failed.
#[derive(Default)]
struct Held {
    proxy: Option<Proxy>,
    failed: Option<(Instant, Status, String)>,
}

/// An object of COM.
pub(crate) struct Imported {
    bridge: Arc<dyn Ground>,
    source: Source,
    repository_id: String,
    interface: Arc<Interface>,
    proxy: Mutex<Held>,
    /// The numbers of members, by their names.
    numbers: Mutex<HashMap<String, i32>>,
    began: Instant,
    /// In seconds since it began.
    used: AtomicU64,
}

/// The servant of an object of COM.
pub(crate) fn automation_servant(imported: Arc<Imported>) -> Arc<dyn DynamicServant> {
    serve(Servant(imported))
}

struct Servant(Arc<Imported>);

impl DynamicServant for Servant {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        Cow::Borrowed(&self.0.repository_id)
    }

    fn is_a(&self, _object: &ObjectId, repository_id: &str) -> bool {
        self.0.bridge.interfaces().is_a(&self.0.repository_id, repository_id)
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        self.0.touch();
        let done = self.0.serve(request);
        self.0.bridge.counters().called(Way::ToCom, done.is_ok());
        match done {
            Ok(()) => Ok(()),
            Err(Refused::System(exception)) => Err(exception),
            Err(Refused::User(exception)) => request.set_exception(exception),
        }
    }
}

/// How a call ends that fails.
enum Refused {
    System(SystemException),
    User(Any),
}

impl From<SystemException> for Refused {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

impl From<Mismatch> for Refused {
    fn from(mismatch: Mismatch) -> Self {
        Self::System(system_exception(mismatch.status, &mismatch.what))
    }
}

impl Imported {
    pub(crate) fn new(
        bridge: Arc<dyn Ground>,
        source: Source,
        (repository_id, interface): (String, Arc<Interface>),
        proxy: Option<Proxy>,
    ) -> Self {
        let held = Held { proxy, failed: None };
        let (proxy, numbers) = (Mutex::new(held), Mutex::default());
        let (began, used) = (Instant::now(), AtomicU64::new(0));
        Self { bridge, source, repository_id, interface, proxy, numbers, began, used }
    }

    /// The interface that programs of CORBA see.
    pub(crate) fn interface_id(&self) -> &str {
        &self.repository_id
    }

    /// It is in use now.
    pub(crate) fn touch(&self) {
        self.used.store(self.began.elapsed().as_secs(), Ordering::Relaxed);
    }

    /// When it was used last.
    pub(crate) fn last_used(&self) -> Instant {
        self.began + std::time::Duration::from_secs(self.used.load(Ordering::Relaxed))
    }

    /// For how many seconds nobody has used it.
    pub(crate) fn idle(&self) -> u64 {
        self.last_used().elapsed().as_secs()
    }

    /// The object itself, for a program of COM: it comes back unwrapped.
    pub(crate) fn pointer(&self) -> Result<InterfacePointer, Mismatch> {
        let resolver = match &self.source {
            Source::Class { host, .. } => host,
            Source::Given { resolver } => resolver,
        };
        let reference = self.proxy()?.reference_for(resolver).map_err(|error| of_com(&error))?;
        InterfacePointer::new(&reference).map_err(|_| failed(Status::UNEXPECTED, "a reference"))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.proxy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The proxy; a class is activated if there is none. Calls that wait for an attempt of another one
    /// share its end: with a host that is silent each of them would wait in turn.
    fn proxy(&self) -> Result<Proxy, Mismatch> {
        let came = Instant::now();
        let mut held = self.held();
        if let Some(proxy) = &held.proxy {
            return Ok(proxy.clone());
        }
        if let Some((_, status, what)) = held.failed.as_ref().filter(|(at, ..)| *at >= came) {
            return Err(failed(*status, what.clone()));
        }
        let Source::Class { host, class } = &self.source else {
            return Err(failed(Status::DISCONNECTED, "the object of COM is gone"));
        };
        let by_number = self.bridge.interfaces().of_com(&self.repository_id);
        let iid = by_number.map_or(DISPATCH.uuid, |numbered| numbered.iid);
        let made = self.bridge.client()?.activate(host, *class, iid);
        let made = made.map_err(|error| of_com(&error));
        held.failed =
            made.as_ref().err().map(|error| (Instant::now(), error.status, error.what.clone()));
        Ok(held.proxy.insert(made?).clone())
    }

    /// Forgets a proxy whose object is gone, so that the next call activates the class anew.
    fn forget(&self) {
        if let Source::Class { .. } = self.source {
            self.held().proxy = None;
            self.numbers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    fn number(&self, proxy: &Proxy, name: &str) -> Result<i32, ComError> {
        let known = self.numbers.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied();
        if let Some(number) = known {
            return Ok(number);
        }
        let number = proxy.member(name)?;
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if numbers.len() < MOST_NAMES {
            numbers.insert(name.to_owned(), number);
        }
        Ok(number)
    }

    /// Calls the object. A call that was not executed because the object is gone is made once more, if its
    /// class can be activated.
    fn call<T>(
        &self,
        mut once: impl FnMut(&Proxy) -> Result<T, ComError>,
    ) -> Result<Result<T, ComError>, Mismatch> {
        let done = once(&self.proxy()?);
        let gone = matches!(&done, Err(error) if matches!(*error.cause, Cause::Status(Status::DISCONNECTED)));
        if !gone {
            return Ok(done);
        }
        self.forget();
        Ok(once(&self.proxy()?))
    }

    fn call_once(
        &self,
        proxy: &Proxy,
        name: &str,
        how: u32,
        arguments: &mut [Variant],
    ) -> Result<Variant, ComError> {
        let number = self.number(proxy, name)?;
        proxy.invoke_changing(number, how, arguments)
    }

    fn serve(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), Refused> {
        let operation = request.operation().to_owned();
        let unknown = || {
            let (kind, minor) = (ExceptionKind::BadOperation, Minor::default());
            SystemException::new(kind, minor, Completion::No)
                .with_reason(format!("{} has no operation {operation}", self.repository_id))
        };
        let signature = self.interface.signature(&operation).ok_or_else(unknown)?;
        let parameters = signature.parameters.iter().map(|(_, mode, code)| (*mode, code.clone()));
        let given = request.arguments(parameters)?.to_vec();
        if self.repository_id == AUTOMATION {
            return self.by_name(signature, &given, request);
        }
        match self.bridge.interfaces().called_by(&self.proxy()?, &self.repository_id) {
            Some(numbered) => self.by_number(&numbered, signature, &given, request),
            None => self.by_interface(signature, &given, request),
        }
    }

    /// An operation that is a method of an interface that is called by number.
    fn by_number(
        &self,
        numbered: &Numbered,
        signature: &Signature,
        given: &[NamedValue],
        request: &mut ServerRequest<'_, '_>,
    ) -> Result<(), Refused> {
        let method = numbered.of_operation(&signature.operation).filter(|it| it.travels);
        let missing = || failed(Status::NOT_IMPLEMENTED, "the values of the method do not travel");
        let method = method.ok_or_else(missing)?;
        let mut arguments = Vec::with_capacity(method.given.len());
        for (index, shape) in &method.given {
            let (name, _, code) = &signature.parameters[*index];
            let mut value = dynamic(given[*index].value(), code)?;
            let value = to_value(&mut value, shape, &*self.bridge);
            arguments.push(value.map_err(|error| error.within(name))?);
        }
        let numbers = method.numbers(&arguments);
        method.place_given(&mut arguments, &numbers)?;
        let done = self.call(|proxy| {
            let write = |out: &mut Encoder| arguments.iter().try_for_each(|it| it.write(out));
            let read = |input: &mut Decoder<'_>| method.read_taken(input);
            let answer = proxy.call_by_number(method.opnum, write, read)?;
            Ok((proxy.failure(method.opnum, &answer), answer))
        })?;
        let none = |error: ComError| Refused::from(of_com(&error));
        let (failure, Answer { results: taken, status, .. }) = done.map_err(none)?;
        if status.is_failure() {
            return Err(raised(&failure, &signature.exceptions, true));
        }
        method.check_taken(&taken, &numbers)?;
        for ((place, _), value) in method.taken.iter().zip(taken) {
            let code = match place {
                Place::Result => &signature.result,
                Place::Parameter(index) => &signature.parameters[*index].2,
            };
            let value = from_value(value, code, &*self.bridge)?.to_any().map_err(Mismatch::from)?;
            match place {
                Place::Result => request.set_result(value)?,
                Place::Parameter(index) => request.set_argument(*index, value),
            }
        }
        if method.success {
            let number = match signature.result {
                TypeCode::ULong => Any::new(&status.0),
                _ => Any::new(&(status.0 as i32)),
            };
            let unfit = |_| failed(Status::UNEXPECTED, "the HRESULT is no value");
            request.set_result(number.map_err(unfit)?)?;
        }
        Ok(())
    }

    /// An operation of an interface that the IDL has.
    fn by_interface(
        &self,
        signature: &Signature,
        given: &[NamedValue],
        request: &mut ServerRequest<'_, '_>,
    ) -> Result<(), Refused> {
        let (name, how) = member(&signature.operation);
        let mut arguments = Vec::with_capacity(given.len());
        for (value, (_, mode, code)) in given.iter().zip(&signature.parameters) {
            let mut value = dynamic(value.value(), code)?;
            let value = to_variant(&mut value, &*self.bridge)?;
            arguments.push(match mode {
                ParameterMode::In => value,
                _ => reference(value),
            });
        }
        let done = self.call(|proxy| self.call_once(proxy, name, how, &mut arguments))?;
        let result = done.map_err(|error| raised(&error, &signature.exceptions, false))?;
        for (index, (_, mode, code)) in signature.parameters.iter().enumerate() {
            if *mode != ParameterMode::In {
                let value = from_variant(&arguments[index], code, &*self.bridge)?;
                request.set_argument(index, value.to_any().map_err(Mismatch::from)?);
            }
        }
        let result = match signature.result {
            TypeCode::Void => Any::default(),
            _ => {
                let value = from_variant(&result, &signature.result, &*self.bridge)?;
                value.to_any().map_err(Mismatch::from)?
            }
        };
        Ok(request.set_result(result)?)
    }

    /// An operation of `Bridge::Automation`: the first argument names the member.
    fn by_name(
        &self,
        signature: &Signature,
        given: &[NamedValue],
        request: &mut ServerRequest<'_, '_>,
    ) -> Result<(), Refused> {
        let missing = || failed(Status::INVALID_ARGUMENT, "an argument is missing");
        let dynamic = |place: usize| -> Result<DynAny, Mismatch> {
            let any = given.get(place).and_then(NamedValue::value).ok_or_else(missing)?;
            Ok(DynAny::from_any(any)?)
        };
        let name = dynamic(0)?.get_string().map_err(Mismatch::from)?;
        let how = match signature.operation.as_str() {
            "get" => flags::GET,
            "put" => flags::PUT,
            _ => flags::METHOD | flags::GET,
        };
        let mut arguments = Vec::new();
        if how == flags::PUT {
            arguments.push(to_variant(&mut dynamic(1)?, &*self.bridge)?);
        } else if how != flags::GET {
            for mut one in dynamic(1)?.as_sequence().map_err(Mismatch::from)?.elements() {
                arguments.push(to_variant(&mut one, &*self.bridge)?);
            }
        }
        let done = self.call(|proxy| self.call_once(proxy, &name, how, &mut arguments))?;
        let result = done.map_err(|error| raised(&error, &signature.exceptions, false))?;
        let result = match signature.result {
            TypeCode::Void => Any::default(),
            _ => from_variant(&result, &TypeCode::Any, &*self.bridge)?
                .to_any()
                .map_err(Mismatch::from)?,
        };
        Ok(request.set_result(result)?)
    }
}

/// An argument, or the value of its type that says nothing.
fn dynamic(value: Option<&Any>, code: &TypeCode) -> Result<DynAny, Mismatch> {
    Ok(match value {
        Some(any) => DynAny::from_any(any)?,
        None => DynAny::new(code)?,
    })
}

/// The member that an operation is, and how it is invoked.
fn member(operation: &str) -> (&str, u32) {
    match (operation.strip_prefix("_get_"), operation.strip_prefix("_set_")) {
        (Some(name), _) => (name, flags::GET),
        (_, Some(name)) => (name, flags::PUT),
        _ => (operation, flags::METHOD | flags::GET),
    }
}

/// A place for the value of an `out` parameter.
fn reference(value: Variant) -> Variant {
    match value {
        Variant::Empty | Variant::Null => Variant::VariantReference(Box::new(value)),
        value => Variant::Reference(Box::new(value)),
    }
}

/// What a failed call raises: the exception of the operation that has the members of a failure of
/// COM, or else a system exception.
fn raised(error: &ComError, exceptions: &[TypeCode], by_number: bool) -> Refused {
    let (source, description) = match &*error.cause {
        Cause::Exception { source, description, .. } => (&**source, &**description),
        _ => ("", ""),
    };
    let told = by_number || matches!(&*error.cause, Cause::Exception { .. });
    let status = error.hresult();
    // Only what the object itself says is an exception of the operation.
    let found = exceptions
        .iter()
        .filter(|_| told)
        .find_map(|code| com_error(code, status, source, description).ok().flatten());
    match found {
        Some(exception) => Refused::User(exception),
        None => Refused::System(system_exception(status, &error.to_string())),
    }
}

/// An exception with a member `hresult`, and perhaps `source` and `description`.
fn com_error(
    code: &TypeCode,
    status: Status,
    source: &str,
    description: &str,
) -> Result<Option<Any>, armilla::dynamic::DynAnyError> {
    let mut value = DynAny::new(code)?;
    let mut members = value.as_struct()?;
    let names = members.member_names();
    let known = ["hresult", "source", "description"];
    if !names.iter().any(|name| name == "hresult")
        || names.iter().any(|name| !known.contains(&name.as_str()))
    {
        return Ok(None);
    }
    for name in &names {
        let Some(member) = members.member(name) else { continue };
        match name.as_str() {
            "hresult" => member.insert_long(status.0 as i32)?,
            "source" => member.insert_string(source)?,
            _ => member.insert_string(description)?,
        }
    }
    value.to_any().map(Some)
}
