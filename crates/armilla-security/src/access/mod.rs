//! Who may do what: rules in a file, checked when they are read.
//!
//! The language knows nothing of CORBA but names: a service asks with names of its own, as the naming
//! service does with the name that an operation is about in the place of the object. `below` decides
//! about objects whose ids are ways.

mod below;
mod check;
mod crowd;
mod file;
mod index;
mod place;
mod read;
mod roles;

pub use check::Finding;
pub use file::{AccessFile, AccessFileError};
pub use read::RuleError;
pub(crate) use roles::RoleTable;
pub use roles::Roles;

use crate::assertion::AssertionRule;
use crate::caller::{Caller, Proof};
use crate::principal::Pattern;
use armilla::codegen::Signature;
use armilla_ipc::{Address, host};
use crowd::Crowd;
use index::Index;
use place::{Network, Origin, Times};
use std::collections::HashMap;
use std::time::SystemTime;

/// What a caller wants to do.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// Who calls.
    pub caller: &'q Caller,
    /// The POA of the object, with its ancestors: `RootPOA/accounts`.
    pub adapter: &'q str,
    /// The id of the object as text.
    pub object: &'q str,
    /// The repository id of its most derived interface.
    pub interface: &'q str,
    /// The operation as the request has it: `_get_balance` reads an attribute, `_set_` writes it.
    pub operation: &'q str,
    /// When.
    pub at: SystemTime,
}

/// The usual name of an operation that every object has. `_get_component` is none here: by its name
/// it reads an attribute, and [`ServerRequestInfo::object_operation`] tells where it does not.
///
/// [`ServerRequestInfo::object_operation`]: armilla::interceptor::ServerRequestInfo::object_operation
pub(crate) fn of_every_object(operation: &str) -> Option<&'static str> {
    let found = Signature::name_of_object(operation)?;
    (!operation.starts_with("_get_")).then_some(found)
}

/// What the rules say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Whether the caller may.
    pub allowed: bool,
    /// The line of the rule that has decided; `None` if no rule fits, which denies.
    pub line: Option<usize>,
}

/// Rules about who may do what. The first rule that fits decides; without one it is denied.
///
/// ```
/// use armilla_security::AccessRules;
///
/// let rules: AccessRules = r#"
///     [groups]
///     tellers = ["ann@bank", "zoe@bank"]
///
///     [[rule]]
///     allow = ["group:tellers"]
///     interface = "IDL:Bank/Account:1.0"
///     operation = ["deposit", "withdraw"]
///     network = ["10.0.0.0/8", "local"]
///     days = ["mon", "tue", "wed", "thu", "fri"]
///     hours = "08:00-18:00"
///
///     [[rule]]
///     allow = "authenticated"
///     attribute = { read = "*" }
/// "#
/// .parse()?;
/// assert!(rules.check().is_empty(), "each rule applies to something");
/// # Ok::<(), armilla_security::RuleError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct AccessRules {
    rules: Vec<Rule>,
    assertions: Vec<AssertionRule>,
    /// Whom the roles have, by their names.
    roles: HashMap<String, Crowd>,
    /// Names that were defined and never used, for `check`.
    unused: Vec<(usize, String)>,
    index: Index,
    /// The same for the operations that every object has, whichever a rule names.
    of_every_object: Index,
    /// Whether a rule is about the address of callers.
    has_networks: bool,
}

/// A rule. An empty list of patterns stands for everything.
#[derive(Debug, Clone)]
struct Rule {
    line: usize,
    allow: bool,
    who: Crowd,
    adapters: Vec<Pattern>,
    objects: Vec<Pattern>,
    interfaces: Vec<Pattern>,
    operations: Vec<Pattern>,
    proofs: Vec<Proof>,
    networks: Vec<Network>,
    times: Times,
}

impl Rule {
    /// Whether it is about this.
    fn fits(&self, question: &Question<'_>, from: &Origin<'_>) -> bool {
        self.has_operation(question.operation) && self.fits_but_operation(question, from)
    }

