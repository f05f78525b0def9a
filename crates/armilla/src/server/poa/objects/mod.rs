//! What a program does with objects: activating them, making references to them, ending them.

pub(super) mod activate;
pub(super) mod incarnation;
pub(super) mod lifecycle;
pub(super) mod references;
