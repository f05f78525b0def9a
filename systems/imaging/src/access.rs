//! Who may do what, and how long images stay, as an operator writes it:
//!
//! ```text
//! # The first rule for an operation and a client decides. If there is one at all, what no rule
//! # allows is forbidden.
//! allow read   from 10.0.0.0/8
//! allow store  from 10.1.2.3
//! allow any    token front-desk sha256:9f86d081884c7d65…
//! allow read   user *@clinic
//! allow any    from local
//! retain 3650 days
//! expire 7300 days
//! ```
//!
//! A token is known to the rules by its SHA-256, so that nobody learns it from them. A user is one who
//! has logged in to the page, or whose certificate it believes (`dn:CN=ann`).

use armilla_ipc::host;
use armilla_security::Pattern;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// What a client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Search, see, fetch.
    Read,
    /// Add an image.
    Store,
    /// Remove an image.
    Remove,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Store => "store",
            Self::Remove => "remove",
        })
    }
}

/// Where a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In this process, which has asked its own client.
    Here,
    /// On this host.
    Local,
    /// At an address.
    At(IpAddr),
    /// Somewhere that has no address.
    Unknown,
}

impl From<IpAddr> for Place {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            address if address.is_loopback() => Self::Local,
            address => Self::At(address),
        }
    }
}

impl Place {
    /// Whether it is on this host: also one that has come by an address of this host that others
    /// know, as it does when a server publishes that one.
    fn is_local(self) -> bool {
        match self {
            Self::Here | Self::Local => true,
            Self::At(address) => host::is_local_address(address),
            Self::Unknown => false,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here => f.write_str("here"),
            Self::Local => f.write_str("local"),
            Self::At(address) => address.fmt(f),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Clients {
    Any,
    Local,
    /// The addresses that share the first bits of this one.
    Network(IpAddr, u32),
    /// Whoever shows the token with this name and hash.
    Token(String, [u8; 32]),
    /// Whose name this is a pattern of.
    User(Pattern),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    allow: bool,
    /// All, if none is named.
    operation: Option<Operation>,
    clients: Clients,
}

/// The rules of a server. Without any, everybody may do everything, and nothing is removed.
///
/// ```
/// use armilla_imaging::access::{Operation, Place, Rules, Verdict};
///
/// let rules: Rules = "allow read from 10.0.0.0/8\nallow any from local\n".parse()?;
/// let stranger = Place::At("10.0.0.1".parse()?);
/// assert_eq!(rules.decide(Operation::Read, stranger, None), Verdict::Allowed(None));
/// assert_eq!(rules.decide(Operation::Store, stranger, None), Verdict::Forbidden);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    access: Vec<Rule>,
    /// Days in which nobody may remove an image, and after which it goes.
    pub retain: Option<u64>,
    /// Days after which an image is removed.
    pub expire: Option<u64>,
}

/// What the rules say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is allowed; by a token with this name, if it was one.
    Allowed(Option<String>),
    /// It is forbidden, but a token might allow it.
    NeedsToken,
    /// It is forbidden.
    Forbidden,
}

impl Rules {
    /// Nobody may do anything but this process.
    pub fn only_here() -> Self {
        let nobody = Rule { allow: false, operation: None, clients: Clients::Any };
        Self { access: vec![nobody], ..Self::default() }
    }

    /// Whether there are rules about who may do what.
    pub fn restrict(&self) -> bool {
        !self.access.is_empty()
    }

    /// Whether a client may do something; `token` is what it shows.
    pub fn decide(&self, operation: Operation, place: Place, token: Option<&str>) -> Verdict {
        self.decide_of(operation, place, token, None)
    }

    /// The same for a client of whom it is also known which user it is.
    pub fn decide_of(
        &self,
        operation: Operation,
        place: Place,
        token: Option<&str>,
        user: Option<&str>,
    ) -> Verdict {
        if self.access.is_empty() || place == Place::Here {
            return Verdict::Allowed(None);
        }
        let hash: Option<[u8; 32]> = token.map(|token| Sha256::digest(token).into());
        let concerns = |rule: &&Rule| rule.operation.is_none_or(|one| one == operation);
        for rule in self.access.iter().filter(concerns) {
            let (hit, name) = match &rule.clients {
                Clients::Any => (true, None),
                Clients::Local => (place.is_local(), None),
                Clients::Network(network, bits) => (is_within(*network, *bits, place), None),
                Clients::Token(name, known) => (hash.as_ref() == Some(known), Some(name.clone())),
                Clients::User(names) => (user.is_some_and(|user| names.matches(user)), None),
            };
            match (hit, rule.allow) {
                (true, true) => return Verdict::Allowed(name),
                (true, false) => break,
                _ => {}
            }
        }
        let by_token = |rule: &Rule| matches!(rule.clients, Clients::Token(..)) && rule.allow;
        match self.access.iter().filter(concerns).any(by_token) {
            true => Verdict::NeedsToken,
            false => Verdict::Forbidden,
        }
    }
}

/// Whether a client is in a network: by its address, or because it is on this host and the network
/// has the addresses of this host for itself.
fn is_within(network: IpAddr, bits: u32, place: Place) -> bool {
    let own = match network {
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    let named = matches!(place, Place::At(address) if shares(network, bits, address));
    named || shares(network, bits, own) && place != Place::Here && place.is_local()
}

/// Whether an address has the first bits of a network.
fn shares(network: IpAddr, bits: u32, address: IpAddr) -> bool {
    match (network, address.to_canonical()) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            let differ = u32::from(network) ^ u32::from(address);
            differ.leading_zeros() >= bits
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => {
            let differ = u128::from(network) ^ u128::from(address);
            differ.leading_zeros() >= bits
        }
        _ => false,
    }
}

/// What is wrong in the text of rules, and in which line, from 1 on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError {
    /// The line.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the rules: {}", self.line, self.what)
    }
}

