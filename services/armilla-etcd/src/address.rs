//! The address of a cluster, as operators write it.

use armilla_store::StoreError;

/// The members in an address such as `etcd://HOST:PORT,HOST:PORT/PREFIX`, each `HOST:PORT`, and the
/// prefix of the keys, if it has one.
///
/// # Errors
/// It is no such address.
pub fn parse_address(address: &str) -> Result<(Vec<String>, Option<&str>), StoreError> {
    let malformed = |why: &str| {
        let what = format!("is no address of a cluster: {why}; etcd://HOST:PORT,HOST:PORT is one");
        StoreError::new(address, what)
    };
    let rest =
        address.strip_prefix("etcd://").ok_or_else(|| malformed("the scheme is not etcd"))?;
    let (members, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    let members: Vec<String> = members.split(',').map(str::to_owned).collect();
    let has_port = |member: &String| {
        member
            .rsplit_once(':')
            .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
    };
    match members.iter().find(|member| !has_port(member)) {
        Some(member) => Err(malformed(&format!("{member:?} is not HOST:PORT"))),
        None => Ok((members, Some(prefix).filter(|prefix| !prefix.is_empty()))),
    }
}
