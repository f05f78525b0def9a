//! The client process of the demonstration: tells the story, then measures.

use super::generated::measuring::{self, Probe};
use super::generated::observatory::TelescopeRef;
use super::generated::{BinStruct, TtcpSequence, TtcpSequenceRef, ttcp_sequence};
use super::measure::{Effort, Spread, batches};
use super::plain::PlainClient;
use super::report::{Compared, Report};
use super::server::Sink;
use super::{facts, story, tap};
use crate::allocations;
use crate::failure::{Failure, Outcome};
use crate::output::say;
use armilla::Orb;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::exit;
use std::thread;
use std::time::{Duration, Instant};

/// What the starting process tells this one.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The telescope's URL
    #[arg(long)]
    telescope: String,
    /// The probe's URL
    #[arg(long)]
    probe: String,
    /// The CPU to run on
    #[arg(long)]
    cpu: Option<usize>,
    /// Where the figures go
    #[arg(long)]
    json: Option<PathBuf>,
    /// Measure next to nothing
    #[arg(long)]
    quick: bool,
}

/// The demonstration ends by itself, also where something hangs.
const LIMIT: Duration = Duration::from_secs(55);

/// After this time no new series of measurements is begun; a quiet machine needs a quarter of it.
const ENOUGH: Duration = Duration::from_secs(25);

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    super::when_abandoned(|| exit(1));
    thread::spawn(|| {
        thread::sleep(LIMIT);
        eprintln!("error: the demonstration was not over after {} s", LIMIT.as_secs());
        exit(1);
    });
    let cpu = super::bind(arguments.cpu);
    let orb = Orb::builder()
        .listen("iiop://127.0.0.1:0")?
        .settings(|settings| settings.congestion_control = facts::congestion_control())
        .build()?;

    say!("\nCalls through the stubs that were generated from idl/demo.idl:\n")?;
    let telescope: TelescopeRef = orb.resolve(&arguments.telescope)?;
    story::tell(&orb, &telescope)?;

    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let probe: measuring::ProbeRef = orb.resolve(&arguments.probe)?;
    say!("\nMeasuring …")?;
    let report = measure(&orb, &probe, effort, cpu)?;
    say!("{report}")?;
    if let Some(path) = &arguments.json {
        report.write(path)?;
        say!("\nThese figures are in {} too.", path.display())?;
    }
    orb.shutdown();
    Ok(())
}

fn measure(
    orb: &Orb,
    probe: &measuring::ProbeRef,
    effort: Effort,
    cpu: Option<usize>,
) -> Outcome<Report> {
    let sink = probe.sink()?;
    let port = probe.plain_port()?;
    let structs = structs();
    let mut void = Contest::new(&sink, port, |sink| Ok(sink.send_no_params_2way()?))?;
    let mut struct1024 =
        Contest::new(&sink, port, |sink| Ok(sink.send_struct_seq_2way(&structs)?))?;

    let begun = Instant::now();
    for _ in 0..effort.series {
        void.series(effort)?;
        struct1024.series(effort)?;
        if begun.elapsed() > ENOUGH {
            break;
        }
    }
    let server_cpu = usize::try_from(probe.cpu()?).ok();
    Ok(Report {
        effort,
        void: void.compared,
        struct1024: struct1024.compared,
        collocated: collocated(orb, effort)?,
        allocations: count_allocations(&sink, probe)?,
        // One core for both is what the figures are about; anything else is said.
        cpu: cpu.filter(|_| cpu == server_cpu),
    })
}

/// A call against the exchange of exactly the same octets over a plain socket.
struct Contest<'s, C> {
    sink: &'s TtcpSequenceRef,
    call: C,
    plain: PlainClient,
    compared: Compared,
}

impl<'s, C: Fn(&TtcpSequenceRef) -> Outcome> Contest<'s, C> {
    fn new(sink: &'s TtcpSequenceRef, port: u16, call: C) -> Outcome<Self> {
        let exchange = tap::record(sink.object(), |object| call(&object.assume()))?;
        let octets = (exchange.request.len(), exchange.reply.len());
        let plain = PlainClient::connect(port, exchange.request, &exchange.reply)?;
        Ok(Self { sink, call, plain, compared: Compared { times: Default::default(), octets } })
    }

    fn series(&mut self, effort: Effort) -> Outcome {
        let Self { sink, call, plain, compared } = self;
        compared.times.series(effort, || call(sink), || plain.exchange())
    }
}

/// 1,024 structs with different values.
fn structs() -> Vec<BinStruct> {
    let element = |i: i16| BinStruct {
        s: i,
        c: b'a' + (i % 26) as u8,
        l: i32::from(i) * 1000,
        o: (i % 251) as u8,
        d: f64::from(i) / 3.0,
    };
    (0..1024).map(element).collect()
}

/// Calls an object of this process through the same stub.
fn collocated(orb: &Orb, effort: Effort) -> Outcome<Spread> {
    let sink = orb.root_poa().activate(ttcp_sequence::tie(Sink))?;
    batches(effort, || Ok(black_box(black_box(&sink).send_no_params_2way())?))
}

/// Heap allocations of one void call, in the client and in the server, when connections and buffers
/// are as they stay.
fn count_allocations(sink: &TtcpSequenceRef, probe: &measuring::ProbeRef) -> Outcome<(f64, f64)> {
    const CALLS: u32 = 1000;
    // What asking itself costs the server is seen by asking twice.
    let (first, second) = (probe.allocations()?, probe.allocations()?);
    let client = allocations::count();
    for _ in 0..CALLS {
        sink.send_no_params_2way()?;
    }
    let client = allocations::count() - client;
    let server = probe.allocations()? - second;
    let server = server.checked_sub(second - first);
    let server = server.ok_or_else(|| Failure::because("the server's allocations went back"))?;
    let each = |count: u64| count as f64 / f64::from(CALLS);
    Ok((each(client), each(server)))
}
