//! The runner: pairs the programs of Armilla, omniORB and JacORB, and evaluates their output.
//!
//! A *group* is a named list of checks, usually all checks of one client with one server. Each file
//! has the groups of one subject; [`all`] runs them.

mod addresses;
mod bidirectional;
mod big_endian;
mod code_sets;
mod document;
mod expected;
mod forwarding;
mod mixed;
mod naming;
mod pairings;
mod peers;
mod persistence;
mod process;
mod raw;
mod references;
mod results;
mod shapes;
mod wire;

pub use expected::Expected;
pub use peers::{Client, Orb, Programs, Server, VERSIONS};
pub use process::{Process, TemporaryDirectory, free_port};
pub use results::{Group, Results};

use crate::report::expect;
use std::error::Error;
use std::fs;

/// Runs every group whose name contains `filter`, and prints the report. Returns whether all
/// passed. If so, it compares the results with `docs/interop.md`, or writes that file if `report`
/// is set.
///
/// # Errors
/// When the runner itself cannot work: no temporary directory, a malformed list of expected
/// failures.
pub fn all(filter: &str, expected: Expected, report: bool) -> Result<bool, Box<dyn Error>> {
    let programs = Programs::locate()?;
    let directory = TemporaryDirectory::new()?;
    let mut suite = Suite { programs, directory, results: Results::new(filter, expected) };
    pairings::run(&mut suite);
    shapes::run(&mut suite);
    forwarding::run(&mut suite);
    big_endian::run(&mut suite);
    mixed::run(&mut suite);
    references::run(&mut suite);
    code_sets::run(&mut suite);
    persistence::run(&mut suite);
    naming::run(&mut suite);
    addresses::run(&mut suite);
    bidirectional::run(&mut suite);
    wire::run(&mut suite);
    if suite.results.is_whole() {
        let text = suite.results.document().text();
        let path = suite.programs.home.join("../../docs/interop.md");
        if report {
            fs::write(&path, &text)?;
        }
        suite.group("document", |_, group| {
            group.check("docs/interop.md", || {
                let right = fs::read_to_string(&path)? == text;
                expect(right, "it is not what was found: lab/interop/run --report writes it")
            });
            Ok(())
        });
    }
    Ok(suite.results.finish())
}

/// The environment of the groups.
#[derive(Debug)]
pub struct Suite {
    programs: Programs,
    directory: TemporaryDirectory,
    results: Results,
}

/// The reason why a group could not run.
type Step<T = ()> = Result<T, Box<dyn Error>>;

impl Suite {
    /// Runs a group, if the filter includes it. An error of `body` is a failed check of its own.
    fn group(&mut self, name: &str, body: impl FnOnce(&Self, &mut Group) -> Step) {
        if !self.results.wants(name) {
            return;
        }
        let mut group = Group::new(name);
        if let Err(error) = body(self, &mut group) {
            group.failed("run", &error.to_string());
        }
        self.results.take(group);
    }
}
