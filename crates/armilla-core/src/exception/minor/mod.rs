//! Minor codes: why a system exception was raised.
//!
//! The codes themselves are rows of the [`table`]; this module is what all of them have in common.
//! What other ORBs mean by their codes is in [`vendors`].

mod table;
mod vendors;

use super::ExceptionKind;
use std::borrow::Cow;
use std::fmt;
use table::{OWN, STANDARD};

/// The bits of a minor code that hold the vendor's number.
const VENDOR: u32 = 0xffff_f000;

/// The vendor number of the codes that the specification itself defines.
const OMG: u32 = 0x4f4d_0000;

/// The vendor number of Armilla's own codes.
const ARMILLA: u32 = 0x4152_4000;

/// The minor code of a system exception: a vendor's number in the upper 20 bits, the reason in the
/// lower 12 (CORBA 3.4 Part 1, 8.3.4).
///
/// A standard code says something only beside its exception, because the specification numbers the
/// reasons of each exception from 1. So the constants of standard codes begin with the name of
/// their exception, and [`explain`](Self::explain) asks for the exception:
///
/// ```
/// use armilla::{ExceptionKind, Minor};
///
/// let code = Minor::TRANSIENT_REQUEST_DISCARDED;
/// let reason = code.explain(ExceptionKind::Transient);
/// assert_eq!(reason, "the POA discards requests, or has no room for more");
/// assert_eq!(code, Minor::BAD_PARAM_NO_VALUE_FACTORY, "the same number, another exception");
/// assert_eq!(Minor::CONNECT_FAILED.description(), Some("no connection could be made"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Minor(pub u32);

impl Minor {
    /// What the code means, where it is one of Armilla's own.
    pub fn description(self) -> Option<&'static str> {
        if self.0 & VENDOR != ARMILLA {
            return None;
        }
        let found = OWN.iter().find(|row| row.number == self.0 & !VENDOR);
        found.map(|row| row.description)
    }

    /// Whether the code is one of the specification or of Armilla, such as the ORB raises.
    pub(super) const fn is_of_orb(self) -> bool {
        matches!(self.0 & VENDOR, OMG | ARMILLA)
    }

    /// Whether no connection was made because one end refused the other, not because it was out of
    /// reach.
    #[doc(hidden)]
    pub const fn is_of_refused_connection(self) -> bool {
        matches!(
            self,
            Self::TLS_NEEDED | Self::TLS_CERTIFICATE_REFUSED | Self::TLS_HANDSHAKE_FAILED
        )
    }

    /// What the code means in an exception of `kind`: a code of the specification (CORBA 3.4 Part
    /// 1, annex A), of Armilla, or of an ORB that is known. A code that nobody knows is written as
    /// a number.
    pub fn explain(self, kind: ExceptionKind) -> Cow<'static, str> {
        let number = self.0 & !VENDOR;
        let description = match self.0 & VENDOR {
            OMG => standard(kind, number).map(Cow::Borrowed),
            vendor => vendors::describe(vendor, kind, number),
        };
        description.unwrap_or_else(|| self.to_string().into())
    }
}

/// What the specification says of a code.
fn standard(kind: ExceptionKind, number: u32) -> Option<&'static str> {
    let found = STANDARD.iter().find(|row| row.kind == kind && row.number == number);
    found.map(|row| row.description)
}

impl fmt::Debug for Minor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Minor({:#010x})", self.0)
    }
}

impl fmt::Display for Minor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.description() {
            Some(description) => f.write_str(description),
            None => write!(f, "minor code {:#010x}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_standard_code_is_one_of_its_exception_and_is_explained() {
        let (mut codes, mut names) = (HashSet::new(), HashSet::new());
        for row in STANDARD {
            let name = row.name;
            assert!(0 < row.number && row.number <= !VENDOR, "{name}");
            assert!(codes.insert((row.kind, row.number)), "{name}: the number is taken");
            assert!(names.insert(name), "{name} stands there twice");
            let exception = name.strip_prefix(row.kind.name()).unwrap_or_default();
            assert!(exception.starts_with('_'), "{name} is not named after {}", row.kind);
            assert!(!row.description.is_empty(), "{name}");
            assert_eq!(Minor(OMG | row.number).explain(row.kind), row.description, "{name}");
        }
    }

    #[test]
    fn each_code_of_armilla_has_a_number_of_its_own_and_is_explained() {
        let (mut numbers, mut names) = (HashSet::new(), HashSet::new());
        for row in OWN {
            let name = row.name;
            assert!(0 < row.number && row.number <= !VENDOR, "{name}");
            assert!(numbers.insert(row.number), "{name}: the number is taken");
            assert!(names.insert(name), "{name} stands there twice");
            assert!(!row.description.is_empty(), "{name}");
            let code = Minor(ARMILLA | row.number);
            assert_eq!(code.description(), Some(row.description), "{name}");
            assert_eq!(code.explain(ExceptionKind::Internal), row.description, "{name}");
        }
    }

    #[test]
    fn a_standard_code_is_explained_only_beside_its_exception() {
        let code = Minor::BAD_INV_ORDER_POA_BEING_DESTROYED;
        assert_eq!(code.description(), None);
        assert_eq!(code.explain(ExceptionKind::Timeout), "minor code 0x4f4d0011");
        assert_eq!(code.explain(ExceptionKind::BadInvOrder), "the POA is being destroyed");
    }
}
