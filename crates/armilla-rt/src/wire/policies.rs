//! The component `TAG_POLICIES`: the policies of an object that its clients have to know (CORBA 3.4
//! Part 1, 17.3.4; RT CORBA 1.2, *Real-time CORBA Priority Models*).

use crate::priority::Priority;
use armilla::{
    ByteOrder, CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder, SystemException,
};
use armilla_giop::ior::{Component, TaggedComponent};

/// The tag of the component.
pub const TAG_POLICIES: u32 = 2;

/// The type of the priority model policy.
const PRIORITY_MODEL: u32 = 40;
/// The type of the policy of priority-banded connections.
const PRIORITY_BANDS: u32 = 45;

/// The priority model of an object: whose priority its servant runs at (RT CORBA 1.2,
/// *Real-time CORBA Priority Models*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PriorityModel {
    /// That of the client, which each request carries. Requests without one run at the priority
    /// given here.
    #[doc(alias = "CLIENT_PROPAGATED")]
    ClientPropagated(Priority),
    /// The priority given here, whoever calls.
    #[doc(alias = "SERVER_DECLARED")]
    ServerDeclared(Priority),
}

impl PriorityModel {
    /// The priority of the server: of all requests, or of those that carry none.
    pub const fn server_priority(self) -> Priority {
        match self {
            Self::ClientPropagated(priority) | Self::ServerDeclared(priority) => priority,
        }
    }
}

/// The real-time policies that a reference exposes. Policies of other types are skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExposedPolicies {
    /// The priority model.
    pub model: Option<PriorityModel>,
    /// The bands of priority-banded connections, lowest and highest priority of each.
    pub bands: Vec<(Priority, Priority)>,
}

impl ExposedPolicies {
    /// The component.
    ///
    /// # Errors
    /// None that a program can cause.
    pub fn to_component(&self) -> Result<TaggedComponent, SystemException> {
        self.to_tagged().map_err(SystemException::from)
    }
}

impl Component for ExposedPolicies {
    const ID: u32 = TAG_POLICIES;
}

fn open(data: &[u8]) -> CdrResult<Decoder<'_>> {
    let order = ByteOrder::from_flag(Decoder::new(data, ByteOrder::Big).u8()?);
    Ok(Decoder::at(data, 1, order))
}

fn priority(input: &mut Decoder<'_>) -> CdrResult<Priority> {
    let number = input.u16()?.cast_signed();
    Priority::new(number)
        .ok_or_else(|| input.error(CdrErrorKind::Invalid("a CORBA priority is not negative")))
}

fn model(data: &[u8]) -> CdrResult<PriorityModel> {
    let mut input = open(data)?;
    let kind = input.u32()?;
    let priority = priority(&mut input)?;
    match kind {
        0 => Ok(PriorityModel::ClientPropagated(priority)),
        1 => Ok(PriorityModel::ServerDeclared(priority)),
        _ => Err(input.error(CdrErrorKind::Invalid("a priority model is 0 or 1"))),
    }
}

fn bands(data: &[u8]) -> CdrResult<Vec<(Priority, Priority)>> {
    let mut input = open(data)?;
    let count = input.u32()?;
    // Each turn consumes octets or fails.
    (0..count).map(|_| Ok((priority(&mut input)?, priority(&mut input)?))).collect()
}

impl<'a> Decode<'a> for ExposedPolicies {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let mut policies = Self::default();
        for _ in 0..input.u32()? {
            let (kind, data) = (input.u32()?, input.octets()?);
            match kind {
                PRIORITY_MODEL => policies.model = Some(model(data)?),
                PRIORITY_BANDS => policies.bands = bands(data)?,
                _ => {}
            }
        }
        Ok(policies)
    }
}

