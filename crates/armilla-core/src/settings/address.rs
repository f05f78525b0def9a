//! Hosts and ports as text.

use std::net::IpAddr;
use std::ops::RangeInclusive;

/// Splits into the host, without the brackets of IPv6, and the port.
pub(crate) fn split_port(place: &str) -> (&str, &str) {
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => (place, ""),
    };
    (host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host), port)
}

fn parse_port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| format!("{text:?} is no TCP port"))
}

/// The ports of `FIRST-LAST` or `PORT`; empty text is any port.
pub fn parse_ports(text: &str) -> Result<RangeInclusive<u16>, String> {
    match text.split_once('-').filter(|(first, _)| !first.is_empty()) {
        _ if text.is_empty() => Ok(0..=0),
        None => parse_port(text).map(|port| port..=port),
        Some((first, last)) => {
            let ports = parse_port(first)?..=parse_port(last)?;
            match ports.is_empty() || *ports.start() == 0 {
                true => Err(format!("{text:?} is no range of TCP ports")),
                false => Ok(ports),
            }
        }
    }
}

/// Parses a published address, `HOST` or `HOST:PORT`.
pub fn parse_published(text: &str) -> Result<(String, Option<u16>), String> {
    let (host, port) = match text.parse::<IpAddr>() {
        Ok(_) => (text, ""),
        Err(_) => split_port(text),
    };
    let wrong = |c: char| c.is_whitespace() || c.is_control() || "/@?#[]".contains(c);
    if host.is_empty() || host.contains(wrong) {
        return Err(format!("{text:?}: a published address is HOST:PORT or HOST"));
    }
    let port = (!port.is_empty()).then(|| parse_port(port)).transpose()?;
    Ok((host.to_owned(), port))
}

/// Parses a published address with its port, `HOST:PORT`.
pub fn parse_address(text: &str) -> Result<(String, u16), String> {
    let (host, port) = parse_published(text)?;
    Ok((host, port.ok_or_else(|| format!("{text:?}: the port is missing"))?))
}
