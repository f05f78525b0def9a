//! The policies of a POA, and which of them may be combined (CORBA 3.4 Part 1, 15.3.8; Part 2, 9.8
//! for `BidirectionalPolicy`).

use super::PoaError;
use crate::policies::{CustomPolicy, PolicyType};
use crate::runtime::Orb;

macro_rules! policies {
    ($($(#[$doc:meta])* $name:ident: $type:ident { $($(#[$value_doc:meta])* $value:ident,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
            pub enum $name { $($(#[$value_doc])* $value,)* }

            impl From<$name> for Policy {
                fn from(value: $name) -> Self {
                    Self::$name(value)
                }
            }
        )*

        /// One policy of a POA. The first value of each policy is the default.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Policy {
            $(
                #[doc = concat!("The value of [`", stringify!($name), "`].")]
                $name($name),
            )*
            /// A policy of a type that the program has defined.
            Custom(CustomPolicy),
        }

        impl Policy {
            /// Its type: `policy_type`.
            pub const fn policy_type(&self) -> PolicyType {
                match self {
                    $(Self::$name(_) => PolicyType::$type,)*
                    Self::Custom(policy) => policy.policy_type(),
                }
            }
        }
    };
}

policies! {
    /// Which threads call the servants of a POA: `ThreadPolicyValue`.
    #[doc(alias = "ThreadPolicy")]
    #[doc(alias = "create_thread_policy")]
    Threading: THREADING {
        /// Any thread, several at once: `ORB_CTRL_MODEL`.
        #[default]
        #[doc(alias = "ORB_CTRL_MODEL")]
        OrbControl,
        /// One call at a time: `SINGLE_THREAD_MODEL`. A servant may call the objects of its own
        /// POA; its thread makes those calls.
        #[doc(alias = "SINGLE_THREAD_MODEL")]
        SingleThread,
        /// One call at a time, made by the thread that is in [`Orb::run`](crate::Orb::run) or
        /// [`Orb::perform_work`](crate::Orb::perform_work): `MAIN_THREAD_MODEL`.
        #[doc(alias = "MAIN_THREAD_MODEL")]
        MainThread,
    }

    /// How long the objects of a POA exist: `LifespanPolicyValue`.
    #[doc(alias = "LifespanPolicy")]
    #[doc(alias = "create_lifespan_policy")]
    Lifespan: LIFESPAN {
        /// As long as their POA: `TRANSIENT`. A reference that outlives it fails with
        /// `OBJECT_NOT_EXIST`.
        #[default]
        #[doc(alias = "TRANSIENT")]
        Transient,
        /// Beyond the process: `PERSISTENT`. A later process that serves the same ids at the same
        /// address serves the references that an earlier one made.
        #[doc(alias = "PERSISTENT")]
        Persistent,
    }

    /// How many objects a servant may incarnate at a time: `IdUniquenessPolicyValue`.
    #[doc(alias = "IdUniquenessPolicy")]
    #[doc(alias = "create_id_uniqueness_policy")]
    IdUniqueness: ID_UNIQUENESS {
        /// One: `UNIQUE_ID`.
        #[default]
        #[doc(alias = "UNIQUE_ID")]
        Unique,
        /// Any number: `MULTIPLE_ID`.
        #[doc(alias = "MULTIPLE_ID")]
        Multiple,
    }

    /// What chooses the object ids: `IdAssignmentPolicyValue`.
    #[doc(alias = "IdAssignmentPolicy")]
    #[doc(alias = "create_id_assignment_policy")]
    IdAssignment: ID_ASSIGNMENT {
        /// The POA: `SYSTEM_ID`.
        #[default]
        #[doc(alias = "SYSTEM_ID")]
        System,
        /// The program: `USER_ID`.
        #[doc(alias = "USER_ID")]
        User,
    }

    /// Whether converting a servant to a reference activates it: `ImplicitActivationPolicyValue`.
    #[doc(alias = "ImplicitActivationPolicy")]
    #[doc(alias = "create_implicit_activation_policy")]
    ImplicitActivation: IMPLICIT_ACTIVATION {
        /// No: `NO_IMPLICIT_ACTIVATION`.
        #[default]
        #[doc(alias = "NO_IMPLICIT_ACTIVATION")]
        Off,
        /// Yes: `IMPLICIT_ACTIVATION`.
        #[doc(alias = "IMPLICIT_ACTIVATION")]
        On,
    }

    /// Whether a POA remembers which servants are active: `ServantRetentionPolicyValue`.
    #[doc(alias = "ServantRetentionPolicy")]
    #[doc(alias = "create_servant_retention_policy")]
    ServantRetention: SERVANT_RETENTION {
        /// Yes, in its active object map: `RETAIN`.
        #[default]
        #[doc(alias = "RETAIN")]
        Retain,
        /// No, each request looks for its servant again: `NON_RETAIN`.
        #[doc(alias = "NON_RETAIN")]
        NonRetain,
    }

    /// What serves an object that is not in the active object map: `RequestProcessingPolicyValue`.
    #[doc(alias = "RequestProcessingPolicy")]
    #[doc(alias = "create_request_processing_policy")]
    RequestProcessing: REQUEST_PROCESSING {
        /// Nothing: `USE_ACTIVE_OBJECT_MAP_ONLY`.
        #[default]
        #[doc(alias = "USE_ACTIVE_OBJECT_MAP_ONLY")]
        ActiveObjectMapOnly,
        /// One servant for all such objects: `USE_DEFAULT_SERVANT`.
        #[doc(alias = "USE_DEFAULT_SERVANT")]
        DefaultServant,
        /// The servant that a servant manager provides: `USE_SERVANT_MANAGER`.
        #[doc(alias = "USE_SERVANT_MANAGER")]
        ServantManager,
    }

    /// Over which connections the objects of a POA can be called: `BidirectionalPolicyValue`.
    #[doc(alias = "BidirectionalPolicy")]
    Bidirectional: BIDIRECTIONAL {
        /// Over those that clients have opened: `NORMAL`.
        #[default]
        #[doc(alias = "NORMAL")]
        Normal,
        /// Also over those that this ORB has opened and offered, see
        /// [`Settings::offer_bidirectional`](crate::Settings::offer_bidirectional): `BOTH`.
        #[doc(alias = "BOTH")]
        Both,
    }
}

impl From<CustomPolicy> for Policy {
    fn from(policy: CustomPolicy) -> Self {
        Self::Custom(policy)
    }
}

/// All policies of one POA.
#[derive(Debug, Default)]
pub(crate) struct Policies {
    pub(crate) threading: Threading,
    pub(crate) lifespan: Lifespan,
    pub(crate) uniqueness: IdUniqueness,
    pub(crate) assignment: IdAssignment,
    pub(crate) implicit: ImplicitActivation,
    pub(crate) retention: ServantRetention,
    pub(crate) processing: RequestProcessing,
    pub(crate) bidirectional: Bidirectional,
    pub(crate) custom: Vec<CustomPolicy>,
}

impl Policies {
    /// The policies of the root POA (CORBA 3.4 Part 1, 15.3.8).
    pub(crate) const ROOT: Self = Self {
        threading: Threading::OrbControl,
        lifespan: Lifespan::Transient,
        uniqueness: IdUniqueness::Unique,
        assignment: IdAssignment::System,
        implicit: ImplicitActivation::On,
        retention: ServantRetention::Retain,
        processing: RequestProcessing::ActiveObjectMapOnly,
        bidirectional: Bidirectional::Normal,
        custom: Vec::new(),
    };

    /// The policies in `list`, and defaults. A policy may be repeated with the same value.
    ///
    /// # Errors
    /// `InvalidPolicy` with the index in `list` of a policy that contradicts an earlier one or a
    /// default, or whose type is unknown in `orb`.
    pub(crate) fn new(orb: &Orb, list: &[Policy]) -> Result<Self, PoaError> {
        let mut policies = Self::default();
        for (index, policy) in list.iter().enumerate() {
            let kind = policy.policy_type();
            let earlier = list[..index].iter().find(|other| other.policy_type() == kind);
            let is_known = match policy {
                Policy::Custom(_) => orb.has_policy_factory(kind),
                _ => true,
            };
            if earlier.is_some_and(|earlier| earlier != policy) || !is_known {
                return Err(invalid(index));
            }
            if earlier.is_none() {
                policies.set(policy);
            }
        }
        match policies.conflict() {
            Some(pair) => {
                // Of the two, the later one that the program has set. There is one, because the
                // defaults do not contradict each other.
                let index = list.iter().rposition(|policy| pair.contains(policy));
                Err(invalid(index.unwrap_or_default()))
            }
            None => Ok(policies),
        }
    }

    /// All policies.
    pub(crate) fn list(&self) -> Vec<Policy> {
        let custom = self.custom.iter().cloned().map(Policy::from);
        self.standard().into_iter().chain(custom).collect()
    }

    /// Those that the standard has.
    fn standard(&self) -> [Policy; 8] {
        [
            self.threading.into(),
            self.lifespan.into(),
            self.uniqueness.into(),
            self.assignment.into(),
            self.implicit.into(),
            self.retention.into(),
            self.processing.into(),
            self.bidirectional.into(),
        ]
    }

    /// The policy of this type.
    pub(crate) fn get(&self, policy_type: PolicyType) -> Option<Policy> {
        // Interceptors ask for their own with each request.
        let custom = self.custom.iter().find(|policy| policy.policy_type() == policy_type);
        let standard = || self.standard().into_iter().find(|it| it.policy_type() == policy_type);
        custom.map(|policy| Policy::Custom(policy.clone())).or_else(standard)
    }

    fn set(&mut self, policy: &Policy) {
        match *policy {
            Policy::Threading(value) => self.threading = value,
            Policy::Lifespan(value) => self.lifespan = value,
            Policy::IdUniqueness(value) => self.uniqueness = value,
            Policy::IdAssignment(value) => self.assignment = value,
            Policy::ImplicitActivation(value) => self.implicit = value,
            Policy::ServantRetention(value) => self.retention = value,
            Policy::RequestProcessing(value) => self.processing = value,
            Policy::Bidirectional(value) => self.bidirectional = value,
            Policy::Custom(ref policy) => self.custom.push(policy.clone()),
        }
    }

    /// Two policies that exclude each other, if there are such.
    fn conflict(&self) -> Option<[Policy; 2]> {
        let implicit = self.implicit == ImplicitActivation::On;
        let retains = self.retention == ServantRetention::Retain;
        match self.processing {
            RequestProcessing::ActiveObjectMapOnly if !retains => {
                Some([self.processing.into(), self.retention.into()])
            }
            RequestProcessing::DefaultServant if self.uniqueness == IdUniqueness::Unique => {
                Some([self.processing.into(), self.uniqueness.into()])
            }
            _ if implicit && self.assignment == IdAssignment::User => {
                Some([self.implicit.into(), self.assignment.into()])
            }
            _ if implicit && !retains => Some([self.implicit.into(), self.retention.into()]),
            _ => None,
        }
    }

    pub(crate) fn is_persistent(&self) -> bool {
        self.lifespan == Lifespan::Persistent
    }

    /// Whether the POA makes the ids of its objects.
    pub(super) fn assigns(&self) -> bool {
        self.assignment == IdAssignment::System
    }

    pub(crate) fn retains(&self) -> bool {
        self.retention == ServantRetention::Retain
    }

    /// Whether a servant activator provides the servants, and thus etherealizes them.
    pub(crate) fn has_activator(&self) -> bool {
        self.retains() && self.processing == RequestProcessing::ServantManager
    }
}

fn invalid(index: usize) -> PoaError {
    PoaError::InvalidPolicy { index: u16::try_from(index).unwrap_or(u16::MAX) }
}
