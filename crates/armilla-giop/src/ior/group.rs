//! Components of object groups: `TAG_FT_GROUP`, `TAG_FT_PRIMARY` and `TAG_FT_HEARTBEAT_ENABLED`
//! (CORBA 3.0.3, 23.2.3). A reference whose profiles carry the first denotes a group: each profile
//! leads to a member.

use super::Component;
use crate::Version;
use alloc::string::String;
use armilla_cdr::{CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};

/// `TAG_FT_GROUP`: which group a profile belongs to, and as of which version of its membership.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[doc(alias = "TagFTGroupTaggedComponent")]
pub struct FtGroup {
    /// The fault tolerance domain, whose managers number the groups.
    pub domain: String,
    /// The number of the group in its domain.
    pub group: u64,
    /// The version of the membership that the reference was made from; a higher one is newer.
    pub version: u32,
}

impl Component for FtGroup {
    const ID: u32 = 27;
}

/// The version of the component, the only one there is.
const LAYOUT: Version = Version::V1_0;

impl<'a> Decode<'a> for FtGroup {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let layout = Version { major: input.u8()?, minor: input.u8()? };
        if layout.major != LAYOUT.major {
            return Err(input.error(CdrErrorKind::Invalid("TAG_FT_GROUP of a major version not 1")));
        }
        Ok(Self {
            domain: input.string()?.into_owned(),
            group: input.u64()?,
            version: input.u32()?,
        })
    }
}

impl Encode for FtGroup {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u8(LAYOUT.major);
        out.put_u8(LAYOUT.minor);
        out.put_string(&self.domain)?;
        out.put_u64(self.group);
        out.put_u32(self.version);
        Ok(())
    }
}

/// `TAG_FT_PRIMARY`: whether the profile leads to the primary member of its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[doc(alias = "TagFTPrimaryTaggedComponent")]
pub struct FtPrimary(pub bool);

impl Component for FtPrimary {
    const ID: u32 = 28;
}

impl<'a> Decode<'a> for FtPrimary {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.bool().map(Self)
    }
}

impl Encode for FtPrimary {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.0.encode(out)
    }
}

/// `TAG_FT_HEARTBEAT_ENABLED`: whether clients may ask the server of the profile whether it is
/// alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[doc(alias = "TagFTHeartbeatEnabledTaggedComponent")]
pub struct FtHeartbeatEnabled(pub bool);

impl Component for FtHeartbeatEnabled {
    const ID: u32 = 29;
}

impl<'a> Decode<'a> for FtHeartbeatEnabled {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.bool().map(Self)
    }
}

impl Encode for FtHeartbeatEnabled {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.0.encode(out)
    }
}
