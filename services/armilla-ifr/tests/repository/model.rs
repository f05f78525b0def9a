//! The repository as data: what IDL becomes, what is found, and what is refused.

use armilla::dynamic::ParameterMode;
use armilla::{Minor, TypeCode, Typed};
use armilla_idl::Options;
use armilla_ifr::corba::{DefinitionKind, PrimitiveKind};
use armilla_ifr::model::{
    DefId, Field, Flavour, Kind, Model, ModelError, Parameter, ROOT, UnionField, Value,
};
use armilla_tests::{dynamic, probe, values};

fn idl(name: &str) -> String {
    format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"))
}

/// What these IDL files declare.
fn fed(files: &[&str]) -> Model {
    let files = files.iter().map(|file| idl(file));
    let compiled = armilla_idl::parse_all(files, &Options::new()).unwrap();
    let mut model = Model::new();
    model.add_idl(&compiled.model).unwrap();
    model
}

fn tests_idl() -> Model {
    fed(&["tests/idl/dynamic.idl", "tests/idl/probe.idl", "tests/idl/values.idl"])
}

fn find(model: &Model, name: &str) -> DefId {
    model.lookup(ROOT, name).unwrap_or_else(|| panic!("{name} is not there"))
}

#[test]
fn type_codes_equal_those_of_generated_code() {
    let model = tests_idl();
    let codes = [
        probe::Colour::type_code(),
        probe::Point::type_code(),
        probe::Label::type_code(),
        probe::Choice::type_code(),
        probe::Tree::type_code(),
        probe::Refused::type_code(),
        probe::EverythingRef::type_code(),
        dynamic::Part::type_code(),
        dynamic::Choice::type_code(),
        dynamic::Node::type_code(),
        dynamic::Forest::type_code(),
        dynamic::code_type_code(),
        dynamic::letters_type_code(),
        dynamic::parts_type_code(),
        dynamic::nodes_type_code(),
        dynamic::brief_type_code(),
        dynamic::price_type_code(),
        dynamic::paints_type_code(),
        dynamic::Refused::type_code(),
        dynamic::Wide::type_code(),
        dynamic::Sign::type_code(),
        dynamic::Derived::type_code(),
        dynamic::Small::type_code(),
        values::NodeRef::type_code(),
        values::nodes_type_code(),
        values::TextRef::type_code(),
        values::NumbersRef::type_code(),
        values::CircleRef::type_code(),
        values::LabelledRef::type_code(),
        values::ReportRef::type_code(),
        values::SealedRef::type_code(),
        values::PrintableRef::type_code(),
        values::Pair::type_code(),
        values::Maybe::type_code(),
        values::Unfit::type_code(),
    ];
    for code in codes {
        let id = code.id().unwrap();
        let found = model.lookup_id(id).unwrap_or_else(|| panic!("{id} is not there"));
        assert_eq!(model.type_code(found), Ok(code));
    }
}

#[test]
fn every_shipped_declaration_is_imported_with_its_type() {
    for file in ["idl/ir.idl", "idl/CosNaming.idl", "idl/interop_types.idl", "idl/ttcp.idl"] {
        let model = fed(&[file]);
        let mut types = 0;
        for (id, definition) in model.iter() {
            if definition.kind.is_type() {
                model.type_code(id).unwrap_or_else(|e| panic!("{}: {e}", definition.name));
                types += 1;
            }
            if definition.container().is_some() {
                assert_eq!(model.lookup(ROOT, &model.absolute_name(id)), Some(id));
                assert_eq!(model.lookup_id(&definition.id), Some(id));
            }
        }
        assert!(types > 5, "{file}");
    }
}

