//! How far a value can be believed (OPC DA 2.05a, 6.8).

use std::fmt;

/// How far a value can be believed: two bits of quality, four of reasons, two of limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quality(pub u16);

const REASONS: &[(u16, &str)] = &[
    (0x04, "configuration error"),
    (0x08, "not connected"),
    (0x0c, "device failure"),
    (0x10, "sensor failure"),
    (0x14, "last known value"),
    (0x18, "communication failure"),
    (0x1c, "out of service"),
    (0x44, "last usable value"),
    (0x50, "sensor not accurate"),
    (0x54, "outside of engineering units"),
    (0x58, "fewer sources than required"),
    (0xd8, "local override"),
];

impl Quality {
    /// Nothing speaks against the value.
    pub const GOOD: Self = Self(0xc0);
    /// The value is of no use, and nobody says why.
    pub const BAD: Self = Self(0);
    /// The sensor has failed.
    pub const SENSOR_FAILURE: Self = Self(0x10);
    /// There was no value yet, or the item is not active.
    pub const OUT_OF_SERVICE: Self = Self(0x1c);

    /// Whether nothing speaks against the value.
    pub fn is_good(self) -> bool {
        self.0 & 0xc0 == 0xc0
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 & 0xc0 {
            0xc0 => "good",
            0x40 => "uncertain",
            0 => "bad",
            _ => "undefined",
        })?;
        if let Some((_, reason)) = REASONS.iter().find(|(known, _)| *known == self.0 & 0xfc) {
            write!(f, ", {reason}")?;
        }
        f.write_str(match self.0 & 3 {
            1 => ", at its low limit",
            2 => ", at its high limit",
            3 => ", constant",
            _ => "",
        })
    }
}
