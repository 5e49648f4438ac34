//! Stats: the queue and what was finished, in pictures that also tell their numbers.

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::Time;
use windlass_ops::sheet::{relative, spoken};
use windlass_ops::stats::{Bucket, Numbers, QueueAge, Spread, Stats, Throughput};

use super::Visit;
use super::form::Form;
use super::layout::{Page, Section, framed};
use super::look::{address, empty, grouped, panel, percent};
use super::trouble::Trouble;
use super::window::Window;

const USUAL: &str = "7d";
/// The height of the chart and of its labels.
const CHART: i64 = 180;
const LABELS: i64 = 22;

/// `GET /stats`.
pub(super) async fn page(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let window = Window::of(&query, USUAL);
    let asked = Stats { project: visit.project.clone(), window: window.0.clone() };
    let numbers = visit.ask(asked).await?;
    let main = html! {
        div.head { h1 { "Stats" } (window.tabs(&visit, Section::Stats, &[])) }
        div #stats .stack data-live {
            (queue(&visit, &numbers))
            section.panel {
                h2 { "Throughput" span.soft { "the last " (window.name()) ", by " (step_name(&numbers.throughput.step)) } }
                (throughput(&numbers))
            }
            div.columns-2 {
                section.panel { h2 { "How long it takes" span.soft { (grouped(numbers.lead_time_ms.count)) " done" } } (times(&numbers)) }
                section.panel { h2 { "Age of the queue" span.soft { (grouped(count(numbers.queue.ready))) " ready" } } (age(&numbers.queue_age_ms)) }
            }
            (panel("by-agent", "Done, by agent", None, by_agent(&visit, &numbers)))
        }
    };
    let mut page = Page::new("Stats", Section::Stats, main);
    page.assets = &["drawings.css"];
    Ok(framed(&visit, page))
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A step in words.
fn step_name(step: &str) -> &str {
    match step {
        "5m" => "5 minutes",
        "1h" => "hour",
        "1d" => "day",
        "7d" => "week",
        other => other,
    }
}

/// Where everything is now, each number leading to it.
fn queue(visit: &Visit, numbers: &Numbers) -> Markup {
    let queue = &numbers.queue;
    let tiles = [
        ("backlog", "Backlog", queue.backlog),
        ("ready", "Ready", queue.ready),
        ("in_progress", "In progress", queue.in_progress),
        ("blocked", "Blocked", queue.blocked),
        ("done", "Done", queue.done),
    ];
    let trouble = [
        (queue.stale, "silent", "Held, and the holder gives no sign of life"),
        (queue.expired_leases, "leases run out", "Held under a lease that has run out"),
    ];
    html! {
        ul.tiles {
            @for (class, name, number) in tiles {
                li { a href=(visit.with_project("/")) {
                    span.number.numeric { (grouped(count(number))) }
                    span class={ "status " (class) } { (name) }
                } }
            }
            li { div {
                span.number.numeric { (grouped(count(queue.available))) }
                span.chip.accent { "can be claimed" }
            } }
            @for (number, name, why) in trouble {
                li { div title=(why) {
                    span.number.numeric { (grouped(count(number))) }
                    span class={ "chip" @if number > 0 { " bad" } } { (name) }
                } }
            }
        }
    }
}

/// Two bars for each step: done and added.
fn throughput(numbers: &Numbers) -> Markup {
    let Throughput { series, added, .. } = &numbers.throughput;
    let most = series.iter().map(|bucket| bucket.completed.max(bucket.added)).max().unwrap_or(0);
    if most == 0 {
        return empty("Nothing was finished or added.");
    }
    let levels = levels(most);
    let top = levels.last().copied().unwrap_or(most);
    let steps = int(series.len() as u64);
    html! {
        ul.legend aria-label="How to read it" {
            li { svg width="14" height="14" aria-hidden="true" { rect.done x="1" y="1" width="12" height="12" rx="2" {} } (grouped(numbers.completions.total)) " done" }
            li { svg width="14" height="14" aria-hidden="true" { rect.added x="1" y="1" width="12" height="12" rx="2" {} } (grouped(*added)) " added" }
        }
        div.plot {
            (axis(&levels))
            svg.chart width="100%" height=(CHART + LABELS) role="img"
                aria-label={ "Done and added over time. In all " (numbers.completions.total) " done and " (added) " added; the numbers are in the table below." } {
                @for level in &levels {
                    line.line x1="0" x2="100%" y1=(height(*level, top)) y2=(height(*level, top)) {}
                }
                @for (at, bucket) in (0..).zip(series) {
                    (bars(bucket, at, steps, top, numbers.generated_at))
                }
                line.edge x1="0" x2="100%" y1=(CHART) y2=(CHART) {}
                @for (at, label) in labels(series, numbers.generated_at) {
                    text.soft x=(percent(at, steps)) y=(CHART + 16) text-anchor=(anchor(at, steps)) { (label) }
                }
            }
        }
        details.fold #series {
            summary { "In numbers" }
            (table(series, numbers.generated_at))
        }
    }
}

