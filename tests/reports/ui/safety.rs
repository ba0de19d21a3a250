//! Which requests get a response, and which actions each response forbids.

use super::some_runs;
use crate::support::Folder;
use crate::support::client::Server;

#[test]
fn without_the_token_there_is_nothing() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let host = &*format!("Host: 127.0.0.1:{}", server.port);
    let cookie = |token: &str| format!("Cookie: judge-ui-{}={token}", server.port);
    for address in ["/", "/assets/main.js", "/api/runs", "/api/events", "/no-such-page"] {
        let get = &*format!("GET {address} HTTP/1.1");
        for lines in [
            vec![get, host],
            vec![get, host, "Authorization: Bearer 0123456789abcdef0123456789abcdef"],
            vec![get, host, "Authorization: Bearer "],
            vec![get, host, &cookie("")],
            vec![get, host, &cookie(&server.token[..31])],
            vec![get, host, &format!("Cookie: other={}", server.token)],
        ] {
            let answer = server.ask(&lines);
            assert_eq!((answer.status, answer.header("content-type")), (403, "text/plain; charset=utf-8"), "{lines:?}");
            assert!(answer.body.contains("`judge ui`") || answer.body.contains("token"), "{}", answer.body);
        }
    }
    assert_eq!(server.ask(&["GET /api/runs HTTP/1.1", host, &cookie(&server.token)]).status, 200);
    let another = Server::start(&folder, &[]);
    assert_ne!((server.port, &server.token), (another.port, &another.token));
}

#[test]
fn the_token_of_the_address_becomes_a_cookie() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let host = &*format!("Host: localhost:{}", server.port);
    let answer = server.ask(&[&format!("GET /?a=b&token={}&c=d HTTP/1.1", server.token), host]);
    assert_eq!((answer.status, answer.header("location")), (303, "/?a=b&c=d"));
    let cookie = answer.header("set-cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = format!("Cookie: x=y; {}", cookie.split(';').next().unwrap());
    let page = server.ask(&["GET / HTTP/1.1", host, &cookie]);
    assert!(page.status == 200 && page.body.starts_with("<!DOCTYPE html>"), "{page:?}");
    let wrong = server.ask(&["GET /?token=0123456789abcdef0123456789abcdef HTTP/1.1", host, &cookie]);
    assert_eq!((wrong.status, wrong.header("set-cookie")), (403, ""));
}

#[test]
fn other_hosts_and_origins_get_nothing() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let [own, token] = server.headers();
    let port = server.port;
    let ask = |lines: &[&str]| server.ask(&[&["GET /api/runs HTTP/1.1"], lines, &[&*token]].concat()).status;
    for host in
        ["127.0.0.1", "evil.example", &format!("evil.example:{port}"), &format!("127.0.0.1:{}", port ^ 1), "0.0.0.0"]
    {
        assert_eq!(ask(&[&format!("Host: {host}")]), 403, "{host}");
    }
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        assert_eq!(ask(&[&format!("Host: {host}:{port}")]), 200, "{host}");
        assert_eq!(ask(&[&own, &format!("Origin: http://{host}:{port}")]), 200, "{host}");
    }
    for origin in ["null", "http://evil.example", &format!("https://127.0.0.1:{port}"), "http://127.0.0.1"] {
        assert_eq!(ask(&[&own, &format!("Origin: {origin}")]), 403, "{origin}");
    }
    assert_ne!(ask(&[]), 200, "no host");
    let post = server.ask(&["POST /api/runs HTTP/1.1", &own, &token, "Content-Length: 0"]);
    assert_eq!(post.status, 405);
}

#[test]
fn every_answer_forbids_foreign_scripts() {
    let folder = some_runs();
    let server = Server::start(&folder, &[]);
    for address in
        ["/", "/assets/main.js", "/api/runs", "/api/runs/9", "/api/runs/1/cases/seed-1/answer", "/nothing", "/?token=x"]
    {
        let answer = server.get(address);
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{address}: {policy}");
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{address}: {policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(answer.header(name), value, "{address}");
        }
    }
    for address in ["/api/runs/3/cases/seed-1/stderr?solver=", "/api/runs/1/cases/seed-1/answer"] {
        assert!(server.get(address).header("content-type").starts_with("text/plain") || address.contains('?'));
    }
}

#[test]
fn signals_end_the_server_and_taken_ports_err() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let usual = [(); 2].map(|()| Server::start_at(&folder, &["ui"]));
    assert_ne!(usual[0].port, usual[1].port, "a free one is taken");
    let said = folder.judge(&["ui", "--port", &server.port.to_string()]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("hint: without --port, a free one is taken"), "{}", said.stderr);
    // Events are open: they do not keep it.
    let [host, token] = server.headers();
    let _events = server.send(&["GET /api/events HTTP/1.1", &host, &token]);
    assert_eq!(server.end_by(libc::SIGINT), Some(0));
    assert_eq!(Server::start(&folder, &[]).end_by(libc::SIGTERM), Some(0));
}

#[test]
fn a_read_only_journal_stays_unchanged() {
    let folder = some_runs();
    let journal = folder.path().join(".judge/journal.db");
    let before = std::fs::read(&journal).unwrap();
    let server = Server::start(&folder, &["--read-only"]);
    assert_eq!(server.json("/api/runs")["total"], 4);
    assert_eq!(server.json("/api/compare?a=run:1&b=run:2")["comparisons"][0]["cases"], 12);
    assert_eq!(std::fs::read(&journal).unwrap(), before);
    // Input of others is shown.
    let said = folder.judge(&["run", "-p", "columns", "-s", "bundled:columns-quickstart", "--seeds", "1-2"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(server.json("/api/runs")["total"], 5);
}
