//! By which programs of COM find objects of CORBA: `ICORBAFactory`, by number and by name
//! (CORBA 2.3, 17.7.3).

use crate::bridge::Bridge;
use crate::generated::{IcorbaFactory, icorba_factory};
use crate::ground::Ground;
use crate::model::{Crossing, Mismatch};
use armilla::dynamic::DynAny;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::ErrorInfo;
use armilla_dcom::InterfacePointer;
use armilla_dcom::automation::Variant;
use armilla_dcom::automation::dispatch::DISPATCH;
use armilla_dcom::remote::{SUPPORT_ERROR_INFO, UNKNOWN};
use armilla_dcom::server::{
    Caller, Dispatched, Failure, Invocation, Object as ComObject, ObjectCall, Scriptable,
    ServerBuilder,
};
use std::sync::Arc;

/// The class whose objects find objects of CORBA: `CORBA.Factory` (CORBA 2.3, 17.7.3).
const FACTORY_CLASS: Uuid = Uuid::literal("913d82c0-3b00-11cf-bbfc-444553540000");

/// The interface of the factory for scripts.
const DICORBA_FACTORY: Uuid = Uuid::literal("204f6241-3aec-11cf-bbfc-444553540000");

/// The interface whose operations rules speak of, when they say who may find objects.
const ABOUT: &str = "CORBA.Factory";

/// The members by name. `CreateType` makes a value with members.
const MEMBERS: [&str; 4] = ["GetObject", "CreateObject", "CreateTypeById", "CreateType"];

/// Finds objects of CORBA for programs of COM.
struct Factory(Dispatched<Finder>);

struct Finder(Bridge);

impl Bridge {
    /// Adds the classes of the bridge to a server of DCOM: the factory, and those of the options.
    pub fn classes(&self, server: ServerBuilder) -> ServerBuilder {
        let bridge = self.clone();
        let server = server.class(FACTORY_CLASS, move |_: &Caller<'_>| {
            Ok(Arc::new(Factory(Dispatched(Finder(bridge.clone())))) as Arc<dyn ComObject>)
        });
        self.options().classes.iter().fold(server, |server, (class, name)| {
            let (bridge, name) = (self.clone(), name.clone());
            server.class(*class, move |_: &Caller<'_>| {
                let view = bridge.named(&name).map_err(|mismatch| mismatch.status)?;
                Ok(view as Arc<dyn ComObject>)
            })
        })
    }
}

impl ComObject for Factory {
    fn supports(&self, iid: Uuid) -> bool {
        [DISPATCH.uuid, DICORBA_FACTORY, icorba_factory::IID, SUPPORT_ERROR_INFO.uuid]
            .contains(&iid)
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        match call.iid {
            icorba_factory::IID => {
                icorba_factory::call(&ByNumber { finder: &self.0.0, call }, call)
            }
            support if support == SUPPORT_ERROR_INFO.uuid => {
                call.support_error_info(|iid| iid == icorba_factory::IID)
            }
            _ => self.0.call(call),
        }
    }
}

impl Finder {
    fn check(&self, caller: &Caller<'_>, operation: &str) -> Result<(), Mismatch> {
        self.0.check(caller, ("", ABOUT, operation))
    }

    /// The view of an object with a name.
    fn find(&self, name: &str, iid: Uuid) -> Result<InterfacePointer, Mismatch> {
        let view = self.0.named(name)?;
        let pointer = self.0.exports()?.pointer(view, iid);
        pointer.map_err(|status| Mismatch { status, what: format!("no view of {name}") })
    }

    /// A value of a type with members, which a script then sets.
    fn create(&self, name: &str) -> Result<InterfacePointer, Mismatch> {
        let code = self.0.interfaces().type_named(name);
        let code = code.ok_or_else(|| Mismatch::ty(format!("no IDL has the type {name}")))?;
        self.0.with_members(DynAny::new(&code)?)
    }
}

/// The factory as it is called by number: for one call, whose failure it explains.
struct ByNumber<'a> {
    finder: &'a Finder,
    call: &'a ObjectCall<'a>,
}

impl IcorbaFactory for ByNumber<'_> {
    fn create_object(&self, factory_name: String) -> Result<Option<InterfacePointer>, Status> {
        self.get_object(factory_name)
    }

    fn get_object(&self, object_name: String) -> Result<Option<InterfacePointer>, Status> {
        let allowed = self.finder.check(&self.call.caller, "GetObject");
        let found = allowed.and_then(|()| self.finder.find(&object_name, UNKNOWN));
        found.map(Some).map_err(|Mismatch { status, what }| {
            self.call.explain(ErrorInfo::new(ABOUT, what));
            status
        })
    }
}

impl Scriptable for Finder {
    fn member(&self, name: &str) -> Option<i32> {
        let place = MEMBERS.iter().position(|known| known.eq_ignore_ascii_case(name))?;
        i32::try_from(place + 1).ok()
    }

    fn invoke(&self, invocation: &mut Invocation<'_>) -> Result<Variant, Failure> {
        let place = usize::try_from(invocation.member).ok().and_then(|it| it.checked_sub(1));
        let name = place.and_then(|place| MEMBERS.get(place)).ok_or(Status::MEMBER_NOT_FOUND)?;
        // The first parameter of `CreateType` is a scope, which names are complete without.
        let text = invocation.arguments.iter().rev().find_map(Variant::as_text);
        let text = text.ok_or(Status::PARAMETER_NOT_OPTIONAL)?;
        let found = self.check(&invocation.call.caller, name).and_then(|()| match *name {
            "GetObject" | "CreateObject" => self.find(&text, DISPATCH.uuid),
            _ => self.create(&text),
        });
        match found {
            Ok(pointer) => Ok(Variant::Dispatch(Some(pointer))),
            Err(Mismatch { status, what }) => {
                Err(Failure::Exception { source: ABOUT.to_owned(), description: what, status })
            }
        }
    }
}
