//! Objects: references and their addresses, object adapters and their policies, and the lives of
//! servants.

mod adapter_activators;
mod adapters;
mod addressing;
mod amh;
mod demultiplexing;
mod kept_requests;
mod key_locator;
mod lifecycle;
mod many_references;
mod poa_managers;
mod poa_policies;
mod poa_reentrancy;
mod poa_references;
mod references;
mod servant_base;
mod servant_manager_ends;
mod servant_managers;
mod servants_gone;
mod starting;