impl Encode for ExposedPolicies {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        let count = u32::from(self.model.is_some()) + u32::from(!self.bands.is_empty());
        out.put_u32(count);
        if let Some(model) = self.model {
            let kind = match model {
                PriorityModel::ClientPropagated(_) => 0u32,
                PriorityModel::ServerDeclared(_) => 1,
            };
            let mut data = encapsulation();
            data.put_u32(kind);
            data.put_u16(model.server_priority().get().cast_unsigned());
            put(out, PRIORITY_MODEL, &data.to_vec())?;
        }
        if !self.bands.is_empty() {
            let mut data = encapsulation();
            data.put_u32(self.bands.len() as u32);
            for (low, high) in &self.bands {
                data.put_u16(low.get().cast_unsigned());
                data.put_u16(high.get().cast_unsigned());
            }
            put(out, PRIORITY_BANDS, &data.to_vec())?;
        }
        Ok(())
    }
}

fn encapsulation<'p>() -> Encoder<'p> {
    let mut data = Encoder::new(ByteOrder::NATIVE);
    data.put_u8(ByteOrder::NATIVE.flag());
    data
}

fn put(out: &mut Encoder<'_>, kind: u32, data: &[u8]) -> CdrResult {
    out.put_u32(kind);
    out.put_u32(data.len() as u32);
    data.iter().for_each(|octet| out.put_u8(*octet));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What TAO 2.2.2 writes for a declared priority of 50.
    const TAO: [u8; 26] =
        [1, 0, 0, 0, 1, 0, 0, 0, 40, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 50, 0];

    #[test]
    fn the_octets_of_tao_are_read_and_written() {
        let component = TaggedComponent { id: TAG_POLICIES, data: TAO.to_vec() };
        let policies = ExposedPolicies::from_tagged(&component).unwrap().unwrap();
        let fifty = Priority::new(50).unwrap();
        assert_eq!(policies.model, Some(PriorityModel::ServerDeclared(fifty)));
        if ByteOrder::NATIVE == ByteOrder::Little {
            assert_eq!(policies.to_component().unwrap(), component);
        }
    }

    /// The same as a big-endian host writes it, and with whatever in the octets that align.
    #[test]
    fn both_byte_orders_are_read_whatever_aligns_them() {
        let big = [0, 9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 40, 0, 0, 0, 10, 0, 7, 7, 7, 0, 0, 0, 0, 0, 50];
        let component = TaggedComponent { id: TAG_POLICIES, data: big.to_vec() };
        let policies = ExposedPolicies::from_tagged(&component).unwrap().unwrap();
        let fifty = Priority::new(50).unwrap();
        assert_eq!(policies.model, Some(PriorityModel::ClientPropagated(fifty)));
        // An encapsulation has an order of its own.
        let mixed = [&big[..16], &TAO[16..]].concat();
        let component = TaggedComponent { id: TAG_POLICIES, data: mixed };
        let policies = ExposedPolicies::from_tagged(&component).unwrap().unwrap();
        assert_eq!(policies.model, Some(PriorityModel::ServerDeclared(fifty)));
    }

    #[test]
    fn all_policies_survive_the_wire() {
        let [low, high] = [3, 7].map(|number| Priority::new(number).unwrap());
        let model = Some(PriorityModel::ClientPropagated(low));
        let bands = vec![(Priority::MIN, low), (high, Priority::MAX)];
        for policies in [
            ExposedPolicies::default(),
            ExposedPolicies { model, bands: Vec::new() },
            ExposedPolicies { model, bands },
        ] {
            let component = policies.to_component().unwrap();
            assert_eq!(ExposedPolicies::from_tagged(&component).unwrap(), Some(policies));
        }
    }

    #[test]
    fn malformed_components_are_errors() {
        for length in 0..TAO.len() {
            let data = TAO[..length].to_vec();
            let component = TaggedComponent { id: TAG_POLICIES, data };
            assert!(ExposedPolicies::from_tagged(&component).is_err(), "{length}");
        }
        for (place, octet) in [(20, 2), (25, 0x80)] {
            let mut data = TAO.to_vec();
            data[place] = octet;
            let component = TaggedComponent { id: TAG_POLICIES, data };
            assert!(ExposedPolicies::from_tagged(&component).is_err(), "{place}");
        }
    }
}
