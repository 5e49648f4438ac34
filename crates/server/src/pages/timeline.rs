//! The timeline: who held what when, a lane for each agent.

use std::collections::HashMap;

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::Time;
use windlass_domain::duration::Span;
use windlass_ops::sheet::{counted, relative, spoken};
use windlass_ops::timeline::{ClaimView, Lanes, Timeline};

use super::Visit;
use super::form::Form;
use super::layout::{Page, Section, framed};
use super::look::{self, address, cut, empty, grouped, percent, task_path};
use super::trouble::Trouble;
use super::window::Window;

/// Claims that are drawn and listed.
const MOST: u64 = 500;
const USUAL: &str = "24h";
/// The height of a bar, of the space below it, and of the name above a lane.
const BAR: i64 = 22;
const BELOW: i64 = 5;
const NAME: i64 = 26;
/// How wide the mark is with which a bar ends: as much is seen of the shortest claim.
const MARK: i64 = 6;
/// Height of the axis.
const AXIS: i64 = 24;

/// `GET /timeline`.
pub(super) async fn page(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let window = Window::of(&query, USUAL);
    let agent = query.first("agent").filter(|name| !name.is_empty());
    let asked = Timeline {
        project: visit.project.clone(),
        agent: agent.map(str::to_owned),
        window: window.0.clone(),
        limit: MOST,
    };
    let lanes = visit.ask(asked).await?;
    let more = [("agent", agent.unwrap_or_default())];
    let main = html! {
        div.head {
            h1 { "Timeline" }
            (window.tabs(&visit, Section::Timeline, &more))
            @if let Some(agent) = agent { (only(&visit, &window, agent)) }
        }
        div #timeline .stack data-live {
            @if lanes.claims.is_empty() {
                section.panel { (empty(&format!("Nobody held a task in the last {}.", window.name()))) }
            } @else {
                @if lanes.total > lanes.claims.len() as u64 { (too_many(&lanes)) }
                section.panel {
                    h2 { "Who held what" }
                    (legend())
                    (drawing(&visit, &lanes))
                }
                section.panel {
                    h2 { "Claims" span.soft.numeric { (grouped(lanes.total)) } }
                    (table(&visit, &lanes))
                }
            }
        }
    };
    let mut page = Page::new("Timeline", Section::Timeline, main);
    page.assets = &["drawings.css"];
    Ok(framed(&visit, page))
}

fn only(visit: &Visit, window: &Window, agent: &str) -> Markup {
    let project = visit.project.as_deref().unwrap_or_default();
    let all = address("/timeline", &[("project", project), ("window", &window.0)]);
    html! {
        span.chip.accent { "only " (agent) }
        a href=(all) { "everybody" }
    }
}

fn too_many(lanes: &Lanes) -> Markup {
    html! {
        div.notice.warn {
            p {
                "The newest " (lanes.claims.len()) " of " (grouped(lanes.total))
                " claims are shown. Choose a shorter time or a project to see the others."
            }
        }
    }
}

/// How a claim ended, as a class and as a sign that is told apart without colour.
fn kind(claim: &ClaimView) -> (&'static str, &'static str) {
    match (claim.ended.as_deref(), claim.lease_expired) {
        (Some("done"), _) => ("done", "✓"),
        (Some("released"), _) => ("released", "↩"),
        (Some("blocked"), _) => ("blocked", "■"),
        (Some("taken_over"), _) => ("taken", "⇄"),
        (Some("expired"), _) => ("expired", "!"),
        (Some(_), _) => ("archived", "×"),
        (None, true) => ("overdue", "!"),
        (None, false) => ("held", "▶"),
    }
}

fn legend() -> Markup {
    let kinds = [
        ("held", "▶ held now"),
        ("done", "✓ done"),
        ("released", "↩ given back"),
        ("blocked", "■ blocked"),
        ("taken", "⇄ taken over"),
        ("expired", "! lease ran out"),
    ];
    html! {
        ul.legend aria-label="How to read it" {
            @for (class, name) in kinds {
                li { svg width="14" height="14" aria-hidden="true" { rect class={ "claim " (class) } x="1" y="1" width="12" height="12" rx="3" {} } (name) }
            }
        }
    }
}

/// The time that is drawn: the window, and a little of what comes, where leases run out.
#[derive(Debug, Clone, Copy)]
struct Scale {
    since: Time,
    now: Time,
    until: Time,
}

impl Scale {
    fn of(lanes: &Lanes) -> Self {
        let length = lanes.generated_at.millis_since(lanes.since);
        let until = lanes.generated_at.plus(Span::from_millis(length / 20));
        Self { since: lanes.since, now: lanes.generated_at, until }
    }

    fn length(self) -> i64 {
        self.until.millis_since(self.since)
    }

    /// How far from the left something is, as a share of the whole; never outside.
    fn at(self, time: Time) -> i64 {
        time.millis_since(self.since).clamp(0, self.length())
    }

