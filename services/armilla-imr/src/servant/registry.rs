//! What servers and activators tell the repository.

use super::RepositoryServant;
use crate::corba::registry::{
    RegisterActivatorRaises, RegisterServerRaises, UnregisterServerRaises,
};
use crate::corba::{ActivatorRef, Refused, Registry, Secret, ServerInfo};
use crate::model::{Ending, Endpoint, RunId};
use armilla::{Caller, Error, Object, SystemException};

/// After how many seconds servers and activators register again.
const PERIOD: u32 = 15;

/// The longest text about the end of a process, in octets.
const MAX_ENDING: usize = 8192;

fn refused(reason: impl Into<String>) -> Refused {
    Refused { reason: reason.into() }
}

/// Why a server is not believed.
fn elsewhere(name: &str) -> Refused {
    refused(format!(
        "the server {name:?} is expected on another host than that of this process; \
         `--register-from` admits others that are started by hand"
    ))
}

impl Registry for RepositoryServant {
    fn register_server(
        &self,
        info: &ServerInfo,
        here: &Object,
    ) -> Result<u32, Error<RegisterServerRaises>> {
        let (engine, run) = (self.engine()?, RunId(info.run));
        if here.is_nil() || here.ior().iiop_profiles().next().is_none() {
            return Err(refused("the server listens at no IIOP address").into());
        }
        let Some(name) = engine.identify(&info.name, run, &info.adapters) else {
            let what = match info.name.as_str() {
                "" => "no server is defined for the POAs of this one".to_owned(),
                name => format!("no server {name:?} is defined"),
            };
            return Err(refused(what).into());
        };
        if !engine.may_speak(&name, run, Caller::current().as_ref()) {
            return Err(elsewhere(&name).into());
        }
        let endpoint = Endpoint::from(self.orb.object_to_string(here)?);
        let registered = engine.with(&name, |server, now| {
            server.registered(now, run, info.process, &info.host, endpoint)
        });
        match registered {
            Some(Err(why)) => Err(refused(why).into()),
            // A server that is removed at the same time registers again later, and is refused.
            Some(Ok(())) | None => Ok(PERIOD),
        }
    }

    fn unregister_server(&self, info: &ServerInfo) -> Result<(), Error<UnregisterServerRaises>> {
        let (engine, run) = (self.engine()?, RunId(info.run));
        if let Some(name) = engine.identify(&info.name, run, &info.adapters) {
            if !engine.may_speak(&name, run, Caller::current().as_ref()) {
                return Err(elsewhere(&name).into());
            }
            engine.with(&name, |server, now| {
                server.unregistered(now, run, info.process, &info.host);
            });
        }
        Ok(())
    }

    fn register_activator(
        &self,
        host: &str,
        which: &ActivatorRef,
        proof: &Secret,
    ) -> Result<u32, Error<RegisterActivatorRaises>> {
        let engine = self.check_activator()?;
        engine.set_activator(host, which, proof, Caller::current()).map_err(refused)?;
        Ok(PERIOD)
    }

    fn exited(&self, run: u64, success: bool, what: &str) -> Result<(), SystemException> {
        let what = what.chars().take(MAX_ENDING).collect();
        self.check_activator()?.exited(RunId(run), &Ending { success, what });
        Ok(())
    }
}
