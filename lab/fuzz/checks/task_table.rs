//! A table of tasks as a person writes it: it is read or refused, and analysed in bounded time.

use armilla_schedule::{AnalysisOptions, Description, Strategy, System, analyse};

pub(crate) fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let read = Description::parse("fuzz.toml", None, &text).and_then(Description::finish);
    let system = match read.and_then(System::new) {
        Ok(system) => system,
        Err(error) => return assert!(error.to_string().len() < 1 << 20),
    };
    for strategy in Strategy::ALL {
        let question = AnalysisOptions { sensitivity: false, ..AnalysisOptions::of(strategy) };
        match analyse(&system, question) {
            Ok(report) => assert_eq!(report.operations.len(), system.tasks().len()),
            Err(error) => assert!(!error.faults.is_empty()),
        }
    }
}
