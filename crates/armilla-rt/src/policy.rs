//! Policy objects of real time, where a program has policies of CORBA: at POAs, ORBs, threads and
//! references.

use crate::priority::Priority;
use crate::protocol::Protocol;
use crate::threadpool::Threadpool;
use crate::wire::PriorityModel;
use armilla::{CustomPolicy, Policy, PolicyType};

/// A policy of the module `RTCORBA`. It becomes a [`CustomPolicy`], and so stands wherever policies
/// do: [`RtPoaBuilder::policies`](crate::RtPoaBuilder::policies) for POAs, `Orb::set_policies` and
/// `PolicyCurrent` for clients.
///
/// ```no_run
/// # fn example(rt: &armilla_rt::RtOrb) -> Result<(), armilla::SystemException> {
/// use armilla::Policies;
/// use armilla_rt::{Priority, PriorityModel, RtPolicy};
///
/// // A server.
/// let declared = PriorityModel::ServerDeclared(Priority::new(50).unwrap());
/// let policies = [RtPolicy::PriorityModel(declared).into()];
/// let root = rt.orb().root_poa();
/// let poa = rt.poa(root.create_poa("sensors")).policies(policies).build()?;
/// // A client.
/// let custom = vec![RtPolicy::PrivateConnection.into()];
/// rt.orb().set_policies(Policies { custom, ..rt.orb().policies() });
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RtPolicy {
    /// Whose priority servants run at: `PriorityModelPolicy`, of a POA.
    #[doc(alias = "PriorityModelPolicy")]
    #[doc(alias = "create_priority_model_policy")]
    PriorityModel(PriorityModel),
    /// Which threads serve requests: `ThreadpoolPolicy`, of a POA.
    #[doc(alias = "ThreadpoolPolicy")]
    #[doc(alias = "create_threadpool_policy")]
    Threadpool(Threadpool),
    /// Protocols of a server: `ServerProtocolPolicy`, of an ORB, for thread pools that are created
    /// afterwards.
    #[doc(alias = "ServerProtocolPolicy")]
    #[doc(alias = "create_server_protocol_policy")]
    ServerProtocol(Vec<Protocol>),
    /// Protocols of a client: `ClientProtocolPolicy`.
    #[doc(alias = "ClientProtocolPolicy")]
    #[doc(alias = "create_client_protocol_policy")]
    ClientProtocol(Vec<Protocol>),
    /// Each reference has connections of its own: `PrivateConnectionPolicy`, of a client.
    #[doc(alias = "PrivateConnectionPolicy")]
    #[doc(alias = "create_private_connection_policy")]
    PrivateConnection,
    /// Bands of priorities with connections of their own, from the lowest to the highest priority
    /// of each: `PriorityBandedConnectionPolicy`, of a POA or of a client.
    #[doc(alias = "PriorityBandedConnectionPolicy")]
    #[doc(alias = "create_priority_banded_connection_policy")]
    PriorityBandedConnection(Vec<(Priority, Priority)>),
}

impl RtPolicy {
    /// The number of its type: `policy_type`.
    pub const fn policy_type(&self) -> PolicyType {
        PolicyType(match self {
            Self::PriorityModel(_) => 40,
            Self::Threadpool(_) => 41,
            Self::ServerProtocol(_) => 42,
            Self::ClientProtocol(_) => 43,
            Self::PrivateConnection => 44,
            Self::PriorityBandedConnection(_) => 45,
        })
    }

    /// Its name in the standard.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::PriorityModel(_) => "PriorityModelPolicy",
            Self::Threadpool(_) => "ThreadpoolPolicy",
            Self::ServerProtocol(_) => "ServerProtocolPolicy",
            Self::ClientProtocol(_) => "ClientProtocolPolicy",
            Self::PrivateConnection => "PrivateConnectionPolicy",
            Self::PriorityBandedConnection(_) => "PriorityBandedConnectionPolicy",
        }
    }

    /// The policy of real time in a custom policy, if it is one.
    pub fn of(policy: &CustomPolicy) -> Option<&Self> {
        policy.get()
    }
}

impl From<RtPolicy> for CustomPolicy {
    fn from(policy: RtPolicy) -> Self {
        Self::new(policy.policy_type(), policy)
    }
}

impl From<RtPolicy> for Policy {
    fn from(policy: RtPolicy) -> Self {
        Self::Custom(policy.into())
    }
}
