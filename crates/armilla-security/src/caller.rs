//! Who calls, by what proof, through whom.

use crate::principal::Principal;
use armilla_ipc::{Address, Credentials};
use std::fmt;
use std::str::FromStr;

/// How it is known who somebody is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Proof {
    /// Not at all.
    None,
    /// By a password.
    Password,
    /// By the token of a [`Mechanism`](crate::Mechanism) of the program.
    Mechanism,
    /// The operating system vouches for the user of the connection.
    OperatingSystem,
    /// By the certificate of the connection.
    Certificate,
    /// Another one has said so, who [may](crate::ServerSecurityBuilder::may_assert).
    Assertion,
}

impl Proof {
    /// Its name in rules and audit records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Password => "password",
            Self::Mechanism => "mechanism",
            Self::OperatingSystem => "operating-system",
            Self::Certificate => "certificate",
            Self::Assertion => "assertion",
        }
    }
}

impl Proof {
    /// All of them.
    pub(crate) const ALL: [Self; 6] = [
        Self::None,
        Self::Password,
        Self::Mechanism,
        Self::OperatingSystem,
        Self::Certificate,
        Self::Assertion,
    ];

    /// How it is usually known who such a principal is.
    pub const fn usual_of(principal: &Principal) -> Self {
        match principal {
            Principal::Anonymous => Self::None,
            Principal::User(_) => Self::Password,
            Principal::DistinguishedName(_) => Self::Certificate,
            Principal::LocalUser(_) => Self::OperatingSystem,
        }
    }
}

impl FromStr for Proof {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|proof| proof.name() == text);
        found.ok_or(
            "a proof is none, password, mechanism, operating-system, certificate or assertion",
        )
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The caller of a request, as a servant sees it: see
/// [`ServerSecurity::caller`](crate::ServerSecurity::caller).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub(crate) principal: Principal,
    pub(crate) proof: Proof,
    pub(crate) through: Option<(Principal, Proof)>,
    pub(crate) address: Address,
    pub(crate) credentials: Option<Credentials>,
}

impl Caller {
    /// A caller that a program makes up, to ask [rules](crate::AccessRules) about it.
    pub const fn new(principal: Principal, proof: Proof, address: Address) -> Self {
        Self { principal, proof, through: None, address, credentials: None }
    }

    /// A caller of whom its connection alone tells: its user, where the kernel vouches. A client by the
    /// same-host endpoint has shown nothing, as over TCP; rules about its user hold all the same.
    pub fn connected(address: Address, credentials: Option<Credentials>) -> Self {
        let (principal, proof) = match credentials {
            Some(user) if address != Address::SameHost => {
                (Principal::LocalUser(user.user), Proof::OperatingSystem)
            }
            _ => (Principal::Anonymous, Proof::None),
        };
        Self { principal, proof, through: None, address, credentials }
    }

    /// For whom the call is made.
    pub const fn principal(&self) -> &Principal {
        &self.principal
    }

    /// How it is known who that is.
    pub const fn proof(&self) -> Proof {
        self.proof
    }

    /// Who makes the call on behalf of the principal, with its own proof. `None` if that is the
    /// principal itself.
    pub fn through(&self) -> Option<(&Principal, Proof)> {
        self.through.as_ref().map(|(principal, proof)| (principal, *proof))
    }

    /// The address of the client, as the operating system reports it.
    pub const fn address(&self) -> &Address {
        &self.address
    }

    /// The process and the user of the client, where the transport tells.
    pub const fn credentials(&self) -> Option<Credentials> {
        self.credentials
    }

    /// Whether somebody has shown who they are. A caller that acts for nobody in particular has.
    pub fn is_authenticated(&self) -> bool {
        self.proof != Proof::None
    }
}

impl fmt::Display for Caller {
    /// `ann@bank by password at 192.0.2.1:4000`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {}", self.principal, self.proof)?;
        if let Some((through, proof)) = &self.through {
            write!(f, " of {through} by {proof}")?;
        }
        write!(f, " at {}", self.address)
    }
}
