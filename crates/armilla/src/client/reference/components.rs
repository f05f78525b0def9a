//! Tagged components of references: reading them and adding one.

use super::object::Object;
use crate::exception::{Completion, Minor, SystemException};
use armilla_giop::Version;
use armilla_giop::ior::{IiopProfile, TAG_INTERNET_IOP, TaggedComponent, TaggedProfile};

impl Object {
    /// The data of the first component with this id, in the order of the profiles. `None` if there
    /// is none, or if no transport of the ORB knows its profile.
    #[doc(alias = "get_component")]
    #[doc(alias = "_get_component")]
    pub fn component(&self, id: u32) -> Option<Vec<u8>> {
        let found = self.components().into_iter().find(|component| component.id == id);
        found.map(|component| component.data)
    }

    /// A reference to the same object, with the same policies, and with one more component in each
    /// of its IIOP profiles. For every id of the OMG the data is an encapsulation. Give the new
    /// reference to clients; it is not equal to this one.
    ///
    /// ```
    /// # use armilla::Orb;
    /// const REGION: u32 = 0x4558_0002;
    ///
    /// let orb = Orb::new()?;
    /// let account = orb.string_to_object("corbaloc::bank.example.org/account")?;
    /// let regional = account.with_component(REGION, *b"eu")?;
    /// assert_eq!(regional.component(REGION).as_deref(), Some(&b"eu"[..]));
    /// assert_eq!(account.component(REGION), None);
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// `INV_OBJREF` when the reference is nil. `BAD_PARAM` when it has no IIOP profile of version
    /// 1.1 or later: version 1.0 has no components.
    pub fn with_component(
        &self,
        id: u32,
        data: impl Into<Vec<u8>>,
    ) -> Result<Self, SystemException> {
        let reference = self.reference()?;
        let component = TaggedComponent { id, data: data.into() };
        let mut ior = reference.ior().clone();
        let mut added = false;
        for profile in &mut ior.profiles {
            if let Some(extended) = extended(profile, &component)? {
                (*profile, added) = (extended, true);
            }
        }
        match added {
            true => Ok(self.with_reference(Self::from_ior(&reference.orb, ior))),
            false => {
                let what = "the reference has no IIOP profile that can carry components";
                Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what))
            }
        }
    }

    /// The components of the first profile that a transport of the ORB knows.
    pub(crate) fn components(&self) -> Vec<TaggedComponent> {
        let Ok(reference) = self.reference() else { return Vec::new() };
        let (transports, settings) = (reference.orb.transports(), reference.orb.settings());
        let mut profiles = reference.ior().profiles.iter();
        let read = profiles.find_map(|profile| transports.read(profile, settings)?.ok());
        read.map(|(profile, _)| profile.components).unwrap_or_default()
    }
}

/// The profile with the component added. `None` if it cannot carry components.
fn extended(
    profile: &TaggedProfile,
    component: &TaggedComponent,
) -> Result<Option<TaggedProfile>, SystemException> {
    if profile.id != TAG_INTERNET_IOP {
        return Ok(None);
    }
    let read = IiopProfile::decode_data(&profile.data);
    let mut read = read.map_err(|error| SystemException::decoding(&error, Completion::No))?;
    if read.version < Version::V1_1 {
        return Ok(None);
    }
    read.components.push(component.clone());
    let made = read.to_tagged();
    made.map(Some).map_err(|error| SystemException::encoding(&error, Completion::No))
}