#[test]
fn idl_can_be_imported_twice_and_in_parts() {
    let mut model = tests_idl();
    let before = model.iter().count();
    for file in ["tests/idl/values.idl", "tests/idl/probe.idl"] {
        let again = armilla_idl::parse(idl(file), &Options::new()).unwrap();
        model.add_idl(&again.model).unwrap();
    }
    assert_eq!(model.iter().count(), before);
    let more = "#pragma prefix \"armilla.org\"\nmodule Probe { typedef long More; };";
    let more = armilla_idl::parse_str("more.idl", more, &Options::new()).unwrap();
    model.add_idl(&more.model).unwrap();
    assert!(model.lookup(ROOT, "Probe::More").is_some());
    let clash =
        armilla_idl::parse_str("clash.idl", "typedef long probe;", &Options::new()).unwrap();
    assert_eq!(model.add_idl(&clash.model), Err(ModelError::NameTaken("probe".into())));
}

/// Adds texts that are files of their own, called a, b and so on.
fn add_files(texts: &[&str]) -> Result<Model, ModelError> {
    let compile = |(name, text): (char, &&str)| {
        let compiled = armilla_idl::parse_str(&name.to_string(), text, &Options::new()).unwrap();
        (name.to_string(), compiled.model)
    };
    let files: Vec<_> = ('a'..).zip(texts).map(compile).collect();
    let mut model = Model::new();
    model.add_files(&files)?;
    Ok(model)
}

#[test]
fn equal_declarations_are_accepted_and_contradictions_name_their_files() {
    let ours = "#pragma prefix \"omg.org\"
        module CORBA { typedef string Identifier; };
        #pragma prefix \"\"
        module M { typedef CORBA::Identifier Name; enum Mood { Good, Bad }; const long K = 3;
            struct Part { Name n; Mood m; }; exception No { Part why; };
            union Any_ switch (Mood) { case Good: Part p; default: long l; };
            valuetype V { public Part p; factory make(in Part p); };
            interface I { attribute Mood m; void f(in Part p) raises (No); }; };";
    let theirs = "#include <orb.idl>\nmodule M { interface More { CORBA::Identifier name(); }; };";
    let model = add_files(&[ours, theirs, ours]).unwrap();
    assert!(model.lookup(ROOT, "M::More::name").is_some() && model.lookup(ROOT, "M::I").is_some());
    for (id, was, is) in [
        ("IDL:omg.org/CORBA/Identifier:1.0", "typedef string Id", "typedef wstring Id"),
        ("IDL:M/Mood:1.0", "Good, Bad", "Good, Worse"),
        ("IDL:M/K:1.0", "K = 3", "K = 4"),
        ("IDL:M/Part:1.0", "Name n;", "long n;"),
        ("IDL:M/No:1.0", "{ Part why; }", "{ Part what; }"),
        ("IDL:M/V:1.0", "public Part p;", "private Part p;"),
        ("IDL:M/I/f:1.0", "raises (No)", ""),
        ("IDL:M/Name:1.0", "typedef CORBA::Identifier Name", "typedef string Name"),
        ("IDL:M/I:1.0", "interface I {", "abstract interface I {"),
    ] {
        let other = ours.replace(was, is);
        let said = add_files(&["struct S { long l; };", ours, theirs, &other]).unwrap_err();
        assert_eq!(said.to_string(), format!("b and d contradict each other in {id}"));
    }
    let said = add_files(&[theirs, "module CORBA { typedef string Identifier; };"]).unwrap_err();
    let ids = "the repository id of ::CORBA: IDL:omg.org/CORBA:1.0, IDL:CORBA:1.0";
    assert_eq!(said.to_string(), format!("a and b contradict each other in {ids}"));
    let said = add_files(&["typedef long T;", "typedef long t;"]).unwrap_err();
    let ids = "the repository id of ::t: IDL:T:1.0, IDL:t:1.0";
    assert_eq!(said.to_string(), format!("a and b contradict each other in {ids}"));
}

