//! Extensible remoting on the wire of DCOM, object by object: the same interface of the telecom study
//! by a standard reference, by a handler at the client, and by an object that travels itself.
//!
//! ```text
//! cargo run -p armilla-dcom --features driver --example remoting
//! ```
//!
//! Callers have an `Arc<dyn Strings>` in each case.

mod strings;
#[path = "../study/interface.rs"]
#[allow(dead_code)]
mod study;

use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcom::client::{Client, ClientOptions};
use armilla_dcom::server::Server;
use std::error::Error;
use strings::{How, Shelf, unmarshaller};

fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("STUDY").account("operator", "secret").listen("127.0.0.1:0")?;
    let client = Client::new(ClientOptions::new(Credentials::new("", "operator", "secret")))?;
    let strings = unmarshaller();
    for how in [How::Standard, How::Ahead, How::ByValue] {
        let (shelf, reference) = Shelf::export(server.exports(), how)?;
        let object = strings.unmarshal(&client, &reference)?;
        for index in 0..100 {
            object.get_single_string(index)?;
        }
        println!("{how:?}: 100 strings by {} calls", shelf.calls());
    }
    Ok(())
}
