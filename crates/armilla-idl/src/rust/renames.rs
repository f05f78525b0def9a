//! Renamed declarations: names from the options, and numbers appended to names that collide. The
//! names on the wire do not change.

use super::options::Options;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclKind, Declaration, Export, Initializer, Member, Model, Parameter};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// A path in IDL, and the name from which Rust names are derived.
pub(super) type Rename = (String, String);

/// The maximum number of passes: a numbered name may collide again.
pub(super) const MAX_ROUNDS: usize = 16;

/// The renames of the options.
pub(super) fn wanted(options: &Options) -> Vec<Rename> {
    let renames = options.renames.iter();
    renames.map(|(what, name)| (what.trim_start_matches("::").to_owned(), name.clone())).collect()
}

/// Appends `number`, or a larger one, to the name of the declaration `path`. Returns false if the
/// options chose its name.
pub(super) fn number(
    (path, number): &(String, u32),
    options: &Options,
    renames: &mut Vec<Rename>,
) -> bool {
    // A renamed declaration may be given by its new path.
    let numbered = renames.iter().find(|(what, name)| {
        let (home, _) = what.rsplit_once("::").unwrap_or_default();
        path.strip_suffix(name.as_str()).is_some_and(|rest| rest.trim_end_matches("::") == home)
    });
    let path = &numbered.map_or(path.clone(), |(what, _)| what.clone());
    let chosen = renames.iter().take(options.renames.len()).any(|(what, _)| what == path);
    if chosen {
        return false;
    }
    let before = renames.iter().position(|(what, _)| what == path).map(|at| renames.remove(at));
    let name = path.rsplit("::").next().unwrap_or(path);
    let last = before.and_then(|(_, old)| old.strip_prefix(name)?.strip_prefix('_')?.parse().ok());
    let next = last.map_or(*number, |last: u32| last.saturating_add(1).max(*number));
    renames.push((path.to_owned(), format!("{name}_{next}")));
    true
}

/// Applies the renames to `model`.
///
/// # Errors
/// If an option names no declaration, or a new name is not an identifier.
pub(super) fn apply<'m>(
    model: &'m Model,
    renames: &[Rename],
) -> Result<Cow<'m, Model>, Vec<Diagnostic>> {
    if renames.is_empty() {
        return Ok(Cow::Borrowed(model));
    }
    let wanted = renames.iter().map(|(path, name)| (path.as_str(), name.as_str())).collect();
    let mut renaming = Renaming { wanted, done: HashSet::new() };
    let mut changed = model.clone();
    for (id, _) in model.iter() {
        renaming.declaration(&model.scoped_name(id), &mut changed.declarations[id.index()]);
    }
    let mut problems = Vec::new();
    for (path, name) in renames {
        if !is_identifier(name) {
            problems.push(format!("`{name}` is no name for `{path}`"));
        } else if !renaming.done.contains(path.as_str()) {
            problems.push(format!("there is no `{path}` that could be renamed"));
        }
    }
    if problems.is_empty() {
        return Ok(Cow::Owned(changed));
    }
    let example = "name a declaration as `Module::Interface`, or what is in it as \
                   `Module::Interface::operation`";
    let diagnostic =
        |message| Diagnostic::without_span(Code::BadOption, message).help(example.to_owned());
    Err(problems.into_iter().map(diagnostic).collect())
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

struct Renaming<'o> {
    wanted: HashMap<&'o str, &'o str>,
    /// The renames that matched a declaration.
    done: HashSet<&'o str>,
}

impl Renaming<'_> {
    fn declaration(&mut self, path: &str, declaration: &mut Declaration) {
        self.name(path, &mut declaration.name, Some(&mut declaration.docs));
        match &mut declaration.kind {
            DeclKind::Struct(data) | DeclKind::Exception(data) => {
                data.members.iter_mut().for_each(|member| self.member(path, member));
            }
            DeclKind::Union(data) => {
                data.cases.iter_mut().for_each(|case| self.member(path, &mut case.member));
            }
            DeclKind::Enum(data) => {
                for enumerator in &mut data.enumerators {
                    self.part(path, &mut enumerator.name, Some(&mut enumerator.docs));
                }
            }
            DeclKind::Bitmask(data) => {
                data.flags.iter_mut().for_each(|flag| self.part(path, &mut flag.name, None));
            }
            DeclKind::Bitset(data) => {
                let names = data.fields.iter_mut().filter_map(|field| field.name.as_mut());
                names.for_each(|name| self.part(path, name, None));
            }
            DeclKind::Interface(data) => self.exports(path, &mut data.exports),
            DeclKind::Value(data) => {
                data.state.iter_mut().for_each(|state| self.member(path, &mut state.member));
                self.exports(path, &mut data.exports);
                for Initializer { name, docs, parameters, .. } in &mut data.initializers {
                    self.parameters(&format!("{path}::{name}"), parameters);
                    self.part(path, name, Some(docs));
                }
            }
            DeclKind::Module(_)
            | DeclKind::Typedef(_)
            | DeclKind::Const(_)
            | DeclKind::ValueBox(_)
            | DeclKind::Com(_)
            | DeclKind::ComType(_)
            | DeclKind::Native => {}
        }
    }

    fn exports(&mut self, path: &str, exports: &mut [Export]) {
        for export in exports {
            match export {
                Export::Operation(operation) => {
                    let own = format!("{path}::{}", operation.name);
                    self.parameters(&own, &mut operation.parameters);
                    self.part(path, &mut operation.name, Some(&mut operation.docs));
                }
                Export::Attribute(attribute) => {
                    self.part(path, &mut attribute.name, Some(&mut attribute.docs));
                }
            }
        }
    }

    fn parameters(&mut self, path: &str, parameters: &mut [Parameter]) {
        parameters.iter_mut().for_each(|parameter| self.part(path, &mut parameter.name, None));
    }

    fn member(&mut self, path: &str, member: &mut Member) {
        self.part(path, &mut member.name, Some(&mut member.docs));
    }

    fn part(&mut self, path: &str, name: &mut String, docs: Option<&mut Vec<String>>) {
        self.name(&format!("{path}::{name}"), name, docs);
    }

    /// Renames `name`, whose path in IDL is `path`, if there is a rename. The docs get the name in
    /// IDL.
    fn name(&mut self, path: &str, name: &mut String, docs: Option<&mut Vec<String>>) {
        let Some((what, new)) = self.wanted.get_key_value(path) else { return };
        self.done.insert(what);
        if let Some(docs) = docs {
            let gap = (!docs.is_empty()).then(String::new);
            docs.extend(gap);
            docs.push(format!("In IDL this is {path}."));
        }
        *name = (*new).to_owned();
    }
}
