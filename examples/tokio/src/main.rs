//! Asks a slow station a hundred times at once, from one thread.
//!
//! ```text
//! cargo run -p tokio-calls
//! ```

use armilla::{Error, Orb};
use armilla_ipc::{Address, StreamOptions};
use std::time::{Duration, Instant};
use tokio_calls::line;
use tokio_calls::station::SlowStation;
use tokio_calls::weather::station::TemperatureRaises;
use tokio_calls::weather::{Station, StationRef, station};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    let servant = SlowStation::new(tokio::runtime::Handle::current(), Duration::from_millis(50));
    let served: StationRef = server.root_poa().activate(station::tie_amh(servant))?.upcast();

    let client = Orb::new()?;
    let station: StationRef = client.resolve_async(&server.object_to_string(&served)?).await?;

    // All requests leave before the first reply arrives. The thread is free meanwhile.
    let begun = Instant::now();
    let replies: Vec<_> = (0..100).map(|_| station.temperature_async("Tromsø")).collect();
    for reply in replies {
        assert_eq!(reply.await?, -4.5);
    }
    let (one, all) = (Duration::from_millis(50), begun.elapsed());
    println!("100 answers that take {one:?} each, in less than {:?}: {}", 10 * one, all < 10 * one);

    match station.temperature_async("Atlantis").await {
        Err(Error::User(TemperatureRaises::Unknown(unknown))) => println!("no {}", unknown.name),
        other => println!("{other:?}"),
    }

    println!("{} bytes came back", echoed(b"over a Unix-domain socket").await?);
    server.shutdown();
    Ok(())
}

/// Sends `bytes` to a thread that returns them, and counts what comes back.
async fn echoed(bytes: &[u8]) -> Result<usize, Box<dyn std::error::Error>> {
    let here: Address = format!("unix://@tokio-calls-{}", std::process::id()).parse()?;
    let acceptor = armilla_ipc::listen(&here, &StreamOptions::default())?;
    let echo = std::thread::spawn(move || -> std::io::Result<()> {
        let Some(stream) = acceptor.accept()? else { return Ok(()) };
        let mut buffer = [0; 64];
        while let count @ 1.. = stream.recv(&mut buffer)? {
            stream.send_all(&buffer[..count])?;
        }
        Ok(())
    });
    let stream =
        armilla_ipc::connect(&here, Some(Duration::from_secs(5)), &StreamOptions::default())?;
    line::send_all(&*stream, bytes).await?;
    let (mut buffer, mut received) = ([0; 64], 0);
    while received < bytes.len() {
        match line::recv(&*stream, &mut buffer).await? {
            0 => break,
            count => received += count,
        }
    }
    drop(stream);
    echo.join().map_err(|_| "the echo failed")??;
    Ok(received)
}