/// The numbers of the lines, beside the chart: no bar stands before them.
fn axis(levels: &[u64]) -> Markup {
    let top = levels.last().copied().unwrap_or(0);
    let longest = int(grouped(top).len() as u64);
    let width = 8 + 7 * longest;
    html! {
        svg.axis width=(width) height=(CHART + LABELS) aria-hidden="true" {
            @for level in [0].iter().chain(levels) {
                text.soft x=(width - 8) y=(height(*level, top) + 4) text-anchor="end" { (grouped(*level)) }
            }
        }
    }
}

/// How far below the top a number is.
fn height(number: u64, top: u64) -> i64 {
    let room = CHART - 12;
    CHART - room * int(number) / int(top.max(1))
}

/// Round numbers worth a line, up to the first that no bar reaches beyond.
fn levels(most: u64) -> Vec<u64> {
    let tens = 10_u64.pow(most.max(1).ilog10());
    let rounds = [tens / 10, tens / 5, tens / 2, tens, 2 * tens];
    let step = rounds.into_iter().find(|step| *step > 0 && most.div_ceil(*step) <= 5);
    let step = step.unwrap_or(tens);
    (1..=most.div_ceil(step)).map(|count| count * step).collect()
}

fn bars(bucket: &Bucket, at: i64, steps: i64, top: u64, now: Time) -> Markup {
    // A step is cut into ten: as much for each bar as looks well, and space.
    let each = if steps <= 12 { 2 } else { 4 };
    let tenth = |tenths: i64| percent(10 * at + tenths, 10 * steps);
    let width = percent(each, 10 * steps);
    let said = format!(
        "from {}: {} done, {} added",
        relative(bucket.from, now),
        bucket.completed,
        bucket.added
    );
    html! {
        g {
            title { (said) }
            rect.catch x=(tenth(0)) y="0" width=(percent(1, steps)) height=(CHART) {}
            @if bucket.completed > 0 {
                rect.done x=(tenth(5 - each)) y=(height(bucket.completed, top)) width=(width) height=(CHART - height(bucket.completed, top)) {}
            }
            @if bucket.added > 0 {
                rect.added x=(tenth(5)) y=(height(bucket.added, top)) width=(width) height=(CHART - height(bucket.added, top)) {}
            }
        }
    }
}

/// A handful of times along the chart, each where a step begins, and the end of the last one. They
/// are as far from each other as divides the whole, if anything does.
fn labels(series: &[Bucket], now: Time) -> Vec<(i64, String)> {
    const MOST: usize = 4;
    let steps = series.len();
    let least = steps.div_ceil(MOST).max(1);
    let even = (least..2 * least).find(|every| steps.is_multiple_of(*every));
    let every = even.unwrap_or(least);
    let wanted = series.iter().enumerate().filter(|(at, _)| (steps - at).is_multiple_of(every));
    let told = wanted.map(|(at, bucket)| (int(at as u64), relative(bucket.from, now)));
    told.chain([(int(steps as u64), "now".to_owned())]).collect()
}

/// No label sticks out of the chart.
fn anchor(at: i64, steps: i64) -> &'static str {
    match at {
        0 => "start",
        at if at == steps => "end",
        _ => "middle",
    }
}

fn table(series: &[Bucket], now: Time) -> Markup {
    html! {
        div.table {
            table.narrow {
                thead { tr { th { "From" } th.rank { "Done" } th.rank { "Added" } } }
                tbody { @for bucket in series.iter().rev() {
                    tr {
                        td.nowrap { (super::look::time(bucket.from, now)) }
                        td.rank { (grouped(bucket.completed)) }
                        td.rank { (grouped(bucket.added)) }
                    }
                } }
            }
        }
    }
}

