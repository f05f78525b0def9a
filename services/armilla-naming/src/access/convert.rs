//! Rules in the language of before, a line for each, in the present one.
//!
//! ```text
//! # The first rule for an operation, a client and a name decides. Without one it is allowed.
//! allow  change   /telescopes     from 10.1.0.0/16
//! deny   any      /               from any
//! balance round-robin /services/database
//! sweep  gone after 3 /telescopes
//! ```

use super::RuleError;
use super::read::below;
use crate::model::Balance;
use std::fmt::Write as _;
use std::net::IpAddr;

/// Whether a text is in the language of before: whether its first word begins a line of that.
pub(super) fn is_of_before(text: &str) -> bool {
    let mut words = text.lines().map(|line| Words { text: line, line: 1, position: 0 });
    let first = words.find_map(|mut words| words.next().map(|word| (word.text, words.next())));
    first.is_some_and(|(first, second)| {
        ["allow", "deny", "balance", "sweep"].contains(&first)
            && second.is_none_or(|second| !second.text.starts_with('='))
    })
}

/// Rules in the language of before as rules in the present one, with the same meaning. Users of this
/// host get their numbers.
///
/// ```
/// let rules = armilla_naming::access::convert("deny change /a from 192.0.2.0/24")?;
/// assert!(rules.contains("object = [\"/a\", \"/a/*\"]\noperation = [\"bind\", \"unbind\"]"));
/// # Ok::<(), armilla_naming::access::RuleError>(())
/// ```
///
/// # Errors
/// What is wrong in the text, and where; or that a name has a `*`, which would be a pattern now.
pub fn convert(text: &str) -> Result<String, RuleError> {
    let (mut access, mut others) = (String::new(), String::new());
    for (at, line) in text.lines().enumerate() {
        let mut words = Words { text: line, line: at + 1, position: 0 };
        let Some(first) = words.next() else { continue };
        match first.text {
            "allow" | "deny" => permission(first.text, &mut words, &mut access)?,
            "balance" => {
                let how = words.need("how: round-robin, least-load or nearest")?;
                let known: Result<Balance, String> = how.text.parse();
                known.map_err(|what| words.error(&how, what))?;
                let names = quoted(&words.place()?);
                let how = how.text;
                write(
                    &mut others,
                    format_args!("[[service.balance]]\nnames = {names}\nhow = {how:?}\n\n"),
                );
            }
            "sweep" => sweep(&mut words, &mut others)?,
            other => {
                let what = format!("{other:?}: a rule begins with allow, deny, balance or sweep");
                return Err(words.error(&first, what));
            }
        }
        if let Some(more) = words.next() {
            return Err(words.error(&more, format!("{:?}: the rule has ended", more.text)));
        }
    }
    if !access.is_empty() {
        access += "[[rule]]\nallow = \"*\"\n\n";
    }
    let made = access + &others;
    Ok(format!("{}\n", made.trim_end()))
}

/// A text as TOML has it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\0'..='\u{1f}' | '\u{7f}' => {
                write(&mut quoted, format_args!("\\u{:04x}", character as u32));
            }
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

/// Appends to a text, which takes everything.
fn write(text: &mut String, what: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(what);
}

fn permission(word: &str, words: &mut Words<'_>, made: &mut String) -> Result<(), RuleError> {
    let operation = words.need("an operation: read, bind, unbind, change or any")?;
    let operations = match operation.text {
        "any" => String::new(),
        "change" => "operation = [\"bind\", \"unbind\"]\n".to_owned(),
        one @ ("read" | "bind" | "unbind") => format!("operation = {one:?}\n"),
        other => {
            let what = format!("{other:?}: one of read, bind, unbind, change and any is needed");
            return Err(words.error(&operation, what));
        }
    };
    let name = words.place()?;
    let objects = match &*name {
        "/" => String::new(),
        name => format!("object = [{}, {}]\n", quoted(name), quoted(&format!("{name}/*"))),
    };
    words.keyword("from")?;
    let (who, network) = words.client()?;
    write(made, format_args!("[[rule]]\n{word} = {who:?}\n{objects}{operations}{network}\n"));
    Ok(())
}