    /// Whether it decides about an operation that every object has: who may call any may call these.
    fn fits_every_object(&self, question: &Question<'_>, from: &Origin<'_>) -> bool {
        (self.allow || self.has_operation(question.operation))
            && self.fits_but_operation(question, from)
    }

    fn has_operation(&self, operation: &str) -> bool {
        any(&self.operations, operation)
    }

    fn fits_but_operation(&self, question: &Question<'_>, from: &Origin<'_>) -> bool {
        any(&self.objects, question.object) && self.fits_but_object(question, from)
    }

    fn fits_but_object(&self, question: &Question<'_>, from: &Origin<'_>) -> bool {
        let caller = question.caller;
        any(&self.interfaces, question.interface)
            && any(&self.adapters, question.adapter)
            && self.who.includes(caller)
            && (self.proofs.is_empty() || self.proofs.contains(&caller.proof()))
            && (self.networks.is_empty() || self.networks.iter().any(|it| from.is_in(it)))
            && self.times.has(question.at)
    }
}

/// Whether one of the patterns stands for a text, or there is none.
fn any(patterns: &[Pattern], text: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(text))
}

impl AccessRules {
    /// Whether the caller may, and which rule has decided.
    ///
    /// Every object has operations that tell whether it exists and what it is, such as `_is_a`. Who
    /// may call anything of an object may call these, unless a rule names them.
    pub fn decide(&self, question: &Question<'_>) -> Decision {
        let found = self.decide_from(question, &Origin::of(question.caller));
        if found.allowed {
            return found;
        }
        let others = self.other_origins(question.caller).into_iter();
        let mut others = others.map(|from| self.decide_from(question, &from));
        others.find(|other| other.allowed).unwrap_or(found)
    }

    /// The caller at the addresses of this host, from any of which a client by the same-host endpoint
    /// might have come over TCP; nothing for other clients, or if no rule is about an address.
    fn other_origins<'q>(&self, caller: &'q Caller) -> Vec<Origin<'q>> {
        match self.has_networks && *caller.address() == Address::SameHost {
            true => host::addresses().into_iter().map(|own| Origin::also(caller, own)).collect(),
            false => Vec::new(),
        }
    }

    /// The decision about a caller who is there.
    fn decide_from(&self, question: &Question<'_>, from: &Origin<'_>) -> Decision {
        let rule = |at: u32| &self.rules[at as usize];
        let first = match of_every_object(question.operation) {
            Some(operation) => {
                let question = &Question { operation, ..*question };
                let fits = |at| rule(at).fits_every_object(question, from);
                self.of_every_object.first(question, fits)
            }
            None => self.index.first(question, |at| rule(at).fits(question, from)),
        };
        match first.map(rule) {
            Some(rule) => Decision { allowed: rule.allow, line: Some(rule.line) },
            None => Decision { allowed: false, line: None },
        }
    }

    /// The first of these roles that the caller has: for a call about which no rule decides, and
    /// whose operation names roles in IDL.
    pub fn role_of<'r>(&self, caller: &Caller, roles: &[&'r str]) -> Option<&'r str> {
        let has = |role: &&str| self.roles.get(*role).is_some_and(|all| all.includes(caller));
        roles.iter().copied().find(|role| has(role))
    }

    /// Whether `[roles]` of the file has this role, and so gives it to somebody.
    pub fn has_role(&self, role: &str) -> bool {
        self.roles.contains_key(role)
    }

    /// Who may act for whom, by the `[[assertion]]` entries of the file.
    pub(crate) fn assertions(&self) -> &[AssertionRule] {
        &self.assertions
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there are none, so that everything is denied.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rules as they were read, to be asked.
    fn index(mut self) -> Self {
        self.index = Index::new(&self.rules, true);
        self.of_every_object = Index::new(&self.rules, false);
        let somewhere = |rule: &Rule| rule.networks.iter().any(|it| *it != Network::Local);
        self.has_networks = self.rules.iter().any(somewhere);
        self
    }
}
