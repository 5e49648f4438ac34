//! Errors as problem documents (RFC 9457), with our codes.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use windlass_domain::{Code, Exit, Refusal};
use windlass_ledger::{Error, Fault};
use windlass_ops::error::{Body, Report};

use super::journal::Told;
use super::request_id;

/// The type of the body.
pub(crate) const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

/// Something that did not happen, on its way to whoever asked for it.
#[derive(Debug, Clone)]
pub(crate) struct Problem(pub(crate) Body);

/// The document as it is sent.
#[derive(Debug, Serialize)]
struct Document {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<String>,
    code: Code,
    hint: Option<String>,
    details: Map<String, Value>,
    suggestions: Vec<String>,
    exit: u8,
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self(Report::of(error).error)
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Error::from(refusal).into()
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        Error::from(fault).into()
    }
}

/// How HTTP says that something did not happen.
pub(crate) fn status(code: Code) -> StatusCode {
    match code {
        Code::KeyRequired => StatusCode::UNAUTHORIZED,
        Code::InvalidValue | Code::UnknownField | Code::IdTooShort => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::TooSlow => StatusCode::REQUEST_TIMEOUT,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::ServerBusy => StatusCode::SERVICE_UNAVAILABLE,
        other => match other.exit() {
            Exit::Usage => StatusCode::BAD_REQUEST,
            Exit::NotFound => StatusCode::NOT_FOUND,
            Exit::NotAllowed => StatusCode::FORBIDDEN,
            Exit::Refused | Exit::Findings | Exit::Elsewhere => StatusCode::CONFLICT,
            Exit::Storage => StatusCode::SERVICE_UNAVAILABLE,
            Exit::Done | Exit::Unexpected => StatusCode::INTERNAL_SERVER_ERROR,
        },
    }
}

/// Whether waiting helps.
fn retry_after(code: Code) -> Option<HeaderValue> {
    match code {
        Code::RateLimited | Code::ServerBusy | Code::OpRunning | Code::LedgerLocked => {
            Some(HeaderValue::from_static("1"))
        }
        _ => None,
    }
}

/// What kind of thing went wrong, in a few words.
fn title(code: Code) -> &'static str {
    match code.exit() {
        Exit::Usage => "The request makes no sense",
        Exit::Refused => "Refused",
        Exit::NotFound => "Not found",
        Exit::Storage => "The storage failed",
        Exit::NotAllowed => "Not allowed",
        Exit::Elsewhere => "Try again",
        Exit::Findings => "A check found something",
        Exit::Done | Exit::Unexpected => "Unexpected",
    }
}

impl Problem {
    /// The document that tells it.
    pub(crate) fn document(self) -> String {
        let Body { code, message, hint, details, suggestions } = self.0;
        let document = Document {
            r#type: format!("/errors/{code}"),
            title: title(code),
            status: status(code).as_u16(),
            detail: message,
            instance: request_id::current(),
            code,
            hint,
            details,
            suggestions,
            exit: code.exit() as u8,
        };
        // A document of texts and numbers can always be written.
        serde_json::to_string(&document).unwrap_or_default()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let code = self.0.code;
        let status = status(code);
        let told = Told { code, message: self.0.message.clone() };
        let text = self.document();
        let mut response = (status, [(header::CONTENT_TYPE, PROBLEM)], text).into_response();
        response.extensions_mut().insert(told);
        let headers = response.headers_mut();
        if let Some(seconds) = retry_after(code) {
            headers.insert(header::RETRY_AFTER, seconds);
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
