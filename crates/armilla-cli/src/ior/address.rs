//! Hosts and ports on the command line.

use armilla_giop::ior::AlternateAddress;
use armilla_terminal::{Failure, Outcome};

/// A host without the brackets that an IPv6 address may have.
pub(super) fn host(text: &str) -> Outcome<&str> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    match inner {
        "" => Err(Failure::usage("the host is empty")),
        inner => Ok(inner),
    }
}

/// A host and a port. An IPv6 address stands in brackets.
pub(super) fn host_and_port(text: &str) -> Outcome<AlternateAddress> {
    match optional_port(text)? {
        (host, Some(port)) => Ok(AlternateAddress { host, port }),
        (_, None) => Err(Failure::usage(format!("{text:?}: the form is HOST:PORT"))),
    }
}

/// A host, and a port if one is named. An IPv6 address with a port stands in brackets.
pub(super) fn optional_port(text: &str) -> Outcome<(String, Option<u16>)> {
    let bracketed = text.starts_with('[');
    let parts = match text.rsplit_once(':') {
        Some((before, _)) if !bracketed && before.contains(':') => None,
        Some((before, _)) if bracketed && !before.ends_with(']') => None,
        parts => parts,
    };
    let Some((before, port)) = parts else { return Ok((host(text)?.to_owned(), None)) };
    let wrong = |_| Failure::usage(format!("{text:?}: {port:?} is no port"));
    Ok((host(before)?.to_owned(), Some(port.parse().map_err(wrong)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_address_needs_brackets_only_before_a_port() {
        for (text, host, port) in [
            ("a.example", "a.example", None),
            ("a.example:2809", "a.example", Some(2809)),
            ("::1", "::1", None),
            ("[::1]", "::1", None),
            ("[::1]:2809", "::1", Some(2809)),
        ] {
            assert_eq!(optional_port(text).unwrap(), (host.to_owned(), port), "{text}");
        }
        for text in ["", "[]", ":1", "a:", "a:b", "a:65536"] {
            assert!(optional_port(text).is_err(), "{text:?}");
        }
    }
}
