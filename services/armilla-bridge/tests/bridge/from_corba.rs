//! Programs of CORBA call objects of COM.

use crate::generated::plant::boiler::FailRaises;
use crate::generated::plant::{Boiler, BoilerRef};
use crate::site::Site;
use armilla::{Any, Completion, Error, ExceptionKind, TypeCode};

fn boiler(site: &Site) -> BoilerRef {
    site.com_object("boiler").narrow().unwrap()
}

#[test]
fn members_are_the_operations_of_the_interface() {
    let site = Site::new();
    let boiler = boiler(&site);
    boiler.set_pressure(1.5).unwrap();
    assert_eq!(*site.boiler.0.pressure.lock().unwrap(), 1.5);
    assert_eq!(boiler.pressure().unwrap(), 1.5);
    assert_eq!(boiler.add(2, 40).unwrap(), 42);
    let (mut left, mut right) = ("left".to_owned(), "größer".to_owned());
    boiler.swap(&mut left, &mut right).unwrap();
    assert_eq!((&*left, &*right), ("größer", "left"));
    assert_eq!(boiler.list().unwrap(), ["one", "two"]);
    assert_eq!(site.bridge.counts().to_com, 5);
    assert_eq!(site.bridge.counts().to_com_failed, 0);
}

#[test]
fn a_failure_is_the_exception_of_the_operation_or_one_of_the_system() {
    let site = Site::new();
    let boiler = boiler(&site);
    let Err(Error::User(FailRaises::ComError(error))) = boiler.fail() else { panic!() };
    assert_eq!(error.hresult, 0x8004_9999_u32 as i32);
    assert_eq!((&*error.source, &*error.description), ("Boiler", "the water is cold"));
    let error = boiler.break_down().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::NoPermission, "{error}");
    assert_eq!(error.completed(), Completion::Maybe);
}

#[test]
fn an_object_without_idl_is_called_by_names() {
    let site = Site::new();
    let anything = site.com_object("anything");
    let arguments = TypeCode::sequence(TypeCode::Any, 0);
    let call = |name: &str, values: Vec<Any>| {
        let mut request = anything.request("invoke");
        request.add_in("name", Any::new(name).unwrap());
        request.add_in("given", Any::with_type(arguments.clone(), &values).unwrap());
        request.set_return_type(TypeCode::Any);
        request.invoke().map(|()| request.return_value().get::<Any>().unwrap().unwrap())
    };
    let sum = call("Add", vec![Any::new(&2).unwrap(), Any::new(&40).unwrap()]).unwrap();
    assert_eq!(sum.get::<i32>().unwrap(), Some(42));
    let error = call("Vanish", vec![]).unwrap_err();
    let Error::System(error) = error else { panic!("{error:?}") };
    assert_eq!(error.kind(), ExceptionKind::BadOperation);
}

#[test]
fn the_interface_repository_of_the_bridge_describes_its_objects() {
    let site = Site::new();
    site.bridge.serve_interfaces().unwrap();
    let offered = armilla_ifr::discover(&site.com_object("boiler")).unwrap();
    assert!(offered.iter().any(|it| it.operation == "add"));
    assert!(site.com_object("boiler").is_a("IDL:Plant/Boiler:1.0").unwrap());
}

#[test]
fn a_class_is_activated_anew_when_its_object_is_gone() {
    let site = Site::new();
    let boiler = boiler(&site);
    assert_eq!(boiler.add(1, 1).unwrap(), 2);
    // The server of COM forgets it, as after a restart.
    let object = site.boiler.clone() as std::sync::Arc<dyn armilla_dcom::server::Object>;
    site.plant.exports().withdraw(&object);
    assert_eq!(boiler.add(1, 2).unwrap(), 3);
}

#[test]
fn a_plant_that_is_away_is_transient() {
    let site = Site::with(|options| {
        let boiler = options.com.get_mut("boiler").unwrap();
        boiler.host = "127.0.0.1[1]".to_owned();
    });
    let error = boiler(&site).add(1, 1).unwrap_err();
    let Error::System(error) = error else { panic!("{error:?}") };
    assert_eq!(error.kind(), ExceptionKind::Transient, "{error}");
    assert!(error.reason().unwrap().contains("no address can be reached"), "{error}");
}