fn times(numbers: &Numbers) -> Markup {
    let most = [&numbers.lead_time_ms, &numbers.cycle_time_ms]
        .into_iter()
        .filter_map(|spread| spread.p90)
        .max();
    html! {
        @if numbers.lead_time_ms.count == 0 { (empty("Nothing was finished.")) } @else {
            div.spreads {
                (spread("Lead time", "from creation to done", &numbers.lead_time_ms, most))
                (spread("Cycle time", "from the first claim to done", &numbers.cycle_time_ms, most))
            }
        }
    }
}

/// The middle and the slow end on one scale.
fn spread(name: &str, about: &str, spread: &Spread, most: Option<i64>) -> Markup {
    html! {
        div {
            h3 { (name) " " span.soft.small { (about) } }
            @if let (Some(p50), Some(p90), Some(most)) = (spread.p50, spread.p90, most) {
                svg.bar width="100%" height="12" aria-hidden="true" {
                    rect.track width="100%" height="12" rx="3" {}
                    rect.p90 width=(percent(p90, most)) height="12" rx="3" {}
                    rect.p50 width=(percent(p50, most)) height="12" rx="3" {}
                }
                p.pair {
                    span { strong.numeric { (spoken(p50)) } " " span.soft { "p50: half took no longer" } }
                    span { strong.numeric { (spoken(p90)) } " " span.soft { "p90: nine in ten" } }
                }
            } @else { p.soft { "No task was claimed before it was done." } }
        }
    }
}

fn age(age: &QueueAge) -> Markup {
    html! {
        @if let (Some(oldest), Some(p50)) = (age.oldest, age.p50) {
            div.spreads {
                div {
                    svg.bar width="100%" height="12" aria-hidden="true" {
                        rect.track width="100%" height="12" rx="3" {}
                        rect.age width="100%" height="12" rx="3" {}
                        rect.p50 width=(percent(p50, oldest)) height="12" rx="3" {}
                    }
                    p.pair {
                        span { strong.numeric { (spoken(p50)) } " " span.soft { "p50: half have waited no longer" } }
                        span { strong.numeric { (spoken(oldest)) } " " span.soft { "the oldest" } }
                    }
                }
            }
        } @else { (empty("Nothing is ready, so nothing waits.")) }
    }
}

fn by_agent(visit: &Visit, numbers: &Numbers) -> Markup {
    let mut agents: Vec<(&String, u64)> =
        numbers.completions.by_agent.iter().map(|(agent, count)| (agent, *count)).collect();
    agents.sort_by_key(|(agent, count)| (std::cmp::Reverse(*count), *agent));
    let most = agents.first().map_or(0, |(_, count)| *count);
    let project = visit.project.as_deref().unwrap_or_default();
    html! {
        @if agents.is_empty() { (empty("No agent finished a task.")) } @else {
            ul.by-agent {
                @for (agent, count) in agents.iter().take(30) {
                    li {
                        a href=(address("/agents", &[("project", project), ("agent", agent), ("window", &numbers.window)])) { (agent) }
                        svg.bar width="100%" height="14" aria-hidden="true" { rect.done width=(percent(int(*count), int(most))) height="14" rx="2" {} }
                        span.numeric { (grouped(*count)) }
                    }
                }
            }
            @if agents.len() > 30 { p.soft { "and " (agents.len() - 30) " more" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_at_round_numbers_and_none_is_missing_up_to_the_highest_bar() {
        assert_eq!(
            [1, 2, 4, 7, 13, 49, 99, 1_234].map(levels),
            [
                vec![1],
                vec![1, 2],
                vec![1, 2, 3, 4],
                vec![2, 4, 6, 8],
                vec![5, 10, 15],
                vec![10, 20, 30, 40, 50],
                vec![20, 40, 60, 80, 100],
                vec![500, 1_000, 1_500],
            ]
        );
    }

    #[test]
    fn the_highest_line_stays_inside_the_chart() {
        assert_eq!(height(0, 10), CHART);
        assert_eq!(height(10, 10), 12);
    }

    #[test]
    fn there_are_few_labels_and_the_newest_step_ends_now() {
        let now = Time::from_millis(1_794_735_000_000);
        for (steps, first) in [(1, 0), (7, 1), (12, 0), (24, 0), (30, 0), (53, 11)] {
            let series = vec![Bucket { from: now, completed: 0, added: 0 }; steps];
            let labels = labels(&series, now);
            assert!((2..=5).contains(&labels.len()), "{steps}: {}", labels.len());
            assert_eq!(labels.first().map(|(at, _)| *at), Some(first), "{steps}");
            assert_eq!(labels.last(), Some(&(int(steps as u64), "now".to_owned())));
        }
    }
}
