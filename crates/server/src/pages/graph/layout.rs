//! Where the boxes and lines of a graph go: in columns by the longest way, so that every line leads
//! to the right, and in each column beside what it is joined with.
//!
//! Parts that nothing joins are laid out by themselves and set side by side.

use std::collections::VecDeque;

/// The size of a box and of the space around it.
pub(crate) const WIDTH: i64 = 236;
pub(crate) const HEIGHT: i64 = 54;
const BETWEEN_COLUMNS: i64 = 64;
const BETWEEN_BOXES: i64 = 16;
const BETWEEN_PARTS: i64 = 36;
/// The height of a line that passes through a column.
const PASSING: i64 = 10;
/// Parts are set side by side up to this width.
const SHELF: i64 = 1_500;
/// How often the order in the columns and the heights are bettered.
const SWEEPS: usize = 8;

/// A drawing of boxes and lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Drawing {
    pub(crate) width: i64,
    pub(crate) height: i64,
    /// The upper left corner of each box.
    pub(crate) boxes: Vec<(i64, i64)>,
    /// The corners of each line, from left to right.
    pub(crate) lines: Vec<Vec<(i64, i64)>>,
}

impl Drawing {
    /// The upper left corner of a box, by its number.
    pub(crate) fn corner(&self, number: usize) -> (i64, i64) {
        self.boxes.get(number).copied().unwrap_or_default()
    }
}

/// A line from one box to another, by their numbers.
pub(crate) type Line = (usize, usize);

/// Lays out boxes with lines between them. A line that would close a circle goes where it can.
pub(crate) fn lay_out(boxes: usize, lines: &[Line]) -> Drawing {
    let columns = columns(boxes, lines);
    let mut drawing = Drawing {
        boxes: vec![(0, 0); boxes],
        lines: vec![Vec::new(); lines.len()],
        ..Drawing::default()
    };
    let mut parts: Vec<Part> = parts(boxes, lines)
        .into_iter()
        .map(|members| Part::new(&members, lines, &columns))
        .collect();
    // The largest part comes first; those alike stay in their order.
    parts.sort_by_key(|part| std::cmp::Reverse(part.size()));
    let shelf = parts.iter().map(Part::width).max().unwrap_or(0).max(SHELF);
    let (mut x, mut y, mut row_height) = (0, 0, 0);
    for part in parts {
        if x > 0 && x + part.width() > shelf {
            (x, y) = (0, y + row_height + BETWEEN_PARTS);
            row_height = 0;
        }
        part.put_into(&mut drawing, x, y);
        drawing.width = drawing.width.max(x + part.width());
        drawing.height = drawing.height.max(y + part.height());
        row_height = row_height.max(part.height());
        x += part.width() + BETWEEN_PARTS;
    }
    drawing
}

/// The column of each box: one more than that of anything that leads to it.
fn columns(boxes: usize, lines: &[Line]) -> Vec<usize> {
    let mut columns = vec![0_usize; boxes];
    let mut open = vec![0_usize; boxes];
    for (_, to) in lines {
        add(&mut open, *to, 1);
    }
    let mut free: VecDeque<usize> = (0..boxes).filter(|one| open.get(*one) == Some(&0)).collect();
    let mut order = Vec::with_capacity(boxes);
    while let Some(from) = free.pop_front() {
        order.push(from);
        for (_, to) in lines.iter().filter(|(one, _)| *one == from) {
            let beside = columns.get(from).copied().unwrap_or(0) + 1;
            if let Some(column) = columns.get_mut(*to) {
                *column = beside.max(*column);
            }
            if let Some(left) = open.get_mut(*to) {
                *left -= 1;
                if *left == 0 {
                    free.push_back(*to);
                }
            }
        }
    }
    // What nothing leads to stands right before what it leads to.
    for one in order.into_iter().rev() {
        let is_first = lines.iter().all(|(_, to)| *to != one);
        let next = lines.iter().filter(|(from, _)| *from == one);
        let nearest = next.filter_map(|(_, to)| columns.get(*to).copied()).min();
        if let (true, Some(nearest), Some(column)) = (is_first, nearest, columns.get_mut(one)) {
            *column = nearest.saturating_sub(1);
        }
    }
    columns
}

