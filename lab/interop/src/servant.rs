//! The servant of `Interop::Echo`. `idl/interop.idl` specifies the behaviour of each operation.

use crate::counter::{CounterServant, lock};
use crate::exotics::{ExoticsServant, MirrorServant};
use crate::interop::echo::*;
use crate::interop::*;
use crate::operations::{arrays, scalars, sequences, structs_and_unions};
use armilla::{Completion as Completed, Error, ExceptionKind, Minor, Object, Orb, SystemException};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::thread;
use std::time::Duration;

type Result<T, E = SystemException> = std::result::Result<T, E>;

/// The object under test.
pub struct EchoServant {
    orb: Orb,
    /// The reference to this object, set after its activation.
    myself: OnceLock<EchoRef>,
    exotics: ExoticsRef,
    mirror: MirrorRef,
    state: Mutex<State>,
}

/// The state that attributes and oneway operations set.
#[derive(Default)]
struct State {
    level: i32,
    label: String,
    record: BinStruct,
    foreground: Colour,
    background: Colour,
    history: LongSeq,
    awaited: i32,
    notified: i64,
    notifications: u32,
}

impl EchoServant {
    /// A servant that activates its other objects in the root POA of `orb`. Its operation
    /// `shutdown` shuts that ORB down.
    ///
    /// # Errors
    /// The activation of another object fails.
    pub fn new(orb: &Orb) -> Result<Arc<Self>> {
        let poa = orb.root_poa();
        // Register the valuetypes that may arrive in place of a base.
        orb.register_value::<Node>();
        orb.register_value::<Leaf>();
        orb.register_value::<Branch>();
        orb.register_value::<Stamp>();
        Ok(Arc::new(Self {
            orb: orb.clone(),
            myself: OnceLock::new(),
            exotics: poa.activate(Arc::new(ExoticsServant) as Arc<dyn Exotics>)?,
            mirror: poa.activate(Arc::new(MirrorServant) as Arc<dyn Mirror>)?,
            state: Mutex::default(),
        }))
    }

    /// Sets the reference that the object returns for itself. Call once, before the first request.
    pub fn publish_as(&self, reference: EchoRef) {
        // A second reference to the same object is equivalent; keep the first.
        let _ = self.myself.set(reference);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn count(&self, amount: i64) {
        let mut state = self.state();
        state.notified = state.notified.wrapping_add(amount);
        state.notifications = state.notifications.wrapping_add(1);
    }
}

/// The echo rule: returns the old value of `kept` and a copy of `given`; `kept` becomes `given`.
fn echo<T: Clone>(given: T, kept: &mut T) -> Result<(T, T)> {
    let copy = given.clone();
    Ok((std::mem::replace(kept, given), copy))
}

impl Common for EchoServant {
    fn description(&self) -> Result<String> {
        Ok(concat!("Armilla ", env!("CARGO_PKG_VERSION")).to_owned())
    }

    fn ping(&self) -> Result<()> {
        Ok(())
    }
}

macro_rules! by_value {
    ($($operation:ident: $ty:ty,)*) => {$(
        fn $operation(&self, given: $ty, kept: &mut $ty) -> Result<($ty, $ty)> {
            echo(given, kept)
        }
    )*};
}

macro_rules! by_reference {
    ($($operation:ident: $ty:ty,)*) => {$(
        fn $operation(&self, given: &$ty, kept: &mut $ty) -> Result<($ty, $ty)> {
            echo(given.clone(), kept)
        }
    )*};
}

macro_rules! by_slice {
    ($($operation:ident: $ty:ty,)*) => {$(
        fn $operation(
            &self,
            given: &[$ty],
            kept: &mut Vec<$ty>,
        ) -> Result<(Vec<$ty>, Vec<$ty>)> {
            echo(given.to_vec(), kept)
        }
    )*};
}

impl Values for EchoServant {
    scalars!(by_value);
    structs_and_unions!(by_reference);

    fn echo_string(&self, given: &str, kept: &mut String) -> Result<(String, String)> {
        echo(given.to_owned(), kept)
    }

    fn echo_nickname(&self, given: &str, kept: &mut Nickname) -> Result<(Nickname, Nickname)> {
        echo(given.to_owned(), kept)
    }
}

impl Containers for EchoServant {
    arrays!(by_reference);
    sequences!(by_slice);
    by_slice! {
        echo_nickname_seq: Nickname,
        echo_short_list: i32,
        echo_codes: String,
    }
}

impl Echo for EchoServant {
    fn all_constants(&self) -> Result<Constants> {
        Ok(Constants {
            name_limit: NAME_LIMIT,
            negative_short: NEGATIVE_SHORT,
            top_short: TOP_SHORT,
            shifted: SHIFTED,
            masked: MASKED,
            high_bits: HIGH_BITS,
            far_below: FAR_BELOW,
            far_above: FAR_ABOVE,
            all_ones: ALL_ONES,
            agreed: AGREED,
            quote: QUOTE,
            hex_char: HEX_CHAR,
            half: HALF,
            scaled: SCALED,
            greeting: GREETING.to_owned(),
            favourite: FAVOURITE,
        })
    }

