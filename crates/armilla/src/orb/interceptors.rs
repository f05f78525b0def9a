//! How a program registers interceptors with the ORB that it makes.

use super::OrbBuilder;
use crate::interceptor::{ClientInterceptor, IorInterceptor, OrbInitializer, ServerInterceptor};
use std::sync::Arc;

impl OrbBuilder {
    /// Registers an interceptor of requests that leave. Two of a kind with the same name let
    /// [`build`](Self::build) fail with `BAD_PARAM`.
    pub fn client_interceptor(mut self, interceptor: impl ClientInterceptor + 'static) -> Self {
        let added = self.registration.client(Arc::new(interceptor));
        self.registration.note(added);
        self
    }

    /// Registers an interceptor of requests that arrive.
    pub fn server_interceptor(mut self, interceptor: impl ServerInterceptor + 'static) -> Self {
        let added = self.registration.server(Arc::new(interceptor));
        self.registration.note(added);
        self
    }

    /// Registers an interceptor of POAs that are made.
    pub fn ior_interceptor(mut self, interceptor: impl IorInterceptor + 'static) -> Self {
        let added = self.registration.ior(Arc::new(interceptor));
        self.registration.note(added);
        self
    }

    /// Brings a service into the ORB.
    pub fn initializer(mut self, initializer: impl OrbInitializer + 'static) -> Self {
        self.registration.initializers.push(Box::new(initializer));
        self
    }
}
