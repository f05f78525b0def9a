//! The policy objects of the module `RTCORBA`, and what they are to the ORB.

use super::priority;
use crate::error::{RtError, RtErrorKind};
use crate::orb::RtOrb;
use crate::policy::RtPolicy;
use crate::priority::Priority;
use crate::protocol::{ProtocolProperties, ProtocolType, Side, check_protocols};
use crate::rtcorba::{
    ClientProtocolPolicy, ClientProtocolPolicyRef, Policy, PriorityBand,
    PriorityBandedConnectionPolicy, PriorityBandedConnectionPolicyRef, PriorityModel,
    PriorityModelPolicy, PriorityModelPolicyRef, PrivateConnectionPolicy,
    PrivateConnectionPolicyRef, Protocol, ProtocolList, ServerProtocolPolicy,
    ServerProtocolPolicyRef, TcpProtocolProperties, TcpProtocolPropertiesRef, ThreadpoolId,
    ThreadpoolPolicy, ThreadpoolPolicyRef,
};
use armilla::SystemException;
use armilla_ipc::real_time::PiMutex;

/// A policy object of the module `RTCORBA` that can be taken for a policy of the ORB
/// ([`RtOrb::policy`]): those of [`Rtorb`](crate::rtcorba::Rtorb), or of the program's own.
pub trait PolicyObject {
    /// The policy of the ORB.
    ///
    /// # Errors
    /// `INV_POLICY` when the reference is nil, `BAD_PARAM` for values out of range.
    fn to_policy(&self, rt: &RtOrb) -> Result<RtPolicy, SystemException>;
}

impl RtOrb {
    /// The policy of the ORB that a policy object of the module `RTCORBA` stands for.
    ///
    /// # Errors
    /// `INV_POLICY` when the reference is nil, `BAD_PARAM` for values out of range.
    pub fn policy(&self, object: &impl PolicyObject) -> Result<RtPolicy, SystemException> {
        object.to_policy(self)
    }
}

fn nil(policy: &'static str) -> RtError {
    let (reason, remedy) = ("the reference is nil", "create the policy with RTCORBA::RTORB");
    RtError::new(RtErrorKind::Policy, "policy object", policy, "nil", reason, remedy)
}

