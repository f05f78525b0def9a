//! The names of resources of this process in the log.

/// Behind this come the name of the manager and the token.
const LOCAL: &str = "local:";

/// The name of a resource that its manager finds after a restart.
pub(crate) fn local_name(manager: &str, token: &str) -> String {
    format!("{LOCAL}{}:{manager}{token}", manager.len())
}

/// The manager and the token of such a name.
pub(crate) fn parse_local(name: &str) -> Option<(&str, &str)> {
    let (length, rest) = name.strip_prefix(LOCAL)?.split_once(':')?;
    rest.split_at_checked(length.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_to_its_manager_and_token() {
        for (manager, token) in [("bank", "7"), ("a:b", ":"), ("", ""), ("ü", "ß")] {
            assert_eq!(parse_local(&local_name(manager, token)), Some((manager, token)));
        }
        assert_eq!(parse_local("IOR:00"), None);
        assert_eq!(parse_local("local:9:bank7"), None);
    }
}
