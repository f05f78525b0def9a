//! The changes between two versions of an IDL, and which of them break wire compatibility.
//!
//! A change is breaking if a program built from the old IDL and one built from the new IDL no
//! longer interoperate in the declarations that both have, whichever is the client. So a new
//! operation is compatible: an old client never calls it. A new enumerator is breaking: an old
//! program may receive it in a type that it has.
//!
//! What never leaves its process cannot break the wire: local interfaces, types that hold them,
//! native types, constants, and the operations of valuetypes, which each side implements itself.
//! Their changes, if a program has to change with them, are for the source only.
//!
//! Declarations are matched by their repository ids, which identify them on the wire. If the ids
//! differ and the scoped names are equal, the declarations match too, and the changed id is a
//! finding. A change of a type is reported at its declaration, not at each use.
//!
//! `pairs` matches declarations, `wire` compares types, `slots` ordered lists, `callable`
//! operations and attributes, `constructed` types with members; `travel` knows what never leaves
//! its process.

mod callable;
mod com;
mod constructed;
mod pairs;
mod slots;
mod travel;
mod wire;

use crate::model::{Const, DeclId, DeclKind, Declaration, Interface, Model, Value};
use crate::source::Span;
use pairs::Pairs;
use std::collections::HashSet;
use wire::Wire;

/// The effect of a change on interoperability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Impact {
    /// Old and new programs do not interoperate where they use the declaration.
    Breaking,
    /// Old and new programs interoperate, for the declaration never travels; a program that uses it
    /// has to change before it is built from the new IDL.
    Source,
    /// Old and new programs interoperate.
    Compatible,
}

impl Impact {
    /// `breaking`, `source only` or `compatible`.
    pub fn as_str(self) -> &'static str {
        match self {
            Impact::Breaking => "breaking",
            Impact::Source => "source only",
            Impact::Compatible => "compatible",
        }
    }
}

/// One change.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Finding {
    /// Its effect on deployed programs.
    pub impact: Impact,
    /// The kind of the change, a stable identifier: `member-added`.
    pub change: String,
    /// The scoped name of what changed: a declaration, or an operation or attribute in one.
    pub name: String,
    /// What changed, in one plain sentence without a full stop.
    pub message: String,
    /// Why that is breaking or compatible.
    pub why: &'static str,
    /// The span in the sources of the old compilation.
    pub old: Option<Span>,
    /// The span in the sources of the new compilation.
    pub new: Option<Span>,
}

/// The changes from `old` to `new`: first those of old declarations, in the order of the old
/// source, then new declarations.
///
/// ```
/// use armilla_idl::diff::{Impact, diff};
/// use armilla_idl::{Options, parse_str};
///
/// let parse = |text| parse_str("bank.idl", text, &Options::new()).unwrap();
/// let old = parse("struct Amount { float value; }; interface Bank { void open(); };");
/// let new = parse(
///     "struct Amount { double value; }; interface Bank { void open(); void close(); };",
/// );
/// let findings = diff(&old.model, &new.model);
/// assert_eq!(findings[0].message, "the type of member `value` is `double` and was `float`");
/// assert_eq!(findings[0].impact, Impact::Breaking);
/// assert_eq!(findings[1].name, "Bank::close");
/// assert_eq!(findings[1].impact, Impact::Compatible);
/// ```
pub fn diff(old: &Model, new: &Model) -> Vec<Finding> {
    let mut diff = Diff {
        old,
        new,
        pairs: Pairs::new(old, new),
        at_home: travel::at_home(old),
        never_travels: None,
        findings: Vec::new(),
    };
    for (id, _) in old.iter() {
        match diff.pairs.new_of(id) {
            Some(other) => diff.declaration(id, other),
            None => diff.removed(id),
        }
    }
    for (id, _) in new.iter().filter(|(id, _)| !diff.pairs.is_known(*id)).collect::<Vec<_>>() {
        diff.added(id);
    }
    diff.findings
}

struct Diff<'m> {
    old: &'m Model,
    new: &'m Model,
    pairs: Pairs,
    /// The old declarations that never leave their process.
    at_home: HashSet<DeclId>,
    /// Why what is being compared never travels, if it does not.
    never_travels: Option<&'static str>,
    findings: Vec<Finding>,
}

/// The old and the new span of a declaration.
#[derive(Debug, Clone, Copy, Default)]
struct Location {
    old: Option<Span>,
    new: Option<Span>,
}

