//! Decides which requests are answered: those with the token, from a page of this server. A page of another site can
//! make the browser send requests to this server, also under its own host name that resolves to this machine. Such a
//! page does not have the token, and the request names its host or origin.

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, ORIGIN, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use data_encoding::HEXLOWER;
use rustix::rand::{GetRandomFlags, getrandom};
use std::io;
use std::sync::Arc;

/// The name of the token in the address.
const TOKEN: &str = "token";

/// Why a request with another token is refused.
const OTHER_TOKEN: &str = "the token is not this server's: the judge prints the right one when it starts";

/// The policy of a page: what it may load and do, and which pages may embed it.
macro_rules! policy {
    ($ancestors:literal) => {
        concat!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; ",
            "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ",
            $ancestors
        )
    };
}

/// The policy of a page that a setter's program has made: it loads nothing and draws only with its own content.
const ALONE: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    img-src data: blob:; font-src data:; media-src data: blob:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'self'";

/// The headers of every answer that does not set them itself.
const HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, policy!("'none'")),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (CACHE_CONTROL, "no-store"),
];

/// Checks where a request comes from.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) token: String,
    pub(super) port: u16,
}

impl Guard {
    /// Makes a token for the server at a port.
    pub(super) fn new(port: u16) -> io::Result<Self> {
        Ok(Self { token: random_text()?, port })
    }

    /// Returns the address with the token.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/?{TOKEN}={}", self.port, self.token)
    }

    /// Returns the name of the cookie. It contains the port, because a browser sends cookies of a host to all its
    /// ports, and another judge may listen on another port.
    fn cookie(&self) -> String {
        format!("judge-ui-{}", self.port)
    }

    fn is_host(&self, host: &str) -> bool {
        let before_port = host.strip_suffix(&format!(":{}", self.port));
        // Clients leave out the usual port of HTTP.
        let name = before_port.or((self.port == 80).then_some(host));
        name.is_some_and(|name| ["127.0.0.1", "localhost", "[::1]"].contains(&name))
    }

    fn is_token(&self, given: &str) -> bool {
        let (given, token) = (given.as_bytes(), self.token.as_bytes());
        // Compares all bytes: a comparison that stops early would reveal by its time how many are right.
        let differing = given.iter().zip(token).fold(0, |differing, (left, right)| differing | (left ^ right));
        std::hint::black_box(differing) == 0 && given.len() == token.len()
    }

    /// Returns why a request is from another site; `None` if it is not.
    fn foreign(&self, headers: &HeaderMap) -> Option<&'static str> {
        let value = |name| headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default());
        let mut hosts = value(HOST);
        let is_here = hosts.next().is_some_and(|host| self.is_host(host)) && hosts.next().is_none();
        let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(|host| self.is_host(host));
        if !is_here {
            return Some("the host is not this server's");
        }
        (!value(ORIGIN).all(is_own)).then_some("the origin is not this server's")
    }

    fn knows_token(&self, headers: &HeaderMap) -> bool {
        self.cookies_of(headers).chain(bearers(headers)).any(|token| self.is_token(token))
    }

    /// Returns whether a browser has the cookie of a server that was at this port before.
    fn gave_other_token(&self, headers: &HeaderMap) -> bool {
        self.cookies_of(headers).any(|token| token.len() == self.token.len())
    }

    /// Returns the tokens in the cookies of this port.
    fn cookies_of<'a>(&'a self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
        let cookies = values(headers, &COOKIE).flat_map(|cookies| cookies.split(';'));
        let pairs = cookies.filter_map(|one| one.trim().split_once('='));
        let own = self.cookie();
        pairs.filter(move |(name, _)| *name == own).map(|(_, token)| token)
    }

    /// Sets the cookie for a browser that sends the token in the address, and redirects it to the address without the token.
    fn let_in(&self, token: &str, rest: &str) -> Response {
        if !self.is_token(token) {
            return refused(OTHER_TOKEN);
        }
        let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie(), self.token);
        (StatusCode::SEE_OTHER, [(LOCATION, rest), (SET_COOKIE, &cookie)]).into_response()
    }
}

/// Returns 128 random bits as text.
pub(super) fn random_text() -> io::Result<String> {
    let mut bytes = [0; 16];
    // getrandom(2) always returns 16 bytes in one call.
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(HEXLOWER.encode(&bytes))
}

/// Returns the values of a header.
fn values<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    headers.get_all(name).iter().filter_map(|value| value.to_str().ok())
}

/// Returns the tokens that a client sends as bearers. The name of the scheme may have letters of any case.
fn bearers(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let schemes = values(headers, &AUTHORIZATION).filter_map(|value| value.split_once(' '));
    schemes.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim())
}

