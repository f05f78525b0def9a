//! Programs of COM call objects of CORBA.

use crate::site::{LONG, Site, until};
use armilla_bridge::model::{View, iid};
use armilla_dcerpc::Status;
use armilla_dcerpc::ndr::{ConformantVarying, Unique};
use armilla_dcom::automation::dispatch::{DISPATCH, flags};
use armilla_dcom::automation::{Bound, Bstr, Elements, SafeArray, Variant};
use armilla_dcom::client::{Cause, Client, Error, Proxy};

/// The exception of a call by name.
fn exception(error: &Error) -> (Status, String) {
    match &*error.cause {
        Cause::Exception { source, description, status } => {
            assert!(source.starts_with("Shop::Store."), "{source}");
            (*status, description.clone())
        }
        other => panic!("{other:?}"),
    }
}

/// The object of a result.
pub(crate) fn object(client: &Client, value: &Variant) -> Proxy {
    let Variant::Dispatch(Some(pointer)) = value else { panic!("{value:?}") };
    client.unmarshal(&pointer.reference().unwrap()).unwrap()
}

#[test]
fn operations_and_attributes_have_their_names() {
    let site = Site::new();
    let (_client, store) = site.view();
    assert_eq!(store.get("Value").unwrap(), Variant::I4(42));
    store.put("label", "shelf".into()).unwrap();
    assert_eq!(store.get("LABEL").unwrap(), Variant::from("shelf"));
    assert_eq!(store.call_by_name("add", &[8.into()]).unwrap(), Variant::I4(50));
    // A number of another type that fits is as good.
    assert_eq!(store.call_by_name("add", &[Variant::R8(1.0)]).unwrap(), Variant::I4(43));
    store.call_by_name("note", &["seen".into()]).unwrap();
    until(|| *site.store.notes.lock().unwrap() == ["seen"]);
    assert_eq!(store.call_by_name("colour", &[]).unwrap_err().status(), Some(Status::UNKNOWN_NAME));
    let readonly = store.put("value", 1.into()).unwrap_err();
    assert_eq!(readonly.status(), Some(Status::MEMBER_NOT_FOUND));
}

#[test]
fn user_and_system_exceptions_say_what_they_are() {
    let site = Site::new();
    let (_client, store) = site.view();
    let (status, text) = exception(&store.call_by_name("add", &[(-1).into()]).unwrap_err());
    assert_eq!(status, Status(0x8004_02ff));
    assert_eq!(text, "CORBA User Exception: [Shop::Empty] what = the shelf count = -1");
    let (status, text) = exception(&store.call_by_name("fail", &[]).unwrap_err());
    assert_eq!(status, Status(0x8004_0206));
    let said = "CORBA System Exception: [CORBA::NO_PERMISSION] minor code [7][NO]";
    assert!(text.starts_with(said), "{text}");
    assert!(text.contains("it is locked"), "{text}");
}

#[test]
fn a_script_may_ask_for_the_exception_as_an_object() {
    let site = Site::new();
    let (client, store) = site.view();
    let add = store.member("add").unwrap();
    let place = || Variant::VariantReference(Box::new(Variant::Empty));
    let mut arguments = [Variant::I4(-3), place()];
    store.invoke_changing(add, flags::METHOD, &mut arguments).unwrap();
    let raised = object(&client, arguments[1].value());
    assert_eq!(raised.get("what").unwrap(), Variant::from("the shelf"));
    assert_eq!(raised.get("count").unwrap(), Variant::I4(-3));
    let id = raised.get("EX_Id").unwrap();
    assert_eq!(id, Variant::from("IDL:Shop/Empty:1.0"));
    let mut arguments = [Variant::I4(3), place()];
    let sum = store.invoke_changing(add, flags::METHOD, &mut arguments).unwrap();
    assert_eq!((sum, arguments[1].value()), (Variant::I4(45), &Variant::Dispatch(None)));
}

