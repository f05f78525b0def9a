//! The Rust back end: each `rust/*.idl` becomes exactly the `.rs` file beside it. After a change
//! of the mapping, `UPDATE_GOLDEN=1 cargo test -p armilla-idl --test rust` writes them anew.

use armilla_idl::{Options, parse, rust};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn each_construct_becomes_the_rust_that_is_on_record() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut differing = Vec::new();
    for idl in idl_files() {
        let generated = generate(&idl);
        let golden = idl.with_extension("rs");
        if update {
            fs::write(&golden, &generated).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != generated {
            differing.push(golden);
        }
    }
    assert!(differing.is_empty(), "not as on record: {differing:?}; see the head of this test");
}

#[test]
fn generated_code_is_rust_with_a_comment_on_every_public_item() {
    for idl in idl_files() {
        let file = syn::parse_file(&generate(&idl)).unwrap();
        check_documented(&file.items, &idl);
    }
}

fn check_documented(items: &[syn::Item], idl: &Path) {
    for item in items {
        let (attributes, name) = match item {
            syn::Item::Mod(item) => (&item.attrs, &item.ident),
            syn::Item::Struct(item) => (&item.attrs, &item.ident),
            syn::Item::Enum(item) => (&item.attrs, &item.ident),
            syn::Item::Trait(item) => (&item.attrs, &item.ident),
            syn::Item::Type(item) => (&item.attrs, &item.ident),
            syn::Item::Const(item) => (&item.attrs, &item.ident),
            syn::Item::Fn(item) => (&item.attrs, &item.sig.ident),
            _ => continue,
        };
        let is_documented = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
        assert!(is_documented, "{}: no comment on {name}", idl.display());
        // What is hidden needs no comments within.
        if let syn::Item::Mod(module) = item
            && !name.to_string().starts_with("skeleton")
        {
            let (_, items) = module.content.as_ref().unwrap();
            check_documented(items, idl);
        }
    }
}

fn generate(idl: &Path) -> String {
    let compilation = parse(idl, &Options::new()).unwrap_or_else(|errors| panic!("{errors}"));
    rust::generate(&compilation.model, &options(idl).sources_of(&compilation))
        .unwrap_or_else(|errors| panic!("{errors}"))
        .text
}

/// Most files are compiled without options; some show what an option does.
fn options(idl: &Path) -> rust::Options {
    let options = rust::Options::new();
    match idl.file_stem().and_then(|stem| stem.to_str()) {
        Some("asynchronous") => options.asynchronous(true),
        Some("later") => options.replies_later(true),
        Some("client") => options.sides(rust::Sides::Client),
        Some("servant") => options.sides(rust::Sides::Servant),
        _ => options,
    }
}

fn idl_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rust");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "idl")).collect();
    assert!(!files.is_empty());
    files
}
