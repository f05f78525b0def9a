//! Rules that never apply.

use super::place::Network;
use super::{AccessRules, Rule, of_every_object};
use crate::caller::Proof;
use crate::principal::Pattern;
use crate::who::Who;

/// Of so many combinations of what a rule names, each is looked at alone: together, earlier rules may
/// decide about all of them.
const MOST_PARTS: usize = 256;

/// How repository ids begin (CORBA 3.4 Part 1, 14.7).
const FORMATS: [&str; 4] = ["IDL:", "RMI:", "DCE:", "LOCAL:"];

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
    /// What has no effect: rules behind those that decide about everything that they are about, what
    /// no caller, interface or operation is called, what cannot be at the same time, and groups and
    /// roles that no rule names. The time grows with the square of the number of rules.
    pub fn check(&self) -> Vec<Finding> {
        self.check_with_roles(&[])
    }

    /// The same for a server whose IDL names these roles (`@roles`).
    pub fn check_with_roles(&self, named: &[&str]) -> Vec<Finding> {
        let is_named =
            |name: &str| name.strip_prefix("role:").is_some_and(|it| named.contains(&it));
        let unused = self.unused.iter().filter(|(_, name)| !is_named(name)).map(|(line, name)| {
            let but = match name.starts_with("role:") {
                true => "; it counts only for operations with it in IDL (`@roles`)",
                false => "",
            };
            Finding { line: *line, what: format!("no rule names {name}{but}") }
        });
        let mut findings: Vec<Finding> = unused.collect();
        for (at, rule) in self.rules.iter().enumerate() {
            let found = rule.mistakes().into_iter().chain(rule.shadowed(&self.rules[..at]));
            findings.extend(found.map(|what| Finding { line: rule.line, what }));
        }
        findings.sort_by_key(|finding| finding.line);
        findings
    }
}

impl Rule {
    /// What it names that nothing is called, and what cannot be at the same time.
    fn mistakes(&self) -> Vec<String> {
        let interfaces = self.interfaces.iter().filter(|it| !may_be_interface(it));
        let interfaces = interfaces
            .map(|it| format!("{it} stands for no repository id, such as IDL:Bank/Account:1.0"));
        let operations = self.operations.iter().filter_map(|it| of_operation(it.as_str()));
        let who = self.who.iter().filter_map(mistake_in);
        interfaces.chain(operations).chain(who).chain(self.contradiction()).collect()
    }

    /// Why no caller is one of this rule, if none is.
    fn contradiction(&self) -> Option<String> {
        if self.proofs.is_empty() {
            return None;
        }
        let has_one = |who: &Who| self.proofs.iter().any(|proof| may_have(who, *proof));
        if !self.who.iter().any(has_one) {
            let names: Vec<&str> = self.proofs.iter().map(|proof| proof.name()).collect();
            let what = "it never applies: for nobody whom it names there is a proof by";
            return Some(format!("{what} {}", names.join(" or ")));
        }
        let is_of_host = self.proofs.iter().all(|proof| *proof == Proof::OperatingSystem);
        let is_elsewhere = |network: &Network| *network != Network::Local;
        let far = !self.networks.is_empty() && self.networks.iter().all(is_elsewhere);
        (is_of_host && far).then(|| {
            "it never applies: the operating system vouches for users of this host, who have no \
             address; their network is local"
                .to_owned()
        })
    }

    /// Which rules before decide about everything that it is about, if any do.
    fn shadowed(&self, earlier: &[Self]) -> Option<String> {
        if let Some(one) = earlier.iter().find(|one| one.covers(&self.whole())) {
            return Some(format!("it never applies: the rule in line {} decides before", one.line));
        }
        let mut lines = Vec::new();
        for part in self.parts()? {
            lines.push(earlier.iter().find(|one| one.covers(&part))?.line);
        }
        lines.sort_unstable();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
        let lines = lines.join(", ");
        Some(format!("it never applies: the rules in lines {lines} decide before, together"))
    }

