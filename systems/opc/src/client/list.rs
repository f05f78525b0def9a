//! Which servers a host has, by its `OpcEnum`.

use super::enumerating::is_end;
use super::error::Error;
use crate::data_access::{
    IEnumGuidProxy, IopcServerList2Proxy, IopcServerListProxy, iopc_server_list, iopc_server_list2,
};
use crate::wire::{DATA_ACCESS_1, DATA_ACCESS_2, DATA_ACCESS_3, OPC_ENUM};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::client::Client;

/// How many classes are asked for at once.
const BATCH: u32 = 32;
/// No host has more servers.
const MOST_SERVERS: usize = 1_000;

/// A server of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its class.
    pub class: Uuid,
    /// Its program id.
    pub prog_id: String,
    /// What people call it.
    pub name: String,
}

/// The list of a host; old hosts have only its first interface, whose operations the second one has, too.
fn open(client: &Client, host: &str) -> Result<IopcServerListProxy, Error> {
    let mut found =
        client.activate_all(host, OPC_ENUM, &[iopc_server_list2::IID, iopc_server_list::IID])?;
    let first = found.pop();
    match (found.pop(), first) {
        (Some(Ok(second)), _) => Ok(IopcServerListProxy(second)),
        (_, Some(first)) => Ok(IopcServerListProxy(first?)),
        _ => Err(Error::Server("the host has no OpcEnum".to_string())),
    }
}

/// The class of a program id.
pub(super) fn class(client: &Client, host: &str, prog_id: &str) -> Result<Uuid, Error> {
    open(client, host)?.class_from_prog_id(prog_id.to_owned()).map_err(|error| {
        match error.status() {
            // The hint of DCOM is for classes that are named by their numbers.
            Some(status @ (Status::CLASS_NOT_REGISTERED | Status::INVALID_CLASS_STRING)) => {
                Error::NoServer(prog_id.to_owned(), status)
            }
            _ => error.into(),
        }
    })
}

/// The servers of Data Access on a host, which may name the port of its resolver as `host[port]`.
///
/// # Errors
///
/// See [`Error`].
pub fn servers(client: &Client, host: &str) -> Result<Vec<Listed>, Error> {
    let list = open(client, host)?;
    let categories = vec![DATA_ACCESS_1, DATA_ACCESS_2, DATA_ACCESS_3];
    let (_, found) = list.enum_classes(3, categories, 0, Vec::new())?;
    let Some(classes) = list.0.pointer(&found.into())? else { return Ok(Vec::new()) };
    let classes = IEnumGuidProxy(classes);
    let mut servers = Vec::new();
    loop {
        let (status, next, _) = classes.next(BATCH)?;
        let end = is_end(status, next.len(), BATCH);
        for class in next {
            servers.push(details(&list, class)?);
        }
        if end || servers.len() >= MOST_SERVERS {
            return Ok(servers);
        }
    }
}

fn details(list: &IopcServerListProxy, class: Uuid) -> Result<Listed, Error> {
    let (prog_id, name) = match list.0.iid() == iopc_server_list2::IID {
        true => {
            let (prog_id, name, _) =
                IopcServerList2Proxy(list.0.clone()).get_class_details(class)?;
            (prog_id, name)
        }
        false => list.get_class_details(class)?,
    };
    let (prog_id, name) = (prog_id.unwrap_or_default(), name.unwrap_or_default());
    Ok(Listed { class, prog_id, name })
}
