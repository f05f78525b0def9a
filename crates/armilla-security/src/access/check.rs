//! Rules that never apply.

use super::{AccessRules, Rule};
use crate::principal::Pattern;

/// Something in the rules that has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl AccessRules {
    /// What has no effect: rules behind one that decides about everything that they are about, and
    /// groups and roles that no rule names. The time grows with the square of the number of rules.
    pub fn check(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self
            .unused
            .iter()
            .map(|(line, name)| {
                let but = match name.starts_with("role:") {
                    true => "; it counts only for operations with it in IDL (`@roles`)",
                    false => "",
                };
                Finding { line: *line, what: format!("no rule names {name}{but}") }
            })
            .collect();
        for (at, rule) in self.rules.iter().enumerate() {
            let earlier = self.rules[..at].iter().find(|earlier| earlier.covers(rule));
            if let Some(earlier) = earlier {
                let what =
                    format!("it never applies: the rule in line {} decides before", earlier.line);
                findings.push(Finding { line: rule.line, what });
            }
        }
        findings.sort_by_key(|finding| finding.line);
        findings
    }
}

impl Rule {
    /// Whether this rule fits wherever `other` does.
    fn covers(&self, other: &Self) -> bool {
        patterns(&self.adapters, &other.adapters)
            && patterns(&self.objects, &other.objects)
            && patterns(&self.interfaces, &other.interfaces)
            && patterns(&self.operations, &other.operations)
            && all(&self.who, &other.who, |one, other| one.covers(other))
            && (self.proofs.is_empty()
                || !other.proofs.is_empty()
                    && all(&self.proofs, &other.proofs, |one, other| one == other))
            && (self.networks.is_empty()
                || !other.networks.is_empty()
                    && all(&self.networks, &other.networks, |one, other| one.covers(other)))
            && (self.times.is_always() || self.times == other.times)
    }
}

/// Whether each of `others` is covered by one of `ours`.
fn all<T>(ours: &[T], others: &[T], covers: impl Fn(&T, &T) -> bool) -> bool {
    others.iter().all(|other| ours.iter().any(|one| covers(one, other)))
}

fn patterns(ours: &[Pattern], others: &[Pattern]) -> bool {
    ours.is_empty()
        || ours.iter().any(Pattern::is_any)
        || !others.is_empty() && all(ours, others, Pattern::covers)
}
