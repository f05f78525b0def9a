//! The servant. Its method returns at once; a task of tokio completes the reply.

use crate::weather::station::TemperatureRaises;
use crate::weather::{AmhStation, Station, Unknown};
use armilla::{Error, ResponseHandler};
use std::time::Duration;
use tokio::runtime::Handle;

/// A station whose sensor takes a while.
pub struct SlowStation {
    runtime: Handle,
    delay: Duration,
}

impl SlowStation {
    /// A station that answers after `delay`, from a task of `runtime`.
    pub fn new(runtime: Handle, delay: Duration) -> Self {
        Self { runtime, delay }
    }
}

impl AmhStation for SlowStation {
    fn temperature_amh(&self, place: &str, reply: ResponseHandler<f64, Error<TemperatureRaises>>) {
        // The arguments are borrowed from the request; the task owns what it needs.
        let (place, delay) = (place.to_owned(), self.delay);
        self.runtime.spawn(async move {
            tokio::time::sleep(delay).await;
            reply.complete(match place.as_str() {
                "Tromsø" => Ok(-4.5),
                _ => Err(Unknown { name: place }.into()),
            });
        });
    }
}

impl Station for SlowStation {
    /// For callers within the process: it waits for what the task answers.
    fn temperature(&self, place: &str) -> Result<f64, Error<TemperatureRaises>> {
        ResponseHandler::wait_for(|reply| self.temperature_amh(place, reply))
    }
}
