//! What a repository makes of the corners of IDL, and what it answers to requests that make no
//! sense, that ask for very much, or that would leave something behind that cannot exist.

use crate::served;
use armilla::{Any, ExceptionKind, Minor, SystemException, TypeCode};
use armilla_idl::Options;
use armilla_ifr::corba::*;
use armilla_ifr::model::{DefId, Field, Flavour, Kind, Model, ModelError, ROOT, Value};
use armilla_tests::orbs::listening_with;
use served::{Served, failure};

fn fed(source: &str) -> Model {
    let mut model = Model::new();
    let compiled = armilla_idl::parse_str("test.idl", source, &Options::new()).unwrap();
    model.add_idl(&compiled.model).unwrap();
    model
}

fn find(model: &Model, name: &str) -> DefId {
    model.lookup(ROOT, name).unwrap_or_else(|| panic!("{name} is not there"))
}

fn make(model: &mut Model, name: &str, kind: Kind) -> Result<DefId, ModelError> {
    model.create(ROOT, &format!("IDL:{name}:1.0"), name, "1.0", kind)
}

fn field(name: &str, ty: DefId) -> Field {
    Field { name: name.into(), ty }
}

fn minor<T: std::fmt::Debug>(outcome: Result<T, ModelError>) -> (ExceptionKind, Minor) {
    let exception = SystemException::from(outcome.unwrap_err());
    (exception.kind(), exception.minor())
}

