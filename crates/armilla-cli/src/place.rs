//! Where the service is that a command talks to.

use crate::orb::OrbArguments;
use armilla::{Minor, Object, Orb, SystemException};
use armilla_giop::url::{ObjectUrl, UrlError};
use armilla_terminal::Outcome;

/// A service that commands talk to. It is where an option of the command says, else where
/// `-ORBInitRef` says, else where a variable of the environment says, else at its usual place.
pub(crate) struct Place {
    /// The name of its initial reference, which is its object key too.
    pub(crate) name: &'static str,
    /// The variable of the environment: `HOST:PORT` or a URL.
    pub(crate) variable: &'static str,
    /// Where it listens unless it is told otherwise: `HOST:PORT`.
    pub(crate) usual: &'static str,
}

/// The option of a command that says where.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct At {
    /// The process
    #[arg(long, value_name = "HOST:PORT|URL")]
    pub(crate) at: Option<String>,
}

impl Place {
    /// The service as this option says, and an ORB that calls it.
    pub(crate) fn at(&self, at: &At, arguments: &OrbArguments) -> Outcome<(Orb, Object)> {
        let orb = self.orb(arguments, at.at.as_deref())?;
        let object = self.object(&orb)?;
        Ok((orb, object))
    }

    /// An ORB whose initial reference of this name is the service, at `given` if an option of the
    /// command says so.
    pub(crate) fn orb(&self, arguments: &OrbArguments, given: Option<&str>) -> Outcome<Orb> {
        let orb =
            arguments.orb_with(self.of_environment().map(|place| (self.name, self.url(&place))))?;
        let unknown = |error: SystemException| error.minor() == Minor::NO_INITIAL_REFERENCE;
        let is_unknown = || orb.resolve_initial_references(self.name).is_err_and(unknown);
        if let Some(place) = given.or_else(|| is_unknown().then_some(self.usual)) {
            orb.register_initial_reference(self.name, orb.string_to_object(&self.url(place))?)?;
        }
        Ok(orb)
    }

    /// The service, to an ORB from [`orb`](Self::orb).
    pub(crate) fn object(&self, orb: &Orb) -> Outcome<Object> {
        Ok(orb.resolve_initial_references(self.name)?)
    }

    /// The place that the variable names.
    pub(crate) fn of_environment(&self) -> Option<String> {
        std::env::var(self.variable).ok().filter(|place| !place.is_empty())
    }

    /// The URL of the service at this place.
    pub(crate) fn url(&self, place: &str) -> String {
        match ObjectUrl::parse(place) {
            // A host is no scheme.
            Err(UrlError::UnknownScheme(_)) => format!("corbaloc::{place}/{}", self.name),
            _ => place.to_owned(),
        }
    }
}

/// A host with objects of COM, which may name the port of its resolver.
pub(crate) fn com_host(text: &str) -> Result<String, String> {
    let (name, port) = match text.split_once('[') {
        Some((name, port)) => (name, port.strip_suffix(']').unwrap_or_default()),
        None => (text, "135"),
    };
    match port.parse::<u16>() {
        Ok(1..) if !name.is_empty() => Ok(text.to_owned()),
        _ => {
            Err("HOST is a name or an address, with a port if it is not 135, as in HOST[1135]"
                .into())
        }
    }
}

/// Where a host of COM is that references name by another address, as options have it.
///
/// # Errors
/// When it is no pair.
pub(crate) fn com_address(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, host)| !name.is_empty() && !host.is_empty());
    let (name, host) = pair.ok_or("write it as NAME=HOST")?;
    Ok((name.to_owned(), host.to_owned()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_host_has_a_name_and_a_port_that_there_may_be() {
        for good in ["plant", "192.0.2.7[1135]", "fe80::1", "fe80::1[135]"] {
            assert_eq!(super::com_host(good).as_deref(), Ok(good));
        }
        for bad in ["", "[135]", "plant[", "plant[]", "plant[0]", "plant[99999]", "plant[135"] {
            assert!(super::com_host(bad).is_err(), "{bad}");
        }
    }
}
