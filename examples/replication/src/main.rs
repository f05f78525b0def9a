//! A bank that survives the death of any of its processes.
//!
//! Without arguments but the address of an etcd cluster it starts three members, has tellers move
//! money, kills members all the while (SIGKILL), and says what came of it.

mod killer;
mod ledger;
mod member;
mod options;
mod report;
mod tellers;

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("ledger");
}

use options::Options;
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("{why}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    let done: Result<bool, Box<dyn Error>> = match &options.member {
        Some(name) => member::run(&options, name).map(|()| true),
        None => report::run(&options),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
