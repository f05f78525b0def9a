//! Where flows begin and end.

use super::Failure;
use armilla::Orb;
use armilla_stream::{FlowOptions, Listener, Protected, Reach};
use clap::Parser;
use std::net::IpAddr;

/// Where a server listens for flows, and where it connects to.
#[derive(Debug, Parser)]
pub(crate) struct Flows {
    /// HOST:PORT for flows over TCP; port 0 is any.
    #[arg(long, default_value = "127.0.0.1:0")]
    flows: String,
    /// HOST:PORT for flows over TLS, of clients whose calls come over TLS: these get no flow in clear
    /// from another host. The certificate is that of -ORBCertificate.
    #[arg(long, value_name = "HOST:PORT")]
    flows_tls: Option<String>,
    /// Where it connects to for clients that listen themselves: caller, nowhere, anywhere, or a
    /// network such as 10.1.0.0/16 beside the caller.
    #[arg(long, default_value = "caller", value_parser = reach)]
    flows_to: Reach,
}

impl Flows {
    /// Listens, over TLS by the transport of this ORB.
    pub(super) fn listen(&self, orb: &Orb) -> Result<Listener, Failure> {
        let (host, port) = place(&self.flows)?;
        let mut builder = Listener::builder().tcp(host, port).unix().reach(self.flows_to.clone());
        builder = builder.options(FlowOptions::of(orb));
        if let Some(text) = &self.flows_tls {
            let (host, port) = place(text)?;
            let transport = Protected::of(orb).ok_or("--flows-tls: the ORB has no TLS")?;
            builder = builder.protected(transport, host, port);
        }
        builder.start().map_err(|error| format!("--flows {}: {error}", self.flows).into())
    }
}

/// A host and a port.
fn place(text: &str) -> Result<(&str, u16), Failure> {
    let (host, port) = text.rsplit_once(':').ok_or("flows need HOST:PORT")?;
    let port = port.parse().map_err(|_| format!("flows: {port:?} is no port"))?;
    Ok((host.trim_matches(['[', ']']), port))
}

fn reach(text: &str) -> Result<Reach, String> {
    match text {
        "caller" => Ok(Reach::callers()),
        "nowhere" => Ok(Reach::nowhere()),
        "anywhere" => Ok(Reach::anywhere()),
        _ => {
            let wrong = || "caller, nowhere, anywhere or a network is needed".to_owned();
            let (address, bits) = text.split_once('/').ok_or_else(wrong)?;
            let address: IpAddr = address.parse().map_err(|_| wrong())?;
            let bits: u32 = bits.parse().map_err(|_| wrong())?;
            match bits <= if address.is_ipv4() { 32 } else { 128 } {
                true => Ok(Reach::callers().and_network(address, bits)),
                false => Err("the address has fewer bits".to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_reach_is_a_word_or_a_network() {
        let network = Reach::callers().and_network("10.1.0.0".parse().unwrap(), 16);
        assert_eq!(reach("10.1.0.0/16"), Ok(network));
        assert_eq!(reach("nowhere"), Ok(Reach::nowhere()));
        for wrong in ["", "10.1.0.0", "10.1.0.0/33", "host/8", "everywhere"] {
            assert!(reach(wrong).is_err(), "{wrong}");
        }
    }
}