impl Location {
    fn both(old: Span, new: Span) -> Location {
        Location { old: Some(old), new: Some(new) }
    }

    fn in_old(old: Span) -> Location {
        Location { old: Some(old), new: None }
    }

    fn in_new(new: Span) -> Location {
        Location { old: None, new: Some(new) }
    }
}

impl<'m> Diff<'m> {
    fn breaking(
        &mut self,
        change: impl Into<String>,
        name: &str,
        message: String,
        why: &'static str,
        location: Location,
    ) {
        self.find(Impact::Breaking, change.into(), name, message, why, location);
    }

    fn compatible(
        &mut self,
        change: impl Into<String>,
        name: &str,
        message: String,
        why: &'static str,
        location: Location,
    ) {
        self.find(Impact::Compatible, change.into(), name, message, why, location);
    }

    fn source_only(
        &mut self,
        change: impl Into<String>,
        name: &str,
        message: String,
        why: &'static str,
        location: Location,
    ) {
        self.find(Impact::Source, change.into(), name, message, why, location);
    }

    /// Compares what never travels, for this reason.
    fn at_home(&mut self, why: &'static str, compare: impl FnOnce(&mut Self)) {
        let outer = self.never_travels.replace(why);
        compare(self);
        self.never_travels = outer;
    }

    fn find(
        &mut self,
        impact: Impact,
        change: String,
        name: &str,
        message: String,
        why: &'static str,
        location: Location,
    ) {
        let Location { old, new } = location;
        let (impact, why) = match self.never_travels {
            Some(reason) => (Impact::Source, reason),
            None => (impact, why),
        };
        self.findings.push(Finding {
            impact,
            change,
            name: name.to_owned(),
            message,
            why,
            old,
            new,
        });
    }

    fn removed(&mut self, id: DeclId) {
        let declaration = self.old.get(id);
        if is_standard(declaration) {
            return;
        }
        let what = what(&declaration.kind);
        let (change, name) = ("declaration-removed", self.old.scoped_name(id));
        let message = format!("the {what} `{name}` was removed");
        let location = Location::in_old(declaration.span);
        if self.at_home.contains(&id) {
            return self.source_only(change, &name, message, travel::AT_HOME, location);
        }
        match declaration.kind {
            DeclKind::Module(_) | DeclKind::Const(_) | DeclKind::Typedef(_) | DeclKind::Native => {
                let why = "it never travels; where it was used in a type that changed, that is \
                           reported too";
                self.source_only(change, &name, message, why, location);
            }
            DeclKind::Interface(Interface { defined: false, .. })
            | DeclKind::Value(Value { defined: false, .. }) => {
                let why = "it was only declared forward, and nothing is known of it";
                self.source_only(change, &name, message, why, location);
            }
            _ => {
                let why = "a new program does not have the declaration that an old one uses";
                self.breaking(change, &name, message, why, location);
            }
        }
    }

    fn added(&mut self, id: DeclId) {
        let declaration = self.new.get(id);
        if is_standard(declaration) {
            return;
        }
        let (what, name) = (what(&declaration.kind), self.new.scoped_name(id));
        let message = format!("the {what} `{name}` is new");
        let why = "an old program does not use it";
        self.compatible(
            "declaration-added",
            &name,
            message,
            why,
            Location::in_new(declaration.span),
        );
    }

    fn declaration(&mut self, old_id: DeclId, new_id: DeclId) {
        if self.at_home.contains(&old_id) {
            return self.at_home(travel::AT_HOME, |diff| diff.compare(old_id, new_id));
        }
        self.compare(old_id, new_id);
    }

