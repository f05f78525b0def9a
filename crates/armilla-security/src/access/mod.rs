//! Who may do what: rules in a file, checked when they are read.
//!
//! The language knows nothing of CORBA but names: a service asks with names of its own, as the naming
//! service does with the name that an operation is about in the place of the object. `below` decides
//! about objects whose ids are ways.

mod below;
mod check;
mod file;
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
use crate::principal::{Pattern, Principal};
use crate::who::Who;
use armilla_ipc::{Address, host};
use place::{Network, Times};
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

/// The operations that every object has.
pub(crate) const OF_EVERY_OBJECT: [&str; 7] = [
    "_is_a",
    "_non_existent",
    "_not_existent",
    "_interface",
    "_component",
    "_repository_id",
    "_domain_managers",
];

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
    roles: HashMap<String, Vec<Who>>,
    /// Names that were defined and never used, for `check`.
    unused: Vec<(usize, String)>,
    by_operation: HashMap<Box<str>, Places>,
    /// The rules with patterns of operations.
    any_operation: Places,
}

/// Where rules stand, in the order of the file: those about one principal alone by that, so that a
/// thousand users have a rule each at the price of one.
#[derive(Debug, Clone, Default)]
struct Places {
    of: HashMap<Principal, Vec<u32>>,
    others: Vec<u32>,
}

impl Places {
    fn add(&mut self, rule: &Rule, at: u32) {
        let principals: Option<Vec<_>> = rule.who.iter().map(Who::only).collect();
        let lists = match principals {
            Some(principals) => {
                for principal in principals {
                    add_last(self.of.entry(principal).or_default(), at);
                }
                return;
            }
            None => &mut self.others,
        };
        add_last(lists, at);
    }

    /// Those that may be about this principal.
    fn about(&self, principal: &Principal) -> [&[u32]; 2] {
        let own = if self.of.is_empty() { None } else { self.of.get(principal) };
        [own.map_or(&[], Vec::as_slice), &self.others]
    }
}

fn add_last(list: &mut Vec<u32>, at: u32) {
    if list.last() != Some(&at) {
        list.push(at);
    }
}

/// A rule. An empty list of patterns stands for everything.
#[derive(Debug, Clone)]
struct Rule {
    line: usize,
    allow: bool,
    who: Vec<Who>,
    adapters: Vec<Pattern>,
    objects: Vec<Pattern>,
    interfaces: Vec<Pattern>,
    operations: Vec<Pattern>,
    proofs: Vec<Proof>,
    networks: Vec<Network>,
    times: Times,
}

impl Rule {
    /// Whether it is about this. Its operations were looked at, unless they have patterns.
    fn fits(&self, question: &Question<'_>, at: Option<&Address>) -> bool {
        self.has_operation(question.operation) && self.fits_but_operation(question, at)
    }

    fn has_operation(&self, operation: &str) -> bool {
        self.operations.is_empty()
            || self.operations.iter().any(|pattern| pattern.matches(operation))
    }

    fn fits_but_operation(&self, question: &Question<'_>, at: Option<&Address>) -> bool {
        any(&self.objects, question.object) && self.fits_but_object(question, at)
    }

    fn fits_but_object(&self, question: &Question<'_>, at: Option<&Address>) -> bool {
        let caller = question.caller;
        any(&self.interfaces, question.interface)
            && any(&self.adapters, question.adapter)
            && self.who.iter().any(|who| who.includes(caller))
            && (self.proofs.is_empty() || self.proofs.contains(&caller.proof()))
            && (self.networks.is_empty()
                || self.networks.iter().any(|network| {
                    network.has(caller.address()) || at.is_some_and(|at| network.has(at))
                }))
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
        let found = self.decide_at(question, None);
        if found.allowed {
            return found;
        }
        let others = self.other_addresses(question.caller).into_iter();
        let mut others = others.map(|at| self.decide_at(question, Some(&at)));
        others.find(|other| other.allowed).unwrap_or(found)
    }

    /// The addresses of this host, from any of which a client by the same-host endpoint might have
    /// come over TCP; none for other clients, or if no rule is about one.
    fn other_addresses(&self, caller: &Caller) -> Vec<Address> {
        let somewhere = |rule: &Rule| rule.networks.iter().any(|it| *it != Network::Local);
        match *caller.address() == Address::SameHost && self.rules.iter().any(somewhere) {
            true => {
                let all = host::addresses().into_iter();
                all.map(|own| Address::tcp(own.to_string(), 0)).collect()
            }
            false => Vec::new(),
        }
    }

    /// The same, with `at` as a further address of the caller.
    fn decide_at(&self, question: &Question<'_>, at: Option<&Address>) -> Decision {
        if OF_EVERY_OBJECT.contains(&question.operation) {
            return self.decide_of_every_object(question, at);
        }
        let principal = question.caller.principal();
        let named = self.by_operation.get(question.operation);
        let [own, named] = named.map_or([&[][..]; 2], |places| places.about(principal));
        let [any_own, any] = self.any_operation.about(principal);
        // Each list is in the order of the file.
        let mut lists = [own, named, any_own, any];
        loop {
            let firsts = lists.iter_mut().filter(|list| !list.is_empty());
            let Some(list) = firsts.min_by_key(|list| list[0]) else {
                return Decision { allowed: false, line: None };
            };
            let rule = &self.rules[list[0] as usize];
            *list = &list[1..];
            if rule.fits(question, at) {
                return Decision { allowed: rule.allow, line: Some(rule.line) };
            }
        }
    }

    fn decide_of_every_object(&self, question: &Question<'_>, at: Option<&Address>) -> Decision {
        let decides = |rule: &&Rule| {
            let names_some = !rule.operations.is_empty();
            rule.fits_but_operation(question, at)
                && (rule.allow || !names_some || rule.has_operation(question.operation))
        };
        match self.rules.iter().find(decides) {
            Some(rule) => Decision { allowed: rule.allow, line: Some(rule.line) },
            None => Decision { allowed: false, line: None },
        }
    }

    /// The first of these roles that the caller has: for a call about which no rule decides, and
    /// whose operation names roles in IDL.
    pub fn role_of<'r>(&self, caller: &Caller, roles: &[&'r str]) -> Option<&'r str> {
        let has = |role: &&str| {
            self.roles.get(*role).is_some_and(|all| all.iter().any(|who| who.includes(caller)))
        };
        roles.iter().copied().find(|role| has(role))
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

    fn index(mut self) -> Self {
        for (at, rule) in self.rules.iter().enumerate() {
            let at = at as u32;
            let is_name = |pattern: &Pattern| !pattern.as_str().contains('*');
            if rule.operations.is_empty() || !rule.operations.iter().all(is_name) {
                self.any_operation.add(rule, at);
                continue;
            }
            for operation in &rule.operations {
                self.by_operation.entry(operation.as_str().into()).or_default().add(rule, at);
            }
        }
        self
    }
}
