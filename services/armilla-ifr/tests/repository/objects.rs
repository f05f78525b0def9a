//! The repository as objects, asked and changed from another process as it were, and clients that
//! know nothing of an interface but what the repository tells them.

use crate::served;
use armilla::{Any, ExceptionKind, Minor, TypeCode, Typed};
use armilla_idl::Options;
use armilla_ifr::corba::*;
use armilla_ifr::model::Model;
use armilla_ifr::{CallError, discover};
use armilla_tests::orbs::Server;
use armilla_tests::probe;
use serde_json::json;
use served::{Served, failure};
use std::sync::atomic::{AtomicBool, Ordering};

fn probe_model() -> Model {
    let file = format!("{}/../../tests/idl/probe.idl", env!("CARGO_MANIFEST_DIR"));
    let mut model = Model::new();
    model.add_idl(&armilla_idl::parse(file, &Options::new()).unwrap().model).unwrap();
    model
}

impl Served {
    fn primitive(&self, kind: PrimitiveKind) -> IdlTypeRef {
        self.repository.get_primitive(kind).unwrap().upcast()
    }
}

#[test]
fn definitions_are_found_and_described() {
    let served = Served::new(probe_model());
    let everything: InterfaceDefRef = served.lookup("Probe::Everything");
    assert_eq!(everything.def_kind().unwrap(), DefinitionKind::DkInterface);
    assert_eq!(everything.absolute_name().unwrap(), "::Probe::Everything");
    assert!(everything.is_a("IDL:armilla.org/Probe/Common:1.0").unwrap());
    assert_eq!(everything.defined_in().unwrap().def_kind().unwrap(), DefinitionKind::DkModule);
    assert_eq!(everything.containing_repository().unwrap(), served.repository);
    let bases = everything.base_interfaces().unwrap();
    assert_eq!(bases[1].name().unwrap(), "Counted");
    let full = everything.describe_interface().unwrap();
    assert_eq!(full.r#type, probe::EverythingRef::type_code());
    let choose = full.operations.iter().find(|o| o.name == "choose").unwrap();
    assert_eq!(choose.parameters[1].mode, ParameterMode::ParamInout);
    assert_eq!(choose.exceptions[0].r#type, probe::Refused::type_code());
    assert_eq!(choose.defined_in, "IDL:armilla.org/Probe/Everything:1.0");
    assert!(full.operations.iter().any(|o| o.name == "increment"), "it is inherited");
    assert!(
        full.attributes.iter().any(|a| a.name == "count" && a.mode == AttributeMode::AttrReadonly)
    );
    let refused = served.repository.lookup_id("IDL:armilla.org/Probe/Refused:1.0").unwrap();
    let described = refused.describe().unwrap();
    assert_eq!(described.kind, DefinitionKind::DkException);
    let described: ExceptionDescription = described.value.get().unwrap().unwrap();
    assert_eq!(described.r#type, probe::Refused::type_code());
    let module: ContainerRef = served.lookup("Probe");
    let first = module.describe_contents(DefinitionKind::DkStruct, true, 2).unwrap();
    assert_eq!(first.len(), 2);
    let described: TypeDescription = first[0].value.get().unwrap().unwrap();
    assert_eq!(described.r#type, probe::Point::type_code());
    let label: StructDefRef = served.lookup("Probe::Label");
    let members = StructDef::members(&label).unwrap();
    assert_eq!(members[2].type_def.r#type().unwrap(), probe::Point::type_code());
    let choice: UnionDefRef = served.lookup("Probe::Choice");
    let members = UnionDef::members(&choice).unwrap();
    assert_eq!(members[1].label.get::<probe::Colour>().unwrap(), Some(probe::Colour::Green));
    assert_eq!(members[2].label.get::<u8>().unwrap(), Some(0), "the default case");
    let shades = served.repository.lookup_name("shade", -1, DefinitionKind::DkAll, true).unwrap();
    assert!(shades.is_empty(), "members of structs are no definitions");
    let compact = probe::Label::type_code().compact();
    assert_eq!(
        served.repository.get_canonical_typecode(&compact).unwrap(),
        probe::Label::type_code()
    );
}

#[test]
fn a_client_creates_changes_and_destroys_definitions() {
    let served = Served::new(Model::new());
    let repository = &served.repository;
    let module = repository.create_module("IDL:Shop:1.0", "Shop", "1.0").unwrap();
    let text = served.primitive(PrimitiveKind::PkString);
    let price = repository.create_fixed(9, 2).unwrap();
    let member = |name: &str, ty: &IdlTypeRef| StructMember {
        name: name.into(),
        r#type: TypeCode::Void,
        type_def: ty.clone(),
    };
    let members = [member("title", &text), member("price", &price.upcast())];
    let item = module.create_struct("IDL:Shop/Item:1.0", "Item", "1.0", &members).unwrap();
    let expected = TypeCode::structure(
        "IDL:Shop/Item:1.0",
        "Item",
        [("title", TypeCode::String(0)), ("price", TypeCode::Fixed { digits: 9, scale: 2 })],
    );
    assert_eq!(item.object().narrow::<dyn IdlType>().unwrap().r#type().unwrap(), expected);
    let taken = module.create_struct("IDL:Shop/Item:1.0", "Other", "1.0", &[]);
    assert_eq!(failure(taken), (ExceptionKind::BadParam, Minor::BAD_PARAM_REPOSITORY_ID_EXISTS));
    let items = repository.create_sequence(0, &item.upcast()).unwrap();
    let empty = module.create_exception("IDL:Shop/Empty:1.0", "Empty", "1.0", &[]).unwrap();
    let shop = module.create_interface("IDL:Shop/Counter:1.0", "Counter", "1.0", &[]).unwrap();
    let list = shop.create_operation(
        "IDL:Shop/Counter/list:1.0",
        "list",
        "1.0",
        &items.upcast(),
        OperationMode::OpNormal,
        &[],
        std::slice::from_ref(&empty),
        &[],
    );
    let list = list.unwrap();
    assert_eq!(list.result().unwrap(), TypeCode::sequence(expected, 0));
    assert_eq!(
        failure(item.destroy()),
        (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_DEPENDENCY_EXISTS)
    );
    assert_eq!(failure(list.set_mode(OperationMode::OpOneway)).0, ExceptionKind::BadParam);
    let owner = shop.create_attribute(
        "IDL:Shop/Counter/owner:1.0",
        "owner",
        "1.0",
        &text,
        AttributeMode::AttrReadonly,
    );
    owner.unwrap().set_mode(AttributeMode::AttrNormal).unwrap();
    assert_eq!(shop.describe_interface().unwrap().attributes[0].mode, AttributeMode::AttrNormal);
    item.set_name("Article").unwrap();
    assert_eq!(item.absolute_name().unwrap(), "::Shop::Article");
    shop.destroy().unwrap();
    item.destroy().unwrap();
    assert_eq!(failure(item.name()).0, ExceptionKind::ObjectNotExist);
    assert_eq!(
        failure(repository.destroy()),
        (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_INDESTRUCTIBLE_OBJECT)
    );
    assert!(repository.lookup("Shop::Article").unwrap().is_nil());
    assert_eq!(module.contents(DefinitionKind::DkAll, true).unwrap().len(), 1, "the exception");
}

#[test]
fn a_client_creates_valuetypes_constants_and_unions() {
    let served = Served::new(Model::new());
    let repository = &served.repository;
    let (long, text) =
        (served.primitive(PrimitiveKind::PkLong), served.primitive(PrimitiveKind::PkString));
    let base = repository
        .create_value(
            "IDL:Base:1.0",
            "Base",
            "1.0",
            false,
            false,
            &ValueDefRef::nil(),
            false,
            &[],
            &[],
            &[],
        )
        .unwrap();
    base.create_value_member("IDL:Base/n:1.0", "n", "1.0", &long, PUBLIC_MEMBER).unwrap();
    let initializer = ExtInitializer {
        members: vec![StructMember {
            name: "n".into(),
            type_def: long.clone(),
            ..Default::default()
        }],
        exceptions: vec![],
        name: "make".into(),
    };
    let derived = repository
        .create_ext_value(
            "IDL:Derived:1.0",
            "Derived",
            "1.0",
            false,
            false,
            &base,
            true,
            &[],
            &[],
            &[initializer],
        )
        .unwrap();
    let full = derived.describe_ext_value().unwrap();
    assert_eq!((full.base_value.as_str(), full.is_truncatable), ("IDL:Base:1.0", true));
    assert_eq!(full.initializers[0].members[0].r#type, TypeCode::Long);
    assert_eq!(full.r#type.concrete_base_type().unwrap().member_name(0), Some("n"));
    assert!(derived.is_a("IDL:Base:1.0").unwrap());
    let colours = ["red".to_owned(), "green".to_owned()];
    let colour = repository.create_enum("IDL:Colour:1.0", "Colour", "1.0", &colours).unwrap();
    let green = armilla::dynamic::DynAny::from_json(&colour.r#type().unwrap(), &json!("green"));
    let label = green.unwrap().to_any().unwrap();
    let member = |name: &str, label: Any, ty: &IdlTypeRef| UnionMember {
        name: name.into(),
        label,
        r#type: TypeCode::Void,
        type_def: ty.clone(),
    };
    let members = [member("n", label, &long), member("text", Any::new(&0_u8).unwrap(), &text)];
    let choice = repository
        .create_union("IDL:Choice:1.0", "Choice", "1.0", &colour.upcast(), &members)
        .unwrap();
    let code = choice.object().narrow::<dyn IdlType>().unwrap().r#type().unwrap();
    assert_eq!((code.default_index(), code.member_count()), (Some(1), Some(2)));
    let wrong = [member("n", Any::new(&1_i16).unwrap(), &long)];
    assert!(UnionDef::set_members(&choice, &wrong).is_err(), "a label of another type");
    let limit = Any::new(&7).unwrap();
    let limit = repository.create_constant("IDL:LIMIT:1.0", "LIMIT", "1.0", &long, &limit).unwrap();
    limit.set_value(&Any::new(&8).unwrap()).unwrap();
    assert!(limit.set_value(&Any::new("eight").unwrap()).is_err());
    assert_eq!(limit.value().unwrap().get::<i32>().unwrap(), Some(8));
    limit.set_type_def(&text).unwrap();
    assert_eq!(limit.value().unwrap().get::<String>().unwrap().as_deref(), Some(""), "the first");
    limit.set_value(&Any::new("eight").unwrap()).unwrap();
}

#[test]
fn a_freed_repository_id_can_be_reused() {
    let served = Served::new(Model::new());
    let first = served.repository.create_module("IDL:First:1.0", "First", "1.0").unwrap();
    first.set_id("IDL:Renamed:1.0").unwrap();
    let second = served.repository.create_module("IDL:First:1.0", "Second", "1.0").unwrap();
    assert_eq!((first.name().unwrap(), second.name().unwrap()), ("First".into(), "Second".into()));
    assert_eq!(served.repository.lookup_id("IDL:Renamed:1.0").unwrap().name().unwrap(), "First");
    assert_eq!(served.repository.lookup_id("IDL:First:1.0").unwrap().name().unwrap(), "Second");
}

#[test]
fn discovery_includes_the_exceptions_of_attributes() {
    let source = "exception Shut {}; interface Door { attribute long angle getraises (Shut) \
                  setraises (Shut); };";
    let mut model = Model::new();
    let compiled = armilla_idl::parse_str("door.idl", source, &Options::new()).unwrap();
    model.add_idl(&compiled.model).unwrap();
    let served = Served::new(model);
    let door: InterfaceDefRef = served.lookup("Door");
    let signatures = armilla_ifr::describe(&door).unwrap();
    let raises = |s: &armilla_ifr::model::Signature| {
        s.exceptions.iter().map(|e| e.name() == Some("Shut")).collect::<Vec<_>>()
    };
    assert_eq!(signatures.iter().map(raises).collect::<Vec<_>>(), [[true], [true]]);
}

#[test]
fn a_client_without_stubs_discovers_an_interface() {
    let served = Served::new(probe_model());
    let server = Server::start();
    let remote = server.remote(&served.client);
    let unknown = failure(remote.object().interface());
    assert_eq!(
        unknown,
        (ExceptionKind::IntfRepos, Minor::INTF_REPOS_UNAVAILABLE),
        "its server knows none"
    );
    server.register_initial_reference(armilla_ifr::REPOSITORY, &served.repository).unwrap();
    for object in [remote.object(), server.local.object()] {
        let signatures = discover(object).unwrap();
        let find = |name: &str| signatures.iter().find(|s| s.operation == name).unwrap();
        let place = json!({"tag": 3, "x": 1.5, "y": -1});
        let set = find("_set_place");
        assert_eq!(set.call(object, &place).unwrap(), json!(null));
        assert_eq!(find("_get_place").call(object, &json!(null)).unwrap(), place);
        let choose = find("choose");
        let result = choose.call(object, &json!({"which": 0, "note": "n"})).unwrap();
        assert_eq!(result["return"], json!(42));
        let refused = choose.call(object, &json!([1, "because"])).unwrap_err();
        assert!(
            refused.to_string().starts_with("Probe::Refused {\"reason\":\"because\""),
            "{refused}"
        );
        let wrong = choose.call(object, &json!({"which": 0})).unwrap_err();
        assert!(matches!(wrong, CallError::Arguments(_)), "{wrong}");
        let echo = find("echo_labels");
        let labels = json!([{"text": "t", "shade": "BLUE", "place": place}]);
        let result = echo.call(object, &json!({"given": labels, "kept": []})).unwrap();
        assert_eq!(result, json!({"return": [], "copy": labels, "kept": labels}));
        find("remark").call(object, &json!("in passing")).unwrap();
    }
    let nobody = served.repository.object().interface();
    assert_eq!(
        failure(nobody),
        (ExceptionKind::IntfRepos, Minor::INTF_REPOS_UNKNOWN_INTERFACE),
        "it lacks its own"
    );
}

#[test]
fn the_repository_describes_itself() {
    let file = format!("{}/../../idl/ir.idl", env!("CARGO_MANIFEST_DIR"));
    let mut model = Model::new();
    model.add_idl(&armilla_idl::parse(file, &Options::new()).unwrap().model).unwrap();
    let served = Served::new(model);
    let signatures = discover(served.repository.object()).unwrap();
    let lookup = signatures.iter().find(|s| s.operation == "lookup").unwrap();
    let found = lookup.call(served.repository.object(), &json!("CORBA::Repository")).unwrap();
    let text = found.as_str().unwrap();
    let found: InterfaceDefRef = served.client.resolve(text).unwrap();
    assert_eq!(found.name().unwrap(), "Repository");
}

#[test]
fn a_container_is_read_while_what_it_holds_is_destroyed() {
    let served = Served::new(Model::new());
    let (repository, busy) = (&served.repository, AtomicBool::new(true));
    let long = served.primitive(PrimitiveKind::PkLong);
    let holder = repository.create_interface("IDL:Holder:1.0", "Holder", "1.0", &[]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (busy, holder, long) = (&busy, &holder, &long);
            scope.spawn(move || {
                let (name, mode) = (format!("a{thread}"), AttributeMode::AttrReadonly);
                let id = format!("IDL:Holder/{name}:1.0");
                while busy.load(Ordering::Relaxed) {
                    let made = holder.create_attribute(&id, &name, "1.0", long, mode).unwrap();
                    made.destroy().unwrap();
                }
            });
        }
        let read = || -> Result<(), armilla::SystemException> {
            holder.contents(DefinitionKind::DkAll, false)?;
            holder.describe_contents(DefinitionKind::DkAll, false, -1)?;
            holder.describe_interface()?;
            holder.lookup("a0")?;
            repository.lookup_id("IDL:Holder/a1:1.0")?;
            repository.lookup_name("a1", -1, DefinitionKind::DkAll, false)?;
            Ok(())
        };
        let failed = (0..300).find_map(|_| read().err());
        busy.store(false, Ordering::Relaxed);
        assert_eq!(failed, None, "the container is there all the time");
    });
}
