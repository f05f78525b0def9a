//! Which server is meant: `opcda://HOST[:PORT]/CLASS`.

use armilla_dcerpc::Uuid;
use std::fmt;
use std::str::FromStr;

/// A server of OPC on a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The host, with the port of its resolver as `host[port]` if that is not 135.
    pub host: String,
    /// The server.
    pub class: Class,
}

/// How a server is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Class {
    /// By nothing: the host alone is meant.
    None,
    /// By its class.
    Id(Uuid),
    /// By a program id, for which the host is asked.
    ProgId(String),
}

/// Why a text names no server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetError {
    /// It begins with something else.
    Scheme,
    /// It names no host.
    Host,
    /// The port is no number.
    Port,
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Scheme => "it does not begin with opcda://",
            Self::Host => "it names no host",
            Self::Port => "the port is no number between 1 and 65535",
        };
        write!(f, "no OPC server: {what}; write opcda://HOST/PROGID or opcda://HOST:PORT/CLSID")
    }
}

impl std::error::Error for TargetError {}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let rest = text.strip_prefix("opcda://").ok_or(TargetError::Scheme)?;
        let (authority, class) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match authority.strip_prefix('[') {
            // An IPv6 address.
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or(TargetError::Host)?;
                (host, rest.strip_prefix(':'))
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        if host.is_empty() {
            return Err(TargetError::Host);
        }
        let port: Option<u16> = port.map(str::parse).transpose().map_err(|_| TargetError::Port)?;
        let host = match port {
            Some(0) => return Err(TargetError::Port),
            Some(port) => format!("{host}[{port}]"),
            None => host.to_string(),
        };
        let class = class.trim_end_matches('/');
        let id = class.trim_start_matches('{').trim_end_matches('}').parse();
        let class = match id {
            _ if class.is_empty() => Class::None,
            Ok(id) => Class::Id(id),
            Err(_) => Class::ProgId(class.to_string()),
        };
        Ok(Self { host, class })
    }
}

impl Target {
    /// The host without its port.
    pub fn plain_host(&self) -> &str {
        self.host.split('[').next().unwrap_or_default()
    }
}
