//! Interceptors of POAs and of the references that they make (CORBA 3.4 Part 1, 16.5).

use super::ServerInterceptors;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::interception::out_of_order;
use crate::interception::outcome::{Interceptor, call_point, notify};
use crate::log::report;
use crate::policies::PolicyType;
use crate::runtime::Orb;
use crate::server::addresses::publications::ProfileAddresses;
use crate::server::interception::ObjectReferenceTemplate;
use crate::server::poa::{Established, ManagerState, ObjectReferenceFactory, Poa, Policy};
use armilla_cdr::CdrResult;
use armilla_giop::ior::{TAG_INTERNET_IOP, TaggedComponent};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Adds to the references of POAs what clients must know to call the objects.
///
/// ```
/// use armilla::interceptor::{IorInfo, IorInterceptor};
/// use armilla::{Orb, SystemException};
///
/// const REGION: u32 = 0x4558_0002;
///
/// /// Tells clients in which region the objects are.
/// struct Region;
///
/// impl IorInterceptor for Region {
///     fn establish_components(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
///         info.add_component(REGION, b"eu".to_vec())
///     }
/// }
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.ior_interceptor(Region).build()?;
/// let account = orb.root_poa().create_object("IDL:Bank/Account:1.0")?;
/// assert_eq!(account.component(REGION).as_deref(), Some(&b"eu"[..]));
/// # orb.shutdown();
/// # Ok::<(), SystemException>(())
/// ```
#[doc(alias = "IORInterceptor")]
#[doc(alias = "IORInterceptor_3_0")]
pub trait IorInterceptor: Send + Sync {
    /// Its name, which must be unique; interceptors without one are anonymous.
    fn name(&self) -> &str {
        ""
    }

    /// A POA is being created: the root POA with the ORB, others by
    /// [`create_poa`](crate::Poa::create_poa). Components may be added, which all its references
    /// carry.
    ///
    /// # Errors
    /// The error is logged. The POA is created without the components of this interceptor.
    fn establish_components(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException>;

    /// All interceptors have added their components. The factory of the POA's references may be
    /// replaced.
    ///
    /// # Errors
    /// The POA is not created. The program gets `OBJ_ADAPTER`
    /// ([`Minor::OBJ_ADAPTER_IOR_INTERCEPTOR_FAILED`]).
    fn components_established(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// A POA manager has changed its state: `adapter_manager_state_changed`. Called by the thread
    /// that changed it, after the change.
    #[doc(alias = "adapter_manager_state_changed")]
    fn manager_state_changed(&self, manager_id: &str, state: ManagerState) {
        let _ = (manager_id, state);
    }

    /// The POA with these names, from the root down, was destroyed: `adapter_state_changed` with
    /// `NON_EXISTENT`. Its children are reported before it.
    #[doc(alias = "adapter_state_changed")]
    fn adapter_destroyed(&self, adapter_name: &[String]) {
        let _ = adapter_name;
    }

    /// The ORB was shut down, or could not be created.
    fn destroy(&self) {}
}

/// A POA that is being created, as an IOR interceptor sees it.
#[doc(alias = "IORInfo")]
pub struct IorInfo<'a> {
    poa: &'a Poa,
    adapter_name: Vec<String>,
    is_established: bool,
    made: Established,
}

impl IorInfo<'_> {
    /// The names of the POA and its ancestors, from the root down.
    pub fn adapter_name(&self) -> &[String] {
        &self.adapter_name
    }

    /// The id of the POA's manager, [`PoaManager::id`](crate::PoaManager::id).
    pub fn manager_id(&self) -> &str {
        self.poa.manager().id()
    }

    /// The current state of that manager.
    pub fn state(&self) -> ManagerState {
        self.poa.manager().state()
    }

    /// The policies of the POA.
    pub fn policies(&self) -> Vec<Policy> {
        self.poa.policies()
    }