fn add(counts: &mut [usize], at: usize, more: usize) {
    if let Some(count) = counts.get_mut(at) {
        *count += more;
    }
}

/// Boxes that lines join, directly or not.
fn parts(boxes: usize, lines: &[Line]) -> Vec<Vec<usize>> {
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); boxes];
    for (from, to) in lines {
        for (one, other) in [(from, to), (to, from)] {
            if let Some(others) = beside.get_mut(*one) {
                others.push(*other);
            }
        }
    }
    let mut is_seen = vec![false; boxes];
    let mut parts = Vec::new();
    for first in 0..boxes {
        let mut members = Vec::new();
        let mut waiting = vec![first];
        while let Some(one) = waiting.pop() {
            match is_seen.get_mut(one) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            members.push(one);
            waiting.extend(beside.get(one).into_iter().flatten());
        }
        if !members.is_empty() {
            members.sort_unstable();
            parts.push(members);
        }
    }
    parts
}

/// What stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Box(usize),
    /// A line passes through.
    Passing(usize),
}

impl Cell {
    fn height(self) -> i64 {
        match self {
            Self::Box(_) => HEIGHT,
            Self::Passing(_) => PASSING,
        }
    }
}

/// A cell with what it is joined with.
#[derive(Debug, Clone)]
struct Place {
    cell: Cell,
    /// Numbers of cells in the column before, and in the next.
    left: Vec<usize>,
    right: Vec<usize>,
    /// The height of its middle.
    middle: i64,
}

/// Some boxes that belong together, in columns.
#[derive(Debug)]
struct Part {
    /// All cells; columns name them by number.
    places: Vec<Place>,
    columns: Vec<Vec<usize>>,
    /// The corners of each line: its number, and the cells that it passes.
    lines: Vec<(usize, Vec<usize>)>,
}

impl Part {
    fn new(members: &[usize], lines: &[Line], column_of: &[usize]) -> Self {
        let column = |one: usize| column_of.get(one).copied().unwrap_or(0);
        let first = members.iter().map(|one| column(*one)).min().unwrap_or(0);
        let last = members.iter().map(|one| column(*one)).max().unwrap_or(0);
        let mut part = Self {
            places: Vec::new(),
            columns: vec![Vec::new(); last - first + 1],
            lines: Vec::new(),
        };
        let mut places = std::collections::HashMap::new();
        for one in members {
            places.insert(*one, part.place(Cell::Box(*one), column(*one) - first));
        }
        for (number, (from, to)) in lines.iter().enumerate() {
            let (Some(start), Some(end)) = (places.get(from), places.get(to)) else { continue };
            let mut way = vec![*start];
            for between in column(*from) + 1..column(*to) {
                way.push(part.place(Cell::Passing(number), between - first));
            }
            way.push(*end);
            for (one, other) in way.iter().zip(way.iter().skip(1)) {
                part.join(*one, *other);
            }
            part.lines.push((number, way));
        }
        part.order();
        part.stack();
        part
    }

    fn place(&mut self, cell: Cell, column: usize) -> usize {
        let number = self.places.len();
        self.places.push(Place { cell, left: Vec::new(), right: Vec::new(), middle: 0 });
        if let Some(column) = self.columns.get_mut(column) {
            column.push(number);
        }
        number
    }

    fn join(&mut self, one: usize, other: usize) {
        if let Some(place) = self.places.get_mut(one) {
            place.right.push(other);
        }
        if let Some(place) = self.places.get_mut(other) {
            place.left.push(one);
        }
    }

    fn size(&self) -> usize {
        self.places.iter().filter(|place| matches!(place.cell, Cell::Box(_))).count()
    }

    fn width(&self) -> i64 {
        let columns = i64::try_from(self.columns.len()).unwrap_or(0);
        columns * (WIDTH + BETWEEN_COLUMNS) - BETWEEN_COLUMNS
    }