    // -- Attributes and oneway operations

    fn level(&self) -> Result<i32> {
        Ok(self.state().level)
    }

    fn set_level(&self, value: i32) -> Result<()> {
        self.state().level = value;
        Ok(())
    }

    fn label(&self) -> Result<String> {
        Ok(self.state().label.clone())
    }

    fn set_label(&self, value: &str) -> Result<()> {
        self.state().label = value.to_owned();
        Ok(())
    }

    fn record(&self) -> Result<BinStruct> {
        Ok(self.state().record)
    }

    fn set_record(&self, value: &BinStruct) -> Result<()> {
        self.state().record = *value;
        Ok(())
    }

    fn foreground(&self) -> Result<Colour> {
        Ok(self.state().foreground)
    }

    fn set_foreground(&self, value: Colour) -> Result<()> {
        self.state().foreground = value;
        Ok(())
    }

    fn background(&self) -> Result<Colour> {
        Ok(self.state().background)
    }

    fn set_background(&self, value: Colour) -> Result<()> {
        self.state().background = value;
        Ok(())
    }

    fn history(&self) -> Result<LongSeq> {
        Ok(self.state().history.clone())
    }

    fn set_history(&self, value: &[i32]) -> Result<()> {
        self.state().history = value.to_vec();
        Ok(())
    }

    fn notify(&self, n: i32) -> Result<()> {
        self.count(n.into());
        Ok(())
    }

    fn notify_mixed(&self, _tag: u8, amount: f64, text: &str) -> Result<()> {
        // The amounts in the suite are small multiples of a half.
        self.count(amount as i64 + text.chars().count() as i64);
        Ok(())
    }

    fn notified(&self) -> Result<i64> {
        Ok(self.state().notified)
    }

    fn notifications(&self) -> Result<u32> {
        Ok(self.state().notifications)
    }

    // -- Mixes of parameters

    fn wide(
        &self,
        o: u8,
        d: f64,
        c: u8,
        ll: i64,
        b: bool,
        text: &str,
        s: i16,
        colour_in: Colour,
        f: f32,
        bin: &BinStruct,
        numbers: &[i32],
        tally: &mut i32,
        note: &mut String,
    ) -> Result<(String, LongSeq, BinStruct, f32, Colour, i16, bool, i64, u8, f64, u8)> {
        *tally = tally.wrapping_add(numbers.len() as i32);
        note.push_str(text);
        Ok((text.to_owned(), numbers.to_vec(), *bin, f, colour_in, s, b, ll, c, d, o))
    }

    fn outputs_only(&self) -> Result<(bool, u8, i64, u8, f64, String, LongSeq)> {
        Ok((true, 1, 2, b'3', 4.5, "five".to_owned(), vec![6, 7]))
    }

    fn echo_at_offset(&self, filler: &[u8], items: &[BinStruct]) -> Result<(BinSeq, OctetSeq)> {
        Ok((items.to_vec(), filler.to_vec()))
    }

    fn arithmetic(&self, a: i16, b: i32, c: i64, d: u8) -> Result<i64> {
        let sum = (10 * i64::from(a)).wrapping_add(i64::from(b)).wrapping_add(c);
        Ok(sum.wrapping_sub(i64::from(d)))
    }

    // -- Names that are reserved words somewhere

    fn r#type(&self, self_: i32) -> Result<i32> {
        Ok(self_)
    }