    fn percent(self, time: Time) -> String {
        percent(self.at(time), self.length())
    }

    fn width(self, from: Time, until: Time) -> String {
        percent((self.at(until) - self.at(from)).max(0), self.length())
    }

    /// Times worth a line, told from now.
    fn marks(self) -> Vec<Time> {
        const MINUTE: i64 = 60_000;
        const HOUR: i64 = 60 * MINUTE;
        const DAY: i64 = 24 * HOUR;
        let window = self.now.millis_since(self.since);
        let steps = [
            10 * MINUTE,
            15 * MINUTE,
            30 * MINUTE,
            HOUR,
            2 * HOUR,
            4 * HOUR,
            8 * HOUR,
            DAY,
            5 * DAY,
            30 * DAY,
            60 * DAY,
            365 * DAY,
        ];
        let step = steps.into_iter().find(|step| window / step <= 6).unwrap_or(window.max(1));
        let ago = |count: i64| self.now.before(Span::from_millis(count * step));
        (1..=window / step).rev().map(ago).collect()
    }
}

/// The claims of one agent, in as many rows as it held tasks at once.
struct Lane<'a> {
    agent: &'a str,
    rows: Vec<Vec<&'a ClaimView>>,
}

impl Lane<'_> {
    fn height(&self) -> i64 {
        let rows = i64::try_from(self.rows.len()).unwrap_or(1);
        NAME + rows * (BAR + BELOW) + BELOW
    }
}

/// Who is at work comes first, then who was last.
fn lanes<'a>(claims: &'a [ClaimView], scale: Scale) -> Vec<Lane<'a>> {
    let mut lanes: Vec<Lane<'a>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut newest_first: Vec<&ClaimView> = claims.iter().collect();
    newest_first.sort_by_key(|claim| std::cmp::Reverse((claim.until.is_none(), claim.until)));
    for claim in newest_first {
        let place = *places.entry(&claim.agent).or_insert_with(|| {
            lanes.push(Lane { agent: &claim.agent, rows: Vec::new() });
            lanes.len() - 1
        });
        let Some(lane) = lanes.get_mut(place) else { continue };
        let end = claim.until.unwrap_or(scale.until);
        // Claims come from late to early: the one that a row got last is its earliest.
        let is_free = |row: &&mut Vec<&ClaimView>| row.last().is_none_or(|last| end <= last.from);
        match lane.rows.iter_mut().find(is_free) {
            Some(row) => row.push(claim),
            None => lane.rows.push(vec![claim]),
        }
    }
    lanes
}

fn drawing(visit: &Visit, all: &Lanes) -> Markup {
    let scale = Scale::of(all);
    let lanes = lanes(&all.claims, scale);
    let height = AXIS + lanes.iter().map(Lane::height).sum::<i64>();
    let tops = lanes.iter().scan(AXIS, |top, lane| {
        let own = *top;
        *top += lane.height();
        Some(own)
    });
    html! {
        svg.timeline width="100%" height=(height) role="group" aria-label="Claims by agent; the same is told in the table below" {
            g.axis aria-hidden="true" {
                @for mark in scale.marks() {
                    line.line x1=(scale.percent(mark)) x2=(scale.percent(mark)) y1=(AXIS - 4) y2=(height) {}
                    text.soft x=(scale.percent(mark)) y="13" text-anchor=(if mark == scale.since { "start" } else { "middle" }) { "−" (relative(mark, scale.now).trim_end_matches(" ago")) }
                }
            }
            @for (lane, top) in lanes.iter().zip(tops) {
                line.line x1="0" x2="100%" y1=(top) y2=(top) {}
                (name(visit, lane, top))
                @for (number, row) in (0..).zip(&lane.rows) {
                    // From early to late: where they meet, the later one is seen.
                    @for claim in row.iter().rev() {
                        (bar(claim, scale, top + NAME + number * (BAR + BELOW)))
                    }
                }
            }
            g.now aria-hidden="true" {
                line x1=(scale.percent(scale.now)) x2=(scale.percent(scale.now)) y1=(AXIS - 6) y2=(height) {}
                text x=(scale.percent(scale.now)) y="13" text-anchor="middle" { "now" }
            }
        }
    }
}

fn name(visit: &Visit, lane: &Lane<'_>, top: i64) -> Markup {
    let path = agent_path(visit, lane.agent);
    let claims = lane.rows.iter().map(Vec::len).sum::<usize>() as u64;
    html! {
        a.lane href=(path) {
            title { (lane.agent) }
            text x="2" y=(top + 18) {
                (cut(lane.agent, 32)) tspan.soft dx="8" { (counted(claims, "claim")) }
            }
        }
    }
}

fn agent_path(visit: &Visit, agent: &str) -> String {
    let project = visit.project.as_deref().unwrap_or_default();
    address("/agents", &[("project", project), ("agent", agent)])
}

