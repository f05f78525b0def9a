//! Files that hold what was acknowledged, and how changes are written together.

mod file;
mod full;
mod group_commit;
mod salvage;
