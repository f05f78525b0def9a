//! The generated code that is committed is what the compiler makes of the IDL today.

use std::fs;
use std::path::Path;

#[test]
fn the_naming_interfaces_are_what_the_compiler_makes_of_their_idl() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let committed = root.join("crates/armilla/src/generated/cos_naming.rs");
    let options = armilla_idl::Options::new();
    let compilation = armilla_idl::parse(root.join("idl/CosNaming.idl"), &options)
        .unwrap_or_else(|errors| panic!("{}", errors.render()));
    let rust = armilla_idl::rust::Options::of(&compilation);
    let made = armilla_idl::rust::generate(&compilation.model, &rust)
        .unwrap_or_else(|errors| panic!("{}", errors.render()));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&committed, &made).unwrap();
    }
    let present = fs::read_to_string(&committed).unwrap();
    assert!(
        present == made,
        "{} is not up to date: UPDATE_GOLDEN=1 refreshes it",
        committed.display()
    );
}
