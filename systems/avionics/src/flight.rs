//! The consumers of the flight: navigation, head-up display, recorder.

use crate::avionics::{
    AIR_DATA, ATTITUDE_DATA, Attitude, ENGINE_DATA, GPS_DATA, INERTIAL_DATA, Sample,
};
use crate::instruments::Instrument;
use crate::plan::Plan;
use armilla_events::corba::{DiscardPolicy, Event};
use armilla_events::{ConsumerConnection, ConsumerOptions, EventChannel, EventError, Subscription};
use armilla_ipc::real_time::{PiMutex, monotonic_now};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The source of what navigation says.
const NAVIGATION: u32 = 5;

/// What flies: the consumers, and their instruments.
pub struct Flight {
    /// An instrument for each operation of this process.
    pub instruments: Vec<Arc<Instrument>>,
    /// The connections of the consumers, in the order of the instruments.
    pub connections: Vec<ConsumerConnection>,
    /// How many octets the recorder has kept.
    pub recorded: Arc<AtomicU64>,
}

/// What navigation knows.
#[derive(Default)]
struct Known {
    speed: f64,
    position: f64,
}

impl Flight {
    /// Connects the consumers, each at the priority of its operation.
    ///
    /// # Errors
    /// Those of [`EventChannel::connect`].
    pub fn begin(channel: &EventChannel, plan: &Plan) -> Result<Self, EventError> {
        let recorded = Arc::<AtomicU64>::default();
        let mut flight = Self { instruments: Vec::new(), connections: Vec::new(), recorded };
        let known = Arc::new(PiMutex::new(Known::default()));
        let of_update = (known.clone(), channel.clone());
        flight.connect(
            channel,
            plan,
            "Avionics::Navigation::update",
            INERTIAL_DATA,
            move |event| {
                let (known, channel) = &of_update;
                update(known, channel, event);
            },
        )?;
        let of_air = known.clone();
        flight.connect(channel, plan, "Avionics::Navigation::correct", AIR_DATA, move |event| {
            of_air.lock().speed = sample(event).value;
        })?;
        flight.connect(channel, plan, "Avionics::Navigation::fix", GPS_DATA, move |event| {
            known.lock().position = sample(event).value;
        })?;
        flight.connect_hud(channel, plan)?;
        flight.connect_recorder(channel, plan)?;
        Ok(flight)
    }

    fn instrument(&mut self, plan: &Plan, operation: &'static str) -> Arc<Instrument> {
        // Ten seconds at 100 Hz, and the recorder.
        let instrument = Instrument::new(operation, plan.deadline(operation), 4_096);
        self.instruments.push(Arc::new(instrument));
        self.instruments[self.instruments.len() - 1].clone()
    }

    /// Connects an operation that each event of a type triggers.
    fn connect(
        &mut self,
        channel: &EventChannel,
        plan: &Plan,
        operation: &'static str,
        event_type: u32,
        run: impl Fn(&Event) + Send + Sync + 'static,
    ) -> Result<(), EventError> {
        let instrument = self.instrument(plan, operation);
        let consumer = move |events: &[Event]| {
            let begun = monotonic_now();
            events.iter().for_each(&run);
            instrument.record(begun, events[0].header.age());
        };
        let options = ConsumerOptions::new(Subscription::of_type(event_type))
            .operation(operation)
            .queue_length(4);
        self.connections.push(channel.connect(consumer, options)?);
        Ok(())
    }

    /// The display draws the latest attitude at 20 Hz: the conjunction of a timer and an attitude.
    fn connect_hud(&mut self, channel: &EventChannel, plan: &Plan) -> Result<(), EventError> {
        let operation = "Avionics::Hud::draw";
        let instrument = self.instrument(plan, operation);
        let consumer = move |events: &[Event]| {
            let begun = monotonic_now();
            let attitude = events[0].value::<Attitude>().ok().flatten().unwrap_or_default();
            let frame = format!("{:+6.1}° {:6.1} kt", attitude.pitch, attitude.speed);
            std::hint::black_box(frame);
            // From the later of both, the timer or the attitude, which releases it.
            let ages = events.iter().map(|event| event.header.age());
            instrument.record(begun, ages.min().unwrap_or_default());
        };
        let timer = Subscription::every(Duration::from_millis(50));
        let latest = Subscription::all_of([Subscription::of_type(ATTITUDE_DATA), timer]);
        let options = ConsumerOptions::new(latest).operation(operation).queue_length(1);
        self.connections.push(channel.connect(consumer, options)?);
        Ok(())
    }

    fn connect_recorder(&mut self, channel: &EventChannel, plan: &Plan) -> Result<(), EventError> {
        let operation = "Avionics::Recorder::record";
        let instrument = self.instrument(plan, operation);
        let recorded = self.recorded.clone();
        let consumer = move |events: &[Event]| {
            let begun = monotonic_now();
            for event in events {
                let size = size_of_val(&event.header) as u64 + 16;
                recorded.fetch_add(size, Ordering::Relaxed);
                instrument.record(begun, event.header.age());
            }
        };
        let all = [INERTIAL_DATA, AIR_DATA, ENGINE_DATA, GPS_DATA, ATTITUDE_DATA]
            .map(Subscription::of_type);
        let options = ConsumerOptions::new(Subscription::any_of(all))
            .operation(operation)
            .queue_length(1_024)
            .discard(DiscardPolicy::DiscardNewest);
        self.connections.push(channel.connect(consumer, options)?);
        Ok(())
    }
}

/// Computes the attitude from an inertial measurement, and says it.
fn update(known: &PiMutex<Known>, channel: &EventChannel, event: &Event) {
    let Sample { number, value } = sample(event);
    let Known { speed, position } = *known.lock();
    let attitude = Attitude { number, pitch: value.sin() * 10.0, speed, position };
    if let Ok(mut said) = Event::new(NAVIGATION, ATTITUDE_DATA, &attitude) {
        // Its age is that of the measurement.
        said.header.created = event.header.created;
        channel.push(said);
    }
}

fn sample(event: &Event) -> Sample {
    event.value().ok().flatten().unwrap_or_default()
}
