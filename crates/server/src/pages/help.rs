//! The help sheet: what the keys do. It opens over any page, and is a page of its own for browsers
//! without scripts.

use axum::response::Response;
use maud::{Markup, html};

use super::Visit;
use super::layout::{Page, framed};

/// The keys of one place.
type Keys = &'static [(&'static [&'static str], &'static str)];

const EVERYWHERE: Keys = &[
    (&["?"], "this sheet"),
    (&["/"], "search"),
    (
        &["g", "b"],
        "go to the board; g t timeline, g r runs, g c chunks, g i sessions, g a agents, \
         g g graph, g o outbox, g s stats",
    ),
    (&["Esc"], "close what is open"),
];

const ON_THE_BOARD: Keys = &[
    (&["n"], "add a task"),
    (&["↑ ↓ ← →"], "from card to card; h j k l do the same"),
    (&["Enter"], "open the task"),
    (&["m"], "move the card: then b backlog, r ready, i in progress, x blocked, d done"),
    (&["Shift ← →"], "move the card to the column beside"),
];

const ON_THE_GRAPH: Keys = &[
    (&["+", "-"], "zoom; so does the wheel"),
    (&["0"], "show all of it"),
    (&["↑ ↓ ← →"], "move it, when it has the focus"),
];

/// What the sheet says.
pub(super) fn sheet() -> Markup {
    html! {
        div.stack {
            h2 #help-title { "Keys" }
            (keys("Everywhere", EVERYWHERE))
            (keys("On the board", ON_THE_BOARD))
            (keys("On the graph", ON_THE_GRAPH))
            p.soft {
                "Everything here can be done on the command line and over HTTP too, under the same "
                "rules: " code { "windlass help" } ", and " a href="/api" { "the API" } "."
            }
        }
    }
}

fn keys(place: &str, keys: Keys) -> Markup {
    html! {
        h3 { (place) }
        dl.keys {
            @for (pressed, what) in keys {
                dt { @for key in *pressed { kbd { (key) } " " } }
                dd { (what) }
            }
        }
    }
}

/// `GET /help`.
pub(super) async fn page(visit: Visit) -> Response {
    let main = html! { section.panel.narrow { (sheet()) } };
    let page = Page { title: "Help".to_owned(), section: None, assets: &[], main };
    framed(&visit, page)
}
