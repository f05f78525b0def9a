//! `armilla idl`: the IDL compiler on the command line. `check`, `explain` and `dump` are here;
//! every other tool has a file of its own.

mod compile;
mod diff;
mod fmt;
mod lsp;

use armilla_idl::diagnostics::Code;
use armilla_idl::{Diagnostics, Options, dump, rust};
use armilla_terminal::{Failure, Outcome, print, say};
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};

/// The subcommands of `armilla idl`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Idl {
    /// Generate Rust from IDL files
    Compile(compile::Compile),
    /// Report the errors and warnings of `compile` for each of the IDL files, and write nothing
    Check {
        /// The IDL files; each is checked by itself
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        backend: compile::Backend,
    },
    /// Explain the code of an error or warning, with an example
    Explain {
        /// The code, such as E0401; without it, list all codes
        code: Option<String>,
    },
    /// Format IDL files; comments and directives stay
    Fmt(fmt::Fmt),
    /// List the changes between two versions of an IDL file, and show which break the wire format
    Diff(diff::Diff),
    /// Run a language server (LSP) on standard input and output
    Lsp(lsp::Lsp),
    /// Print every declaration in IDL files as JSON, one object per line
    Dump {
        /// The IDL files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        input: Input,
    },
}

/// The options of the preprocessor and of diagnostics.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Input {
    /// Search this directory for included files; repeatable
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Define a macro, with the value 1 if none is given; repeatable
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", value_parser = definition)]
    define: Vec<String>,
    /// Suppress a warning, such as W0005; repeatable
    #[arg(long, value_name = "CODE", value_parser = warning)]
    allow: Vec<Code>,
    /// The format of errors and warnings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The format of diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Text on standard error
    Text,
    /// JSON on standard error, one object per line
    Json,
}

/// A macro definition with a valid name.
fn definition(text: &str) -> Result<String, String> {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    let letters = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let is_name = name.chars().all(letters) && !name.starts_with(|c: char| c.is_ascii_digit());
    match is_name && !name.is_empty() && name != "defined" {
        true => Ok(text.to_owned()),
        false => Err(format!("`{name}` cannot be the name of a macro without parameters")),
    }
}

/// The warning with this code.
fn warning(text: &str) -> Result<Code, String> {
    let code = Code::find(text).ok_or_else(|| format!("there is no code {text}"))?;
    match code.as_str().starts_with('W') {
        true => Ok(code),
        false => Err(format!("{text} is an error, not a warning")),
    }
}

impl Input {
    pub(super) fn options(&self) -> Options {
        let options = self.allow.iter().fold(Options::new(), |options, code| options.allow(*code));
        let options = self.include.iter().fold(options, Options::include);
        self.define.iter().fold(options, |options, define| {
            let (name, value) = define.split_once('=').unwrap_or((define, "1"));
            options.define(name, value)
        })
    }
}

impl Input {
    fn print(&self, diagnostics: &Diagnostics) {
        match self.format {
            Format::Text => diagnostics.print(),
            // If standard error is closed, there is nowhere to report that.
            Format::Json => drop(stderr().write_all(diagnostics.json_lines().as_bytes())),
        }
    }
}

pub(crate) fn run(idl: &Idl) -> Outcome {
    match idl {
        Idl::Compile(arguments) => compile::run(arguments),
        Idl::Check { files, input, backend } => check(files, input, backend),
        Idl::Explain { code } => explain(code.as_deref()),
        Idl::Fmt(arguments) => fmt::run(arguments),
        Idl::Diff(arguments) => diff::run(arguments),
        Idl::Lsp(arguments) => lsp::run(arguments),
        Idl::Dump { files, input } => dump_files(files, input),
    }
}

fn explain(code: Option<&str>) -> Outcome {
    let Some(text) = code else {
        for code in Code::ALL {
            say!("{}  {}", code.as_str(), code.summary())?;
        }
        return Ok(());
    };
    let code = Code::find(text).ok_or_else(|| {
        Failure::usage(format!(
            "there is no code {text}; `armilla idl explain` without one lists all"
        ))
    })?;
    say!("{}: {}\n\n{}", code.as_str(), code.summary(), code.explanation())
}

fn check(files: &[PathBuf], input: &Input, backend: &compile::Backend) -> Outcome {
    let (options, backend) = (input.options(), backend.options());
    let mut bad = false;
    for file in files {
        match check_one(file, &options, &backend) {
            Ok(warnings) => warnings.iter().for_each(|warnings| input.print(warnings)),
            Err(errors) => {
                input.print(&errors);
                bad = true;
            }
        }
    }
    if bad { Err(Failure::Reported) } else { Ok(()) }
}

/// The warnings of `compile` for `file`, or its errors.
fn check_one(
    file: &Path,
    options: &Options,
    backend: &rust::Options,
) -> Result<[Diagnostics; 2], Diagnostics> {
    let compilation = armilla_idl::parse(file, options)?;
    let backend = backend.clone().sources_of(&compilation);
    let warnings = rust::check(&compilation.model, &backend)?;
    Ok([compilation.warnings, warnings])
}

fn dump_files(files: &[PathBuf], input: &Input) -> Outcome {
    let options = input.options();
    let mut bad = false;
    for file in files {
        match armilla_idl::parse(file, &options) {
            Ok(compilation) => print(format_args!("{}", dump::json_lines(&compilation)))?,
            Err(errors) => {
                input.print(&errors);
                bad = true;
            }
        }
    }
    if bad { Err(Failure::Reported) } else { Ok(()) }
}
