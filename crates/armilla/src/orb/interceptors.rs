//! Registration of interceptors and services with the builder of an ORB.
//!
//! The traits of interceptors, and the registration itself, are in `interceptor`.

use super::OrbBuilder;
use crate::interceptor::{ClientInterceptor, IorInterceptor, OrbInitializer, ServerInterceptor};
use std::sync::Arc;

impl OrbBuilder {
    /// Registers an interceptor of outgoing requests. If two client interceptors have the same
    /// name, [`build`](Self::build) fails with `BAD_PARAM`.
    pub fn client_interceptor(mut self, interceptor: impl ClientInterceptor + 'static) -> Self {
        let added = self.registration.client(Arc::new(interceptor));
        self.registration.note(added);
        self
    }

    /// Registers an interceptor of incoming requests. If two server interceptors have the same
    /// name, [`build`](Self::build) fails with `BAD_PARAM`.
    pub fn server_interceptor(mut self, interceptor: impl ServerInterceptor + 'static) -> Self {
        let added = self.registration.server(Arc::new(interceptor));
        self.registration.note(added);
        self
    }

    /// Registers an IOR interceptor, which the ORB calls for every POA that the program creates. If
    /// two of them have the same name, [`build`](Self::build) fails with `BAD_PARAM`.
    pub fn ior_interceptor(mut self, interceptor: impl IorInterceptor + 'static) -> Self {
        let added = self.registration.ior(Arc::new(interceptor));
        self.registration.note(added);
        self
    }

    /// Registers the initializer of a service, which [`build`](Self::build) calls.
    #[doc(alias = "register_orb_initializer")]
    pub fn initializer(mut self, initializer: impl OrbInitializer + 'static) -> Self {
        self.registration.initializers.push(Box::new(initializer));
        self
    }
}
