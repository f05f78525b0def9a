//! TLS as programs see it: calls over every kind of connection, references, certificates that are
//! right and wrong, files that change.

mod calls;
mod certificates;
mod corpus;
mod hostile;
mod names;
mod references;
mod reload;
mod wrong;
