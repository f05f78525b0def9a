//! An object of CORBA as programs of COM call it: by the names of its operations and attributes
//! (CORBA 2.3, 19.4).

use super::by_number::Called;
use super::{foreign, told};
use crate::counts::Way;
use crate::generated::{IorbObject, iorb_object};
use crate::ground::{Ground, of_system};
use crate::model::{
    Interface, Member, Mismatch, USER_EXCEPTION, View as Kind, from_variant, iid, library,
    to_variant,
};
use crate::number::Numbered;
use armilla::dynamic::{DynAny, ParameterMode, Request, UnknownUserException};
use armilla::{Error, Object, SystemException, TypeCode};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::Variant;
use armilla_dcom::automation::dispatch::flags;
use armilla_dcom::automation::type_info::TypeLibrary;
use armilla_dcom::remote::SUPPORT_ERROR_INFO;
use armilla_dcom::server::{
    Dispatched, Failure, Invocation, Object as ComObject, ObjectCall, Scriptable,
};
use armilla_ifr::model::Signature;
use std::sync::Arc;

/// An object of CORBA as one of COM.
pub(crate) struct View {
    script: Dispatched<Script>,
    /// The IID of the interface as one that scripts call.
    iid: Uuid,
    /// The interfaces that are called by number.
    numbered: Arc<[Arc<Numbered>]>,
}

struct Script {
    bridge: Arc<dyn Ground>,
    object: Object,
    /// By which name it was found; rules may ask.
    name: String,
    repository_id: String,
    interface: Arc<Interface>,
}

impl View {
    pub(crate) fn new(
        bridge: Arc<dyn Ground>,
        object: Object,
        name: &str,
        (repository_id, interface): (String, Arc<Interface>),
    ) -> Self {
        let iid = iid(&repository_id, Kind::Automation);
        let numbered = bridge.interfaces().numbered(&repository_id);
        let name = name.to_owned();
        let script = Dispatched(Script { bridge, object, name, repository_id, interface });
        Self { script, iid, numbered }
    }

    fn by_number(&self, iid: Uuid) -> Option<&Arc<Numbered>> {
        self.numbered.iter().find(|numbered| numbered.iid == iid)
    }
}

impl ComObject for View {
    fn supports(&self, iid: Uuid) -> bool {
        self.script.supports(iid)
            || iid == self.iid
            || iid == foreign::FOREIGN_OBJECT.uuid
            || iid == iorb_object::IID
            || iid == SUPPORT_ERROR_INFO.uuid
            || self.by_number(iid).is_some()
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        let script = &self.script.0;
        match call.iid {
            foreign if foreign == foreign::FOREIGN_OBJECT.uuid => {
                foreign::call(call, &script.object, &script.repository_id)
            }
            iorb_object::IID => iorb_object::call(script, call),
            support if support == SUPPORT_ERROR_INFO.uuid => {
                call.support_error_info(|iid| self.by_number(iid).is_some())
            }
            _ => match self.by_number(call.iid) {
                Some(numbered) => script.call_by_number(numbered, call),
                None => self.script.call(call),
            },
        }
    }
}

impl Script {
    fn call_by_number(
        &self,
        numbered: &Numbered,
        call: &ObjectCall<'_>,
    ) -> Result<Vec<u8>, Status> {
        let Self { bridge, object, repository_id, .. } = self;
        let called = Called { bridge, object, repository_id, numbered, call };
        let method = called.method()?;
        let about = (&*self.name, &*self.repository_id, &*method.signature.operation);
        if let Err(refused) = self.bridge.check(&call.caller, about) {
            return called.refused(method, refused);
        }
        let (answer, succeeded) = called.run(method);
        self.bridge.counters().called(Way::ToCorba, succeeded);
        answer
    }
}

impl IorbObject for Script {
    fn get_implementation(&self) -> Result<Option<String>, Status> {
        Ok(Some(self.repository_id.clone()))
    }
}