    /// The policy of this type of the POA, or else of its manager: `get_effective_policy`.
    ///
    /// # Errors
    /// `INV_POLICY` ([`Minor::INV_POLICY_NO_FACTORY`]) for a type that neither the ORB nor a
    /// [factory](crate::OrbBuilder::policy_factory) knows.
    #[doc(alias = "get_effective_policy")]
    pub fn policy(&self, policy_type: PolicyType) -> Result<Option<Policy>, SystemException> {
        self.poa.orb().check_policy_type(policy_type)?;
        Ok(self.poa.inner().policy(policy_type))
    }

    /// Adds a component to every IIOP profile of version 1.1 or later. For every id of the OMG,
    /// `data` is an encapsulation.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` ([`Minor::BAD_INV_ORDER_INVALID_INTERCEPTOR_CALL`]) in
    /// [`components_established`](IorInterceptor::components_established).
    #[doc(alias = "add_ior_component")]
    pub fn add_component(&mut self, id: u32, data: Vec<u8>) -> Result<(), SystemException> {
        if self.is_established {
            return Err(out_of_order("the components are established"));
        }
        self.made.components.push(TaggedComponent { id, data });
        Ok(())
    }

    /// Adds a component that tells of addresses, such as the ports for TLS: `make` is called for each
    /// profile of each reference, with the addresses that the profile leads to. It returns no
    /// component, or the id and the data of one. It may run in several threads at once.
    ///
    /// # Errors
    /// As [`add_component`](Self::add_component). An error of `make` is that of whoever asks for the
    /// reference.
    pub fn add_component_by_addresses(
        &mut self,
        make: impl Fn(&ProfileAddresses<'_>) -> CdrResult<Option<TaggedComponent>>
        + Send
        + Sync
        + 'static,
    ) -> Result<(), SystemException> {
        if self.is_established {
            return Err(out_of_order("the components are established"));
        }
        self.made.by_addresses.push(Arc::new(make));
        Ok(())
    }

    /// Adds a component to the profiles with this id. Only `TAG_INTERNET_IOP`, 0, is possible:
    /// other profiles of this ORB have no components.
    ///
    /// # Errors
    /// `BAD_PARAM` ([`Minor::BAD_PARAM_INVALID_PROFILE_ID`]) for any other id; as
    /// [`add_component`](Self::add_component).
    #[doc(alias = "add_ior_component_to_profile")]
    pub fn add_component_to_profile(
        &mut self,
        profile: u32,
        id: u32,
        data: Vec<u8>,
    ) -> Result<(), SystemException> {
        if profile != TAG_INTERNET_IOP {
            let what =
                format!("references of this ORB have no components in profiles {profile:#x}");
            return Err(SystemException::bad_param(Minor::BAD_PARAM_INVALID_PROFILE_ID, what));
        }
        self.add_component(id, data)
    }

    /// The components that were added so far.
    pub fn components(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.made.components.iter().map(|component| (component.id, &*component.data))
    }

    /// The POA's own factory of references to its objects.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` ([`Minor::BAD_INV_ORDER_INVALID_INTERCEPTOR_CALL`]) outside
    /// [`components_established`](IorInterceptor::components_established).
    pub fn adapter_template(&self) -> Result<ObjectReferenceTemplate, SystemException> {
        self.established().map(|()| ObjectReferenceTemplate::new(self.poa))
    }

    /// The factory that will make the POA's references: the template, unless an interceptor has
    /// [set](Self::set_current_factory) another one.
    ///
    /// # Errors
    /// As [`adapter_template`](Self::adapter_template).
    pub fn current_factory(&self) -> Result<Arc<dyn ObjectReferenceFactory>, SystemException> {
        let template = self.adapter_template()?;
        Ok(self.made.factory.clone().unwrap_or_else(|| Arc::new(template)))
    }

    /// Lets `factory` make all references of the POA.
    ///
    /// # Errors
    /// As [`adapter_template`](Self::adapter_template).
    #[doc(alias = "current_factory")]
    pub fn set_current_factory(
        &mut self,
        factory: impl ObjectReferenceFactory + 'static,
    ) -> Result<(), SystemException> {
        self.established()?;
        self.made.factory = Some(Arc::new(factory));
        Ok(())
    }

    fn established(&self) -> Result<(), SystemException> {
        match self.is_established {
            true => Ok(()),
            false => Err(out_of_order("the components are not established yet")),
        }
    }
}

impl fmt::Debug for IorInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IorInfo").field("adapter_name", &self.adapter_name).finish_non_exhaustive()
    }
}

