//! Connections: endpoints, transports, threads of a server, and messages of every size.

mod addresses;
mod bidirectional;
mod fragments;
mod limits;
mod message_memory;
mod multiplexed;
mod namespaces;
mod observe;
mod oversized;
mod reactor_server;
mod reply_memory;
mod same_host;
mod transports;
mod unsendable_replies;
