//! The repository of an activator: where it is, and how it proves to be that one.
//!
//! Whoever may call an activator runs any program as its user. So the activator believes a caller
//! only if both hold: it calls from where the repository is, and it shows the secret that the
//! activator has told the repository alone.

use crate::corba::{RepositoryRef, Secret};
use crate::random;
use armilla::{Caller, Completion, ExceptionKind, Minor, SystemException};
use armilla_ipc::{Address, host};
use std::io;
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};
use std::sync::{Mutex, PoisonError};

/// The repository as an activator knows it.
pub(super) struct KnownRepository {
    reference: RepositoryRef,
    proof: Secret,
    /// Addresses that it calls from beside those of its reference.
    further: Vec<IpAddr>,
    /// Those of its reference, as the name service has told them last.
    addresses: Mutex<Vec<IpAddr>>,
}

impl KnownRepository {
    /// # Errors
    /// The system has no random numbers.
    pub(super) fn new(reference: RepositoryRef, further: Vec<IpAddr>) -> io::Result<Self> {
        let (proof, addresses) = (random::secret()?, Mutex::default());
        Ok(Self { reference, proof, further, addresses })
    }

    pub(super) const fn reference(&self) -> &RepositoryRef {
        &self.reference
    }

    /// What only the repository is told.
    pub(super) const fn proof(&self) -> &Secret {
        &self.proof
    }

    /// Asks again which addresses the reference names. What was known stays if nobody answers.
    pub(super) fn look_up(&self) {
        let found = addresses(&self.reference);
        if !found.is_empty() {
            *self.addresses.lock().unwrap_or_else(PoisonError::into_inner) = found;
        }
    }

    /// Checks that the repository is the client of the request which the calling thread serves.
    ///
    /// # Errors
    /// `NO_PERMISSION`. It does not say what was wrong.
    pub(super) fn check(&self, proof: &Secret) -> Result<(), SystemException> {
        let caller = Caller::current();
        if caller.as_ref().is_some_and(|caller| self.is_at(caller))
            && random::is_same(proof, &self.proof)
        {
            return Ok(());
        }
        let address = caller.and_then(|caller| caller.address);
        let address = address.map_or_else(|| "this host".to_owned(), |from| from.to_string());
        tracing::warn!(from = address, "somebody else than the repository is refused");
        let kind = ExceptionKind::NoPermission;
        let refused = SystemException::new(kind, Minor::default(), Completion::No);
        Err(refused
            .with_reason("an activator serves its implementation repository alone".to_owned()))
    }

    /// Whether a client is where the repository is.
    fn is_at(&self, caller: &Caller) -> bool {
        let known = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = known.iter().chain(&self.further).map(IpAddr::to_canonical);
        match &caller.address {
            Some(address @ Address::Tcp { .. }) => address.ip().is_some_and(|from| {
                // A repository on this host may call from any address of it.
                all.any(|at| at == from || is_here(at) && is_here(from))
            }),
            // Calls within the process, and transports that do not leave the host.
            _ => all.any(is_here),
        }
    }
}

fn is_here(ip: IpAddr) -> bool {
    host::is_local_address(ip)
}

/// The addresses that a reference names. One without an address of the network leads to this host.
pub(super) fn addresses(repository: &RepositoryRef) -> Vec<IpAddr> {
    let ior = repository.as_ref().ior();
    let hosts: Vec<String> = ior.iiop_profiles().flatten().map(|profile| profile.host).collect();
    if hosts.is_empty() {
        return vec![Ipv4Addr::LOCALHOST.into()];
    }
    let look_up = |host: &String| match (host.as_str(), 0).to_socket_addrs() {
        Ok(found) => found.map(|found| found.ip()).collect(),
        Err(error) => {
            tracing::warn!(host, %error, "the address of the repository is not known");
            Vec::new()
        }
    };
    hosts.iter().flat_map(look_up).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla::{Object, Orb};
    use armilla_ipc::Credentials;

    /// A repository at a host, and what its activator thinks of a caller from an address.
    fn known(url: &str, further: &[&str]) -> KnownRepository {
        let orb = Orb::new().unwrap();
        let object: Object = orb.string_to_object(url).unwrap();
        let further = further.iter().map(|ip| ip.parse().unwrap()).collect();
        let known = KnownRepository::new(object.assume(), further).unwrap();
        known.look_up();
        known
    }

    fn over_tcp(host: &str) -> Caller {
        Caller::at(Address::tcp(host, 40_000))
    }

    fn over_unix(user: u32) -> Caller {
        let credentials = Some(Credentials { process: 1, user, group: 1 });
        Caller { credentials, ..Caller::at(Address::unix("")) }
    }

    #[test]
    fn a_caller_elsewhere_is_not_the_repository() {
        let far = known("corbaloc::192.0.2.1:2810/ImplementationRepository", &["2001:db8::7"]);
        for host in ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::7"] {
            assert!(far.is_at(&over_tcp(host)), "{host}");
        }
        for host in ["192.0.2.2", "127.0.0.1", "::1", "2001:db8::8", "repository", ""] {
            assert!(!far.is_at(&over_tcp(host)), "{host}");
        }
        assert!(!far.is_at(&over_unix(0)), "the repository is on another host");
    }

    #[test]
    fn a_repository_on_this_host_calls_from_any_address_of_it() {
        let near = known("corbaloc::localhost:2810/ImplementationRepository", &[]);
        let own = host::primary_address().to_string();
        for host in ["127.0.0.1", "::1", &own] {
            assert!(near.is_at(&over_tcp(host)), "{host}");
        }
        assert!(near.is_at(&over_unix(65_534)), "the secret tells users apart");
        assert!(!near.is_at(&over_tcp("192.0.2.1")));
    }

    #[test]
    fn a_thread_that_serves_no_request_proves_nothing() {
        let near = known("corbaloc::localhost:2810/ImplementationRepository", &[]);
        let error = near.check(&near.proof).unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::NoPermission);
    }
}
