//! References to groups, made of those to their members.

use crate::model::View;
use armilla::{ExceptionKind, Ior, SystemException};
use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::ior::{
    Component, FtGroup, FtHeartbeatEnabled, FtPrimary, IiopProfile, TAG_MULTIPLE_COMPONENTS,
    TaggedProfile,
};
use std::fmt;

/// The name of a group: its fault tolerance domain, and its number there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupName {
    /// The domain (`FT::FTDomainId`).
    pub domain: String,
    /// The number (`FT::ObjectGroupId`).
    pub number: u64,
}

impl GroupName {
    /// The name of a group.
    pub fn new(domain: impl Into<String>, number: u64) -> Self {
        Self { domain: domain.into(), number }
    }
}

impl fmt::Display for GroupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.domain, self.number)
    }
}

impl std::str::FromStr for GroupName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.rsplit_once('/').and_then(|(domain, number)| {
            Some(Self::new(domain, number.parse().ok()?)).filter(|it| !it.domain.is_empty())
        });
        parsed.ok_or_else(|| format!("{text:?} is no group; bank/1 is one: DOMAIN/NUMBER"))
    }
}

/// The reference to a group whose latest view this is (`FT::ObjectGroup`). Each member contributes
/// its first IIOP profile.
///
/// # Errors
/// `INV_OBJREF` if no member has a reference of IIOP.
#[doc(alias = "IOGR")]
pub fn group_reference(name: &GroupName, view: &View) -> Result<Ior, SystemException> {
    let mut group = Ior::default();
    for (place, member) in view.members.iter().enumerate() {
        let Ok(ior) = member.object.parse::<Ior>() else { continue };
        let Some(Ok(mut profile)) = ior.iiop_profiles().next() else { continue };
        let (domain, number) = (name.domain.clone(), name.number);
        let of_group = FtGroup { domain, group: number, version: view.version };
        let components = [
            of_group.to_tagged(),
            FtPrimary(place == 0).to_tagged(),
            FtHeartbeatEnabled(true).to_tagged(),
        ];
        for component in components {
            profile.components.push(component.map_err(unencodable)?);
        }
        group.profiles.push(IiopProfile::to_tagged(&profile).map_err(unencodable)?);
        group.type_id = ior.type_id;
    }
    match group.is_nil() {
        true => Err(ExceptionKind::InvObjref.because(format!("no member of {name} is known"))),
        false => Ok(group),
    }
}

/// The reference to a group that has no member yet: a name that leads nowhere.
pub(crate) fn memberless_reference(
    name: &GroupName,
    version: u32,
    type_id: &str,
) -> Result<Ior, SystemException> {
    let (domain, number) = (name.domain.clone(), name.number);
    let of_group = FtGroup { domain, group: number, version }.to_tagged().map_err(unencodable)?;
    let components = [of_group];
    let mut out = Encoder::new(ByteOrder::NATIVE);
    out.put_u8(ByteOrder::NATIVE.flag());
    out.put_sequence(&components).map_err(unencodable)?;
    let profile = TaggedProfile { id: TAG_MULTIPLE_COMPONENTS, data: out.to_vec() };
    Ok(Ior { type_id: type_id.to_owned(), profiles: vec![profile] })
}

/// The group that a reference denotes; `None` if it denotes none.
pub(crate) fn group_of(ior: &Ior) -> Option<FtGroup> {
    let in_profile = ior.iiop_profiles().find_map(|profile| profile.ok()?.component().ok()?);
    let alone = || {
        let components = ior.profiles.iter().filter(|it| it.id == TAG_MULTIPLE_COMPONENTS);
        let mut components = components.filter_map(|it| it.multiple_components().ok()).flatten();
        components.find_map(|it| FtGroup::from_tagged(&it).ok()?)
    };
    in_profile.or_else(alone)
}

fn unencodable(error: armilla::CdrError) -> SystemException {
    ExceptionKind::InvObjref.because(format!("a reference to a group: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MemberInfo;

    #[test]
    fn a_group_has_a_profile_for_each_member_and_one_primary() {
        let member = |name: &str, port| {
            let (version, host) = (armilla::Version::V1_2, "host".to_owned());
            let (object_key, components) = (name.as_bytes().to_vec(), Vec::new());
            let profile = IiopProfile { version, host, port, object_key, components };
            let profiles = vec![profile.to_tagged().unwrap()];
            let object = Ior { type_id: "IDL:A:1.0".into(), profiles }.to_text().unwrap();
            MemberInfo { name: name.into(), object, peer: String::new() }
        };
        let view = View { version: 4, members: vec![member("a", 1), member("b", 2)] };
        let name: GroupName = "bank/7".parse().unwrap();
        let group = group_reference(&name, &view).unwrap();
        let profiles: Vec<_> = group.iiop_profiles().map(Result::unwrap).collect();
        let primary = |at: usize| profiles[at].component::<FtPrimary>().unwrap().unwrap().0;
        assert_eq!((profiles.len(), primary(0), primary(1)), (2, true, false));
        let of_group: FtGroup = profiles[1].component().unwrap().unwrap();
        assert_eq!(of_group, FtGroup { domain: "bank".into(), group: 7, version: 4 });
        assert!(group_reference(&name, &View::default()).is_err());
        for wrong in ["bank", "/1", "bank/x", ""] {
            assert!(wrong.parse::<GroupName>().is_err(), "{wrong}");
        }
    }
}
