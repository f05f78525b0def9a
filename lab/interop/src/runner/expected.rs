//! The known failures and their reasons: `lab/interop/expected-failures.txt`.

use std::str::FromStr;

/// The checks that fail because of a peer.
///
/// A line of the file is a group, a check and the reason, separated by white space. `#` begins a
/// comment line. A `*` at the end of the group matches any rest. A `?` after the check means that
/// it fails only sometimes.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    failures: Vec<Failure>,
}

/// A check that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    group: String,
    /// The check.
    pub(super) check: String,
    /// Whether it always fails.
    pub(super) always: bool,
    /// The reason.
    pub(super) reason: String,
}

impl Expected {
    /// The known failures of `group`.
    pub(super) fn of(&self, group: &str) -> Vec<&Failure> {
        self.failures.iter().filter(|failure| failure.is_of(group)).collect()
    }
}

impl Failure {
    fn is_of(&self, group: &str) -> bool {
        match self.group.strip_suffix('*') {
            Some(start) => group.starts_with(start),
            None => self.group == group,
        }
    }
}

impl FromStr for Expected {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lines = (1..).zip(text.lines().map(str::trim));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let failures = lines.map(|(number, line)| parse(line).ok_or((number, line)));
        let failures = failures.collect::<Result<_, _>>().map_err(|(number, line)| {
            format!("line {number}, {line:?}: the form is GROUP CHECK REASON")
        })?;
        Ok(Self { failures })
    }
}

fn parse(line: &str) -> Option<Failure> {
    let (group, rest) = line.split_once(char::is_whitespace)?;
    let (check, reason) = rest.trim_start().split_once(char::is_whitespace)?;
    let (check, always) = check.strip_suffix('?').map_or((check, true), |check| (check, false));
    let [group, check, reason] = [group, check, reason.trim_start()].map(str::to_owned);
    Some(Failure { group, check, always, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_group_a_check_and_a_reason() {
        let text = "# known\n\nus-to-omni/1.1   raise_failed/100_kb  it is short\na b? c\n";
        let expected: Expected = text.parse().unwrap();
        let [failure] = expected.of("us-to-omni/1.1")[..] else { panic!("{expected:?}") };
        assert_eq!((&*failure.check, &*failure.reason), ("raise_failed/100_kb", "it is short"));
        assert!(failure.always);
        assert_eq!((&*expected.of("a")[0].check, expected.of("a")[0].always), ("b", false));
        assert!(expected.of("us-to-omni/1.2").is_empty());
        let expected: Expected = "us-to-jac/* nan it is made anew".parse().unwrap();
        assert_eq!(expected.of("us-to-jac/1.1").len(), 1);
        assert!(expected.of("us-to-omni/1.1").is_empty());
    }

    #[test]
    fn a_failure_without_a_reason_is_refused() {
        let error = "# known\nus-to-omni/1.1 raise_failed/100_kb".parse::<Expected>().unwrap_err();
        assert!(error.starts_with("line 2,"), "{error}");
    }

    #[test]
    fn the_list_of_the_suite_can_be_read() {
        include_str!("../../expected-failures.txt").parse::<Expected>().unwrap();
    }
}
