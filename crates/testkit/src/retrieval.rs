//! How well a search finds what it should.

use std::fmt;

/// What became of some questions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Figures {
    questions: u32,
    first: u32,
    ten: u32,
    reciprocal: f64,
}

impl Figures {
    /// Counts a question whose first right answer stood behind so many others, or was not found.
    pub fn count(&mut self, before: Option<usize>) {
        self.questions += 1;
        let Some(before) = before.and_then(|before| u32::try_from(before).ok()) else { return };
        self.first += u32::from(before < 1);
        self.ten += u32::from(before < 10);
        self.reciprocal += 1.0 / f64::from(before + 1);
    }

    pub fn questions(&self) -> u32 {
        self.questions
    }

    /// Of a hundred questions, so many have a right answer in the first place.
    pub fn recall_at_1(&self) -> f64 {
        self.of_hundred(self.first)
    }

    /// The same among the first ten.
    pub fn recall_at_10(&self) -> f64 {
        self.of_hundred(self.ten)
    }

    /// The mean of 1 divided by the place of the first right answer.
    pub fn mrr(&self) -> f64 {
        self.reciprocal / f64::from(self.questions.max(1))
    }

    fn of_hundred(&self, count: u32) -> f64 {
        f64::from(count) * 100.0 / f64::from(self.questions.max(1))
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, ten, mrr) = (self.recall_at_1(), self.recall_at_10(), self.mrr());
        write!(f, "{:>4} questions, R@1 {one:5.1}, R@10 {ten:5.1}, MRR {mrr:.3}", self.questions)
    }
}
