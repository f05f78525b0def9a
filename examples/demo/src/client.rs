//! The client process of the demonstration: calls every operation, then measures.

use crate::allocations;
use crate::generated::measuring::{self, Probe};
use crate::generated::observatory::TelescopeRef;
use crate::generated::{BinStruct, TtcpSequence, TtcpSequenceRef, ttcp_sequence};
use crate::measure::{Effort, Spread, batches};
use crate::plain::PlainClient;
use crate::report::{ByBothCalls, Compared, Report};
use crate::server::Sink;
use crate::{calls, cpu_of, facts, option, recorder};
use armilla::{Orb, SameHost};
use armilla_terminal::{Failure, Outcome, say};
use std::ffi::{OsStr, OsString};
use std::hint::black_box;
use std::path::PathBuf;
use std::process::exit;
use std::thread;
use std::time::{Duration, Instant};

/// The arguments that the parent process passes.
#[derive(Debug)]
pub(crate) struct Arguments {
    telescope: String,
    probe: String,
    cpu: Option<usize>,
    json: Option<PathBuf>,
    quick: bool,
}

impl Arguments {
    /// Reads the options behind the role.
    ///
    /// # Errors
    /// One of the references is missing.
    pub(crate) fn read(options: &[OsString]) -> Outcome<Self> {
        let reference = |name| {
            let url = option(options, name).and_then(OsStr::to_str);
            url.map(str::to_owned).ok_or_else(|| Failure::because(format!("{name} is missing")))
        };
        Ok(Self {
            telescope: reference("--telescope")?,
            probe: reference("--probe")?,
            cpu: cpu_of(options),
            json: option(options, "--json").map(PathBuf::from),
            quick: options.iter().any(|option| option == "--quick"),
        })
    }
}

/// The demonstration fails after this time, so that it ends even if a call hangs.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(55);

/// No new series of measurements begins after this time. An idle machine needs a quarter of it.
const MEASURING_TIME: Duration = Duration::from_secs(25);

pub(crate) fn run(arguments: Arguments) -> Outcome {
    crate::on_parent_exit(|| exit(1));
    thread::spawn(|| {
        thread::sleep(TOTAL_TIMEOUT);
        let seconds = TOTAL_TIMEOUT.as_secs();
        eprintln!("error: the demonstration did not finish within {seconds} s");
        exit(1);
    });
    let cpu = crate::bind(arguments.cpu);
    let orb = Orb::builder()
        .listen("iiop://127.0.0.1:0")?
        .settings(|settings| settings.congestion_control = facts::congestion_control())
        .build()?;

    say!("\nCalls through the stubs generated from idl/demo.idl:\n")?;
    let telescope: TelescopeRef = orb.resolve(&arguments.telescope)?;
    calls::run(&orb, &telescope)?;

    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let probe: measuring::ProbeRef = orb.resolve(&arguments.probe)?;
    say!("\nMeasuring …")?;
    let report = measure(&orb, &probe, effort, cpu)?;
    say!("{report}")?;
    if let Some(path) = &arguments.json {
        report.write(path)?;
        say!("\nWrote the figures to {}.", path.display())?;
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
    // The same object, for a client that calls it as from another host.
    let tcp = Orb::builder().settings(|settings| {
        settings.same_host = SameHost::Off;
        settings.congestion_control = facts::congestion_control();
    });
    let tcp = tcp.build()?;
    let far: TtcpSequenceRef = tcp.string_to_object(&orb.object_to_string(&sink)?)?.assume();
    let void = |sink: &TtcpSequenceRef| -> Outcome { Ok(sink.send_no_params_2way()?) };
    let structs = |sink: &TtcpSequenceRef| -> Outcome { Ok(sink.send_struct_seq_2way(&structs)?) };
    let mut voids = [Pair::new(&sink, port, void)?, Pair::new(&far, port, void)?];
    let mut struct1024s = [Pair::new(&sink, port, structs)?, Pair::new(&far, port, structs)?];

    let begun = Instant::now();
    for _ in 0..effort.series {
        voids.iter_mut().try_for_each(|pair| pair.series(effort))?;
        struct1024s.iter_mut().try_for_each(|pair| pair.series(effort))?;
        if begun.elapsed() > MEASURING_TIME {
            break;
        }
    }
    let server_cpu = usize::try_from(probe.cpu()?).ok();
    let way = sink.object().way().map_or_else(String::new, |way| way.to_string());
    let [same_host, over_tcp] = {
        let ([near, far], [near_structs, far_structs]) = (voids, struct1024s);
        let both = |void: Compared, struct1024: Compared| ByBothCalls { void, struct1024 };
        [both(near.compared, near_structs.compared), both(far.compared, far_structs.compared)]
    };
    Ok(Report {
        effort,
        way,
        same_host,
        over_tcp,
        collocated: collocated(orb, effort)?,
        allocations: count_allocations(&sink, probe)?,
        // The figures are meant for one CPU for both; the report warns about anything else.
        cpu: cpu.filter(|_| cpu == server_cpu),
    })
}

/// A call, and the exchange of the same octets over a plain socket.
struct Pair<'s, C> {
    sink: &'s TtcpSequenceRef,
    call: C,
    plain: PlainClient,
    compared: Compared,
}

impl<'s, C: Fn(&TtcpSequenceRef) -> Outcome> Pair<'s, C> {
    fn new(sink: &'s TtcpSequenceRef, port: u16, call: C) -> Outcome<Self> {
        let exchange = recorder::record(sink.object(), |object| call(&object.assume()))?;
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

/// Heap allocations of one void call, in the client and in the server, in the steady state.
fn count_allocations(sink: &TtcpSequenceRef, probe: &measuring::ProbeRef) -> Outcome<(f64, f64)> {
    const CALLS: u32 = 1000;
    // Two calls of `allocations` show how many allocations one of them costs the server.
    let (first, second) = (probe.allocations()?, probe.allocations()?);
    let client = allocations::count();
    for _ in 0..CALLS {
        sink.send_no_params_2way()?;
    }
    let client = allocations::count() - client;
    let server = probe.allocations()? - second;
    let server = server.checked_sub(second - first);
    let server = server.ok_or_else(|| Failure::because("the server's allocations decreased"))?;
    let each = |count: u64| count as f64 / f64::from(CALLS);
    Ok((each(client), each(server)))
}
