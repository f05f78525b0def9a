//! What a process exports: its objects, their interfaces, who refers to them, and since when nobody
//! has said so (MS-DCOM 3.1.1.1, 3.1.2.1). Without I/O: time and randomness are arguments.

mod sets;
mod table;

pub use table::{Exporter, ExporterLimits};
