//! Differences between the repository and IDL.

use crate::model::{DefId, Kind, Model, ModelError, Result, Type};
use armilla::interceptor::Codec;
use armilla::{SystemException, TypeCode, Version};
use std::collections::HashSet;

impl Model {
    /// The repository ids of the declarations in `idl` that the repository defines differently, in
    /// the order of the IDL.
    ///
    /// # Errors
    /// Those of [`add_idl`](Self::add_idl) into an empty repository.
    ///
    /// # Examples
    /// ```
    /// use armilla_ifr::model::Model;
    ///
    /// # fn compiled(idl: &str) -> armilla_idl::Compilation {
    /// #     armilla_idl::parse_str("point.idl", idl, &armilla_idl::Options::new()).unwrap()
    /// # }
    /// let mut model = Model::new();
    /// model.add_idl(&compiled("struct Point { long x; long y; };").model)?;
    /// let other = compiled("struct Point { double x; double y; };");
    /// assert_eq!(model.differences(&other.model)?, ["IDL:Point:1.0"]);
    /// # Ok::<(), armilla_ifr::model::ModelError>(())
    /// ```
    pub fn differences(&self, idl: &armilla_idl::Model) -> Result<Vec<String>> {
        let (mut declared, mut undefined) = (Self::new(), HashSet::new());
        declared.import(idl, &mut undefined)?;
        let mut differences = self.differences_from(&declared)?;
        // A forward declaration cannot differ.
        differences.retain(|id| declared.lookup_id(id).is_none_or(|id| !undefined.contains(&id)));
        Ok(differences)
    }

    /// The same for the definitions of `declared`.
    pub(crate) fn differences_from(&self, declared: &Self) -> Result<Vec<String>> {
        let mut differences = Vec::new();
        for (id, definition) in declared.iter().filter(|(_, d)| d.container().is_some()) {
            let known = self.lookup_id(&definition.id);
            if let Some(known) = known
                && self.meaning(known)? != declared.meaning(id)?
            {
                differences.push(definition.id.clone());
            }
        }
        Ok(differences)
    }

    /// The properties of a definition that its users rely on; other definitions stand by name.
    fn meaning(&self, id: DefId) -> Result<Vec<String>> {
        let kind = &self.definition(id)?.kind;
        let mut meaning = vec![format!("{:?}", kind.definition_kind())];
        for base in kind.bases() {
            meaning.push(self.definition(base)?.id.clone());
        }
        meaning.extend(self.signatures_of(id)?.iter().map(ToString::to_string));
        if let Kind::Constant { value, .. } = kind {
            let octets = Codec::new(Version::V1_2).encode_value(value).map_err(unwritable)?;
            meaning.push(format!("{octets:?}"));
        }
        if kind.has_type_code() {
            meaning.extend(parts(&self.type_code(id)?));
        }
        Ok(meaning)
    }
}

fn unwritable(exception: SystemException) -> ModelError {
    ModelError::Invalid(exception.to_string())
}

/// The parts of a type that its own declaration in IDL determines.
fn parts(code: &TypeCode) -> Vec<String> {
    let content = [code.content_type(), code.discriminator_type()];
    let content = content.into_iter().flatten().map(|ty| Type(ty).to_string());
    let member = |index| {
        let (name, label) = (code.member_name(index), code.member_label(index));
        let ty = code.member_type(index).map(|ty| Type(ty).to_string());
        format!("{name:?} {label:?} {ty:?} {:?}", code.member_visibility(index))
    };
    content.chain((0..code.member_count().unwrap_or_default()).map(member)).collect()
}
