//! Reading rules.

use super::crowd::Crowd;
use super::place::{Hours, Network, Times};
use super::{AccessRules, Rule, of_every_object};
use crate::assertion::AssertionRule;
use crate::principal::Pattern;
use crate::who::Who;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The longest text that is read, in octets.
const MAX_TEXT: usize = 4 << 20;
/// The most patterns of a rule, with those of its groups.
const MAX_WHO: usize = 10_000;
/// How deep groups stand in groups.
const MAX_DEPTH: usize = 32;

/// What is wrong in the text of rules, and where. Lines and columns count from 1, columns in
/// characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What is wrong there, and what is needed.
    pub what: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

impl std::error::Error for RuleError {}

impl RuleError {
    /// What is wrong at an octet of a text: for services that read tables of their own in it, below
    /// `service`.
    pub fn at(text: &str, octet: usize, what: impl Into<String>) -> Self {
        let (line, column) = place(text, octet);
        Self { line, column, what: what.into() }
    }
}

type Value<'v> = Spanned<DeValue<'v>>;
/// What is wrong, and at which octets.
type Wrong = (Range<usize>, String);

impl FromStr for AccessRules {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        if text.len() > MAX_TEXT {
            let what = format!("the rules have more than {MAX_TEXT} octets");
            return Err(RuleError { line: 1, column: 1, what });
        }
        let read = DeTable::parse(text).map_err(|error| {
            (error.span().unwrap_or(0..0), format!("it is no TOML: {}", error.message()))
        });
        let read = read.and_then(|root| Reader::new(text).root(root.get_ref()));
        read.map(Self::index).map_err(|(at, what)| RuleError::at(text, at.start, what))
    }
}

