//! Both ends of a connection, without sockets; and over TCP.

mod calls;
mod over_tcp;
mod pair;
mod protection;
mod refusals;
mod services;
mod strangers;
mod violations;
