//! Who may call operations: the annotation `@roles("operator")`.

use super::Checker;
use crate::diagnostics::{Code, Diagnostic};
use crate::parse::annotation::ROLES;
use crate::parse::ast::{Argument, Operation};

impl Checker<'_, '_> {
    /// The roles whose members may call an operation; none if its annotations say nothing of them.
    pub(super) fn roles(&mut self, operation: &Operation) -> Vec<String> {
        let mut roles = Vec::new();
        for annotation in operation.timing.iter().filter(|it| it.name == ROLES) {
            let mut wrong = annotation.arguments.is_empty().then_some(annotation.span);
            for argument in &annotation.arguments {
                match role(argument) {
                    Some(role) if !roles.contains(&role) => roles.push(role),
                    Some(_) => {}
                    None => wrong = Some(argument.span),
                }
            }
            if let Some(span) = wrong {
                let message = "`@roles` takes the names of roles in quotes".to_owned();
                let error = Diagnostic::error(Code::BadRoles, span, message);
                self.session.report(error.help("write `@roles(\"operator\", \"auditor\")`"));
            }
        }
        roles
    }
}

/// The role that an argument names: what stands behind `role:` in rules.
fn role(argument: &Argument) -> Option<String> {
    let inner = argument.text.strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_role = argument.name.is_none() && !inner.is_empty() && inner.chars().all(is_plain);
    is_role.then(|| inner.to_owned())
}
