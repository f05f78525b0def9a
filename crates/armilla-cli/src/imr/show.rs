//! `armilla imr ls`, `show` and `export`.

use super::failed;
use armilla_imr::corba::{Repository, RepositoryRef};
use armilla_terminal::{Outcome, one_line, say};
use serde_json::Value;

pub(super) fn list(repository: &RepositoryRef) -> Outcome {
    say!(
        "{:<24} {:<12} {:>8} {:<22} {:>7}  REASON",
        "SERVER",
        "STAGE",
        "PROCESS",
        "ADDRESS",
        "WAITING"
    )?;
    for server in repository.list()? {
        let run = server.runs.last();
        let process = run.map_or_else(String::new, |run| run.process.to_string());
        let address = run.map_or("", |run| run.endpoint.as_str());
        say!(
            "{:<24} {:<12} {:>8} {:<22} {:>7}  {}",
            one_line(&server.name),
            one_line(&server.stage),
            process,
            one_line(address),
            server.waiting,
            one_line(&server.reason),
        )?;
    }
    Ok(())
}

pub(super) fn show(repository: &RepositoryRef, name: &str) -> Outcome {
    let status = failed(repository.status(name))?;
    say!("{}: {}", one_line(&status.name), one_line(&status.stage))?;
    say!(
        "starts {}, failures {}, forwards {}, waiting {}",
        status.starts,
        status.failures,
        status.forwards,
        status.waiting
    )?;
    if !status.reason.is_empty() {
        say!("failed last because {}", one_line(&status.reason))?;
    }
    for run in &status.runs {
        let client = if run.client.is_empty() { "" } else { " for " };
        say!(
            "process {} on {}: {} for {} s at {}{client}{}",
            run.process,
            one_line(&run.host),
            one_line(&run.stage),
            run.age,
            one_line(&run.endpoint),
            one_line(&run.client)
        )?;
    }
    say!("{}", failed(repository.definition(name))?)
}

pub(super) fn export(repository: &RepositoryRef) -> Outcome {
    let mut definitions = Vec::new();
    for server in repository.list()? {
        let text = failed(repository.definition(&server.name))?;
        definitions.push(serde_json::from_str::<Value>(&text)?);
    }
    say!("{:#}", Value::Array(definitions))
}
