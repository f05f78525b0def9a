//! Measures a naming service: memory, start, resolves and binds. `docs/naming.md` has the results.
//!
//! ```text
//! cargo run --release -p armilla-naming --features disk --example measure_naming [BINDINGS]
//! ```

use armilla::{Orb, SystemException};
use armilla_cos_naming::{
    Binding, BindingIterator, BindingIteratorRef, NameComponent, NamingContext,
    NamingContextExtRef, binding_iterator,
};
use armilla_giop::Version;
use armilla_giop::ior::{IiopProfile, Ior};
use armilla_naming::model::{Bound, Change, ContextId, NameTree, Step, Target};
use armilla_naming::{NamingService, Store};
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How many bindings one context has.
const PER_CONTEXT: usize = 1000;

/// The clients that bind at the same time.
const CLIENTS: usize = 64;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let bindings: usize = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let directory = std::env::temp_dir().join(format!("armilla-measure-{}", std::process::id()));
    let memory = memory(bindings)?;
    println!("memory: {memory:.0} octets a binding, {bindings} bindings");
    fill(&directory, bindings)?;
    let begun = Instant::now();
    let store = Store::open(&directory)?;
    println!("start: {:.2} s with {} bindings", begun.elapsed().as_secs_f64(), bindings);
    // Those of the contexts in the root are more.
    assert!(store.read().bindings() > bindings);
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    let service = NamingService::builder().store(store).serve(&orb)?;
    resolves(&orb, &service, bindings)?;
    binds(&service)?;
    orb.shutdown();
    drop(service);
    std::fs::remove_dir_all(directory)?;
    Ok(())
}

/// A reference as a server writes it: 27 octets of key, an address, a type.
fn reference(number: usize) -> Vec<u8> {
    let profile = IiopProfile {
        version: Version::V1_2,
        host: "192.168.100.200".into(),
        port: 40_000,
        object_key: format!("\u{fe}abcdef01234567890123-{number:06}").into_bytes(),
        components: Vec::new(),
    };
    let profile = profile.to_tagged().expect("the profile is short");
    let ior = Ior { type_id: "IDL:Example/Telescope:1.0".into(), profiles: vec![profile] };
    let mut out = armilla::Encoder::new(armilla::ByteOrder::Big);
    armilla::Encode::encode(&ior, &mut out).expect("the reference is short");
    out.to_vec()
}

fn component(text: String) -> NameComponent {
    NameComponent { id: text, kind: "device".into() }
}

fn step(number: usize) -> Step {
    let id = format!("telescope-{number:07}");
    let component = armilla_naming::model::NameComponent { id, kind: "device".into() };
    Step::new(&component).expect("the name has no NUL")
}

/// The change that makes one binding.
fn change(number: usize) -> Change {
    let context = ContextId(1 + (number / PER_CONTEXT) as u64);
    let target = Target::Object(reference(number).as_slice().into());
    Change::Bind { context, step: step(number), bound: Bound::new(target, 1_800_000_000) }
}

/// The changes that make contexts below the root.
fn contexts(bindings: usize) -> impl Iterator<Item = Change> {
    let count = bindings.div_ceil(PER_CONTEXT);
    (1..=count as u64).flat_map(|number| {
        let id = format!("room-{number}");
        let component = armilla_naming::model::NameComponent { id, kind: "device".into() };
        let step = Step::new(&component).expect("the name has no NUL");
        let context = ContextId(number);
        let bound = Bound::new(Target::Context(context), 1_800_000_000);
        let root = armilla_naming::model::ROOT;
        [
            Change::Create { context, created: 1_800_000_000 },
            Change::Bind { context: root, step, bound },
        ]
    })
}

fn resident() -> Outcome<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).ok_or("no VmRSS")?;
    Ok(kib.parse::<f64>()? * 1024.0)
}

/// Octets of resident memory for a binding, contexts included.
fn memory(bindings: usize) -> Outcome<f64> {
    let before = resident()?;
    let mut tree = NameTree::default();
    contexts(bindings).chain((0..bindings).map(change)).for_each(|change| {
        tree.apply(change);
    });
    Ok((resident()? - before) / bindings as f64)
}

