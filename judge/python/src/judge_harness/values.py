"""The results of evaluations. Scores are exact: `int`, or `Decimal` if they have decimals."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Mapping, Optional, Union

from .errors import JudgeFault

#: A score, exactly as the checker printed it.
Score = Union[int, Decimal]

ACCEPTED = "accepted"


@dataclass(frozen=True)
class Case:
    """One case of an evaluation."""

    name: str
    verdict: str
    score: Optional[Score] = None
    points: Optional[Score] = None
    cpu_ms: Optional[float] = None
    wall_ms: Optional[float] = None
    memory_bytes: Optional[int] = None
    #: Why it is not accepted, if the checker or the system gives a reason.
    reason: Optional[str] = None
    #: The whole record, as in `judge run --json`.
    record: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def accepted(self) -> bool:
        """Whether the answer is accepted."""
        return self.verdict == ACCEPTED

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Case:
        """Returns the case from a record."""
        return cls(
            name=record["case"],
            verdict=record["verdict"],
            score=record.get("score"),
            points=record.get("points"),
            cpu_ms=_float(record.get("cpu_ms")),
            wall_ms=_float(record.get("wall_ms")),
            memory_bytes=record.get("memory_bytes"),
            reason=record.get("note"),
            record=record,
        )


@dataclass(frozen=True)
class Effect:
    """The comparison of the candidate with another one while it ran."""

    #: The id of the other candidate.
    against: str
    #: `better`, `worse`, `not-better`, `smaller`, `equal` or `undecided`.
    claim: str
    #: The mean effect and its interval, above 0 if the candidate is better.
    effect: Optional[float]
    low: Optional[float]
    high: Optional[float]
    #: The measure, as for `judge compare --measure`.
    measure: str
    #: The number of compared cases.
    cases: int

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Effect:
        """Returns the effect from a `comparison`."""
        return cls(
            against=document["against"],
            claim=document["claim"],
            effect=_float(document.get("effect")),
            low=_float(document.get("low")),
            high=_float(document.get("high")),
            measure=document.get("measure", ""),
            cases=document.get("cases", 0),
        )


@dataclass(frozen=True)
class Evaluation:
    """A candidate on cases. If it `stopped_early`, `total` and `mean` cover the cases that were played."""

    #: `accepted` if all cases are, else the most frequent failure.
    verdict: str
    #: By the problem's scoring rule. `None` if the rule gives none.
    total: Optional[Score]
    mean: Optional[Score]
    #: The number of cases that are not accepted.
    failures: int
    cases: tuple[Case, ...] = ()
    #: Whether the comparison with `against` ended it before the last case.
    stopped_early: bool = False
    #: The number of cases that were run: 0 if all results were cached.
    runs: int = 0
    #: The id of the candidate, for `against`. Equal programs have equal ids.
    candidate: Optional[str] = None
    #: Whether it is now this server's best candidate on these cases.
    is_best: bool = False
    #: The comparison with `against`, if any.
    effect: Optional[Effect] = None
    #: The number of the run in the journal, if there is one.
    run: Optional[int] = None
    #: The index of the candidate in the argument of `evaluate_many`, from 0.
    index: Optional[int] = field(default=None, compare=False)
    #: The whole result, as the server sent it.
    document: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def accepted(self) -> bool:
        """Whether every case is accepted."""
        return self.verdict == ACCEPTED

    def feedback(self) -> str:
        """Returns text for a person or a model: verdict, worst cases with their reasons, compiler messages."""
        return str(self.document.get("feedback", ""))

    @classmethod
    def of(cls, document: Any, index: Optional[int] = None) -> Evaluation:
        """Returns the evaluation from a result of the server."""
        if not isinstance(document, Mapping):
            raise JudgeFault(f"expected the result of an evaluation, found {str(document)[:100]}")
        failures = int(document.get("failures", 0))
        # A sealed result only has the total and the number of failures.
        solver_verdict = ACCEPTED if failures == 0 else "rejected"
        sealed_verdict = "judge-error" if document.get("judge_errors") else solver_verdict
        comparison = document.get("comparison")
        return cls(
            verdict=document.get("verdict", sealed_verdict),
            total=document.get("total"),
            mean=document.get("mean"),
            failures=failures,
            cases=tuple(map(Case.of, document.get("cases", ()))),
            stopped_early=bool(document.get("stopped_early", False)),
            runs=document.get("runs", 0),
            candidate=document.get("candidate"),
            is_best=bool(document.get("is_best", False)),
            effect=Effect.of(comparison) if comparison else None,
            run=document.get("run"),
            index=index,
            document=document,
        )

    def _repr_html_(self) -> str:
        """Returns a table for notebooks."""
        heads = ("case", "verdict", "score", "points", "CPU ms", "memory MiB", "reason")
        rows = [
            (
                case.name,
                case.verdict,
                digits(case.score),
                digits(case.points),
                "" if case.cpu_ms is None else f"{case.cpu_ms:.1f}",
                "" if case.memory_bytes is None else f"{case.memory_bytes / (1 << 20):.1f}",
                case.reason or "",
            )
            for case in self.cases
        ]
        return (
            f"<p><b>{html.escape(self.verdict)}</b>, total {digits(self.total) or 'unknown'}"
            f"{', stopped early' if self.stopped_early else ''}</p>"
            f"<table><thead>{_row('th', heads)}</thead><tbody>{''.join(_row('td', row) for row in rows)}</tbody></table>"
        )


@dataclass(frozen=True)
class Comparison:
    """Two candidates on the same cases. The effect is above 0 if `b` is better."""

    #: `better` if `b` is, `worse`, `smaller` than `min_effect`, `equal`, `undecided` or `too-few-cases`.
    claim: str
    #: The claim in words, with its certainty and its scope.
    text: str
    #: The mean effect and its interval.
    effect: Optional[float]
    low: Optional[float]
    high: Optional[float]
    #: The number of cases with results of both.
    cases: int
    #: The whole document, as in `judge compare --json`.
    document: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, document: Any) -> Comparison:
        """Returns the comparison from a document."""
        if not isinstance(document, Mapping) or not document.get("comparisons"):
            raise JudgeFault(f"expected the result of a comparison, found {str(document)[:100]}")
        record = document["comparisons"][0]
        interval = record.get("interval") or {}
        return cls(
            claim=record["claim"],
            text=record["verdict"],
            effect=_float((record.get("effect") or {}).get("mean")),
            low=_float(interval.get("low")),
            high=_float(interval.get("high")),
            cases=record["cases"],
            document=document,
        )


def digits(score: Optional[Score]) -> str:
    """Returns all digits of a score, or an empty text for `None`."""
    if score is None:
        return ""
    # str() of an int refuses more than 4,300 digits, str() of a Decimal does not.
    return str(Decimal(score)) if isinstance(score, int) else format(score, "f")


def _float(value: Any) -> Optional[float]:
    return None if value is None else float(value)


def _row(tag: str, values: tuple[str, ...]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(value)}</{tag}>" for value in values) + "</tr>"
