//! How elements are written (PS3.5, 7.1 and annex A).

use dicom_core::VR;
use dicom_dictionary_std::uids;

/// Explicit VR Big Endian, which is retired.
pub(in crate::dicom) const BIG_ENDIAN: &str = "1.2.840.10008.1.2.2";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Encoding {
    pub(super) explicit: bool,
    pub(super) big: bool,
}

impl Encoding {
    /// That of sequences that are written as UN, whatever is around them (PS3.5, 6.2.2).
    pub(super) const IMPLICIT: Self = Self { explicit: false, big: false };
    /// That of the heads of files, and of most transfer syntaxes.
    pub(super) const EXPLICIT: Self = Self { explicit: true, big: false };

    pub(super) fn of(syntax: &str) -> Self {
        let explicit = syntax != uids::IMPLICIT_VR_LITTLE_ENDIAN;
        Self { explicit, big: syntax == BIG_ENDIAN }
    }

    pub(super) fn short(self, octets: [u8; 2]) -> u16 {
        if self.big { u16::from_be_bytes(octets) } else { u16::from_le_bytes(octets) }
    }

    pub(super) fn long(self, octets: [u8; 4]) -> u32 {
        if self.big { u32::from_be_bytes(octets) } else { u32::from_le_bytes(octets) }
    }
}

/// Whether the length of a value of this kind has 32 bits in an explicit encoding (PS3.5, 7.1.2).
pub(super) const fn has_long_length(vr: VR) -> bool {
    matches!(
        vr,
        VR::OB
            | VR::OD
            | VR::OF
            | VR::OL
            | VR::OV
            | VR::OW
            | VR::SQ
            | VR::SV
            | VR::UC
            | VR::UN
            | VR::UR
            | VR::UT
            | VR::UV
    )
}

/// How many octets of a value turn with the order of octets (PS3.5, 7.3).
pub(super) const fn width(vr: VR) -> usize {
    match vr {
        VR::AT | VR::OW | VR::SS | VR::US => 2,
        VR::FL | VR::OF | VR::OL | VR::SL | VR::UL => 4,
        VR::FD | VR::OD | VR::OV | VR::SV | VR::UV => 8,
        _ => 1,
    }
}
