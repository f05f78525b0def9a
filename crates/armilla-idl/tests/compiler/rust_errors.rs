//! What is valid IDL but cannot become Rust is an error that points at the IDL.

use armilla_idl::diagnostics::Code;
use armilla_idl::rust::Generated;
use armilla_idl::{Diagnostics, Options, parse_str, rust};

#[test]
fn names_that_meet_are_given_numbers() {
    for (idl, expected) in [
        ("typedef long fooBar; typedef long foo_bar;", "pub type FooBar2 = i32;"),
        (
            "module fooBar { typedef long T; }; module foo_bar { typedef long U; };",
            "mod foo_bar_2 ",
        ),
        ("const long fooBar = 1; const long foo_bar = 2;", "pub const FOO_BAR_2: i32 = 2;"),
        ("struct S { long fooBar; long foo_bar; long fooBAR_; };", "pub foo_bar_3: i32,"),
        ("enum E { fooBar, foo_bar };", " FooBar2,"),
        ("union U switch (long) { case 1: long fooBar; case 2: long foo_bar; };", "FooBar2(i32)"),
        ("union U switch (long) { case 1: long unlisted; };", " Unlisted2(i32)"),
        (
            "interface I { void f(in long fooBar, in long foo_bar); };",
            "foo_bar: i32, foo_bar_2: i32",
        ),
        ("interface I { attribute long x; void set_x(in long v); };", "fn set_x_2(&self, v: i32)"),
        ("interface I { void set_x(in long v); attribute long x; };", "fn set_x_2(&self, v: i32)"),
        ("interface Foo {}; struct FooRef { long x; };", "pub struct FooRef2 "),
        ("struct FooRef { long x; }; interface Foo {};", "pub struct FooRef2 "),
        ("valuetype Foo {}; struct FooRef { long x; };", "pub struct FooRef2 "),
        ("valuetype V { public long fooBar; public long foo_bar; };", "pub foo_bar_2: i32,"),
        ("interface FooBar {}; module foo_bar { typedef long T; };", "pub mod foo_bar_2 "),
        (
            "interface A { void fooBar(); }; interface B : A { void foo_bar(); };",
            "fn foo_bar_2(&self)",
        ),
        (
            "interface A { void fooBar(); void foo_bar(); }; interface B : A {};",
            "fn foo_bar_2(&self)",
        ),
        (
            "exception X {}; interface I { struct DoRaises { long x; }; void do_() raises (X); };",
            "pub struct DoRaises2 ",
        ),
        (
            "struct Foo_Bar { long x; }; struct FooBar { long x; }; struct FooBar_ { long x; };",
            "pub struct FooBar3 {",
        ),
    ] {
        let generated = try_generate(idl).unwrap_or_else(|errors| panic!("{idl}\n{errors}"));
        assert!(flat(&generated).contains(expected), "{idl}\n{generated}");
    }
}

#[test]
fn names_that_meet_by_the_thousand_are_numbered_in_no_time() {
    let members = |i: usize| format!("long m_{i}; long m_{i}_; long m__{i}; long m__{i}_;");
    let members: String = (0..500).map(members).collect();
    let generated = try_generate(&format!("struct S {{ {members} }};")).unwrap();
    for wanted in ["pub m_0: i32", "pub m_0_2: i32", "pub m_499_3: i32", "pub m_499_4: i32"] {
        assert!(generated.contains(wanted), "{wanted}");
    }
}

#[test]
fn what_has_a_number_in_rust_keeps_its_name_on_the_wire_and_says_it() {
    let idl = "interface Door { void openIt(); void open_it(); };\n\
               struct Lock { long keyNo; long key_no; };";
    let generated = try_generate(idl).unwrap();
    for wanted in [
        "/// In IDL this is Door::open_it.",
        "= &[\"openIt\", \"open_it\"];",
        "(\"keyNo\", ::armilla::codegen::TypeCode::Long), (\"key_no\", ::armilla::codegen::TypeCode::Long)",
    ] {
        assert!(flat(&generated).contains(wanted), "{wanted}\n{generated}");
    }
}

