// Attributes that allow lints, and methods whose names the standard library has.

//= mod outer > enum Shade
/// IDL `Outer::Shade`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u32)]
#[allow(clippy::enum_variant_names)]
pub enum Shade {
    /// IDL `SHADE_LIGHT`.
    #[default]
    ShadeLight,
    /// IDL `SHADE_DARK`.
    ShadeDark,
    /// IDL `SHADE_NONE`.
    ShadeNone,
}

//= mod outer > struct Large
/// IDL `Outer::Large`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Large {
    /// IDL `a`.
    pub a: String,
    /// IDL `b`.
    pub b: String,
    /// IDL `c`.
    pub c: String,
    /// IDL `d`.
    pub d: String,
    /// IDL `e`.
    pub e: String,
    /// IDL `f`.
    pub f: String,
}

//= mod outer > trait Critic > fn several
/// IDL operation `several`.
#[allow(clippy::result_large_err)]
fn several(
    &self,
) -> Result<(Shades, Shades, Shades, Shades), codegen::Error<critic::SeveralRaises>>;

//= mod outer > trait Critic > fn default
/// IDL operation `default`.
fn default(&self, self_: i32) -> Result<(), codegen::SystemException>;

//= mod outer > trait Critic > fn into_
/// IDL operation `into`.
#[allow(clippy::wrong_self_convention)]
fn into_(&self) -> Result<(), codegen::SystemException>;

//= mod outer > trait Critic > fn eq_
/// IDL operation `eq`.
fn eq_(&self, other: &CriticRef) -> Result<(), codegen::SystemException>;

//= mod outer > mod critic > enum FailRaises
/// The exceptions that `fail` may raise.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)]
pub enum FailRaises {
    /// IDL exception `Outer::Large`.
    Large(super::Large),
    /// IDL exception `Outer::NotFound`.
    NotFound(super::NotFound),
    /// IDL exception `Outer::NotThere`.
    NotThere(super::NotThere),
    /// IDL exception `Outer::NotAllowed`.
    NotAllowed(super::NotAllowed),
}
