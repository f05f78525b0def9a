//! The README of the repository quotes this example, and `docs/commands.md` the IDL of
//! `examples/scheduling/filter.idl`; here the quotations are held against them.

const PAGES: [&str; 2] =
    [include_str!("../../../../README.md"), include_str!("../../../../docs/commands.md")];

/// Where the quoted lines come from.
const SOURCES: [&str; 5] = [
    include_str!("../../idl/bank.idl"),
    include_str!("../../build.rs"),
    include_str!("../../src/bin/server.rs"),
    include_str!("../../src/bin/client.rs"),
    include_str!("../../../scheduling/filter.idl"),
];

#[test]
fn what_the_pages_quote_stands_in_the_examples() {
    let quotations = code_blocks("idl").chain(code_blocks("rust"));
    let mut count = 0;
    for quotation in quotations {
        count += 1;
        let found = SOURCES.iter().any(|source| stands_in(quotation, source));
        assert!(found, "a page quotes what the example does not have:\n{quotation}");
    }
    assert_eq!(count, 5, "two IDL files, a build script, a server and a client");
}

/// The text of each block of this language.
fn code_blocks(language: &str) -> impl Iterator<Item = &'static str> {
    let fence = format!("```{language}\n");
    let blocks = move |page: &'static str| -> Vec<&str> {
        page.split(&fence).skip(1).filter_map(|block| block.split("```").next()).collect()
    };
    PAGES.into_iter().flat_map(blocks)
}

/// Whether the lines of `quotation` stand in `source` in their order, whatever their indentation
/// and whatever stands between them.
fn stands_in(quotation: &str, source: &str) -> bool {
    let mut lines = source.lines().map(str::trim);
    let wanted = quotation.lines().map(str::trim).filter(|line| !line.is_empty());
    wanted.into_iter().all(|line| lines.any(|candidate| candidate == line))
}
