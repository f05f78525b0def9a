//! Checks the objects of all bindings in the background, at a bounded rate, and unbinds dead ones
//! where a rule says so.

use crate::access::Sweep;
use crate::client::{Liveness, to_text};
use crate::model::{ContextId, Decision, NamingError, ReferenceOctets, Step, Target};
use crate::servant::NamingService;
use armilla_cos_naming::NameComponent;
use armilla_service::{Pause, Rounds};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// How the objects are checked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CheckSettings {
    /// The time from the beginning of one round over all bindings to that of the next. Default:
    /// five minutes.
    pub interval: Duration,
    /// The most checks in a second. Default: 20.
    pub rate: u32,
    /// The time limit of one check. Default: two seconds.
    pub timeout: Duration,
}

impl Default for CheckSettings {
    fn default() -> Self {
        let (interval, timeout) = (Duration::from_secs(300), Duration::from_secs(2));
        Self { interval, rate: 20, timeout }
    }
}

/// How many bindings are taken from the tree at once.
const BATCH: usize = 100;

/// Begins to check.
pub(super) fn start(service: &NamingService, settings: CheckSettings) -> io::Result<Rounds> {
    let interval = settings.interval;
    let checker = Checker { service: service.clone(), settings };
    Rounds::start("armilla-checker", interval, move |pause| checker.round(pause))
}

struct Checker {
    service: NamingService,
    settings: CheckSettings,
}

impl Checker {
    /// Checks every binding once, and returns whether the checker goes on.
    fn round(&self, pause: &Pause) -> bool {
        let mut contexts: Vec<ContextId> = self.service.store().read().context_ids().collect();
        contexts.sort();
        for context in contexts {
            let mut after = None;
            loop {
                let batch = self.batch(context, after.as_ref());
                let Some((last, _)) = batch.last() else { break };
                after = Some(last.clone());
                for (step, references) in &batch {
                    for reference in references {
                        if !self.one(context, step, reference, pause) {
                            return false;
                        }
                    }
                }
            }
        }
        true
    }

    /// The next bindings of a context, each with its objects.
    fn batch(&self, context: ContextId, after: Option<&Step>) -> Vec<(Step, Vec<ReferenceOctets>)> {
        let tree = self.service.store().read();
        let Ok(bindings) = tree.bindings_after(context, after) else { return Vec::new() };
        let objects = |target: &Target| match target {
            Target::Object(reference) | Target::ForeignContext(reference) => {
                vec![reference.clone()]
            }
            Target::Group(group) => {
                group.members.iter().map(|member| member.reference.clone()).collect()
            }
            Target::Context(_) => Vec::new(),
        };
        let bindings = bindings.take(BATCH);
        bindings.map(|(step, bound)| (step.clone(), objects(&bound.target))).collect()
    }

    /// Checks one object, and returns whether the checker goes on.
    fn one(
        &self,
        context: ContextId,
        step: &Step,
        reference: &ReferenceOctets,
        pause: &Pause,
    ) -> bool {
        // What code of the program that embeds the server does in a check costs that check.
        let checked = catch_unwind(AssertUnwindSafe(|| {
            let (found, failures) = self.service.check(reference, self.settings.timeout);
            if found.is_dead() {
                self.sweep(context, step, reference, &found, failures);
            }
        }));
        if checked.is_err() {
            tracing::error!(?step, "a check of a binding panicked");
        }
        pause.wait(Duration::from_secs(1) / self.settings.rate.max(1))
    }

    /// Unbinds a dead object if a rule for one of its names says so.
    fn sweep(
        &self,
        context: ContextId,
        step: &Step,
        reference: &ReferenceOctets,
        found: &Liveness,
        failures: u32,
    ) {
        if !self.service.rules().sweeps() {
            return;
        }
        let names = self.service.store().read().names_of(context).unwrap_or_default();
        let due =
            |rule: Sweep| failures >= rule.checks && (rule.unreachable || *found == Liveness::Gone);
        let mut full = names.into_iter().map(|mut name| {
            name.push(step.component());
            name
        });
        let swept = full.find(|name| self.service.rules().sweep(name).is_some_and(due));
        let Some(name) = swept else { return };
        let left = self.service.store().change(|tree| {
            let change = tree.leave(context, step, reference).ok_or(NamingError::InvalidName)?;
            Ok(Decision::Here { changes: vec![change], created: None })
        });
        if left.is_ok() {
            let steps = name.into_iter();
            let name: Vec<NameComponent> =
                steps.map(|one| NameComponent { id: one.id, kind: one.kind }).collect();
            let name = to_text(&name);
            tracing::info!(name, %found, failures, "a dead binding was swept, as a rule says");
        }
    }
}