#[test]
fn a_forward_declaration_is_defined_by_another_file() {
    let forward = "interface I; valuetype V; interface User { I first(); V second(); };";
    let defined = "interface B {}; interface I : B { void f(); }; valuetype V { public long l; };";
    for files in [[forward, defined, forward], [defined, forward, defined]] {
        let model = add_files(&files).unwrap();
        let [interface, base] = ["I", "B"].map(|name| find(&model, name));
        assert_eq!(model.with_bases(interface), [interface, base]);
        assert!(model.lookup(ROOT, "I::f").is_some() && model.lookup(ROOT, "V::l").is_some());
    }
    let mut model = add_files(&[defined]).unwrap();
    let names = armilla_idl::parse_str("names", forward, &Options::new()).unwrap().model;
    model.add_idl(&names).unwrap();
    assert_eq!(model.differences(&names), Ok(Vec::new()), "a name alone says nothing else");
    let other = defined.replace("interface I : B", "interface I");
    let said = add_files(&[forward, defined, forward, &other]).unwrap_err();
    assert_eq!(said.to_string(), "b and d contradict each other in IDL:I:1.0");
}

#[test]
fn name_lookup_follows_the_rules_of_idl() {
    let model = tests_idl();
    let everything = find(&model, "::Probe::Everything");
    assert_eq!(model.lookup(everything, "Point"), Some(find(&model, "Probe::Point")), "outside");
    assert_eq!(model.lookup(everything, "::Point"), None, "from the root");
    assert_eq!(model.lookup(everything, "PING"), Some(find(&model, "Probe::Common::ping")));
    assert_eq!(model.lookup(everything, "Probe::Tree"), Some(find(&model, "Probe::Tree")));
    assert_eq!(model.lookup(everything, "nobody"), None);
    assert_eq!(model.lookup(ROOT, ""), None);
    let operations =
        |exclude| model.contents(everything, DefinitionKind::DkOperation, exclude).len();
    assert_eq!(operations(false), operations(true) + 2, "ping and increment are inherited");
    let named =
        |levels| model.lookup_name(ROOT, "choice", levels, DefinitionKind::DkAll, true).len();
    assert_eq!((named(1), named(2), named(-1)), (0, 2, 2));
    let structs = model.lookup_name(ROOT, "Choice", -1, DefinitionKind::DkStruct, true);
    assert!(structs.is_empty(), "both are unions");
    assert!(model.is_a(everything, "IDL:armilla.org/Probe/Common:1.0"));
    assert!(model.is_a(everything, "IDL:omg.org/CORBA/Object:1.0"));
    assert!(!model.is_a(everything, "IDL:armilla.org/Probe/Stranger:1.0"));
}

#[test]
fn signatures_describe_operations_and_attributes() {
    let model = tests_idl();
    let signatures = model.signatures(find(&model, "Probe::Everything")).unwrap();
    let find = |name: &str| signatures.iter().find(|s| s.operation == name).unwrap();
    let choose = find("choose");
    assert_eq!(choose.result, TypeCode::Long);
    assert_eq!(choose.parameters[1].1, ParameterMode::InOut);
    assert_eq!(choose.exceptions, [probe::Refused::type_code(), probe::Empty::type_code()]);
    let text = "long choose(in long which, inout string note) raises (Refused, Empty);";
    assert_eq!(choose.to_string(), text);
    assert!(find("remark").oneway && find("remark").has_no_results());
    assert_eq!(find("_get_name").result, TypeCode::String(0));
    assert_eq!(find("_set_place").parameters[0].2, probe::Point::type_code());
    assert!(signatures.iter().all(|s| s.operation != "_set_count"), "it is readonly");
}

fn alias(model: &mut Model, name: &str, ty: DefId) -> Result<DefId, ModelError> {
    model.create(ROOT, &format!("IDL:{name}:1.0"), name, "1.0", Kind::Alias(ty))
}

