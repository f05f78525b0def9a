//! Keeps a file that others fetch over stream endpoints, and tells the checksum of what they send,
//! until it is killed.
//!
//! ```text
//! stream-store FILE [-ORB...]
//! ```

use armilla::{Error, Orb, SystemException};
use armilla_stream::{
    Checksum, FlowAgreement, FlowConsumer, FlowProducer, FlowRequest, FlowSpec, Listener,
    NoAgreement, RunningChecksum, StreamError,
};
use std::fs::File;
use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

armilla::include_idl!("images");
use images::store::{FetchRaises, KeepRaises};
use images::{Store, StoreRef};

struct Servant {
    listener: Listener,
    file: Arc<File>,
    size: u64,
    keeping: Sender<Result<Vec<u8>, StreamError>>,
    kept: Mutex<Receiver<Result<Vec<u8>, StreamError>>>,
}

impl Store for Servant {
    fn fetch(&self, request: &FlowRequest) -> Result<FlowAgreement, Error<FetchRaises>> {
        let file = Arc::clone(&self.file);
        let work = move |producer: Result<FlowProducer, StreamError>| {
            let sent = producer.and_then(|mut producer| {
                let (from, size) = (producer.spec().offset, producer.spec().size);
                producer.send_file(&file, from, size - from)?;
                producer.finish()
            });
            println!("{sent:?}");
        };
        let agreed = self.listener.agree(request, FlowSpec::sized(self.size), work);
        Ok(agreed.map_err(|refused: NoAgreement| Error::User(refused.into()))?.0)
    }

    fn keep(&self, size: u64, request: &FlowRequest) -> Result<FlowAgreement, Error<KeepRaises>> {
        let keeping = self.keeping.clone();
        let work = move |consumer: Result<FlowConsumer, StreamError>| {
            let kept = consumer.and_then(|mut consumer| {
                let mut octets = Vec::new();
                consumer.read_to_end(&mut octets)?;
                Ok(RunningChecksum::of(Checksum::Crc32, &octets))
            });
            keeping.send(kept).ok();
        };
        let agreed = self.listener.agree(request, FlowSpec::sized(size), work);
        Ok(agreed.map_err(|refused: NoAgreement| Error::User(refused.into()))?.0)
    }

    fn kept(&self) -> Result<u32, SystemException> {
        let kept = self.kept.lock().unwrap().recv_timeout(Duration::from_secs(10));
        let digest = kept.expect("an upload comes before").expect("it was not cut");
        Ok(u32::from_be_bytes(digest.try_into().expect("four octets")))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: stream-store FILE")?;
    let file = Arc::new(File::open(path)?);
    let size = file.metadata()?.len();
    let listener = Listener::builder().tcp("127.0.0.1", 0).unix().start()?;
    let (keeping, kept) = channel();
    let servant = Servant { listener, file, size, keeping, kept: Mutex::new(kept) };
    let orb = Orb::from_args(std::env::args())?;
    let store: StoreRef = orb.root_poa().activate(images::store::tie(servant))?;
    println!("{}", orb.publish("Store", store.object())?);
    orb.run()?;
    Ok(())
}
