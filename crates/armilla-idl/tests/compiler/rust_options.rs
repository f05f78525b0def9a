//! What the options of the back end do. That the result compiles and works is for the tests of the
//! ORB to show.

use armilla_idl::rust::{Options, generate};
use armilla_idl::{Diagnostics, parse_str};

const SOURCE: &str = "
    module Shapes {
        struct Point { double x; };
        struct Label { wstring text; };
        typedef sequence<octet> Pixels;
        typedef sequence<octet, 8> Key;
        struct Picture { Pixels raw; Key code; sequence<octet> thumbnail; sequence<long> other; };
        enum Colour { RED };
        exception Refused {};
        interface Named { Pixels draw(in Pixels given, inout Key secret) raises (Refused); };
    };
    module Room {
        module Hall { interface Named : Shapes::Named { attribute Shapes::Point place; }; };
    };";

fn made(options: Options) -> Result<String, Diagnostics> {
    let read = armilla_idl::Options::new().read_with(|_| Ok(SOURCE.into()));
    let source = "#include \"shapes.idl\"\nmodule Shapes { typedef Point Place; };";
    let compilation = parse_str("room.idl", source, &read).unwrap();
    generate(&compilation.model, &options.sources_of(&compilation)).map(|made| made.text)
}

/// The generated code without line breaks and the blanks around them.
fn flat(options: Options) -> String {
    let made = made(options).unwrap_or_else(|errors| panic!("{errors}"));
    made.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn refused(options: Options, why: &str) {
    let errors = made(options).unwrap_err().render();
    assert!(errors.contains("E0702") && errors.contains(why), "{errors}");
}

#[test]
fn a_module_of_another_crate_is_named_and_not_made() {
    let code = flat(Options::new().extern_path("Shapes", "::drawing::shapes"));
    assert!(!code.contains("mod shapes"), "{code}");
    assert!(code.contains("pub trait Named: ::drawing::shapes::Named {"));
    assert!(code.contains("fn place( &self, ) -> Result<::drawing::shapes::Point,"));
    assert!(code.contains("impl codegen::IsA<dyn ::drawing::shapes::Named> for dyn Named {}"));
    assert!(code.contains("::drawing::shapes::named::skeleton::draw(self, call)"));

    let inner = flat(Options::new().extern_path("::Room::Hall", "crate::hall"));
    assert!(!inner.contains("mod room") && inner.contains("pub mod shapes"));
}

#[test]
fn a_file_of_another_crate_is_named_and_what_is_not_in_it_is_made() {
    let code = flat(Options::new().extern_path("shapes.idl", "drawing"));
    assert!(code.contains("pub type Place = drawing::shapes::Point;"), "{code}");
    let type_code = "\"Place\", <drawing::shapes::Point as codegen::Typed>::type_code(), )";
    assert!(code.contains(type_code), "{code}");
    assert!(!code.contains("struct") && !code.contains("trait") && !code.contains("mod room"));
}

#[test]
fn a_mapping_of_nothing_or_to_no_path_is_an_error() {
    refused(Options::new().extern_path("Shape", "a::b"), "`Shape` is neither a module nor a file");
    refused(Options::new().extern_path("Shapes::Point", "a::b"), "`Shapes::Point` is neither");
    refused(Options::new().extern_path("hapes.idl", "a::b"), "`hapes.idl` is neither");
    refused(Options::new().extern_path("Shapes", "a-b"), "`a-b` is not the path of a Rust module");
}

/// `Label` with the trait derived.
const LABEL: &str = "#[derive(serde::Serialize)] \
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)] pub struct Label";

#[test]
fn traits_are_derived_for_one_type_or_for_all_that_can_have_them() {
    let one = flat(Options::new().derive("Shapes::Label", "serde::Serialize, PartialEq"));
    assert!(one.contains(LABEL));
    assert_eq!(one.matches("serde::Serialize").count(), 1);

    // A `Label` holds a type of the runtime, of which the trait may know nothing.
    for what in ["*", "Shapes"] {
        let all = flat(Options::new().derive(what, "serde::Serialize"));
        assert_eq!(all.matches("#[derive(serde::Serialize)]").count(), 4, "{all}");
        assert!(!all.contains(LABEL));
    }
    refused(Options::new().derive("Shapes::Named", "A"), "`Shapes::Named` is no type or module");
    refused(Options::new().derive("*", "A B"), "`A B` is not a list of traits");
}

#[test]
fn octets_are_shared_where_it_is_said() {
    let names = ["Shapes::Pixels", "::Shapes::Key", "Shapes::Picture::thumbnail"];
    let code = flat(names.iter().fold(Options::new(), |options, name| options.shared(*name)));
    assert!(code.contains("pub type Pixels = codegen::SharedOctets;"));
    assert!(code.contains("pub thumbnail: codegen::SharedOctets,"));
    assert!(code.contains("pub other: Vec<i32>,"));
    assert!(code.contains("out.put_bounded_sequence::<u8>(&self.code, 8)?;"));
    assert!(code.contains("code: input.bounded_octets(8).map(Into::into)?,"));
    assert!(
        code.contains("fn draw( &self, given: &[u8], secret: &mut Key, ) -> Result<Pixels,"),
        "{code}"
    );
    // What is not shared is no other type in IDL.
    assert!(code.contains("codegen::TypeCode::sequence(codegen::TypeCode::Octet, 8)"));
    refused(
        Options::new().shared("Shapes::Picture::other"),
        "`Shapes::Picture::other` is no typedef",
    );
    refused(Options::new().shared("Nothing"), "`Nothing` is no typedef and no member");
}

#[test]
fn what_the_options_rename_keeps_its_name_on_the_wire() {
    let options = Options::new()
        .rename("Shapes::Named", "Drawable")
        .rename("::Shapes::Named::draw", "paint")
        .rename("Shapes::Named::draw::given", "pixels")
        .rename("Shapes::Colour::RED", "crimson")
        .rename("Shapes::Point::x", "abscissa");
    let code = flat(options);
    for wanted in [
        "pub trait Drawable: Send",
        "fn paint( &self, pixels: &[u8],",
        "pub type DrawableRef = codegen::Ref<dyn Drawable>;",
        "pub trait Named: super::super::shapes::Drawable",
        "= &[\"draw\"];",
        "\"IDL:Shapes/Named:1.0\"",
        "Crimson",
        "codegen::TypeCode::enumeration( \"IDL:Shapes/Colour:1.0\", \"Colour\", [\"RED\"], )",
        "pub abscissa: f64",
        "[(\"x\", codegen::TypeCode::Double)]",
    ] {
        assert!(code.contains(wanted), "{wanted}\n{code}");
    }
    refused(Options::new().rename("Shapes::Nothing", "A"), "there is no `Shapes::Nothing`");
    refused(Options::new().rename("Shapes::Named", "2"), "`2` is no name for `Shapes::Named`");
    let meeting = Options::new().rename("Shapes::Point", "Same").rename("Shapes::Label", "Same");
    let errors = made(meeting).unwrap_err().render();
    assert!(errors.contains("`Shapes::Point` and `Shapes::Label` would both be called `Same`"));
}
