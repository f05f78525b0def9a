//! Checks of object references: their echo, narrowing, objects made and destroyed, callbacks, and
//! where objects are.

use super::{Checks, expect_same};
use crate::interop::*;
use crate::report::{Outcome, expect};
use armilla::{ExceptionKind, Object, Orb, SystemException};
use std::fmt::Debug;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

// ---- The client's own object -------------------------------------------------------------------

#[derive(Default)]
struct CallbackServant {
    myself: OnceLock<CallbackRef>,
    texts: Mutex<Vec<String>>,
}

impl CallbackServant {
    fn activate(orb: &Orb) -> Result<(Arc<Self>, CallbackRef), SystemException> {
        let servant = Arc::new(Self::default());
        let poa = orb.root_poa().create_poa("callbacks").bidirectional().build()?;
        let reference = poa.activate(servant.clone() as Arc<dyn Callback>)?;
        // Nobody else has the servant yet.
        let _ = servant.myself.set(reference.clone());
        Ok((servant, reference))
    }

    /// Fails unless these are the texts that arrived since the last time.
    fn expect(&self, wanted: &[&str]) -> Outcome {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let got = std::mem::take(&mut *texts);
        let (count, wanted_count) = (got.len(), wanted.len());
        expect(got == wanted, format!("{count} calls, or other texts, instead of {wanted_count}"))
    }
}

impl Callback for CallbackServant {
    fn called(&self, text: &str) -> Result<(), SystemException> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
        Ok(())
    }

    fn descend(&self, partner: &EchoRef, depth: i32) -> Result<i32, SystemException> {
        match depth {
            0 => Ok(0),
            _ => {
                let myself = self.myself.get().cloned().unwrap_or_default();
                Ok(1 + partner.descend(&myself, depth - 1)?)
            }
        }
    }
}

// ---- Comparison --------------------------------------------------------------------------------

/// References to one object need not look the same: a host name, an address, a forward.
fn expect_same_object(what: &str, got: impl AsRef<Object>, wanted: impl AsRef<Object>) -> Outcome {
    let (got, wanted) = (got.as_ref(), wanted.as_ref());
    expect(got.is_nil() == wanted.is_nil(), format!("{what}: nil on one side only"))?;
    let same = got == wanted || share_state(got, wanted);
    expect(same, format!("{what}: {got:?} instead of {wanted:?}"))
}

/// Whether a value that is set through one reference is seen through the other.
fn share_state(one: &Object, other: &Object) -> bool {
    static STAMP: AtomicI32 = AtomicI32::new(0);
    let stamp = STAMP.fetch_add(1, Ordering::Relaxed) + 1;
    let set_and_get = || {
        one.narrow::<dyn Echo>()?.set_await(stamp)?;
        other.narrow::<dyn Echo>()?.r#await()
    };
    set_and_get().is_ok_and(|got| got == stamp)
}

fn expect_same_callbacks(what: &str, got: &[CallbackRef], wanted: &[CallbackRef]) -> Outcome {
    expect(got.len() == wanted.len(), format!("{what}: another length"))?;
    got.iter().zip(wanted).try_for_each(|(got, wanted)| expect_same_object(what, got, wanted))
}

fn expect_same_registrations(what: &str, got: &[Registration], wanted: &[Registration]) -> Outcome {
    expect(got.len() == wanted.len(), format!("{what}: another length"))?;
    for (got, wanted) in got.iter().zip(wanted) {
        expect_same(&format!("{what}.priority"), &got.priority, &wanted.priority)?;
        expect_same(&format!("{what}.label"), &got.label, &wanted.label)?;
        expect_same_object(&format!("{what}.target"), &got.target, &wanted.target)?;
        expect_same_object(&format!("{what}.anything"), &got.anything, &wanted.anything)?;
    }
    Ok(())
}

/// Fails unless a call ended with a system exception of this kind.
fn expect_raised<T: Debug>(answer: Result<T, SystemException>, kind: ExceptionKind) -> Outcome {
    match answer {
        Err(error) => expect(error.kind() == kind, format!("{error} instead of {kind}")),
        Ok(result) => expect(false, format!("{kind} was not raised, the result is {result:?}")),
    }
}

// ---- The checks --------------------------------------------------------------------------------

