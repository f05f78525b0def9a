//! Servants that implement a part of their interface, and `?` in operations with `raises`.

use armilla::TypeCode;
use armilla::dynamic::{DynAny, TypeCodeFactory};
use armilla::{Any, CdrError, Error, ExceptionKind, ObjectId, Orb, Poa, PoaError, SystemException};
use armilla_tests::orbs;

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("device");
}

use idl::instruments::{Busy, Device, DeviceRef, Reading, device};

/// Implements one operation, and leaves out the others.
struct Partial;

impl Device for Partial {
    fn read(&self, channel: &str) -> Result<Reading, Error<device::ReadRaises>> {
        match channel {
            "busy" => Err(Busy { reason: "calibrating".into() })?,
            "missing" => Err(ExceptionKind::BadParam.because("there is no such channel"))?,
            _ => Ok(Reading { value: 0.5, age: 1 }),
        }
    }
}

fn served(orb: &Orb) -> DeviceRef {
    orb.root_poa().activate(device::tie(Partial)).unwrap()
}

#[test]
fn an_operation_that_a_servant_leaves_out_raises_no_implement() {
    let (server, client) = (orbs::listening(), orbs::client());
    let url = server.object_to_string(served(&server).object()).unwrap();
    let far: DeviceRef = client.resolve(&url).unwrap();
    for device in [far, served(&server)] {
        assert_eq!(device.read("a").unwrap().value, 0.5);
        let mut last = Reading { value: 0.0, age: 0 };
        let error = device.move_to(1.0, &mut last).unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::NoImplement);
        assert!(error.to_string().contains("Instruments::Device::move_to"), "{error}");
        let attribute = device.name().unwrap_err();
        assert!(attribute.to_string().contains("Instruments::Device::_get_name"), "{attribute}");
        let later = device.owner_async(1, &armilla::dynamic::Context::new()).wait().unwrap_err();
        assert_eq!(later.kind(), ExceptionKind::NoImplement);
        assert!(matches!(device.adopt(1), Err(Error::System(e)) if e == error));
    }
}

#[test]
fn an_operation_with_raises_converts_what_a_servant_meets() {
    let device = served(&orbs::listening());
    let busy = device.read("busy").unwrap_err();
    assert!(
        matches!(busy, Error::User(device::ReadRaises::Busy(why)) if why.reason == "calibrating")
    );
    let missing = device.read("missing").unwrap_err();
    assert!(matches!(missing, Error::System(e) if e.reason() == Some("there is no such channel")));
}

/// What the body of an operation with `raises` may do with `?`.
fn adopt(poa: &Poa, id: &ObjectId) -> Result<Any, Error<device::AdoptRaises>> {
    poa.deactivate(id)?;
    poa.activate_with_id(id, device::tie(Partial))?;
    poa.activate_with_id(format!("{}", 7), device::tie(Partial))?;
    let any = Any::new("text")?;
    let text = any.get::<String>()?;
    match text.as_deref() {
        Some("text") => Ok(any),
        _ => Err(ExceptionKind::Internal)?,
    }
}

/// The same for the errors of dynamic values.
fn adopt_dynamic(count: i32) -> Result<Any, Error<device::AdoptRaises>> {
    let code = TypeCodeFactory::create_alias_tc("IDL:Count:1.0", "Count", TypeCode::Long)?;
    let mut value = DynAny::new(&code)?;
    match count {
        0 => value.insert_string("none")?,
        count => value.insert_long(count)?,
    }
    Ok(value.to_any()?)
}

#[test]
fn question_marks_work_on_the_errors_of_dynamic_values() {
    assert_eq!(adopt_dynamic(7).unwrap().get::<i32>().unwrap(), Some(7));
    let error = adopt_dynamic(0).unwrap_err();
    assert!(matches!(error, Error::System(e) if e.kind() == ExceptionKind::BadParam));
    let unnamed = TypeCodeFactory::create_alias_tc("no id", "Count", TypeCode::Long).unwrap_err();
    let error: Error<device::AdoptRaises> = unnamed.into();
    assert!(matches!(error, Error::System(e) if e.kind() == ExceptionKind::BadParam));
}

#[test]
fn question_marks_work_on_the_errors_of_the_orb() {
    let orb = orbs::listening();
    let poa = orb.root_poa();
    let error = adopt(&poa, &ObjectId::from("nobody")).unwrap_err();
    let from_poa = SystemException::from(PoaError::ObjectNotActive);
    assert!(matches!(error, Error::System(e) if e == from_poa));
    let from_cdr = |error: CdrError| -> Error<device::AdoptRaises> { error.into() };
    let error = Any::with_type(armilla::TypeCode::String(2), "long").unwrap_err();
    assert!(matches!(from_cdr(error), Error::System(e) if e.kind() == ExceptionKind::BadParam));
}

#[test]
fn a_typed_reference_is_narrowed() {
    let device = served(&orbs::listening());
    let same: DeviceRef = device.narrow().unwrap();
    assert_eq!(same.object(), device.object());
    let error = device.narrow::<dyn armilla_tests::probe::Counted>().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::BadParam);
}
