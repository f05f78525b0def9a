//! Compiles the IDL of the tests.

fn main() {
    armilla_idl::build("idl/kiosk.idl").unwrap_or_else(|errors| errors.exit());
    let asynchronous = armilla_idl::Build::new().asynchronous(true);
    asynchronous.compile("idl/dynamic.idl").unwrap_or_else(|errors| errors.exit());
    asynchronous.compile("idl/probe.idl").unwrap_or_else(|errors| errors.exit());
    let rare = "../crates/armilla-idl/tests/rust/rare.idl";
    armilla_idl::build(rare).unwrap_or_else(|errors| errors.exit());
    armilla_idl::build("idl/frames.idl").unwrap_or_else(|errors| errors.exit());
    armilla_idl::build("idl/java.idl").unwrap_or_else(|errors| errors.exit());
    armilla_idl::build("idl/texts.idl").unwrap_or_else(|errors| errors.exit());
    armilla_idl::build("idl/values.idl").unwrap_or_else(|errors| errors.exit());
    let shapes = armilla_idl::Build::new()
        .shared("Shapes::Pixels")
        .derive("*", "PartialOrd")
        .replies_later(true);
    shapes.compile("idl/shapes.idl").unwrap_or_else(|errors| errors.exit());
    let gallery = shapes
        .shared("Gallery::Picture::thumbnail")
        .shared("Gallery::Remarks")
        .extern_path("shapes.idl", "::armilla_tests::shared");
    gallery.compile("idl/gallery.idl").unwrap_or_else(|errors| errors.exit());
}