impl Checks<'_> {
    pub(super) fn references(&mut self, orb: &Orb) {
        let mut activated = None;
        self.check("callback", "activated", |_| {
            activated = Some(CallbackServant::activate(orb)?);
            Ok(())
        });
        if activated.is_none() {
            // The check was left out or failed; the others will say what they miss.
            activated = CallbackServant::activate(orb).ok();
        }
        if let Some((servant, callback)) = &activated {
            self.echoes(servant, callback);
            self.echoes_of_holders(callback);
            self.callbacks(servant, callback);
        }
        self.types();
        self.views();
        self.counters();
        self.lives();
    }

    fn echoes(&mut self, servant: &CallbackServant, callback: &CallbackRef) {
        let object = |echo: &EchoRef, given: &Object, before: &Object| {
            let mut kept = before.clone();
            let (result, copy) = echo.echo_object(given, &mut kept)?;
            expect_same_object("result", &result, before)?;
            expect_same_object("copy", &copy, given)?;
            expect_same_object("kept", &kept, given)
        };
        let ours = callback.object();
        self.check("echo_object", "servers_object", |echo| object(echo, echo.object(), ours));
        self.check("echo_object", "clients_object", |echo| object(echo, ours, echo.object()));
        self.check("echo_object", "nil", |echo| {
            object(echo, &Object::nil(), echo.object())?;
            object(echo, echo.object(), &Object::nil())
        });
        let typed = |echo: &EchoRef, given: &CallbackRef, before: &CallbackRef| -> Outcome {
            let mut kept = before.clone();
            let (result, copy) = echo.echo_callback(given, &mut kept)?;
            expect_same_object("result", &result, before)?;
            expect_same_object("copy", &copy, given)?;
            expect_same_object("kept", &kept, given)?;
            if !copy.is_nil() {
                copy.called("through the copy")?;
            }
            Ok(())
        };
        self.check("echo_callback", "clients_object", |echo| {
            typed(echo, callback, &CallbackRef::nil())?;
            servant.expect(&["through the copy"])
        });
        self.check("echo_callback", "nil", |echo| typed(echo, &CallbackRef::nil(), callback));
    }

    fn echoes_of_holders(&mut self, callback: &CallbackRef) {
        self.check("echo_callback_seq", "nil_among_others", |echo| {
            let given = [callback.clone(), CallbackRef::nil(), callback.clone()];
            let mut kept = Vec::new();
            let (result, copy) = echo.echo_callback_seq(&given, &mut kept)?;
            expect_same_callbacks("result", &result, &[])?;
            expect_same_callbacks("copy", &copy, &given)?;
            expect_same_callbacks("kept", &kept, &given)
        });
        let full = Registration {
            priority: 255,
            target: callback.clone(),
            label: "label".into(),
            anything: self.echo.object().clone(),
        };
        let both = [full, Registration::default()];
        self.check("echo_registration", "members", |echo| {
            let [full, bare] = &both;
            let mut kept = bare.clone();
            let (result, copy) = echo.echo_registration(full, &mut kept)?;
            expect_same_registrations("result", &[result], &both[1..])?;
            expect_same_registrations("copy", &[copy], &both[..1])?;
            expect_same_registrations("kept", &[kept], &both[..1])
        });
        self.check("echo_registration_seq", "members", |echo| {
            let mut kept = Vec::new();
            let (result, copy) = echo.echo_registration_seq(&both, &mut kept)?;
            expect_same_registrations("result", &result, &[])?;
            expect_same_registrations("copy", &copy, &both)?;
            expect_same_registrations("kept", &kept, &both)
        });
    }

    fn types(&mut self) {
        self.check("_is_a", "every_base", |echo| {
            for base in ["Echo", "Values", "Containers", "Common"] {
                let id = format!("IDL:armilla.org/Interop/{base}:1.0");
                expect(echo.object().is_a(&id)?, base)?;
            }
            expect(echo.object().is_a("IDL:omg.org/CORBA/Object:1.0")?, "Object")
        });
        self.check("_is_a", "not_another", |echo| {
            let is_counter = echo.object().is_a("IDL:armilla.org/Interop/Counter:1.0")?;
            expect(!is_counter, "it is a Counter")?;
            expect(!echo.object().is_a("no repository id")?, "it is anything")
        });
        self.check("_non_existent", "living", |echo| {
            expect(!echo.object().non_existent()?, "it does not exist")
        });
        self.check("_locate", "living", |echo| {
            expect(echo.object().locate()?, "the server does not know the object")?;
            Ok(echo.ping()?)
        });
    }

    fn views(&mut self) {
        self.check("myself", "same_object", |echo| {
            let myself = echo.myself()?;
            expect_same_object("myself", &myself, echo)?;
            Ok(myself.ping()?)
        });
        self.check("as_object", "narrows", |echo| {
            let object = echo.as_object()?;
            object.narrow::<dyn Echo>()?.ping()?;
            expect_raised(object.narrow::<dyn Counter>(), ExceptionKind::BadParam)
        });
        self.check("as_common", "narrows", |echo| {
            let common = echo.as_common()?;
            common.ping()?;
            Ok(common.object().narrow::<dyn Containers>()?.ping()?)
        });
    }

    fn counters(&mut self) {
        self.check("create_counter", "counts", |echo| {
            let (one, other) = (echo.create_counter(10)?, echo.create_counter(-1)?);
            expect_same("next", &one.next()?, &11)?;
            expect_same("next", &other.next()?, &0)?;
            expect_same("advance", &echo.advance(&one)?, &12)?;
            expect_same("value", &one.value()?, &12)?;
            expect_same("value", &other.value()?, &0)?;
            one.destroy()?;
            Ok(other.destroy()?)
        });
        self.check("create_counter", "many", |echo| {
            let counters: Vec<_> =
                (0..100).map(|start| echo.create_counter(start)).collect::<Result<_, _>>()?;
            for (start, counter) in (0..100).zip(&counters).rev() {
                expect_same("value", &counter.value()?, &start)?;
                counter.destroy()?;
            }
            Ok(())
        });
        self.check("no_counter", "nil", |echo| expect(echo.no_counter()?.is_nil(), "not nil"));
        self.check("advance", "nil", |echo| {
            expect_raised(echo.advance(&CounterRef::nil()), ExceptionKind::InvObjref)
        });
    }

    fn lives(&mut self) {
        self.check("destroy", "object_not_exist", |echo| {
            let counter = echo.create_counter(0)?;
            counter.destroy()?;
            expect_raised(counter.next(), ExceptionKind::ObjectNotExist)?;
            expect(counter.object().non_existent()?, "it still exists")?;
            let another = echo.create_counter(1)?;
            expect_raised(counter.next(), ExceptionKind::ObjectNotExist)?;
            Ok(another.destroy()?)
        });
        self.check("_locate", "destroyed", |echo| {
            let counter = echo.create_counter(0)?;
            expect(counter.object().locate()?, "the server does not know the object")?;
            counter.destroy()?;
            expect(!counter.object().locate()?, "it is still known")
        });
        self.check("unknown_operation", "bad_operation", |echo| {
            let counter = echo.create_counter(0)?;
            let disguised: EchoRef = counter.object().assume();
            expect_raised(disguised.pause(0), ExceptionKind::BadOperation)?;
            expect_same("next", &counter.next()?, &1)?;
            Ok(counter.destroy()?)
        });
    }

    fn callbacks(&mut self, servant: &CallbackServant, callback: &CallbackRef) {
        self.check("call_back", "texts", |echo| {
            for text in ["hello", "", &"c".repeat(100_000)] {
                echo.call_back(callback, text)?;
                servant.expect(&[text])?;
            }
            Ok(())
        });
        self.check("call_back", "nil", |echo| {
            expect_raised(echo.call_back(&CallbackRef::nil(), ""), ExceptionKind::InvObjref)
        });
        self.check("call_all", "nil_among_others", |echo| {
            let nil = CallbackRef::nil;
            let all = [nil(), callback.clone(), callback.clone(), nil(), callback.clone()];
            expect_same("result", &echo.call_all(&all, "all")?, &3)?;
            servant.expect(&["all", "all", "all"])?;
            expect_same("result", &echo.call_all(&[], "none")?, &0)
        });
        for (depth, case) in [(0, "depth_0"), (1, "depth_1"), (2, "depth_2"), (5, "depth_5")] {
            self.check("descend", case, |echo| {
                expect_same("result", &echo.descend(callback, depth)?, &depth)
            });
        }
    }
}