    /// All that it is about.
    fn whole(&self) -> Part<'_> {
        Part {
            who: &self.who,
            adapters: &self.adapters,
            objects: &self.objects,
            interfaces: &self.interfaces,
            operations: &self.operations,
            proofs: &self.proofs,
            networks: &self.networks,
            rule: self,
        }
    }

    /// Each combination of what it names; `None` where there are many, or no more than one.
    fn parts(&self) -> Option<Vec<Part<'_>>> {
        let mut all = vec![self.whole()];
        divide(&mut all, |part| part.who, |part, one| part.who = one)?;
        divide(&mut all, |part| part.adapters, |part, one| part.adapters = one)?;
        divide(&mut all, |part| part.objects, |part, one| part.objects = one)?;
        divide(&mut all, |part| part.interfaces, |part, one| part.interfaces = one)?;
        divide(&mut all, |part| part.operations, |part, one| part.operations = one)?;
        divide(&mut all, |part| part.proofs, |part, one| part.proofs = one)?;
        divide(&mut all, |part| part.networks, |part, one| part.networks = one)?;
        (all.len() > 1).then_some(all)
    }

    /// Whether this rule fits wherever the part of a later one does.
    fn covers(&self, other: &Part<'_>) -> bool {
        patterns(&self.adapters, other.adapters)
            && patterns(&self.objects, other.objects)
            && patterns(&self.interfaces, other.interfaces)
            && (patterns(&self.operations, other.operations)
                || self.allow && are_of_every_object(other.operations))
            && all(&self.who, other.who, Who::covers)
            && (self.proofs.is_empty()
                || !other.proofs.is_empty() && all(&self.proofs, other.proofs, Proof::eq))
            && (self.networks.is_empty()
                || !other.networks.is_empty()
                    && all(&self.networks, other.networks, Network::covers))
            && self.times.covers(&other.rule.times)
    }
}

/// A part of what a rule is about, at the times of the rule.
#[derive(Clone, Copy)]
struct Part<'r> {
    who: &'r [Who],
    adapters: &'r [Pattern],
    objects: &'r [Pattern],
    interfaces: &'r [Pattern],
    operations: &'r [Pattern],
    proofs: &'r [Proof],
    networks: &'r [Network],
    rule: &'r Rule,
}

