//! `armilla idl compile`: generates Rust from IDL, as a build script does.

use super::Input;
use crate::output;
use armilla_idl::rust::Sides;
use armilla_idl::{Diagnostics, parse_all, rust};
use armilla_terminal::{Context, Failure, Outcome, print};
use std::fs;
use std::path::PathBuf;

/// The arguments of `armilla idl compile`.
#[derive(Debug, clap::Args)]
pub(crate) struct Compile {
    /// The IDL files; a file that several of them include is generated once
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    backend: Backend,
    /// The file to write, a directory for a file named like the first FILE, or - for standard
    /// output. A name that ends with / is a directory, which is made if it is not there
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

/// The options of the Rust back end.
#[derive(Debug, clap::Args)]
pub(crate) struct Backend {
    /// Use an existing Rust module for an IDL module or an included file; repeatable
    #[arg(long = "extern", value_name = "MODULE|FILE=PATH", value_parser = pair)]
    externs: Vec<(String, String)>,
    /// Generate client code only
    #[arg(long, conflicts_with = "servant_only")]
    client_only: bool,
    /// Generate server code only
    #[arg(long)]
    servant_only: bool,
    /// Add an asynchronous form of each operation that returns a future, such as `withdraw_async`
    #[arg(long)]
    asynchronous: bool,
    /// Add traits for servants that reply asynchronously
    #[arg(long)]
    amh: bool,
    /// Let servants leave out operations: those raise NO_IMPLEMENT
    #[arg(long)]
    default_bodies: bool,
    /// Derive traits for a type, for the types of a module, or for all types (*); repeatable
    #[arg(long, value_name = "NAME=TRAITS", value_parser = pair)]
    derive: Vec<(String, String)>,
    /// Map a `sequence<octet>` or `sequence<string>` (a typedef or a member) to a shared buffer;
    /// repeatable
    #[arg(long, value_name = "NAME")]
    shared: Vec<String>,
    /// Derive the Rust names of a declaration, such as `Bank::Account::set_x`, from another name;
    /// repeatable
    #[arg(long, value_name = "NAME=NEW", value_parser = pair)]
    rename: Vec<(String, String)>,
}

/// Both halves of `A=B`.
fn pair(text: &str) -> Result<(String, String), String> {
    let halves = text.split_once('=').filter(|(a, b)| !a.is_empty() && !b.is_empty());
    let (a, b) = halves.ok_or("expected NAME=VALUE")?;
    Ok((a.to_owned(), b.to_owned()))
}

impl Backend {
    pub(super) fn options(&self) -> rust::Options {
        let sides = match (self.client_only, self.servant_only) {
            (true, _) => Sides::Client,
            (_, true) => Sides::Servant,
            _ => Sides::Both,
        };
        let options = rust::Options::new().sides(sides);
        let options = options.asynchronous(self.asynchronous).amh(self.amh);
        let options = options.default_bodies(self.default_bodies);
        let options =
            self.externs.iter().fold(options, |o, (what, path)| o.extern_path(what, path));
        let options = self.derive.iter().fold(options, |o, (what, traits)| o.derive(what, traits));
        let options = self.shared.iter().fold(options, rust::Options::shared);
        self.rename.iter().fold(options, |o, (what, name)| o.rename(what, name))
    }
}

pub(super) fn run(arguments: &Compile) -> Outcome {
    let Compile { input, output, .. } = arguments;
    let text = generate(arguments).map_err(|errors| {
        input.print(&errors);
        Failure::Reported
    })?;
    if output.as_os_str() == "-" {
        return print(format_args!("{text}"));
    }
    if output.as_os_str().as_encoded_bytes().ends_with(b"/") {
        fs::create_dir_all(output).context(format_args!("cannot make {}", output.display()))?;
    }
    let output = if output.is_dir() { inside(arguments) } else { output.clone() };
    let is_output = |file: &PathBuf| match (file.canonicalize(), output.canonicalize()) {
        (Ok(file), Ok(output)) => file == output,
        _ => false,
    };
    if arguments.files.iter().any(is_output) {
        let output = output.display();
        return Err(Failure::usage(format_args!("the output {output} is one of the IDL files")));
    }
    // Completely or not at all: a partial file fails only when it is compiled.
    output::write(&output, &text).context(format_args!("cannot write {}", output.display()))
}

fn generate(arguments: &Compile) -> Result<String, Diagnostics> {
    let compilation = parse_all(&arguments.files, &arguments.input.options())?;
    let options = arguments.backend.options().sources_of(&compilation);
    let generated = rust::generate(&compilation.model, &options)?;
    arguments.input.print(&compilation.warnings);
    arguments.input.print(&generated.warnings);
    Ok(generated.text)
}

/// The file in the output directory.
fn inside(arguments: &Compile) -> PathBuf {
    let stem = arguments.files.first().and_then(|file| file.file_stem()).unwrap_or("idl".as_ref());
    arguments.output.join(stem).with_extension("rs")
}
