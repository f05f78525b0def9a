//! Finding definitions: by scoped name, by name at some depth, by kind.

use super::{DefId, Definition, Flavour, Kind, Model, ROOT};
use crate::corba::DefinitionKind;
use armilla::TypeCode;
use std::collections::BTreeSet;

impl Model {
    /// Resolves a scoped name in `container`. A name that begins with `::` starts at the
    /// repository. Any other name follows the rules of IDL, which include inherited names and
    /// enclosing scopes.
    pub fn lookup(&self, container: DefId, scoped_name: &str) -> Option<DefId> {
        let (start, path) = match scoped_name.strip_prefix("::") {
            Some(path) => (None, path),
            None => (Some(container), scoped_name),
        };
        let mut steps = path.split("::");
        let first = steps.next()?;
        let found = match start {
            None => self.member(ROOT, first),
            Some(start) => self.enclosing(start).find_map(|scope| self.member(scope, first)),
        };
        steps.try_fold(found?, |scope, step| self.member(scope, step))
    }

    /// The definitions of one kind, or of all, that `name` may mean: the one with this repository id
    /// or this scoped name, or else those whose last name it is.
    pub fn find(&self, name: &str, limit: DefinitionKind) -> Vec<DefId> {
        let scoped = format!("::{}", name.trim_start_matches("::"));
        let exact = self.lookup_id(name).or_else(|| self.lookup(ROOT, &scoped));
        match exact.filter(|id| self.is_of(*id, limit)) {
            Some(found) => vec![found],
            None => self.lookup_name(ROOT, name, -1, limit, true),
        }
    }

    /// The type with a repository id, a scoped name, or a last name that no other type has.
    pub fn type_named(&self, name: &str) -> Option<TypeCode> {
        match self.find(name, DefinitionKind::DkAll)[..] {
            [found] => self.type_code(found).ok(),
            _ => None,
        }
    }

    /// A definition and its enclosing scopes, innermost first.
    pub(super) fn enclosing(&self, start: DefId) -> impl Iterator<Item = DefId> {
        let outer = |id: &DefId| self.get(*id)?.container();
        std::iter::successors(Some(start), outer)
    }

    /// The definition with this name in `container` or its bases.
    fn member(&self, container: DefId, name: &str) -> Option<DefId> {
        let mut scopes = self.with_bases(container).into_iter();
        scopes.find_map(|scope| self.named(scope, name))
    }

    /// The definition with this name in `container` itself.
    pub(crate) fn named(&self, container: DefId, name: &str) -> Option<DefId> {
        self.index.named(container, name)
    }

    fn is_named(&self, id: DefId, name: &str) -> bool {
        // In IDL, names that differ only in case collide.
        self.get(id).is_some_and(|found| found.name.eq_ignore_ascii_case(name))
    }

    /// The contents of `container`, of one kind or of all, including inherited ones unless
    /// excluded.
    pub fn contents(
        &self,
        container: DefId,
        limit: DefinitionKind,
        exclude_inherited: bool,
    ) -> Vec<DefId> {
        let scopes = match exclude_inherited {
            true => vec![container],
            false => self.with_bases(container),
        };
        let contents = scopes.into_iter().flat_map(|scope| self.index.contents(scope));
        contents.filter(|id| self.is_of(*id, limit)).collect()
    }

    /// The definitions with this name in `container`, down to `levels` levels: 1 for the container
    /// alone, negative for all levels.
    pub fn lookup_name(
        &self,
        container: DefId,
        name: &str,
        levels: i32,
        limit: DefinitionKind,
        exclude_inherited: bool,
    ) -> Vec<DefId> {
        let mut found = Vec::new();
        let mut level = vec![container];
        let mut left = levels;
        while left != 0 && !level.is_empty() {
            let contents = level.iter().flat_map(|scope| {
                let inherited = exclude_inherited || *scope != container;
                self.contents(*scope, DefinitionKind::DkAll, inherited)
            });
            level = contents.collect();
            let named = |id: &&DefId| self.is_named(**id, name) && self.is_of(**id, limit);
            found.extend(level.iter().filter(named));
            left -= 1;
        }
        found
    }

    fn is_of(&self, id: DefId, limit: DefinitionKind) -> bool {
        let Some(Definition { kind, .. }) = self.get(id) else { return false };
        match limit {
            DefinitionKind::DkAll => true,
            DefinitionKind::DkTypedef => kind.is_typedef(),
            limit => kind.definition_kind() == limit,
        }
    }

    /// An interface or a valuetype, followed by all its bases and supported interfaces, each once.
    pub fn with_bases(&self, id: DefId) -> Vec<DefId> {
        self.all_with_bases(vec![id])
    }

    /// These definitions with all their bases and supported interfaces, each once.
    pub(super) fn all_with_bases(&self, ids: Vec<DefId>) -> Vec<DefId> {
        let (mut all, mut seen, mut next) = (Vec::new(), BTreeSet::new(), ids);
        next.reverse();
        while let Some(id) = next.pop() {
            if seen.insert(id) {
                all.push(id);
                let bases = self.get(id).map(|definition| definition.kind.bases());
                next.extend(bases.into_iter().flatten().rev());
            }
        }
        all
    }

    /// Whether an interface or a valuetype has this repository id or a base that has it.
    pub fn is_a(&self, id: DefId, repository_id: &str) -> bool {
        let is_root = match self.get(id).map(|definition| &definition.kind) {
            Some(Kind::Value(_)) => repository_id == "IDL:omg.org/CORBA/ValueBase:1.0",
            Some(Kind::Interface { flavour: Flavour::Abstract, .. }) => {
                repository_id == "IDL:omg.org/CORBA/AbstractBase:1.0"
            }
            Some(Kind::Interface { flavour: Flavour::Local, .. }) => {
                repository_id == "IDL:omg.org/CORBA/LocalBase:1.0" || repository_id == OBJECT
            }
            _ => repository_id == OBJECT,
        };
        let mut bases = self.with_bases(id).into_iter().filter_map(|id| self.get(id));
        is_root || bases.any(|base| base.id == repository_id)
    }
}

/// The base of all interfaces except abstract ones.
const OBJECT: &str = "IDL:omg.org/CORBA/Object:1.0";