/// Divides parts by the members of a list; `None` if there are too many.
fn divide<'r, T: 'r>(
    parts: &mut Vec<Part<'r>>,
    list: impl Fn(&Part<'r>) -> &'r [T],
    set: impl Fn(&mut Part<'r>, &'r [T]),
) -> Option<()> {
    let members = parts.first().map_or(&[][..], &list);
    if parts.len() * members.len().max(1) > MOST_PARTS {
        return None;
    }
    if members.len() > 1 {
        let divided = parts.iter().flat_map(|part| {
            members.chunks(1).map(|one| {
                let mut part = *part;
                set(&mut part, one);
                part
            })
        });
        *parts = divided.collect();
    }
    Some(())
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

/// Whether these are operations that every object has: whom a rule allows anything may call them.
fn are_of_every_object(operations: &[Pattern]) -> bool {
    let is_one = |it: &Pattern| it.plain().is_some_and(|name| of_every_object(name).is_some());
    !operations.is_empty() && operations.iter().all(is_one)
}

/// Whether a repository id may be one of this pattern. Ids have a format, and those of IDL a version.
fn may_be_interface(pattern: &Pattern) -> bool {
    let text = pattern.as_str();
    match text.split_once('*') {
        Some((head, _)) => {
            FORMATS.iter().any(|format| format.starts_with(head) || head.starts_with(format))
        }
        None if text.starts_with(FORMATS[0]) => {
            let version = text.rsplit_once(':').and_then(|(_, version)| version.split_once('.'));
            let is_number = |text: &str| text.parse::<u16>().is_ok();
            version.is_some_and(|(major, minor)| is_number(major) && is_number(minor))
        }
        None => FORMATS.iter().any(|format| text.starts_with(format)),
    }
}

/// What is wrong with the name of an operation, if something is.
fn of_operation(text: &str) -> Option<String> {
    let is_odd = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '*' | '-' | '$');
    if let Some(odd) = text.chars().find(|c| is_odd(*c)) {
        return Some(format!("{text} is the name of no operation: no name has {odd:?}"));
    }
    let rest = ["_get_", "_set_"].iter().find_map(|prefix| text.strip_prefix(prefix))?;
    (rest.starts_with("_get_") || rest.starts_with("_set_"))
        .then(|| format!("`attribute` takes the name of the attribute, without {}", &rest[..5]))
}

/// Whether there is a caller of these whose proof is that.
fn may_have(who: &Who, proof: Proof) -> bool {
    match (who, proof) {
        (Who::Anyone, _) => true,
        (Who::Authenticated, proof) => proof != Proof::None,
        // A mechanism of the program may say anything.
        (_, Proof::Mechanism) => true,
        (Who::Anonymous, proof) => matches!(proof, Proof::None | Proof::Assertion),
        (Who::User(_), proof) => matches!(proof, Proof::Password | Proof::Assertion),
        (Who::DistinguishedName(_), proof) => {
            matches!(proof, Proof::Certificate | Proof::Assertion)
        }
        // By the endpoint that stands beside one over TCP the user of the host shows nothing.
        (Who::Local | Who::LocalUser(_), proof) => {
            matches!(proof, Proof::None | Proof::OperatingSystem)
        }
    }
}

/// What is wrong with whom a rule names, if nobody is called so.
fn mistake_in(who: &Who) -> Option<String> {
    match who {
        Who::User(name) if name.as_str().contains('=') && !name.as_str().contains('@') => {
            Some(format!("{name} is no user; a distinguished name stands behind dn:"))
        }
        Who::User(name) if name.plain().is_some_and(|name| !name.contains('@')) => Some(format!(
            "{name} is a user without a domain: a server with a realm calls it {name}@REALM"
        )),
        Who::DistinguishedName(name) if has_space_behind_comma(name.as_str()) => Some(format!(
            "dn:{name} has a space behind a comma, which no distinguished name has here"
        )),
        _ => None,
    }
}

/// Whether a space stands behind a comma that separates. What is escaped is part of a value.
fn has_space_behind_comma(text: &str) -> bool {
    let mut before = [' '; 2];
    text.chars().any(|c| {
        let found = c == ' ' && before == ['.', ','];
        let is_escaped = before[1] == '\\';
        before = match (is_escaped, c) {
            // An escaped character, or a backslash that is one, escapes nothing.
            (true, _) => ['.', '.'],
            (false, ',') => ['.', ','],
            (false, c) => ['.', c],
        };
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rules: &str) -> Vec<String> {
        let rules: AccessRules = rules.parse().unwrap();
        rules.check().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn earlier_rules_decide_together() {
        let before = "[[rule]]\nallow = \"ann@bank\"\noperation = [\"a\", \"b\"]\n\
                      [[rule]]\nallow = \"*@bank\"\noperation = \"c\"\n";
        let with = |rule: &str| found(&format!("{before}[[rule]]\ndeny = \"ann@bank\"\n{rule}"));
        let what = "line 7: it never applies: the rules in lines 1, 4 decide before, together";
        assert_eq!(with("operation = [\"a\", \"c\"]"), [what]);
        assert!(with("operation = [\"a\", \"d\"]").is_empty() && with("").is_empty());
        let zoe = format!("{before}[[rule]]\ndeny = [\"ann@bank\", \"zoe@bank\"]\n");
        assert!(found(&(zoe + "operation = [\"a\", \"c\"]")).is_empty());
        let known = "[[rule]]\ndeny = \"authenticated\"\n[[rule]]\nallow = ";
        assert_eq!(found(&format!("{known}[\"ann@bank\", \"dn:CN=*\"]")).len(), 1);
        assert!(found(&format!("{known}[\"ann@bank\", \"uid:0\"]")).is_empty(), "by memory");
    }

    #[test]
    fn what_every_object_has_is_decided_with_the_rest() {
        let allow = "[[rule]]\nallow = \"*@bank\"\noperation = \"deposit\"\n";
        let deny = "[[rule]]\ndeny = \"ann@bank\"\noperation = [\"_is_a\", \"_not_existent\"]\n";
        let what = "line 4: it never applies: the rule in line 1 decides before";
        assert_eq!(found(&format!("{allow}{deny}")), [what]);
        assert!(found(&format!("{deny}{allow}")).is_empty());
    }

    #[test]
    fn times_of_earlier_rules_count() {
        let pair = |one: &str, other: &str| {
            let rule = |times| format!("[[rule]]\nallow = \"*\"\n{times}\n");
            found(&(rule(one) + &rule(other))).len()
        };
        let hours = |text: &str| format!("hours = {text}");
        assert_eq!(pair(&hours("\"08:00-18:00\""), &hours("\"09:00-10:00\"")), 1);
        assert_eq!(pair(&hours("\"09:00-10:00\""), &hours("\"08:00-18:00\"")), 0);
        let night = hours("[\"22:00-02:00\", \"02:00-06:00\"]");
        assert_eq!(pair(&night, &hours("\"23:00-05:00\"")), 1);
        assert_eq!(pair(&hours("\"00:00-24:00\""), "days = \"mon\""), 1);
        assert_eq!(pair("days = [\"mon\", \"tue\"]", "days = \"tue\"\nhours = \"1:00-2:00\""), 1);
        assert_eq!(pair("days = \"tue\"", "days = [\"mon\", \"tue\"]"), 0);
    }

    #[test]
    fn what_nothing_is_called_is_named() {
        for (rule, part) in [
            (
                "allow = \"*\"\ninterface = \"Bank/Account\"",
                "Bank/Account stands for no repository id",
            ),
            ("allow = \"*\"\ninterface = \"Bank::*\"", "stands for no repository id"),
            ("allow = \"*\"\ninterface = \"IDL:Bank/Account\"", "stands for no repository id"),
            ("allow = \"*\"\noperation = \"Account::deposit\"", "no name has ':'"),
            ("allow = \"*\"\noperation = \"deposit()\"", "no name has '('"),
            ("allow = \"*\"\nattribute = \"_get_balance\"", "without _get_"),
            ("allow = \"ann\"", "ann is a user without a domain"),
            ("allow = \"CN=ann,O=Bank\"", "stands behind dn:"),
            ("allow = \"dn:CN=ann, O=Bank\"", "has a space behind a comma"),
            (
                "allow = \"*@bank\"\nproof = [\"certificate\", \"none\"]",
                "a proof by certificate or none",
            ),
            ("allow = \"dn:*\"\nproof = \"password\"", "a proof by password"),
            ("allow = \"uid:0\"\nproof = \"assertion\"", "a proof by assertion"),
            ("allow = \"authenticated\"\nproof = \"none\"", "a proof by none"),
            ("allow = \"anonymous\"\nproof = \"password\"", "a proof by password"),
            (
                "allow = \"uid:*\"\nproof = \"operating-system\"\nnetwork = \"10.0.0.0/8\"",
                "their network is local",
            ),
        ] {
            let found = found(&format!("[[rule]]\n{rule}"));
            assert!(found.iter().any(|one| one.contains(part)), "{rule}: {found:?}");
        }
        for rule in [
            "allow = \"*\"\ninterface = [\"IDL:Bank/Account:1.0\", \"IDL:*\", \"*Account*\", \"RMI:a:0\"]",
            "allow = \"*\"\noperation = [\"deposit\", \"_get_*\", \"_is_a\", \"a__b\"]",
            "allow = [\"ann@bank\", \"*\", \"an*\", 'dn:CN=ann\\, the first,O=Bank']",
            "allow = [\"*@bank\", \"dn:*\"]\nproof = [\"certificate\", \"none\"]",
            "allow = \"uid:0\"\nproof = \"none\"\nnetwork = \"10.0.0.0/8\"",
            "allow = \"*\"\nproof = \"operating-system\"\nnetwork = [\"local\", \"10.0.0.0/8\"]",
        ] {
            assert_eq!(found(&format!("[[rule]]\n{rule}")), [""; 0], "{rule}");
        }
    }
}
