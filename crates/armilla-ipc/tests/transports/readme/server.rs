use armilla_ipc::{StreamOptions, listen};
use std::{env, error::Error, io, io::Write};

fn main() -> Result<(), Box<dyn Error>> {
    let place = env::args().nth(1).unwrap_or("tcp://0.0.0.0:7777".into()).parse()?;
    let acceptor = listen(&place, &StreamOptions::default())?;
    while let Some(stream) = acceptor.accept()? {
        eprintln!("{} connected", stream.peer());
        let mut buffer = [0; 8192];
        while let count @ 1.. = stream.recv(&mut buffer)? {
            io::stdout().write_all(&buffer[..count])?;
        }
    }
    Ok(())
}
