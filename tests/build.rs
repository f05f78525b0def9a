//! Compiles the IDL of the tests.

#[path = "../crates/armilla-idl/tests/support/collisions.rs"]
mod collisions;

use armilla_idl::{Build, build};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The IDL files that show what becomes of each construct.
const CONSTRUCTS: &str = "../crates/armilla-idl/tests/rust";

fn main() {
    build("idl/kiosk.idl").unwrap_or_else(|errors| errors.exit());
    let asynchronous = Build::new().asynchronous(true);
    asynchronous.compile("idl/dynamic.idl").unwrap_or_else(|errors| errors.exit());
    asynchronous.compile("idl/probe.idl").unwrap_or_else(|errors| errors.exit());
    build(format!("{CONSTRUCTS}/rare.idl")).unwrap_or_else(|errors| errors.exit());
    let both_ways = Build::new().asynchronous(true).amh(true);
    both_ways.compile("idl/bounds.idl").unwrap_or_else(|errors| errors.exit());
    build("idl/frames.idl").unwrap_or_else(|errors| errors.exit());
    let partly = Build::new().default_bodies(true).asynchronous(true);
    partly.compile("idl/device.idl").unwrap_or_else(|errors| errors.exit());
    build("idl/java.idl").unwrap_or_else(|errors| errors.exit());
    build("idl/texts.idl").unwrap_or_else(|errors| errors.exit());
    build("idl/values.idl").unwrap_or_else(|errors| errors.exit());
    let shapes = Build::new().shared("Shapes::Pixels").derive("*", "PartialOrd").amh(true);
    shapes.compile("idl/shapes.idl").unwrap_or_else(|errors| errors.exit());
    let gallery = shapes
        .shared("Gallery::Picture::thumbnail")
        .shared("Gallery::Remarks")
        .extern_path("shapes.idl", "::armilla_tests::shared");
    gallery.compile("idl/gallery.idl").unwrap_or_else(|errors| errors.exit());
    build_constructs();
}

/// Compiles the files of [`CONSTRUCTS`], and writes `constructs/all.rs` with a module for each.
fn build_constructs() {
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap()).join("constructs");
    fs::create_dir_all(&folder).unwrap();
    println!("cargo::rerun-if-changed={CONSTRUCTS}");
    let mut files: Vec<PathBuf> =
        fs::read_dir(CONSTRUCTS).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "idl"));
    files.sort();
    let mut modules = String::new();
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let build = options(&file).out_dir(&folder);
        build.compile(&file).unwrap_or_else(|errors| errors.exit());
        let rust = folder.join(name).with_extension("rs");
        writeln!(modules, "pub(crate) mod {name} {{ include!({rust:?}); }}").unwrap();
    }
    // Names that meet: each seed is another file.
    for (seed, build) in [(1, Build::new()), (2, Build::new().asynchronous(true).amh(true))] {
        let file = folder.join(format!("collisions_{seed}.idl"));
        fs::write(&file, collisions::idl(seed)).unwrap();
        build.out_dir(&folder).compile(&file).unwrap_or_else(|errors| errors.exit());
        let rust = file.with_extension("rs");
        writeln!(
            modules,
            "#[allow(warnings)]\npub(crate) mod collisions_{seed} {{ include!({rust:?}); }}"
        )
        .unwrap();
    }
    fs::write(folder.join("all.rs"), modules).unwrap();
}

/// The options with which `tests/compiler/rust.rs` of the compiler generates the Rust of `file`.
fn options(file: &Path) -> Build {
    match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("asynchronous") => Build::new().asynchronous(true),
        Some("amh") => Build::new().amh(true),
        Some("client") => Build::new().client_only(),
        Some("servant") => Build::new().servant_only(),
        _ => Build::new(),
    }
}