impl Scriptable for Script {
    fn member(&self, name: &str) -> Option<i32> {
        self.interface.number(name)
    }

    fn parameter(&self, member: i32, name: &str) -> Option<i32> {
        self.interface.member(member)?.parameter(name)
    }

    fn description(&self) -> Option<Arc<TypeLibrary>> {
        Some(Arc::new(library(&self.repository_id, &self.interface)))
    }

    fn invoke(&self, invocation: &mut Invocation<'_>) -> Result<Variant, Failure> {
        let member = self.interface.member(invocation.member).ok_or(Status::MEMBER_NOT_FOUND)?;
        let signature = called(member, invocation.flags)?;
        let about = (&*self.name, &*self.repository_id, &*signature.operation);
        let from = |failure| match failure {
            Failure::Exception { description, status, .. } => {
                let source = told::source(&self.repository_id, &signature.operation);
                Failure::Exception { source, description, status }
            }
            other => other,
        };
        self.bridge.check(&invocation.call.caller, about).map_err(refused).map_err(from)?;
        let done = self.run(signature, invocation);
        self.bridge.counters().called(Way::ToCorba, done.is_ok());
        done.map_err(from)
    }
}

/// The operation that an invocation means.
fn called(member: &Member, how: u32) -> Result<&Signature, Status> {
    let puts = how & (flags::PUT | flags::PUT_REFERENCE) != 0;
    match (puts, member.property) {
        (true, _) => member.put.as_ref().ok_or(Status::MEMBER_NOT_FOUND),
        (false, true) if how & flags::GET == 0 => Err(Status::MEMBER_NOT_FOUND),
        (false, _) => Ok(&member.call),
    }
}

/// Whose failure it is is said when it is told.
fn refused(mismatch: Mismatch) -> Failure {
    let Mismatch { status, what } = mismatch;
    Failure::Exception { source: String::new(), description: what, status }
}

impl Script {
    fn run(
        &self,
        signature: &Signature,
        invocation: &mut Invocation<'_>,
    ) -> Result<Variant, Failure> {
        place_named(signature, invocation)?;
        let count = signature.parameters.len();
        let given = invocation.arguments.len();
        // One more may be a place for the exception (CORBA 2.3, 19.8.10).
        let exception = (given == count + 1).then(|| invocation.arguments[count].clone());
        let exception = exception.is_some_and(|it| is_reference(&it));
        if given > count && !exception {
            return Err(Status::BAD_PARAMETER_COUNT.into());
        }
        let mut request = signature.request(&self.object).map_err(system)?;
        for (index, (name, mode, code)) in signature.parameters.iter().enumerate() {
            if *mode == ParameterMode::Out {
                continue;
            }
            let given = invocation.arguments.get(index).ok_or(Status::PARAMETER_NOT_OPTIONAL)?;
            let value = self.argument(given, code).map_err(|error| wrong(error, name, index))?;
            request.set_argument(index, value);
        }
        match self.send(signature, &mut request) {
            Ok(()) => {}
            Err(error) if exception => {
                let told = self.exception(error)?;
                invocation.arguments[count] = Variant::VariantReference(Box::new(told));
                return Ok(Variant::Empty);
            }
            Err(Error::System(exception)) => return Err(system(exception)),
            Err(Error::User(raised)) => {
                let what = told::user(&raised.exception);
                return Err(refused(Mismatch { status: USER_EXCEPTION, what }));
            }
        }
        if exception {
            invocation.arguments[count] =
                Variant::VariantReference(Box::new(Variant::Dispatch(None)));
        }
        self.results(signature, &request, invocation)
    }

    fn send(
        &self,
        signature: &Signature,
        request: &mut Request,
    ) -> Result<(), Error<UnknownUserException>> {
        match signature.oneway {
            true => request.send_oneway().map_err(Error::System),
            false => request.invoke(),
        }
    }

