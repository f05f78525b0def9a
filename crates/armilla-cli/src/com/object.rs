//! Which object of COM is meant.

use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::dispatch::DISPATCH;
use armilla_dcom::automation::type_info::wire::PROVIDE_CLASS_INFO;
use armilla_dcom::client::{Client, Proxy};
use armilla_terminal::{Failure, Outcome};
use std::str::FromStr;

/// The object.
#[derive(Debug, clap::Args)]
pub(super) struct ComObject {
    /// The class and the host that has it, which may name the port of its resolver, as in `HOST[1135]`
    #[arg(value_name = "CLSID@HOST")]
    object: Class,
}

#[derive(Debug, Clone)]
struct Class {
    clsid: Uuid,
    host: String,
}

/// A host, which may name the port of its resolver.
pub(crate) fn host(text: &str) -> Result<String, String> {
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

impl FromStr for Class {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (clsid, host) = text.split_once('@').ok_or("write it as CLSID@HOST")?;
        let clsid = clsid.trim_matches(['{', '}']).parse();
        let clsid =
            clsid.map_err(|_| "CLSID is a UUID, as in 6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d02")?;
        Ok(Self { clsid, host: self::host(host)? })
    }
}

impl ComObject {
    /// A new object: by what scripts call, or else by what says what it has.
    pub(super) fn activate(&self, client: &Client) -> Outcome<Proxy> {
        let Class { clsid, host } = &self.object;
        match client.activate(host, *clsid, DISPATCH.uuid) {
            Err(error) if error.status() == Some(Status::NO_INTERFACE) => {
                client.activate(host, *clsid, PROVIDE_CLASS_INFO.uuid).map_err(Failure::because)
            }
            object => object.map_err(Failure::because),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_host_has_a_name_and_a_port_that_there_may_be() {
        for good in ["plant", "192.0.2.7[1135]", "fe80::1", "fe80::1[135]"] {
            assert_eq!(super::host(good).as_deref(), Ok(good));
        }
        for bad in ["", "[135]", "plant[", "plant[]", "plant[0]", "plant[99999]", "plant[135"] {
            assert!(super::host(bad).is_err(), "{bad}");
        }
    }
}
