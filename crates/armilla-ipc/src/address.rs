//! Addresses of stream endpoints, and their text form.
//!
//! An address names an endpoint and does not resolve it: the transport resolves host names.

use crate::host::site;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

/// Where a stream begins or ends.
///
/// The text form names the transport first: `tcp://host:port`, `tcp://[::1]:2809` (an IPv6 address
/// stands in brackets), `unix:///run/bank.sock`, `unix://@bank` (abstract), `fifo:///run/bank`,
/// `pipe:///run/bank`, `pty:///run/bank` or `shm:///run/bank`. [`Display`](fmt::Display) writes it
/// and [`FromStr`] reads it back; only a path that is not UTF-8, or an abstract name that is not
/// printable, does not survive the round trip.
///
/// ```
/// use armilla_ipc::Address;
///
/// let address: Address = "tcp://[::1]:2809".parse()?;
/// assert_eq!(address, Address::tcp("::1", 2809));
/// assert_eq!(Address::unix("/run/bank.sock").to_string(), "unix:///run/bank.sock");
/// # Ok::<(), armilla_ipc::ParseAddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Address {
    /// A TCP port of a host.
    Tcp {
        /// A host name or a numeric address; an IPv6 address is written without brackets.
        host: String,
        /// The port; 0 asks an acceptor to take any free one.
        port: u16,
    },
    /// A Unix-domain socket at a path of the file system. The empty path is the name of a socket
    /// that was never bound, such as the client's end of a connection.
    Unix(PathBuf),
    /// A Unix-domain socket with a name of its own, which no file stands for and which vanishes
    /// with the socket (Linux). Any process of the same network namespace may connect to it: no
    /// file permission protects it.
    Abstract(Vec<u8>),
    /// A named pipe at a path of the file system.
    Fifo(PathBuf),
    /// A pair of pipes, whose descriptors pass through the Unix-domain socket at this path.
    Pipe(PathBuf),
    /// A pseudo-terminal, whose descriptor passes through the Unix-domain socket at this path.
    Pty(PathBuf),
    /// Shared memory, whose descriptor passes through the Unix-domain socket at this path.
    Shm(PathBuf),
    /// A process of this network namespace that has connected to a
    /// [same-host endpoint](crate::shm::same_host): the address of its end alone. No text form reads
    /// as this one.
    SameHost,
}

impl Address {
    /// The TCP port `port` of `host`, a name or a numeric address without brackets.
    pub fn tcp(host: impl Into<String>, port: u16) -> Self {
        Self::Tcp { host: host.into(), port }
    }

    /// The Unix-domain socket at `path`.
    pub fn unix(path: impl Into<PathBuf>) -> Self {
        Self::Unix(path.into())
    }

    /// The Unix-domain socket with the abstract name `name`.
    pub fn abstract_name(name: impl Into<Vec<u8>>) -> Self {
        Self::Abstract(name.into())
    }

    /// The named pipe at `path`.
    pub fn fifo(path: impl Into<PathBuf>) -> Self {
        Self::Fifo(path.into())
    }

    /// A pair of pipes that connects through the Unix-domain socket at `path`.
    pub fn pipe(path: impl Into<PathBuf>) -> Self {
        Self::Pipe(path.into())
    }

    /// A pseudo-terminal that connects through the Unix-domain socket at `path`.
    pub fn pty(path: impl Into<PathBuf>) -> Self {
        Self::Pty(path.into())
    }

    /// Shared memory that connects through the Unix-domain socket at `path`.
    pub fn shm(path: impl Into<PathBuf>) -> Self {
        Self::Shm(path.into())
    }

    /// The numeric address of a TCP port: one of IPv4 as such, and one of a link without the zone that
    /// its text has (RFC 4007, 11). `None` for a host name, and for other transports.
    ///
    /// ```
    /// use armilla_ipc::Address;
    ///
    /// let link = Address::tcp("fe80::1%eth0", 2809);
    /// assert_eq!(link.ip(), Some("fe80::1".parse()?));
    /// assert_eq!(Address::tcp("::ffff:192.0.2.1", 2809).ip(), Some("192.0.2.1".parse()?));
    /// assert_eq!(Address::tcp("localhost", 2809).ip(), None);
    /// # Ok::<(), std::net::AddrParseError>(())
    /// ```
    pub fn ip(&self) -> Option<IpAddr> {
        let Self::Tcp { host, .. } = self else { return None };
        match host.split_once('%') {
            Some((link, _zone)) => link.parse::<Ipv6Addr>().ok().map(IpAddr::from),
            None => host.parse::<IpAddr>().ok().map(|ip| ip.to_canonical()),
        }
    }

    /// The host of a TCP port, as limits by host count it: the text of the [`site`] of an address,
    /// whatever its zone, or a host name as it is. `None` for other transports.
    ///
    /// ```
    /// use armilla_ipc::Address;
    ///
    /// let site = |host| Address::tcp(host, 2809).site();
    /// assert_eq!(site("2001:db8::7:1"), site("2001:db8::7:2"));
    /// assert_eq!(site("fe80::1%eth0"), site("fe80::2%eth1"));
    /// assert_eq!(site("::ffff:192.0.2.1").as_deref(), Some("192.0.2.1"));
    /// assert_eq!(Address::unix("/run/bank.sock").site(), None);
    /// ```
    pub fn site(&self) -> Option<String> {
        let Self::Tcp { host, .. } = self else { return None };
        Some(self.ip().map_or_else(|| host.clone(), |ip| site(ip).to_string()))
    }
}