#[test]
fn arguments_that_do_not_fit_are_told_by_their_place() {
    let site = Site::new();
    let (_client, store) = site.view();
    let status = |name: &str, arguments: &[Variant]| {
        store.call_by_name(name, arguments).unwrap_err().status().unwrap()
    };
    assert_eq!(status("add", &["much".into()]), Status::TYPE_MISMATCH);
    assert_eq!(status("add", &[Variant::R8(1.5)]), Status::TYPE_MISMATCH);
    assert_eq!(status("add", &[Variant::I8(1 << 40)]), Status::OVERFLOW);
    assert_eq!(status("add", &[]), Status::PARAMETER_NOT_OPTIONAL);
    assert_eq!(status("add", &[1.into(), 2.into()]), Status::BAD_PARAMETER_COUNT);
    assert_eq!(status("next", &["purple".into()]), Status::OVERFLOW);
    assert_eq!(status("listen", &[1.into()]), Status::TYPE_MISMATCH);
    // Each by its place, as people count.
    let point = Variant::Array(vec![Variant::I4(1), Variant::from("gate")].into());
    let second = store.call_by_name("move", &[point, "far".into()]).unwrap_err();
    assert!(second.to_string().contains("argument 2 of the member move"), "{second}");
    let first = store.call_by_name("move", &["gate".into(), 3.into()]).unwrap_err();
    assert!(first.to_string().contains("argument 1 of the member move"), "{first}");
}

#[test]
fn sequences_are_arrays_and_out_parameters_references() {
    let site = Site::new();
    let (_client, store) = site.view();
    let numbers = Variant::Array(vec![1.5, 2.0, 3.0].into());
    assert_eq!(store.call_by_name("sum", &[numbers]).unwrap(), Variant::R8(6.5));
    let mixed = Variant::Array(vec![Variant::I2(1), Variant::R4(0.5)].into());
    assert_eq!(store.call_by_name("sum", &[mixed]).unwrap(), Variant::R8(1.5));
    let names: SafeArray = vec![Bstr::from("größer"), Bstr::from("smaller")].into();
    assert_eq!(store.call_by_name("names", &[]).unwrap(), Variant::Array(names));
    let octets = Variant::Array(vec![1u8, 2, 3].into());
    let back = store.call_by_name("octets", &[octets]).unwrap();
    assert_eq!(back, Variant::Array(vec![3u8, 2, 1].into()));
    let reference = |value| Variant::Reference(Box::new(value));
    let mut arguments = [
        reference("left".into()),
        reference("right".into()),
        Variant::VariantReference(Box::new(Variant::Empty)),
    ];
    let swap = store.member("swap").unwrap();
    store.invoke_changing(swap, flags::METHOD, &mut arguments).unwrap();
    assert_eq!(arguments[0], reference("right".into()));
    assert_eq!(arguments[1], reference("left".into()));
    assert_eq!(arguments[2].value(), &Variant::I4(9));
    assert_eq!(store.call_by_name("next", &[0.into()]).unwrap(), Variant::I4(1));
    assert_eq!(store.call_by_name("next", &["green".into()]).unwrap(), Variant::I4(2));
}

#[test]
fn structs_and_unions_are_objects_with_properties() {
    let site = Site::new();
    let (client, store) = site.view();
    let factory = site.factory(&client, DISPATCH.uuid);
    let point = factory.call_by_name("CreateTypeById", &["IDL:Shop/Point:1.0".into()]).unwrap();
    let there = object(&client, &point);
    there.put("x", 5.into()).unwrap();
    there.put("label", "door".into()).unwrap();
    assert_eq!(there.put("x", "far".into()).unwrap_err().hresult(), Status::TYPE_MISMATCH);
    let moved = store.call_by_name("move", &[point.clone(), 3.into()]).unwrap();
    let moved = object(&client, &moved);
    assert_eq!(moved.get("x").unwrap(), Variant::I4(8));
    assert_eq!(moved.get("label").unwrap(), Variant::from("door"));
    assert_eq!(moved.get("INSTANCE_repositoryId").unwrap(), Variant::from("IDL:Shop/Point:1.0"));
    // A script without objects gives the members in their order.
    let members = Variant::Array(vec![Variant::I4(1), Variant::from("gate")].into());
    let moved = object(&client, &store.call_by_name("move", &[members, 1.into()]).unwrap());
    assert_eq!(moved.get("x").unwrap(), Variant::I4(2));
    let Variant::Array(many) = store.call_by_name("many", &[3.into()]).unwrap() else { panic!() };
    let last = many.elements.to_variants().pop().unwrap();
    assert_eq!(object(&client, &last).get("label").unwrap(), Variant::from("p2"));
    let choice = factory.call_by_name("CreateType", &[Variant::Empty, "Shop::Choice".into()]);
    let choice = choice.unwrap();
    let union = object(&client, &choice);
    union.put("number", 2.5.into()).unwrap();
    let chosen = object(&client, &store.call_by_name("choose", &[choice]).unwrap());
    assert_eq!(chosen.get("UNION_d").unwrap(), Variant::I4(2));
    assert_eq!(chosen.get("number").unwrap(), Variant::R8(2.5));
    assert_eq!(chosen.get("text").unwrap_err().hresult(), Status::TYPE_MISMATCH);
}

