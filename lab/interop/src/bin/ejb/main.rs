//! Our side of `lab/interop/servers`: clients of the enterprise beans of WildFly and GlassFish, and a
//! server that these call.
//!
//! ```text
//! interop-ejb authority DIRECTORY
//! interop-ejb call URL [--user NAME --password TEXT] [--acting-for KIND[:NAME]] [--stateful] [--times N]
//!             [--pki DIRECTORY] [--contexts HEX,HEX…] [--tls DIRECTORY [--certificate NAME]]
//!             [--operation NAME --text TEXT]
//! interop-ejb serve FILE [--authentication off|optional|required] [--stateless] [--asserter NAME]
//!             [--realm NAME] [--password TEXT] [--tls DIRECTORY [--tls-port PORT] [--tls-alone] [--verify]]
//! interop-ejb member DIRECTORY HOST:PORT omg|arjuna|both
//! interop-ejb root DIRECTORY HOST:PORT omg|arjuna|both URL CASE
//! ```
//!
//! `call` makes an account with the home at URL, and asks it who calls. It prints what that says, or the
//! exception, with what the server has said of the security context. The contexts in hexadecimal go with
//! the requests in the place of our own, one for each time. `serve` has an account that tells who calls
//! it, until its standard input ends. `member` has one that works in the transactions of its
//! clients, until it is killed; its log is in the directory, and what its resource is told. `root` has a
//! transaction of its own, in which a bean takes part, and dies where the case says so.

mod call;
mod options;
mod serve;
mod transact;

use armilla_tls::Authority;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Duration;

mod generated {
    armilla::include_idl!("account");
}

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["authority", directory] => authority(Path::new(directory)),
        ["call", url, ref rest @ ..] => call::call(url, &options::Options(rest)),
        ["serve", file, ref rest @ ..] => serve::serve(file, &options::Options(rest)),
        ["member", ref rest @ ..] => transact::Node::new(rest, None)?.serve(),
        ["root", ref rest @ .., url, case] => {
            let when = match case {
                "our root dies before it decides" => Some("before"),
                "our root dies after it has decided" => Some("after"),
                _ => None,
            };
            transact::Node::new(rest, when)?.root(url, case)
        }
        _ => Err("see the head of src/bin/ejb/main.rs".into()),
    }
}

/// An authority, and certificates of it for this host: `server.pem` and `client.pem`, with their keys.
fn authority(directory: &Path) -> Outcome {
    const DAY: Duration = Duration::from_secs(86_400);
    let authority = Authority::new("authority", DAY)?;
    fs::create_dir_all(directory)?;
    fs::write(directory.join("authority.pem"), &authority.own().certificate)?;
    for (name, subject) in [("server", "server"), ("client", "ann")] {
        let issued = authority.issue(subject, &["127.0.0.1", "localhost"], DAY)?;
        fs::write(directory.join(format!("{name}.pem")), issued.certificate + &issued.key)?;
    }
    Ok(())
}
