//! `armilla idl compile`: Rust out of IDL, as a build script would make it.

use super::Input;
use crate::failure::{Doing, Failure, Outcome};
use crate::output::print;
use armilla_idl::rust::Sides;
use armilla_idl::{Diagnostics, parse_all, rust};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What to compile, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct Compile {
    /// The IDL files; what several of them include is generated once
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    backend: Backend,
    /// The file to write, a directory for a file named like the first FILE, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

/// What the back end is told.
#[derive(Debug, clap::Args)]
struct Backend {
    /// Take the Rust of an IDL module, or of an included file, from a Rust module; may stand several
    /// times
    #[arg(long = "extern", value_name = "MODULE|FILE=PATH", value_parser = pair)]
    externs: Vec<(String, String)>,
    /// Leave out what only servers need
    #[arg(long, conflicts_with = "servant_only")]
    client_only: bool,
    /// Leave out what only clients need
    #[arg(long)]
    servant_only: bool,
    /// Add a form of each operation that returns a future of the reply, `withdraw_async`
    #[arg(long)]
    asynchronous: bool,
    /// Add traits for servants that reply later
    #[arg(long)]
    replies_later: bool,
    /// Derive traits for a type, for the types of a module, or for all (*); may stand several times
    #[arg(long, value_name = "NAME=TRAITS", value_parser = pair)]
    derive: Vec<(String, String)>,
    /// Keep a `sequence<octet>` or `sequence<string>`, a typedef or a member, in a shared buffer; may
    /// stand several times
    #[arg(long, value_name = "NAME")]
    shared: Vec<String>,
    /// Make the Rust names of something, `Bank::Account::set_x`, of another name; may stand several
    /// times
    #[arg(long, value_name = "NAME=NEW", value_parser = pair)]
    rename: Vec<(String, String)>,
}

/// Both halves of `A=B`.
fn pair(text: &str) -> Result<(String, String), String> {
    let halves = text.split_once('=').filter(|(a, b)| !a.is_empty() && !b.is_empty());
    let (a, b) = halves.ok_or("NAME=VALUE is needed")?;
    Ok((a.to_owned(), b.to_owned()))
}

impl Backend {
    fn options(&self) -> rust::Options {
        let sides = match (self.client_only, self.servant_only) {
            (true, _) => Sides::Client,
            (_, true) => Sides::Servant,
            _ => Sides::Both,
        };
        let options = rust::Options::new().sides(sides);
        let options = options.asynchronous(self.asynchronous).replies_later(self.replies_later);
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
        input.tell(&errors);
        Failure::Told
    })?;
    if output.as_os_str() == "-" {
        return print(format_args!("{text}"));
    }
    let output = if output.is_dir() { inside(arguments) } else { output.clone() };
    let is_output = |file: &PathBuf| match (file.canonicalize(), output.canonicalize()) {
        (Ok(file), Ok(output)) => file == output,
        _ => false,
    };
    if arguments.files.iter().any(is_output) {
        let what = format_args!("{} is IDL; the Rust needs another file", output.display());
        return Err(Failure::usage(what));
    }
    write(&output, &text).doing(format_args!("cannot write {}", output.display()))
}

/// Writes a file whole or not at all: half of one would only be found when it is compiled.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes()).inspect_err(|_| {
        if file.metadata().is_ok_and(|file| file.is_file()) {
            // The first error is the one to tell.
            drop(fs::remove_file(path));
        }
    })
}

fn generate(arguments: &Compile) -> Result<String, Diagnostics> {
    let compilation = parse_all(&arguments.files, &arguments.input.options())?;
    let options = arguments.backend.options().sources_of(&compilation);
    let generated = rust::generate(&compilation.model, &options)?;
    arguments.input.tell(&compilation.warnings);
    arguments.input.tell(&generated.warnings);
    Ok(generated.text)
}

/// The file in the output directory.
fn inside(arguments: &Compile) -> PathBuf {
    let stem = arguments.files.first().and_then(|file| file.file_stem()).unwrap_or("idl".as_ref());
    arguments.output.join(stem).with_extension("rs")
}
