//! Lists what the endpoint mapper of a host has: all at once, and some at a time.
//!
//! ```text
//! endpoints ADDRESS USER none
//! endpoints ADDRESS USER ntlm|spnego 5|6 [big]      the password is in RPC_PASSWORD
//! ```

use armilla_dcerpc::client::ClientOptions;
use armilla_dcerpc::driver::{self, Connection, DriverError};
use armilla_dcerpc::endpoint_mapper::{ENDPOINT_MAPPER, Entry, EptLookup, Handle, LookupIn, Tower};
use armilla_dcerpc::management::{InquireInterfaces, MANAGEMENT};
use armilla_dcerpc::ndr::Unique;
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcerpc::{ByteOrder, Status};
use std::collections::BTreeSet;
use std::time::Duration;

/// There are no more endpoints.
const NOT_REGISTERED: Status = Status(0x16c9_a0d6);

/// The endpoints, as many at a time.
fn endpoints(
    connection: &mut Connection,
    maximum: u32,
) -> Result<(BTreeSet<String>, u32), DriverError> {
    let (mut all, mut handle, mut calls) = (BTreeSet::new(), Handle::NONE, 0);
    loop {
        let (object, interface) = (Unique::NULL, Unique::NULL);
        let given = LookupIn { inquiry: 0, object, interface, versions: 1, handle, maximum };
        let found = connection.call::<EptLookup>(&given)?;
        calls += 1;
        all.extend(found.entries.values.iter().filter_map(text));
        let more = found.status == 0 && found.handle != Handle::NONE;
        if !more || found.count == 0 {
            let end = Status(found.status);
            assert!(end == Status::OK || end == NOT_REGISTERED, "{end}");
            return Ok((all, calls));
        }
        handle = found.handle;
    }
}

/// An endpoint over TCP in a line.
fn text(entry: &Entry) -> Option<String> {
    let tower = Tower::decode(&entry.tower.get()?.octets.0)?;
    Some(format!("{} at {}:{}", tower.interface, tower.address, tower.port))
}

fn list(arguments: &[&str]) -> Result<(), DriverError> {
    let (address, user, service, rest) = match *arguments {
        [address, user, service, ref rest @ ..] => (address, user, service, rest),
        _ => {
            eprintln!("endpoints ADDRESS USER none | ntlm|spnego 5|6 [big]");
            std::process::exit(2);
        }
    };
    let order = if rest.contains(&"big") { ByteOrder::Big } else { ByteOrder::Little };
    let options = ClientOptions { order, ..ClientOptions::default() };
    let mut connection = Connection::connect_with(address, Duration::from_secs(20), options)?;
    let password = std::env::var("RPC_PASSWORD").unwrap_or_default();
    let credentials = Credentials::new("", user, &password).workstation("CLIENT");
    let level = if rest.contains(&"6") { AuthLevel::Privacy } else { AuthLevel::Integrity };
    let security = match service {
        "ntlm" => Some((driver::ntlm(credentials), level)),
        "spnego" => Some((driver::spnego(credentials), level)),
        _ => None,
    };
    connection.bind(&[ENDPOINT_MAPPER], security)?;
    let (all, _) = endpoints(&mut connection, 500)?;
    all.iter().for_each(|one| println!("{one}"));
    let (again, calls) = endpoints(&mut connection, 3)?;
    println!("{} endpoints, the same in {calls} calls: {}", all.len(), all == again);
    let found =
        connection.alter(MANAGEMENT).and_then(|()| connection.call::<InquireInterfaces>(&()));
    match found {
        Ok(found) => {
            println!("{} interfaces", found.interfaces.get().map_or(0, |found| found.count));
        }
        // Not every peer has it.
        Err(DriverError::NotAccepted(..) | DriverError::Fault(_)) => {
            println!("no management interface");
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let Err(error) = list(&arguments) {
        eprintln!("failed: {error}");
        std::process::exit(1);
    }
}