impl std::error::Error for RuleError {}

impl FromStr for Rules {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let mut rules = Self::default();
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let words: Vec<_> = line.split_whitespace().collect();
            rules.add(&words).map_err(|what| RuleError { line: at + 1, what })?;
        }
        if let (Some(retain), Some(expire)) = (rules.retain, rules.expire)
            && expire < retain
        {
            let what = format!("images would go after {expire} days, but stay {retain}");
            return Err(RuleError { line: text.lines().count(), what });
        }
        Ok(rules)
    }
}

impl Rules {
    fn add(&mut self, words: &[&str]) -> Result<(), String> {
        let days = |text: &str| match text.parse() {
            Ok(days @ 1..=100_000) => Ok(days),
            _ => Err(format!("{text:?}: a number of days from 1 is needed")),
        };
        match *words {
            [] => {}
            [verb @ ("allow" | "deny"), operation, how, ref clients @ ..] => {
                let operation = match operation {
                    "any" => None,
                    "read" => Some(Operation::Read),
                    "store" => Some(Operation::Store),
                    "remove" => Some(Operation::Remove),
                    other => {
                        return Err(format!("{other:?}: read, store, remove or any is needed"));
                    }
                };
                let clients = clients_of(how, clients)?;
                self.access.push(Rule { allow: verb == "allow", operation, clients });
            }
            ["retain", number, "days"] => self.retain = Some(days(number)?),
            ["expire", number, "days"] => self.expire = Some(days(number)?),
            _ => {
                let rules = "allow or deny OPERATION from CLIENT, allow or deny OPERATION user NAME, \
                             allow or deny OPERATION token NAME sha256:HASH, retain N days, expire N days";
                return Err(format!("{:?} is none of: {rules}", words.join(" ")));
            }
        }
        Ok(())
    }
}

fn clients_of(how: &str, words: &[&str]) -> Result<Clients, String> {
    match (how, words) {
        ("from", ["any"]) => Ok(Clients::Any),
        ("from", ["local"]) => Ok(Clients::Local),
        ("from", [text]) => {
            let wrong = || format!("{text:?}: any, local, an address or a network is needed");
            let (address, bits) =
                text.split_once('/').map_or((*text, None), |(address, bits)| (address, Some(bits)));
            let address: IpAddr = address.parse().map_err(|_| wrong())?;
            let most = if address.is_ipv4() { 32 } else { 128 };
            let bits: u32 = bits.map_or(Ok(most), str::parse).map_err(|_| wrong())?;
            if bits > most {
                return Err(format!("{text:?}: the address has {most} bits"));
            }
            // Clients over IPv4 have addresses of IPv4, also at an endpoint for both.
            Ok(match (address.to_canonical(), bits.checked_sub(96)) {
                (of_4 @ IpAddr::V4(_), Some(bits)) if address.is_ipv6() => {
                    Clients::Network(of_4, bits)
                }
                _ => Clients::Network(address, bits),
            })
        }
        ("token", [name, hash]) => {
            let octets = hash.strip_prefix("sha256:").and_then(hash_of);
            let wrong = || format!("{hash:?}: sha256: and 64 hexadecimal digits are needed");
            Ok(Clients::Token((*name).to_owned(), octets.ok_or_else(wrong)?))
        }
        ("user", [name]) => Ok(Clients::User(Pattern::new(name))),
        _ => Err(format!(
            "{how:?}: `from CLIENT`, `user NAME` or `token NAME sha256:HASH` is needed here"
        )),
    }
}

fn hash_of(text: &str) -> Option<[u8; 32]> {
    let mut octets = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, octet) in octets.iter_mut().enumerate() {
        *octet = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(octets)
}