impl From<SocketAddr> for Address {
    /// The numeric address; an IPv4 address mapped into IPv6 is shown as what it is.
    fn from(address: SocketAddr) -> Self {
        let host = match address {
            SocketAddr::V6(v6) if v6.scope_id() != 0 => format!("{}%{}", v6.ip(), v6.scope_id()),
            _ => address.ip().to_canonical().to_string(),
        };
        Self::Tcp { host, port: address.port() }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "tcp://[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "tcp://{host}:{port}"),
            // A socket that was never bound, as a client's is. No address reads like this.
            Self::Unix(path) if path.as_os_str().is_empty() => f.write_str("unix: unnamed"),
            // Not to be taken for an abstract name.
            Self::Unix(path) if path.as_os_str().as_encoded_bytes().starts_with(b"@") => {
                write!(f, "unix://./{}", path.display())
            }
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
            Self::Abstract(name) => write!(f, "unix://@{}", name.escape_ascii()),
            Self::Fifo(path) => write!(f, "fifo://{}", path.display()),
            Self::Pipe(path) => write!(f, "pipe://{}", path.display()),
            Self::Pty(path) => write!(f, "pty://{}", path.display()),
            Self::Shm(path) => write!(f, "shm://{}", path.display()),
            Self::SameHost => f.write_str("same-host"),
        }
    }
}

impl FromStr for Address {
    type Err = ParseAddressError;

    fn from_str(text: &str) -> Result<Self, ParseAddressError> {
        let parsed = match text.split_once("://") {
            Some(("tcp", rest)) => parse_tcp(rest),
            Some(("unix", rest)) => match rest.strip_prefix('@') {
                Some("") => Err("the abstract name is missing"),
                Some(name) => unescape(name).map(Self::abstract_name),
                None => parse_path(rest).map(Self::unix),
            },
            Some(("fifo", rest)) => parse_path(rest).map(Self::fifo),
            Some(("pipe", rest)) => parse_path(rest).map(Self::pipe),
            Some(("pty", rest)) => parse_path(rest).map(Self::pty),
            Some(("shm", rest)) => parse_path(rest).map(Self::shm),
            _ => Err("it must start with tcp://, unix://, fifo://, pipe://, pty:// or shm://"),
        };
        parsed.map_err(|reason| ParseAddressError { text: text.to_owned(), reason })
    }
}

fn parse_path(text: &str) -> Result<&str, &'static str> {
    match text {
        "" => Err("the path is missing"),
        text if text.contains('\0') => Err("the path contains a zero byte"),
        text => Ok(text),
    }
}

/// The bytes of an abstract name, which is shown with escapes for all but the usual characters.
fn unescape(text: &str) -> Result<Vec<u8>, &'static str> {
    const WRONG: &str = r#"a backslash must begin one of \\, \', \", \t, \n, \r and \xHH"#;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next() {
                Some(same @ (b'\\' | b'\'' | b'"')) => same,
                Some(b't') => b'\t',
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b'x') => {
                    let mut digit = || char::from(rest.next()?).to_digit(16);
                    let (high, low) = (digit().ok_or(WRONG)?, digit().ok_or(WRONG)?);
                    (high << 4 | low) as u8
                }
                _ => return Err(WRONG),
            },
            plain => plain,
        });
    }
    Ok(bytes)
}

/// Parses `host:port` or `[ipv6]:port`.
fn parse_tcp(text: &str) -> Result<Address, &'static str> {
    let (host, port) = text.rsplit_once(':').ok_or("the port is missing")?;
    let host = match host.strip_prefix('[') {
        Some(rest) => {
            let inner = rest.strip_suffix(']').ok_or("the closing bracket is missing")?;
            let (ip, _scope) = inner.split_once('%').unwrap_or((inner, ""));
            ip.parse::<Ipv6Addr>().map_err(|_| "the brackets hold no IPv6 address")?;
            inner
        }
        None if host.contains(':') => return Err("an IPv6 address must stand in brackets"),
        None => host,
    };
    if host.is_empty() {
        return Err("the host is missing");
    }
    if host.contains(|c: char| c.is_whitespace() || c.is_control() || "/@?#[]".contains(c)) {
        return Err("the host contains a character that no host name has");
    }
    if port.is_empty() || !port.bytes().all(|b| b.is_ascii_digit()) {
        return Err("the port is not a number");
    }
    let port = port.parse().map_err(|_| "the port is greater than 65535")?;
    Ok(Address::tcp(host, port))
}

/// A text that is no [`Address`], and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseAddressError {
    text: String,
    reason: &'static str,
}

impl fmt::Display for ParseAddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not an address: {}", self.text, self.reason)
    }
}

impl std::error::Error for ParseAddressError {}
