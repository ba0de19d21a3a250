//! The rules once more: a map of cells, searched from scratch before every removal.

use std::collections::{BTreeSet, HashMap};

type Cell = (usize, usize);
/// By row, from the top, and column.
type Blocks = HashMap<Cell, char>;

/// How often games came upon what is easy to get wrong.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) size_ties: u64,
    pub(crate) row_ties: u64,
    pub(crate) empty_columns: u64,
    pub(crate) parted_empty_columns: u64,
    pub(crate) cleared: u64,
    pub(crate) colors_back: u64,
}

/// Returns the strategy's score, or `None` where the input is not valid.
pub(crate) fn prescribed(input: &[u8], seen: &mut Seen) -> Option<u64> {
    let mut words = words(input);
    let mut blocks = grid(&mut words)?;
    let order: Vec<char> = letters(words.next()?, 26)?;
    let different: BTreeSet<char> = order.iter().copied().collect();
    if words.next().is_some() || different.len() < order.len() || !blocks.values().all(|b| order.contains(b)) {
        return None;
    }
    let place = |color: char| order.iter().position(|&other| other == color).expect("named in the order");
    let (mut points, mut latest) = (0, 0);
    loop {
        let ranked = groups(&blocks).into_iter().map(|group| {
            let color = place(blocks[group.first().expect("not empty")]);
            let row = group.iter().map(|&(row, _)| row).min().expect("not empty");
            let column = group.iter().filter(|cell| cell.0 == row).map(|&(_, column)| column).min();
            ((color, group.len(), row, column.expect("not empty")), group)
        });
        let mut ranked: Vec<_> = ranked.collect();
        ranked.sort();
        let Some((key, group)) = ranked.first() else { break };
        if let Some((second, _)) = ranked.get(1) {
            let same_size = (key.0, key.1) == (second.0, second.1);
            seen.size_ties += u64::from(same_size);
            seen.row_ties += u64::from(same_size && key.2 == second.2);
        }
        seen.colors_back += u64::from(key.0 < latest);
        latest = key.0;
        points += remove(&mut blocks, group, seen);
    }
    seen.cleared += u64::from(blocks.is_empty());
    Some(if blocks.is_empty() { 4 * points } else { points })
}

/// Returns the score, or `None` where input or answer is not valid.
pub(crate) fn free(input: &[u8], answer: &[u8], seen: &mut Seen) -> Option<u64> {
    let mut input = words(input);
    let mut blocks = grid(&mut input)?;
    if input.next().is_some() {
        return None;
    }
    let mut answer = words(answer);
    let mut points = 0;
    for _ in 0..number(answer.next()?)? {
        let cell = (number(answer.next()?)?, number(answer.next()?)?);
        let group = groups(&blocks).into_iter().find(|group| group.contains(&cell))?;
        points += remove(&mut blocks, &group, seen);
    }
    if answer.next().is_some() {
        return None;
    }
    seen.cleared += u64::from(blocks.is_empty());
    Some(if blocks.is_empty() { 4 * points } else { points })
}

/// Turns rolls into legal moves for this input: which group, and which of its cells names it.
pub(crate) fn moves(input: &[u8], rolls: &[(usize, usize)]) -> Vec<Cell> {
    let mut blocks = grid(&mut words(input)).expect("a valid grid");
    let mut moves = Vec::new();
    for &(which, cell) in rolls {
        let mut groups = groups(&blocks);
        if groups.is_empty() {
            break;
        }
        let group = groups.remove(which % groups.len());
        moves.push(*group.iter().nth(cell % group.len()).expect("within the group"));
        remove(&mut blocks, &group, &mut Seen::default());
    }
    moves
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| b" \t\r\n".contains(byte)).filter(|word| !word.is_empty())
}

/// Reads an integer. No valid one is negative or large, so those need no value.
fn number(word: &[u8]) -> Option<usize> {
    let word = std::str::from_utf8(word).ok().filter(|word| !word.starts_with('+'))?;
    if word.starts_with('-') && word.len() > 1 && word[1..].bytes().all(|digit| digit == b'0') {
        return Some(0);
    }
    word.parse().ok().filter(|&value| value < 10_000)
}

fn letters(word: &[u8], most: usize) -> Option<Vec<char>> {
    let capitals = word.iter().all(u8::is_ascii_uppercase);
    (capitals && word.len() <= most).then(|| word.iter().map(|&byte| char::from(byte)).collect())
}

fn grid<'a>(words: &mut impl Iterator<Item = &'a [u8]>) -> Option<Blocks> {
    let count = number(words.next()?).filter(|count| (1..=50).contains(count))?;
    let rows = (0..count).map(|_| letters(words.next()?, 50)).collect::<Option<Vec<_>>>()?;
    if rows.iter().any(|row| row.len() != rows[0].len()) {
        return None;
    }
    let rows = rows.into_iter().enumerate();
    Some(rows.flat_map(|(r, row)| row.into_iter().enumerate().map(move |(c, block)| ((r, c), block))).collect())
}

/// Returns all groups, in an order that does not depend on the map's.
fn groups(blocks: &Blocks) -> Vec<BTreeSet<Cell>> {
    let mut loose: BTreeSet<Cell> = blocks.keys().copied().collect();
    let mut groups = Vec::new();
    while let Some(start) = loose.pop_first() {
        let (mut group, mut edge) = (BTreeSet::from([start]), vec![start]);
        while let Some((row, column)) = edge.pop() {
            let around =
                [(row + 1, column), (row.wrapping_sub(1), column), (row, column + 1), (row, column.wrapping_sub(1))];
            for near in around {
                if blocks.get(&near) == Some(&blocks[&start]) && loose.remove(&near) {
                    group.insert(near);
                    edge.push(near);
                }
            }
        }
        if group.len() > 1 {
            groups.push(group);
        }
    }
    groups
}

/// Removes a group and returns its points.
fn remove(blocks: &mut Blocks, group: &BTreeSet<Cell>, seen: &mut Seen) -> u64 {
    let floor = blocks.keys().map(|&(row, _)| row).max();
    let columns = |blocks: &Blocks| blocks.keys().map(|&(_, column)| column).collect::<BTreeSet<_>>();
    let before = columns(blocks);
    blocks.retain(|cell, _| !group.contains(cell));
    while let Some(&(row, column)) =
        blocks.keys().find(|&&(row, column)| Some(row) < floor && !blocks.contains_key(&(row + 1, column)))
    {
        let block = blocks.remove(&(row, column)).expect("it was listed");
        blocks.insert((row + 1, column), block);
    }
    let after = columns(blocks);
    let gone: Vec<usize> = before.difference(&after).copied().collect();
    seen.empty_columns += u64::from(gone.len() > 1);
    seen.parted_empty_columns += u64::from(gone.windows(2).any(|pair| pair[1] - pair[0] > 1));
    let shifted = blocks
        .drain()
        .map(|((row, column), block)| ((row, column - gone.iter().filter(|&&empty| empty < column).count()), block));
    *blocks = shifted.collect();
    (group.len() * (group.len() - 1) / 2) as u64
}