/// Declares a policy object: what it keeps, and its type.
macro_rules! policy_objects {
    ($($(#[$docs:meta])* $name:ident($value:ty) $number:literal;)*) => {
        $(
            $(#[$docs])*
            pub(super) struct $name(pub(super) $value);

            impl Policy for $name {
                fn policy_type(&self) -> Result<u32, SystemException> {
                    Ok($number)
                }
            }
        )*
    };
}

policy_objects! {
    /// Whose priority.
    Model((PriorityModel, i16)) 40;
    /// Which threads.
    Pool(ThreadpoolId) 41;
    /// Which protocols of a server.
    OfServer(ProtocolList) 42;
    /// Which protocols of a client.
    OfClient(ProtocolList) 43;
    /// Connections of one's own.
    Private(()) 44;
    /// Which bands.
    Bands(Vec<PriorityBand>) 45;
}

impl PriorityModelPolicy for Model {
    fn priority_model(&self) -> Result<PriorityModel, SystemException> {
        Ok(self.0.0)
    }

    fn server_priority(&self) -> Result<i16, SystemException> {
        Ok(self.0.1)
    }
}

impl ThreadpoolPolicy for Pool {
    fn threadpool(&self) -> Result<ThreadpoolId, SystemException> {
        Ok(self.0)
    }
}

impl ServerProtocolPolicy for OfServer {
    fn protocols(&self) -> Result<ProtocolList, SystemException> {
        Ok(self.0.clone())
    }
}

impl ClientProtocolPolicy for OfClient {
    fn protocols(&self) -> Result<ProtocolList, SystemException> {
        Ok(self.0.clone())
    }
}

impl PrivateConnectionPolicy for Private {}

impl PriorityBandedConnectionPolicy for Bands {
    fn priority_bands(&self) -> Result<Vec<PriorityBand>, SystemException> {
        Ok(self.0.clone())
    }
}

impl PolicyObject for PriorityModelPolicyRef {
    fn to_policy(&self, _: &RtOrb) -> Result<RtPolicy, SystemException> {
        let policy = self.get().ok_or_else(|| nil("PriorityModelPolicy"))?;
        let number = priority("PriorityModelPolicy", policy.server_priority()?)?;
        Ok(RtPolicy::PriorityModel(match policy.priority_model()? {
            PriorityModel::ClientPropagated => crate::PriorityModel::ClientPropagated(number),
            PriorityModel::ServerDeclared => crate::PriorityModel::ServerDeclared(number),
        }))
    }
}

impl PolicyObject for ThreadpoolPolicyRef {
    fn to_policy(&self, rt: &RtOrb) -> Result<RtPolicy, SystemException> {
        let policy = self.get().ok_or_else(|| nil("ThreadpoolPolicy"))?;
        let id = policy.threadpool()?;
        let pool = rt.threadpool(id).ok_or_else(|| {
            let (reason, remedy) = ("there is no such thread pool", "create it with this RtOrb");
            RtError::new(RtErrorKind::Policy, "policy object", "threadpool", id, reason, remedy)
        })?;
        Ok(RtPolicy::Threadpool(pool))
    }
}

impl PolicyObject for ServerProtocolPolicyRef {
    fn to_policy(&self, _: &RtOrb) -> Result<RtPolicy, SystemException> {
        let policy = self.get().ok_or_else(|| nil("ServerProtocolPolicy"))?;
        let protocols = protocols("ServerProtocolPolicy", Side::Server, &policy.protocols()?)?;
        Ok(RtPolicy::ServerProtocol(protocols))
    }
}

impl PolicyObject for ClientProtocolPolicyRef {
    fn to_policy(&self, _: &RtOrb) -> Result<RtPolicy, SystemException> {
        let policy = self.get().ok_or_else(|| nil("ClientProtocolPolicy"))?;
        let protocols = protocols("ClientProtocolPolicy", Side::Client, &policy.protocols()?)?;
        Ok(RtPolicy::ClientProtocol(protocols))
    }
}

impl PolicyObject for PrivateConnectionPolicyRef {
    fn to_policy(&self, _: &RtOrb) -> Result<RtPolicy, SystemException> {
        self.get().ok_or_else(|| nil("PrivateConnectionPolicy"))?;
        Ok(RtPolicy::PrivateConnection)
    }
}

impl PolicyObject for PriorityBandedConnectionPolicyRef {
    fn to_policy(&self, _: &RtOrb) -> Result<RtPolicy, SystemException> {
        let policy = self.get().ok_or_else(|| nil("PriorityBandedConnectionPolicy"))?;
        Ok(RtPolicy::PriorityBandedConnection(bands(&policy.priority_bands()?)?))
    }
}

/// Bands of priorities, checked.
pub(super) fn bands(bands: &[PriorityBand]) -> Result<Vec<(Priority, Priority)>, RtError> {
    let checked = |number| priority("PriorityBandedConnectionPolicy", number);
    let bands: Result<Vec<_>, RtError> =
        bands.iter().map(|band| Ok((checked(band.low)?, checked(band.high)?))).collect();
    let bands = bands?;
    crate::poa::check_bands("PriorityBandedConnectionPolicy", &bands)?;
    Ok(bands)
}

/// Protocols with their settings, checked.
pub(super) fn protocols(
    policy: &str,
    side: Side,
    list: &[Protocol],
) -> Result<Vec<crate::Protocol>, SystemException> {
    let protocol = |protocol: &Protocol| {
        let id = protocol.protocol_type;
        let protocol_type = ProtocolType::from_profile_id(id).ok_or_else(|| {
            let reason = "the ORB has no such protocol";
            let remedy =
                "use 0 for IIOP, 0x54414f00 for Unix-domain sockets, 0x54414f02 for shared memory";
            RtError::new(RtErrorKind::Policy, policy, "protocol_type", id, reason, remedy)
        })?;
        let given: Option<&TcpProtocolPropertiesRef> = protocol.transport_protocol_properties.get();
        let properties = match given.and_then(|properties| properties.get()) {
            Some(properties) => properties_of(properties)?,
            None => ProtocolProperties::default(),
        };
        Ok(crate::Protocol { protocol_type, properties })
    };
    let protocols: Vec<_> = list.iter().map(protocol).collect::<Result<_, SystemException>>()?;
    check_protocols(policy, side, &protocols)?;
    Ok(protocols)
}

/// The settings of TCP connections, as attributes that can be set.
pub(super) struct TcpProperties(PiMutex<Tcp>);

/// The attributes.
#[derive(Clone, Copy)]
pub(super) struct Tcp {
    pub(super) send_buffer_size: i32,
    pub(super) recv_buffer_size: i32,
    pub(super) keep_alive: bool,
    pub(super) dont_route: bool,
    pub(super) no_delay: bool,
    pub(super) enable_network_priority: bool,
}

impl TcpProperties {
    pub(super) const fn new(attributes: Tcp) -> Self {
        Self(PiMutex::new(attributes))
    }
}

/// Implements the attributes of `TCPProtocolProperties`.
macro_rules! attributes {
    ($($get:ident $set:ident: $type:ty,)*) => {
        impl TcpProtocolProperties for TcpProperties {
            $(
                fn $get(&self) -> Result<$type, SystemException> {
                    Ok(self.0.lock().$get)
                }

                fn $set(&self, value: $type) -> Result<(), SystemException> {
                    let mut attributes = self.0.lock();
                    let mut changed = *attributes;
                    changed.$get = value;
                    check(&changed)?;
                    *attributes = changed;
                    Ok(())
                }
            )*
        }
    };
}

attributes! {
    send_buffer_size set_send_buffer_size: i32,
    recv_buffer_size set_recv_buffer_size: i32,
    keep_alive set_keep_alive: bool,
    dont_route set_dont_route: bool,
    no_delay set_no_delay: bool,
    enable_network_priority set_enable_network_priority: bool,
}

/// Checks the attributes.
///
/// # Errors
/// For a negative size, and for `dont_route`, which the ORB does not support.
pub(super) fn check(attributes: &Tcp) -> Result<(), RtError> {
    let wrong = |policy, value: String, reason, remedy| {
        let object = "TCPProtocolProperties";
        Err(RtError::new(RtErrorKind::Value, object, policy, value, reason, remedy))
    };
    let sizes = [attributes.send_buffer_size, attributes.recv_buffer_size];
    if let Some(size) = sizes.into_iter().find(|size| *size < 0) {
        let remedy = "use 0 for the default of the system";
        return wrong("buffer size", size.to_string(), "a size is not negative", remedy);
    }
    match attributes.dont_route {
        true => wrong("dont_route", "true".into(), "the ORB cannot send past routes", "use false"),
        false => Ok(()),
    }
}

/// The settings that the attributes stand for.
fn properties_of(
    properties: &dyn TcpProtocolProperties,
) -> Result<ProtocolProperties, SystemException> {
    let attributes = Tcp {
        send_buffer_size: properties.send_buffer_size()?,
        recv_buffer_size: properties.recv_buffer_size()?,
        keep_alive: properties.keep_alive()?,
        dont_route: properties.dont_route()?,
        no_delay: properties.no_delay()?,
        enable_network_priority: properties.enable_network_priority()?,
    };
    check(&attributes)?;
    let size = |size: i32| usize::try_from(size).ok().filter(|size| *size > 0);
    Ok(ProtocolProperties {
        send_buffer_size: size(attributes.send_buffer_size),
        receive_buffer_size: size(attributes.recv_buffer_size),
        keep_alive: attributes.keep_alive,
        no_delay: attributes.no_delay,
        network_priority: attributes.enable_network_priority,
    })
}
