//! The Rust back end: emits Rust modules for a [`Model`].
//!
//! `docs/mapping.md` describes the mapping of each construct. Generated code refers to the hidden
//! module `armilla::codegen` and the standard library only. Each construct has a file here. They share
//! `queries` (the model), `names` and `scope` (Rust names and paths), `types`, `properties` and
//! `marshal` (Rust types and their encoding), `layout` (fixed-size structs), `check` and
//! `unsupported` (constructs without a mapping) and `format`.

mod amh;
mod anys;
mod asynchronous;
mod bitmasks;
mod bitsets;
mod check;
mod closures;
mod com;
mod consts;
mod cycles;
mod derives;
mod dispatch;
mod docs;
mod enums;
mod externs;
mod fixed;
mod format;
mod interface;
mod labels;
mod layout;
mod lent;
mod lints;
mod marshal;
mod module;
mod names;
mod operation;
mod options;
mod properties;
mod queries;
mod raises;
mod renames;
mod roles;
mod scope;
mod shared;
mod signature;
mod skeleton;
mod structs;
mod stub;
mod timing;
mod type_codes;
mod types;
mod unions;
mod unsupported;
mod value_operations;
mod values;

use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::model::{DeclId, DeclKind, Declaration, Model};
use cycles::Cycles;
use docs::docs as documentation;
use externs::Externs;
use module::Module;
use proc_macro2::TokenStream;
use properties::TypeProperties;
use quote::quote;
use scope::{Analysis, Scope};

pub use options::{Options, Sides};

/// The result of the back end.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Generated {
    /// The source text.
    pub text: String,
    /// Warnings of declarations that are left out.
    pub warnings: Diagnostics,
}

/// Generates the Rust of all declarations of `model`, including those of included files.
///
/// ```
/// use armilla_idl::{Options, parse_str, rust};
///
/// let idl = "module Bank { interface Account { void close(); }; };";
/// let compilation = parse_str("bank.idl", idl, &Options::new()).unwrap();
/// let options = rust::Options::of(&compilation);
/// let generated = rust::generate(&compilation.model, &options).unwrap();
/// assert!(generated.text.contains("pub trait Account: Send + Sync + 'static {"));
/// assert!(generated.warnings.is_empty());
/// ```
///
/// # Errors
/// If two inherited operations become the same method, a construct is not supported, or an option
/// is not valid. An unsupported declaration of an included file is left out if nothing uses it.
pub fn generate(model: &Model, options: &Options) -> Result<Generated, Diagnostics> {
    let (text, warnings) = checked(model, options, write)?;
    Ok(Generated { text: text?, warnings })
}

/// Returns the warnings or errors of [`generate`], without generating code.
///
/// ```
/// use armilla_idl::{Options, parse_str, rust};
///
/// let idl = "native Cookie; interface I { void keep(in Cookie it); };";
/// let compilation = parse_str("i.idl", idl, &Options::new()).unwrap();
/// let warnings = rust::check(&compilation.model, &rust::Options::of(&compilation)).unwrap();
/// assert!(warnings.render().contains("`I::keep` is left out of the Rust"));
/// ```
///
/// # Errors
/// As for [`generate`].
pub fn check(model: &Model, options: &Options) -> Result<Diagnostics, Diagnostics> {
    checked(model, options, |_| ()).map(|((), warnings)| warnings)
}

/// Checks the model, then calls `then` with the root of the generated file. Returns its result and
/// the warnings.
fn checked<T>(
    model: &Model,
    options: &Options,
    then: impl FnOnce(&Scope<'_>) -> T,
) -> Result<(T, Diagnostics), Diagnostics> {
    let refuse = |problems| diagnostics(problems, options);
    let idl = &*shared::apply(model, options).map_err(refuse)?;
    let externs = Externs::of(idl, options).map_err(refuse)?;
    let properties = TypeProperties::of(idl);
    let omitted = unsupported::check(idl, &properties, &externs).map_err(refuse)?;
    let cycles = Cycles::of(idl);
    let mut renames = renames::wanted(options);
    let mut rounds = 0;
    loop {
        let model = &*renames::apply(idl, &renames).map_err(refuse)?;
        let methods = operation::all_methods(model);
        let analysis = Analysis {
            idl,
            properties: &properties,
            cycles: &cycles,
            omitted: &omitted,
            externs: &externs,
            methods: &methods,
        };
        let scope = Scope::root(model, options, analysis);
        let found = check::check(&scope);
        let numbered =
            found.collisions.iter().filter(|m| renames::number(m, options, &mut renames));
        if numbered.count() > 0 && rounds < renames::MAX_ROUNDS {
            rounds += 1;
            continue;
        }
        let mut problems = derives::check(idl, options);
        problems.extend(found.problems);
        if !problems.is_empty() {
            return Err(refuse(problems));
        }
        let is_reported = |warning: &&Diagnostic| !options.allowed.contains(&warning.code);
        let warnings = omitted.warnings().iter().filter(is_reported).cloned().collect();
        return Ok((then(&scope), diagnostics(warnings, options)));
    }
}

/// The generated file.
fn write(scope: &Scope<'_>) -> Result<String, Diagnostics> {
    let Scope { model, options, omitted, .. } = scope;
    let mut root = Module::default();
    fill(scope, model.roots(), &mut root);
    let text = format::file(root.into_root_tokens()).map_err(|error| {
        let message = format!("the generated code is malformed: {error}");
        let problem = Diagnostic::without_span(Code::Unsupported, message)
            .note("this is an error of the IDL compiler, please report it with the IDL");
        diagnostics(vec![problem], options)
    })?;
    let source = if options.source.is_empty() { "IDL" } else { &options.source };
    let head =
        format!("// Made from {source} by the Armilla IDL compiler. Do not edit: change the IDL.");
    let missing = match omitted.names(model).as_slice() {
        [] => String::new(),
        names => format!("\n// Left out, for they cannot become Rust: {}.", names.join(", ")),
    };
    Ok(format!("{head}{missing}\n\n{text}"))
}

fn diagnostics(problems: Vec<Diagnostic>, options: &Options) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    *diagnostics.sources_mut() = options.sources.clone();
    problems.into_iter().for_each(|problem| diagnostics.push(problem));
    diagnostics
}