/// The line and the column of an octet.
fn place(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line = before.rfind('\n').map_or(before, |end| &before[end + 1..]);
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Members, the line of the definition, and whether a rule names it.
struct Group {
    members: Vec<Who>,
    line: usize,
    used: bool,
}

#[derive(Default)]
struct Reader<'r, 't> {
    /// Where lines end.
    ends: Vec<usize>,
    /// Where groups and roles are defined, as `group:NAME` and `role:NAME`.
    definitions: HashMap<String, &'r Value<'t>>,
    /// Those whose members are being read, each among those of the one before.
    under_way: Vec<String>,
    /// Those whose members were read.
    groups: HashMap<String, Group>,
}

impl<'r, 't> Reader<'r, 't> {
    fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, octet)| *octet == b'\n');
        Self { ends: ends.map(|(at, _)| at).collect(), ..Self::default() }
    }

    /// The line of an octet.
    fn line(&self, at: usize) -> usize {
        self.ends.partition_point(|end| *end < at) + 1
    }

    fn root(mut self, root: &'r DeTable<'t>) -> Result<AccessRules, Wrong> {
        for (key, _) in root.iter() {
            // What stands below `service` is that of the service which reads the file.
            let known = ["groups", "roles", "rule", "assertion", "service"];
            if !known.contains(&key.get_ref().as_ref()) {
                return Err(unknown(key.span(), key.get_ref(), &known));
            }
        }
        let mut all = Vec::new();
        for (kind, name) in [("group", "groups"), ("role", "roles")] {
            if let Some(value) = root.get(name) {
                all.extend(self.definitions(kind, value)?);
            }
        }
        for (at, name) in all {
            self.define(&at, &name)?;
        }
        let mut rules = AccessRules::default();
        for value in array(root.get("rule"), "rule")? {
            rules.rules.push(self.rule(value)?);
        }
        for value in array(root.get("assertion"), "assertion")? {
            rules.assertions.extend(self.assertion(value)?);
        }
        let roles = self.groups.iter().filter_map(|(name, role)| {
            Some((name.strip_prefix("role:")?.to_owned(), role.members.clone().into()))
        });
        rules.roles = roles.collect();
        let unused = self.groups.into_iter().filter(|(_, group)| !group.used);
        rules.unused = unused.map(|(name, group)| (group.line, name)).collect();
        rules.unused.sort();
        Ok(rules)
    }

    /// Notes where groups or roles are defined, and returns them: members may be defined behind those
    /// whose members they are.
    fn definitions(
        &mut self,
        kind: &str,
        value: &'r Value<'t>,
    ) -> Result<Vec<(Range<usize>, String)>, Wrong> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err((value.span(), format!("`[{kind}s]` is a table of lists of names")));
        };
        let mut all = Vec::new();
        for (key, value) in table.iter() {
            let name = format!("{kind}:{}", key.get_ref());
            self.definitions.insert(name.clone(), value);
            all.push((key.span(), name));
        }
        Ok(all)
    }

    /// Reads the members of a group or role that is named at `at`, if that was not done before.
    fn define(&mut self, at: &Range<usize>, name: &str) -> Result<(), Wrong> {
        if self.groups.contains_key(name) {
            return Ok(());
        }
        let Some(value) = self.definitions.get(name).copied() else {
            return Err((at.clone(), format!("{name} is not defined in this file")));
        };
        if self.under_way.iter().any(|other| other == name) {
            return Err((at.clone(), format!("{name} is among its own members")));
        }
        if self.under_way.len() >= MAX_DEPTH {
            let what = format!("groups stand in groups more than {MAX_DEPTH} deep");
            return Err((at.clone(), what));
        }
        self.under_way.push(name.to_owned());
        let members = self.who(value)?;
        self.under_way.pop();
        let line = self.line(value.span().start);
        self.groups.insert(name.to_owned(), Group { members, line, used: false });
        Ok(())
    }

    /// Whom a text or a list of texts names. Groups are replaced by their members.
    fn who(&mut self, value: &Value<'_>) -> Result<Vec<Who>, Wrong> {
        let mut all = Vec::new();
        for (at, text) in texts(value)? {
            if text.starts_with("group:") || text.starts_with("role:") {
                self.define(&at, text)?;
                if let Some(group) = self.groups.get_mut(text) {
                    group.used = true;
                    all.extend(group.members.iter().cloned());
                }
            } else {
                all.push(Who::parse(text).map_err(|what| (at.clone(), what.to_owned()))?);
            }
            if all.len() > MAX_WHO {
                return Err((at, format!("a rule names more than {MAX_WHO}")));
            }
        }
        Ok(all)
    }

    fn rule(&mut self, value: &Value<'_>) -> Result<Rule, Wrong> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err((value.span(), "a rule begins with `[[rule]]`".to_owned()));
        };
        let line = self.line(value.span().start);
        let mut rule = Rule {
            line,
            allow: false,
            who: Crowd::default(),
            adapters: Vec::new(),
            objects: Vec::new(),
            interfaces: Vec::new(),
            operations: Vec::new(),
            proofs: Vec::new(),
            networks: Vec::new(),
            times: Times::default(),
        };
        let mut decides = None;
        for (key, value) in table.iter() {
            match key.get_ref().as_ref() {
                word @ ("allow" | "deny") => {
                    if decides.is_some() {
                        return Err((key.span(), "a rule allows or denies, not both".to_owned()));
                    }
                    decides = Some(word == "allow");
                    rule.who = self.who(value)?.into();
                }
                "poa" => rule.adapters = patterns(value)?,
                // The id of an object may be empty.
                "object" => rule.objects = parsed(value, |text| Ok(Pattern::new(text)))?,
                "interface" => rule.interfaces = patterns(value)?,
                "operation" => rule.operations.extend(operations(value)?),
                "attribute" => rule.operations.extend(attributes(value)?),
                "proof" => rule.proofs = parsed(value, str::parse)?,
                "network" => rule.networks = parsed(value, Network::parse)?,
                "hours" => rule.times.hours = parsed(value, Hours::parse)?,
                "days" => {
                    let days = parsed(value, Times::day)?;
                    rule.times.days = days.into_iter().fold(0, |all, day| all | day);
                }
                other => {
                    let known = [
                        "allow",
                        "deny",
                        "poa",
                        "object",
                        "interface",
                        "operation",
                        "attribute",
                        "proof",
                        "network",
                        "hours",
                        "days",
                    ];
                    return Err(unknown(key.span(), other, &known));
                }
            }
        }
        match decides {
            Some(allow) => Ok(Rule { allow, ..rule }),
            None => Err((value.span(), "a rule needs `allow = …` or `deny = …`".to_owned())),
        }
    }

    /// Who may act for whom.
    fn assertion(&mut self, value: &Value<'_>) -> Result<Vec<AssertionRule>, Wrong> {
        let what = "an assertion needs `by = …` and `for = …`";
        let DeValue::Table(table) = value.get_ref() else {
            return Err((value.span(), what.to_owned()));
        };
        let (mut by, mut on_behalf_of) = (None, None);
        for (key, value) in table.iter() {
            match key.get_ref().as_ref() {
                "by" => by = Some(self.who(value)?),
                "for" => on_behalf_of = Some(self.who(value)?),
                other => return Err(unknown(key.span(), other, &["by", "for"])),
            }
        }
        let both = by.zip(on_behalf_of).ok_or((value.span(), what.to_owned()))?;
        let pairs = both.0.iter().flat_map(|by| both.1.iter().map(move |other| (by, other)));
        Ok(pairs.map(|(by, other)| AssertionRule::of(by.clone(), other.clone())).collect())
    }
}

