//! Descriptions of types (MS-OAUT 3.7, 3.11): what an object has, for programs that ask it.
//!
//! A [`TypeLibrary`] holds descriptions; its first one is that of the object that gives it. [`wire`]
//! has the interfaces that they are read by, as tables.

mod model;
mod text;
pub mod wire;

pub use model::{
    Function, Parameter, Type, TypeDescription, TypeKind, TypeLibrary, VariableDescription, passing,
};
