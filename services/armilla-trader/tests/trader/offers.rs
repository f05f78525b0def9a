//! `Register`: offers are exported, described, modified and withdrawn.

use crate::served;
use armilla::{Error, Object};
use armilla_cos_trading::register::*;
use armilla_cos_trading::repos::ServiceTypeRepository;
use armilla_cos_trading::{Admin, OfferIdIterator, Register};
use armilla_trader::Limits;
use served::{Served, property, text};
use std::io::Read;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[test]
fn an_offer_is_exported_described_and_withdrawn() {
    let served = Served::with_printers();
    let id = served.printer("a", 2.5, 10);
    let info = served.register.describe(&id).unwrap();
    assert_eq!(info.r#type, "Printer");
    assert_eq!(info.reference, served.object("a"));
    assert_eq!(info.properties[1], property("price", &2.5));
    served.register.withdraw(&id).unwrap();
    for outcome in [
        served.register.withdraw(&id).map_err(|e| format!("{e:?}")).map(drop),
        served.register.describe(&id).map_err(|e| format!("{e:?}")).map(drop),
    ] {
        assert!(outcome.unwrap_err().contains("UnknownOfferId"));
    }
    assert!(matches!(
        served.register.withdraw("my offer"),
        Err(Error::User(WithdrawRaises::IllegalOfferId(_)))
    ));
}

#[test]
fn an_offer_must_suit_its_type() {
    let served = Served::with_printers();
    let export = |object: &Object, ty: &str, properties: &[_]| match served
        .register
        .export(object, ty, properties)
    {
        Err(Error::User(raised)) => raised,
        other => panic!("{other:?}"),
    };
    let object = served.object("a");
    let name = || text("name", "a");
    assert!(matches!(
        export(&Object::nil(), "Printer", &[name()]),
        ExportRaises::InvalidObjectRef(_)
    ));
    assert!(matches!(export(&object, "Print er", &[]), ExportRaises::IllegalServiceType(_)));
    assert!(matches!(export(&object, "Plotter", &[]), ExportRaises::UnknownServiceType(_)));
    assert!(matches!(
        export(&object, "Printer", &[name(), text("a b", "x")]),
        ExportRaises::IllegalPropertyName(_)
    ));
    assert!(matches!(
        export(&object, "Printer", &[name(), name()]),
        ExportRaises::DuplicatePropertyName(_)
    ));
    assert!(matches!(
        export(&object, "Printer", &[property("price", &1.0)]),
        ExportRaises::MissingMandatoryProperty(missing) if missing.name == "name"
    ));
    assert!(matches!(
        export(&object, "Printer", &[name(), property("price", &1_i32)]),
        ExportRaises::PropertyTypeMismatch(mismatch) if mismatch.prop.name == "price"
    ));
    // What the type does not declare may be there.
    served.register.export(&object, "Printer", &[name(), text("room", "12")]).unwrap();
}

#[test]
fn an_object_must_have_the_interface_of_the_type() {
    use armilla_cos_trading::repos::ServiceTypeRepository;
    let served = Served::new();
    let interface = "IDL:omg.org/CosTrading/Lookup:1.0";
    served.types.add_type("Trader", interface, &[], &[]).unwrap();
    served.types.add_type("Named", "::CosTrading::Register", &[], &[]).unwrap();
    let lookup = served.lookup.object();
    served.register.export(lookup, "Trader", &[]).unwrap();
    let register = served.register.object();
    assert!(matches!(
        served.register.export(register, "Trader", &[]),
        Err(Error::User(ExportRaises::InterfaceTypeMismatch(_)))
    ));
}

#[test]
fn an_offer_is_modified_within_the_rules() {
    let served = Served::with_printers();
    let id = {
        let properties = [text("name", "a"), property("serial", &7_u32), text("room", "12")];
        served.register.export(&served.object("a"), "Printer", &properties).unwrap()
    };
    let modify = |deleted: &[&str], changed: &[_]| {
        let deleted: Vec<String> = deleted.iter().map(|name| (*name).to_owned()).collect();
        served.register.modify(&id, &deleted, changed)
    };
    modify(&["room"], &[text("name", "b"), property("price", &3.0)]).unwrap();
    let names = |info: OfferInfo| {
        info.properties.into_iter().map(|property| property.name).collect::<Vec<_>>()
    };
    let info = served.register.describe(&id).unwrap();
    assert_eq!(names(info), ["serial", "name", "price"]);
    assert_eq!(served.find("price == 3 and name == 'b'", "", &[]), "b");
    assert_eq!(served.find("name == 'a'", "", &[]), "");

    let refused = |deleted: &[&str], changed: &[_]| match modify(deleted, changed) {
        Err(Error::User(raised)) => raised,
        other => panic!("{other:?}"),
    };
    assert!(matches!(refused(&["name"], &[]), ModifyRaises::MandatoryProperty(_)));
    assert!(matches!(refused(&["room"], &[]), ModifyRaises::UnknownPropertyName(_)));
    assert!(matches!(
        refused(&[], &[property("serial", &8_u32)]),
        ModifyRaises::ReadonlyProperty(_)
    ));
    assert!(matches!(
        refused(&["price"], &[property("price", &8.0)]),
        ModifyRaises::DuplicatePropertyName(_)
    ));
    assert!(matches!(refused(&["a b"], &[]), ModifyRaises::IllegalPropertyName(_)));
    assert!(matches!(
        refused(&[], &[text("price", "dear")]),
        ModifyRaises::PropertyTypeMismatch(_)
    ));
    // What was refused has changed nothing.
    assert_eq!(names(served.register.describe(&id).unwrap()), ["serial", "name", "price"]);

    assert!(served.admin.set_supports_modifiable_properties(false).unwrap());
    assert!(matches!(refused(&[], &[]), ModifyRaises::NotImplemented(_)));
}

#[test]
fn offers_are_withdrawn_by_a_constraint() {
    let served = Served::with_printers();
    for (name, price) in [("a", 1.0), ("b", 2.0), ("c", 3.0)] {
        served.printer(name, price, 1);
    }
    served.register.withdraw_using_constraint("Printer", "price < 3").unwrap();
    assert_eq!(served.find("", "", &[]), "c");
    assert!(matches!(
        served.register.withdraw_using_constraint("Printer", "price < 3"),
        Err(Error::User(WithdrawUsingConstraintRaises::NoMatchingOffers(_)))
    ));
    assert!(matches!(
        served.register.withdraw_using_constraint("Printer", "price <"),
        Err(Error::User(WithdrawUsingConstraintRaises::IllegalConstraint(_)))
    ));
}

#[test]
fn the_ids_of_offers_are_listed() {
    let served = Served::with_printers();
    let mut expected: Vec<String> = (0..5).map(|n| served.printer("a", f64::from(n), n)).collect();
    let (first, iterator) = served.admin.list_offers(2).unwrap();
    assert_eq!(iterator.max_left().unwrap(), 3);
    let (more, second) = iterator.next_n(2).unwrap();
    let (no_more, third) = iterator.next_n(2).unwrap();
    assert_eq!((more, no_more), (true, false));
    assert_eq!([first, second, third].concat(), expected);
    iterator.destroy().unwrap();
    assert!(iterator.next_n(1).is_err());

    served.admin.set_max_list(3).unwrap();
    let (first, iterator) = served.admin.list_offers(100).unwrap();
    assert_eq!(first, expected.drain(..3).collect::<Vec<_>>());
    assert_eq!(iterator.next_n(100).unwrap(), (false, expected));
    assert!(served.admin.list_proxies(10).unwrap().1.is_nil());
}

#[test]
fn a_thousand_offers_come_and_go() {
    let served = Served::with_printers();
    let mut ids = Vec::new();
    for number in 0..3000 {
        ids.push(served.printer(&format!("p{number}"), f64::from(number), number));
    }
    for id in ids.iter().take(2990) {
        served.register.withdraw(id).unwrap();
    }
    assert_eq!(served.find("pages >= 2998", "min price", &[]), "p2998 p2999");
    assert_eq!(served.find("pages < 2990", "", &[]), "");
    served.register.withdraw(&ids[2999]).unwrap();
    assert_eq!(served.find("exist price and pages > 2990", "max price", &[]).len(), 47);
    assert_eq!(served.register.describe(&ids[2995]).unwrap().reference, served.object("p2995"));
}

#[test]
fn a_place_where_nobody_answers_is_asked_once_for_many_offers() {
    let limits = Limits { call_time: Duration::from_millis(300), ..Limits::default() };
    let served = Served::limited(limits);
    served.types.add_type("Lamp", "IDL:Lamp:1.0", &[], &[]).unwrap();
    // It takes connections and requests, and never replies.
    let (listener, asked) =
        (TcpListener::bind("127.0.0.1:0").unwrap(), Arc::new(AtomicUsize::new(0)));
    let port = listener.local_addr().unwrap().port();
    let counted = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, counted) = (stream.unwrap(), counted.clone());
            std::thread::spawn(move || {
                let mut octets = [0; 4096];
                while let Ok(count @ 1..) = stream.read(&mut octets) {
                    let is_a = octets[..count].windows(5).filter(|text| text == b"_is_a").count();
                    counted.fetch_add(is_a, Ordering::SeqCst);
                }
            });
        }
    });
    for number in 0..20 {
        let object = format!("corbaloc::127.0.0.1:{port}/lamp-{number}");
        let object = served.client.string_to_object(&object).unwrap();
        served.register.export(&object, "Lamp", &[]).unwrap();
    }
    // The first export waits; the others may once more, if the machine is as slow as that.
    let asked = asked.load(Ordering::SeqCst);
    assert!((1..=3).contains(&asked), "{asked}");
}
