//! A process of the experiment. It is killed when it is dropped.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

pub(super) struct Process {
    child: Child,
    output: BufReader<ChildStdout>,
    role: &'static str,
}

impl Process {
    /// Starts this executable as a worker in `role`.
    pub(super) fn start(role: &'static str, place: &str, options: &[&str]) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("the {role} cannot be started: {error}");
        let program = std::env::current_exe().map_err(failed)?;
        let mut child = Command::new(program)
            .args(["bench-worker", "realtime", role, "tcp", place, "0"])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let output = child.stdout.take().ok_or_else(|| format!("the {role} has no output"))?;
        Ok(Self { child, output: BufReader::new(output), role })
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
