//! An `-ORB…` option as people see it, and as it sets a setting.

/// An `-ORB…` option of the command line (CORBA 3.4 Part 1, 8.5.3), as text for people.
///
/// `OrbBuilder::options` gives all of them, `OrbBuilder::arguments` reads them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrbOption {
    /// The name, such as `-ORBMaxMessage`.
    pub name: &'static str,
    /// What its value is, with the unit: `OCTETS`. Empty for an option without a value.
    pub value: &'static str,
    /// What it belongs to, such as `Calls`.
    pub group: &'static str,
    /// The field of [`Settings`](super::Settings) that it sets, if it sets one.
    pub setting: Option<&'static str>,
    /// What is so without the option.
    pub default: String,
    /// What it does, in Markdown; the first sentence says the most.
    pub help: String,
    /// If it limits what a peer can use: what is limited.
    pub limit: Option<&'static str>,
}

impl OrbOption {
    /// An option of the ORB that sets no field of [`Settings`](super::Settings).
    #[doc(hidden)]
    pub fn new(
        (name, value): (&'static str, &'static str),
        group: &'static str,
        default: &str,
        help: &str,
    ) -> Self {
        let (default, help) = (default.to_owned(), help.to_owned());
        Self { name, value, group, setting: None, default, help, limit: None }
    }

    /// The name, with what its value is.
    pub fn usage(&self) -> String {
        format!("{} {}", self.name, self.value).trim_end().to_owned()
    }

    /// The first sentence of [`help`](Self::help), without a full stop.
    pub fn summary(&self) -> &str {
        let sentence = self.help.split(". ").next().unwrap_or_default();
        sentence.trim_end_matches('.')
    }
}

/// The option of a setting of `S`.
#[derive(Debug, Clone, Copy)]
pub struct SettingOption<S> {
    pub(super) name: &'static str,
    pub(super) value: &'static str,
    pub(super) group: &'static str,
    pub(super) setting: &'static str,
    /// The doc comment of the setting.
    pub(super) doc: &'static str,
    /// The default as text, if the setting itself shows it badly; otherwise empty.
    pub(super) shown: &'static str,
    /// What it limits, or empty.
    pub(super) limit: &'static str,
    pub(super) set: fn(&mut S, &str) -> Result<(), String>,
    pub(super) show: fn(&S) -> String,
}

impl<S> SettingOption<S> {
    /// Sets the setting.
    ///
    /// # Errors
    /// What is wrong with the value.
    pub fn set(&self, settings: &mut S, value: &str) -> Result<(), String> {
        (self.set)(settings, value)
    }

    /// The option for people, with its default in `settings`.
    pub fn describe(&self, settings: &S) -> OrbOption {
        let default =
            if self.shown.is_empty() { (self.show)(settings) } else { self.shown.to_owned() };
        OrbOption {
            name: self.name,
            value: self.value,
            group: self.group,
            setting: Some(self.setting),
            default,
            help: first_paragraph(self.doc),
            limit: Some(self.limit).filter(|limit| !limit.is_empty()),
        }
    }
}

/// The first paragraph of a doc comment as one line, without the links.
fn first_paragraph(doc: &str) -> String {
    let lines = doc.lines().map(str::trim).take_while(|line| !line.is_empty());
    let text = lines.collect::<Vec<_>>().join(" ");
    let mut plain = String::new();
    for part in text.replace("[`", "`").split_inclusive("`]") {
        match part.strip_suffix(']') {
            Some(part) => plain.push_str(part),
            None => plain.push_str(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_has_no_links_and_no_other_paragraph() {
        let doc = " How, see [`A::b`] and `c`.\n It is [one].\n\n Not this.\n";
        assert_eq!(first_paragraph(doc), "How, see `A::b` and `c`. It is [one].");
    }
}