    fn compare(&mut self, old_id: DeclId, new_id: DeclId) {
        let (old, new) = (self.old.get(old_id), self.new.get(new_id));
        let name = self.new.scoped_name(new_id);
        let location = Location::both(old.span, new.span);
        self.repository_id(old_id, new_id, &name);
        match (&old.kind, &new.kind) {
            (DeclKind::Module(_), DeclKind::Module(_)) | (DeclKind::Native, DeclKind::Native) => {}
            (DeclKind::Com(a), DeclKind::Com(b)) => self.com(&name, a, b, location),
            (DeclKind::ComType(a), DeclKind::ComType(b)) => {
                self.com_definition(&name, a, b, location);
            }
            (DeclKind::Interface(a), DeclKind::Interface(b)) => {
                self.interface(&name, (old_id, a), (new_id, b), location);
            }
            (DeclKind::Struct(a), DeclKind::Struct(b))
            | (DeclKind::Exception(a), DeclKind::Exception(b)) => {
                self.structure(&name, a, b, location);
            }
            (DeclKind::Union(a), DeclKind::Union(b)) => self.union(&name, a, b, location),
            (DeclKind::Enum(a), DeclKind::Enum(b)) => self.enumeration(&name, a, b),
            (DeclKind::Value(a), DeclKind::Value(b)) => {
                self.value(&name, (old_id, a), (new_id, b), location);
            }
            (DeclKind::Typedef(a), DeclKind::Typedef(b))
            | (DeclKind::ValueBox(a), DeclKind::ValueBox(b)) => {
                self.type_of(&name, "type", "it stands for", (a, b), location);
            }
            (DeclKind::Const(a), DeclKind::Const(b)) => self.constant(&name, a, b, location),
            (DeclKind::Bitmask(a), DeclKind::Bitmask(b)) => self.bitmask(&name, a, b, location),
            (DeclKind::Bitset(a), DeclKind::Bitset(b)) => self.bitset(&name, a, b, location),
            (a, b) => {
                let message =
                    format!("it is {} {} and was {} {}", article(b), what(b), article(a), what(a));
                let why = "the wire format is that of another kind of declaration";
                self.breaking("kind-changed", &name, message, why, location);
            }
        }
    }

    fn repository_id(&mut self, old: DeclId, new: DeclId, name: &str) {
        let (old, new) = (self.old.get(old), self.new.get(new));
        let (before, after) = (&old.repository_id, &new.repository_id);
        if before == after {
            return;
        }
        let change = "repository-id-changed";
        let message = format!("the repository id is `{after}` and was `{before}`");
        let location = Location::both(old.span, new.span);
        match new.kind {
            DeclKind::Module(_)
            | DeclKind::Const(_)
            | DeclKind::Native
            | DeclKind::Com(_)
            | DeclKind::ComType(_) => {}
            DeclKind::Typedef(_) => {
                let why = "only the TypeCode of an alias contains it";
                self.compatible(change, name, message, why, location);
            }
            DeclKind::Interface(_)
            | DeclKind::Exception(_)
            | DeclKind::Value(_)
            | DeclKind::ValueBox(_) => {
                let why =
                    "the id is marshalled, and programs do not know that both ids mean the same";
                self.breaking(change, name, message, why, location);
            }
            _ => {
                let why = "the id is in the TypeCode of an `any`, from which the other program \
                           cannot extract it";
                self.breaking(change, name, message, why, location);
            }
        }
    }

    fn constant(&mut self, name: &str, old: &Const, new: &Const, location: Location) {
        let message = if self.wire(&old.ty, &new.ty) == Wire::Different {
            let (new, old) = (self.new.type_text(&new.ty), self.old.type_text(&old.ty));
            format!("its type is `{new}` and was `{old}`")
        } else if !self.same_value(&old.value, &new.value) {
            "its value changed".to_owned()
        } else {
            return;
        };
        let why = "constants are not marshalled, but an old program keeps the old value";
        self.compatible("constant-changed", name, message, why, location);
    }
}

fn what(kind: &DeclKind) -> &'static str {
    match kind {
        DeclKind::Module(_) => "module",
        DeclKind::Interface(_) => "interface",
        DeclKind::Com(_) => "interface of COM",
        DeclKind::ComType(_) => "type of COM",
        DeclKind::Struct(_) => "struct",
        DeclKind::Exception(_) => "exception",
        DeclKind::Union(_) => "union",
        DeclKind::Enum(_) => "enum",
        DeclKind::Typedef(_) => "typedef",
        DeclKind::Const(_) => "constant",
        DeclKind::Value(_) => "valuetype",
        DeclKind::ValueBox(_) => "boxed value",
        DeclKind::Native => "native type",
        DeclKind::Bitmask(_) => "bitmask",
        DeclKind::Bitset(_) => "bitset",
    }
}

fn article(kind: &DeclKind) -> &'static str {
    if what(kind).starts_with(['i', 'e']) { "an" } else { "a" }
}

/// Whether a declaration is an included one of the OMG: it exists whether the source includes it or
/// not.
fn is_standard(declaration: &Declaration) -> bool {
    declaration.included && declaration.repository_id.starts_with("IDL:omg.org/")
}