fn sweep(words: &mut Words<'_>, made: &mut String) -> Result<(), RuleError> {
    let what = words.need("what: gone or unreachable")?;
    if !["gone", "unreachable"].contains(&what.text) {
        return Err(words.error(&what, format!("{:?}: gone or unreachable is needed", what.text)));
    }
    words.keyword("after")?;
    let after = words.need("after how many checks in a row")?;
    let Ok(checks @ 1..) = after.text.parse::<u32>() else {
        return Err(words.error(&after, format!("{:?}: a number from 1 is needed", after.text)));
    };
    let (names, what) = (quoted(&words.place()?), what.text);
    write(
        made,
        format_args!("[[service.sweep]]\nnames = {names}\nwhat = {what:?}\nafter = {checks}\n\n"),
    );
    Ok(())
}

/// A word of a line, and its position in octets.
struct Word<'t> {
    text: &'t str,
    position: usize,
}

/// The words of a line, up to a comment.
struct Words<'t> {
    text: &'t str,
    line: usize,
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
        let end = self.position;
        self.next().ok_or_else(|| self.at(self.position.max(end), format!("missing: {what}")))
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), RuleError> {
        let word = self.need(keyword)?;
        match word.text == keyword {
            true => Ok(()),
            false => Err(self.error(&word, format!("{:?}: {keyword} is needed here", word.text))),
        }
    }

    /// A name behind a slash.
    fn place(&mut self) -> Result<String, RuleError> {
        let word = self.need("a name, such as /telescopes, or / for all")?;
        below(word.text).map_err(|what| self.error(&word, what))?;
        match word.text.contains('*') {
            true => Err(self.error(&word, "* in a name would be a pattern now".to_owned())),
            false => Ok(word.text.to_owned()),
        }
    }

    /// Whom a rule is about, and the line with the network.
    fn client(&mut self) -> Result<(String, String), RuleError> {
        let word = self
            .need("a client: any, local, user NAME, an address, or a network such as 10.0.0.0/8")?;
        let network = |network: &str| ("*".to_owned(), format!("network = {network:?}\n"));
        match word.text {
            "any" => return Ok(("*".to_owned(), String::new())),
            "local" => return Ok(network("local")),
            "user" => return Ok((self.user()?, String::new())),
            _ => {}
        }
        let (address, bits) = match word.text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (word.text, None),
        };
        let what = format!("{:?}: any, local, user, an address or a network is needed", word.text);
        let address: Option<IpAddr> = address.parse().ok();
        let bits: Option<u32> = bits.map_or(Some(0), |bits| bits.parse().ok());
        let (Some(address), Some(bits)) = (address, bits) else {
            return Err(self.error(&word, what));
        };
        let most = if address.is_ipv4() { 32 } else { 128 };
        match bits <= most {
            true => Ok(network(word.text)),
            false => Err(self.error(&word, format!("the address has {most} bits, not {bits}"))),
        }
    }

    /// A user of this host, by name or number.
    fn user(&mut self) -> Result<String, RuleError> {
        let word = self.need("the name or the number of a user")?;
        let user: Option<u32> = word.text.parse().ok().or_else(|| super::users::number(word.text));
        let unknown = || self.error(&word, format!("{:?}: this host has no such user", word.text));
        user.map(|user| format!("uid:{user}")).ok_or_else(unknown)
    }

    fn error(&self, word: &Word<'_>, what: String) -> RuleError {
        self.at(word.position, what)
    }

    fn at(&self, position: usize, what: String) -> RuleError {
        let column = self.text[..position].chars().count() + 1;
        RuleError { line: self.line, column, what }
    }
}
