//! Settings of protocols: `RTCORBA::Protocol` and the properties of TCP (RT CORBA 1.2,
//! *Protocol Configuration*).

use crate::error::{RtError, RtErrorKind};
use crate::priority::Priority;
use armilla::{Queues, Settings};
use std::time::Duration;

/// A protocol that a server offers or a client uses, with its settings (`RTCORBA::Protocol`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// Which one.
    pub protocol_type: ProtocolType,
    /// The settings of its connections.
    pub properties: ProtocolProperties,
}

impl Protocol {
    /// Why connections of this protocol cannot have these settings at `side`, and what to do.
    fn fault(&self, side: Side) -> Option<(&'static str, &'static str)> {
        let own = self.properties;
        let sizes = (own.send_buffer_size, own.receive_buffer_size);
        match self.protocol_type {
            ProtocolType::Iiop => None,
            _ if own.keep_alive || own.network_priority || !own.no_delay => Some((
                "connections of one host have no keep-alive, no code point and no delay",
                "give it buffer sizes only",
            )),
            ProtocolType::SharedMemory if side == Side::Server && sizes != (None, None) => Some((
                "the client makes the memory and chooses its size",
                "leave the sizes to the ClientProtocolPolicy of the clients",
            )),
            _ => None,
        }
    }

    /// Changes the settings of connections for calls of this priority.
    pub(crate) fn apply(&self, priority: Priority, settings: &mut Settings) {
        let ProtocolProperties { send_buffer_size: send, receive_buffer_size: receive, .. } =
            self.properties;
        let queues = Queues { send, receive };
        match self.protocol_type {
            ProtocolType::Iiop => {
                settings.tcp_queues = queues;
                self.properties.apply(priority, settings);
            }
            ProtocolType::UnixDomain => settings.unix_queues = queues,
            ProtocolType::SharedMemory => settings.shm_queues = queues,
        }
    }
}

/// Whose policy has a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// A client's: `ClientProtocolPolicy`.
    Client,
    /// A server's: `ServerProtocolPolicy`.
    Server,
}

/// A protocol of connections, which the standard denotes by the id of its profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProtocolType {
    /// IIOP, over TCP: 0.
    Iiop,
    /// Unix-domain sockets: TAO's `0x54414f00`.
    UnixDomain,
    /// Shared memory: TAO's `0x54414f02`. The client chooses the sizes of its queues.
    SharedMemory,
}

impl ProtocolType {
    const ALL: [Self; 3] = [Self::Iiop, Self::UnixDomain, Self::SharedMemory];

    /// The number of the protocol: an `IOP::ProfileId`.
    pub const fn profile_id(self) -> u32 {
        match self {
            Self::Iiop => 0,
            Self::UnixDomain => 0x5441_4f00,
            Self::SharedMemory => 0x5441_4f02,
        }
    }

    /// The protocol with this number.
    pub fn from_profile_id(id: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|protocol| protocol.profile_id() == id)
    }
}

/// Settings of connections (`RTCORBA::TCPProtocolProperties`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolProperties {
    /// The size of the send buffer in octets; `None` is the default of the system.
    pub send_buffer_size: Option<usize>,
    /// The size of the receive buffer in octets; `None` is the default of the system.
    pub receive_buffer_size: Option<usize>,
    /// Whether idle connections are probed: after a minute, unless the settings of the ORB say
    /// when.
    pub keep_alive: bool,
    /// Whether small messages are sent at once (`TCP_NODELAY`).
    pub no_delay: bool,
    /// Whether packets carry the code point that [`network_priority`] makes of the CORBA priority
    /// (`enable_network_priority`).
    pub network_priority: bool,
}

impl Default for ProtocolProperties {
    /// As without the policy.
    fn default() -> Self {
        Self {
            send_buffer_size: None,
            receive_buffer_size: None,
            keep_alive: false,
            no_delay: true,
            network_priority: false,
        }
    }
}

/// After which time without traffic a connection is probed.
const KEEP_ALIVE: Duration = Duration::from_secs(60);

impl ProtocolProperties {
    /// Changes the settings of TCP connections, but for the queues.
    fn apply(&self, priority: Priority, settings: &mut Settings) {
        settings.keep_alive = match self.keep_alive {
            true => settings.keep_alive.or(Some(KEEP_ALIVE)),
            false => None,
        };
        settings.no_delay = self.no_delay;
        if self.network_priority {
            settings.dscp = Some(network_priority(priority));
        }
    }
}

/// The DiffServ code points of urgent calls and of less urgent ones: the class selectors, and
/// expedited forwarding as the highest (RFC 2474, RFC 3246).
const CODE_POINTS: [u8; 7] = [0, 8, 16, 24, 32, 40, 46];

/// The DiffServ code point of a CORBA priority: 0 for the lowest, expedited forwarding (46) for the
/// highest, and class selectors in between (`NetworkPriorityMapping`).
pub fn network_priority(priority: Priority) -> u8 {
    let place = usize::try_from(priority.get()).unwrap_or_default() * CODE_POINTS.len() / (1 << 15);
    CODE_POINTS[place.min(CODE_POINTS.len() - 1)]
}