#[test]
fn invalid_definitions_are_rejected() {
    let mut model = Model::new();
    let long = model.primitive(PrimitiveKind::PkLong);
    let void = model.primitive(PrimitiveKind::PkVoid);
    let number = alias(&mut model, "Number", long).unwrap();
    assert_eq!(
        alias(&mut model, "Number", long),
        Err(ModelError::IdTaken("IDL:Number:1.0".into()))
    );
    let again = model.create(ROOT, "IDL:Other:1.0", "NUMBER", "1.0", Kind::Alias(long));
    assert_eq!(again, Err(ModelError::NameTaken("NUMBER".into())));
    let within = model.create(number, "IDL:Inner:1.0", "Inner", "1.0", Kind::Module);
    assert_eq!(within, Err(ModelError::NotAContainer));
    assert!(matches!(alias(&mut model, "Nothing", void), Err(ModelError::Type(_))));
    assert!(model.lookup(ROOT, "Nothing").is_none(), "nothing is left of it");
    let interface = |bases| Kind::Interface { flavour: Flavour::Plain, bases };
    let base = model.create(ROOT, "IDL:Base:1.0", "Base", "1.0", interface(vec![])).unwrap();
    let derived = interface(vec![base]);
    let derived = model.create(ROOT, "IDL:Derived:1.0", "Derived", "1.0", derived).unwrap();
    let operation = |oneway, result, mode| Kind::Operation {
        result,
        oneway,
        parameters: vec![Parameter { name: "p".into(), mode, ty: long }],
        exceptions: vec![],
        contexts: vec![],
    };
    let plain = operation(false, long, ParameterMode::Out);
    model.create(base, "IDL:Base/go:1.0", "go", "1.0", plain.clone()).unwrap();
    let hidden = model.create(derived, "IDL:Derived/go:1.0", "go", "1.0", plain);
    assert_eq!(hidden, Err(ModelError::NameInherited("go".into())));
    for wrong in
        [operation(true, long, ParameterMode::In), operation(true, void, ParameterMode::InOut)]
    {
        let made = model.create(base, "IDL:Base/send:1.0", "send", "1.0", wrong);
        assert_eq!(made, Err(ModelError::Oneway));
    }
    let circle = model.set_kind(base, interface(vec![derived]));
    assert!(matches!(circle, Err(ModelError::Invalid(_))));
    let value = Value { base: Some(base), ..Value::default() };
    let made = model.create(ROOT, "IDL:V:1.0", "V", "1.0", Kind::Value(value));
    assert!(matches!(made, Err(ModelError::Invalid(_))), "an interface is no base of a value");
}

#[test]
fn definitions_in_use_are_not_destroyed() {
    let mut model = Model::new();
    let long = model.primitive(PrimitiveKind::PkLong);
    let module = model.create(ROOT, "IDL:M:1.0", "M", "1.0", Kind::Module).unwrap();
    let inner = model.create(module, "IDL:M/N:1.0", "N", "1.0", Kind::Alias(long)).unwrap();
    let many = model.create_anonymous(Kind::Sequence { element: inner, bound: 0 }).unwrap();
    let members = vec![Field { name: "all".into(), ty: many }];
    let user = model.create(ROOT, "IDL:S:1.0", "S", "1.0", Kind::Struct(members)).unwrap();
    assert_eq!(model.destroy(module), Err(ModelError::Needed("::S".into())));
    assert_eq!(model.destroy(ROOT), Err(ModelError::Indestructible));
    assert_eq!(model.destroy(long), Err(ModelError::Indestructible));
    assert_eq!(model.destroy(user).as_deref(), Ok(&[many, user][..]), "it had no other user");
    let list = model.create_anonymous(Kind::Sequence { element: inner, bound: 0 }).unwrap();
    let lists = model.create_anonymous(Kind::Array { element: list, length: 2 }).unwrap();
    let gone = model.destroy(module).unwrap();
    assert_eq!(gone, [module, inner, list, lists], "they can be of nothing else");
    assert!(gone.iter().all(|id| model.get(*id).is_none()));
    assert_eq!(model.lookup_id("IDL:M/N:1.0"), None);
    assert_eq!(model.destroy(module), Err(ModelError::Destroyed));
}