/// Answers a request, or refuses it.
pub(super) async fn guarded(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    // Only a browser that opens an address can be sent to another one.
    let is_opened = matches!(*request.method(), Method::GET | Method::HEAD);
    let given = Some(request.uri()).filter(|_| is_opened).and_then(token_in);
    let mut response = match (guard.foreign(headers), given) {
        (Some(why), _) => refused(why),
        (None, Some((token, rest))) => guard.let_in(&token, &rest),
        (None, None) if guard.knows_token(headers) => next.run(request).await,
        (None, None) if bearers(headers).next().is_some() => refused(OTHER_TOKEN),
        (None, None) if guard.gave_other_token(headers) => {
            refused("the server was restarted: open the address that `judge ui` printed then")
        }
        (None, None) => {
            refused("the token is missing: open the address that the judge prints, or send the token as a bearer")
        }
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Returns an answer that pages of this server may embed.
pub(super) fn framed(mut response: Response) -> Response {
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy!("'self'")));
    response
}

/// Returns a response with untrusted content of a setter: its scripts run in an origin of their own.
pub(super) fn alone(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(ALONE));
    // Browsers do not open a page that has its own origin under another value.
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("unsafe-none"));
    response
}

fn refused(why: &'static str) -> Response {
    (StatusCode::FORBIDDEN, format!("{why}\n")).into_response()
}

/// Returns the token in an address, and the address without it.
fn token_in(uri: &Uri) -> Option<(String, String)> {
    let is_token = |part: &&str| part.split('=').next() == Some(TOKEN);
    let (tokens, rest): (Vec<&str>, Vec<&str>) = uri.query()?.split('&').partition(is_token);
    let token = tokens.first()?.split_once('=').map_or("", |(_, token)| token);
    // An address that begins with two slashes refers to another host.
    let path = format!("/{}", uri.path().trim_start_matches('/'));
    let rest = if rest.is_empty() { path } else { format!("{path}?{}", rest.join("&")) };
    Some((token.to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard { token: "0123456789abcdef0123456789abcdef".to_owned(), port: 80 }
    }

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn tokens_are_new_and_compared_whole() {
        let [one, other] = [(); 2].map(|()| Guard::new(1).unwrap().token);
        assert!(one != other && one.len() == 32 && one.chars().all(|c| c.is_ascii_hexdigit()));
        let guard = guard();
        assert!(guard.is_token("0123456789abcdef0123456789abcdef"));
        for wrong in ["", "0123456789abcdef", "0123456789abcdef0123456789abcdef0", "0123456789abcdef0123456789abcdee"] {
            assert!(!guard.is_token(wrong), "{wrong}");
        }
    }

    #[test]
    fn only_this_server_is_no_stranger() {
        let is_foreign = |pairs: &[(HeaderName, &'static str)]| guard().foreign(&headers(pairs)).is_some();
        // 80 is the port that clients leave out.
        for host in ["127.0.0.1:80", "localhost:80", "[::1]:80", "127.0.0.1", "localhost", "[::1]"] {
            assert!(!is_foreign(&[(HOST, host)]), "{host}");
        }
        assert!(Guard { port: 8080, ..guard() }.foreign(&headers(&[(HOST, "127.0.0.1")])).is_some());
        for host in
            ["", "127.0.0.1:81", "evil.example:80", "evil.example", "127.0.0.1:80.evil.example", "me@localhost:80"]
        {
            assert!(is_foreign(&[(HOST, host)]), "{host}");
        }
        assert!(is_foreign(&[]));
        assert!(!is_foreign(&[(HOST, "localhost:80"), (ORIGIN, "http://localhost:80")]));
        assert!(!is_foreign(&[(HOST, "localhost"), (ORIGIN, "http://localhost")]));
        for origin in ["null", "https://localhost:80", "https://localhost", "http://evil.example", ""] {
            assert!(is_foreign(&[(HOST, "localhost:80"), (ORIGIN, origin)]), "{origin}");
        }
    }

    #[test]
    fn the_token_comes_as_a_cookie_or_as_a_bearer() {
        let knows = |name, value| guard().knows_token(&headers(&[(name, value)]));
        assert!(knows(COOKIE, "a=b; judge-ui-80=0123456789abcdef0123456789abcdef"));
        assert!(knows(AUTHORIZATION, "Bearer 0123456789abcdef0123456789abcdef"));
        assert!(knows(AUTHORIZATION, "bearer  0123456789abcdef0123456789abcdef"));
        assert!(!knows(COOKIE, "judge-ui-81=0123456789abcdef0123456789abcdef"));
        assert!(!knows(AUTHORIZATION, "Basic 0123456789abcdef0123456789abcdef"));
    }

    #[test]
    fn the_token_is_taken_out_of_the_address() {
        let token_in = |uri: &'static str| token_in(&Uri::from_static(uri));
        let found = |token: &str, rest: &str| Some((token.to_owned(), rest.to_owned()));
        assert_eq!(token_in("/?token=12"), found("12", "/"));
        assert_eq!(token_in("/a?b=1&token=12&c=2"), found("12", "/a?b=1&c=2"));
        assert_eq!(token_in("//evil.example/?token=12"), found("12", "/evil.example/"));
        assert_eq!(token_in("/?tokens=12"), None);
        assert_eq!(token_in("/"), None);
    }
}