/// Checks the protocols of a policy of `object`, at the side that has it.
///
/// # Errors
/// If there is none, one is there twice, IIOP is missing, or a protocol has settings that it cannot
/// have.
pub(crate) fn check_protocols(
    object: &str,
    side: Side,
    protocols: &[Protocol],
) -> Result<(), RtError> {
    let wrong = |value: String, reason: &str, remedy: &str| {
        Err(RtError::new(RtErrorKind::Value, object, "protocols", value, reason, remedy))
    };
    if protocols.is_empty() {
        return wrong("none".into(), "the policy names at least one protocol", "add IIOP");
    }
    let types: Vec<_> = protocols.iter().map(|protocol| protocol.protocol_type).collect();
    if let Some((_, twice)) = types.iter().enumerate().find(|(at, one)| types[..*at].contains(one))
    {
        return wrong(format!("{twice:?}"), "it is there twice", "leave one out");
    }
    if !types.contains(&ProtocolType::Iiop) {
        let reason = "every reference has a TCP endpoint, whatever others it has";
        return wrong(format!("{types:?}"), reason, "add IIOP");
    }
    let fault = protocols.iter().find_map(|protocol| Some((protocol, protocol.fault(side)?)));
    match fault {
        Some((Protocol { protocol_type, properties }, (reason, remedy))) => {
            wrong(format!("{protocol_type:?} with {properties:?}"), reason, remedy)
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_become_code_points_in_order() {
        let points = (0..=i16::MAX).map(|number| network_priority(Priority::new(number).unwrap()));
        let points: Vec<u8> = points.collect();
        assert!(points.is_sorted());
        assert_eq!((points[0], points[16_384], points[32_767]), (0, 24, 46));
    }

    #[test]
    fn properties_change_the_settings_of_connections() {
        let mut settings = Settings::default();
        let properties = ProtocolProperties {
            send_buffer_size: Some(10_000),
            receive_buffer_size: Some(20_000),
            keep_alive: true,
            no_delay: false,
            network_priority: true,
        };
        let apply = |protocol_type, settings: &mut Settings| {
            Protocol { protocol_type, properties }.apply(Priority::MAX, settings);
        };
        apply(ProtocolType::Iiop, &mut settings);
        let queues = Queues { send: Some(10_000), receive: Some(20_000) };
        assert_eq!(settings.tcp_queues, queues);
        assert_eq!((settings.keep_alive, settings.no_delay), (Some(KEEP_ALIVE), false));
        assert_eq!(settings.dscp, Some(46));
        assert_eq!((settings.unix_queues, settings.shm_queues), Default::default());
        apply(ProtocolType::UnixDomain, &mut settings);
        apply(ProtocolType::SharedMemory, &mut settings);
        assert_eq!((settings.unix_queues, settings.shm_queues), (queues, queues));
    }

    #[test]
    fn lists_without_a_protocol_or_with_one_twice_are_refused() {
        let iiop = Protocol { protocol_type: ProtocolType::Iiop, properties: Default::default() };
        let check_protocols = |protocols: &[Protocol]| {
            let sides = [Side::Client, Side::Server];
            sides.map(|side| super::check_protocols("pool", side, protocols))
        };
        let all_are =
            |checked: [Result<(), RtError>; 2], ok| checked.iter().all(|one| one.is_ok() == ok);
        assert!(all_are(check_protocols(&[iiop]), true));
        let local = Protocol { protocol_type: ProtocolType::UnixDomain, ..iiop };
        assert!(all_are(check_protocols(&[local, iiop]), true));
        for wrong in [&[][..], &[iiop, iiop], &[local]] {
            assert!(all_are(check_protocols(wrong), false));
        }
        for protocol in ProtocolType::ALL {
            assert_eq!(ProtocolType::from_profile_id(protocol.profile_id()), Some(protocol));
        }
    }

    #[test]
    fn settings_that_a_protocol_cannot_have_are_refused() {
        let large = Some(100_000);
        let plain = ProtocolProperties::default();
        let queues = ProtocolProperties { send_buffer_size: large, ..plain };
        let lasting = ProtocolProperties { keep_alive: true, ..plain };
        let checked = |side, protocol_type, properties| {
            let iiop = Protocol { protocol_type: ProtocolType::Iiop, properties: plain };
            check_protocols("pool", side, &[iiop, Protocol { protocol_type, properties }])
        };
        for side in [Side::Client, Side::Server] {
            assert!(checked(side, ProtocolType::UnixDomain, queues).is_ok());
            assert!(checked(side, ProtocolType::SharedMemory, plain).is_ok());
            for protocol in [ProtocolType::UnixDomain, ProtocolType::SharedMemory] {
                let error = checked(side, protocol, lasting).unwrap_err().to_string();
                assert!(error.contains(&format!("{protocol:?}")), "{error}");
            }
        }
        assert!(checked(Side::Client, ProtocolType::SharedMemory, queues).is_ok());
        let error = checked(Side::Server, ProtocolType::SharedMemory, queues).unwrap_err();
        assert!(error.to_string().contains("the client makes the memory"), "{error}");
    }
}
