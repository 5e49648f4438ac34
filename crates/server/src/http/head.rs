//! The head of a request: so much of it.

use axum::extract::Request;
use axum::http::StatusCode;
use windlass_domain::{Code, Refusal};

use super::problem::Problem;

/// Longest head that is answered, its first line and all headers together. Far longer ones are not
/// read to their end, and end the connection.
const LONGEST: usize = 64 * 1024;

/// Refuses a head that is too long.
pub(crate) fn refuse_long(request: &Request) -> Result<(), Problem> {
    match length(request) > LONGEST {
        true => {
            let refusal =
                Refusal::new(Code::TooLarge, format!("the head has more than {LONGEST} bytes"))
                    .hint("send long texts in the body")
                    .detail("limit_bytes", LONGEST);
            Err(Problem::from(refusal).answered(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE))
        }
        false => Ok(()),
    }
}

/// As it came, but for spaces that say nothing.
fn length(request: &Request) -> usize {
    let uri = request.uri();
    let first = request.method().as_str().len()
        + uri.authority().map_or(0, |named| named.as_str().len())
        + uri.path_and_query().map_or(0, |path| path.as_str().len());
    let headers = request.headers().iter();
    headers.fold(first, |sum, (name, value)| sum + name.as_str().len() + value.len() + 4)
}
