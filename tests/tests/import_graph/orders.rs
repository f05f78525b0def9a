//! The order of the modules of each crate.

/// A row of an order: modules that do not import one another, and what holds them together.
pub(crate) type Row = (&'static str, &'static str);

/// The order of a crate.
pub(crate) struct Order {
    pub(crate) name: &'static str,
    /// From the bottom to the top: a module imports modules of rows that stand before its own in
    /// this list, and no others.
    pub(crate) rows: &'static [Row],
    /// Imports against the order, from and to, with the reason why they are still there. The list
    /// may only shrink.
    pub(crate) exceptions: &'static [(&'static str, &'static str, &'static str)],
}

/// By the name of the crate.
pub(crate) const ORDERS: &[Order] = &[
    Order {
        name: "armilla",
        rows: &[
            (
                "concurrency exception log object_key operations sync wire",
                "names, values and helpers that know no ORB",
            ),
            ("policies signature threads", "what describes a call, and how a thread waits in one"),
            ("settings", "policies by default among other things"),
            ("transport", "listens and connects as the settings say"),
            ("runtime", "the handle of an ORB; it finds the parts of those above by their types"),
            ("interception", "what interceptors of both sides share"),
            ("client", "references and calls; objects of the process stand behind its traits"),
            ("server", "connections, adapters and servants; it calls back over the client's links"),
            ("interceptor object remoting", "both sides at once: typed references, registration"),
            ("dynamic value", "what programs do beside stubs and skeletons, with references"),
            ("naming observe", "services that use the ORB as any program does"),
            ("orb", "assembly: makes an ORB of everything, runs it and ends it"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-bench",
        rows: &[
            ("budget keeper machine program published record small ttcp workload", "single facts"),
            ("network peers plan worker", "who takes part in a run"),
            ("process", "starts those who take part"),
            ("measure", "one run of one of them"),
            ("counting", "runs that are counted"),
            ("functions", "what counted runs are spent on"),
            ("experiments", "series of runs"),
            ("report", "pages of what came out"),
        ],
        exceptions: &[("experiments", "report", "a series shows how far it has come")],
    },
    Order {
        name: "armilla-cdr",
        rows: &[
            ("ascii bits buffer code_set", "octets and their meanings"),
            ("error", "what reading and writing fails with"),
            ("order", "the two orders of octets"),
            ("decode encode", "what a type implements to be read and written"),
            ("fixed", "types whose values have one size"),
            ("wide", "wide characters"),
            ("encoding", "code sets that were agreed"),
            ("encoder", "writes"),
            ("decoder", "reads, also what an encoder has kept"),
            ("decimal long_double", "types without one in Rust"),
            ("type_code", "types while a program runs"),
            ("value", "values that share others"),
            ("any", "values with their types"),
            ("large_array map shared shared_strings", "types for special uses"),
        ],
        exceptions: &[
            ("decode", "decoder", "a type is read from a decoder, which reads any type"),
            ("encode", "encoder", "a type is written by an encoder, which writes any type"),
            ("wide", "decoder", "a wide string is a type too"),
            ("wide", "encoder", "a wide string is a type too"),
            ("encoder", "value", "an encoder keeps the values that it has written"),
            ("decoder", "value", "a decoder keeps the values that it has read"),
            ("decoder", "type_code", "a decoder keeps the TypeCodes that it has read"),
            ("type_code", "any", "the label of a union is an any"),
        ],
    },
    Order {
        name: "armilla-cli",
        rows: &[
            ("allocations failure", "what every command may need"),
            ("interrupt orb output", "the ORB of a command, and how it tells and ends"),
            ("bench demo idl ifr ior naming ping ttcp", "one command each"),
            ("call", "the command that finds interfaces as others do"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-giop",
        rows: &[
            ("cursor encapsulation operation_name system_exception version", "single values"),
            ("header ior service_context", "what messages consist of"),
            (
                "code_set control exception_detail fragments listen_points message target url",
                "contexts, whole messages and what they are addressed to",
            ),
            (
                "cancel_request locate_reply locate_request message_buffer owned_message \
                 reassembly reply request testing",
                "one kind of message each, and messages from fragments",
            ),
            ("engine framer", "connections: which message may come when"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-idl",
        rows: &[
            ("json source", "texts"),
            ("diagnostics model", "what the compiler says, and what it has understood"),
            ("diff dump lex options rust", "what is made of a model; the words of a text"),
            ("build outline session", "entries for build scripts and editors"),
            ("format parse preprocess", "from words to trees"),
            ("check", "from trees to a model"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-ifr",
        rows: &[
            ("model", "definitions"),
            ("call differing discover feed files store", "where definitions come from and go"),
            ("servant", "the objects that show them"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-ipc",
        rows: &[
            (
                "address barrier clock deadline host interest partial signals splice sys",
                "the operating system, and values that know none of it",
            ),
            ("credentials error memory stream", "what every mechanism has"),
            ("affinity attempt option socket", "sockets and their options"),
            ("datagram options", "what a program chooses for sockets"),
            ("channel transport udp", "between threads; what all transports have"),
            ("reactor tcp unix", "readiness, and the two usual transports"),
            ("fifo pipe proactor pty shm unix_datagram zero_copy", "the other mechanisms"),
            ("endpoint", "chooses one by an address"),
        ],
        exceptions: &[],
    },
];