    fn height(&self) -> i64 {
        let bottom = |place: &Place| place.middle + place.cell.height() / 2;
        self.places.iter().map(bottom).max().unwrap_or(0)
    }

    /// Sorts every column by the middle of what its cells are joined with, to the left and to the
    /// right in turn: that unties most crossings.
    fn order(&mut self) {
        for sweep in 0..SWEEPS {
            let mut ranks = vec![0_i64; self.places.len()];
            for column in &self.columns {
                rank(&mut ranks, column);
            }
            let to_the_left = sweep % 2 == 0;
            let count = self.columns.len();
            for turn in 0..count {
                let at = if to_the_left { turn } else { count - 1 - turn };
                let Some(column) = self.columns.get_mut(at) else { continue };
                let places = &self.places;
                column.sort_by_key(|one| {
                    let own = ranks.get(*one).copied().unwrap_or(0);
                    let joined = places
                        .get(*one)
                        .map(|place| if to_the_left { &place.left } else { &place.right });
                    (mean(joined.into_iter().flatten(), &ranks).unwrap_or(own), own)
                });
                rank(&mut ranks, column);
            }
        }
    }

    /// Gives every cell its height: as near to the middle of what it is joined with as those above
    /// and below allow.
    fn stack(&mut self) {
        for sweep in 0..=SWEEPS {
            for at in 0..self.columns.len() {
                let column = self.columns.get(at).cloned().unwrap_or_default();
                let middles: Vec<i64> = self.places.iter().map(|place| place.middle).collect();
                let wanted: Vec<(i64, i64)> = column
                    .iter()
                    .filter_map(|one| self.places.get(*one))
                    .map(|place| {
                        // At first everything stands as high as it can.
                        let joined = place.left.iter().chain(&place.right);
                        let wish = mean(joined, &middles).filter(|_| sweep > 0);
                        (wish.unwrap_or(place.middle), place.cell.height())
                    })
                    .collect();
                for (one, middle) in column.iter().zip(apart(&wanted)) {
                    if let Some(place) = self.places.get_mut(*one) {
                        place.middle = middle;
                    }
                }
            }
        }
        let top = |place: &Place| place.middle - place.cell.height() / 2;
        let highest = self.places.iter().map(top).min().unwrap_or(0);
        for place in &mut self.places {
            place.middle -= highest;
        }
    }

    fn put_into(&self, drawing: &mut Drawing, x: i64, y: i64) {
        let mut left_of = vec![0; self.places.len()];
        for (at, column) in (0..).zip(&self.columns) {
            for one in column {
                let left: i64 = x + at * (WIDTH + BETWEEN_COLUMNS);
                if let Some(place) = left_of.get_mut(*one) {
                    *place = left;
                }
                if let Some(Place { cell: Cell::Box(number), middle, .. }) = self.places.get(*one)
                    && let Some(corner) = drawing.boxes.get_mut(*number)
                {
                    *corner = (left, y + middle - HEIGHT / 2);
                }
            }
        }
        for (number, way) in &self.lines {
            let mut corners = Vec::with_capacity(2 * way.len());
            for one in way {
                let left = left_of.get(*one).copied().unwrap_or(0);
                let middle = y + self.places.get(*one).map_or(0, |place| place.middle);
                corners.extend([(left, middle), (left + WIDTH, middle)]);
            }
            // It begins at the right side of the first box and ends at the left of the last.
            let corners = corners.get(1..corners.len() - 1).unwrap_or_default().to_vec();
            if let Some(line) = drawing.lines.get_mut(*number) {
                *line = corners;
            }
        }
    }
}

fn rank(ranks: &mut [i64], column: &[usize]) {
    for (rank, one) in (0..).zip(column) {
        if let Some(place) = ranks.get_mut(*one) {
            // Fine enough that a mean falls between two.
            *place = rank * 1_000;
        }
    }
}

fn mean<'a>(of: impl Iterator<Item = &'a usize>, values: &[i64]) -> Option<i64> {
    let (sum, count) = of
        .filter_map(|one| values.get(*one))
        .fold((0_i64, 0_i64), |(sum, count), value| (sum + value, count + 1));
    sum.checked_div(count)
}