impl ServerInterceptors {
    /// Runs the interceptors that establish what the references of `poa` carry.
    ///
    /// # Errors
    /// `OBJ_ADAPTER` when an interceptor refuses the POA.
    pub(crate) fn establish(&self, poa: &Poa) -> Result<Established, SystemException> {
        let adapter_name = adapter_names(poa.adapter_id());
        let made = Established::default();
        let mut info = IorInfo { poa, adapter_name, is_established: false, made };
        for interceptor in &self.ior {
            let before = (info.made.components.len(), info.made.by_addresses.len());
            let added = call_point(
                poa.orb(),
                || interceptor.name(),
                Completion::No,
                || interceptor.establish_components(&mut info),
            );
            if let Err(exception) = added {
                info.made.components.truncate(before.0);
                info.made.by_addresses.truncate(before.1);
                report!(
                    warn,
                    "an interceptor added no components to the references of a POA",
                    interceptor = Interceptor(|| interceptor.name()),
                    exception = exception,
                );
            }
        }
        info.is_established = true;
        for interceptor in &self.ior {
            let allowed = call_point(
                poa.orb(),
                || interceptor.name(),
                Completion::No,
                || interceptor.components_established(&mut info),
            );
            allowed.map_err(|exception| {
                let kind = ExceptionKind::ObjAdapter;
                SystemException::new(
                    kind,
                    Minor::OBJ_ADAPTER_IOR_INTERCEPTOR_FAILED,
                    Completion::No,
                )
                .with_reason(format!(
                    "{} refused a POA: {exception}",
                    Interceptor(|| interceptor.name())
                ))
            })?;
        }
        Ok(info.made)
    }

    /// Whether any interceptor sees POAs being created.
    pub(crate) fn see_adapters(&self) -> bool {
        !self.ior.is_empty()
    }
}

impl ServerInterceptors {
    /// Reports to the interceptors that a POA manager has changed its state.
    pub(crate) fn manager_state_changed(&self, orb: &Orb, manager_id: &str, state: ManagerState) {
        for each in &self.ior {
            notify(orb, || each.name(), || each.manager_state_changed(manager_id, state));
        }
    }

    /// Reports to the interceptors that a POA was destroyed.
    pub(crate) fn adapter_destroyed(&self, orb: &Orb, adapter_path: &[u8]) {
        if self.see_adapters() {
            let name = adapter_names(adapter_path);
            for each in &self.ior {
                notify(orb, || each.name(), || each.adapter_destroyed(&name));
            }
        }
    }
}

/// The name of the root POA, which no path has.
const ROOT: &str = "RootPOA";

/// The names in the path of a POA below the root.
fn names_below_root(path: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    let below = path.split(|octet| *octet == 0).filter(|name| !name.is_empty());
    below.map(String::from_utf8_lossy)
}

/// The names in the path of a POA, from the root down.
pub(super) fn adapter_names(path: &[u8]) -> Vec<String> {
    let below = names_below_root(path).map(Cow::into_owned);
    std::iter::once(ROOT.to_owned()).chain(below).collect()
}

/// The same as one text, with slashes between.
pub(super) fn adapter_path(path: &[u8]) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(ROOT);
    for name in names_below_root(path) {
        let text = text.to_mut();
        text.push('/');
        text.push_str(&name);
    }
    text
}
