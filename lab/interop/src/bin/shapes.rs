//! The server of `lab/interop/values/check`: returns the values of `lab/interop/values/shapes.idl`, in each
//! position, as they came.
//!
//! ```text
//! interop-shapes FILE [bases]    writes its IOR to FILE; with `bases` it knows Root and Text only
//! ```

use armilla::codegen::Interface;
use armilla::{Any, Orb, SystemException, ValueBaseRef};
use std::error::Error;
use std::sync::Arc;

mod whole {
    armilla::include_idl!("shapes");
}

mod bases {
    armilla::include_idl!("shapes_bases");
}

type Result<T, E = SystemException> = std::result::Result<T, E>;

/// Takes values out of an any, and puts them in again.
struct Mirror(Orb);

mod whole_mirror {
    use super::whole::shapes::{self, *};
    use super::{Any, Result, ValueBaseRef};

    impl shapes::Mirror for super::Mirror {
        fn echo_root(&self, given: &RootRef) -> Result<(RootRef, RootRef)> {
            Ok((given.clone(), given.clone()))
        }

        fn echo_roots(
            &self,
            given: &[RootRef],
            _between: u8,
            behind: &RootRef,
        ) -> Result<(RootSeq, RootRef)> {
            Ok((given.to_vec(), behind.clone()))
        }

        fn echo_any(&self, given: &Any) -> Result<Any> {
            match given.get_with_context::<RootRef>(&self.0)? {
                Some(root) => Ok(Any::new(&root)?),
                None => Ok(given.clone()),
            }
        }

        fn echo_base(&self, _before: u8, given: &ValueBaseRef) -> Result<ValueBaseRef> {
            Ok(given.clone())
        }

        fn echo_form(&self, given: &FormRef) -> Result<FormRef> {
            Ok(given.clone())
        }

        fn echo_flat(&self, given: &Flat) -> Result<Flat> {
            Ok(given.clone())
        }

        fn echo_either(&self, _before: u8, given: &Either) -> Result<Either> {
            Ok(given.clone())
        }

        fn echo_eithers(&self, given: &[Either]) -> Result<EitherSeq> {
            Ok(given.to_vec())
        }

        fn echo_boxes(
            &self,
            given: &BoxedRef,
            words: &WordsRef,
            roots: &RootsRef,
        ) -> Result<(BoxedRef, WordsRef, RootsRef)> {
            Ok((given.clone(), words.clone(), roots.clone()))
        }

        fn echo_pair(&self, given: &Pair) -> Result<Pair> {
            Ok(given.clone())
        }
    }

    /// Makes the ORB know what may come as a `ValueBase`.
    pub(super) fn register(orb: &super::Orb) {
        orb.register_value::<Root>();
        orb.register_value::<Text>();
        orb.register_value::<Mixed>();
        orb.register_value::<Deep>();
        orb.register_value::<Deepest>();
        orb.register_value::<Solid>();
        orb.register_value::<Nothing>();
        orb.register_value::<Plain>();
        orb.register_value::<Formed>();
        orb.register_value::<Able>();
        orb.register_value::<Holder>();
        orb.register_value::<Carrier>();
    }
}

mod bases_mirror {
    use super::bases::shapes::{self, *};
    use super::{Any, Result};

    impl shapes::Mirror for super::Mirror {
        fn echo_root(&self, given: &RootRef) -> Result<(RootRef, RootRef)> {
            Ok((given.clone(), given.clone()))
        }

        fn echo_roots(
            &self,
            given: &[RootRef],
            _between: u8,
            behind: &RootRef,
        ) -> Result<(RootSeq, RootRef)> {
            Ok((given.to_vec(), behind.clone()))
        }

        fn echo_any(&self, given: &Any) -> Result<Any> {
            Ok(given.clone())
        }
    }
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: interop-shapes FILE [bases]")?;
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    let mirror = Arc::new(Mirror(orb.clone()));
    match arguments.next().as_deref() {
        None => {
            whole_mirror::register(&orb);
            serve::<dyn whole::shapes::Mirror>(&orb, mirror, &file)
        }
        Some(_) => serve::<dyn bases::shapes::Mirror>(&orb, mirror, &file),
    }
}

fn serve<I: Interface + ?Sized>(
    orb: &Orb,
    servant: Arc<I>,
    file: &str,
) -> std::result::Result<(), Box<dyn Error>> {
    let reference = orb.root_poa().activate(servant)?;
    // Written beside and renamed, so that nobody reads half of it.
    let unfinished = format!("{file}.unfinished");
    std::fs::write(&unfinished, orb.object_to_string(&reference)?)?;
    std::fs::rename(unfinished, file)?;
    Ok(orb.run()?)
}
