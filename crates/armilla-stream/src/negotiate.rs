//! The one call in which both sides agree on a flow.
//!
//! The caller passes a [`FlowRequest`] as an argument of any operation, the servant returns a
//! [`FlowAgreement`].

use crate::connect::{TRANSPORTS, connect_with};
use crate::flow::FlowEnd;
use crate::listener::begin;
use crate::protected::{is_in_clear, is_needed, tcp_of};
use crate::wire::Verdict;
use crate::{
    Checksum, FlowAgreement, FlowControl, FlowEndPoint, FlowOptions, FlowRequest, FlowSpec,
    Listener, NoAgreement, StreamCtrlRef, StreamError, UNKNOWN_SIZE, connect,
};
use armilla::Caller;
use std::thread;

impl FlowRequest {
    /// A request for a flow whose endpoint the called side listens at. It begins at `offset`.
    pub fn connecting(offset: u64) -> Self {
        Self { connects: TRANSPORTS.map(str::to_owned).to_vec(), offset, ..Self::default() }
    }

    /// The same for a caller that connects with these options: over their transport that encrypts,
    /// too, if they have one. Where the call is encrypted, the called side offers no other.
    pub fn connecting_with(offset: u64, options: &FlowOptions) -> Self {
        let mut request = Self::connecting(offset);
        if let Some(protected) = &options.protected {
            request.connects.retain(|name| name != "tcp" || !protected.is_required());
            request.connects.push(protected.name().to_owned());
        }
        request
    }

    /// A request for a flow to which the called side connects: for a caller that others can reach,
    /// and that cannot reach them. The offset must be that of the offer. The called side connects
    /// where its [`Reach`](crate::Reach) allows: by default to the caller's own address in digits.
    pub fn listening(endpoint: FlowEndPoint, offset: u64) -> Self {
        Self { listens: vec![endpoint], offset, ..Self::default() }
    }

    /// Limits the octets of a second.
    #[must_use]
    pub fn with_rate(self, octets: u64) -> Self {
        Self { rate: octets, ..self }
    }

    /// Asks for a checksum.
    #[must_use]
    pub fn with_checksum(self, algorithm: Checksum) -> Self {
        Self { algorithm, ..self }
    }
}

impl FlowSpec {
    /// A flow of this many octets.
    pub fn sized(size: u64) -> Self {
        Self { size, ..Self::default() }
    }

    /// A flow whose size nobody knows yet.
    pub fn unsized_() -> Self {
        Self::sized(UNKNOWN_SIZE)
    }

    /// What becomes of this when a caller asks for it: its offset, the lower rate, and its checksum
    /// unless the producer already knows one.
    ///
    /// # Errors
    /// [`NoAgreement`] if the flow would begin behind its end.
    pub fn agreed(mut self, request: &FlowRequest) -> Result<Self, NoAgreement> {
        if request.offset > self.size {
            let reason =
                format!("the flow cannot begin at {}: it has {}", request.offset, self.size);
            return Err(NoAgreement { reason });
        }
        self.offset = request.offset;
        self.rate = match (self.rate, request.rate) {
            (0, rate) | (rate, 0) => rate,
            (ours, theirs) => ours.min(theirs),
        };
        if self.digest.is_empty() && request.algorithm != Checksum::None {
            self.algorithm = request.algorithm;
        }
        Ok(self)
    }
}

