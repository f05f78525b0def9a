//! What servers of JacORB tell the repository (`jacorb.use_imr`).
//!
//! They know nothing of runs: the name of a server is all that they say of themselves. So one that
//! the repository starts must call from the host where it was started, and while it starts; one that
//! is started by hand must call from where its definition allows.

use super::{RepositoryServant, system};
use crate::engine::Engine;
use crate::imr_of_jacorb::registration::{
    DuplicatePoaName, IllegalPoaName, RegisterPoaRaises, SetServerDownRaises,
};
use crate::imr_of_jacorb::{ImRInfo, Registration, UnknownServerName};
use crate::model::{Endpoint, KeyPattern, RunId};
use armilla::{Caller, Error, ExceptionKind, SystemException};

/// The servant.
pub(super) struct JacOrbServant(pub(super) RepositoryServant);

impl JacOrbServant {
    /// The server to which the objects of a POA belong, or else the one with this
    /// `jacorb.implname`, and whether the caller is where the repository starts it. `None` if the
    /// repository knows no such server.
    fn server(
        &self,
        engine: &Engine,
        poa: &str,
        name: &str,
    ) -> Result<Option<(String, bool)>, SystemException> {
        let caller = Caller::current();
        // The keys of the objects begin so.
        let owner = engine.owner_of(format!("{poa}/").as_bytes());
        let by_key = owner.is_some();
        let server = owner.unwrap_or_else(|| name.to_owned());
        let is_jacorb = |pattern: &KeyPattern| pattern.to_string().starts_with("jacorb:");
        let definition = engine.definition(&server);
        // For a server of another ORB nobody may speak in this way.
        if definition.is_none_or(|known| !by_key && !known.objects.iter().any(is_jacorb)) {
            return Ok(None);
        }
        // It says nothing of a run.
        let is_near = engine.may_speak(&server, RunId(0), caller.as_ref());
        Ok(Some((server, is_near)))
    }
}

fn unknown(server: &str) -> UnknownServerName {
    UnknownServerName { name: server.to_owned() }
}

/// `HOST:PORT`.
fn endpoint(host: &str, port: u32) -> Option<Endpoint> {
    let port = u16::try_from(port).ok().filter(|port| *port > 0)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host {
        "" => None,
        host if host.contains(':') => Some(format!("[{host}]:{port}").into()),
        host => Some(format!("{host}:{port}").into()),
    }
}

impl Registration for JacOrbServant {
    fn get_imr_info(&self) -> Result<ImRInfo, SystemException> {
        let addresses = self.0.orb.published_addresses()?;
        let (host, port) = addresses.first().ok_or_else(|| {
            system(ExceptionKind::Initialize, "the repository listens at no IIOP address")
        })?;
        Ok(ImRInfo { host: host.clone(), port: u32::from(*port) })
    }

    fn register_poa(
        &self,
        name: &str,
        server: &str,
        host: &str,
        port: u32,
    ) -> Result<(), Error<RegisterPoaRaises>> {
        let engine = self.0.engine()?;
        let Some(endpoint) = endpoint(host, port) else {
            return Err(IllegalPoaName { name: format!("{name}: {host:?}, {port}") }.into());
        };
        let (known, is_near) =
            self.server(&engine, name, server)?.ok_or_else(|| unknown(server))?;
        let announced =
            engine.with(&known, |known, now| known.announced(now, is_near, host, endpoint));
        match announced {
            Some(Ok(())) => Ok(()),
            Some(Err(reason)) => {
                tracing::warn!(server = known, poa = name, reason, "JacORB's server is refused");
                Err(DuplicatePoaName { reason }.into())
            }
            None => Err(unknown(server).into()),
        }
    }

    fn set_server_down(&self, name: &str) -> Result<(), Error<SetServerDownRaises>> {
        let engine = self.0.engine()?;
        let (known, is_near) = self.server(&engine, name, name)?.ok_or_else(|| unknown(name))?;
        engine.with(&known, |known, now| known.announced_end(now, is_near));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::endpoint;

    #[test]
    fn endpoints_have_a_host_and_a_port() {
        assert_eq!(endpoint("h", 1).as_deref(), Some("h:1"));
        assert_eq!(endpoint("fe80::1", 65_535).as_deref(), Some("[fe80::1]:65535"));
        assert_eq!(endpoint("[::1]", 2).as_deref(), Some("[::1]:2"));
        for (host, port) in [("", 1), ("h", 0), ("h", 65_536), ("[]", 1)] {
            assert_eq!(endpoint(host, port), None, "{host:?} {port}");
        }
    }
}
