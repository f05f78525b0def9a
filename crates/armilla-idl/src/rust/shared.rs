//! Sequences of octets and strings that the options keep in shared buffers.

use super::options::Options;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclKind, Member, Model, Primitive, Type};
use std::borrow::Cow;
use std::collections::HashSet;

/// `model` with [`Type::SharedOctets`] and [`Type::SharedStrings`] where the options select them.
///
/// # Errors
/// If an option names no declaration, or one that is not a sequence of octets or strings.
pub(super) fn apply<'m>(
    model: &'m Model,
    options: &Options,
) -> Result<Cow<'m, Model>, Vec<Diagnostic>> {
    if options.shared.is_empty() {
        return Ok(Cow::Borrowed(model));
    }
    let wanted = options.shared.iter().map(|name| name.trim_start_matches("::"));
    let mut sharing = Sharing { wanted: wanted.collect(), done: HashSet::new() };
    let mut changed = model.clone();
    for (id, _) in model.iter() {
        let name = model.scoped_name(id);
        sharing.declaration(&name, &mut changed.declarations[id.index()].kind);
    }
    let missed: Vec<&&str> =
        sharing.wanted.iter().filter(|w| !sharing.done.contains(**w)).collect();
    if missed.is_empty() {
        return Ok(Cow::Owned(changed));
    }
    let problems = missed.into_iter().map(|name| {
        let message = format!(
            "`{name}` is no typedef and no member that is a `sequence<octet>` or `sequence<string>`"
        );
        let example = "name a typedef as `Module::Blob`, or a member as `Module::Struct::member`";
        Diagnostic::without_span(Code::BadOption, message).help(example)
    });
    Err(problems.collect())
}

struct Sharing<'o> {
    wanted: Vec<&'o str>,
    /// The options that matched a declaration.
    done: HashSet<&'o str>,
}

impl Sharing<'_> {
    fn declaration(&mut self, name: &str, kind: &mut DeclKind) {
        match kind {
            DeclKind::Typedef(ty) => self.ty(name, ty),
            DeclKind::Struct(data) | DeclKind::Exception(data) => {
                data.members.iter_mut().for_each(|member| self.member(name, member));
            }
            DeclKind::Union(data) => {
                data.cases.iter_mut().for_each(|case| self.member(name, &mut case.member));
            }
            DeclKind::Value(data) => {
                data.state.iter_mut().for_each(|state| self.member(name, &mut state.member));
            }
            _ => {}
        }
    }

    fn member(&mut self, owner: &str, member: &mut Member) {
        self.ty(&format!("{owner}::{}", member.name), &mut member.ty);
    }

    fn ty(&mut self, name: &str, ty: &mut Type) {
        let Some(wanted) = self.wanted.iter().find(|wanted| **wanted == name) else { return };
        let Type::Sequence(element, bound) = ty else { return };
        let shared = match (&**element, *bound) {
            (Type::Primitive(Primitive::Octet | Primitive::UInt8), bound) => {
                Type::SharedOctets(bound)
            }
            (Type::String(None), None) => Type::SharedStrings,
            _ => return,
        };
        *ty = shared;
        self.done.insert(wanted);
    }
}