#[test]
fn an_any_is_what_it_holds() {
    let site = Site::new();
    let (client, store) = site.view();
    for value in [
        Variant::I2(-5),
        Variant::I4(1 << 30),
        Variant::R8(0.25),
        Variant::Bool(true),
        Variant::from("größer"),
        Variant::Array(vec![1, 2, 3].into()),
        Variant::Empty,
    ] {
        assert_eq!(store.call_by_name("echo", std::slice::from_ref(&value)).unwrap(), value);
    }
    // A table of two rows and three columns comes back as the rows; CORBA has no other tables.
    let bounds = [2, 3].map(|count| Bound { count, lower: 1 }).to_vec();
    let elements = Elements::I4(vec![11, 21, 12, 22, 13, 23]);
    let table = Variant::Array(SafeArray { features: 0, bounds, elements });
    let rows = [vec![11, 12, 13], vec![21, 22, 23]].map(|row| Variant::Array(row.into()));
    let rows = Variant::Array(rows.to_vec().into());
    assert_eq!(store.call_by_name("echo", std::slice::from_ref(&table)).unwrap(), rows);
    // An octet for each row, and each dimension, would be much more elsewhere.
    for bounds in [vec![0x4_0001, 1], vec![1; 9]] {
        let elements = Elements::U1(vec![0; bounds[0] as usize]);
        let bounds = bounds.into_iter().map(|count| Bound { count, lower: 0 }).collect();
        let large = Variant::Array(SafeArray { features: 0, bounds, elements });
        let error = store.call_by_name("echo", &[large]).unwrap_err();
        assert_eq!(error.hresult(), Status::OVERFLOW, "{error}");
    }
    // What has one dimension does not take two.
    let error = store.call_by_name("sum", &[table]).unwrap_err();
    assert_eq!(error.hresult(), Status::TYPE_MISMATCH, "{error}");
    let part = store.call_by_name("part", &[]).unwrap();
    let back = store.call_by_name("echo", &[part]).unwrap();
    assert_eq!(object(&client, &back).get("value").unwrap(), Variant::I4(7));
}

#[test]
fn objects_are_found_by_name_and_only_those_that_have_one() {
    use armilla_dcom::remote::UNKNOWN;
    let site = Site::new();
    let (client, _) = site.view();
    let factory = site.factory(&client, DISPATCH.uuid);
    let found = factory.call_by_name("GetObject", &["store".into()]).unwrap();
    assert_eq!(object(&client, &found).get("value").unwrap(), Variant::I4(42));
    for name in ["corbaloc::127.0.0.1:1/x", "IOR:00", "stor"] {
        let (_, text) = {
            let error = factory.call_by_name("GetObject", &[name.into()]).unwrap_err();
            match *error.cause {
                Cause::Exception { source, description, .. } => (source, description),
                other => panic!("{other:?}"),
            }
        };
        assert!(text.contains("is no object"), "{text}");
    }
    let by_number = site.factory(&client, UNKNOWN);
    assert!(by_number.query_interface(DISPATCH.uuid).is_ok());
}