/// The word by which rules know a token.
pub fn token_hash(token: &str) -> String {
    let octets: [u8; 32] = Sha256::digest(token).into();
    let digits: String = octets.iter().map(|octet| format!("{octet:02x}")).collect();
    format!("sha256:{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> Place {
        address.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn without_rules_all_is_allowed_and_with_some_what_they_allow() {
        let allowed = Verdict::Allowed(None);
        assert_eq!(Rules::default().decide(Operation::Remove, Place::Unknown, None), allowed);
        let rules: Rules =
            "deny any from 10.0.0.7 # broken\nallow read from 10.0.0.0/8\nallow store from fd00::/16"
                .parse()
                .unwrap();
        let decide = |operation, place| rules.decide(operation, place, None);
        assert_eq!(decide(Operation::Read, at("10.9.9.9")), allowed);
        assert_eq!(decide(Operation::Read, at("::ffff:10.9.9.9")), allowed);
        assert_eq!(decide(Operation::Store, at("fd00::1")), allowed);
        assert_eq!(decide(Operation::Remove, Place::Here), allowed);
        assert_eq!(Rules::only_here().decide(Operation::Read, Place::Here, None), allowed);
        let local = Rules::only_here().decide(Operation::Read, Place::Local, None);
        assert_eq!(local, Verdict::Forbidden);
        for (operation, place) in [
            (Operation::Read, at("10.0.0.7")),
            (Operation::Read, at("11.0.0.1")),
            (Operation::Store, at("10.9.9.9")),
            (Operation::Store, at("127.0.0.1")),
            (Operation::Read, Place::Unknown),
        ] {
            assert_eq!(decide(operation, place), Verdict::Forbidden, "{operation} {place}");
        }
    }

    #[test]
    fn a_client_on_this_host_is_local_by_whatever_address_it_comes() {
        let rules: Rules = "allow read from local".parse().unwrap();
        for address in ["127.0.0.1".parse().unwrap(), host::primary_address()] {
            let decided = rules.decide(Operation::Read, Place::from(address), None);
            assert_eq!(decided, Verdict::Allowed(None), "{address}");
        }
        let far = rules.decide(Operation::Read, at("192.0.2.99"), None);
        assert_eq!(far, Verdict::Forbidden);
        // The network of the host itself, and all networks.
        for network in
            ["127.0.0.1", "::ffff:127.0.0.0/104", "127.0.0.0/8", "0.0.0.0/0", "::1", "::/0"]
        {
            let rules: Rules = format!("allow read from {network}").parse().unwrap();
            for place in [Place::Local, Place::At(host::primary_address())] {
                let decided = rules.decide(Operation::Read, place, None);
                assert_eq!(decided, Verdict::Allowed(None), "{network} {place}");
            }
        }
    }

    #[test]
    fn a_token_opens_what_its_rule_names() {
        let text =
            format!("allow read token desk {}\nallow store from local", token_hash("secret"));
        let rules: Rules = text.parse().unwrap();
        let decide = |operation, token| rules.decide(operation, at("10.0.0.1"), token);
        let by_desk = Verdict::Allowed(Some("desk".to_owned()));
        assert_eq!(decide(Operation::Read, Some("secret")), by_desk);
        assert_eq!(decide(Operation::Read, Some("guess")), Verdict::NeedsToken);
        assert_eq!(decide(Operation::Read, None), Verdict::NeedsToken);
        assert_eq!(decide(Operation::Store, Some("secret")), Verdict::Forbidden);
    }

    #[test]
    fn a_user_is_known_by_a_pattern_of_names() {
        let rules: Rules = "deny store user ann@clinic\nallow any user *@clinic".parse().unwrap();
        let decide = |operation, user| rules.decide_of(operation, Place::Unknown, None, user);
        let allowed = Verdict::Allowed(None);
        assert_eq!(decide(Operation::Read, Some("ann@clinic")), allowed);
        assert_eq!(decide(Operation::Store, Some("bob@clinic")), allowed);
        assert_eq!(decide(Operation::Store, Some("ann@clinic")), Verdict::Forbidden);
        for other in [Some("ann@home"), Some("dn:CN=ann"), None] {
            assert_eq!(decide(Operation::Read, other), Verdict::Forbidden, "{other:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line, part) in [
            ("allow\n", 1, "none of"),
            ("\nallow write from any", 2, "write"),
            ("allow read from 10.0.0.0/33", 1, "32 bits"),
            ("allow read from nowhere", 1, "nowhere"),
            ("allow read token x sha256:77", 1, "64 hexadecimal"),
            ("retain 0 days", 1, "from 1"),
            ("retain 9 days\nexpire 8 days", 2, "would go"),
        ] {
            let error = text.parse::<Rules>().unwrap_err();
            assert!(error.line == line && error.what.contains(part), "{error}");
        }
    }
}
