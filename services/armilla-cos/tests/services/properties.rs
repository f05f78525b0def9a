//! Property sets as clients of any vendor use them: types, modes, constraints, iterators, limits.

use armilla::{Any, Error, ExceptionKind, Orb, TypeCode};
use armilla_cos::properties::corba::property_set::{
    DefinePropertiesRaises, DefinePropertyRaises, DeletePropertyRaises, GetPropertyValueRaises,
};
use armilla_cos::properties::corba::property_set_def::SetPropertyModeRaises;
use armilla_cos::properties::corba::{
    ExceptionReason, PropertiesIterator, Property, PropertyDef, PropertyModeType,
    PropertyNamesIterator, PropertySet, PropertySetDef, PropertySetDefFactory, PropertySetFactory,
};
use armilla_cos::properties::{PropertyLimits, PropertyService, Store};

struct Served {
    orb: Orb,
    service: PropertyService,
}

impl Served {
    fn new(change: impl FnOnce(&mut PropertyLimits)) -> Self {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let mut limits = PropertyLimits::default();
        change(&mut limits);
        let service = PropertyService::serve(&orb, Store::memory(), limits).unwrap();
        Self { orb, service }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.orb.shutdown();
    }
}

fn any<T: armilla::Typed + armilla::Encode>(value: T) -> Any {
    Any::new(&value).unwrap()
}

fn property(name: &str, value: Any) -> Property {
    Property { property_name: name.to_owned(), property_value: value }
}

fn def(name: &str, value: Any, mode: PropertyModeType) -> PropertyDef {
    PropertyDef { property_name: name.to_owned(), property_value: value, property_mode: mode }
}

macro_rules! raises {
    ($call:expr, $raises:ident::$exception:ident) => {
        match $call {
            Err(Error::User($raises::$exception(_))) => {}
            other => panic!("{other:?}"),
        }
    };
}

#[test]
fn a_property_keeps_its_type_and_has_a_name() {
    let served = Served::new(|_| ());
    let set = served.service.factory().create_propertyset().unwrap();
    set.define_property("size", &any(7_i32)).unwrap();
    set.define_property("size", &any(8_i32)).unwrap();
    raises!(set.define_property("size", &any(8.5_f64)), DefinePropertyRaises::ConflictingProperty);
    raises!(set.define_property("", &any(8_i32)), DefinePropertyRaises::InvalidPropertyName);
    assert_eq!(set.get_property_value("size").unwrap(), any(8_i32));
    raises!(set.get_property_value("colour"), GetPropertyValueRaises::PropertyNotFound);
    raises!(set.get_property_value(""), GetPropertyValueRaises::InvalidPropertyName);
    assert_eq!(
        (set.is_property_defined("size"), set.is_property_defined("x")),
        (Ok(true), Ok(false))
    );
    let (all, found) = set.get_properties(&["size".to_owned(), "x".to_owned()]).unwrap();
    assert!(!all);
    assert_eq!(found[0], property("size", any(8_i32)));
    assert_eq!(found[1].property_value.type_code(), &TypeCode::Void);
    set.delete_property("size").unwrap();
    raises!(set.delete_property("size"), DeletePropertyRaises::PropertyNotFound);
}

#[test]
fn several_changes_are_made_as_far_as_they_can_be() {
    let served = Served::new(|_| ());
    let set = served.service.factory().create_propertyset().unwrap();
    let changes = [
        property("a", any(1_i32)),
        property("", any(1_i32)),
        property("a", any(2.5_f64)),
        property("b", any("x".to_owned())),
    ];
    let Err(Error::User(DefinePropertiesRaises::MultipleExceptions(refused))) =
        set.define_properties(&changes)
    else {
        panic!("two of them are refused")
    };
    let refused: Vec<_> =
        refused.exceptions.iter().map(|it| (it.reason, &*it.failing_property_name)).collect();
    let invalid = (ExceptionReason::InvalidPropertyName, "");
    assert_eq!(refused, [invalid, (ExceptionReason::ConflictingProperty, "a")]);
    assert_eq!(set.get_number_of_properties(), Ok(2));
    set.delete_properties(&["a".to_owned(), "a".to_owned()]).unwrap_err();
    assert_eq!(set.get_number_of_properties(), Ok(1));
}

