//! Which servers a host has, by its `OpcEnum`.

use super::enumerating::is_end;
use super::error::Error;
use crate::wire::enumerators::{CountIn, NextGuids};
use crate::wire::list::{
    ClassFromProgId, ClassIn, DATA_ACCESS_1, DATA_ACCESS_2, DATA_ACCESS_3, EnumClasses,
    EnumClassesIn, GetClassDetails, GetClassDetails2, OPC_ENUM, ProgIdIn, SERVER_LIST,
    SERVER_LIST_2,
};
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{Unique, WideString};
use armilla_dcom::client::{Client, Proxy};

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

/// The list of a host; old hosts have only its first interface.
fn open(client: &Client, host: &str) -> Result<Proxy, Error> {
    let mut found = client.activate_all(host, OPC_ENUM, &[SERVER_LIST_2.uuid, SERVER_LIST.uuid])?;
    let first = found.pop();
    match (found.pop(), first) {
        (Some(Ok(second)), _) => Ok(second),
        (_, Some(first)) => Ok(first?),
        _ => Err(Error::Server("the host has no OpcEnum".to_string())),
    }
}

/// The class of a program id.
pub(super) fn class(client: &Client, host: &str, prog_id: &str) -> Result<Uuid, Error> {
    let list = open(client, host)?;
    Ok(list.call::<ClassFromProgId>(&ProgIdIn { prog_id: prog_id.into() })?.class)
}

/// The servers of Data Access on a host, which may name the port of its resolver as `host[port]`.
///
/// # Errors
///
/// See [`Error`].
pub fn servers(client: &Client, host: &str) -> Result<Vec<Listed>, Error> {
    let list = open(client, host)?;
    let second = list.iid() == SERVER_LIST_2.uuid;
    let given = EnumClassesIn {
        implemented_count: 3,
        implemented: vec![DATA_ACCESS_1, DATA_ACCESS_2, DATA_ACCESS_3].into(),
        required_count: 0,
        required: Vec::new().into(),
    };
    let found = list.call::<EnumClasses>(&given)?;
    let Some(classes) = list.pointer(&found.pointer)? else { return Ok(Vec::new()) };
    let mut servers = Vec::new();
    loop {
        let (next, status) = classes.call_with_status::<NextGuids>(&CountIn { count: BATCH })?;
        let end = is_end(status, next.elements.values.len(), BATCH)?;
        for class in next.elements.values {
            servers.push(details(&list, second, class)?);
        }
        if end || servers.len() >= MOST_SERVERS {
            return Ok(servers);
        }
    }
}

fn details(list: &Proxy, second: bool, class: Uuid) -> Result<Listed, Error> {
    let (prog_id, name) = match second {
        true => {
            let found = list.call::<GetClassDetails2>(&ClassIn { class })?;
            (found.prog_id, found.user_type)
        }
        false => {
            let found = list.call::<GetClassDetails>(&ClassIn { class })?;
            (found.prog_id, found.user_type)
        }
    };
    let text = |text: &Unique<WideString>| text.get().map(WideString::to_text).unwrap_or_default();
    Ok(Listed { class, prog_id: text(&prog_id), name: text(&name) })
}
