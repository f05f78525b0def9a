//! Answers to requests of the editor.

use super::diagnostics::location;
use super::documents::Documents;
use super::position::Lines;
use super::uri;
use armilla_idl::Compilation;
use armilla_idl::outline::{Entity, Symbol, SymbolKind, outline};
use lsp_types::{
    self as lsp, DocumentFormattingParams, DocumentSymbol, DocumentSymbolParams,
    DocumentSymbolResponse, GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents,
    HoverParams, Location, MarkupContent, MarkupKind, Position, Range, TextEdit,
};

/// The declaration, the repository id and the documentation of the name under the cursor.
pub(super) fn hover(documents: &Documents, parameters: HoverParams) -> Option<Hover> {
    let at = parameters.text_document_position_params;
    let (text, compilation) = documents.get(&at.text_document.uri)?;
    let compilation = compilation?;
    let entity = compilation.model.entity_at(&text, Lines::new(&text).offset(at.position))?;
    let mut value = format!("```idl\n{}\n```\n", declaration(&entity, compilation));
    value.push_str(&format!("\n{}", entity.scoped_name));
    if let Some(id) = entity.repository_id {
        value.push_str(&format!(" — `{id}`"));
    }
    if !entity.docs.is_empty() {
        value.push_str(&format!("\n\n---\n\n{}", entity.docs.join("\n")));
    }
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: None })
}

/// The declaration of `entity` in the source, on one line, without its body.
fn declaration(entity: &Entity<'_>, compilation: &Compilation) -> String {
    let text = compilation.sources().text(entity.span.file);
    let symbols = outline(text);
    match find(&symbols, entity.span.start as usize) {
        Some(symbol) => {
            let words: Vec<&str> = text[symbol.header.clone()].split_whitespace().collect();
            words.join(" ")
        }
        // The name comes from a macro.
        None => entity.scoped_name.clone(),
    }
}

fn find(symbols: &[Symbol], start: usize) -> Option<&Symbol> {
    symbols.iter().find_map(|symbol| {
        if symbol.name_range.start == start { Some(symbol) } else { find(&symbol.children, start) }
    })
}

/// The location of the declaration of the name under the cursor, or the file included there.
pub(super) fn definition(
    documents: &Documents,
    parameters: GotoDefinitionParams,
) -> Option<GotoDefinitionResponse> {
    let at = parameters.text_document_position_params;
    let (text, compilation) = documents.get(&at.text_document.uri)?;
    let compilation = compilation?;
    let line = text.split('\n').nth(at.position.line as usize).unwrap_or_default();
    if let Some(location) = included(line, compilation) {
        return Some(location.into());
    }
    let entity = compilation.model.entity_at(&text, Lines::new(&text).offset(at.position))?;
    Some(location(entity.span, compilation.sources())?.into())
}

/// The file that `line` includes.
fn included(line: &str, compilation: &Compilation) -> Option<Location> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    let name = rest.split(['"', '<', '>']).nth(1)?;
    let path = compilation.sources().paths().skip(1).find(|path| path.ends_with(name))?;
    Some(Location::new(uri::from_path(path)?, Range::default()))
}

/// The outline of a document.
pub(super) fn symbols(
    documents: &Documents,
    parameters: DocumentSymbolParams,
) -> Option<DocumentSymbolResponse> {
    let (text, _) = documents.get(&parameters.text_document.uri)?;
    let lines = Lines::new(&text);
    let symbols: Vec<DocumentSymbol> =
        outline(&text).into_iter().map(|symbol| document_symbol(symbol, &lines)).collect();
    Some(DocumentSymbolResponse::Nested(symbols))
}

fn document_symbol(symbol: Symbol, lines: &Lines<'_>) -> DocumentSymbol {
    let children: Vec<DocumentSymbol> =
        symbol.children.into_iter().map(|child| document_symbol(child, lines)).collect();
    // The struct literal has to name the deprecated field.
    #[allow(deprecated)]
    DocumentSymbol {
        name: symbol.name,
        detail: None,
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: lines.range(symbol.range),
        selection_range: lines.range(symbol.name_range),
        children: (!children.is_empty()).then_some(children),
    }
}

fn kind(kind: SymbolKind) -> lsp::SymbolKind {
    match kind {
        SymbolKind::Module => lsp::SymbolKind::MODULE,
        SymbolKind::Interface => lsp::SymbolKind::INTERFACE,
        SymbolKind::Value | SymbolKind::Component => lsp::SymbolKind::CLASS,
        SymbolKind::Struct | SymbolKind::Union => lsp::SymbolKind::STRUCT,
        SymbolKind::Exception => lsp::SymbolKind::EVENT,
        SymbolKind::Enum => lsp::SymbolKind::ENUM,
        SymbolKind::Enumerator => lsp::SymbolKind::ENUM_MEMBER,
        SymbolKind::Typedef => lsp::SymbolKind::TYPE_PARAMETER,
        SymbolKind::Constant => lsp::SymbolKind::CONSTANT,
        SymbolKind::Operation => lsp::SymbolKind::METHOD,
        SymbolKind::Attribute => lsp::SymbolKind::PROPERTY,
        SymbolKind::Member => lsp::SymbolKind::FIELD,
    }
}

/// One edit that formats the whole document; none if it is formatted or has syntax errors.
pub(super) fn formatting(
    documents: &Documents,
    parameters: DocumentFormattingParams,
) -> Option<Vec<TextEdit>> {
    let (text, _) = documents.get(&parameters.text_document.uri)?;
    let formatted = armilla_idl::format("document", &text).ok()?;
    if formatted == text {
        return Some(Vec::new());
    }
    let end = Lines::new(&text).position(text.len());
    Some(vec![TextEdit::new(Range::new(Position::new(0, 0), end), formatted)])
}