/// Middles as near to the wanted ones as they can be without touching, in their order. Pushed down
/// from above and pushed up from below, both are far enough apart; so is what lies between.
fn apart(wanted: &[(i64, i64)]) -> Vec<i64> {
    let distance = |one: i64, other: i64| one.midpoint(other) + BETWEEN_BOXES;
    let mut down = Vec::with_capacity(wanted.len());
    let mut last: Option<(i64, i64)> = None;
    for (wish, height) in wanted {
        let lowest = last.map(|(middle, above)| middle + distance(above, *height));
        let middle = lowest.map_or(*wish, |lowest| lowest.max(*wish));
        down.push(middle);
        last = Some((middle, *height));
    }
    let mut up = Vec::with_capacity(wanted.len());
    last = None;
    for (wish, height) in wanted.iter().rev() {
        let most = last.map(|(middle, below)| middle - distance(below, *height));
        let middle = most.map_or(*wish, |most| most.min(*wish));
        up.push(middle);
        last = Some((middle, *height));
    }
    down.into_iter()
        .zip(up.into_iter().rev())
        .map(|(one, other)| i64::midpoint(one, other))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_apart(drawing: &Drawing) -> bool {
        let touch = |(x1, y1): (i64, i64), (x2, y2): (i64, i64)| {
            (x1 - x2).abs() < WIDTH && (y1 - y2).abs() < HEIGHT
        };
        let boxes = &drawing.boxes;
        (0..boxes.len()).all(|one| (0..one).all(|other| !touch(boxes[one], boxes[other])))
    }

    #[test]
    fn a_chain_leads_to_the_right_in_one_line() {
        let drawing = lay_out(3, &[(0, 1), (1, 2)]);
        let step = WIDTH + BETWEEN_COLUMNS;
        assert_eq!(drawing.boxes, [(0, 0), (step, 0), (2 * step, 0)]);
        assert_eq!(drawing.lines[0], [(WIDTH, HEIGHT / 2), (step, HEIGHT / 2)]);
        assert_eq!((drawing.width, drawing.height), (3 * step - BETWEEN_COLUMNS, HEIGHT));
    }

    #[test]
    fn every_line_leads_to_the_right_and_no_box_lies_on_another() {
        let mut lines = Vec::new();
        for one in 0..40_usize {
            for other in [one * 2 + 1, one * 3 + 2, one + 7] {
                lines.extend((other < 60).then_some((one, other)));
            }
        }
        let drawing = lay_out(60, &lines);
        assert!(is_apart(&drawing));
        for (line, (from, to)) in drawing.lines.iter().zip(&lines) {
            assert!(line.windows(2).all(|pair| pair[0].0 < pair[1].0), "{from} to {to}: {line:?}");
        }
        let inside = |(x, y): &(i64, i64)| {
            (0..=drawing.width - WIDTH).contains(x) && (0..=drawing.height - HEIGHT).contains(y)
        };
        assert!(drawing.boxes.iter().all(inside));
    }

    #[test]
    fn the_longest_way_decides_the_column() {
        let drawing = lay_out(4, &[(0, 1), (1, 2), (0, 2), (3, 2)]);
        let column = |one: usize| drawing.boxes[one].0 / (WIDTH + BETWEEN_COLUMNS);
        assert_eq!([0, 1, 2, 3].map(column), [0, 1, 2, 1]);
    }

    #[test]
    fn parts_that_nothing_joins_are_set_side_by_side_and_in_rows() {
        let lines: Vec<Line> = (0..6).map(|part| (2 * part, 2 * part + 1)).collect();
        let drawing = lay_out(12, &lines);
        assert!(is_apart(&drawing));
        assert!(drawing.width <= SHELF && drawing.height > HEIGHT);
    }

    #[test]
    fn a_circle_and_nothing_at_all_are_drawn_too() {
        assert_eq!(lay_out(0, &[]), Drawing::default());
        let circle = lay_out(3, &[(0, 1), (1, 2), (2, 1)]);
        assert_eq!(circle.boxes.len(), 3);
        assert!(is_apart(&circle));
    }
}
