//! Values: valuetypes, their graphs and cycles, and what other ORBs write.

mod java_values;
mod lone_surrogates;
mod polymorphic_anys;
mod shapes;
mod value_cycles;
mod value_graphs;
mod value_types;
