//! `gateway`

use super::Remote;
use super::watch::Sinking;
use armilla::Orb;
use armilla_opc::gateway::Gateway;
use armilla_opc::idl::opc::{self, ServerRef};
use armilla_terminal::{Outcome, on_interrupt, say};
use clap::Args;

#[derive(Debug, Args)]
pub(super) struct Gate {
    #[command(flatten)]
    remote: Remote,
    #[command(flatten)]
    sinking: Sinking,
    /// The name in the naming service that -ORBInitRef NameService=… leads to
    #[arg(long, value_name = "NAME")]
    naming: Option<String>,
    /// Options of the ORB, such as -ORBEndpoint iiop://HOST:PORT
    #[arg(last = true, value_name = "-ORB…")]
    orb: Vec<String>,
}

impl Gate {
    pub(super) fn run(self) -> Outcome {
        let account = &self.remote.account;
        let client = account.client()?;
        let sinks = self.sinking.sinks(&self.remote)?;
        let orb = Orb::from_args(self.orb.iter().cloned())?;
        let gateway = opc::server::tie(Gateway::new(client, self.remote.target.clone(), sinks));
        let server: ServerRef = orb.root_poa().activate(gateway)?;
        let url = orb.publish("OPC", server.object())?;
        if let Some(name) = &self.naming {
            orb.bind_name(name, server.object())?;
        }
        say!("ready {url}")?;
        let (ending, named) = (orb.clone(), self.naming.clone());
        on_interrupt("its name is removed", move || {
            // A naming service that is gone has forgotten the name, or will show it as dead.
            let _ = named.map(|name| ending.unbind_name(&name));
            ending.shutdown();
        })?;
        Ok(orb.run()?)
    }
}
