//! The server: gives parts of images as results, sends them in oneway calls, and as flows.

use super::client::processor_time;
use super::idl::images::{self, FlowStore, SinkRef, Store};
use super::{Outcome, PART, Worker, builder};
use crate::images::{Image, Images};
use armilla::{ExceptionKind, Orb, SystemException};
use armilla_stream::{
    FlowAgreement, FlowOptions, FlowProducer, FlowRequest, FlowSpec, Listener, StreamError,
};
use rustix::buffer::spare_capacity;
use std::io::{self, BufRead, Write};
use std::path::Path;

pub(super) fn run(worker: &Worker) -> Outcome {
    let directory = worker.options.first().ok_or("the directory of the images is missing")?;
    let images = Images::open(Path::new(directory))?;
    let orb = builder(worker).listen(&format!("iiop://{}:0", worker.place))?.build()?;
    let options = FlowOptions { stream: worker.stream_options(), ..FlowOptions::default() };
    let listener = Listener::builder().tcp(&worker.place, 0).unix().options(options).start()?;
    let servant = images::flow_store::tie(Keeper { images, listener });
    let store = orb.root_poa().activate(servant)?;
    println!("{}", orb.object_to_string(&store)?);
    tell_usage(&orb)
}

/// Answers each line with the processor time that this process has used, in nanoseconds.
fn tell_usage(orb: &Orb) -> Outcome {
    io::stdout().flush()?;
    for line in io::stdin().lock().lines() {
        line?;
        println!("{}", processor_time().as_nanos());
        io::stdout().flush()?;
    }
    orb.shutdown();
    Ok(())
}

struct Keeper {
    images: Images,
    listener: Listener,
}

impl Keeper {
    fn image(&self, number: u32) -> Result<&Image, SystemException> {
        let image = self.images.get(number);
        image.ok_or_else(|| ExceptionKind::BadParam.into())
    }
}

/// Reads `count` octets of an image into the empty `octets`, which has room for them.
fn read(
    image: &Image,
    offset: u64,
    count: usize,
    octets: &mut Vec<u8>,
) -> Result<(), SystemException> {
    while octets.len() < count {
        let from = image.offset + offset + octets.len() as u64;
        match rustix::io::pread(&*image.file, spare_capacity(octets), from) {
            Ok(0) | Err(_) => return Err(ExceptionKind::PersistStore.into()),
            Ok(_) => {}
        }
    }
    // There may have been room for more.
    octets.truncate(count);
    Ok(())
}

/// How many octets a part from `offset` on has.
fn part_of(image: &Image, offset: u64, count: u32) -> usize {
    image.size.saturating_sub(offset).min(u64::from(count)).min(PART as u64) as usize
}

impl Store for Keeper {
    fn read(&self, image: u32, offset: u64, count: u32) -> Result<Vec<u8>, SystemException> {
        let image = self.image(image)?;
        let part = part_of(image, offset, count);
        let mut octets = Vec::with_capacity(part);
        read(image, offset, part, &mut octets)?;
        Ok(octets)
    }

    fn push(&self, image: u32, count: u32, to: &SinkRef) -> Result<(), SystemException> {
        let (image, count) = (self.image(image)?, count.max(1));
        let mut octets = Vec::with_capacity(part_of(image, 0, count));
        let mut offset = 0;
        while offset < image.size {
            octets.clear();
            read(image, offset, part_of(image, offset, count), &mut octets)?;
            images::Sink::part(to, offset, &octets)?;
            offset += octets.len() as u64;
        }
        Ok(())
    }
}

/// At most so many flows are agreed on in a call.
const FLOWS: u32 = 16;

impl FlowStore for Keeper {
    fn open(
        &self,
        first: u32,
        count: u32,
        request: &FlowRequest,
    ) -> Result<Vec<FlowAgreement>, armilla::Error<images::flow_store::OpenRaises>> {
        let agree = |number| {
            let Image { file, offset, size } = self.image(number)?.clone();
            let work = move |producer: Result<FlowProducer, StreamError>| {
                let sent = producer.and_then(|it| it.finish_file(&file, offset, size));
                if let Err(error) = sent {
                    eprintln!("the server: {error}");
                }
            };
            Ok(self.listener.agree(request, FlowSpec::sized(size), work)?.0)
        };
        (first..first.saturating_add(count.min(FLOWS))).map(agree).collect()
    }
}
