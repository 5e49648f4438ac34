//! What a drawing of boxes and lines is on: a sheet that can be moved and zoomed, by hand or by keys.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::layout::Drawing;

/// Space around the drawing.
const MARGIN: i64 = 12;

/// The sheet with a drawing on it. Without scripts it is a box that scrolls.
pub(crate) fn canvas(label: &str, drawn: &Drawing, inside: Markup) -> Markup {
    let (width, height) = (drawn.width + 2 * MARGIN, drawn.height + 2 * MARGIN);
    html! {
        div.pan #pan tabindex="0" role="group" data-pan
            aria-label={ (label) ". Arrow keys move it, plus and minus zoom, 0 shows all of it." } {
            div.pan-tools hidden {
                button type="button" data-zoom="in" title="Zoom in (+)" aria-label="Zoom in" { "+" }
                button type="button" data-zoom="out" title="Zoom out (-)" aria-label="Zoom out" { "−" }
                button type="button" data-zoom="fit" title="Show all of it (0)" { "Fit" }
            }
            div.pan-sheet {
                div #graph data-live {
                    svg.graph width=(width) height=(height) viewBox={ (-MARGIN) " " (-MARGIN) " " (width) " " (height) }
                        aria-label=(label) role="group" { (inside) }
                }
            }
        }
    }
}

/// The heads of arrows, one in the colour of each kind of line.
pub(crate) fn heads(kinds: &[&str]) -> Markup {
    html! {
        defs {
            @for kind in kinds {
                marker id={ "head-" (kind) } class={ "head " (kind) } viewBox="0 0 8 8" refX="7" refY="4"
                    markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto" {
                    path d="M0 0 8 4 0 8z" {}
                }
            }
        }
    }
}

/// A line as a curve through its corners.
pub(crate) fn way(corners: &[(i64, i64)]) -> String {
    let mut way = String::new();
    let mut last: Option<(i64, i64)> = None;
    for (x, y) in corners {
        let _infallible = match last {
            None => write!(way, "M{x} {y}"),
            Some((_, from_y)) if from_y == *y => write!(way, "H{x}"),
            Some((from_x, from_y)) => {
                let half = (x - from_x) / 2;
                let (one, other) = (from_x + half, x - half);
                write!(way, "C{one} {from_y} {other} {y} {x} {y}")
            }
        };
        last = Some((*x, *y));
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_straight_where_it_can_be_and_bends_half_way() {
        assert_eq!(way(&[(0, 5), (10, 5)]), "M0 5H10");
        assert_eq!(way(&[(0, 0), (10, 20)]), "M0 0C5 0 5 20 10 20");
    }
}