fn unknown(at: Range<usize>, key: &str, known: &[&str]) -> Wrong {
    let shown: String = key.chars().take(40).collect();
    (at, format!("`{shown}` is unknown; there are {}", known.join(", ")))
}

fn array<'v, 't>(
    value: Option<&'v Value<'t>>,
    name: &str,
) -> Result<impl Iterator<Item = &'v Value<'t>>, Wrong> {
    match value.map(|value| (value.get_ref(), value)) {
        None => Ok([].iter()),
        Some((DeValue::Array(items), _)) => Ok(items.as_ref().iter()),
        Some((_, value)) => Err((value.span(), format!("begin each with `[[{name}]]`"))),
    }
}

/// A text, or the texts of a list.
fn texts<'v>(value: &'v Value<'_>) -> Result<Vec<(Range<usize>, &'v str)>, Wrong> {
    let text = |value: &'v Value<'_>| match value.get_ref().as_str() {
        Some(text) => Ok((value.span(), text)),
        None => Err((value.span(), "a text in quotes is needed here".to_owned())),
    };
    match value.get_ref() {
        DeValue::Array(items) if items.is_empty() => {
            Err((value.span(), "an empty list stands for nobody and nothing".to_owned()))
        }
        DeValue::Array(items) => items.iter().map(text).collect(),
        _ => Ok(vec![text(value)?]),
    }
}

fn parsed<T>(
    value: &Value<'_>,
    parse: impl Fn(&str) -> Result<T, &'static str>,
) -> Result<Vec<T>, Wrong> {
    let each = |(at, text)| parse(text).map_err(|what| (at, what.to_owned()));
    texts(value)?.into_iter().map(each).collect()
}

fn patterns(value: &Value<'_>) -> Result<Vec<Pattern>, Wrong> {
    parsed(value, |text| pattern(text, text))
}

/// A pattern for what somebody has called `text`, which has to be something.
fn pattern(text: &str, pattern: &str) -> Result<Pattern, &'static str> {
    match text.is_empty() {
        true => Err("an empty text stands for nothing; * stands for everything"),
        false => Ok(Pattern::new(pattern)),
    }
}

/// Operations, those of every object by their usual names.
fn operations(value: &Value<'_>) -> Result<Vec<Pattern>, Wrong> {
    parsed(value, |text| pattern(text, of_every_object(text).unwrap_or(text)))
}

/// Attributes: names for both, or `{ read = …, write = … }`.
fn attributes(value: &Value<'_>) -> Result<Vec<Pattern>, Wrong> {
    let operations = |value: &Value<'_>, prefix: &str| {
        parsed(value, |text| pattern(text, &format!("{prefix}{text}")))
    };
    let DeValue::Table(table) = value.get_ref() else {
        return Ok([operations(value, "_get_")?, operations(value, "_set_")?].concat());
    };
    let mut all = Vec::new();
    for (key, value) in table.iter() {
        match key.get_ref().as_ref() {
            "read" => all.extend(operations(value, "_get_")?),
            "write" => all.extend(operations(value, "_set_")?),
            other => return Err(unknown(key.span(), other, &["read", "write"])),
        }
    }
    match all.is_empty() {
        true => Err((value.span(), "write `{ read = …, write = … }`".to_owned())),
        false => Ok(all),
    }
}
