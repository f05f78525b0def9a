//! Serialization of types of other crates.

use armilla::dynamic::ParameterMode;
use serde::{Deserialize, Serialize};

/// The direction of a parameter.
#[derive(Serialize, Deserialize)]
#[serde(remote = "ParameterMode")]
pub(super) enum Mode {
    In,
    Out,
    InOut,
}

/// Values of `any`, as the octets of CDR encapsulations.
pub(super) mod any {
    use armilla::interceptor::Codec;
    use armilla::{Any, Version};
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    const CODEC: Codec = Codec::new(Version::V1_2);

    pub(crate) fn serialize<S: Serializer>(value: &Any, to: S) -> Result<S::Ok, S::Error> {
        CODEC.encode(value).map_err(S::Error::custom)?.serialize(to)
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Any, D::Error> {
        CODEC.decode(&Vec::deserialize(from)?).map_err(D::Error::custom)
    }
}
