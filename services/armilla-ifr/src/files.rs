//! Loading several IDL files, which must not contradict each other.

use crate::model::{DefId, Model, ModelError, ROOT, Result};
use std::collections::HashSet;

impl Model {
    /// Loads several files, given with their names and compiled separately, as
    /// [`add_idl`](Self::add_idl) does. A declaration in several files must be the same in all.
    ///
    /// # Errors
    /// Those of `add_idl`, and [`ModelError::Invalid`] if two files contradict each other. On error
    /// the model is unchanged.
    pub fn add_files(&mut self, files: &[(String, armilla_idl::Model)]) -> Result {
        agree(files)?;
        let mut undefined = HashSet::new();
        self.transaction(|model| {
            files.iter().try_for_each(|(file, idl)| {
                let named = |error| ModelError::Invalid(format!("{file}: {error}"));
                model.import(idl, &mut undefined).map_err(named)
            })
        })
    }
}

/// The declarations of one file, or of several.
#[derive(Default)]
struct Declared {
    model: Model,
    undefined: HashSet<DefId>,
}

impl Declared {
    /// The first contradiction between this and `other`.
    fn contradiction(&self, other: &Self) -> Result<Option<String>> {
        let (ours, theirs) = (&self.model, &other.model);
        for (id, definition) in theirs.iter().filter(|(_, d)| d.container().is_some()) {
            let name = theirs.absolute_name(id);
            let Some(known) = ours.lookup(ROOT, &name) else { continue };
            let (known, other) = (&ours.definition(known)?.id, &definition.id);
            if known != other {
                return Ok(Some(format!("the repository id of {name}: {known}, {other}")));
            }
        }
        let defines = |declared: &Self, id: &String| {
            let known = declared.model.lookup_id(id);
            known.is_some_and(|known| !declared.undefined.contains(&known))
        };
        let mut differences = ours.differences_from(theirs)?.into_iter();
        Ok(differences.find(|id| defines(self, id) && defines(other, id)))
    }

    fn add(&mut self, idl: &armilla_idl::Model) -> Result {
        self.model.import(idl, &mut self.undefined)
    }
}

/// Checks that declarations in several files are the same in all.
fn agree(files: &[(String, armilla_idl::Model)]) -> Result {
    let (mut all, mut each) = (Declared::default(), Vec::<(&str, Declared)>::new());
    for (file, idl) in files {
        let mut alone = Declared::default();
        alone.add(idl)?;
        if all.contradiction(&alone)?.is_some() {
            for (earlier, other) in &each {
                if let Some(what) = other.contradiction(&alone)? {
                    let what = format!("{earlier} and {file} contradict each other in {what}");
                    return Err(ModelError::Invalid(what));
                }
            }
        }
        all.add(idl)?;
        each.push((file, alone));
    }
    Ok(())
}
