//! Graphs in the languages of programs that draw them.
//!
//! Titles are anybody's text, so nothing of them may be taken for the language itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use windlass_domain::Status;

use super::graph::{GraphEdge, GraphNode};

/// Tasks by the project they are in; missing ones are in none.
fn by_project(nodes: &[GraphNode]) -> BTreeMap<Option<&str>, Vec<&GraphNode>> {
    let mut groups: BTreeMap<Option<&str>, Vec<&GraphNode>> = BTreeMap::new();
    for node in nodes {
        groups.entry(node.project.as_deref()).or_default().push(node);
    }
    groups
}

/// What is written on a task: its id, its status and its title.
fn label(node: &GraphNode) -> [String; 2] {
    let status = node.status.map_or("missing", Status::as_str);
    [format!("{} {status}", node.task_id.short()), node.title.clone().unwrap_or_default()]
}

fn is_settled(node: &GraphNode) -> bool {
    node.status.is_none_or(Status::is_settled)
}

/// The graph for Graphviz.
pub(super) fn dot(nodes: &[GraphNode], edges: &[GraphEdge]) -> String {
    let mut text = String::from("digraph dependencies {\n  rankdir=LR;\n  node [shape=box];\n");
    for (index, (project, nodes)) in by_project(nodes).into_iter().enumerate() {
        if let Some(project) = project {
            let project = in_dot(project);
            let _infallible =
                writeln!(text, "  subgraph cluster_{index} {{\n    label=\"{project}\";");
        }
        for node in nodes {
            let [first, title] = label(node).map(|line| in_dot(&line));
            let style = if is_settled(node) { ", style=dashed" } else { "" };
            let _infallible =
                writeln!(text, "    \"{}\" [label=\"{first}\\n{title}\"{style}];", node.task_id);
        }
        if project.is_some() {
            text.push_str("  }\n");
        }
    }
    for edge in edges {
        let style = if edge.blocking { "" } else { " [style=dashed]" };
        let (from, to) = (edge.from_task_id, edge.to_task_id);
        let _infallible = writeln!(text, "  \"{from}\" -> \"{to}\"{style};");
    }
    text.push_str("}\n");
    text
}

/// Text between the quotes of a string in dot.
fn in_dot(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => safe.push_str("\\\""),
            '\\' => safe.push_str("\\\\"),
            '\n' => safe.push_str("\\n"),
            letter if letter.is_control() => safe.push(' '),
            // Graphviz reads the entities of HTML in every label.
            '&' => safe.push_str("&amp;"),
            letter => safe.push(letter),
        }
    }
    safe
}

/// The graph for mermaid.
pub(super) fn mermaid(nodes: &[GraphNode], edges: &[GraphEdge]) -> String {
    let mut text = String::from("flowchart LR\n");
    for (index, (project, nodes)) in by_project(nodes).into_iter().enumerate() {
        if let Some(project) = project {
            let project = in_mermaid(project);
            let _infallible = writeln!(text, "  subgraph project_{index}[\"{project}\"]");
        }
        for node in nodes {
            let [first, title] = label(node).map(|line| in_mermaid(&line));
            let class = if is_settled(node) { ":::settled" } else { "" };
            let _infallible =
                writeln!(text, "    t{}[\"{first}<br/>{title}\"]{class}", node.task_id);
        }
        if project.is_some() {
            text.push_str("  end\n");
        }
    }
    for edge in edges {
        let arrow = if edge.blocking { "-->" } else { "-.->" };
        let (from, to) = (edge.from_task_id, edge.to_task_id);
        let _infallible = writeln!(text, "  t{from} {arrow} t{to}");
    }
    text.push_str("  classDef settled stroke-dasharray: 5 5\n");
    text
}

/// Text between the quotes of a label in mermaid. Everything that means something there, in HTML
/// or in Markdown, is written by its number.
fn in_mermaid(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => safe.push_str("<br/>"),
            letter if letter.is_control() => safe.push(' '),
            letter if letter.is_ascii_punctuation() && !matches!(letter, '.' | ',' | '-' | ':') => {
                let _infallible = write!(safe, "#{};", u32::from(letter));
            }
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use windlass_domain::TaskId;

    use super::*;

    const WILD: [&str; 8] = [
        "say \"hello\"",
        "two\nlines\tand a tab",
        "[brackets] {braces} (and) <tags>",
        "back\\slash at the end \\",
        "`code` **bold** %%{init: {}}%%",
        "emoji 👩\u{200d}👩\u{200d}👧 and 修复",
        "end; --> x; \"]; evil[\"",
        "&quot; #quot; \r\n",
    ];

    fn graph() -> (Vec<GraphNode>, Vec<GraphEdge>) {
        let id = |number: usize| TaskId::from_bytes([u8::try_from(number).unwrap(); 16]);
        let nodes = WILD.iter().enumerate().map(|(number, title)| GraphNode {
            task_id: id(number),
            title: Some((*title).to_owned()),
            project: Some("api".to_owned()),
            status: Some(Status::Ready),
            agent: None,
            missing: false,
        });
        let edges = (1..WILD.len()).map(|number| GraphEdge {
            from_task_id: id(number - 1),
            to_task_id: id(number),
            cross_project: false,
            blocking: number % 2 == 0,
        });
        (nodes.collect(), edges.collect())
    }

    /// The texts between quotes of a line of dot, read as dot reads them, and what is left of it.
    fn read_dot(line: &str) -> (Vec<String>, String) {
        let (mut texts, mut rest) = (Vec::new(), String::new());
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            if letter != '"' {
                rest.push(letter);
                continue;
            }
            let mut text = String::new();
            loop {
                match letters.next().expect("a string that does not end") {
                    '"' => break,
                    '\\' => match letters.next().unwrap() {
                        'n' => text.push('\n'),
                        other => text.push(other),
                    },
                    letter => text.push(letter),
                }
            }
            texts.push(text);
        }
        (texts, rest)
    }

    #[test]
    fn no_title_breaks_out_of_its_label_in_dot() {
        let (nodes, edges) = graph();
        let text = dot(&nodes, &edges);
        let labels: Vec<(Vec<String>, String)> =
            text.lines().filter(|line| line.contains("[label=")).map(read_dot).collect();
        assert_eq!(labels.len(), WILD.len());
        for ((texts, rest), title) in labels.iter().zip(WILD) {
            assert_eq!(rest.trim(), "[label=];");
            let title = title.replace(['\t', '\r'], " ").replace('&', "&amp;");
            assert!(texts[1].ends_with(&format!("ready\n{title}")), "{texts:?}");
        }
        let arrows = text.lines().filter(|line| line.contains("->") && !line.contains("label"));
        assert_eq!(arrows.count(), edges.len());
    }

    #[test]
    fn no_title_breaks_out_of_its_label_in_mermaid() {
        let (nodes, edges) = graph();
        let text = mermaid(&nodes, &edges);
        let labels: Vec<&str> = text.lines().filter(|line| line.contains("<br/>")).collect();
        assert_eq!(labels.len(), WILD.len());
        for line in labels {
            let label = line.split_once("[\"").unwrap().1.strip_suffix("\"]").unwrap();
            let plain = label.replace("<br/>", "");
            for letter in ['"', '[', ']', '<', '>', '`', '%', '&', '\\', '{', '}', '(', ')'] {
                assert!(!plain.contains(letter), "{letter} in {line}");
            }
        }
        assert_eq!(text.matches("--> ").count() + text.matches("-.-> ").count(), edges.len());
        assert!(text.contains("emoji 👩\u{200d}👩\u{200d}👧 and 修复"));
    }
}
