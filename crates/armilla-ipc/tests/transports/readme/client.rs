use armilla_ipc::{StreamOptions, connect};
use std::{env, error::Error, io, io::Read, time::Duration};

fn main() -> Result<(), Box<dyn Error>> {
    let server = env::args().nth(1).unwrap_or("tcp://localhost:7777".into()).parse()?;
    let stream = connect(&server, Some(Duration::from_secs(5)), &StreamOptions::default())?;
    let mut buffer = [0; 8192];
    loop {
        match io::stdin().read(&mut buffer)? {
            0 => return Ok(()),
            count => stream.send_all(&buffer[..count])?,
        }
    }
}
