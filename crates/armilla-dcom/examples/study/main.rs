//! The study's server and its client.
//!
//! ```text
//! study serve ADDRESS [lax]       prints "ready ADDRESS"; user operator, password secret
//! study call HOST[PORT]           one string, many strings
//! ```
//!
//! `lax` lets clients in that activate at level connect, or ping without security, and calls their objects
//! without it, if they ask for none.

mod adder;
mod interface;

use adder::{ADDER_CLASS, Adder};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcom::client::{Client, ClientOptions};
use armilla_dcom::server::{Caller, Dispatched, Object, ServerBuilder, ServerOptions};
use interface::{
    GetMultipleString, GetSingleString, MultipleIn, SingleIn, TEST_SERVER, TEST_SERVER_CLASS,
    TestServer,
};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

fn serve(address: &str, lax: bool) -> Result<(), Box<dyn Error>> {
    let mut options = ServerOptions::new("STUDY");
    if lax {
        options.rpc.server.min_level = AuthLevel::Connect;
        options.allow_unsecured_pings = true;
    }
    // Objects of clients that are called back: old ones know no security as servers.
    let mut back = ClientOptions::new(Credentials::new("STUDY", "operator", "secret"));
    if lax {
        (back.level, back.allow_low_level) = (AuthLevel::None, true);
    }
    let back = Client::new(back)?;
    let server = ServerBuilder::new(options)
        .account("operator", "secret")
        .class(ADDER_CLASS, move |_: &Caller<'_>| {
            Ok(Arc::new(Dispatched(Adder(back.clone()))) as Arc<dyn Object>)
        })
        .class(TEST_SERVER_CLASS, |_: &Caller<'_>| Ok(Arc::new(TestServer) as Arc<dyn Object>))
        .listen(address)?;
    println!("ready {}", server.address());
    server.wait();
    Ok(())
}

fn call(host: &str) -> Result<(), Box<dyn Error>> {
    let client = Client::new(ClientOptions::new(Credentials::new("", "operator", "secret")))?;
    let object = client.activate(host, TEST_SERVER_CLASS, TEST_SERVER.uuid)?;
    let single = object.call::<GetSingleString>(&SingleIn { index: 7 })?;
    println!("{}", single.item.to_text());
    let start = Instant::now();
    for index in 0..1_000 {
        object.call::<GetSingleString>(&SingleIn { index })?;
    }
    println!("1000 strings, one at a time: {:.1?}", start.elapsed());
    let start = Instant::now();
    let many = object.call::<GetMultipleString>(&MultipleIn { index: 0, count: 1_000 })?;
    println!("{} strings in one call: {:.1?}", many.got, start.elapsed());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", address] => serve(address, false),
        ["serve", address, "lax"] => serve(address, true),
        ["call", host] => call(host),
        _ => Err("study serve ADDRESS [lax] | call HOST[PORT]".into()),
    }
}