#[test]
fn definitions_are_renamed_and_moved() {
    let mut model = Model::new();
    let long = model.primitive(PrimitiveKind::PkLong);
    let make = |model: &mut Model, container, name: &str| {
        model.create(container, &format!("IDL:{name}:1.0"), name, "1.0", Kind::Module).unwrap()
    };
    let (outer, other) = (make(&mut model, ROOT, "Outer"), make(&mut model, ROOT, "Other"));
    let inner = make(&mut model, outer, "Inner");
    let number = alias(&mut model, "Number", long).unwrap();
    assert_eq!(model.relocate(outer, inner, "Outer", "1.0"), Err(ModelError::NotAContainer));
    model.relocate(number, inner, "Count", "2.0").unwrap();
    assert_eq!(model.absolute_name(number), "::Outer::Inner::Count");
    assert_eq!(model.get(number).unwrap().version, "2.0");
    assert_eq!(model.set_name(other, "outer"), Err(ModelError::NameTaken("outer".into())));
    model.set_name(other, "OTHER").unwrap();
    model.set_id(number, "IDL:Count:2.0").unwrap();
    assert_eq!(model.lookup_id("IDL:Count:2.0"), Some(number));
    assert_eq!(model.lookup_id("IDL:Number:1.0"), None);
}

fn interface(flavour: Flavour, bases: &[DefId]) -> Kind {
    Kind::Interface { flavour, bases: bases.to_vec() }
}

fn make(model: &mut Model, container: DefId, name: &str, kind: Kind) -> Result<DefId, ModelError> {
    model.create(
        container,
        &format!("IDL:{}/{name}:1.0", container_name(model, container)),
        name,
        "1.0",
        kind,
    )
}

fn container_name(model: &Model, container: DefId) -> String {
    model.absolute_name(container).replace("::", "/")
}

fn operation(result: DefId, parameters: Vec<Parameter>) -> Kind {
    Kind::Operation { result, oneway: false, parameters, exceptions: vec![], contexts: vec![] }
}

#[test]
fn bases_have_valid_kinds_and_distinct_names() {
    let mut model = Model::new();
    let void = model.primitive(PrimitiveKind::PkVoid);
    let plain = make(&mut model, ROOT, "Plain", interface(Flavour::Plain, &[])).unwrap();
    let pure = make(&mut model, ROOT, "Pure", interface(Flavour::Abstract, &[])).unwrap();
    let local = make(&mut model, ROOT, "Local", interface(Flavour::Local, &[plain, pure])).unwrap();
    for (flavour, base) in
        [(Flavour::Abstract, plain), (Flavour::Abstract, local), (Flavour::Plain, local)]
    {
        let made = make(&mut model, ROOT, "Wrong", interface(flavour, &[base]));
        assert!(matches!(made, Err(ModelError::Invalid(_))), "{flavour:?}");
    }
    assert!(model.is_a(pure, "IDL:omg.org/CORBA/AbstractBase:1.0"));
    assert!(!model.is_a(pure, "IDL:omg.org/CORBA/Object:1.0"));

    let other = make(&mut model, ROOT, "Other", interface(Flavour::Plain, &[])).unwrap();
    for scope in [plain, other] {
        make(&mut model, scope, "run", operation(void, vec![])).unwrap();
    }
    let clash = Err(ModelError::NameInherited("run".into()));
    let both = interface(Flavour::Plain, &[plain, other]);
    assert_eq!(make(&mut model, ROOT, "Both", both.clone()), clash);
    let derived = make(&mut model, ROOT, "Derived", interface(Flavour::Plain, &[])).unwrap();
    make(&mut model, derived, "RUN", operation(void, vec![])).unwrap();
    let raised = model.set_kind(derived, interface(Flavour::Plain, &[plain]));
    assert_eq!(raised, Err(ModelError::NameInherited("RUN".into())));
    let diamond = [("Left", &[plain][..]), ("Right", &[plain])];
    let sides = diamond.map(|(name, bases)| {
        make(&mut model, ROOT, name, interface(Flavour::Plain, bases)).unwrap()
    });
    make(&mut model, ROOT, "Diamond", interface(Flavour::Plain, &sides)).unwrap();
}

