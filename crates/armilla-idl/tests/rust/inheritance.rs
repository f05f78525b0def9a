// Interfaces that inherit, from two that share a base too.

//= mod derived > trait Both
/// IDL interface `Derived::Both`.
pub trait Both: super::base::Left + super::base::Right {
    /// IDL operation `parent`.
    fn parent(&self) -> Result<super::base::NamedRef, codegen::SystemException>;
    /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
    /// servant that is an `armilla::ServantBase`.
    fn servant_base(&self) -> Option<&dyn codegen::ServantBase> {
        super::base::Left::servant_base(self)
            .or_else(|| super::base::Right::servant_base(self))
    }
}

//= mod derived > impl Both for codegen::Ref<I>
impl<I: Both + codegen::Interface + ?Sized> Both for codegen::Ref<I> {
    #[allow(clippy::redundant_closure)]
    fn parent(&self) -> Result<super::base::NamedRef, codegen::SystemException> {
        if let Some(done) = self.directly(|servant| Both::parent(servant)) {
            return done;
        }
        self.invoke("parent", |_out| Ok(()), |input| codegen::Decode::decode(input))
    }
}

//= mod derived > impl codegen::IsA<dyn super::base::Named> for dyn Both
impl codegen::IsA<dyn super::base::Named> for dyn Both {}

//= mod derived > impl codegen::Interface for dyn Leaf > const BASES
const BASES: &'static [&'static str] = &[
    "IDL:Derived/Both:1.0",
    "IDL:Base/Left:1.0",
    "IDL:Base/Right:1.0",
    "IDL:Base/Named:1.0",
];

//= mod derived > impl codegen::Interface for dyn Leaf > const OPERATIONS
const OPERATIONS: &'static [&'static str] = &[
    "_get_self",
    "_set_self",
    "parent",
    "go_left",
    "go_right",
    "_get_name",
];

//= mod derived > impl codegen::Interface for dyn Leaf > fn upcast
fn upcast(servant: ::std::sync::Arc<Self>, target: &mut codegen::Upcast<'_>) {
    target.offer::<dyn Leaf>(|| servant.clone());
    target.offer::<dyn Both>(|| servant.clone());
    target.offer::<dyn super::base::Left>(|| servant.clone());
    target.offer::<dyn super::base::Right>(|| servant.clone());
    target.offer::<dyn super::base::Named>(|| servant.clone());
}

//= mod derived > struct Pair
/// IDL `Derived::Pair`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pair {
    /// IDL `first`.
    pub first: BothRef,
    /// IDL `second`.
    pub second: super::base::LeftRef,
}