impl Listener {
    /// Agrees to a flow that a caller asks for: offers an endpoint to a caller that connects, and
    /// connects to one that listens, where its [`Reach`](crate::Reach) allows that. `work` gets this
    /// side's end in a thread of its own, or the reason why there is none. Call it in the thread that
    /// serves the request: elsewhere nobody knows who the caller is.
    ///
    /// # Errors
    /// [`NoAgreement`], with the reason, for the caller.
    pub fn agree<E: FlowEnd>(
        &self,
        request: &FlowRequest,
        spec: FlowSpec,
        work: impl FnOnce(Result<E, StreamError>) + Send + 'static,
    ) -> Result<(FlowAgreement, FlowControl), NoAgreement> {
        let refused = |error: StreamError| NoAgreement { reason: error.to_string() };
        let spec = spec.agreed(request)?;
        let (control, options) = (FlowControl::new(), self.options().clone());
        let listens = match request.listens.first() {
            Some(endpoint) => {
                let (endpoint, spec) = (self.reachable(endpoint)?, spec.clone());
                let user = self.reach().user(Caller::current().as_ref());
                let place = self.take_place();
                let place = place.ok_or(StreamError::Refused(Verdict::Busy)).map_err(refused)?;
                let control = control.clone();
                let begin = move || {
                    let _place = place;
                    work(connect_with(&endpoint, &spec, (&options, user), control));
                };
                let thread = thread::Builder::new().name("armilla-flow".to_owned());
                thread.spawn(begin).map_err(|error| refused(StreamError::System(error)))?;
                Vec::new()
            }
            None => {
                let (agreed, control) = (spec.clone(), control.clone());
                let deliver = Box::new(move |connection: Result<_, _>| {
                    work(connection.map(|made| begin(made, control, &options, agreed)));
                });
                let (offset, size) = (spec.offset, spec.size);
                vec![self.offer_to(offset, size, &request.connects, deliver).map_err(refused)?]
            }
        };
        Ok((FlowAgreement { spec, listens, control: StreamCtrlRef::nil() }, control))
    }

    /// Refuses a request whose caller listens where this listener connects to nobody. A servant that
    /// passes requests on to others asks first: they see it and not its caller.
    ///
    /// # Errors
    /// [`NoAgreement`], with the reason.
    pub fn check(&self, request: &FlowRequest) -> Result<(), NoAgreement> {
        request.listens.first().map_or(Ok(()), |endpoint| self.reachable(endpoint).map(drop))
    }

    /// Whether this side connects to an address over a transport that encrypts.
    fn protects(&self, address: &str) -> bool {
        self.options().protected.as_ref().is_some_and(|protected| protected.has(address))
    }

    /// The endpoint of the caller with those of its addresses that are in reach, and where its call
    /// was encrypted, those to which no octet goes in clear.
    fn reachable(&self, endpoint: &FlowEndPoint) -> Result<FlowEndPoint, NoAgreement> {
        let caller = Caller::current();
        let mut endpoint = endpoint.clone();
        let named = endpoint.r#where.len();
        let in_clear = is_needed()
            && endpoint.r#where.iter().any(|address| is_in_clear(address))
            && !endpoint.r#where.iter().any(|address| self.protects(address));
        if in_clear {
            let reason = "the call has come encrypted, and the flow would go in clear: this side \
                          connects over the same transport with `FlowOptions::protected`, and the \
                          caller listens with `ListenerBuilder::protected`";
            return Err(NoAgreement { reason: reason.to_owned() });
        }
        endpoint.r#where.retain(|address| {
            let place = match self.protects(address) {
                true => tcp_of(address).map(|address| address.to_string()),
                false if is_needed() && is_in_clear(address) => None,
                false => Some(address.clone()),
            };
            place.is_some_and(|place| self.reach().includes(&place, caller.as_ref()))
        });
        if endpoint.r#where.is_empty() {
            let reason = format!(
                "none of the {named} addresses of the caller is one to which this side connects; \
                 by default that is the caller's own address in digits. Connect to this side, or \
                 let its operator allow more"
            );
            return Err(NoAgreement { reason });
        }
        Ok(endpoint)
    }
}

impl FlowAgreement {
    /// Collects the endpoint that the called side has offered.
    ///
    /// # Errors
    /// As [`connect`]; the called side has offered none.
    pub fn collect<E: FlowEnd>(&self, options: &FlowOptions) -> Result<E, StreamError> {
        match self.listens.first() {
            Some(endpoint) => connect(endpoint, &self.spec, options),
            None => Err(StreamError::NoTransport("the called side offers no endpoint".to_owned())),
        }
    }
}
