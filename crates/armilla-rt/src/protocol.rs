//! Settings of protocols: `RTCORBA::Protocol` and the properties of TCP (RT CORBA 1.2,
//! *Protocol Configuration*).

use crate::error::{RtError, RtErrorKind};
use crate::priority::Priority;
use armilla::Settings;
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
    /// Whether connections within the host have these settings, if TCP connections have `iiop`.
    fn is_settable_beside(&self, iiop: &ProtocolProperties) -> bool {
        let own = self.properties;
        let (sizes, none) = ((own.send_buffer_size, own.receive_buffer_size), (None, None));
        let of_iiop = (iiop.send_buffer_size, iiop.receive_buffer_size);
        let queues = sizes == none || self.protocol_type == ProtocolType::UnixDomain;
        let same = sizes == none || sizes == of_iiop;
        !own.keep_alive && !own.network_priority && own.no_delay && queues && same
    }
}

/// A protocol of connections, which the standard denotes by the id of its profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProtocolType {
    /// IIOP, over TCP: 0.
    Iiop,
    /// Unix-domain sockets: TAO's `0x54414f00`.
    UnixDomain,
    /// Shared memory: TAO's `0x54414f02`. It has no settings.
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
    /// The size of the receive buffer in octets. The ORB gives both buffers the larger size.
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
    /// Changes the settings of connections for calls of this priority.
    pub(crate) fn apply(&self, priority: Priority, settings: &mut Settings) {
        settings.socket_queue =
            self.send_buffer_size.max(self.receive_buffer_size).or(settings.socket_queue);
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

/// Checks the protocols of a policy of `object`.
///
/// # Errors
/// If there is none, one is there twice, IIOP is missing, or a protocol has settings that it cannot
/// have.
pub(crate) fn check_protocols(object: &str, protocols: &[Protocol]) -> Result<(), RtError> {
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
    let Some(of_iiop) = of_iiop(protocols) else {
        let reason = "references to lanes lead to TCP endpoints";
        return wrong(format!("{types:?}"), reason, "add IIOP");
    };
    let local = protocols.iter().filter(|one| one.protocol_type != ProtocolType::Iiop);
    match local.into_iter().find(|one| !one.is_settable_beside(&of_iiop)) {
        Some(Protocol { protocol_type, properties }) => wrong(
            format!("{protocol_type:?} with {properties:?}"),
            "sockets of one host have no keep-alive, no code point and no delay, and shared memory \
             no queues; queues are those of IIOP",
            "leave its settings at the default, or give it the buffer sizes of IIOP",
        ),
        None => Ok(()),
    }
}

/// The settings of TCP connections in a list of protocols.
pub(crate) fn of_iiop(protocols: &[Protocol]) -> Option<ProtocolProperties> {
    let iiop = protocols.iter().find(|protocol| protocol.protocol_type == ProtocolType::Iiop);
    iiop.map(|protocol| protocol.properties)
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
        properties.apply(Priority::MAX, &mut settings);
        assert_eq!(settings.socket_queue, Some(20_000));
        assert_eq!((settings.keep_alive, settings.no_delay), (Some(KEEP_ALIVE), false));
        assert_eq!(settings.dscp, Some(46));
    }

    #[test]
    fn lists_without_a_protocol_or_with_one_twice_are_refused() {
        let iiop = Protocol { protocol_type: ProtocolType::Iiop, properties: Default::default() };
        assert!(check_protocols("pool", &[iiop]).is_ok());
        let local = Protocol { protocol_type: ProtocolType::UnixDomain, ..iiop };
        assert!(check_protocols("pool", &[local, iiop]).is_ok());
        for wrong in [&[][..], &[iiop, iiop], &[local]] {
            assert!(check_protocols("pool", wrong).is_err());
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
        let checked = |iiop, protocol_type, properties| {
            let iiop = Protocol { protocol_type: ProtocolType::Iiop, properties: iiop };
            check_protocols("pool", &[iiop, Protocol { protocol_type, properties }])
        };
        assert!(checked(queues, ProtocolType::UnixDomain, queues).is_ok());
        assert!(checked(lasting, ProtocolType::SharedMemory, plain).is_ok());
        for (protocol, properties) in [
            (ProtocolType::UnixDomain, lasting),
            (ProtocolType::UnixDomain, queues),
            (ProtocolType::SharedMemory, lasting),
        ] {
            let error = checked(plain, protocol, properties).unwrap_err().to_string();
            assert!(error.contains(&format!("{protocol:?}")), "{error}");
        }
        assert!(checked(queues, ProtocolType::SharedMemory, queues).is_err());
    }
}
