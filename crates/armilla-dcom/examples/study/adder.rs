//! An object for scripts.

use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::Variant;
use armilla_dcom::automation::dispatch::flags;
use armilla_dcom::automation::type_info::{
    Function, Parameter, Type, TypeDescription, TypeLibrary,
};
use armilla_dcom::client::Client;
use armilla_dcom::server::{Failure, Invocation, Scriptable};
use std::sync::Arc;

/// The class of the object.
pub(crate) const ADDER_CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d32");

/// The interface that describes it, and its library.
const ADDER_INTERFACE: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d33");
const ADDER_LIBRARY: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d34");

/// The interface of listeners, which scripts call as they call events: the number of the member is known.
const LISTENER: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d35");
const TOLD: i32 = 1;

/// `Add` adds numbers, `Join` joins texts, `Fail` fails, `Tell` calls an object of the caller.
pub(crate) struct Adder(pub(crate) Client);

impl Adder {
    /// Tells a listener a text, which may be anybody's object.
    fn tell(&self, listener: &Variant, text: &Variant) -> Result<Variant, Failure> {
        let (Variant::Dispatch(Some(pointer)) | Variant::Unknown(Some(pointer))) = listener else {
            return Err(Failure::Argument(Status::TYPE_MISMATCH, 0));
        };
        let reference = pointer.reference().map_err(|_| Status::INVALID_ARGUMENT)?;
        let told = self.0.unmarshal(&reference).and_then(|listener| {
            let listener = listener.query_interface(LISTENER)?;
            listener.invoke(TOLD, flags::METHOD, std::slice::from_ref(text))
        });
        told.map_err(|error| Failure::Exception {
            source: "Adder".into(),
            description: error.to_string(),
            status: error.hresult(),
        })
    }
}

impl Scriptable for Adder {
    fn member(&self, name: &str) -> Option<i32> {
        let members = ["Add", "Join", "Fail", "Tell"];
        let place = members.iter().position(|it| it.eq_ignore_ascii_case(name))?;
        i32::try_from(place + 1).ok()
    }

    fn description(&self) -> Option<Arc<TypeLibrary>> {
        let numbers = ["left", "right"].map(|name| Parameter::new(name, Type::I4)).to_vec();
        let texts = vec![Parameter::new("texts", Type::BSTR.array())];
        let told = [("listener", Type::DISPATCH), ("text", Type::BSTR)];
        let told = told.map(|(name, ty)| Parameter::new(name, ty)).to_vec();
        let functions = vec![
            Function::method(1, "Add", numbers, Type::VARIANT),
            Function::method(2, "Join", texts, Type::BSTR),
            Function::method(3, "Fail", vec![], Type::VOID),
            Function::method(4, "Tell", told, Type::VARIANT),
        ];
        let adder = TypeDescription::dispatch("Adder", ADDER_INTERFACE, functions);
        let class = TypeDescription::class("AdderClass", ADDER_CLASS, vec!["Adder".into()]);
        Some(Arc::new(TypeLibrary::new("Adders", ADDER_LIBRARY, vec![adder, class])))
    }

    fn invoke(&self, invocation: &mut Invocation<'_>) -> Result<Variant, Failure> {
        let each = || invocation.arguments.iter().zip(0..);
        match invocation.member {
            1 => {
                let wrong = |place| Failure::Argument(Status::TYPE_MISMATCH, place);
                let number = |(value, place): (&Variant, u32)| value.as_i64().ok_or(wrong(place));
                let sum = each().map(number).sum::<Result<i64, _>>()?;
                let small = i32::try_from(sum).map(Variant::I4);
                Ok(small.unwrap_or(Variant::I8(sum)))
            }
            2 => {
                let texts = each().map(|(value, _)| value.as_text().unwrap_or_default());
                Ok(Variant::from(&*texts.collect::<String>()))
            }
            3 => Err(Failure::Exception {
                source: "Adder".into(),
                description: "as it was asked to".into(),
                status: Status::FAIL,
            }),
            4 => match &invocation.arguments[..] {
                [listener, text] => self.tell(listener, text),
                _ => Err(Status::BAD_PARAMETER_COUNT.into()),
            },
            _ => Err(Status::MEMBER_NOT_FOUND.into()),
        }
    }
}
