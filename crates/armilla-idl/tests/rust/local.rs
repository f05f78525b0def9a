// Local interfaces, native types, and an interface that is declared and not defined.

//= mod near > type Handle
/// IDL native `Near::Handle`.
pub type Handle = codegen::Native;

//= mod near > struct Shift
/// IDL `Near::Shift`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shift {
    /// IDL `first`.
    pub first: GuardRef,
    /// IDL `key`.
    pub key: Handle,
    /// IDL `hours`.
    pub hours: i32,
}

//= mod near > trait Guard
/// IDL interface `Near::Guard`.
pub trait Guard: Send + Sync + 'static {
    /// Reads the attribute `key`.
    fn key(&self) -> Result<Handle, codegen::SystemException>;
    /// Sets the attribute [`key`](Self::key).
    fn set_key(&self, value: &Handle) -> Result<(), codegen::SystemException>;
    /// IDL operation `relieve`.
    fn relieve(
        &self,
        others: &[GuardRef],
        plan: &mut Shift,
    ) -> Result<(GuardRef, Post), codegen::Error<guard::RelieveRaises>>;
}

//= mod near > type GuardRef
/// A reference to an object with the interface [`Guard`].
pub type GuardRef = codegen::LocalRef<dyn Guard>;

//= mod near > mod guard > fn tie
/// Makes an object of what implements [`Guard`](super::Guard).
pub fn tie(servant: impl super::Guard) -> ::std::sync::Arc<dyn super::Guard> {
    ::std::sync::Arc::new(servant)
}

//= mod near > mod guard > impl From<super::Asleep> for codegen::Error<RelieveRaises>
impl From<super::Asleep> for codegen::Error<RelieveRaises> {
    fn from(exception: super::Asleep) -> Self {
        Self::User(exception.into())
    }
}

//= mod near > trait Captain
/// IDL interface `Near::Captain`.
pub trait Captain: Guard {
    /// IDL operation `report`.
    fn report(
        &self,
        whom: &ElsewhereRef,
    ) -> Result<ElsewhereRef, codegen::SystemException>;
}

//= mod near > type ElsewhereRef
/// A reference to an object with the interface [`Elsewhere`].
pub type ElsewhereRef = codegen::Ref<dyn Elsewhere>;
