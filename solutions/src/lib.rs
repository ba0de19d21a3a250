//! Programs that play the games: one module per problem, an independent reading of the rules.
#![forbid(unsafe_code)]