    fn argument(&self, given: &Variant, code: &TypeCode) -> Result<armilla::Any, Mismatch> {
        Ok(from_variant(given, code, &*self.bridge)?.to_any()?)
    }

    /// The result, and what `out` parameters have become.
    fn results(
        &self,
        signature: &Signature,
        request: &Request,
        invocation: &mut Invocation<'_>,
    ) -> Result<Variant, Failure> {
        let value = |any: &armilla::Any| -> Result<Variant, Mismatch> {
            to_variant(&mut DynAny::from_any(any)?, &*self.bridge)
        };
        for (index, argument) in request.arguments().iter().enumerate() {
            let Some(place) = invocation.arguments.get_mut(index) else { break };
            let Some(any) = argument.value().filter(|_| argument.mode() != ParameterMode::In)
            else {
                continue;
            };
            let new = Box::new(value(any).map_err(|error| wrong(error, argument.name(), index))?);
            *place = match place {
                // Its type may not change, unless it is a place for any type.
                Variant::Reference(old) if old.vt() == new.vt() => Variant::Reference(new),
                Variant::Reference(_) | Variant::VariantReference(_) => {
                    Variant::VariantReference(new)
                }
                _ => continue,
            };
        }
        match signature.result {
            TypeCode::Void => Ok(Variant::Empty),
            _ => value(request.return_value()).map_err(refused),
        }
    }

    /// An exception as an object: its members, or those of a system exception.
    fn exception(&self, error: Error<UnknownUserException>) -> Result<Variant, Failure> {
        let value = match error {
            Error::User(raised) => DynAny::from_any(&raised.exception),
            Error::System(exception) => system_value(&exception),
        };
        let value = value.map_err(|error| refused(error.into()))?;
        let pointer = self.bridge.with_members(value);
        Ok(Variant::Dispatch(Some(pointer.map_err(refused)?)))
    }
}

/// A system exception as a value with members.
fn system_value(exception: &SystemException) -> Result<DynAny, armilla::dynamic::DynAnyError> {
    let kind = exception.kind();
    let members = [("minor", TypeCode::ULong), ("completed", TypeCode::ULong)];
    let code = TypeCode::exception(kind.repository_id(), kind.name(), members);
    let mut value = DynAny::new(&code)?;
    let mut members = value.as_struct()?;
    if let Some(minor) = members.member("minor") {
        minor.insert_ulong(exception.minor().0)?;
    }
    if let Some(completed) = members.member("completed") {
        completed.insert_ulong(exception.completed() as u32)?;
    }
    Ok(value)
}

/// Puts arguments with names where those without would stand.
fn place_named(signature: &Signature, invocation: &mut Invocation<'_>) -> Result<(), Status> {
    for (number, value) in std::mem::take(&mut invocation.named) {
        let place = usize::try_from(number).map_err(|_| Status::PARAMETER_NOT_FOUND)?;
        if place >= signature.parameters.len() {
            return Err(Status::PARAMETER_NOT_FOUND);
        }
        if invocation.arguments.len() <= place {
            invocation.arguments.resize(place + 1, Variant::Error(Status::PARAMETER_NOT_FOUND));
        }
        invocation.arguments[place] = value;
    }
    Ok(())
}

fn is_reference(value: &Variant) -> bool {
    matches!(value, Variant::Reference(_) | Variant::VariantReference(_))
}

/// An argument does not fit: which one, and why.
fn wrong(mismatch: Mismatch, name: &str, index: usize) -> Failure {
    let Mismatch { status, what } = mismatch;
    match status {
        Status::TYPE_MISMATCH | Status::OVERFLOW => {
            tracing::debug!(name, what, "an argument does not fit");
            Failure::Argument(status, u32::try_from(index).unwrap_or(u32::MAX))
        }
        _ => refused(Mismatch { status, what: format!("{name}: {what}") }),
    }
}

fn system(exception: SystemException) -> Failure {
    refused(of_system(&exception))
}
