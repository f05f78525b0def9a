//! The bridge between an ORB and DCOM, both in this process, over real sockets.

mod corpus;
mod from_com;
mod from_corba;
mod round_trips;
mod rules;
mod site;
mod values;

#[allow(missing_docs)]
mod generated {
    armilla::include_idl!("shop");
}
