//! Interceptors and what surrounds them: initializers, points, slots, and policies of the program.

mod custom_policies;
mod initializers;
mod intercepted_values;
mod interception_points;
mod interceptors;
mod ior_interceptors;
mod slots;
