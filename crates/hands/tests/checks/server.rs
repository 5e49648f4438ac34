//! A web server with a page for every way in which a page can be.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// Answers at this address for as long as the test runs.
pub(crate) fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || answer(connection));
        }
    });
    address
}

/// An address at which nobody answers.
pub(crate) fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/", listener.local_addr().unwrap())
}

fn answer(mut connection: TcpStream) {
    let mut asked = [0; 4096];
    let length = connection.read(&mut asked).unwrap_or_default();
    let asked = String::from_utf8_lossy(&asked[..length]).into_owned();
    let path = asked.split(' ').nth(1).unwrap_or_default();
    if path == "/silent" {
        // Until the browser has had enough.
        connection.read_exact(&mut [0; 1]).ok();
        return;
    }
    let status = match path {
        "/broken" => "500 Internal Server Error",
        "/nowhere" => "404 Not Found",
        _ => "200 OK",
    };
    let body = format!(
        "<!doctype html><html lang=en><title>Orders</title><link rel=icon href=data:><body>{}",
        body(path)
    );
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n",
        body.len()
    );
    connection.write_all(format!("{head}{body}").as_bytes()).ok();
}

fn body(path: &str) -> &'static str {
    match path {
        "/" => {
            "<h1>All\n  orders</h1><p id=hidden style=display:none>secret</p><p class=empty></p>"
        }
        "/later" => "<script>setTimeout(() => document.body.append('now'), 300)</script>",
        "/throws" => "<p>fine</p><script>null.price</script>",
        "/rejects" => "<p>fine</p><script>Promise.reject(new Error('no stock'))</script>",
        "/asks" => "<script>alert('hello'); document.body.append('asked')</script>",
        "/waits" => "<p>fine</p><img src=/silent>",
        "/loops" => "<p>fine</p><script>onload = () => setTimeout(() => { for (;;); })</script>",
        "/leads" => "<script>location = '/nowhere'</script>",
        "/others" => "<p>fine</p><img src=http://elsewhere.example/x.png>",
        _ => "<p>a page",
    }
}