#[test]
fn methods_that_meet_by_inheritance_are_given_numbers() {
    // The later one has the number, in whatever order the bases are named.
    let generated = try_generate(
        "interface Door { void openIt(); }; interface Shop { void open_it(); };
         interface ShopDoor : Door, Shop {}; interface DoorShop : Shop, Door {};",
    );
    let generated = generated.unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(generated.matches("fn open_it(").count(), 3, "{generated}");
    assert!(generated.contains("/// In IDL this is Shop::open_it."), "{generated}");
}

#[test]
fn arrays_that_do_not_belong_on_a_stack_are_kept_on_the_heap() {
    for (idl, expected) in [
        ("typedef double Fits[1024];", "type Fits = [f64; 1024];"),
        ("typedef double Big[1025];", "type Big = ::armilla::codegen::LargeArray<f64, 1025>;"),
        (
            "struct S { octet image[480][640]; };",
            "pub image: ::armilla::codegen::LargeArray<[u8; 640], 480>,",
        ),
        (
            "struct Row { long long cells[1024]; };\ntypedef Row Table[9];",
            "type Table = ::armilla::codegen::LargeArray<Row, 9>;",
        ),
        (
            "typedef octet Planes[3][100000];",
            "type Planes = [::armilla::codegen::LargeArray<u8, 100000>; 3];",
        ),
        (
            "typedef string<8> Names[3000];\nstruct S { Names all; };",
            ".large_array_with(|input| input.bounded_string(8).map(Into::into))?",
        ),
    ] {
        let generated = try_generate(idl).unwrap();
        assert!(flat(&generated).contains(expected), "{expected}\n{generated}");
    }
}

#[test]
fn types_that_double_at_each_level_are_measured_in_no_time() {
    let mut idl = String::from("struct S0 { octet x; };\n");
    for i in 1..200 {
        let inner = i - 1;
        idl += &format!("struct S{i} {{ S{inner} a; S{inner} b; }};\n");
    }
    idl += "typedef S199 Array[2];\n";
    assert!(try_generate(&idl).is_ok());
}

#[test]
fn operations_of_unsupported_types_are_omitted_with_a_warning() {
    let natives = "native Key; struct Pair { Key a; Key b; };\n";
    for used in ["void f(in Key k);", "Pair f();", "attribute Key f;"] {
        let idl = format!("{natives}interface Remote {{ {used} void g(); }};");
        let Generated { text, warnings, .. } = generate(&idl);
        let warnings = warnings.render();
        assert!(warnings.contains("warning[W0012]: `Remote::f` is left out"), "{warnings}");
        assert!(warnings.contains("test.idl:2:"), "{warnings}");
        assert!(!text.contains("fn f(") && text.contains("fn g(&self)"), "{text}");
        assert!(text.contains("// Left out, for they cannot become Rust: Remote::f."), "{text}");
        let local = generate(&format!("{natives}local interface Near {{ {used} }};"));
        assert!(local.warnings.is_empty() && local.text.contains("fn f("), "{}", local.text);
    }
    for (idl, what) in [
        ("const wchar HALF = L'\\ud800';", "`HALF`"),
        ("native N; local interface L { void f() raises (N); };", "`L::f`"),
        ("native N; valuetype V { void f() raises (N); };", "`V::f`"),
        ("native N; interface L { attribute long f setraises (N); };", "`L::f`"),
    ] {
        let warnings = generate(idl).warnings;
        let sentence = format!("warning[W0012]: {what} is left out of the Rust");
        assert!(warnings.render().contains(&sentence), "{idl}\n{warnings}");
    }
}

#[test]
fn what_is_left_out_is_not_told_of_included_files_or_when_that_is_not_wanted() {
    let idl = "native Key;\ninterface Remote { void f(in Key k); };\n";
    let text = idl.as_bytes().to_vec();
    let options = Options::new().read_with(move |_| Ok(text.clone()));
    let including = parse_str("test.idl", "#include \"lib.idl\"\n", &options).unwrap();
    let silenced = parse_str("test.idl", idl, &Options::new().allow(Code::LeftOut)).unwrap();
    for compilation in [including, silenced] {
        let made = rust::generate(&compilation.model, &rust::Options::of(&compilation)).unwrap();
        assert!(made.warnings.is_empty(), "{}", made.warnings);
        assert!(made.text.contains("cannot become Rust: Remote::f."), "{}", made.text);
    }
}

