//! The ways to a server, from the profiles of its references: which addresses, and how requests are
//! sent there.
//!
//! The profiles of a server's objects differ in the object key and in nothing else, so that they are
//! read once: who calls many objects of a server finds what was read for the first of them.

use super::endpoint::Endpoint;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::operations::{Numbers, OperationNames};
use crate::orb::{ARMILLA_ORB_TYPE, Orb};
use crate::settings::Settings;
use crate::transport::{ObjectProfile, Place};
use armilla_cdr::CodeSet;
use armilla_giop::ior::{CodeSetComponentInfo, Component, OrbType, TaggedProfile};
use armilla_giop::{CodeSetContext, Version};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// One address of a server, and how requests go there.
pub(crate) struct Access {
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) version: Version,
    /// The numbers of operations that requests say.
    pub(super) numbers: Option<Numbers>,
}

/// The ways to a server, in the order in which to try.
pub(super) type Ways = Arc<[Arc<Access>]>;

/// Those that were read, by what stands around the key in the profiles that they came from.
#[derive(Default)]
pub(super) struct Accesses(HashMap<Box<[u8]>, Ways>);

impl Accesses {
    pub(super) fn get(&self, around: [&[u8]; 2]) -> Option<Ways> {
        // What stands before the key ends with its length, so that it is clear where that is.
        self.0.get(&*around.concat()).cloned()
    }

    pub(super) fn keep(&mut self, around: [&[u8]; 2], found: &Ways) {
        self.0.insert(around.concat().into(), found.clone());
    }

    /// Forgets those that no reference uses any more.
    pub(super) fn forget_unused(&mut self) {
        self.0.retain(|_, found| found.iter().any(|access| Arc::strong_count(access) > 1));
    }
}

/// The ways to an object, and its key.
type WaysAndKey<'p> = (Ways, Cow<'p, [u8]>);

/// What `tagged` says of its object; `None` for a profile that no transport knows.
pub(super) fn read<'p>(
    orb: &Orb,
    tagged: &'p TaggedProfile,
) -> Result<Option<WaysAndKey<'p>>, SystemException> {
    let split = orb.transports().split(tagged);
    if let Some((key, around)) = split
        && let Some(known) = orb.client().accesses(around)
    {
        return Ok(Some((known, key.into())));
    }
    let Some(read) = orb.transports().read(tagged, orb.settings()) else { return Ok(None) };
    let (profile, places) = read.map_err(|error| {
        SystemException::new(ExceptionKind::InvObjref, Minor::NO_PROFILE, Completion::No)
            .because(format!("a profile of the reference is malformed: {error}"))
    })?;
    let found = find(orb, &profile, &places)?;
    if let Some((_, around)) = split {
        orb.client().keep_accesses(around, &found);
    }
    Ok(Some((found, profile.object_key.into())))
}

fn find(orb: &Orb, profile: &ObjectProfile, places: &[Place]) -> Result<Ways, SystemException> {
    let version = profile.version.min(orb.settings().max_giop);
    // In GIOP 1.0 nothing is agreed.
    let agrees = version >= Version::V1_1;
    let code_sets = if agrees { code_sets(profile, orb.settings())? } else { None };
    let access = |place| {
        let numbers = component::<OperationNames>(profile).map(Numbers::from);
        Arc::new(Access { endpoint: orb.client().endpoint(place, code_sets), version, numbers })
    };
    Ok(places.iter().map(access).collect())
}

/// The code sets to agree on with the server of `profile`; `None` where the profile says nothing,
/// and then nothing is agreed and ISO 8859-1 holds (CORBA 3.4 Part 2, 7.10.2.6).
///
/// Servers usually name ISO 8859-1 as theirs, in which every octet of an IDL `char` is a character,
/// so that is what it usually comes to. Our own kind has the strings of Unicode in memory, whatever
/// its native code set is, and takes any octet for a `char`: there UTF-8 is chosen where it can be.
fn code_sets(
    profile: &ObjectProfile,
    settings: &Settings,
) -> Result<Option<CodeSetContext>, SystemException> {
    let Some(offered) = component::<CodeSetComponentInfo>(profile) else { return Ok(None) };
    let mut agreed =
        CodeSetContext::choose(&offered, settings.native_code_sets()).map_err(|error| {
            SystemException::new(ExceptionKind::CodesetIncompatible, Minor::OMG_1, Completion::No)
                .because(error.to_string())
        })?;
    let ours = matches!(component(profile), Some(OrbType(ARMILLA_ORB_TYPE)));
    if ours && offered.char.conversion.contains(&CodeSet::Utf8.id()) {
        agreed.char = CodeSet::Utf8.id();
    }
    Ok(Some(agreed))
}

/// The first component of this type, unless it is malformed.
fn component<C: Component>(profile: &ObjectProfile) -> Option<C> {
    profile.components.iter().find_map(|component| C::from_tagged(component).transpose())?.ok()
}
