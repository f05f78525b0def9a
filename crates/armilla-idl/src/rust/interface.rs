//! `interface`: the trait, the reference type, `codegen::Interface`, and the module of the interface.
//! `stub` and `skeleton` have the client and the server side.

use super::amh;
use super::asynchronous;
use super::dispatch::Generator;
use super::docs::docs;
use super::lints;
use super::module::Module;
use super::names;
use super::operation::{self, Callable};
use super::options::Sides;
use super::queries;
use super::raises;
use super::scope::{self, Scope};
use super::{roles, signature, skeleton, stub, timing, type_codes, values};
use crate::model::{DeclId, Declaration, Flavour, Interface};
use proc_macro2::TokenStream;
use quote::quote;

/// Emits an interface. `nested` has the declarations within it.
pub(super) fn generate(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    data: &Interface,
    nested: Module,
    module: &mut Module,
) {
    let interface = Generator {
        scope,
        id,
        declaration,
        data,
        name: names::ident(&names::camel(&declaration.name)),
        companion: names::ident(&names::module(&declaration.name)),
        callables: operation::callables(scope, id),
    };
    module.push(interface.definition());
    module.push(interface.reference());
    if interface.is_local() {
        return interface.companion(nested, module);
    }
    if scope.options.sides != Sides::Servant {
        let (name, companion) = (&interface.name, &interface.companion);
        module.push(stub::generate(scope, name, companion, &interface.callables));
    }
    module.push(interface.implementation());
    if data.flavour == Flavour::Abstract {
        let name = &interface.name;
        module.push(values::valuetype(scope, id, &quote!(dyn #name)));
    }
    for base in [id].into_iter().chain(queries::all_bases(scope.model, id)) {
        let (name, base) = (&interface.name, scope.path(base));
        module.push(quote!(impl codegen::IsA<dyn #base> for dyn #name {}));
    }
    if interface.amh() {
        amh::generate(&interface, module);
    }
    interface.companion(nested, module);
}

impl Generator<'_, '_> {
    fn definition(&self) -> TokenStream {
        let scoped_name = self.scope.idl.scoped_name(self.id);
        let trait_docs = docs(&self.declaration.docs, &format!("IDL interface `{scoped_name}`."));
        let bases = if self.data.bases.is_empty() {
            quote!(Send + Sync + 'static)
        } else {
            let bases = self.data.bases.iter().map(|base| self.scope.path(*base));
            quote!(#(#bases)+*)
        };
        let methods = self.callables.iter().map(|callable| {
            let docs = docs(callable.docs, &callable.default_docs());
            let lints = lints::method(self.scope.properties, callable);
            let signature = callable.signature(self.scope, &self.companion);
            let asynchronous = match self.is_local() {
                true => TokenStream::new(),
                false => asynchronous::provided(self.scope, &self.companion, callable),
            };
            let body = self.default_body(callable);
            quote!(#docs #lints #signature #body #asynchronous)
        });
        let name = &self.name;
        let lints = lints::allow(&lints::interface(&self.callables));
        let base = self.servant_base();
        quote!(#trait_docs #lints pub trait #name: #bases { #(#methods)* #base })
    }

    /// The body of a method that a servant may leave out.
    fn default_body(&self, callable: &Callable<'_>) -> TokenStream {
        if !self.scope.options.default_bodies {
            return quote!(;);
        }
        let scoped_name = self.scope.idl.scoped_name(self.id);
        let what = format!("{scoped_name}::{}", callable.wire_name);
        let arguments = callable.arguments().map(|parameter| names::ident(&parameter.name));
        let arguments: Vec<_> = arguments.chain(callable.context()).map(|a| quote!(#a)).collect();
        let unused = (!arguments.is_empty()).then(|| operation::tuple(&arguments));
        let unused = unused.map(|arguments| quote!(let _ = #arguments;));
        let error = quote!(codegen::not_implemented(#what));
        let error = match callable.raises.is_empty() {
            true => error,
            false => quote!(#error.into()),
        };
        quote!({ #unused Err(#error) })
    }

    /// The method with which a servant takes over the operations of every object.
    fn servant_base(&self) -> TokenStream {
        if !self.serves() {
            return TokenStream::new();
        }
        let mut bases = self.data.bases.iter().map(|base| self.scope.path(*base));
        let first = match bases.next() {
            None => quote!(None),
            Some(base) => quote!(#base::servant_base(self)),
        };
        let others = bases.map(|base| quote!(.or_else(|| #base::servant_base(self))));
        quote! {
            /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
            /// servant that is an `armilla::ServantBase`.
            fn servant_base(&self) -> Option<&dyn codegen::ServantBase> {
                #first #(#others)*
            }
        }
    }

    fn reference(&self) -> TokenStream {
        let name = &self.name;
        let reference = names::ident(&scope::reference_name(self.declaration));
        let docs = format!(" A reference to an object with the interface [`{name}`].");
        if self.data.flavour == Flavour::Abstract {
            let docs = format!(" An object or a value with the interface [`{name}`], or null.");
            return quote! {
                #[doc = #docs]
                pub type #reference = Option<codegen::Abstract<dyn #name>>;
            };
        }
        let kind = names::ident(if self.is_local() { "LocalRef" } else { "Ref" });
        quote!(#[doc = #docs] pub type #reference = codegen::#kind<dyn #name>;)
    }

    fn implementation(&self) -> TokenStream {
        let model = self.scope.model;
        let (name, repository_id) = (&self.name, &self.declaration.repository_id);
        let all_bases = queries::all_bases(model, self.id);
        let base_ids = all_bases.iter().map(|base| &model.get(*base).repository_id);
        let servant_base = self.base_of_servants();
        let dispatch = self.dispatch(name, &all_bases, |_| "skeleton");
        let signature = signature::generate(self.scope, &self.callables, &self.data.bases);
        let idl = self.scope.idl.get(self.id);
        let reference_type = type_codes::of_references(idl, self.data);
        let offers = all_bases.iter().map(|base| {
            let base = self.scope.path(*base);
            quote!(target.offer::<dyn #base>(|| servant.clone());)
        });
        quote! {
            impl codegen::Interface for dyn #name {
                const REPOSITORY_ID: &'static str = #repository_id;
                const BASES: &'static [&'static str] = &[#(#base_ids),*];
                #dispatch
                #servant_base
                #reference_type
                #signature
                fn upcast(servant: ::std::sync::Arc<Self>, target: &mut codegen::Upcast<'_>) {
                    target.offer::<dyn #name>(|| servant.clone());
                    #(#offers)*
                }
            }
        }
    }

    fn tie(&self) -> TokenStream {
        let name = &self.name;
        let docs = match self.is_local() {
            true => format!(" Makes an object of what implements [`{name}`](super::{name})."),
            false => format!(
                " Ties the servant to the skeleton of [`{name}`](super::{name}), for an object \
                 adapter."
            ),
        };
        quote! {
            #[doc = #docs]
            pub fn tie(servant: impl super::#name) -> ::std::sync::Arc<dyn super::#name> {
                ::std::sync::Arc::new(servant)
            }
        }
    }

    /// The module of the interface.
    fn companion(&self, nested: Module, module: &mut Module) {
        let name = &self.name;
        let within = self.scope.child(&names::module(&self.declaration.name));
        let mut body = nested;
        if self.is_local() || self.serves() {
            body.push(self.tie());
        }
        if self.amh() {
            body.push(amh::tie(self));
        }
        timing::table(self.scope, self.id).into_iter().for_each(|table| body.push(table));
        roles::table(self.scope, self.id).into_iter().for_each(|table| body.push(table));
        let callables: Vec<_> = self.callables.iter().collect();
        let bases = queries::all_bases(self.scope.model, self.id);
        raises::generate(&within, &callables, &bases, self.is_local(), &mut body);
        if !self.callables.is_empty() && self.serves() {
            let mut functions = Module::default();
            let scope = within.child("skeleton");
            for callable in &self.callables {
                functions.push(skeleton::generate(&scope, self.id, callable));
            }
            body.push_module(quote!(#[doc(hidden)]), "skeleton", functions);
        }
        if !self.callables.is_empty() && self.amh() {
            body.push_module(quote!(#[doc(hidden)]), amh::SKELETON, amh::skeleton(self, &within));
        }
        let docs = format!(" What belongs to the interface [`{name}`].");
        module.push_module(quote!(#[doc = #docs]), &names::module(&self.declaration.name), body);
    }
}
