//! The table of a platform report.

use std::fmt;

/// What the platform says about one request, or one fact that real-time programs should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about, such as "memory".
    pub topic: &'static str,
    /// What was asked for; empty for a fact that nobody asked for.
    pub asked: String,
    /// Whether it was granted.
    pub grant: Grant,
    /// What was found, and why it was not granted.
    pub found: String,
    /// How to get it; empty if there is nothing to do.
    pub remedy: String,
}

/// Whether a request was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grant {
    /// Granted, or as a real-time program wants it.
    Granted,
    /// Granted with restrictions; or a fact that makes worst cases worse.
    Partly,
    /// Not granted.
    Refused,
    /// The platform does not tell.
    Unknown,
}

impl Grant {
    /// The word in the table.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Granted => "yes",
            Self::Partly => "partly",
            Self::Refused => "no",
            Self::Unknown => "unknown",
        }
    }
}

/// The report on a platform: what was asked for, granted, why not, and how to get it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlatformReport {
    findings: Vec<Finding>,
}

impl PlatformReport {
    pub(super) const fn new(findings: Vec<Finding>) -> Self {
        Self { findings }
    }

    /// All findings, requests first.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What was asked for and not granted, or with restrictions only.
    pub fn refused(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| {
            !finding.asked.is_empty() && matches!(finding.grant, Grant::Refused | Grant::Partly)
        })
    }

    /// Whether everything that was asked for is granted.
    pub fn is_granted(&self) -> bool {
        self.refused().next().is_none()
    }

    /// Whether that is so, and no fact makes worst cases worse, either.
    pub fn is_complete(&self) -> bool {
        let falls_short = |grant| matches!(grant, Grant::Refused | Grant::Partly);
        !self.findings.iter().any(|finding| falls_short(finding.grant))
    }

    /// Replaces what was found about a topic that was asked for.
    pub(super) fn note(&mut self, topic: &str, grant: Grant, found: &str) {
        let noted = self.findings.iter_mut().filter(|finding| finding.topic == topic);
        for finding in noted {
            finding.grant = grant;
            found.clone_into(&mut finding.found);
        }
    }
}

/// The width of the column with what was found.
const FOUND: usize = 60;

impl fmt::Display for PlatformReport {
    /// The table, with remedies behind the rows that need one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
        let topic = widest(&mut self.findings.iter().map(|finding| finding.topic.len())).max(5);
        let asked = widest(&mut self.findings.iter().map(|finding| finding.asked.len())).max(9);
        writeln!(f, "{:topic$}  {:asked$}  {:7}  found", "topic", "asked for", "granted")?;
        for finding in &self.findings {
            let mut rest = wrapped(&finding.found);
            let word = finding.grant.word();
            let first = rest.next().unwrap_or_default();
            writeln!(f, "{:topic$}  {:asked$}  {word:7}  {first}", finding.topic, finding.asked)?;
            let remedy = match finding.grant {
                Grant::Granted => "",
                _ => &finding.remedy,
            };
            let remedy = (!remedy.is_empty()).then(|| format!("→ {remedy}"));
            let remedy = remedy.iter().flat_map(|remedy| wrapped(remedy));
            for line in rest.chain(remedy) {
                writeln!(f, "{:indent$}{line}", "", indent = topic + asked + 13)?;
            }
        }
        Ok(())
    }
}

/// The lines of a text, each of whole words.
fn wrapped(text: &str) -> impl Iterator<Item = String> {
    let mut lines = Vec::<String>::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < FOUND => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(grant: Grant) -> Finding {
        let (asked, found) = ("all of it".to_owned(), "a limit of 8 MiB ".repeat(9));
        Finding { topic: "memory", asked, grant, found, remedy: "raise the limit".to_owned() }
    }

    #[test]
    fn a_refusal_has_its_remedy_and_lines_stay_short() {
        let report = PlatformReport::new(vec![finding(Grant::Refused)]);
        let text = report.to_string();
        assert!(text.contains("→ raise the limit"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(!report.is_granted() && !report.is_complete());
    }

    #[test]
    fn what_is_granted_has_no_remedy() {
        let report = PlatformReport::new(vec![finding(Grant::Granted)]);
        assert!(!report.to_string().contains('→'));
        assert!(report.is_granted() && report.is_complete());
    }

    #[test]
    fn a_fact_that_nobody_asked_for_is_no_refusal_but_falls_short() {
        let fact = Finding { asked: String::new(), ..finding(Grant::Partly) };
        let report = PlatformReport::new(vec![fact]);
        assert!(report.is_granted() && !report.is_complete());
    }
}