fn bar(claim: &ClaimView, scale: Scale, y: i64) -> Markup {
    let (class, sign) = kind(claim);
    let until = claim.until.unwrap_or(scale.now);
    let title = claim.title.as_deref().unwrap_or("not in this ledger any more");
    let took = spoken(until.millis_since(claim.from));
    let whole = format!(
        "{title}\n{} held it for {took} under fence {}: {}\nfrom {} until {}",
        claim.agent,
        claim.fence,
        claim.outcome(),
        claim.from,
        claim.until.map_or_else(|| "now".to_owned(), |until| until.to_string())
    );
    html! {
        @if let Some(lease) = claim.lease_until.filter(|lease| *lease > scale.now) {
            rect.lease x=(scale.percent(scale.now)) y=(y + BAR / 2 - 2) width=(scale.width(scale.now, lease)) height="4" {}
        }
        a.bar href=(task_path(claim.task_id)) {
            title { (whole) }
            rect class={ "claim " (class) } x=(scale.percent(claim.from)) y=(y) width=(scale.width(claim.from, until)) height=(BAR) rx="3" {}
            // It has a width of its own, however short the claim is beside the window.
            line class={ "mark " (class) } x1=(scale.percent(until)) x2=(scale.percent(until)) y1=(y) y2=(y + BAR)
                stroke-width=(MARK) transform={ "translate(-" (MARK / 2) ")" } {}
            svg x=(scale.percent(claim.from)) y=(y) width=(scale.width(claim.from, until)) height=(BAR) {
                text class=(class) x="6" y="15.5" { (sign) " " (title) }
            }
        }
    }
}

fn table(visit: &Visit, lanes: &Lanes) -> Markup {
    let now = lanes.generated_at;
    html! {
        div.table {
            table.stacks {
                thead { tr { th { "Task" } th { "Agent" } th { "Project" } th.rank { "Fence" } th { "From" } th { "For" } th { "Ended" } } }
                tbody {
                    @for claim in &lanes.claims {
                        tr {
                            td { (look::task_title(claim.task_id, claim.title.as_deref().unwrap_or("not here any more"))) }
                            td data-label="Agent" { a href=(agent_path(visit, &claim.agent)) { (claim.agent) } }
                            td data-label="Project" { (claim.project.as_deref().unwrap_or("–")) }
                            td.rank data-label="Fence" { (claim.fence) }
                            td.nowrap data-label="From" { (look::time(claim.from, now)) }
                            td.nowrap data-label="For" { (spoken(claim.until.unwrap_or(now).millis_since(claim.from))) }
                            td.nowrap data-label="Ended" { (outcome(claim)) }
                        }
                    }
                }
            }
        }
    }
}

/// How it ended, as a chip.
pub(super) fn outcome(claim: &ClaimView) -> Markup {
    let (class, sign) = kind(claim);
    html! { span class={ "chip ended " (class) } { (sign) " " (claim.outcome()) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(1_794_735_000_000);

    fn ago(minutes: i64) -> Time {
        NOW.before(Span::from_millis(minutes * 60_000))
    }

    fn claim(agent: &str, from: i64, until: Option<i64>) -> ClaimView {
        ClaimView {
            agent: agent.to_owned(),
            task_id: windlass_domain::TaskId::from_bytes([7; 16]),
            title: None,
            project: None,
            fence: 1,
            from: ago(from),
            until: until.map(ago),
            ended: until.map(|_| "done".to_owned()),
            lease_until: None,
            lease_expired: false,
        }
    }

    fn scale(minutes: i64) -> Scale {
        Scale { since: ago(minutes), now: NOW, until: NOW }
    }

    #[test]
    fn who_is_at_work_comes_first_and_what_is_held_at_once_is_in_rows() {
        let claims = [
            claim("bob", 10, Some(5)),
            claim("ada", 50, Some(40)),
            claim("ada", 30, None),
            claim("ada", 60, Some(45)),
        ];
        let lanes = lanes(&claims, scale(60));
        let told: Vec<(&str, usize)> =
            lanes.iter().map(|lane| (lane.agent, lane.rows.len())).collect();
        assert_eq!(told, [("ada", 2), ("bob", 1)]);
    }

    #[test]
    fn what_began_before_the_window_begins_at_its_edge() {
        let scale = scale(60);
        assert_eq!(scale.percent(ago(90)), "0.00%");
        assert_eq!(scale.percent(ago(30)), "50.00%");
        assert_eq!(scale.width(ago(90), ago(30)), "50.00%");
    }

    #[test]
    fn a_window_has_a_handful_of_marks() {
        for minutes in [1, 60, 480, 1_440, 10_080, 43_200, 525_600, 5_256_000] {
            let marks = scale(minutes).marks().len();
            assert!(marks <= 10, "{minutes}: {marks}");
        }
        assert_eq!(scale(480).marks().len(), 4);
    }
}