#[test]
fn constants_have_types_from_reopened_modules() {
    let model = fed(
        "module A { typedef long Z; }; module B { enum E { x, y }; typedef E F; typedef long L; }; \
                     module A { const B::F C = B::y; const B::L D = 3; };",
    );
    let value = |name| match &model.get(find(&model, name)).unwrap().kind {
        Kind::Constant { value, .. } => value.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(value("A::D").get::<i32>().unwrap(), Some(3));
    assert_eq!(value("A::C").type_code().name(), Some("F"));
}

#[test]
fn prefixes_versions_and_ids_match_the_idl() {
    let model = fed(
        "#pragma prefix \"x.org\"\nmodule M { interface I { void f(); }; typeid I \"IDL:y/J:7.1\"; \
         valuetype V { public long n; }; typedef long T;\n#pragma version T 2.3\n };",
    );
    let seen = |name: &str| {
        let definition = model.get(find(&model, name)).unwrap();
        (definition.id.clone(), definition.version.clone())
    };
    assert_eq!(seen("M"), ("IDL:x.org/M:1.0".into(), "1.0".into()));
    assert_eq!(seen("M::I"), ("IDL:y/J:7.1".into(), "7.1".into()));
    assert_eq!(seen("M::T"), ("IDL:x.org/M/T:2.3".into(), "2.3".into()));
    assert_eq!(seen("M::V::n"), ("IDL:x.org/M/V/n:1.0".into(), "1.0".into()));
    assert_eq!(model.absolute_name(find(&model, "M::I::f")), "::M::I::f");
}

#[test]
fn recursive_types_need_a_sequence_or_a_valuetype() {
    let model =
        fed("struct Tree; typedef sequence<Tree> Trees; struct Tree { Trees all; long n; }; \
                     valuetype Node { public Node next; public Trees below; };");
    let trees = model.type_code(find(&model, "Trees")).unwrap();
    let tree = model.type_code(find(&model, "Tree")).unwrap();
    // What is within is written out down to the type that is known by its repository id.
    let element = trees.content_type().unwrap().content_type().unwrap();
    assert!(element.is_equivalent(&tree));
    assert!(Any::new(&trees).is_ok() && Any::new(&tree).is_ok());
    model.type_code(find(&model, "Node")).unwrap();

    let mut model = model;
    let (tree, trees, long) =
        (find(&model, "Tree"), find(&model, "Trees"), model.primitive(PrimitiveKind::PkLong));
    let member = (ExceptionKind::BadTypecode, Minor::BAD_TYPECODE_INVALID_MEMBER);
    let itself = Kind::Struct(vec![field("me", tree)]);
    assert_eq!(minor(model.set_kind(tree, itself)), member);
    assert_eq!(minor(model.set_kind(trees, Kind::Alias(trees))), member);
    let list = model.create_anonymous(Kind::Sequence { element: long, bound: 0 }).unwrap();
    let endless = Kind::Sequence { element: list, bound: 0 };
    assert_eq!(minor(model.set_kind(list, endless)), member, "it never says of what it is");
    let name = make(&mut model, "Name", Kind::Alias(long)).unwrap();
    let pair = make(&mut model, "Pair", Kind::Struct(vec![field("a", name)])).unwrap();
    assert!(model.set_kind(name, Kind::Alias(pair)).is_err(), "Pair would contain itself");
    assert_eq!(model.get(name).unwrap().kind, Kind::Alias(long), "it is as it was");
}

#[test]
fn a_change_that_breaks_a_user_is_rejected() {
    let mut model = fed("enum E { a, b }; const E C = b; union U switch (E) { case b: long n; }; \
                         typedef long L; interface I { void f(in L n); };");
    let (e, l) = (find(&model, "E"), find(&model, "L"));
    let more = Kind::Enum(vec!["a".into(), "b".into(), "c".into()]);
    let error = model.set_kind(e, more).unwrap_err().to_string();
    assert!(error.contains("::C could not exist any more"), "{error}");
    model.destroy(find(&model, "C")).unwrap();
    model.set_kind(e, Kind::Enum(vec!["x".into(), "y".into(), "z".into()])).unwrap();
    let error = model.set_kind(e, Kind::Enum(vec!["a".into()])).unwrap_err().to_string();
    assert!(error.contains("::U could not exist any more"), "{error}");
    let (text, void) =
        (model.primitive(PrimitiveKind::PkString), model.primitive(PrimitiveKind::PkVoid));
    model.set_kind(l, Kind::Alias(text)).unwrap();
    assert!(model.set_kind(l, Kind::Alias(void)).is_err());
}

#[test]
fn too_large_and_too_deep_types_are_rejected_early() {
    let mut model = Model::new();
    let long = model.primitive(PrimitiveKind::PkLong);
    let mut last = long;
    let mut outcome = Ok(long);
    for depth in 0..10_000 {
        outcome = make(&mut model, &format!("A{depth}"), Kind::Alias(last));
        match outcome {
            Ok(made) => last = made,
            Err(_) => break,
        }
    }
    assert_eq!(minor(outcome).0, ExceptionKind::ImpLimit);
    assert!(model.type_code(last).is_ok(), "the last that was made can travel");
    let (mut half, mut outcome) = (long, Ok(long));
    for depth in 0..60 {
        let both = Kind::Struct(vec![field("a", half), field("b", half)]);
        outcome = make(&mut model, &format!("S{depth}"), both);
        match outcome {
            Ok(made) => half = made,
            Err(_) => break,
        }
    }
    assert_eq!(minor(outcome).0, ExceptionKind::ImpLimit);

    // Values that all lead to one another: a TypeCode has them in every order.
    let members = |n| (0..20).map(move |m| format!("public V{m} to{n}_{m};")).collect::<String>();
    let values = (0..20).map(|n| format!("valuetype V{n} {{ {} }};", members(n)));
    let forward = (0..20).map(|n| format!("valuetype V{n};"));
    let model = fed(&forward.chain(values).collect::<String>());
    assert_eq!(minor(model.type_code(find(&model, "V0"))).0, ExceptionKind::ImpLimit);
}

#[test]
fn deep_scopes_and_long_base_chains_use_little_stack() {
    let mut model = Model::new();
    let (mut scope, mut bases) = (ROOT, Vec::new());
    for depth in 0..10_000 {
        let id = format!("IDL:m{depth}:1.0");
        scope = model.create(scope, &id, "m", "1.0", Kind::Module).unwrap();
        if depth % 50 == 0 {
            let kind = Kind::Interface { flavour: Flavour::Plain, bases };
            bases = vec![make(&mut model, &format!("I{depth}"), kind).unwrap()];
        }
    }
    assert_eq!(model.lookup(scope, "I0"), Some(find(&model, "I0")), "from the inside out");
    assert_eq!(model.lookup(ROOT, &"::m".repeat(10_000)), Some(scope));
    assert_eq!(model.lookup_name(ROOT, "M", -1, DefinitionKind::DkModule, true).len(), 10_000);
    let (first, last) = (find(&model, "I0"), bases[0]);
    assert!(model.is_a(last, "IDL:I0:1.0"));
    let circle = Kind::Interface { flavour: Flavour::Plain, bases };
    assert!(matches!(model.set_kind(first, circle), Err(ModelError::Invalid(_))));
    let outer = find(&model, "m");
    assert_eq!(model.relocate(outer, scope, "m", "1.0"), Err(ModelError::NotAContainer));
    assert_eq!(model.destroy(outer).unwrap().len(), 10_000);
}

#[test]
fn nothing_inherits_from_itself_or_from_another_kind() {
    let mut model = fed("interface A {}; interface B : A {}; valuetype V {}; valuetype W : V {}; \
                         abstract valuetype P {}; local interface L {};");
    let interface = |bases| Kind::Interface { flavour: Flavour::Plain, bases };
    let (a, b, v, w) = (find(&model, "A"), find(&model, "B"), find(&model, "V"), find(&model, "W"));
    for bases in [vec![a], vec![b], vec![v]] {
        assert!(matches!(model.set_kind(a, interface(bases)), Err(ModelError::Invalid(_))));
    }
    let twice = model.set_kind(b, interface(vec![a, a])).unwrap_err();
    assert_eq!(twice.to_string(), "a definition would inherit twice from the same");
    for base in [v, w] {
        let value = Value { base: Some(base), ..Value::default() };
        assert!(matches!(model.set_kind(v, Kind::Value(value)), Err(ModelError::Invalid(_))));
    }
    assert!(model.is_a(find(&model, "L"), "IDL:omg.org/CORBA/LocalBase:1.0"));
    assert!(model.is_a(v, "IDL:omg.org/CORBA/ValueBase:1.0") && model.is_a(w, "IDL:V:1.0"));
    assert!(!model.is_a(v, "IDL:W:1.0") && !model.is_a(a, "IDL:B:1.0"));
}

#[test]
fn an_abstract_valuetype_has_no_state_however_it_came_to_be() {
    let mut model = fed("valuetype Stateful { public long number; }; valuetype Base {}; \
                         valuetype Derived : Base {}; abstract valuetype Pure {}; valuetype User : Pure {}; \
                         valuetype Made { factory make(); }; valuetype Alone { void call(); };");
    let changed = |model: &Model, name: &str| {
        let id = find(model, name);
        let Kind::Value(mut value) = model.definition(id).unwrap().kind.clone() else { panic!() };
        value.is_abstract = !value.is_abstract;
        (id, Kind::Value(value))
    };
    for name in ["Stateful", "Base", "Pure", "Made"] {
        let (id, kind) = changed(&model, name);
        let refused = model.set_kind(id, kind);
        assert!(matches!(refused, Err(ModelError::Invalid(_))), "{name}: {refused:?}");
        let Kind::Value(value) = &model.definition(id).unwrap().kind else { panic!("{name}") };
        assert_eq!(value.is_abstract, name == "Pure");
    }
    let (alone, kind) = changed(&model, "Alone");
    model.set_kind(alone, kind).unwrap();
    let number = find(&model, "Stateful::number");
    let pure = find(&model, "Pure");
    for place in [alone, pure] {
        assert_eq!(model.relocate(number, place, "n", "1.0"), Err(ModelError::NotAContainer));
        let member = model.definition(number).unwrap().kind.clone();
        let made = model.create(place, "IDL:n:1.0", "n", "1.0", member);
        assert_eq!(made, Err(ModelError::NotAContainer));
    }
}

#[test]
fn inherited_operations_have_distinct_names() {
    let mut model =
        fed("interface A {}; interface B : A {}; interface C : B { void f(); typedef long T; }; \
         interface D { void f(); void g(); }; valuetype V supports C { void h(in A other); };");
    let [a, b, c, d] = ["A", "B", "C", "D"].map(|name| find(&model, name));
    let void = model.primitive(PrimitiveKind::PkVoid);
    let operation = || Kind::Operation {
        result: void,
        oneway: false,
        parameters: vec![],
        exceptions: vec![],
        contexts: vec![],
    };
    let inherited = |name: &str| ModelError::NameInherited(name.into());
    for name in ["F", "h"] {
        let made = model.create(a, "IDL:A/f:1.0", name, "1.0", operation());
        assert_eq!(made, Err(inherited(name)), "C or V has it");
    }
    let made = model.create(a, "IDL:A/T:1.0", "T", "1.0", operation()).unwrap();
    assert_eq!(model.set_name(made, "f"), Err(inherited("f")));
    let g = find(&model, "D::g");
    assert_eq!(model.relocate(g, a, "f", "1.0"), Err(inherited("f")));
    let bases = Kind::Interface { flavour: Flavour::Plain, bases: vec![a, d] };
    assert_eq!(model.set_kind(b, bases).unwrap_err(), inherited("f"), "C would have two");
    assert_eq!(model.lookup(c, "g"), None, "all is as it was");
    model.relocate(g, a, "g", "1.0").unwrap();
    assert_eq!(model.lookup(c, "g"), Some(g));
}

#[test]
fn anonymous_types_stay_within_their_ranges() {
    let served = Served::new(Model::new());
    let repository = &served.repository;
    let bad = ExceptionKind::BadParam;
    assert_eq!(failure(repository.get_primitive(PrimitiveKind::PkNull)).0, bad);
    assert_eq!(failure(repository.create_string(0)).0, bad);
    assert_eq!(failure(repository.create_wstring(0)).0, bad);
    for (digits, scale) in [(0, 0), (32, 0), (5, 6), (5, -1)] {
        assert_eq!(failure(repository.create_fixed(digits, scale)).0, bad, "{digits}, {scale}");
    }
    let long: IdlTypeRef = repository.get_primitive(PrimitiveKind::PkLong).unwrap().upcast();
    let void: IdlTypeRef = repository.get_primitive(PrimitiveKind::PkVoid).unwrap().upcast();
    assert_eq!(failure(repository.create_array(0, &long)).0, bad);
    assert_eq!(failure(repository.create_sequence(0, &void)).0, ExceptionKind::BadTypecode);
    assert_eq!(failure(repository.create_sequence(0, &IdlTypeRef::nil())).0, bad);
    let text = repository.create_string(4).unwrap();
    assert_eq!(failure(text.set_bound(0)).0, bad);
    text.set_bound(7).unwrap();
    let row = repository.create_array(3, &text.upcast()).unwrap();
    assert_eq!(row.element_type().unwrap(), TypeCode::String(7));
    assert_eq!(failure(row.set_length(0)).0, bad);
    assert_eq!(row.length().unwrap(), 3);
    let list = repository.create_sequence(9, &row.clone().upcast()).unwrap();
    assert_eq!(
        failure(long.destroy()),
        (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_INDESTRUCTIBLE_OBJECT)
    );
    let alias = repository.create_alias("IDL:L:1.0", "L", "1.0", &list.clone().upcast()).unwrap();
    assert_eq!(
        failure(list.destroy()),
        (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_DEPENDENCY_EXISTS)
    );
    alias.destroy().unwrap();
    assert_eq!(failure(row.length()).0, ExceptionKind::ObjectNotExist, "it went with its user");
}

#[test]
fn canonical_type_codes_have_known_names_at_any_depth() {
    let served = Served::new(fed("struct Point { long x; long y; }; exception Off { Point at; };"));
    let canonical = |code: &TypeCode| served.repository.get_canonical_typecode(code).unwrap();
    let known = served.lookup::<dyn StructDef>("Point").object().narrow::<dyn IdlType>().unwrap();
    let known = known.r#type().unwrap();
    let bare = known.compact();
    assert_ne!(bare, known);
    let list = |element| TypeCode::sequence(TypeCode::array(element, 3), 0);
    assert_eq!(canonical(&list(bare.clone())), list(known.clone()));
    let unknown = |point| TypeCode::structure("IDL:Line:1.0", "Line", [("from", point)]);
    assert_eq!(canonical(&unknown(bare.clone())), unknown(known.clone()));
    let alias = |point| TypeCode::alias("IDL:Place:1.0", "Place", point);
    assert_eq!(canonical(&alias(bare.clone())), alias(known.clone()));
    assert_eq!(canonical(&TypeCode::Long), TypeCode::Long);
    let again = TypeCode::sequence(TypeCode::recursive("IDL:Line:1.0"), 0);
    let line =
        |point| TypeCode::structure("IDL:Line:1.0", "L", [("a", again.clone()), ("b", point)]);
    assert_eq!(canonical(&line(bare)), line(known));
}

#[test]
fn definitions_move_only_to_valid_containers_of_their_repository() {
    let served =
        Served::new(fed("module M { interface I { void f(); }; }; module N { typedef long I; }; \
                                  interface Base { void f(); }; interface Derived : Base {};"));
    let other = Served::new(Model::new());
    let interface: InterfaceDefRef = served.lookup("M::I");
    let operation: OperationDefRef = served.lookup("M::I::f");
    let (n, derived): (ContainerRef, ContainerRef) = (served.lookup("N"), served.lookup("Derived"));
    let bad = |minor| (ExceptionKind::BadParam, minor);
    assert_eq!(failure(interface.r#move(&n, "I", "1.0")), bad(Minor::BAD_PARAM_NAME_EXISTS));
    assert_eq!(
        failure(interface.r#move(&n, "i", "1.0")),
        bad(Minor::BAD_PARAM_NAME_EXISTS),
        "names differ in more than case"
    );
    assert_eq!(failure(operation.r#move(&n, "f", "1.0")), bad(Minor::BAD_PARAM_INVALID_CONTAINER));
    assert_eq!(
        failure(operation.r#move(&derived, "F", "1.0")),
        bad(Minor::BAD_PARAM_INHERITED_NAME_EXISTS)
    );
    assert_eq!(
        failure(interface.r#move(&other.repository.clone().upcast(), "I", "1.0")),
        bad(Minor::BAD_PARAM_INVALID_CONTAINER)
    );
    assert_eq!(
        failure(interface.r#move(&ContainerRef::nil(), "I", "1.0")),
        bad(Minor::BAD_PARAM_INVALID_CONTAINER)
    );
    interface.r#move(&n, "J", "1.1").unwrap();
    assert_eq!(operation.absolute_name().unwrap(), "::N::J::f");
    assert_eq!(interface.id().unwrap(), "IDL:M/I:1.0", "the repository id stays");
    assert_eq!(interface.version().unwrap(), "1.1");
    assert_eq!(
        failure(interface.set_id("IDL:Base:1.0")),
        bad(Minor::BAD_PARAM_REPOSITORY_ID_EXISTS)
    );
}

#[test]
fn contents_are_filtered_by_kind_and_limited_in_number() {
    let served = Served::new(fed(
        "module M { struct S { long n; }; union U switch (long) { case 1: case 2: long a; default: char b; }; \
         enum E { one }; native Q; typedef long L; valuetype B long; exception X {}; abstract interface A {}; \
         local interface K {}; interface I { void f(); readonly attribute long a; typedef long T; }; \
         interface J : I { void g(); }; valuetype V supports I { public long n; }; const long C = 1; };",
    ));
    let module: ContainerRef = served.lookup("M");
    let count = |kind| module.contents(kind, true).unwrap().len();
    assert_eq!(count(DefinitionKind::DkAll), 13);
    assert_eq!(count(DefinitionKind::DkTypedef), 6);
    assert_eq!(count(DefinitionKind::DkInterface), 2);
    assert_eq!(count(DefinitionKind::DkNone), 0);
    let described = |most| module.describe_contents(DefinitionKind::DkAll, false, most).unwrap();
    assert_eq!([described(0).len(), described(2).len(), described(-1).len()], [0, 2, 13]);
    let kinds: Vec<_> = described(-1)
        .iter()
        .map(|d| (d.kind, d.value.type_code().name().map(str::to_owned)))
        .collect();
    let kind =
        |kind, name: &str| assert!(kinds.contains(&(kind, Some(name.to_owned()))), "{kinds:?}");
    kind(DefinitionKind::DkNative, "TypeDescription");
    kind(DefinitionKind::DkAbstractInterface, "InterfaceDescription");
    kind(DefinitionKind::DkLocalInterface, "InterfaceDescription");
    kind(DefinitionKind::DkValue, "ValueDescription");
    kind(DefinitionKind::DkValueBox, "TypeDescription");
    let (j, v): (InterfaceDefRef, ValueDefRef) = (served.lookup("M::J"), served.lookup("M::V"));
    assert_eq!(j.contents(DefinitionKind::DkAll, true).unwrap().len(), 1);
    assert_eq!(j.contents(DefinitionKind::DkAll, false).unwrap().len(), 4);
    let named = |levels, exclude| {
        let found = module.lookup_name("A", levels, DefinitionKind::DkAll, exclude).unwrap();
        found.iter().map(|c| c.absolute_name().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(named(0, true), Vec::<String>::new());
    assert_eq!(named(1, true), ["::M::A"]);
    assert_eq!(named(2, false), ["::M::A", "::M::I::a"], "each once, where it stands");
    let full = v.describe_value().unwrap();
    assert_eq!((full.members.len(), full.operations.len(), full.attributes.len()), (1, 1, 1));
    assert_eq!(full.supported_interfaces, ["IDL:M/I:1.0"]);
    assert_eq!(full.operations[0].defined_in, "IDL:M/I:1.0");
    let union: UnionDefRef = served.lookup("M::U");
    let labels: Vec<_> =
        UnionDef::members(&union).unwrap().into_iter().map(|m| (m.name, m.label)).collect();
    let label = |n: i32| Any::new(&n).unwrap();
    let expected = [("a", label(1)), ("a", label(2)), ("b", Any::new(&0_u8).unwrap())];
    assert_eq!(labels, expected.map(|(name, label)| (name.to_owned(), label)));
    assert!(served.repository.lookup("").unwrap().is_nil());
    assert!(served.repository.lookup("::").unwrap().is_nil());
    assert!(served.repository.lookup_id("").unwrap().is_nil());
    assert_eq!(j.lookup("T").unwrap().absolute_name().unwrap(), "::M::I::T", "inherited");
    assert_eq!(j.lookup("S").unwrap().absolute_name().unwrap(), "::M::S", "from outside");
}

#[test]
fn the_exceptions_of_an_attribute_are_set_by_descriptions() {
    let served = Served::new(fed("exception Shut {}; interface I { attribute long a; };"));
    let attribute: ExtAttributeDefRef = served.lookup("I::a");
    let shut = served.lookup::<dyn Contained>("Shut").describe().unwrap();
    let shut: ExceptionDescription = shut.value.get().unwrap().unwrap();
    attribute.set_get_exceptions(std::slice::from_ref(&shut)).unwrap();
    let described = attribute.describe_attribute().unwrap();
    assert_eq!((described.get_exceptions.len(), described.put_exceptions.len()), (1, 0));
    let unknown = ExceptionDescription { id: "IDL:None:1.0".into(), ..shut };
    assert_eq!(failure(attribute.set_set_exceptions(&[unknown])).0, ExceptionKind::BadParam);
    let exception: ContainedRef = served.lookup("Shut");
    assert_eq!(
        failure(exception.destroy()),
        (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_DEPENDENCY_EXISTS)
    );
    let interface: InterfaceAttrExtensionRef = served.lookup("I");
    let full = interface.describe_ext_interface().unwrap();
    assert_eq!(full.attributes[0].get_exceptions[0].name, "Shut");
}

#[test]
fn a_description_too_long_for_a_message_is_an_error() {
    let mut model = Model::new();
    let module = make(&mut model, "Many", Kind::Module).unwrap();
    let long = model.primitive(PrimitiveKind::PkLong);
    for index in 0..3_000 {
        let (name, id) = (format!("T{index}"), format!("IDL:Many/T{index}:1.0"));
        model.create(module, &id, &name, "1.0", Kind::Alias(long)).unwrap();
    }
    let orb = listening_with(|settings| settings.max_message = 1 << 20);
    let served = Served::by(orb, model);
    let module: ContainerRef = served.lookup("Many");
    let all = module.describe_contents(DefinitionKind::DkAll, true, -1).map(|all| all.len());
    let all = all.unwrap_err();
    assert!(all.to_string().contains("max_message"), "{all}");
    let some = module.describe_contents(DefinitionKind::DkAll, true, 100).unwrap();
    assert_eq!(some.len(), 100);
    assert!(module.lookup("T2999").is_ok());
}
