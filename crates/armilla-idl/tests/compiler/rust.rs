//! The Rust back end: what becomes of each `rust/*.idl`.
//!
//! The file `.rs` beside the IDL has the expected fragments of its Rust. A line `//= path` names an
//! item of the generated code (see [`fragment`]); the lines that follow are its text. `//= file`
//! stands for the whole file. To add an expectation, write such a line and run
//! `UPDATE_GOLDEN=1 cargo test -p armilla-idl --test compiler rust::`, which writes the lines that
//! follow.
//!
//! What the expectations leave out is compiled all the same: the module `constructs` of the crate
//! `armilla-tests` includes the whole Rust of these files, made with the same options.

#[path = "../support/fragment.rs"]
mod fragment;

use armilla_idl::{Options, parse, rust};
use fragment::Fragments;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn each_construct_becomes_the_expected_rust() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    for idl in idl_files() {
        let path = idl.with_extension("rs");
        let expected = fs::read_to_string(&path).unwrap();
        let actual = with_fragments_of(&generate(&idl), &expected)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if update {
            fs::write(&path, actual).unwrap();
        } else {
            assert!(
                expected == actual,
                "{} differs; UPDATE_GOLDEN=1 accepts this:\n{actual}",
                path.display()
            );
        }
    }
}

/// `expected` with the text of each item as it stands in `generated`.
fn with_fragments_of(generated: &str, expected: &str) -> Result<String, String> {
    let fragments = Fragments::of(generated);
    let (head, sections) = expected.split_once("//= ").ok_or("nothing is expected")?;
    let sections = sections.split("//= ").map(|section| {
        let path = section.lines().next().unwrap_or_default();
        let text = match path {
            "file" => generated.to_owned(),
            _ => fragments.get(path)?,
        };
        Ok(format!("//= {path}\n{text}"))
    });
    Ok(head.to_owned() + &sections.collect::<Result<Vec<String>, String>>()?.join("\n"))
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
        Some("amh") => options.amh(true),
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
