//! Interfaces of COM: the trait, the proxy, and a module with the tables, the stub and the IID. The code
//! names `armilla_dcom::generated` and nothing else.

mod definition;
mod description;
mod sizes;
mod types;
mod union;

use super::docs::docs;
use super::lints;
use super::module::Module;
use super::names;
use super::scope::{self, Scope};
use crate::model::{
    ComBase, ComInterface, ComMethod, ComParameter, ComType, DeclId, DeclKind, Declaration,
    Direction, Model,
};
pub(super) use definition::define;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use sizes::{Numbers, checks, counted, emptied};
use types::{from_wire, same, value, wire};

/// The name of the type of proxies.
pub(super) fn proxy_name(declaration: &Declaration) -> String {
    names::camel(&format!("{}_proxy", declaration.name))
}

/// Emits an interface of COM.
pub(super) fn generate(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    data: &ComInterface,
    module: &mut Module,
) {
    let com = Com { scope, id, declaration, data };
    module.push(com.definition());
    module.push(com.proxy());
    for (base, interface) in com.bases() {
        module.push(com.implementation(base, interface));
    }
    let mut companion = Module::default();
    companion.push(com.tables());
    companion.push(com.server());
    companion.push(com.description());
    let docs = format!(" What belongs to the interface [`{}`].", com.name());
    module.push_module(quote!(#[doc = #docs]), &names::module(&declaration.name), companion);
}

struct Com<'s> {
    scope: &'s Scope<'s>,
    id: DeclId,
    declaration: &'s Declaration,
    data: &'s ComInterface,
}

/// The base of an interface, if the IDL declares it.
fn base(model: &Model, data: &ComInterface) -> Option<DeclId> {
    match data.base {
        ComBase::Interface(id) if matches!(model.get(id).kind, DeclKind::Com(_)) => Some(id),
        _ => None,
    }
}

impl<'s> Com<'s> {
    fn name(&self) -> Ident {
        names::ident(&scope::name(self.declaration))
    }

    /// The interface itself, then its base, and so on.
    fn bases(&self) -> Vec<(DeclId, &'s ComInterface)> {
        let mut all = vec![(self.id, self.data)];
        let mut data = self.data;
        while let Some(id) = base(self.scope.model, data)
            && let DeclKind::Com(next) = &self.scope.model.get(id).kind
        {
            all.push((id, next));
            data = next;
        }
        all
    }

    fn definition(&self) -> TokenStream {
        let scoped_name = self.scope.idl.scoped_name(self.id);
        let trait_docs = docs(&self.declaration.docs, &format!("COM interface `{scoped_name}`."));
        let bases = match base(self.scope.model, self.data) {
            Some(base) => self.scope.path(base),
            None => quote!(Send + Sync),
        };
        let name = self.name();
        let methods = self.data.methods.iter().map(|method| {
            let (signature, result) = (signature(self.scope, method), result(self.scope, method));
            let success = method.success_codes.then(|| {
                quote! {
                    ///
                    /// The first result is the HRESULT of the success.
                }
            });
            let otherwise = format!("COM method `{}::{}`.", scoped_name, method.full_name());
            let docs = docs(&method.docs, &otherwise);
            quote! {
                #docs
                #success
                ///
                /// # Errors
                ///
                /// The HRESULT, if it is a failure.
                #signature -> Result<#result, ::armilla_dcom::generated::Status>;
            }
        });
        let allow = lints(&self.data.methods);
        quote! {
            #trait_docs
            #allow
            pub trait #name: #bases { #(#methods)* }
        }
    }

    fn proxy(&self) -> TokenStream {
        let (name, proxy) = (self.name(), names::ident(&proxy_name(self.declaration)));
        let docs = format!(" A reference to a remote object with the interface [`{name}`].");
        let methods = self.bases().into_iter().flat_map(|(id, data)| {
            let companion = self.scope.companion(id);
            data.methods.iter().map(move |method| {
                let (signature, result) =
                    (signature(self.scope, method), result(self.scope, method));
                let docs = format!(" Calls `{}`.", method.full_name());
                let operation = names::ident(&names::camel(&method.full_name()));
                let given = given(method, &companion);
                let (pattern, value, checks) = taken(method);
                let checks = (!checks.is_empty()).then(|| {
                    let opnum = proc_macro2::Literal::u16_unsuffixed(method.opnum);
                    quote!(self.0.check_results(#opnum, || { #checks Ok(()) })?;)
                });
                let call = match method.success_codes {
                    true => names::ident("call_for_success"),
                    false => names::ident("call"),
                };
                quote! {
                    #[doc = #docs]
                    ///
                    /// # Errors
                    ///
                    /// What failed, at which step, and what to change.
                    pub #signature -> Result<#result, ::armilla_dcom::generated::Error> {
                        let #pattern = self.0.#call::<#companion::#operation>(&#given)?;
                        #checks
                        Ok(#value)
                    }
                }
            })
        });
        let allow = lints(self.bases().into_iter().flat_map(|(_, data)| &data.methods));
        quote! {
            #[doc = #docs]
            #[derive(Debug, Clone)]
            pub struct #proxy(
                /// The object.
                pub ::armilla_dcom::generated::Proxy,
            );
            #allow
            impl #proxy { #(#methods)* }
        }
    }

    /// The trait for the proxy, whose errors are HRESULTs.
    fn implementation(&self, id: DeclId, data: &ComInterface) -> TokenStream {
        let (path, proxy) = (self.scope.path(id), names::ident(&proxy_name(self.declaration)));
        let methods = data.methods.iter().map(|method| {
            let (signature, result) = (signature(self.scope, method), result(self.scope, method));
            let name = names::ident(&names::method(&method.full_name()));
            let arguments = method.parameters.iter().filter(|it| it.direction != Direction::Out);
            let arguments = arguments.map(|parameter| names::field(&parameter.name));
            quote! {
                #signature -> Result<#result, ::armilla_dcom::generated::Status> {
                    Self::#name(self, #(#arguments),*).map_err(|error| error.hresult())
                }
            }
        });
        quote!(#[allow(clippy::type_complexity)] impl #path for #proxy { #(#methods)* })
    }

    /// The parameters of each method, and the interface as a table.
    fn tables(&self) -> TokenStream {
        let iid = &self.data.iid;
        let scope = self.scope.child(&names::module(&self.declaration.name));
        let structs = self.data.methods.iter().flat_map(|method| {
            [(true, "In", "is given"), (false, "Out", "gives")].map(|(gives, suffix, verb)| {
                let members: Vec<TokenStream> = members(&scope, method, gives);
                if members.is_empty() {
                    return TokenStream::new();
                }
                let docs = format!(" What [`{}`] {verb}.", names::camel(&method.full_name()));
                let name = parameters_name(method, suffix);
                let checks = if gives { checks_of_given(method) } else { TokenStream::new() };
                let (_, checked) = sizes::check(&checks, &quote!(#name));
                quote!(#[doc = #docs] pub struct #name { #(#members),* } #checked)
            })
        });
        let checks = self.data.methods.iter().map(|method| {
            let name = parameters_name(method, "In");
            sizes::check(&checks_of_given(method), &quote!(#name)).0
        });
        let operations = self.data.methods.iter().map(|method| {
            let name = names::ident(&names::camel(&method.full_name()));
            let docs = format!(" `{}`", method.full_name());
            let opnum = proc_macro2::Literal::u16_unsuffixed(method.opnum);
            let of = |gives, suffix| match members(&scope, method, gives).is_empty() {
                true => quote!(()),
                false => {
                    let name = parameters_name(method, suffix);
                    quote!(#name)
                }
            };
            let (given, taken) = (of(true, "In"), of(false, "Out"));
            quote!(#[doc = #docs] #opnum => #name(#given) -> #taken;)
        });
        quote! {
            /// The IID of the interface.
            pub const IID: ::armilla_dcom::generated::Uuid =
                ::armilla_dcom::generated::Uuid::literal(#iid);
            ::armilla_dcom::generated::ndr_parameters! { #(#structs)* }
            #(#checks)*
            ::armilla_dcom::generated::ndr_interface! {
                /// The interface as a table.
                pub const INTERFACE = #iid, 0, 0;
                #(#operations)*
            }
        }
    }

    /// What calls a servant.
    fn server(&self) -> TokenStream {
        let name = self.name();
        let (call, supports) = match base(self.scope.model, self.data) {
            Some(base) => {
                let base = self.scope.child(&names::module(&self.declaration.name)).companion(base);
                (quote!(#base::call(servant, call)), quote!(|| #base::supports(iid)))
            }
            None => (
                quote!(Err(::armilla_dcom::generated::Status::OPERATION_OUT_OF_RANGE)),
                TokenStream::new(),
            ),
        };
        let arms = self.data.methods.iter().map(|method| {
            let opnum = proc_macro2::Literal::u16_unsuffixed(method.opnum);
            let body = upcall(method);
            quote!(#opnum => { #body })
        });
        // An interface may have what it inherits and nothing more.
        let body = match (self.data.methods.is_empty(), base(self.scope.model, self.data)) {
            (true, Some(_)) => call,
            (true, None) => quote!(let _ = (servant, call); #call),
            (false, _) => quote!(match call.opnum { #(#arms)* _ => #call }),
        };
        let docs = format!(" An object with the interface [`{name}`](super::{name}).");
        quote! {
            #[doc = #docs]
            pub fn object(
                servant: impl super::#name + 'static,
            ) -> ::std::sync::Arc<dyn ::armilla_dcom::generated::Object> {
                struct Servant<T>(T);
                impl<T: super::#name + 'static> ::armilla_dcom::generated::Object for Servant<T> {
                    fn supports(&self, iid: ::armilla_dcom::generated::Uuid) -> bool {
                        supports(iid) || iid == ::armilla_dcom::generated::CLASS_INFO
                    }
                    fn call(
                        &self,
                        given: &::armilla_dcom::generated::ObjectCall<'_>,
                    ) -> Result<Vec<u8>, ::armilla_dcom::generated::Status> {
                        match given.iid {
                            ::armilla_dcom::generated::CLASS_INFO => {
                                ::armilla_dcom::generated::class_info(given, library())
                            }
                            _ => call(&self.0, given),
                        }
                    }
                }
                ::std::sync::Arc::new(Servant(servant))
            }
            /// Whether an object of the interface answers by this IID.
            pub fn supports(iid: ::armilla_dcom::generated::Uuid) -> bool {
                iid == IID #supports
            }
            /// Executes a call of the interface: for an object that has several.
            ///
            /// # Errors
            ///
            /// What the client is told.
            pub fn call<T: super::#name + ?Sized>(
                servant: &T,
                call: &::armilla_dcom::generated::ObjectCall<'_>,
            ) -> Result<Vec<u8>, ::armilla_dcom::generated::Status> {
                #body
            }
        }
    }
}

/// The attribute that allows the lints of Clippy that methods violate because of the IDL.
fn lints<'m>(methods: impl IntoIterator<Item = &'m ComMethod>) -> TokenStream {
    let mut lints = vec!["type_complexity"];
    if methods.into_iter().any(|method| 1 + inputs(method).count() > 7) {
        lints.push("too_many_arguments");
    }
    lints::allow(&lints)
}

/// The call of a method of the servant, within its stub.
fn upcall(method: &ComMethod) -> TokenStream {
    let name = names::ident(&names::method(&method.full_name()));
    let read = match inputs(method).next() {
        None => TokenStream::new(),
        Some(_) => {
            let ty = parameters_name(method, "In");
            let names = inputs(method).map(|it| names::field(&it.name));
            quote!(let #ty { #(#names),* } = call.arguments()?;)
        }
    };
    let arguments = inputs(method).map(|parameter| {
        let name = names::field(&parameter.name);
        from_wire(&parameter.ty, quote!(#name))
    });
    let outs: Vec<_> = outputs(method).collect();
    let fields: Vec<Ident> = outs.iter().map(|it| names::field(&it.name)).collect();
    if outs.is_empty() {
        return match method.success_codes {
            true => quote! {
                #read
                // A failure is an answer, too: a fault would say that the call was not executed.
                let status = servant.#name(#(#arguments),*).unwrap_or_else(|status| status);
                call.answer_with(&(), status)
            },
            false => quote! {
                #read
                let status = servant.#name(#(#arguments),*).err();
                call.answer_with(&(), status.unwrap_or(::armilla_dcom::generated::Status::OK))
            },
        };
    }
    let ty = parameters_name(method, "Out");
    let values = outs.iter().map(|it| field(method, it));
    let none = numbers(method, &|name, it| match it.direction {
        Direction::In => still_there(name, it),
        _ => Some(quote!(0)),
    });
    let nothing = outs.iter().map(|it| emptied(&it.ty, &it.bounds, &none));
    let taken = taken_names(method);
    let success = names::ident(&names::fresh("success", &taken));
    let results = names::ident(&names::fresh("results", &taken));
    let checks = checks_of_taken(method, &results, &still_there);
    let status = method.success_codes.then(|| quote!(#success));
    let pattern = fields.iter().map(|it| quote!(#it));
    let pattern = tuple(&status.clone().into_iter().chain(pattern).collect::<Vec<_>>());
    let answer = |results: TokenStream| match &status {
        Some(status) => quote!(call.answer_with(&#results, #status)),
        None => quote!(call.answer(&#results)),
    };
    let answer = match checks.is_empty() {
        true => answer(quote!(#ty { #(#values),* })),
        false => {
            let answer = answer(quote!(#results));
            quote!({
                let #results = #ty { #(#values),* };
                call.check_results(|| { #checks Ok(()) })?;
                #answer
            })
        }
    };
    quote! {
        #read
        match servant.#name(#(#arguments),*) {
            Ok(#pattern) => #answer,
            // A failure has results, too: they say nothing.
            Err(status) => call.answer_with(&#ty { #(#fields: #nothing),* }, status),
        }
    }
}

fn inputs(method: &ComMethod) -> impl Iterator<Item = &ComParameter> {
    method.parameters.iter().filter(|it| it.direction != Direction::Out)
}

fn outputs(method: &ComMethod) -> impl Iterator<Item = &ComParameter> {
    method.parameters.iter().filter(|it| it.direction != Direction::In)
}

fn parameters_name(method: &ComMethod, suffix: &str) -> Ident {
    names::ident(&format!("{}{suffix}", names::camel(&method.full_name())))
}

/// The fields of the parameters in one direction.
fn members(scope: &Scope<'_>, method: &ComMethod, gives: bool) -> Vec<TokenStream> {
    let other = if gives { Direction::Out } else { Direction::In };
    let mut members = Vec::new();
    for parameter in method.parameters.iter().filter(|it| it.direction != other) {
        let (name, ty) = (names::field(&parameter.name), wire(scope, &parameter.ty));
        let docs = format!(" Parameter `{}`.", parameter.name);
        members.push(quote!(#[doc = #docs] pub #name: #ty));
    }
    members
}

fn signature(scope: &Scope<'_>, method: &ComMethod) -> TokenStream {
    let name = names::ident(&names::method(&method.full_name()));
    let parameters = inputs(method).map(|parameter| {
        let (name, ty) = (names::field(&parameter.name), value(scope, &parameter.ty));
        quote!(#name: #ty)
    });
    quote!(fn #name(&self, #(#parameters),*))
}

/// What a method returns.
fn result(scope: &Scope<'_>, method: &ComMethod) -> TokenStream {
    let status = method.success_codes.then(|| quote!(::armilla_dcom::generated::Status));
    let values = outputs(method).map(|parameter| value(scope, &parameter.ty));
    tuple(&status.into_iter().chain(values).collect::<Vec<_>>())
}

fn tuple(parts: &[TokenStream]) -> TokenStream {
    match parts {
        [one] => quote!(#one),
        parts => quote!((#(#parts),*)),
    }
}

/// The arguments of a call as the table has them.
fn given(method: &ComMethod, companion: &TokenStream) -> TokenStream {
    let fields: Vec<TokenStream> = inputs(method).map(|it| field(method, it)).collect();
    if fields.is_empty() {
        return quote!(());
    }
    let ty = parameters_name(method, "In");
    quote!(#companion::#ty { #(#fields),* })
}

/// A field of parameters that is made of the argument of its name.
fn field(method: &ComMethod, parameter: &ComParameter) -> TokenStream {
    let name = names::field(&parameter.name);
    match same(&parameter.ty) {
        true => quote!(#name),
        false => {
            let local = numbers(method, &|name, it| Numbers::native(&it.ty, quote!(#name)));
            let value = counted(&parameter.ty, quote!(#name), &parameter.bounds, &local);
            quote!(#name: #value)
        }
    }
}

/// Where the numbers are that its parameters hold.
fn numbers(
    method: &ComMethod,
    place: &dyn Fn(&Ident, &ComParameter) -> Option<TokenStream>,
) -> Numbers {
    let all = method.parameters.iter().map(|it| (&it.name, place(&names::field(&it.name), it)));
    Numbers::new(all)
}

/// What compares the arrays among the arguments with their sizes.
fn checks_of_given(method: &ComMethod) -> TokenStream {
    let own = numbers(method, &|name, it| match it.direction {
        Direction::Out => None,
        _ => Numbers::travelling(&it.ty, quote!(self.#name)),
    });
    let checks = inputs(method).map(|it| {
        let name = names::field(&it.name);
        checks(&it.ty, &quote!(self.#name), &it.bounds, &it.name, &own)
    });
    checks.collect()
}

/// The number of an argument that a stub has given to the servant; one behind a pointer has gone with it.
fn still_there(name: &Ident, it: &ComParameter) -> Option<TokenStream> {
    match it.ty {
        ComType::Unique(_) | ComType::Full(_) => None,
        _ => Numbers::native(&it.ty, quote!(#name)),
    }
}

/// What compares the arrays among `results` with their sizes, which may be arguments.
fn checks_of_taken(
    method: &ComMethod,
    results: &Ident,
    given: &dyn Fn(&Ident, &ComParameter) -> Option<TokenStream>,
) -> TokenStream {
    let all = numbers(method, &|name, it| match it.direction {
        Direction::In => given(name, it),
        _ => Numbers::travelling(&it.ty, quote!(#results.#name)),
    });
    let checks = outputs(method).map(|it| {
        let name = names::field(&it.name);
        checks(&it.ty, &quote!(#results.#name), &it.bounds, &it.name, &all)
    });
    checks.collect()
}

/// The names that its parameters take.
fn taken_names(method: &ComMethod) -> Vec<String> {
    method.parameters.iter().map(|it| names::field(&it.name).to_string()).collect()
}

/// How the results are taken apart, what they become, and what compares their arrays with their sizes.
fn taken(method: &ComMethod) -> (TokenStream, TokenStream, TokenStream) {
    let names = taken_names(method);
    let taken = names::ident(&names::fresh("taken", &names));
    let status = names::ident(&names::fresh("status", &names));
    let values: Vec<TokenStream> = outputs(method)
        .map(|parameter| {
            let name = names::field(&parameter.name);
            from_wire(&parameter.ty, quote!(#taken.#name))
        })
        .collect();
    let checks =
        checks_of_taken(method, &taken, &|name, it| Numbers::native(&it.ty, quote!(#name)));
    let results = if values.is_empty() { quote!(()) } else { quote!(#taken) };
    match method.success_codes {
        true => {
            let all = [quote!(#status)].into_iter().chain(values).collect::<Vec<_>>();
            (quote!((#results, #status)), tuple(&all), checks)
        }
        false => (results, tuple(&values), checks),
    }
}
