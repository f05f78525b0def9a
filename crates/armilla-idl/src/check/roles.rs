//! Who may call operations, and read and write attributes: the annotation `@roles("operator")`.

use super::Checker;
use crate::diagnostics::{Code, Diagnostic};
use crate::parse::annotation::ROLES;
use crate::parse::ast::{Argument, TimingAnnotation};

/// A role, and of an attribute whether it is for reading (`get`) or writing (`set`) alone.
pub(super) type PartRole = (Option<String>, String);

impl Checker<'_, '_> {
    /// The roles whose members may call an operation; none if its annotations say nothing of them.
    pub(super) fn roles(&mut self, annotations: &[TimingAnnotation]) -> Vec<String> {
        let roles = self.roles_of_parts(annotations, &[]);
        of_part(&roles, "")
    }

    /// The roles whose members may read and write an attribute: `@roles("a")` is about both,
    /// `@roles(get = "a", set = "b")` about one.
    pub(super) fn attribute_roles(
        &mut self,
        annotations: &[TimingAnnotation],
        readonly: bool,
    ) -> (Vec<String>, Vec<String>) {
        let parts: &[&str] = if readonly { &["get"] } else { &["get", "set"] };
        let roles = self.roles_of_parts(annotations, parts);
        let set = if readonly { Vec::new() } else { of_part(&roles, "set") };
        (of_part(&roles, "get"), set)
    }

    fn roles_of_parts(
        &mut self,
        annotations: &[TimingAnnotation],
        parts: &[&str],
    ) -> Vec<PartRole> {
        let mut roles = Vec::new();
        for annotation in annotations.iter().filter(|it| it.name == ROLES) {
            let mut wrong = annotation.arguments.is_empty().then_some(annotation.span);
            for argument in &annotation.arguments {
                match role(argument, parts) {
                    Some(role) => roles.push(role),
                    None => wrong = Some(argument.span),
                }
            }
            if let Some(span) = wrong {
                let message = "`@roles` takes the names of roles in quotes".to_owned();
                let error = Diagnostic::error(Code::BadRoles, span, message);
                self.session.report(error.help(match parts {
                    [_, "set"] => "write `@roles(\"operator\")`, or `@roles(set = \"operator\")`",
                    _ => "write `@roles(\"operator\", \"auditor\")`",
                }));
            }
        }
        roles
    }
}

/// The roles for a part, each once.
fn of_part(roles: &[PartRole], part: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (only, role) in roles {
        if only.as_ref().is_none_or(|only| only == part) && !found.contains(role) {
            found.push(role.clone());
        }
    }
    found
}

/// The role that an argument names: what stands behind `role:` in rules.
fn role(argument: &Argument, parts: &[&str]) -> Option<PartRole> {
    let inner = argument.text.strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_part = argument.name.as_deref().is_none_or(|name| parts.contains(&name));
    let is_role = is_part && !inner.is_empty() && inner.chars().all(is_plain);
    is_role.then(|| (argument.name.clone(), inner.to_owned()))
}
