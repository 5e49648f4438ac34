//! Search: tasks by words of all that was written about them.

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::Status;
use windlass_ops::snippet::SnippetView;
use windlass_ops::task::{Found, FoundTask, Search};

use super::Visit;
use super::form::Form;
use super::layout::{Page, Section, framed};
use super::look::{self, address, empty, grouped, status_name};
use super::trouble::Trouble;

/// Tasks on a page.
const LIMIT: u64 = 20;

/// `GET /search`.
pub(super) async fn page(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let words = query.first("q").unwrap_or_default().trim();
    let status = query.first("status").filter(|status| !status.is_empty());
    let number = query.first("page").and_then(|page| page.parse().ok()).unwrap_or(1);
    let found = match words {
        "" => None,
        words => {
            let asked = Search {
                query: words.to_owned(),
                project: visit.project.clone(),
                status: status.map(str::to_owned),
                limit: LIMIT,
                page: number,
            };
            Some(visit.ask(asked).await)
        }
    };
    let main = html! {
        div.head { h1 { "Search" } }
        (form(&visit, words, status))
        @match &found {
            None => { section.panel { (empty("Words, or beginnings of words, from titles, tags, descriptions, comments and checkpoints. All of them must be found.")) } }
            Some(Err(trouble)) => { (trouble.notice()) }
            Some(Ok(found)) => { (results(&visit, words, status, found)) }
        }
    };
    let title = if words.is_empty() { "Search".to_owned() } else { format!("{words} · Search") };
    let mut page = Page::new(title, Section::Search, main);
    page.assets = &["drawings.css"];
    Ok(framed(&visit, page))
}

fn form(visit: &Visit, words: &str, status: Option<&str>) -> Markup {
    html! {
        form.big-search role="search" action="/search" {
            @if let Some(project) = &visit.project { input type="hidden" name="project" value=(project); }
            input type="search" name="q" value=(words) aria-label="Words to search for" placeholder="login cookie" autofocus[words.is_empty()];
            select name="status" aria-label="Status" {
                option value="" { "Any status" }
                @for one in Status::ALL {
                    option value=(one.as_str()) selected[status == Some(one.as_str())] { (status_name(one)) }
                }
            }
            button.first { "Search" }
        }
    }
}

fn results(visit: &Visit, words: &str, status: Option<&str>, found: &Found) -> Markup {
    html! {
        section.panel #results data-live {
            h2 {
                @match found.total { 0 => "Nothing found", 1 => "1 task", total => { (grouped(total)) " tasks" } }
                @if let Some(project) = &visit.project { span.soft { "in " (project) } }
            }
            @if found.tasks.is_empty() {
                (empty("Fewer words, or the beginning of one, may find more."))
            } @else {
                ol.found { @for task in &found.tasks { li { (result(task)) } } }
                (pager(visit, words, status, found))
            }
        }
    }
}

fn result(task: &FoundTask) -> Markup {
    html! {
        div.over {
            (look::task_title(task.task_id, &task.title))
            (look::status(task.status))
        }
        div.soft.small.facts-line {
            (look::task_id(task.task_id))
            span { (task.project) }
            @if let Some(agent) = &task.agent { span { (agent) } }
        }
        @if let Some(snippet) = &task.snippet { p.snippet { (marked(snippet)) } }
    }
}

/// A piece of text with what was found in it marked.
pub(super) fn marked(snippet: &SnippetView) -> Markup {
    let mut pieces: Vec<(bool, &str)> = Vec::new();
    let mut at = 0;
    for [from, to] in &snippet.marks {
        pieces.push((false, snippet.text.get(at..*from).unwrap_or_default()));
        pieces.push((true, snippet.text.get(*from..*to).unwrap_or_default()));
        at = *to;
    }
    pieces.push((false, snippet.text.get(at..).unwrap_or_default()));
    html! {
        span.soft { (snippet.field) ": " }
        @if snippet.cut_before { "…" }
        @for (is_mark, piece) in pieces { @if is_mark { mark { (piece) } } @else { (piece) } }
        @if snippet.cut_after { "…" }
    }
}

fn pager(visit: &Visit, words: &str, status: Option<&str>, found: &Found) -> Markup {
    let project = visit.project.as_deref().unwrap_or_default();
    let path = |page: u64| {
        let page = page.to_string();
        let query = [
            ("project", project),
            ("q", words),
            ("status", status.unwrap_or_default()),
            ("page", &page),
        ];
        address("/search", &query)
    };
    let pages = found.total.div_ceil(found.limit.max(1));
    html! {
        @if pages > 1 {
            nav.pager aria-label="Pages of results" {
                @if found.page > 1 { a.button href=(path(found.page - 1)) rel="prev" { "Previous" } }
                span.numeric { (found.page) " of " (grouped(pages)) }
                @if found.page < pages { a.button href=(path(found.page + 1)) rel="next" { "Next" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_marked_and_everything_is_escaped() {
        let snippet = SnippetView {
            field: "comment".to_owned(),
            text: "<b> a login page".to_owned(),
            marks: vec![[6, 11]],
            cut_before: true,
            cut_after: false,
        };
        let said = marked(&snippet).into_string();
        assert!(said.ends_with("…&lt;b&gt; a <mark>login</mark> page"), "{said}");
    }

    #[test]
    fn marks_that_do_not_fit_the_text_end_nothing() {
        let snippet = SnippetView {
            field: "tags".to_owned(),
            text: "ä".to_owned(),
            marks: vec![[1, 9]],
            cut_before: false,
            cut_after: false,
        };
        assert!(marked(&snippet).into_string().contains("tags"));
    }
}
