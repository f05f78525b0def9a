//! The servant of `Probe::Everything`, and a listener for its callbacks.

use crate::gate::{Gate, PATIENCE};
use crate::probe::everything::ChooseRaises;
use crate::probe::*;
use armilla::{Completion, Error, ExceptionKind, Minor, Object, SystemException};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

type Result<T, E = SystemException> = std::result::Result<T, E>;

/// Does what `idl/probe.idl` says.
#[derive(Debug, Default)]
pub struct Probe {
    name: Mutex<String>,
    place: Mutex<Point>,
    count: Mutex<i32>,
    notes: Mutex<TextSeq>,
    noted: Condvar,
    /// Where `block` waits.
    pub gate: Gate,
    /// How the object refers to itself.
    pub myself: OnceLock<EverythingRef>,
}

/// The echo rule: the result is what `kept` was; the copy and `kept` are what was given.
fn echo<T: Clone>(given: T, kept: &mut T) -> Result<(T, T)> {
    let copy = given.clone();
    Ok((std::mem::replace(kept, given), copy))
}

impl Common for Probe {
    fn ping(&self) -> Result<()> {
        Ok(())
    }
}

impl Named for Probe {
    fn name(&self) -> Result<String> {
        Ok(self.name.lock().unwrap().clone())
    }

    fn set_name(&self, value: &str) -> Result<()> {
        value.clone_into(&mut self.name.lock().unwrap());
        Ok(())
    }
}

impl Counted for Probe {
    fn count(&self) -> Result<i32> {
        Ok(*self.count.lock().unwrap())
    }

    fn increment(&self) -> Result<i32> {
        let mut count = self.count.lock().unwrap();
        *count += 1;
        Ok(*count)
    }
}

macro_rules! by_value {
    ($($operation:ident $ty:ty),*) => {$(
        fn $operation(&self, given: $ty, kept: &mut $ty) -> Result<($ty, $ty)> {
            echo(given, kept)
        }
    )*};
}

macro_rules! by_reference {
    ($($operation:ident $ty:ty),*) => {$(
        fn $operation(&self, given: &$ty, kept: &mut $ty) -> Result<($ty, $ty)> {
            echo(given.clone(), kept)
        }
    )*};
}

macro_rules! by_slice {
    ($($operation:ident $ty:ty),*) => {$(
        fn $operation(&self, given: &[$ty], kept: &mut Vec<$ty>) -> Result<(Vec<$ty>, Vec<$ty>)> {
            echo(given.to_vec(), kept)
        }
    )*};
}

impl Everything for Probe {
    by_value! {
        echo_short i16, echo_ushort u16, echo_long i32, echo_ulong u32, echo_longlong i64,
        echo_ulonglong u64, echo_float f32, echo_double f64, echo_char u8, echo_boolean bool,
        echo_octet u8, echo_colour Colour
    }
    by_reference! {
        echo_point Point, echo_label Label, echo_choice Choice, echo_tree Tree, echo_triple Triple,
        echo_object Object, echo_listener ListenerRef
    }
    by_slice! {
        echo_octets u8, echo_points Point, echo_texts String, echo_labels Label, echo_few i32
    }

    fn echo_string(&self, given: &str, kept: &mut String) -> Result<(String, String)> {
        echo(given.to_owned(), kept)
    }

    fn echo_code(&self, given: &str, kept: &mut Code) -> Result<(Code, Code)> {
        echo(given.to_owned(), kept)
    }

    fn place(&self) -> Result<Point> {
        Ok(*self.place.lock().unwrap())
    }

    fn set_place(&self, value: &Point) -> Result<()> {
        *self.place.lock().unwrap() = *value;
        Ok(())
    }

    fn choose(&self, which: i32, note: &mut String) -> Result<i32, Error<ChooseRaises>> {
        match which {
            0 => {
                note.push('!');
                Ok(42)
            }
            1 => Err(Refused { reason: note.clone(), number: which }.into()),
            2 => Err(Empty.into()),
            _ => {
                Err(SystemException::new(ExceptionKind::NoPermission, Minor(7), Completion::No)
                    .into())
            }
        }
    }

    fn remark(&self, text: &str) -> Result<()> {
        self.notes.lock().unwrap().push(text.to_owned());
        self.noted.notify_all();
        Ok(())
    }

    fn remarks(&self, least: u32) -> Result<TextSeq> {
        let notes = self.notes.lock().unwrap();
        let too_few = |notes: &mut TextSeq| notes.len() < least as usize;
        let (notes, _) = self.noted.wait_timeout_while(notes, PATIENCE, too_few).unwrap();
        Ok(notes.clone())
    }

    fn produce(&self, size: u32) -> Result<OctetSeq> {
        Ok(vec![0x5a; size as usize])
    }

    fn block(&self) -> Result<()> {
        self.gate.pass();
        Ok(())
    }

    fn block_and_call_back(&self, whom: &ListenerRef, text: &str) -> Result<()> {
        self.gate.pass();
        whom.hear(text)
    }

    fn panic(&self, words: &str) -> Result<()> {
        panic!("{words}")
    }

    fn call_back(&self, whom: &ListenerRef, text: &str) -> Result<()> {
        whom.hear(text)
    }

    fn descend(&self, partner: &ListenerRef, depth: i32) -> Result<i32> {
        match depth {
            0 => Ok(0),
            _ => Ok(1 + partner.descend(&self.myself()?, depth - 1)?),
        }
    }

    fn myself(&self) -> Result<EverythingRef> {
        Ok(self.myself.get().cloned().unwrap_or_default())
    }

    fn as_counted(&self) -> Result<CountedRef> {
        Ok(self.myself()?.upcast())
    }
}

/// Remembers what it hears.
#[derive(Debug, Default)]
pub struct Ear {
    heard: Mutex<Vec<String>>,
    /// How the object refers to itself.
    pub myself: OnceLock<ListenerRef>,
}

impl Ear {
    /// An ear that is active in `orb`.
    ///
    /// # Panics
    /// When it cannot be activated.
    pub fn activate(orb: &armilla::Orb) -> (Arc<Self>, ListenerRef) {
        let ear = Arc::new(Self::default());
        let reference = orb.root_poa().activate(ear.clone() as Arc<dyn Listener>).unwrap();
        ear.myself.set(reference.clone()).unwrap();
        (ear, reference)
    }

    /// What it has heard so far.
    pub fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

impl Listener for Ear {
    fn hear(&self, text: &str) -> Result<()> {
        self.heard.lock().unwrap().push(text.to_owned());
        Ok(())
    }

    fn descend(&self, partner: &EverythingRef, depth: i32) -> Result<i32> {
        match depth {
            0 => Ok(0),
            _ => {
                let myself = self.myself.get().cloned().unwrap_or_default();
                Ok(1 + partner.descend(&myself, depth - 1)?)
            }
        }
    }
}
