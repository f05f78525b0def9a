//! TLS as programs see it: calls over every kind of connection, references, certificates that are
//! right and wrong, files that change.

mod calls;
mod certificates;
mod corpus;
mod files;
mod hostile;
mod references;
mod reload;
mod wrong;
