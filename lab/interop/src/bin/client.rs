//! The Armilla client of the interop suite: calls every operation of an `Interop::Echo`, checks
//! every result, and prints one line for each check. The checks are in the library.

use armilla::Orb;
use armilla_interop::checks::{Checks, Shapes};
use armilla_interop::fill::Alphabet;
use armilla_interop::interop::{Branch, Echo, EchoRef, Leaf, Node, Stamp};
use armilla_interop::report::Report;
use armilla_tls::Tls;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "\
usage: client [--utf8] [--exotics] [--shapes SEED,COUNT] [--shutdown] [-ORB...]
              IOR|FILE|corbaloc:...|corbaname:... [FILTER|!FILTER]...
  --utf8      use texts beyond Latin-1
  --exotics   make the checks of interop_values.idl instead of those of interop.idl
  --shapes    send so many generated graphs of values instead, the first one with this seed
  --shutdown  end with the operation `shutdown`
  FILTER      run only checks whose names (operation/case) contain it; !FILTER excludes them";

#[derive(Default)]
struct Options {
    target: String,
    filters: Vec<String>,
    alphabet: Alphabet,
    exotics: bool,
    shapes: Option<Shapes>,
    shutdown: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = match Options::parse(&arguments) {
        Ok(options) => options,
        Err(what) => {
            eprintln!("client: {what}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(arguments, options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("client: {error}");
            ExitCode::from(2)
        }
    }
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--utf8" => options.alphabet = Alphabet::Utf8,
                "--exotics" => options.exotics = true,
                "--shapes" => {
                    let shapes = arguments.next().ok_or("--shapes needs SEED,COUNT")?;
                    options.shapes = Some(shapes.parse()?);
                }
                "--shutdown" => options.shutdown = true,
                option if option.starts_with("--") => {
                    return Err(format!("unknown option {option}"));
                }
                // An option of the ORB with its value, which the ORB parses.
                option if option.starts_with("-ORB") => _ = arguments.next(),
                target if options.target.is_empty() => options.target = target.to_owned(),
                filter => options.filters.push(filter.to_owned()),
            }
        }
        if options.target.is_empty() {
            return Err("no object reference given".to_owned());
        }
        Ok(options)
    }
}

/// Whether all checks passed.
fn run(arguments: Vec<String>, options: Options) -> Result<bool, Box<dyn Error>> {
    let builder = Orb::builder().transport(Tls::new());
    let orb = builder.call_timeout(Some(Duration::from_secs(10))).arguments(arguments)?.build()?;
    // Registers the types that may arrive as values of any type.
    orb.register_value::<Node>();
    orb.register_value::<Leaf>();
    orb.register_value::<Branch>();
    orb.register_value::<Stamp>();
    let reference = match std::fs::read_to_string(&options.target) {
        Ok(text) => text.trim().to_owned(),
        Err(_) => options.target,
    };
    let echo: EchoRef = orb.resolve(&reference)?;
    let mut report = Report::new(options.filters);
    let alphabet = options.alphabet;
    let mut checks = Checks { report: &mut report, echo: echo.clone(), alphabet };
    match (options.shapes, options.exotics) {
        (Some(shapes), _) => checks.run_shapes(shapes),
        (None, true) => checks.run_exotics(),
        (None, false) => checks.run(&orb),
    }
    if options.shutdown {
        echo.shutdown()?;
    }
    orb.shutdown();
    Ok(report.finish())
}
