//! Measuring how long operations execute, for an analysis of the schedule.

use armilla::SystemException;
use armilla::interceptor::{Interruption, ProcessingMode, ServerInterceptor, ServerRequestInfo};
use armilla_ipc::real_time::{PiMutex, thread_cpu_time};
use armilla_schedule::{MeasuredTimes, Nanos};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, io, process};
use tracing::warn;

/// Measures how much processor time operations take, and keeps the worst case of each. Clones share
/// what they have measured; any thread may use it.
///
/// As a server interceptor it measures each request of other processes, under the scoped name of
/// the operation: that of the most derived interface of the object. [`of`](Self::of) measures
/// anything else. `armilla rt measure` runs a program that uses
/// [`from_environment`](Self::from_environment), and writes a table for `armilla schedule`.
///
/// ```
/// use armilla::Orb;
/// use armilla_rt::Measurement;
///
/// let measurement = Measurement::new();
/// let orb = Orb::builder().server_interceptor(measurement.clone()).build()?;
/// measurement.of("Filter::update", || (1..1_000).sum::<u64>());
/// assert!(measurement.times().to_table(20).contains("name = \"Filter::update\""));
/// orb.shutdown();
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[derive(Clone, Default)]
pub struct Measurement(Arc<Inner>);

#[derive(Default)]
struct Inner {
    times: PiMutex<MeasuredTimes>,
    /// Where they are written at the end of the ORB.
    file: Option<PathBuf>,
}

/// What a request began with: its operation, and the processor time of its thread.
struct Begun {
    operation: String,
    at: Duration,
}

impl Measurement {
    /// The environment variable that names the directory for what programs measure.
    pub const VARIABLE: &str = "ARMILLA_RT_MEASURE";

    /// Measures, and writes no file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Measures, and writes a file to the directory that [`VARIABLE`](Self::VARIABLE) names when
    /// its ORB ends, or at [`write`](Self::write); `None` without the variable.
    pub fn from_environment() -> Option<Self> {
        let directory = PathBuf::from(env::var_os(Self::VARIABLE)?);
        let file = Some(directory.join(format!("{}.times", process::id())));
        Some(Self(Arc::new(Inner { times: PiMutex::default(), file })))
    }

    /// Does `work` as an execution of `operation`, and measures it.
    pub fn of<T>(&self, operation: &str, work: impl FnOnce() -> T) -> T {
        let begun = thread_cpu_time();
        let done = work();
        self.record(operation, begun);
        done
    }

    /// What was measured so far.
    pub fn times(&self) -> MeasuredTimes {
        self.0.times.lock().clone()
    }

    /// Writes what was measured so far, if it has a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self) -> io::Result<()> {
        let Some(file) = &self.0.file else { return Ok(()) };
        fs::write(file, self.times().to_string())
    }

    fn record(&self, operation: &str, begun: Duration) {
        let took = thread_cpu_time().saturating_sub(begun);
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.0.times.lock().record(operation, Nanos(took));
    }

    fn end(&self, request: &ServerRequestInfo) {
        if let Some(Begun { operation, at }) = request.kept() {
            self.record(operation, *at);
        }
    }
}

impl ServerInterceptor for Measurement {
    fn name(&self) -> &str {
        "armilla-rt measurement"
    }

    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let interface = request.target_most_derived_interface()?;
        let operation = format!("{}::{}", scoped_name(&interface), request.operation());
        request.keep(Begun { operation, at: thread_cpu_time() });
        Ok(())
    }

    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.end(request);
        Ok(())
    }

    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.end(request);
        Ok(())
    }

    fn send_other(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.end(request);
        Ok(())
    }

    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::RemoteOnly
    }

    fn reads_values(&self) -> bool {
        false
    }

    fn destroy(&self) {
        if let Err(error) = self.write() {
            warn!("what was measured cannot be written: {error}");
        }
    }
}

impl fmt::Debug for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Measurement").field("file", &self.0.file).finish_non_exhaustive()
    }
}

/// The scoped name in a repository id of the form `IDL:PREFIX/A/B:1.0`: `A::B`. A prefix has a dot.
fn scoped_name(repository_id: &str) -> String {
    scopes(repository_id).collect::<Vec<_>>().join("::")
}

/// The parts of that name.
pub(crate) fn scopes(repository_id: &str) -> impl Iterator<Item = &str> {
    let parts = repository_id.strip_prefix("IDL:").unwrap_or(repository_id);
    let parts = parts.rsplit_once(':').map_or(parts, |(parts, _version)| parts);
    parts.split('/').filter(|part| !part.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::scoped_name;

    #[test]
    fn repository_ids_become_scoped_names() {
        assert_eq!(scoped_name("IDL:Station/Sensor:1.0"), "Station::Sensor");
        assert_eq!(
            scoped_name("IDL:armilla.org/RtEvents/PushConsumer:1.0"),
            "RtEvents::PushConsumer"
        );
        assert_eq!(scoped_name("anything"), "anything");
    }
}