    fn r#move(&self, super_: i32) -> Result<i32> {
        Ok(super_)
    }

    fn class(&self, crate_: i32) -> Result<i32> {
        Ok(crate_)
    }

    fn interface(&self, module: i32) -> Result<i32> {
        Ok(module)
    }

    fn r#loop(&self, r#fn: &str) -> Result<String> {
        Ok(r#fn.to_owned())
    }

    fn r#await(&self) -> Result<i32> {
        Ok(self.state().awaited)
    }

    fn set_await(&self, value: i32) -> Result<()> {
        self.state().awaited = value;
        Ok(())
    }

    // -- Exceptions

    fn raise_refused(&self) -> Result<(), Error<RaiseRefusedRaises>> {
        Err(Refused.into())
    }

    fn raise_failed(&self, reason: &str, code: i32) -> Result<(), Error<RaiseFailedRaises>> {
        Err(Failed { reason: reason.to_owned(), code }.into())
    }

    #[allow(clippy::result_large_err)] // The mapping's signature.
    fn raise_detailed(
        &self,
        lead: u8,
        bin: &BinStruct,
        numbers: &[i32],
        choice: &ByLong,
        outcome: Verdict,
        reason: &str,
    ) -> Result<(), Error<RaiseDetailedRaises>> {
        let (record, numbers) = (*bin, numbers.to_vec());
        let (choice, reason) = (choice.clone(), reason.to_owned());
        Err(Detailed { lead, record, numbers, choice, outcome, reason }.into())
    }

    #[allow(clippy::result_large_err)] // The mapping's signature.
    fn choose(&self, which: i16, note: &mut String) -> Result<(i32, f64), Error<ChooseRaises>> {
        let reason = note.clone();
        match which {
            0 => {
                note.push('!');
                Ok((42, 0.5))
            }
            1 => Err(Refused.into()),
            2 => Err(Failed { reason, code: which.into() }.into()),
            3 => Err(Detailed {
                lead: 3,
                record: BinStruct::default(),
                numbers: Vec::new(),
                choice: ByLong::Tiny(0),
                outcome: Verdict::Rejected,
                reason,
            }
            .into()),
            _ => Err(raised(ExceptionKind::BadParam, 0, Completion::NotDone).into()),
        }
    }

    fn raise_system(&self, name: &str, minor_code: u32, status: Completion) -> Result<()> {
        let id = format!("IDL:omg.org/CORBA/{name}:1.0");
        let kind = match ExceptionKind::from_repository_id(&id) {
            ExceptionKind::Unknown if name != ExceptionKind::Unknown.name() => {
                ExceptionKind::BadParam
            }
            known => known,
        };
        Err(raised(kind, minor_code, status))
    }

    // -- References and callbacks

    fn echo_object(&self, given: &Object, kept: &mut Object) -> Result<(Object, Object)> {
        echo(given.clone(), kept)
    }

    fn echo_callback(
        &self,
        given: &CallbackRef,
        kept: &mut CallbackRef,
    ) -> Result<(CallbackRef, CallbackRef)> {
        echo(given.clone(), kept)
    }

    by_slice! {
        echo_callback_seq: CallbackRef,
        echo_registration_seq: Registration,
    }

    fn echo_registration(
        &self,
        given: &Registration,
        kept: &mut Registration,
    ) -> Result<(Registration, Registration)> {
        echo(given.clone(), kept)
    }

    fn myself(&self) -> Result<EchoRef> {
        Ok(self.myself.get().cloned().unwrap_or_default())
    }

    fn as_object(&self) -> Result<Object> {
        self.myself().map(|myself| myself.object().clone())
    }

    fn as_common(&self) -> Result<CommonRef> {
        self.myself().map(|myself| myself.upcast())
    }

    fn create_counter(&self, start: i32) -> Result<CounterRef> {
        CounterServant::activate(&self.orb, start)
    }

    fn no_counter(&self) -> Result<CounterRef> {
        Ok(CounterRef::nil())
    }

    fn advance(&self, target: &CounterRef) -> Result<i32> {
        target.next()
    }

    fn exotics(&self) -> Result<Object> {
        Ok(self.exotics.object().clone())
    }

    fn mirror(&self) -> Result<Object> {
        Ok(self.mirror.object().clone())
    }

    fn call_back(&self, cb: &CallbackRef, text: &str) -> Result<()> {
        cb.called(text)
    }

    fn call_all(&self, cbs: &[CallbackRef], text: &str) -> Result<u32> {
        let mut count = 0;
        for callback in cbs.iter().filter(|callback| !callback.is_nil()) {
            callback.called(text)?;
            count += 1;
        }
        Ok(count)
    }

    fn descend(&self, partner: &CallbackRef, depth: i32) -> Result<i32> {
        match depth {
            0 => Ok(0),
            _ => Ok(1 + partner.descend(&self.myself()?, depth - 1)?),
        }
    }

    // -- The server

    fn pause(&self, milliseconds: u32) -> Result<()> {
        thread::sleep(Duration::from_millis(milliseconds.into()));
        Ok(())
    }

    fn shutdown(&self) -> Result<()> {
        // Shutdown waits for calls in progress, including this one: use another thread.
        let orb = self.orb.clone();
        thread::spawn(move || orb.shutdown());
        Ok(())
    }
}

/// The system exception that the client requested.
fn raised(kind: ExceptionKind, minor: u32, status: Completion) -> SystemException {
    let completed = match status {
        Completion::Done => Completed::Yes,
        Completion::NotDone => Completed::No,
        Completion::PerhapsDone => Completed::Maybe,
    };
    SystemException::new(kind, Minor(minor), completed).with_reason("raised as asked")
}
