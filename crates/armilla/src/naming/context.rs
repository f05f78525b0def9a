//! The four operations of a naming context that the ORB itself calls (Naming Service 1.3, 2.3).
//!
//! They are written by hand, so that the ORB does not need code that is generated for it. Programs
//! that want all of the service have the crate `armilla-cos-naming`.

use crate::client::{Object, Waiting};
use crate::exception::{Error, Raises};
use crate::signature::Signature;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder, TypeCode, Typed};
use armilla_giop::url::NameComponent;

/// What a naming context answers instead of a result.
pub(super) type NamingError = Error<Refusal>;

/// The user exceptions of a naming context.
pub(super) enum Refusal {
    /// `NotFound`: why, and the rest of the name from the component that failed.
    NotFound(NotFoundReason, Vec<NameComponent>),
    /// `AlreadyBound`.
    AlreadyBound,
    /// Another user exception, by its repository id.
    Other(String),
}

/// Why a name was not found.
#[derive(Clone, Copy)]
pub(super) enum NotFoundReason {
    MissingNode,
    NotContext,
    NotObject,
}

/// A reference to a naming context, and how to wait for its replies.
pub(super) struct NamingContext(pub(super) Object, pub(super) Waiting);

impl NamingContext {
    /// `resolve`: the object that is bound to `name`.
    pub(super) async fn resolve(&self, name: &[NameComponent]) -> Result<Object, NamingError> {
        let operation = ("resolve", signature as _);
        self.1.invoke_raises(&self.0, operation, |out| put_name(out, name), object).await
    }

    /// `rebind`: binds `object`, in place of what was bound before.
    pub(super) async fn rebind<'p>(
        &self,
        name: &[NameComponent],
        object: &'p Object,
    ) -> Result<(), NamingError> {
        let put = |out: &mut Encoder<'p>| {
            put_name(out, name)?;
            object.encode(out)
        };
        self.1.invoke_raises(&self.0, ("rebind", signature as _), put, |_| Ok(())).await
    }

    /// `unbind`: removes a binding.
    pub(super) async fn unbind(&self, name: &[NameComponent]) -> Result<(), NamingError> {
        let operation = ("unbind", signature as _);
        self.1.invoke_raises(&self.0, operation, |out| put_name(out, name), |_| Ok(())).await
    }

    /// `bind_new_context`: makes a context and binds it.
    pub(super) async fn bind_new_context(
        &self,
        name: &[NameComponent],
    ) -> Result<Self, NamingError> {
        let operation = ("bind_new_context", signature as _);
        let made =
            self.1.invoke_raises(&self.0, operation, |out| put_name(out, name), object).await?;
        Ok(Self(made, self.1))
    }
}

fn put_name(out: &mut Encoder<'_>, name: &[NameComponent]) -> CdrResult {
    out.put_length(name.len())?;
    name.iter().try_for_each(|component| {
        out.put_string(&component.id)?;
        out.put_string(&component.kind)
    })
}

fn object(input: &mut Decoder<'_>) -> CdrResult<Object> {
    Object::decode(input)
}

fn name(input: &mut Decoder<'_>) -> CdrResult<Vec<NameComponent>> {
    input.sequence_with(|input| {
        let (id, kind) = (input.string()?.into_owned(), input.string()?.into_owned());
        Ok(NameComponent { id, kind })
    })
}

impl Raises for Refusal {
    /// Only naming services raise these exceptions, and this is their client.
    fn encode<'p>(&'p self, _out: &mut Encoder<'p>) -> CdrResult {
        Ok(())
    }

    fn decode(repository_id: &str, input: &mut Decoder<'_>) -> CdrResult<Option<Self>> {
        Ok(Some(match repository_id {
            "IDL:omg.org/CosNaming/NamingContext/NotFound:1.0" => {
                let why = match input.u32()? {
                    0 => NotFoundReason::MissingNode,
                    1 => NotFoundReason::NotContext,
                    2 => NotFoundReason::NotObject,
                    other => return Err(input.invalid_enum("NotFoundReason", other)),
                };
                Self::NotFound(why, name(input)?)
            }
            "IDL:omg.org/CosNaming/NamingContext/AlreadyBound:1.0" => Self::AlreadyBound,
            other => Self::Other(other.to_owned()),
        }))
    }
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
