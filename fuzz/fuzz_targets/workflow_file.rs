//! Any text is a workflow file or refused with places in it. What is accepted has a canonical form
//! that reads as the same file and is its own canonical form; and a file survives JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use windlass_domain::run::file::{
    Finding, Severity, WorkflowFile, canonical, compat_lint, inspect, parse,
};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let findings = inspect(text);
    findings.iter().for_each(|finding| points_into(text, finding));
    let _report = compat_lint("hotl-workflow-x.md", text);
    let file = match parse(text) {
        Ok(parsed) => parsed.file,
        Err(found) => {
            assert!(found.iter().any(|finding| finding.severity == Severity::Error), "{found:?}");
            return;
        }
    };
    let written = canonical(&file);
    let again = parse(&written).unwrap_or_else(|found| panic!("{written}\n{found:?}")).file;
    assert_eq!(again, file, "{written}");
    assert_eq!(canonical(&again), written);
    let json = serde_json::to_string(&file).unwrap();
    assert_eq!(serde_json::from_str::<WorkflowFile>(&json).unwrap(), file, "{json}");
});

fn points_into(text: &str, finding: &Finding) {
    let suggested = finding.suggestion.iter().map(|suggestion| &suggestion.span);
    let related = finding.related.iter().map(|(span, _)| span);
    for span in suggested.chain(related).chain([&finding.span]) {
        assert!(text.get(span.clone()).is_some(), "{finding:?}");
    }
}
