//! Reading rules.

use super::{RuleError, Rules, Sweep, convert};
use crate::model::{NameComponent, parse_name};
use armilla_security::AccessRules;
use serde::Deserialize;
use std::str::FromStr;
use toml::Spanned;

/// What a naming service has besides permission.
#[derive(Deserialize, Default)]
struct File {
    #[serde(default)]
    service: Service,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Service {
    #[serde(default)]
    balance: Vec<Shared>,
    #[serde(default)]
    sweep: Vec<Swept>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shared {
    names: Spanned<String>,
    how: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Swept {
    names: Spanned<String>,
    what: Spanned<String>,
    after: Spanned<u32>,
}

impl FromStr for Rules {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        if convert::is_of_before(text) {
            let text = convert::convert(text)?;
            tracing::warn!(
                "the rules are in the language of before: `armilla access convert FILE` prints them \
                 in the present one"
            );
            return text.parse();
        }
        let access: AccessRules = text.parse()?;
        let access = (!access.is_empty()).then_some(access);
        let File { service } = toml::from_str(text).map_err(|error| {
            RuleError::at(text, error.span().unwrap_or_default().start, error.message())
        })?;
        let wrong = |at: &Spanned<String>, what: &str| RuleError::at(text, at.span().start, what);
        let mut rules = Self { access, ..Self::default() };
        for Shared { names, how } in &service.balance {
            let how_shared = how.get_ref().parse().map_err(|what: String| wrong(how, &what))?;
            rules
                .balance
                .push((below(names.get_ref()).map_err(|what| wrong(names, &what))?, how_shared));
        }
        for Swept { names, what, after } in &service.sweep {
            let unreachable = match what.get_ref().as_str() {
                "gone" => false,
                "unreachable" => true,
                _ => return Err(wrong(what, "what is \"gone\" or \"unreachable\"")),
            };
            let checks = *after.get_ref();
            if checks == 0 {
                let what = "after is a number of checks from 1";
                return Err(RuleError::at(text, after.span().start, what));
            }
            let below = below(names.get_ref()).map_err(|what| wrong(names, &what))?;
            rules.sweep.push((below, Sweep { unreachable, checks }));
        }
        Ok(rules)
    }
}

/// A name behind a slash, which alone is the root.
pub(super) fn below(text: &str) -> Result<Vec<NameComponent>, String> {
    match text.strip_prefix('/') {
        None => Err(format!("{text:?}: a name begins with /")),
        Some("") => Ok(Vec::new()),
        Some(name) => parse_name(name).map_err(|error| error.to_string()),
    }
}