/// Emits the declarations into `module`, whose scope is `scope`.
fn fill(scope: &Scope<'_>, declarations: &[DeclId], module: &mut Module) {
    for id in declarations.iter().filter(|id| scope.makes(**id)) {
        fill_one(scope, *id, module);
    }
}

fn fill_one(scope: &Scope<'_>, id: DeclId, module: &mut Module) {
    let declaration = scope.model.get(id);
    let scoped_name = scope.idl.scoped_name(id);
    match &declaration.kind {
        DeclKind::Module(members) => {
            let inception = lints::repeats_its_scope(scope.model, id);
            let allow = lints::allow(if inception { &["module_inception"] } else { &[] });
            let docs = documentation(&declaration.docs, &format!("IDL module `{scoped_name}`."));
            let within = nested(scope, declaration, members);
            module.push_module(quote!(#docs #allow), &scope::name(declaration), within);
        }
        DeclKind::Interface(data) => {
            let nested = nested(scope, declaration, &data.nested);
            interface::generate(scope, id, declaration, data, nested, module);
        }
        DeclKind::Com(data) => com::generate(scope, id, declaration, data, module),
        DeclKind::ComType(data) => com::define(scope, id, declaration, data, module),
        DeclKind::Struct(data) => {
            structs::generate(scope, id, declaration, data, module);
            push_nested(scope, declaration, &data.nested, module);
        }
        DeclKind::Exception(data) => {
            structs::generate_exception(scope, id, declaration, data, module);
            push_nested(scope, declaration, &data.nested, module);
        }
        DeclKind::Union(data) => {
            unions::generate(scope, id, declaration, data, module);
            push_nested(scope, declaration, &data.nested, module);
        }
        DeclKind::Enum(data) => enums::generate(scope, id, declaration, data, module),
        DeclKind::Typedef(ty) => {
            let docs = documentation(&declaration.docs, &format!("IDL `{scoped_name}`."));
            let name = names::ident(&scope::name(declaration));
            let ty = types::owned(scope, ty);
            let type_code = type_codes::function(scope, id);
            let any = type_code.as_ref().map(|_| anys::function(scope, id));
            module.push(quote!(#docs pub type #name = #ty; #type_code #any));
        }
        DeclKind::Const(constant) => {
            consts::generate(scope, &scoped_name, declaration, constant, module);
        }
        DeclKind::Native => {
            let docs = documentation(&declaration.docs, &format!("IDL native `{scoped_name}`."));
            let name = names::ident(&scope::name(declaration));
            module.push(quote!(#docs pub type #name = codegen::Native;));
        }
        DeclKind::Bitmask(data) => bitmasks::generate(scope, id, declaration, data, module),
        DeclKind::Bitset(data) => bitsets::generate(scope, id, declaration, data, module),
        DeclKind::Value(data) => {
            values::generate(scope, id, declaration, data, module);
            let mut within = nested(scope, declaration, &data.nested);
            value_operations::generate(scope, id, declaration, data, &mut within, module);
            push_within(declaration, within, module);
        }
        DeclKind::ValueBox(boxed) => values::generate_box(scope, id, declaration, boxed, module),
    }
}

/// The module with the declarations within `declaration`.
fn nested(scope: &Scope<'_>, declaration: &Declaration, members: &[DeclId]) -> Module {
    let mut module = Module::default();
    fill(&scope.child(&names::module(&declaration.name)), members, &mut module);
    module
}

/// Emits a module for the types that are declared within a type, if there are any.
fn push_nested(
    scope: &Scope<'_>,
    declaration: &Declaration,
    members: &[DeclId],
    module: &mut Module,
) {
    push_within(declaration, nested(scope, declaration, members), module);
}

/// Emits the module of a type, unless it is empty.
fn push_within(declaration: &Declaration, within: Module, module: &mut Module) {
    if within.is_empty() {
        return;
    }
    let docs = format!(" What belongs to [`{}`].", scope::name(declaration));
    let docs: TokenStream = quote!(#[doc = #docs]);
    module.push_module(docs, &names::module(&declaration.name), within);
}
