//! The simulated plant: tanks that valves fill and pumps empty, and counters that only count.

use super::quality::Quality;
use super::space::{Item, Space};
use super::value::{Sample, convert};
use crate::status::{BAD_RIGHTS, RANGE};
use armilla_dcerpc::Status;
use armilla_dcom::automation::Variant;
use std::sync::Arc;
use std::time::Duration;

/// The plant moves in steps of this length.
pub const STEP: Duration = Duration::from_millis(50);

/// Each counter counts once in so many steps.
const COUNTED: u64 = 2;

/// A plant with the values of all its items. Its time moves when it is told to.
#[derive(Debug)]
pub struct Plant {
    space: Arc<Space>,
    samples: Vec<Sample>,
    tanks: Vec<Tank>,
    counters: Vec<usize>,
    steps: u64,
    noise: u64,
}

/// A tank, and the numbers of its items.
#[derive(Debug)]
struct Tank {
    level: f64,
    position: f64,
    speed: f64,
    hours: f64,
    items: Items,
}

#[derive(Debug)]
struct Items {
    level: usize,
    high: usize,
    temperature: usize,
    failed: usize,
    setpoint: usize,
    position: usize,
    running: usize,
    speed: usize,
    hours: usize,
}

/// Adds the items of one tank.
fn tank(space: &mut Space, number: usize) -> Tank {
    let mut add = |name: &str, initial: Variant, writable, (description, unit), range| {
        let id = format!("Tank{number}.{name}");
        space.add(Item { id, initial, writable, description, unit, range })
    };
    let percent = Some((0.0, 100.0));
    let items = Items {
        level: add("Level", 50.0.into(), false, ("How full the tank is", "%"), percent),
        high: add("High", false.into(), false, ("The level is above 90 %", ""), None),
        temperature: add(
            "Temperature",
            20.0f32.into(),
            false,
            ("The temperature of the content", "°C"),
            Some((-20.0, 120.0)),
        ),
        failed: add("Sensor.Failed", false.into(), true, ("Lets the level sensor fail", ""), None),
        setpoint: add("Inlet.Setpoint", 50.0.into(), true, ("Where the valve goes", "%"), percent),
        position: add("Inlet.Position", 0.0.into(), false, ("Where the valve is", "%"), percent),
        running: add("Pump.Running", true.into(), true, ("Whether the pump runs", ""), None),
        speed: add(
            "Pump.Speed",
            0.0.into(),
            false,
            ("How fast the pump turns", "rpm"),
            Some((0.0, 3000.0)),
        ),
        hours: add("Pump.Hours", 0i32.into(), false, ("How long the pump ran", "h"), None),
    };
    let label = format!("Tank {number}");
    add("Label", label.as_str().into(), true, ("What operators call the tank", ""), None);
    Tank { level: 50.0, position: 0.0, speed: 0.0, hours: 0.0, items }
}

/// Goes from a value towards another one, by this much at most.
fn ramp(from: f64, to: f64, most: f64) -> f64 {
    from + (to - from).clamp(-most, most)
}

/// To a hundredth, as instruments show it.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

impl Plant {
    /// A plant with so many tanks and counters, at a time after 1970.
    pub fn new(tanks: usize, counters: usize, now: Duration) -> Self {
        let mut space = Space::default();
        let tanks: Vec<_> = (1..=tanks).map(|number| tank(&mut space, number)).collect();
        let counter = |number: usize| Item {
            id: format!("Counters.C{number:03}"),
            initial: 0i32.into(),
            writable: false,
            description: "Counts ten times a second",
            unit: "",
            range: None,
        };
        let counters = (0..counters).map(|number| space.add(counter(number))).collect();
        let first =
            |item: &Item| Sample { value: item.initial.clone(), quality: Quality::GOOD, time: now };
        let samples = space.items().iter().map(first).collect();
        let (space, steps, noise) = (Arc::new(space), 0, 0x9e37_79b9_7f4a_7c15);
        Self { space, samples, tanks, counters, steps, noise }
    }

    /// The items.
    pub fn space(&self) -> &Arc<Space> {
        &self.space
    }

    /// The value of each item, at the item's number.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Writes an item: a value of any type that becomes the item's.
    ///
    /// # Errors
    ///
    /// If the item may not be written, or the value is none of its values.
    pub fn write(&mut self, item: usize, value: &Variant, now: Duration) -> Result<(), Status> {
        let known = &self.space.items()[item];
        if !known.writable {
            return Err(BAD_RIGHTS);
        }
        let value = convert(value, known.vt())?;
        if let (Some((low, high)), Some(number)) = (known.range, value.as_f64())
            && !(low..=high).contains(&number)
        {
            return Err(RANGE);
        }
        self.set(item, value, now);
        Ok(())
    }

    fn set(&mut self, item: usize, value: Variant, now: Duration) {
        self.observe(item, value, Quality::GOOD, now);
    }

    /// What an instrument says; the time is that of the last change.
    fn observe(&mut self, item: usize, value: Variant, quality: Quality, time: Duration) {
        let sample = &mut self.samples[item];
        if sample.value != value || sample.quality != quality {
            *sample = Sample { value, quality, time };
        }
    }

    fn number(&self, item: usize) -> f64 {
        self.samples[item].value.as_f64().unwrap_or_default()
    }

    fn is_on(&self, item: usize) -> bool {
        self.samples[item].value.as_bool().unwrap_or_default()
    }

    /// Noise between −1 and 1 that is the same in each run.
    fn noise(&mut self) -> f64 {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        (self.noise >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Moves on by one [`STEP`], which ends at this time.
    pub fn step(&mut self, now: Duration) {
        self.steps += 1;
        let mut tanks = std::mem::take(&mut self.tanks);
        tanks.iter_mut().for_each(|tank| self.step_tank(tank, now));
        self.tanks = tanks;
        if self.steps.is_multiple_of(COUNTED) {
            let count = (self.steps / COUNTED) as i32;
            for at in 0..self.counters.len() {
                self.set(self.counters[at], count.into(), now);
            }
        }
    }

    fn step_tank(&mut self, tank: &mut Tank, now: Duration) {
        let seconds = STEP.as_secs_f64();
        // The valve moves by 10 % a second, the pump gains 500 rpm in one.
        tank.position = ramp(tank.position, self.number(tank.items.setpoint), 10.0 * seconds);
        let running = self.is_on(tank.items.running);
        let wanted = if running { 1500.0 } else { 0.0 };
        tank.speed = ramp(tank.speed, wanted, 500.0 * seconds);
        // Half open, the valve lets in what the pump takes out.
        let flow = tank.position / 50.0 - tank.speed / 1500.0;
        tank.level = (tank.level + 2.0 * flow * seconds).clamp(0.0, 100.0);
        if running {
            tank.hours += seconds / 3600.0;
        }
        let items = &tank.items;
        let level = (tank.level + 0.2 * self.noise()).clamp(0.0, 100.0);
        match self.is_on(items.failed) {
            // The last value stays, and nobody should believe it.
            true => {
                let last = self.samples[items.level].value.clone();
                self.observe(items.level, last, Quality::SENSOR_FAILURE, now);
            }
            false => self.set(items.level, rounded(level).into(), now),
        }
        let temperature = 20.0 + tank.speed / 100.0 + 0.1 * self.noise();
        self.set(items.temperature, (rounded(temperature) as f32).into(), now);
        self.set(items.high, (tank.level > 90.0).into(), now);
        self.set(items.position, rounded(tank.position).into(), now);
        self.set(items.speed, rounded(tank.speed).into(), now);
        self.set(items.hours, (tank.hours as i32).into(), now);
    }
}
