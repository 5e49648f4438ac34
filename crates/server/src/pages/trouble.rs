//! A page that could not be shown, or something that was not done: says what, why and what to do.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use windlass_domain::{Code, Refusal};
use windlass_ledger::{Error, Fault};
use windlass_ops::error::{Body, Report};

use super::layout::{Page, bare};
use super::sign_in;
use crate::http::{Problem, status};

/// What a door would send as a problem document, for a person.
#[derive(Debug, Clone)]
pub(crate) struct Trouble(pub(crate) Body);

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self(Report::of(error).error)
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        Error::from(refusal).into()
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Error::from(fault).into()
    }
}

impl From<Problem> for Trouble {
    fn from(problem: Problem) -> Self {
        Self(problem.body)
    }
}

impl Trouble {
    pub(crate) fn status(&self) -> StatusCode {
        status(self.0.code)
    }

    /// The message, the hint and the code, as every door gives them. What to type at a terminal helps
    /// nobody on a page.
    pub(crate) fn notice(&self) -> Markup {
        let Body { code, message, hint, suggestions, .. } = self.0.clone().in_short();
        let hint = hint.filter(|hint| !is_about_commands(hint));
        html! {
            div.notice.bad role="alert" {
                p { (message) }
                @if let Some(hint) = hint { p { (hint) } }
                @if !suggestions.is_empty() { p { "Did you mean " (suggestions.join(", ")) "?" } }
                p.soft.small { a href={ "/errors/" (code) } { code { (code) } } }
            }
        }
    }
}

/// It names a command or an option.
fn is_about_commands(hint: &str) -> bool {
    hint.contains("--") || hint.contains("windlass ")
}

impl Trouble {
    pub(crate) fn page(&self) -> Page {
        let title = match self.status() {
            StatusCode::NOT_FOUND => "There is nothing here",
            _ => "That did not work",
        };
        let main = html! {
            div.narrow {
                div.head { h1 { (title) } }
                (self.notice())
                p { a.button href="/" { "To the board" } }
            }
        };
        Page { title: title.to_owned(), section: None, assets: &[], main }
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        if self.0.code == Code::KeyRequired {
            return sign_in::ask(StatusCode::UNAUTHORIZED, None, "/");
        }
        bare(self.status(), self.page())
    }
}
