//! The four operations of a naming context that the ORB itself calls (Naming Service 1.3, 2.3).
//!
//! They are written by hand, so that the ORB does not need code that is generated for it. Programs
//! that want all of the service have the crate `armilla-cos-naming`.

use crate::client::{self, Object, Operation, Request};
use crate::exception::SystemException;
use crate::signature::Signature;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder, TypeCode, Typed};
use armilla_giop::url::NameComponent;
use armilla_giop::{ReplyStatus, ResponseFlags};

/// What a naming context answers instead of a result.
pub(super) enum NamingError {
    System(SystemException),
    /// `NotFound`: why, and the rest of the name from the component that failed.
    NotFound(NotFoundReason, Vec<NameComponent>),
    /// `AlreadyBound`.
    AlreadyBound,
    /// Another user exception, by its repository id.
    Other(String),
}

impl From<SystemException> for NamingError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

/// Why a name was not found.
#[derive(Clone, Copy)]
pub(super) enum NotFoundReason {
    MissingNode,
    NotContext,
    NotObject,
}

/// A reference to a naming context.
pub(super) struct NamingContext(pub(super) Object);

impl NamingContext {
    /// `resolve`: the object that is bound to `name`.
    pub(super) fn resolve(&self, name: &[NameComponent]) -> Result<Object, NamingError> {
        self.call("resolve", &|out| put_name(out, name), &mut |input| Object::decode(input))
    }

    /// `rebind`: binds `object`, in place of what was bound before.
    pub(super) fn rebind<'p>(
        &self,
        name: &[NameComponent],
        object: &'p Object,
    ) -> Result<(), NamingError> {
        let arguments = |out: &mut Encoder<'p>| {
            put_name(out, name)?;
            object.encode(out)
        };
        self.call("rebind", &arguments, &mut |_| Ok(()))
    }

    /// `unbind`: removes a binding.
    pub(super) fn unbind(&self, name: &[NameComponent]) -> Result<(), NamingError> {
        self.call("unbind", &|out| put_name(out, name), &mut |_| Ok(()))
    }

    /// `bind_new_context`: makes a context and binds it.
    pub(super) fn bind_new_context(&self, name: &[NameComponent]) -> Result<Self, NamingError> {
        self.call("bind_new_context", &|out| put_name(out, name), &mut |input| {
            Object::decode(input)
        })
        .map(Self)
    }

    fn call<'p, R>(
        &self,
        operation: &'static str,
        arguments: &dyn Fn(&mut Encoder<'p>) -> CdrResult,
        results: &mut dyn FnMut(&mut Decoder<'_>) -> CdrResult<R>,
    ) -> Result<R, NamingError> {
        let operation = Operation::of_idl(operation, signature);
        let request = Request::new(operation, ResponseFlags::Target, arguments);
        let mut outcome = None;
        client::call(&self.0, request, &mut |status, input| {
            outcome = Some(match status {
                ReplyStatus::NoException => Ok(results(input)?),
                _ => Err(user_exception(input)?),
            });
            Ok(())
        })?;
        outcome.unwrap_or_else(|| Err(SystemException::shut_down().into()))
    }
}

fn put_name(out: &mut Encoder<'_>, name: &[NameComponent]) -> CdrResult {
    out.put_length(name.len())?;
    name.iter().try_for_each(|component| {
        out.put_string(&component.id)?;
        out.put_string(&component.kind)
    })
}

fn name(input: &mut Decoder<'_>) -> CdrResult<Vec<NameComponent>> {
    input.sequence_with(|input| {
        let (id, kind) = (input.string()?.into_owned(), input.string()?.into_owned());
        Ok(NameComponent { id, kind })
    })
}

fn user_exception(input: &mut Decoder<'_>) -> CdrResult<NamingError> {
    let id = input.string()?.into_owned();
    Ok(match &*id {
        "IDL:omg.org/CosNaming/NamingContext/NotFound:1.0" => {
            let why = match input.u32()? {
                0 => NotFoundReason::MissingNode,
                1 => NotFoundReason::NotContext,
                2 => NotFoundReason::NotObject,
                other => return Err(input.invalid_enum("NotFoundReason", other)),
            };
            NamingError::NotFound(why, name(input)?)
        }
        "IDL:omg.org/CosNaming/NamingContext/AlreadyBound:1.0" => NamingError::AlreadyBound,
        _ => NamingError::Other(id),
    })
}

/// What the IDL says of the four operations, for interceptors that read arguments.
fn signature(operation: &str) -> Option<Signature> {
    let described = Signature::new().with_in("n", name_type());
    Some(match operation {
        "resolve" => described.with_result(Object::type_code()),
        "rebind" => described.with_in("obj", Object::type_code()),
        "unbind" => described,
        "bind_new_context" => described.with_result(TypeCode::object_reference(
            "IDL:omg.org/CosNaming/NamingContext:1.0",
            "NamingContext",
        )),
        _ => return None,
    })
}

/// The TypeCode of `CosNaming::Name`.
fn name_type() -> TypeCode {
    let string =
        TypeCode::alias("IDL:omg.org/CosNaming/Istring:1.0", "Istring", String::type_code());
    let component = TypeCode::structure(
        "IDL:omg.org/CosNaming/NameComponent:1.0",
        "NameComponent",
        [("id", string.clone()), ("kind", string)],
    );
    let names = TypeCode::sequence(component, 0);
    TypeCode::alias("IDL:omg.org/CosNaming/Name:1.0", "Name", names)
}