#[test]
fn a_view_has_the_iid_of_its_interface_and_tells_what_it_shows() {
    use armilla_dcom::server::Object as _;
    let site = Site::new();
    let (_client, store) = site.view();
    let own = store.query_interface(iid("IDL:Shop/Store:1.0", View::Automation)).unwrap();
    assert_eq!(own.get("value").unwrap(), Variant::I4(42));
    assert!(!site.boiler.supports(iid("IDL:Shop/Store:1.0", View::Automation)));
    let foreign = store.query_interface(foreign::FOREIGN_OBJECT.uuid).unwrap();
    let ask = |values: Vec<i32>| {
        let used = values.len() as u32;
        let values: ConformantVarying<i32> = values.into();
        let systems = foreign::Systems { maximum: used, used, values: Unique::new(values) };
        foreign.call::<foreign::GetForeignReference>(&foreign::SystemsIn { systems }).unwrap()
    };
    let told = ask(vec![9, 1]);
    let reference = told.reference.get().unwrap().to_text();
    assert_eq!(told.system, 1);
    let store = site.orb.string_to_object(&reference).unwrap();
    assert!(store.is_a("IDL:Shop/Store:1.0").unwrap());
    assert!(ask(vec![9]).reference.get().is_none());
}

/// `IForeignObject` as another bridge has it.
mod foreign {
    use armilla_dcerpc::ndr::{ConformantVarying, Unique, WideString};
    armilla_dcerpc::ndr_interface! {
        /// What an object of another system is behind its view.
        pub const FOREIGN_OBJECT = "204f6242-3aec-11cf-bbfc-444553540000", 0, 0;
        /// The reference.
        3 => GetForeignReference(SystemsIn) -> ForeignOut;
    }
    armilla_dcerpc::ndr_struct! {
        /// Systems by number.
        pub struct Systems {
            /// How many there may be.
            pub maximum: u32,
            /// How many there are.
            pub used: u32,
            /// Their numbers.
            pub values: Unique<ConformantVarying<i32>>,
        }
    }
    armilla_dcerpc::ndr_parameters! {
        /// What is given.
        pub struct SystemsIn {
            /// The systems.
            pub systems: Systems,
        }
        /// What comes.
        pub struct ForeignOut {
            /// The system.
            pub system: i32,
            /// The reference.
            pub reference: Unique<WideString>,
        }
    }
}

#[test]
fn views_go_when_nobody_refers_to_them() {
    let site = Site::new();
    let (client, store) = site.view();
    let part = object(&client, &store.call_by_name("part", &[]).unwrap());
    let again = object(&client, &store.call_by_name("part", &[]).unwrap());
    // One object has one view.
    assert_eq!(part.oid(), again.oid());
    assert_eq!(site.bridge.counts().views, 2);
    drop((part, again));
    assert!(client.flush(LONG));
    until(|| site.bridge.counts().views == 1);
    for _ in 0..100 {
        let many = store.call_by_name("many", &[5.into()]).unwrap();
        let Variant::Array(many) = many else { panic!() };
        let all: Vec<_> =
            many.elements.to_variants().iter().map(|it| object(&client, it)).collect();
        drop(all);
    }
    drop(store);
    assert!(client.flush(LONG));
    until(|| site.bridge.counts().views == 0);
    assert!(site.gateway.exports().is_empty());
}

#[test]
fn a_view_says_what_its_interface_has() {
    let site = Site::new();
    let (_client, store) = site.view();
    let [ty] = &store.describe().unwrap()[..] else { panic!() };
    assert_eq!((&*ty.name, ty.uuid), ("DIShop_Store", iid("IDL:Shop/Store:1.0", View::Automation)));
    let text = ty.to_string();
    for line in [
        "[propget] long value()",
        "[propget] BSTR label()",
        "[propput] void label([in] BSTR value)",
        "double sum([in] SAFEARRAY(double) values)",
        "void swap([in, out] BSTR* left, [in, out] BSTR* right, [out] long* length)",
        "IDispatch* move([in] IDispatch* at, [in] long by)",
        "VARIANT echo([in] VARIANT value)",
        "SAFEARRAY(unsigned char) octets([in] SAFEARRAY(unsigned char) given)",
        "VARIANT_BOOL is_part([in] IDispatch* one)",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(ty.named("Add").next().unwrap().member, store.member("add").unwrap());
}
