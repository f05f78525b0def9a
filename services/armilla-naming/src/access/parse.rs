//! Reading rules.

use super::{AccessRule, Clients, Operation, Operations, Rules, Sweep};
use crate::model::{NameComponent, parse_name};
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// What is wrong in the text of rules, and where. Lines and columns count from 1, columns in
/// characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What is wrong there.
    pub what: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

impl std::error::Error for RuleError {}

impl FromStr for Rules {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let mut rules = Self::default();
        for (at, line) in text.lines().enumerate() {
            let mut words = Words { line: at + 1, text: line, position: 0 };
            rules.rule(&mut words)?;
        }
        Ok(rules)
    }
}

impl Rules {
    fn rule(&mut self, words: &mut Words<'_>) -> Result<(), RuleError> {
        let Some(first) = words.next() else { return Ok(()) };
        match first.text {
            "allow" | "deny" => {
                let allow = first.text == "allow";
                let operations = operations(words)?;
                let below = place(words)?;
                words.keyword("from")?;
                let clients = clients(words)?;
                self.access.push(AccessRule { allow, operations, below, clients });
            }
            "balance" => {
                let how = words.need("how: round-robin, least-load or nearest")?;
                let balance = how.text.parse().map_err(|what| words.error(&how, what))?;
                self.balance.push((place(words)?, balance));
            }
            "sweep" => {
                let what = words.need("what: gone or unreachable")?;
                let unreachable = match what.text {
                    "gone" => false,
                    "unreachable" => true,
                    other => {
                        let what_is = format!("{other:?}: gone or unreachable is needed");
                        return Err(words.error(&what, what_is));
                    }
                };
                words.keyword("after")?;
                let checks = checks(words)?;
                self.sweep.push((place(words)?, Sweep { unreachable, checks }));
            }
            other => {
                let what = format!("{other:?}: a rule begins with allow, deny, balance or sweep");
                return Err(words.error(&first, what));
            }
        }
        match words.next() {
            Some(more) => Err(words.error(&more, format!("{:?}: the rule has ended", more.text))),
            None => Ok(()),
        }
    }
}

/// A word of a line, and its position in octets.
struct Word<'t> {
    text: &'t str,
    position: usize,
}

/// The words of a line, up to a comment.
struct Words<'t> {
    line: usize,
    text: &'t str,
    position: usize,
}

impl<'t> Words<'t> {
    fn next(&mut self) -> Option<Word<'t>> {
        let rest = &self.text[self.position..];
        let blank = rest.len() - rest.trim_start().len();
        self.position += blank;
        let rest = &rest[blank..];
        if rest.is_empty() || rest.starts_with('#') {
            return None;
        }
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = Word { text: &rest[..length], position: self.position };
        self.position += length;
        Some(word)
    }

    fn need(&mut self, what: &str) -> Result<Word<'t>, RuleError> {
        match self.next() {
            Some(word) => Ok(word),
            None => Err(self.at(self.position, format!("missing: {what}"))),
        }
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), RuleError> {
        let word = self.need(keyword)?;
        match word.text == keyword {
            true => Ok(()),
            false => Err(self.error(&word, format!("{:?}: {keyword} is needed here", word.text))),
        }
    }

    fn error(&self, word: &Word<'_>, what: String) -> RuleError {
        self.at(word.position, what)
    }

    fn at(&self, position: usize, what: String) -> RuleError {
        let column = self.text[..position].chars().count() + 1;
        RuleError { line: self.line, column, what }
    }
}

fn operations(words: &mut Words<'_>) -> Result<Operations, RuleError> {
    let word = words.need("an operation: read, bind, unbind, change or any")?;
    Ok(match word.text {
        "read" => Operations::Only(Operation::Read),
        "bind" => Operations::Only(Operation::Bind),
        "unbind" => Operations::Only(Operation::Unbind),
        "change" => Operations::Change,
        "any" => Operations::Any,
        other => {
            let what = format!("{other:?}: one of read, bind, unbind, change and any is needed");
            return Err(words.error(&word, what));
        }
    })
}

/// A name behind a slash; the slash alone is the root.
fn place(words: &mut Words<'_>) -> Result<Vec<NameComponent>, RuleError> {
    let word = words.need("a name, such as /telescopes, or / for all")?;
    let Some(name) = word.text.strip_prefix('/') else {
        return Err(words.error(&word, format!("{:?}: a name begins with /", word.text)));
    };
    match name {
        "" => Ok(Vec::new()),
        name => parse_name(name).map_err(|error| words.error(&word, error.to_string())),
    }
}

fn clients(words: &mut Words<'_>) -> Result<Clients, RuleError> {
    let word = words
        .need("a client: any, local, user NAME, an address, or a network such as 10.0.0.0/8")?;
    let wrong = |words: &Words<'_>| {
        let what = format!("{:?}: any, local, user, an address or a network is needed", word.text);
        words.error(&word, what)
    };
    let (address, bits) = match word.text {
        "any" => return Ok(Clients::Any),
        "local" => return Ok(Clients::Local),
        "user" => return user(words),
        text => text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits))),
    };
    let address: IpAddr = address.parse().map_err(|_| wrong(words))?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let bits: u32 = bits.map_or(Ok(most), str::parse).map_err(|_| wrong(words))?;
    match bits <= most {
        true => Ok(Clients::Network(address, bits)),
        false => Err(words.error(&word, format!("the address has {most} bits, not {bits}"))),
    }
}

/// A user of this host, by name or number.
fn user(words: &mut Words<'_>) -> Result<Clients, RuleError> {
    let word = words.need("the name or the number of a user")?;
    let user = word.text.parse().ok().or_else(|| super::users::number(word.text));
    let unknown = || words.error(&word, format!("{:?}: this host has no such user", word.text));
    user.map(Clients::User).ok_or_else(unknown)
}

fn checks(words: &mut Words<'_>) -> Result<u32, RuleError> {
    let word = words.need("after how many checks in a row")?;
    match word.text.parse() {
        Ok(checks @ 1..) => Ok(checks),
        _ => Err(words.error(&word, format!("{:?}: a number from 1 is needed", word.text))),
    }
}
