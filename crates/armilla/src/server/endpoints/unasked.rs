//! Where an ORB listens that has to and was not told where: a client whose objects servers call back.
//!
//! It listens only at addresses that its references carry, because nothing leads to the others. These
//! are the addresses from which it has made connections to servers until then, and if there are none
//! that other hosts can reach, the one from which the default route leaves.

use super::endpoint_group::Group;
use crate::exception::SystemException;
use crate::log::report;
use crate::runtime::Orb;
use crate::settings::{PublishAs, Settings};
use armilla_ipc::host;

/// Opens endpoints of `own` at any free port: over TCP, or over TLS if the program allows nothing
/// else.
///
/// # Errors
/// `INITIALIZE` when none can be opened.
pub(super) fn listen(orb: &Orb, own: &mut Group) -> Result<(), SystemException> {
    let settings = orb.settings();
    if publishes_otherwise(settings) {
        report!(
            warn,
            "the ORB listens on every interface: it does not know to which of them leads what \
             its references carry (-ORBPublish…)",
            fix = "-ORBEndpoint iiop://HOST:PORT says where to listen",
        );
        return own.listen(orb, &orb.transports().unasked_endpoint(None));
    }
    let network = settings.publish_network;
    let within = network.map(|network| host::address_in(network.address, network.prefix));
    let used = match within {
        // The endpoint that is everywhere says what is wrong.
        Some(None) => return own.listen(orb, &orb.transports().unasked_endpoint(None)),
        Some(Some(address)) => vec![address],
        None => orb.client().local_addresses().used(),
    };
    // An interface may be gone by now.
    let mut listening = used;
    let at = |address| orb.transports().unasked_endpoint(Some(address));
    listening.retain(|address| own.listen(orb, &at(*address)).is_ok());
    if listening.is_empty() {
        let primary = host::primary_address();
        own.listen(orb, &at(primary))?;
        listening.push(primary);
        if primary.is_loopback() {
            report!(
                warn,
                "references carry an address that only processes on this host can reach: no \
                 network leads elsewhere",
                host = primary,
                fix = "-ORBEndpoint iiop://HOST:PORT says where to listen",
            );
        }
    }
    orb.client().local_addresses().choose(listening);
    Ok(())
}

/// Whether references carry something else than the address at which an endpoint listens.
fn publishes_otherwise(settings: &Settings) -> bool {
    settings.publish_host.is_some()
        || !settings.publish_addresses.is_empty()
        || settings.publish_as == PublishAs::Name
}
