//! UUIDs, and what names an interface or a way to encode: a UUID with a version.

use crate::order::ByteOrder;
use core::fmt;
use core::str::FromStr;

/// A UUID: the name of an interface, an object, a class (C706 appendix A).
///
/// ```
/// use armilla_dcerpc::Uuid;
///
/// const NDR: Uuid = Uuid::literal("8a885d04-1ceb-11c9-9fe8-08002b104860");
/// assert_eq!("8A885D04-1ceb-11c9-9fe8-08002b104860".parse(), Ok(NDR));
/// assert_eq!(NDR.to_string(), "8a885d04-1ceb-11c9-9fe8-08002b104860");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uuid {
    /// The first field of the text.
    pub time_low: u32,
    /// The second field of the text.
    pub time_mid: u16,
    /// The third field of the text.
    pub time_high: u16,
    /// The last two fields of the text, octet by octet.
    pub node: [u8; 8],
}

impl Uuid {
    /// The nil UUID, all zeros.
    pub const NIL: Self = Self { time_low: 0, time_mid: 0, time_high: 0, node: [0; 8] };

    /// The UUID of a text that stands in the program, at compile time.
    ///
    /// # Panics
    ///
    /// If the text is no UUID.
    pub const fn literal(text: &str) -> Self {
        match parse(text.as_bytes()) {
            Some(uuid) => uuid,
            None => panic!("a UUID has the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
        }
    }

    /// From its 16 octets, whose first three fields are numbers in `order`.
    pub const fn from_octets(o: [u8; 16], order: ByteOrder) -> Self {
        let (low, mid, high) = ([o[0], o[1], o[2], o[3]], [o[4], o[5]], [o[6], o[7]]);
        let node = [o[8], o[9], o[10], o[11], o[12], o[13], o[14], o[15]];
        match order {
            ByteOrder::Little => Self {
                time_low: u32::from_le_bytes(low),
                time_mid: u16::from_le_bytes(mid),
                time_high: u16::from_le_bytes(high),
                node,
            },
            ByteOrder::Big => Self {
                time_low: u32::from_be_bytes(low),
                time_mid: u16::from_be_bytes(mid),
                time_high: u16::from_be_bytes(high),
                node,
            },
        }
    }

    /// Its 16 octets, the first three fields as numbers in `order`.
    pub fn to_octets(self, order: ByteOrder) -> [u8; 16] {
        let mut octets = [0; 16];
        let (low, mid, high) = match order {
            ByteOrder::Little => (
                self.time_low.to_le_bytes(),
                self.time_mid.to_le_bytes(),
                self.time_high.to_le_bytes(),
            ),
            ByteOrder::Big => (
                self.time_low.to_be_bytes(),
                self.time_mid.to_be_bytes(),
                self.time_high.to_be_bytes(),
            ),
        };
        octets[..4].copy_from_slice(&low);
        octets[4..6].copy_from_slice(&mid);
        octets[6..8].copy_from_slice(&high);
        octets[8..].copy_from_slice(&self.node);
        octets
    }
}

/// A text of the form `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`.
const fn parse(text: &[u8]) -> Option<Uuid> {
    if text.len() != 36 {
        return None;
    }
    let mut octets = [0; 16];
    let (mut at, mut digits) = (0, 0);
    while at < 36 {
        if matches!(at, 8 | 13 | 18 | 23) {
            if text[at] != b'-' {
                return None;
            }
        } else {
            let digit = match text[at] {
                digit @ b'0'..=b'9' => digit - b'0',
                digit @ b'a'..=b'f' => digit - b'a' + 10,
                digit @ b'A'..=b'F' => digit - b'A' + 10,
                _ => return None,
            };
            octets[digits / 2] = octets[digits / 2] << 4 | digit;
            digits += 1;
        }
        at += 1;
    }
    Some(Uuid::from_octets(octets, ByteOrder::Big))
}

/// A text that is no UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseUuidError;

impl fmt::Display for ParseUuidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a UUID has the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
    }
}

impl core::error::Error for ParseUuidError {}

impl FromStr for Uuid {
    type Err = ParseUuidError;

    fn from_str(text: &str) -> Result<Self, ParseUuidError> {
        parse(text.as_bytes()).ok_or(ParseUuidError)
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}-{:04x}-{:04x}-", self.time_low, self.time_mid, self.time_high)?;
        write!(f, "{:02x}{:02x}-", self.node[0], self.node[1])?;
        self.node[2..].iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An interface, or a way to encode values, in one version (`p_syntax_id_t`, C706 12.6.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SyntaxId {
    /// Its name.
    pub uuid: Uuid,
    /// Its major version.
    pub major: u16,
    /// Its minor version.
    pub minor: u16,
}

impl SyntaxId {
    /// NDR 2, the one encoding of values that this crate offers and takes.
    pub const NDR: Self = Self::literal("8a885d04-1ceb-11c9-9fe8-08002b104860", 2, 0);
    /// NDR64, which is refused (MS-RPCE 2.2.5).
    pub const NDR64: Self = Self::literal("71710533-beba-4937-8319-b5dbef9ccc36", 1, 0);

    /// The syntax whose UUID stands in the program, at compile time.
    ///
    /// # Panics
    ///
    /// If the text is no UUID.
    pub const fn literal(uuid: &str, major: u16, minor: u16) -> Self {
        Self { uuid: Uuid::literal(uuid), major, minor }
    }

    /// Both versions as they travel, in one number.
    pub(crate) fn version(self) -> u32 {
        u32::from(self.minor) << 16 | u32::from(self.major)
    }

    pub(crate) fn new(uuid: Uuid, version: u32) -> Self {
        Self { uuid, major: version as u16, minor: (version >> 16) as u16 }
    }

    /// The bits of a feature syntax, if that is what it is: a client asks with it for what the
    /// server can do (MS-RPCE 3.3.1.5.3).
    pub fn features(self) -> Option<u16> {
        let Uuid { time_low, time_mid, time_high, node } = self.uuid;
        (time_low == 0x6cb7_1c2c && time_mid == 0x9812 && time_high == 0x4540 && self.major == 1)
            .then(|| u16::from_le_bytes([node[0], node[1]]))
    }

    /// The syntax that asks for these bits.
    pub fn of_features(bits: u16) -> Self {
        let mut uuid = Uuid::literal("6cb71c2c-9812-4540-0000-000000000000");
        uuid.node[..2].copy_from_slice(&bits.to_le_bytes());
        Self { uuid, major: 1, minor: 0 }
    }
}

impl fmt::Display for SyntaxId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}.{}", self.uuid, self.major, self.minor)
    }
}
