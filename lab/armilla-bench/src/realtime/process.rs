//! A process of the experiment. It is killed when it is dropped.

use crate::process::spawn_on;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

pub(super) struct Process {
    child: Child,
    output: BufReader<ChildStdout>,
    role: &'static str,
}

impl Process {
    /// Starts a worker in `role` on a processor: this executable, or `program` instead.
    pub(super) fn start(
        program: Option<&Path>,
        cpu: Option<usize>,
        role: &'static str,
        place: &str,
        options: &[&str],
    ) -> Result<Self, String> {
        let failed = |error: io::Error| format!("the {role} cannot be started: {error}");
        let mut command = match program {
            Some(program) => {
                let mut command = Command::new(program);
                command.args([role, place]);
                command
            }
            None => {
                let mut command = Command::new(std::env::current_exe().map_err(failed)?);
                command.args(["bench-worker", "realtime", role, "tcp", place, "0"]);
                command
            }
        };
        command.args(options);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = spawn_on(cpu, &mut command).map_err(failed)?;
        let output = child.stdout.take().ok_or_else(|| format!("the {role} has no output"))?;
        Ok(Self { child, output: BufReader::new(output), role })
    }

    /// Ends its standard input, which asks it to end.
    pub(super) fn ask_to_end(&mut self) {
        self.child.stdin.take();
    }

    /// The next line that it prints.
    pub(super) fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err(format!("the {} has ended", self.role)),
            Ok(_) => Ok(line.trim_end().to_owned()),
            Err(error) => Err(format!("the {}: {error}", self.role)),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
