//! The repository of service types.

use crate::served;
use armilla::{Error, ExceptionKind, TypeCode};
use armilla_cos_trading::Register;
use armilla_cos_trading::register::ExportRaises;
use armilla_cos_trading::repos::ServiceTypeRepository;
use armilla_cos_trading::repos::service_type_repository::*;
use served::{Served, declared, text};

fn all() -> SpecifiedServiceTypes {
    SpecifiedServiceTypes::Unlisted { discriminator: ListOption::All }
}

fn names(types: &[&str]) -> Vec<String> {
    types.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn types_are_added_described_and_listed() {
    let served = Served::with_printers();
    let colour = [declared("colour", TypeCode::Boolean, PropertyMode::PropNormal)];
    let added = served.types.add_type("::Office::Laser", "", &colour, &names(&["Printer"]));
    let added = added.unwrap();
    assert_eq!(added, IncarnationNumber { high: 0, low: 2 });
    assert_eq!(served.types.incarnation().unwrap(), IncarnationNumber { high: 0, low: 3 });

    let own = served.types.describe_type("::Office::Laser").unwrap();
    assert_eq!(own.props, colour);
    assert_eq!(own.super_types, ["Printer"]);
    assert_eq!((own.masked, own.incarnation), (false, added));
    let full = served.types.fully_describe_type("::Office::Laser").unwrap();
    let properties: Vec<&str> = full.props.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(properties, ["colour", "name", "price", "pages", "serial"]);

    assert_eq!(served.types.list_types(&all()).unwrap(), ["::Office::Laser", "Printer"]);
    let since = SpecifiedServiceTypes::Incarnation(added);
    assert_eq!(served.types.list_types(&since).unwrap(), ["::Office::Laser"]);
}

/// Adds a type with one property, and says with which exception that fails.
fn refusal(served: &Served, name: &str, property: PropStruct, bases: &[&str]) -> AddTypeRaises {
    match served.types.add_type(name, "", &[property], &names(bases)) {
        Err(Error::User(raised)) => raised,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn illegal_types_are_refused() {
    let served = Served::with_printers();
    let add = |name: &str, property: &str, bases: &[&str]| {
        let property = declared(property, TypeCode::Long, PropertyMode::PropNormal);
        refusal(&served, name, property, bases)
    };
    for illegal in ["", "9lives", "a b", "a:::b", "a::", "IDL:a"] {
        assert!(
            matches!(add(illegal, "x", &[]), AddTypeRaises::IllegalServiceType(_)),
            "{illegal}"
        );
    }
    assert!(matches!(add("Printer", "x", &[]), AddTypeRaises::ServiceTypeExists(_)));
    assert!(matches!(add("New", "1x", &[]), AddTypeRaises::IllegalPropertyName(_)));
    assert!(matches!(add("New", "x", &["Plotter"]), AddTypeRaises::UnknownServiceType(_)));
    assert!(matches!(
        add("New", "x", &["Printer", "Printer"]),
        AddTypeRaises::DuplicateServiceTypeName(_)
    ));
    let twice = [("x", PropertyMode::PropNormal), ("x", PropertyMode::PropReadonly)];
    let twice = twice.map(|(name, mode)| declared(name, TypeCode::Long, mode));
    assert!(matches!(
        served.types.add_type("New", "", &twice, &[]),
        Err(Error::User(AddTypeRaises::DuplicatePropertyName(_)))
    ));
}

#[test]
fn a_redeclared_property_keeps_its_type_and_only_gets_stronger() {
    let served = Served::with_printers();
    let redefine = |name: &str, ty: TypeCode, mode| {
        refusal(&served, "New", declared(name, ty, mode), &["Printer"])
    };
    let AddTypeRaises::ValueTypeRedefinition(raised) =
        redefine("price", TypeCode::Float, PropertyMode::PropNormal)
    else {
        panic!()
    };
    assert_eq!((raised.type_1.as_str(), raised.type_2.as_str()), ("New", "Printer"));
    assert_eq!(raised.definition_2.value_type, TypeCode::Double);
    let weaker = redefine("name", TypeCode::String(0), PropertyMode::PropReadonly);
    assert!(matches!(weaker, AddTypeRaises::ValueTypeRedefinition(_)));

    let stronger = [
        declared("name", TypeCode::String(0), PropertyMode::PropMandatoryReadonly),
        declared("price", TypeCode::Double, PropertyMode::PropMandatory),
    ];
    served.types.add_type("New", "", &stronger, &names(&["Printer"])).unwrap();
    let full = served.types.fully_describe_type("New").unwrap();
    assert_eq!(full.props[..2], stronger);
    assert_eq!(full.props.len(), 4);
}

#[test]
fn two_bases_must_agree_and_the_stronger_mode_holds() {
    let served = Served::new();
    let add = |name: &str, ty: TypeCode, mode| {
        served.types.add_type(name, "", &[declared("x", ty, mode)], &[]).unwrap();
    };
    add("A", TypeCode::Long, PropertyMode::PropReadonly);
    add("B", TypeCode::Long, PropertyMode::PropMandatory);
    add("C", TypeCode::Short, PropertyMode::PropNormal);
    served.types.add_type("AB", "", &[], &names(&["A", "B"])).unwrap();
    let full = served.types.fully_describe_type("AB").unwrap();
    assert_eq!(full.props[0].mode, PropertyMode::PropMandatoryReadonly);
    assert!(matches!(
        served.types.add_type("AC", "", &[], &names(&["A", "C"])),
        Err(Error::User(AddTypeRaises::ValueTypeRedefinition(_)))
    ));
}

#[test]
fn a_type_is_removed_when_nothing_depends_on_it() {
    let served = Served::with_printers();
    served.types.add_type("Laser", "", &[], &names(&["Printer"])).unwrap();
    let Err(Error::User(RemoveTypeRaises::HasSubTypes(raised))) =
        served.types.remove_type("Printer")
    else {
        panic!()
    };
    assert_eq!((raised.the_type.as_str(), raised.sub_type.as_str()), ("Printer", "Laser"));
    served.types.remove_type("Laser").unwrap();
    assert!(matches!(
        served.types.remove_type("Laser"),
        Err(Error::User(RemoveTypeRaises::UnknownServiceType(_)))
    ));

    let offer = served.printer("a", 1.0, 1);
    let Err(Error::System(refused)) = served.types.remove_type("Printer") else { panic!() };
    assert_eq!(refused.kind(), ExceptionKind::NoPermission);
    assert!(refused.to_string().contains("1 offers are of the type Printer"), "{refused}");
    served.register.withdraw(&offer).unwrap();
    served.types.remove_type("Printer").unwrap();
}

#[test]
fn a_masked_type_takes_no_offers_of_its_own() {
    let served = Served::with_printers();
    served.types.add_type("Laser", "", &[], &names(&["Printer"])).unwrap();
    served.types.mask_type("Printer").unwrap();
    assert!(matches!(
        served.types.mask_type("Printer"),
        Err(Error::User(MaskTypeRaises::AlreadyMasked(_)))
    ));
    assert!(served.types.describe_type("Printer").unwrap().masked);
    let export = |ty: &str| served.register.export(&served.object("a"), ty, &[text("name", "a")]);
    assert!(matches!(export("Printer"), Err(Error::User(ExportRaises::UnknownServiceType(_)))));
    export("Laser").unwrap();
    assert_eq!(served.find("", "", &[]), "a");
    served.types.unmask_type("Printer").unwrap();
    export("Printer").unwrap();
    assert!(matches!(
        served.types.unmask_type("Printer"),
        Err(Error::User(UnmaskTypeRaises::NotMasked(_)))
    ));
}