#[test]
fn modes_say_what_may_be_changed_and_deleted() {
    let served = Served::new(|_| ());
    let defs = [
        def("normal", any(1_i32), PropertyModeType::Normal),
        def("read-only", any(1_i32), PropertyModeType::ReadOnly),
        def("fixed", any(1_i32), PropertyModeType::FixedNormal),
        def("both", any(1_i32), PropertyModeType::FixedReadonly),
    ];
    let set = served.service.def_factory().create_initial_propertysetdef(&defs).unwrap();
    for (name, changes, goes) in [
        ("normal", true, true),
        ("read-only", false, true),
        ("fixed", true, false),
        ("both", false, false),
    ] {
        assert_eq!(set.define_property(name, &any(2_i32)).is_ok(), changes, "{name}");
        assert_eq!(set.delete_property(name).is_ok(), goes, "{name}");
    }
    raises!(set.delete_property("both"), DeletePropertyRaises::FixedProperty);
    raises!(set.define_property("both", &any(3_i32)), DefinePropertyRaises::ReadOnlyProperty);
    assert_eq!(set.delete_all_properties(), Ok(false));
    assert_eq!(set.get_property_mode("both"), Ok(PropertyModeType::FixedReadonly));
    let undefined = set.set_property_mode("both", PropertyModeType::Undefined);
    raises!(undefined, SetPropertyModeRaises::UnsupportedMode);
    raises!(
        set.set_property_mode("normal", PropertyModeType::Normal),
        SetPropertyModeRaises::PropertyNotFound
    );
    let (all, modes) = set.get_property_modes(&["fixed".to_owned(), "x".to_owned()]).unwrap();
    assert!(!all);
    let modes: Vec<_> = modes.iter().map(|it| it.property_mode).collect();
    assert_eq!(modes, [PropertyModeType::FixedNormal, PropertyModeType::Undefined]);
    set.set_property_mode("fixed", PropertyModeType::Normal).unwrap();
    set.set_property_mode("both", PropertyModeType::Normal).unwrap();
    assert_eq!(set.delete_all_properties(), Ok(true));
}

#[test]
fn constraints_say_which_types_and_properties_a_set_takes() {
    let served = Served::new(|_| ());
    let factory = served.service.factory();
    let set = factory.create_constrained_propertyset(&[TypeCode::Long], &[]).unwrap();
    set.define_property("a", &any(1_i32)).unwrap();
    raises!(set.define_property("b", &any(true)), DefinePropertyRaises::UnsupportedTypeCode);

    let fixed = def("size", any(0_i32), PropertyModeType::FixedNormal);
    let defs = served.service.def_factory();
    let set = defs.create_constrained_propertysetdef(&[], std::slice::from_ref(&fixed)).unwrap();
    raises!(set.define_property("colour", &any(1_i32)), DefinePropertyRaises::UnsupportedProperty);
    raises!(set.define_property("size", &any(true)), DefinePropertyRaises::UnsupportedProperty);
    set.define_property("size", &any(9_i32)).unwrap();
    assert_eq!(set.get_property_mode("size"), Ok(PropertyModeType::FixedNormal));
    set.set_property_mode("size", PropertyModeType::Normal).unwrap_err();
    assert_eq!(set.get_allowed_properties().unwrap(), [fixed]);
    let contradiction = [property("a", any(true))];
    factory.create_constrained_propertyset(&[TypeCode::Long], &contradiction).unwrap_err();
}

#[test]
fn iterators_give_the_rest_and_the_oldest_goes_when_there_are_too_many() {
    let served = Served::new(|it| it.iterators.per_client = 2);
    let set = served.service.factory().create_propertyset().unwrap();
    for number in 0..10 {
        set.define_property(&format!("p{number}"), &any(number)).unwrap();
    }
    let (first, rest) = set.get_all_properties(3).unwrap();
    assert_eq!(first.len(), 3);
    let (more, next) = rest.next_n(4).unwrap();
    assert!(more);
    assert_eq!(
        next.iter().map(|it| &*it.property_name).collect::<Vec<_>>(),
        ["p3", "p4", "p5", "p6"]
    );
    // What is deleted meanwhile is not given, and nothing is given twice.
    set.delete_property("p7").unwrap();
    assert_eq!(rest.next_one().unwrap(), (true, property("p8", any(8))));
    assert_eq!(rest.next_n(5).unwrap().1.len(), 1);
    assert_eq!(rest.next_n(5).unwrap(), (false, vec![]));
    rest.reset().unwrap();
    assert_eq!(rest.next_one().unwrap().1.property_name, "p3");
    assert!(set.get_all_properties(9).unwrap().1.is_nil());

    let names: Vec<_> = (0..2).map(|_| set.get_all_property_names(0).unwrap().1).collect();
    let error = rest.next_one().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist);
    assert_eq!(names[0].next_n(100).unwrap().1.len(), 9);
    names[0].destroy().unwrap();
    assert_eq!(names[0].next_one().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
}

#[test]
fn sets_and_properties_are_bounded() {
    let served = Served::new(|it| (it.sets, it.properties, it.name) = (1, 2, 3));
    let factory = served.service.factory();
    let set = factory.create_propertyset().unwrap();
    let full = factory.create_propertyset().unwrap_err();
    assert_eq!(full.kind(), ExceptionKind::ImpLimit);
    set.define_property("long", &any(1_i32)).unwrap_err();
    set.define_property("a", &any(1_i32)).unwrap();
    set.define_property("b", &any(1_i32)).unwrap();
    set.define_property("c", &any(1_i32)).unwrap_err();
    set.define_property("b", &any(2_i32)).unwrap();
    assert_eq!(served.service.totals(), (1, 2, 0));
}
