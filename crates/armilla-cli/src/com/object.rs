//! Which object of COM is meant.

use crate::place::com_host;
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

impl FromStr for Class {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (clsid, host) = text.split_once('@').ok_or("write it as CLSID@HOST")?;
        let clsid = clsid.trim_matches(['{', '}']).parse();
        let clsid =
            clsid.map_err(|_| "CLSID is a UUID, as in 6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d02")?;
        Ok(Self { clsid, host: com_host(host)? })
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
