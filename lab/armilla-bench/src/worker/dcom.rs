//! DCOM by `armilla-dcom`: the strings of the telecom study, and a call without parameters, at the
//! level of security that an option names.

use super::answer::Answer;
use super::{Commands, Outcome, Worker};
use crate::workload::{STRING_LENGTH, Workload};
use armilla_dcerpc::ndr::{Conformant, Operation, Unique};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::Bstr;
use armilla_dcom::client::{Client as DcomClient, ClientOptions, Proxy};
use armilla_dcom::server::{Caller, Object, ObjectCall, ServerBuilder, ServerOptions};
use std::io::{self, Write};
use std::sync::Arc;

const CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d42");
const USER: &str = "bench";
const PASSWORD: &str = "bench";
/// As many as our ORB's library has.
const STRINGS: usize = 100;

armilla_dcerpc::ndr_interface! {
    /// `ITestServer` of the study, with a call of nothing.
    pub(super) const TEST_SERVER = "6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d41", 0, 0;
    3 => Nothing(()) -> ();
    4 => GetSingleString(SingleIn) -> SingleOut;
    5 => GetMultipleString(MultipleIn) -> MultipleOut;
}

armilla_dcerpc::ndr_parameters! {
    pub(super) struct SingleIn {
        index: i32,
    }
    pub(super) struct SingleOut {
        item: Bstr,
    }
    pub(super) struct MultipleIn {
        index: i32,
        count: i32,
    }
    pub(super) struct MultipleOut {
        got: i32,
        items: Unique<Conformant<Bstr>>,
    }
}

struct Library(Vec<Bstr>);

impl Object for Library {
    fn supports(&self, iid: Uuid) -> bool {
        iid == TEST_SERVER.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        match call.opnum {
            Nothing::OPNUM => call.answer(&()),
            GetSingleString::OPNUM => {
                let SingleIn { index } = call.arguments()?;
                let item = usize::try_from(index).ok().and_then(|index| self.0.get(index));
                let item = item.cloned().ok_or(Status::INVALID_ARGUMENT)?;
                call.answer(&SingleOut { item })
            }
            GetMultipleString::OPNUM => {
                let MultipleIn { index, count } = call.arguments()?;
                let first = usize::try_from(index).unwrap_or_default().min(self.0.len());
                let count = usize::try_from(count).unwrap_or_default();
                let items: Vec<_> = self.0[first..].iter().take(count).cloned().collect();
                let got = items.len() as i32;
                call.answer(&MultipleOut { got, items: Unique::new(items.into()) })
            }
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }
}

fn level(worker: &Worker) -> Outcome<AuthLevel> {
    Ok(match worker.options.first().map(String::as_str) {
        None | Some("integrity") => AuthLevel::Integrity,
        Some("privacy") => AuthLevel::Privacy,
        Some("none") => AuthLevel::None,
        Some(other) => return Err(format!("there is no level {other:?}").into()),
    })
}

/// Serves until killed.
pub(super) fn serve(worker: &Worker) -> Outcome {
    let mut options = ServerOptions::new("BENCH");
    options.rpc.server.min_level = AuthLevel::None;
    options.allow_unsecured_pings = true;
    let string = |number: usize| Bstr::from(&*format!("{number:0>STRING_LENGTH$}"));
    let library = Arc::new(Library((0..STRINGS).map(string).collect()));
    let class = move |_: &Caller<'_>| Ok(library.clone() as Arc<dyn Object>);
    let server = ServerBuilder::new(options).account(USER, PASSWORD).class(CLASS, class);
    let server = server.listen((worker.place.as_str(), 0))?;
    println!("{}[{}]", worker.place, server.address().port());
    io::stdout().flush()?;
    server.wait();
    Ok(())
}

/// The client.
pub(super) struct Client(Proxy);

impl Client {
    pub(super) fn connect(worker: &Worker) -> Outcome<Self> {
        // Activation needs security in any case; the level is that of the calls.
        let level = level(worker)?;
        let mut options = ClientOptions::new(Credentials::new("", USER, PASSWORD));
        (options.level, options.allow_low_level) = (level, true);
        let client = DcomClient::new(options)?;
        Ok(Self(client.activate(&worker.place, CLASS, TEST_SERVER.uuid)?))
    }

    fn exchange(&self, workload: Workload, units: u32) -> Outcome<bool> {
        let units = i32::try_from(units)?;
        match workload {
            Workload::Void => self.0.call::<Nothing>(&())?,
            Workload::SingleStrings => {
                for index in 0..units {
                    self.0.call::<GetSingleString>(&SingleIn { index })?;
                }
            }
            Workload::ManyStrings => {
                let given = MultipleIn { index: 0, count: units };
                let found = self.0.call::<GetMultipleString>(&given)?;
                if found.got != units {
                    return Err(format!("{} strings instead of {units}", found.got).into());
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Commands for Client {
    fn carry_out(&mut self, words: &[&str]) -> Outcome<Option<Answer>> {
        let (workload, units, count) = match *words {
            // One object serves all calls.
            ["objects", "1"] => return Answer::of_all(|| Ok(())).map(Some),
            ["call", workload, units, count, _] => (workload, units.parse()?, count.parse()?),
            _ => return Ok(None),
        };
        let Some(workload) = Workload::parse(workload) else { return Ok(None) };
        if !self.exchange(workload, units)? {
            return Ok(None);
        }
        Answer::of_each(count, |_| self.exchange(workload, units).map(drop)).map(Some)
    }
}
