//! The order of the modules of each crate.

/// A row of an order: modules that do not import one another, and what holds them together.
pub(crate) type Row = (&'static str, &'static str);

/// The order of a crate, or of a folder in it.
pub(crate) struct Order {
    /// The name of the crate, and for a folder in it also its path: `armilla/client`.
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
            ("runtime", "the handle of an ORB; it finds the parts of those above by their types"),
            ("interception", "what interceptors of both sides share"),
            ("client", "references and calls; objects of the process stand behind its traits"),
            ("server", "connections, adapters and servants; it calls back over the client's links"),
            ("interceptor object remoting", "both sides at once: typed references, registration"),
            ("dynamic value", "what programs do beside stubs and skeletons, with references"),
            ("imr naming observe", "services that use the ORB as any program does"),
            ("orb", "assembly: makes an ORB of everything, runs it and ends it"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla/client",
        rows: &[
            ("request", "what a call asks for and is answered; no reference, no connection"),
            ("connection", "requests out, replies in; neither endpoint nor waiting call"),
            ("endpoint", "addresses and the connections to each; objects of this process"),
            ("reference", "object references, their policies, and where their calls go"),
            ("invocation", "the rules of every call, whichever way it waits"),
            ("interception", "the part of a call that runs interceptors"),
            ("synchronous", "calls whose thread waits"),
            ("asynchronous", "calls for which no thread waits"),
            ("operations", "the operations that every object has"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla/server",
        rows: &[
            ("addresses", "where the ORB is reached, and what references say about that"),
            ("reply", "where replies go, how they are encoded, and those that come later"),
            ("threads", "which thread serves which connection, and who leads it"),
            ("poa", "object adapters, and the servants that they call"),
            ("interception", "interceptors of requests, and of adapters and their references"),
            ("dispatch", "from a decoded request to its servant"),
            ("connections", "reading requests, sending replies, and ending"),
            ("endpoints", "listening, taking connections in, making references"),
            ("local", "calls of this process to its own objects"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla/server/poa",
        rows: &[
            ("error reference_factory", "what goes wrong, and who makes references instead"),
            ("policies", "what a program sets"),
            ("servant", "servants, and the requests that they are called with"),
            ("object_map servant_manager", "active objects, and who gives servants to others"),
            ("calls", "which objects are being called, and what each thread is serving"),
            ("admission", "managers, gates, and servers that start"),
            ("objects", "activating objects, making references to them, ending them"),
            ("upcalls", "from an object id to a call of its servant"),
            ("hierarchy", "creating and finding POAs"),
        ],
        exceptions: &[(
            "servant",
            "calls",
            "a servant that answers for its object itself (`ServantBase`) gets its `Current`",
        )],
    },
    Order {
        name: "armilla-bench",
        rows: &[
            ("line", "what a link is like"),
            (
                "budget images latencies machine program published reaper record support ttcp \
                 workload",
                "single facts",
            ),
            ("network outcome plan task worker", "who takes part in a run, and what came out"),
            ("peers report schedule", "peers that are installed, pages, and whose turn it is"),
            ("process", "starts those who take part"),
            ("counting samples", "one run, counted or timed"),
            ("functions imaging measure realtime", "what runs are made of"),
            ("experiments", "series of runs"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-bridge",
        rows: &[
            ("counts model options", "what is counted, known without a network, and told"),
            ("number", "interfaces that are called by number"),
            ("interfaces", "where interfaces are known from"),
            ("ground", "what the objects of the bridge stand on"),
            ("servant", "the objects that either side calls"),
            ("tables", "what is on either side now"),
            ("bridge", "both sides, and what crosses"),
            ("factory", "by which programs of COM find objects"),
            ("server", "a bridge as a process"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-cdr",
        rows: &[
            (
                "ascii bits buffer code_set key_table large stack_budget",
                "octets and their meanings",
            ),
            ("error", "what reading and writing fails with"),
            ("lone_surrogate order", "halves of characters, and the two orders of octets"),
            ("decode encode", "what a type implements to be read and written"),
            ("fixed", "types whose values have one size"),
            ("wide", "wide characters"),
            ("encoding", "code sets that were agreed"),
            ("value_table", "what values and TypeCodes were met before"),
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
            ("value_table", "type_code", "a table keeps TypeCodes"),
            ("decoder", "type_code", "a decoder keeps the TypeCodes that it has read"),
            ("type_code", "any", "the label of a union is an any"),
        ],
    },
    Order {
        name: "armilla-cli",
        rows: &[
            ("identity input json_text output progress values", "who calls, and texts"),
            ("orb", "the ORB of a command"),
            ("place service", "what servers have in common"),
            (
                "access bridge com demo events groups idl ifr imr ior laboratory lifecycle locks naming \
                 passwd ping properties rt schedule time tls transactions",
                "one command each",
            ),
            ("call trader", "the commands that find interfaces as others do"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-core",
        rows: &[
            ("panics sync", "panics that are caught, and locks that none poisons"),
            (
                "concurrency exception log object_key operations peer rt_info wire",
                "names, values and helpers that know no ORB",
            ),
            (
                "callbacks message_memory policies signature threads",
                "what describes a call, and how a thread waits in one",
            ),
            ("settings", "policies by default among other things"),
            ("transport", "listens and connects as the settings say"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-dcerpc",
        rows: &[
            ("fault order", "numbers that calls fail with, and the two orders of octets"),
            ("uuid", "names of interfaces and objects"),
            ("cursor", "reads and writes fields"),
            ("ndr pdu security", "values, the units that carry them, and what protects those"),
            ("connection endpoint_mapper management", "what both ends share, and two interfaces"),
            ("client server", "the two ends of a connection"),
            ("driver", "both ends over TCP"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-dcom",
        rows: &[
            ("error", "why octets are nothing of this"),
            ("octets", "fields that are not NDR"),
            ("orpc string_array", "calls and versions; addresses"),
            ("blob objref", "properties, and references"),
            ("activation", "what properties hold"),
            (
                "automation causality clock error_info exporter remote",
                "values, chains, time, what errors say; objects, interfaces",
            ),
            ("client server", "who calls objects, and who has them"),
            ("connection_points generated", "who is sent events; what the IDL compiler writes"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-events",
        rows: &[
            ("datagram error event kept", "single events, what is refused, and what is kept"),
            ("subscription", "what a consumer wants"),
            ("correlation options", "which events are that, and how they are queued"),
            ("consumer presence queue", "who is called, who is there, and what waits"),
            ("connection farewell", "a consumer with its queue and thread, and the end of all"),
            ("store sweep", "what outlives a service of channels, and who is gone"),
            ("entry places", "a connected consumer, and the places of other clients"),
            ("hub", "who is connected, and where events go"),
            ("servant", "the objects that show it"),
            ("channel", "a channel of a program"),
            ("senders", "whom a group has heard"),
            ("gateway multicast", "a channel behind another one, and among others"),
            ("server", "a service of channels"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-giop",
        rows: &[
            ("cursor encapsulation operation_name system_exception version", "single values"),
            ("header ior service_context", "what messages consist of"),
            (
                "code_set control csi exception_detail fragments ft_contexts listen_points message \
                 target url",
                "contexts, whole messages and what they are addressed to",
            ),
            (
                "cancel_request locate_reply locate_request message_buffer owned_message \
                 reassembly reply request",
                "one kind of message each, and messages from fragments",
            ),
            ("engine framer", "connections: which message may come when"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-idl",
        rows: &[
            ("json read source", "texts"),
            ("diagnostics model", "what the compiler says, and what it has understood"),
            ("diff lex options", "two models, the words of a text, and what a program chooses"),
            ("outline session", "what editors and several files need"),
            ("format parse preprocess", "from words to trees"),
            ("check", "from trees to a model"),
            ("compile", "from files to a model"),
            ("dump rust", "from a model to text"),
            ("build", "the entry for build scripts"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-ifr",
        rows: &[
            ("model", "definitions"),
            ("call differences discover files import store", "where definitions come from and go"),
            ("servant", "the objects that show them"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-imr",
        rows: &[
            ("model", "definitions of servers and their state machines"),
            ("host random store", "where servers are started, and what keeps them"),
            ("activator engine", "what drives the model, here or for another host"),
            ("servant", "the object that shows it"),
            ("server", "the process that serves it"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-ipc",
        rows: &[
            ("route", "what the kernel's routing table says"),
            (
                "clock deadline fence host interest partial random signals splice sys",
                "the operating system, and values that know none of it",
            ),
            ("address", "what an endpoint is called, and of which host it is"),
            (
                "clock_error credentials error memory private_directory protection stack",
                "what every mechanism has, and what the kernel says of its clock",
            ),
            ("file_access", "who may connect to a file"),
            (
                "affinity option pending_connect process real_time stream",
                "what sockets, connections and threads need, and what a stream is",
            ),
            ("stream_options", "what a program chooses for streams"),
            ("channel transport", "between threads; what all transports have"),
            ("accept reactor", "readiness"),
            ("socket", "sockets"),
            ("datagram tcp unix", "the usual transports"),
            ("fifo pipe pty shm udp unix_datagram zero_copy", "the other mechanisms"),
            ("endpoint", "chooses one by an address"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-naming",
        rows: &[
            ("model", "contexts and bindings"),
            ("access client store", "rules, what any client does, and what keeps the contexts"),
            ("servant", "the objects that show them"),
            ("server", "the process that serves them"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-service",
        rows: &[
            (
                "rounds table upkeep",
                "work in the background, how records are shown, and what is read again",
            ),
            (
                "blocking body https lifecycle limits page",
                "what a server shows, over what, and what it spends on it",
            ),
            ("health visitor", "how it is, and who asks"),
            ("bodies connections events sessions", "what clients hold, within those limits"),
            ("access guard serving", "to whom it is shown, and how"),
            ("admission", "who is let in"),
            ("login", "how one becomes known"),
            ("console", "the listener that shows it"),
            ("options", "what an operator says of it"),
            ("arguments process", "the same on a command line, and a service with it"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-log",
        rows: &[
            ("acknowledged position", "where records are, and who has them"),
            ("group", "threads that share a wait for the disk"),
            ("damage record segment", "what is in a file, and what is wrong with it"),
            ("error writer", "records that are not written, and why they cannot be"),
            ("files health options", "the disk, and what a program says and is told"),
            ("segments state storage walk", "the files of a log"),
            ("inputs opening", "from files to a log, also from those that tests make"),
            ("core survey", "what the clones of a log share, and what is left of a damaged one"),
            ("reader recover retention", "what is read, and what goes"),
            ("log", "what programs use"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-etcd",
        rows: &[
            ("address answers user", "who is asked, as whom, and what comes of it"),
            ("gateway", "a cluster"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-replication",
        rows: &[
            ("model", "the rules of a group, without an ORB"),
            (
                "clock pace reference",
                "by what time promises are kept, how fast backups are, and what clients get",
            ),
            ("error", "why a member does not start, or waits"),
            ("disk documents", "where a state is kept, and what all share"),
            ("checkpointable registry", "what a program implements, and where views are"),
            ("lessons rounds", "what travels in pieces, and who tells of it"),
            ("peers", "the other members"),
            ("shared", "what the parts of a member have in common"),
            ("keeper member_servant requests", "the parts of a member"),
            ("replica", "a member"),
            ("builder", "how it is set up"),
            ("manager", "who makes groups and keeps them whole"),
            ("server", "a manager as a process of its own"),
        ],
        exceptions: &[("replica", "builder", "it is where a program begins to build one")],
    },
    Order {
        name: "armilla-replication/manager",
        rows: &[
            ("settings", "the properties of a group"),
            ("properties record", "the same as others see them, and what is written down"),
            ("plan reports", "what is to be done, and what is said of faults"),
            ("upkeep", "it is done"),
            ("calls", "who makes members"),
            ("domain", "what a manager knows"),
            ("detector identity notifier", "what it hears"),
            ("membership rounds", "what it does when it is asked, and of its own"),
            ("factory servant", "the objects that others call"),
            ("service", "a manager"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-replication/server",
        rows: &[("picture", "what operators see"), ("metrics page", "where they see it")],
        exceptions: &[],
    },
    Order {
        name: "armilla-replication/model",
        rows: &[
            ("codec view", "values, and who is in a group"),
            ("record", "a request that was executed"),
            (
                "recent reply_log world",
                "those of late, the replies, and what a member asks of others",
            ),
            ("history", "what is on the disk of a member"),
            ("disk promises", "what a member knows of that, and what it has promised"),
            ("member", "what a member does"),
            ("durable", "how it writes, and comes back"),
            (
                "membership succession",
                "who comes and goes, and who is the primary after another one",
            ),
            ("lease serving", "what a primary does with requests, and with those that only read"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-store",
        rows: &[
            (
                "checksum error faults recovered savepoints",
                "what every store needs, parts of transactions, what tests let fail",
            ),
            ("disk pending", "how it reaches the disk; what waits for transactions"),
            ("check", "whether it can be written"),
            (
                "format group_commit pages raw state",
                "shared writes, and what a failed or damaged file tells",
            ),
            ("salvage", "what is left of a damaged file"),
            ("engine", "the database in a file"),
            ("file", "a file"),
            ("recover", "one in the place of a damaged one"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-schedule",
        rows: &[
            ("bounds budget fault similar time", "times, and helpers that know no task"),
            ("level measured strategy", "what tasks are ordered by, and measured times"),
            ("task", "what is known of operations"),
            ("system table", "tasks that have been checked, and that are read"),
            ("steps", "what a processor schedules"),
            ("priority", "fixed priorities"),
            ("analysis", "whether deadlines are met"),
            ("dispatch simulation", "what runs next: in a program, and event by event"),
            ("timeline", "a picture of that"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-cos",
        rows: &[
            ("operators record", "who operates them; what files have"),
            ("time", "what timers stand on"),
            ("lifecycle locks properties timers", "the other services"),
            ("server", "a process around one"),
        ],
        exceptions: &[],
    },
    Order { name: "armilla-cos-naming", rows: &[], exceptions: &[] },
    Order { name: "armilla-cos-trading", rows: &[], exceptions: &[] },
    Order { name: "armilla-model-checker", rows: &[], exceptions: &[] },
    Order {
        name: "armilla-rt",
        rows: &[
            ("error", "what every part fails with"),
            (
                "measure platform priority tasks",
                "the host, the numbers of threads, what is scheduled",
            ),
            (
                "current protocol wire",
                "the priority of a thread, of a request and of a reference; settings of sockets",
            ),
            ("scheduler", "which request runs next"),
            ("threadpool", "threads by priority"),
            ("policy", "policies of all kinds"),
            ("dispatch", "a request in a thread"),
            (
                "banded poa shared_pools",
                "connections for bands; objects with priorities; connections that references share",
            ),
            ("client", "calls with priorities"),
            ("orb", "makes all of these"),
            ("standard", "the same in the standard's names"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-security",
        rows: &[
            (
                "hash options policy principal secret watched",
                "names, numbers, and files that change",
            ),
            ("caller mechanism password", "who calls, and how that is shown"),
            ("limits", "how often, and how much"),
            ("audit who", "what is recorded, and whom a rule is about"),
            ("assertion", "who may act for whom"),
            ("access", "who may do what"),
            ("client server", "the two ends"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-stream",
        rows: &[
            (
                "carrier checksum protected reactor token",
                "single values, connections, who watches them",
            ),
            ("reach", "where it connects to for whom"),
            ("idle limits wire", "what both sides say, how long they wait, between two flows"),
            ("control error", "how a flow goes on, and how it ends"),
            ("flow", "the two ends"),
            ("asynchronous listener servant", "ends for tasks, endpoints, the object of a control"),
            ("connect", "the side that connects"),
            ("negotiate", "the call in which both agree"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-terminal",
        rows: &[
            ("text", "what a terminal must not obey"),
            ("failure", "how a command fails"),
            ("interrupt output", "how it tells, and how it ends early"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-tls",
        rows: &[
            ("asked certificate choices", "what certificates say, and what is chosen by name"),
            ("settings verify", "what a program chooses, and what was refused"),
            ("fault files", "why there is no connection, and what stands in files"),
            ("authority material stream", "what connections need, and a connection"),
            ("handshake reference shared", "its begin, its address, and what all of them share"),
            ("acceptor inspect", "the endpoint of a server, and what one offers"),
            ("tls", "the transport"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-trader",
        rows: &[
            ("constraint limits", "the languages: texts and values, and nothing of offers"),
            ("from_idl model", "what a trader knows, and where that may come from"),
            ("store", "where it is kept"),
            ("servant", "the objects that show it"),
            ("server", "a process around them"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-transactions",
        rows: &[
            ("model numbers", "the protocol, without an ORB; tables by numbers"),
            ("associations", "numbers of transactions, which slots carry"),
            ("error journal policy resource", "what a program sets, implements and is told"),
            ("context engine store", "what travels, who carries the protocol out, the disk"),
            ("current", "in which transaction a thread works"),
            ("servant", "the objects that others call"),
            ("shared", "what the parts above have in common"),
            ("interceptor transaction", "how a transaction travels, and how a program holds it"),
            ("branches transactions", "stores that take part, and the transactions of a program"),
            ("builder", "how they are set up"),
            ("server", "a service as a process of its own"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-transactions-postgres",
        rows: &[
            ("error", "why a database does not do its part"),
            ("sessions", "connections that are lent"),
            ("endings", "how what is prepared ends"),
            ("branch", "a transaction in a database"),
            ("database", "which branch is of which transaction"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-transactions/engine",
        rows: &[
            ("counts local", "what has happened; the names of participants in the log"),
            ("entry", "a transaction and its participants"),
            ("helpers silence table timer", "all of them, the time, who helps, and who is away"),
            ("telling", "calls of participants"),
            ("calls", "who is called, and when"),
            ("drive", "what the protocol wants, carried out"),
        ],
        exceptions: &[],
    },
    Order {
        name: "armilla-transactions/model",
        rows: &[
            ("backoff identity mistakes status", "single values"),
            ("record", "what the log has"),
            ("event", "what happens, and what is to be done"),
            ("participant", "who takes part in a transaction"),
            ("transaction", "a transaction"),
            ("completion delivery recovery", "the parts of its way"),
        ],
        exceptions: &[],
    },
];

/// A circle of more than three files that is still there.
pub(crate) struct Circle {
    /// The name of the crate.
    pub(crate) name: &'static str,
    /// The module that all of its files are in.
    pub(crate) within: &'static str,
    /// How many files it has at most; this number may only shrink.
    pub(crate) files: usize,
    /// Why it is still there.
    pub(crate) reason: &'static str,
}

/// Circles that are still there. The list may only shrink.
pub(crate) const CIRCLES: &[Circle] = &[];
