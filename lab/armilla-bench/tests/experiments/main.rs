//! The commands `bench` and `ttcp`, as those meet them who measure.

mod bench;
mod chaos;
mod ttcp;
