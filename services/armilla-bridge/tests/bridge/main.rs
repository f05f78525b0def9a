//! The bridge between an ORB and DCOM, both in this process, over real sockets.

mod by_number;
mod corpus;
mod from_com;
mod from_corba;
mod gauges;
mod midl;
mod round_trips;
mod rules;
mod silent;
mod site;
mod values;

#[allow(missing_docs)]
mod generated {
    armilla::include_idl!("shop");
}

/// The views of the shop, as their MIDL says.
#[allow(missing_docs)]
mod views {
    armilla::include_idl!("shop_views");
}

#[allow(missing_docs)]
mod gauge {
    armilla::include_idl!("gauge");
}
