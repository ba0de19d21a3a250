//! Games that a person plays: each request has the case and all moves so far.

use super::reply::{Sent, document, json, made, sent};
use crate::hand::Hand;
use crate::refused::Refused;
use crate::store::Store;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use checkers::Move;
use judge_report::RecordedHand;
use judge_session::failure::Failure;
use serde::Deserialize;
use std::sync::Arc;

/// The longest document of a request: 100,000 moves are shorter.
pub(super) const LONGEST: usize = 1 << 20;

/// The most moves of a game: the longest games have 10,000.
const MOST_MOVES: usize = 20_000;

/// A game: its case, and the moves so far.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Game {
    case: String,
    #[serde(default)]
    moves: Vec<Move>,
}

/// `POST /api/play/{problem}`
pub(super) async fn play(State(store): State<Arc<Store>>, Path(id): Path<String>, body: Sent<Game>) -> Response {
    document(store, move |store| {
        let Game { case, moves } = game(body)?;
        Hand::open(store, &id, &case)?.page(store, &moves)
    })
    .await
}

/// `POST /api/play/{problem}/answer`
pub(super) async fn answer(State(store): State<Arc<Store>>, Path(id): Path<String>, body: Sent<Game>) -> Response {
    let made = made(store, move |store| {
        let Game { case, moves } = game(body)?;
        Ok(Hand::open(store, &id, &case)?.answer(&moves)?.bytes)
    });
    made.await.map(|bytes| ([(CONTENT_TYPE, "text/plain; charset=utf-8")], bytes)).into_response()
}

/// `POST /api/play/{problem}/run`
pub(super) async fn record(State(store): State<Arc<Store>>, Path(id): Path<String>, body: Sent<Game>) -> Response {
    document(store, move |store| {
        let Game { case, moves } = game(body)?;
        let hand = Hand::open(store, &id, &case)?;
        let case = hand.case().to_owned();
        let (run, score) = hand.record(store, &moves)?;
        Ok(json(judge_report::recorded_hand_json(&RecordedHand { run, case: &case, score: &score }))?)
    })
    .await
}

fn game(body: Sent<Game>) -> Result<Game, Refused> {
    let game = sent(body)?;
    let count = game.moves.len();
    if count > MOST_MOVES {
        return Err(Failure::usage(format!("a game has at most {MOST_MOVES} moves here, found {count}")).into());
    }
    Ok(game)
}