fn fill(directory: &std::path::Path, bindings: usize) -> Outcome {
    let store = Store::open(directory)?;
    let begun = Instant::now();
    let all: Vec<Change> = contexts(bindings).chain((0..bindings).map(change)).collect();
    for part in all.chunks(50_000) {
        store.change(|_| {
            Ok(armilla_naming::model::Decision::Here { changes: part.to_vec(), created: None })
        })?;
    }
    println!("fill: {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// A servant whose operation does nothing: what a call without parameters costs.
struct Void;

impl BindingIterator for Void {
    fn next_one(&self) -> Result<(bool, Binding), SystemException> {
        Ok(Default::default())
    }
    fn next_n(&self, _: u32) -> Result<(bool, Vec<Binding>), SystemException> {
        Ok(Default::default())
    }
    fn destroy(&self) -> Result<(), SystemException> {
        Ok(())
    }
}

/// The time that all threads of this process have had a processor. Other processes do not change it
/// much, however busy the machine is.
fn processor_time() -> Outcome<Duration> {
    let mut total = 0;
    for thread in std::fs::read_dir("/proc/self/task")? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        total += text.split_whitespace().next().ok_or("no schedstat")?.parse::<u64>()?;
    }
    Ok(Duration::from_nanos(total))
}

/// Resolves beside calls without parameters, in turns.
fn resolves(orb: &Orb, service: &NamingService, bindings: usize) -> Outcome {
    let client = Orb::new()?;
    let void: BindingIteratorRef = orb.root_poa().activate(binding_iterator::tie(Void))?;
    // By a URL, as the root context.
    let void: BindingIteratorRef = client.resolve(&orb.publish("void", &void)?)?;
    let root: NamingContextExtRef = client.resolve(service.url())?;
    let names: Vec<[NameComponent; 2]> = (0..2000)
        .map(|turn| {
            let number = turn * 7919 % bindings;
            let room = format!("room-{}", 1 + number / PER_CONTEXT);
            [component(room), component(format!("telescope-{number:07}"))]
        })
        .collect();
    let mut ratios = Vec::new();
    let (mut call, mut resolve) = (Duration::ZERO, Duration::ZERO);
    let (mut call_work, mut resolve_work) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..40 {
        let work_before = processor_time()?;
        let begun = Instant::now();
        for _ in &names {
            void.destroy()?;
        }
        let one = begun.elapsed();
        let work_between = processor_time()?;
        let begun_again = Instant::now();
        for name in &names {
            root.resolve(name)?;
        }
        let other = begun_again.elapsed();
        call_work += work_between - work_before;
        resolve_work += processor_time()? - work_between;
        ratios.push(other.as_secs_f64() / one.as_secs_f64());
        call += one;
        resolve += other;
    }
    ratios.sort_by(f64::total_cmp);
    let each = |time: Duration| time.as_secs_f64() * 1e6 / (40.0 * names.len() as f64);
    println!(
        "resolve: {:.2} µs, a call without parameters {:.2} µs, ratio {:.3} (median of 40)",
        each(resolve),
        each(call),
        ratios[ratios.len() / 2]
    );
    println!(
        "resolve: {:.2} µs of processor time, a call without parameters {:.2} µs, ratio {:.3}",
        each(resolve_work),
        each(call_work),
        resolve_work.as_secs_f64() / call_work.as_secs_f64()
    );
    Ok(())
}

/// Binds of many clients at once, each acknowledged when it is on the disk.
fn binds(service: &NamingService) -> Outcome {
    let count = AtomicUsize::new(0);
    let url = service.url();
    let limit = Duration::from_secs(5);
    let begun = Instant::now();
    let failed = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let count = &count;
                scope.spawn(move || -> Result<(), String> {
                    let orb = Orb::new().map_err(|error| error.to_string())?;
                    let root: NamingContextExtRef =
                        orb.resolve(url).map_err(|error| error.to_string())?;
                    let object = orb
                        .string_to_object("corbaloc::127.0.0.1:1/an-object-with-a-key")
                        .map_err(|error| error.to_string())?;
                    let mut number = 0;
                    while begun.elapsed() < limit {
                        let name = [component(format!("client-{client}-{number}"))];
                        root.bind(&name, &object).map_err(|error| error.to_string())?;
                        count.fetch_add(1, Ordering::Relaxed);
                        number += 1;
                    }
                    Ok(())
                })
            })
            .collect();
        clients.into_iter().find_map(|client| client.join().ok()?.err())
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    let rate = count.into_inner() as f64 / begun.elapsed().as_secs_f64();
    println!("binds: {rate:.0} acknowledged a second, {CLIENTS} clients");
    Ok(())
}
