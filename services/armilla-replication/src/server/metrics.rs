//! How groups are, for Prometheus.

use super::picture::{Group, Pictures, Said, lag};
use std::fmt::Write as _;

/// What is asked of all groups at each reading at most; there are further ones in the registry.
const MOST: usize = 200;

fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// How groups are, as Prometheus reads it; nothing while the registry is away.
pub(super) fn text(pictures: &Pictures) -> String {
    let mut out = String::new();
    let mut row = |name: &str, help: &str, kind: &str, values: &[(String, u64)]| {
        // A string takes everything.
        let _ = writeln!(
            out,
            "# HELP armilla_replication_{name} {help}\n# TYPE armilla_replication_{name} {kind}"
        );
        for (labels, value) in values {
            let _ = writeln!(out, "armilla_replication_{name}{labels} {value}");
        }
    };
    let manager = &pictures.manager;
    let one = |value: u64| [(String::new(), value)];
    row(
        "leads",
        "Whether this manager looks after members.",
        "gauge",
        &one(manager.leads().into()),
    );
    let managers = manager.managers().members.len() as u64;
    row("managers", "The managers of the domain.", "gauge", &one(managers));
    row("faults_total", "Members that did not answer.", "counter", &one(manager.faults()));
    let Ok(groups) = pictures.groups() else { return out };
    row("groups", "The groups of the registry.", "gauge", &one(groups.len() as u64));
    let (mut members, mut alive, mut missing, mut lags) = (vec![], vec![], vec![], vec![]);
    let mut deviated = vec![];
    for Group { name, view, record } in groups.iter().take(MOST) {
        let group = format!("{{group=\"{}\"", label(&name.to_string()));
        let said = pictures.ask_all(view);
        let present = said.iter().filter(|said| **said != Said::Nothing).count() as u64;
        members.push((format!("{group}}}"), view.members.len() as u64));
        alive.push((format!("{group}}}"), present));
        if let Some(record) = record {
            let wanted = record.settings.numbers().1 as u64;
            missing.push((format!("{group}}}"), wanted.saturating_sub(present)));
        }
        for (at, member) in view.members.iter().enumerate() {
            if let Some(lag) = lag(&said, at) {
                lags.push((format!("{group},member=\"{}\"}}", label(&member.name)), lag));
            }
            if let Some(Said::Status(status)) = said.get(at) {
                let labels = format!("{group},member=\"{}\"}}", label(&member.name));
                deviated.push((labels, status.deviated));
            }
        }
    }
    row("members", "The members of a group.", "gauge", &members);
    row("members_alive", "The members of a group that answer.", "gauge", &alive);
    row("members_missing", "The members that a group lacks of its minimum.", "gauge", &missing);
    row("lag", "Requests that a member is behind the primary.", "gauge", &lags);
    row(
        "deviations_total",
        "How often a member left an active group because its reply was not that of the primary.",
        "counter",
        &deviated,
    );
    out
}