#[test]
fn what_is_not_supported_is_refused_at_its_place() {
    for (idl, what) in [
        ("union U switch (wchar) { case L'\\ud800': long x; };", "half of a UTF-16 surrogate pair"),
        ("bitset Wide { bitfield<64> a; bitfield<1> b; };", "a bitset of more than 64 bits"),
        ("native N; valuetype V { factory f() raises (N); };", "`N` in `raises`"),
    ] {
        let errors = errors(idl);
        let sentence = format!("error[E0901]: {what} cannot become Rust");
        assert!(errors.render().contains(&sentence), "{idl}\n{errors}");
        assert!(errors.render().contains("test.idl:1:"), "{idl}\n{errors}");
    }
}

#[test]
fn what_is_not_supported_in_an_included_file_is_left_out_unless_it_is_used() {
    let included = "module Lib {\n\
        bitset Box { bitfield<64> a; bitfield<8> b; };\n\
        struct Boxes { Box one; };\n\
        interface Boxer { exception Full { Boxes which; }; Boxes all(); };\n\
        struct Plain { long x; };\n\
    };\n";
    let generate = |idl: &str| {
        let options = Options::new().read_with(move |_| Ok(included.as_bytes().to_vec()));
        let idl = format!("#include \"lib.idl\"\n{idl}");
        let compilation =
            parse_str("test.idl", &idl, &options).unwrap_or_else(|errors| panic!("{errors}"));
        rust::generate(&compilation.model, &rust::Options::of(&compilation))
    };
    let rust = generate("struct User { Lib::Plain p; };").unwrap().text;
    let comment = "// Left out, for they cannot become Rust: \
        Lib::Box, Lib::Boxes, Lib::Boxer, Lib::Boxer::Full.";
    assert!(rust.contains(comment), "{rust}");
    assert!(rust.contains("pub struct Plain") && !rust.contains("pub struct Boxes"), "{rust}");
    for (idl, name) in [
        ("struct User { Lib::Boxes b; };", "Lib::Boxes"),
        ("typedef sequence<Lib::Boxer> Many;", "Lib::Boxer"),
        ("interface User : Lib::Boxer {};", "Lib::Boxer"),
        ("interface User { void f() raises (Lib::Boxer::Full); };", "Lib::Boxer::Full"),
    ] {
        let errors = generate(idl).unwrap_err().render();
        assert!(errors.contains(&format!("`{name}` cannot become Rust")), "{idl}\n{errors}");
        assert!(errors.contains("test.idl:2:"), "{errors}");
    }
}

#[test]
fn types_that_spell_out_too_many_others_are_refused() {
    let mut idl = String::from("typedef sequence<long> T0;\n");
    for i in 1..1000 {
        idl += &format!("typedef sequence<T{}> T{i};\n", i - 1);
    }
    assert!(try_generate(&idl).is_ok());
    idl += "struct S { T999 deep; };\n";
    assert!(errors(&idl).render().contains("too entangled with others"));
}

fn generate(idl: &str) -> Generated {
    let compilation =
        parse_str("test.idl", idl, &Options::new()).unwrap_or_else(|errors| panic!("{errors}"));
    rust::generate(&compilation.model, &rust::Options::of(&compilation))
        .unwrap_or_else(|errors| panic!("{errors}"))
}

fn try_generate(idl: &str) -> Result<String, Diagnostics> {
    let compilation =
        parse_str("test.idl", idl, &Options::new()).unwrap_or_else(|errors| panic!("{errors}"));
    rust::generate(&compilation.model, &rust::Options::of(&compilation)).map(|made| made.text)
}

fn errors(idl: &str) -> Diagnostics {
    try_generate(idl).expect_err("cannot become Rust")
}

/// Text without line breaks and the blanks around them.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
