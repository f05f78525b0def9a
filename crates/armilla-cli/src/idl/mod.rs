//! `armilla idl`: the IDL compiler on the command line. `compile` and `check` are here, each other
//! subcommand has a file of its own.

mod diff;
mod fmt;
mod lsp;

use crate::failure::{Doing, Failure, Outcome};
use crate::output::print;
use armilla_idl::diagnostics::Code;
use armilla_idl::{Compilation, Diagnostics, Options, dump, rust};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What `armilla idl` does.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Idl {
    /// Generate Rust from an IDL file
    Compile {
        /// The IDL file
        file: PathBuf,
        #[command(flatten)]
        input: Input,
        /// The file to write, a directory for FILE.rs in it, or - for standard output
        #[arg(short, long, value_name = "OUT")]
        output: PathBuf,
    },
    /// Tell what is wrong with IDL files
    Check {
        /// The IDL files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        input: Input,
    },
    /// Bring IDL files into one layout; comments and directives stay
    Fmt(fmt::Fmt),
    /// Tell which changes between two versions of an IDL file break the wire
    Diff(diff::Diff),
    /// Serve an editor by the Language Server Protocol on standard input and output
    Lsp(lsp::Lsp),
    /// Print every declaration of IDL files, one JSON object on a line each
    Dump {
        /// The IDL files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        input: Input,
    },
}

/// What the preprocessor is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Input {
    /// A directory to look for included files in; may stand several times
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    include: Vec<PathBuf>,
    /// A macro to define, as 1 if no value is given; may stand several times
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    define: Vec<String>,
}

impl Input {
    fn options(&self) -> Options {
        let options = self.include.iter().fold(Options::new(), Options::include);
        self.define.iter().fold(options, |options, define| {
            let (name, value) = define.split_once('=').unwrap_or((define, "1"));
            options.define(name, value)
        })
    }
}

pub(crate) fn run(idl: &Idl) -> Outcome {
    match idl {
        Idl::Compile { file, input, output } => compile(file, &input.options(), output),
        Idl::Check { files, input } => check(files, &input.options()),
        Idl::Fmt(fmt) => fmt::run(fmt),
        Idl::Diff(arguments) => diff::run(arguments),
        Idl::Lsp(arguments) => lsp::run(arguments),
        Idl::Dump { files, input } => dump_files(files, &input.options()),
    }
}

fn compile(file: &Path, options: &Options, output: &Path) -> Outcome {
    let (compilation, text) = generate(file, options).map_err(|errors| told(&errors))?;
    compilation.warnings.print();
    if output.as_os_str() == "-" {
        return print(format_args!("{text}"));
    }
    let inside = || {
        let name = Path::new(file.file_stem().unwrap_or(OsStr::new("idl"))).with_extension("rs");
        output.join(name)
    };
    let output = if output.is_dir() { inside() } else { output.to_owned() };
    std::fs::write(&output, text).doing(format_args!("cannot write {}", output.display()))
}

fn check(files: &[PathBuf], options: &Options) -> Outcome {
    let mut bad = false;
    for file in files {
        if let Err(errors) = check_one(file, options) {
            errors.print();
            bad = true;
        }
    }
    if bad { Err(Failure::Told) } else { Ok(()) }
}

/// Checks the IDL, and what only the generated code would show, such as names that collide. What is
/// right and cannot become Rust yet is no fault of the IDL.
fn check_one(file: &Path, options: &Options) -> Result<(), Diagnostics> {
    let compilation = armilla_idl::parse(file, options)?;
    match rust::generate(&compilation.model, &rust::Options::of(&compilation)) {
        Err(errors) if errors.iter().any(|error| error.code != Code::Unsupported) => Err(errors),
        _ => {
            compilation.warnings.print();
            Ok(())
        }
    }
}

fn dump_files(files: &[PathBuf], options: &Options) -> Outcome {
    let mut bad = false;
    for file in files {
        match armilla_idl::parse(file, options) {
            Ok(compilation) => print(format_args!("{}", dump::json_lines(&compilation)))?,
            Err(errors) => {
                errors.print();
                bad = true;
            }
        }
    }
    if bad { Err(Failure::Told) } else { Ok(()) }
}

fn generate(file: &Path, options: &Options) -> Result<(Compilation, String), Diagnostics> {
    let compilation = armilla_idl::parse(file, options)?;
    let text = rust::generate(&compilation.model, &rust::Options::of(&compilation))?;
    Ok((compilation, text))
}

fn told(errors: &Diagnostics) -> Failure {
    errors.print();
    Failure::Told
}