#[test]
fn references_to_types_denote_types() {
    let mut model = Model::new();
    let (void, long) =
        (model.primitive(PrimitiveKind::PkVoid), model.primitive(PrimitiveKind::PkLong));
    let object = make(&mut model, ROOT, "Object", interface(Flavour::Plain, &[])).unwrap();
    let raised = make(&mut model, ROOT, "Raised", Kind::Exception(vec![])).unwrap();
    let module = make(&mut model, ROOT, "Module", Kind::Module).unwrap();
    for ty in [raised, module, void] {
        let (get_exceptions, set_exceptions) = (vec![], vec![]);
        let attribute = Kind::Attribute { ty, readonly: true, get_exceptions, set_exceptions };
        assert!(matches!(make(&mut model, object, "a", attribute), Err(ModelError::Invalid(_))));
        let parameter = Parameter { name: "p".into(), mode: ParameterMode::In, ty };
        let taking = operation(void, vec![parameter]);
        assert!(matches!(make(&mut model, object, "o", taking), Err(ModelError::Invalid(_))));
    }
    assert!(make(&mut model, object, "o", operation(raised, vec![])).is_err());
    let members = vec![Field { name: "n".into(), ty: long }];
    let record = make(&mut model, ROOT, "Record", Kind::Struct(members)).unwrap();
    let value = armilla::Any::default();
    let constant = make(&mut model, ROOT, "LIMIT", Kind::Constant { ty: record, value });
    assert!(matches!(constant, Err(ModelError::Invalid(_))), "no constant is a struct");
    let value = |value| Kind::Value(value);
    let pure = value(Value { is_abstract: true, ..Value::default() });
    let pure = make(&mut model, ROOT, "Pure", pure).unwrap();
    for wrong in [
        Value { base: Some(pure), ..Value::default() },
        Value { is_abstract: true, is_custom: true, ..Value::default() },
        Value { is_truncatable: true, is_custom: true, ..Value::default() },
    ] {
        let made = make(&mut model, ROOT, "Wrong", value(wrong));
        assert!(matches!(made, Err(ModelError::Invalid(_))));
    }
}

#[test]
fn invalid_names_and_types_raise_the_exceptions_of_corba() {
    let mut model = Model::new();
    let minor = |error: ModelError| armilla::SystemException::from(error).minor();
    for name in ["", "two words", "1st", "a::b"] {
        let made = make(&mut model, ROOT, name, Kind::Module);
        assert_eq!(minor(made.unwrap_err()), Minor::BAD_PARAM_INVALID_TYPE_NAME, "{name:?}");
    }
    let made = model.create(ROOT, "nocolon", "M", "1.0", Kind::Module);
    assert_eq!(minor(made.unwrap_err()), Minor::BAD_PARAM_INVALID_REPOSITORY_ID);
    let made = make(&mut model, ROOT, "E", Kind::Enum(vec!["A".into(), "a".into()]));
    assert_eq!(minor(made.unwrap_err()), Minor::BAD_PARAM_INVALID_MEMBER_NAME);
    let (long, text) =
        (model.primitive(PrimitiveKind::PkLong), model.primitive(PrimitiveKind::PkString));
    let field = |name: &str| UnionField { name: name.into(), label: Some(1), ty: long };
    let twice = Kind::Union { discriminator: long, members: vec![field("a"), field("b")] };
    assert_eq!(
        minor(make(&mut model, ROOT, "U", twice).unwrap_err()),
        Minor::BAD_PARAM_DUPLICATE_LABEL
    );
    let by_text = Kind::Union { discriminator: text, members: vec![field("a")] };
    assert_eq!(
        minor(make(&mut model, ROOT, "U", by_text).unwrap_err()),
        Minor::BAD_PARAM_INVALID_DISCRIMINATOR
    );
    assert!(model.lookup(ROOT, "U").is_none());
}
