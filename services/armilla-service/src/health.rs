//! `/healthz`: whether the service can do its work, and what an operator should know all the same.

use crate::blocking::spawn_blocking;
use crate::lifecycle::{Lifecycle, Stage};
use crate::upkeep::Upkeep;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// What makes a server unhealthy, as a line of text.
pub(crate) type Check = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// Whether a server is healthy. Clones share it.
#[derive(Clone)]
pub(crate) struct Health {
    pub(crate) lifecycle: Lifecycle,
    pub(crate) checks: Arc<[Check]>,
    pub(crate) upkeep: Upkeep,
}

/// What the checks have found.
#[derive(Default)]
struct Found {
    failures: Vec<String>,
    /// What does not keep the service from its work.
    notes: Vec<String>,
}

impl Health {
    /// Runs the checks. They may wait for a disk or another process, so other pages do not wait for
    /// them.
    async fn found(&self) -> Found {
        let Self { checks, upkeep, .. } = self.clone();
        let find = move || {
            let failed = checks.iter().filter_map(|check| check().err());
            let failures = failed.chain(upkeep.check().err()).collect();
            Found { failures, notes: upkeep.notes() }
        };
        let panicked = || Found { failures: vec!["a check panicked".to_owned()], notes: vec![] };
        spawn_blocking(find).await.unwrap_or_else(panicked)
    }

    /// The answer to `/healthz`.
    pub(crate) async fn answer(self) -> Response {
        let Found { failures, notes } = self.found().await;
        let stage = self.lifecycle.stage();
        let status = match stage {
            Stage::Ready if failures.is_empty() => StatusCode::OK,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        let lines = [stage.to_string()].into_iter().chain(failures).chain(notes);
        (status, lines.map(|line| line + "\n").collect::<String>()).into_response()
    }

    /// The metric that says the same, and those of the upkeep.
    pub(crate) async fn metrics(self) -> String {
        let healthy =
            self.lifecycle.stage() == Stage::Ready && self.found().await.failures.is_empty();
        format!(
            "{}# HELP armilla_healthy Whether the service can do its work: /healthz says why not.\n\
             # TYPE armilla_healthy gauge\narmilla_healthy {}\n",
            self.upkeep.metrics(),
            u8::from(healthy)
        )
    }
}
