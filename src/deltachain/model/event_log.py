"""Event logs as counts: one row per run, what was secret in it and what came out; for traces, a tree of prefixes.

The confidence of a model from counts is honest only if rows and targets were declared before the data were seen
(`model.counts` says why). So nothing is learned from the log here but numbers: the secrets and the outputs are given.
An output that is not among them counts as `rest`; a run whose secret is not among them belongs to no row, and is left
out.

A trace is a sequence of outputs. Up to a depth D, every prefix of declared outputs that is shorter than D is a state,
and its row counts the outputs that came next: nothing is assumed about memory. All these rows are declared, seen or
not, and share the error. A trace that ends before D says nothing about what would have come: it is cut off there,
unless the end is an output of its own. That is right if where a trace was cut off does not depend on what would have
come next.

Runs are taken as independent. A log with several runs of one user does not satisfy that: where a column names the
user, one who occurs twice is refused, or counts with the first run alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from ..errors import Defect, FormatError, InputError

if TYPE_CHECKING:
    from ..proportions import Totals

MAX_ROWS = 20_000
"""Rows of counts that a log may become: the error is divided among them, so that more would say nothing."""
MAX_FAULTS = 1000
OTHER = "other"
"""The target that is not declared: no state is called so."""


@dataclass(frozen=True, slots=True)
class LogDeclaration:
    """What was known of a log before it was seen.

    Attributes:
        secrets: the values of the secret that are compared; each begins a row.
        outputs: what may come out, as far as it is given limits of its own.
        depth: how many outputs of a trace are kept; None: a run has one output.
        end: the output that stands for the end of a trace; None: a trace that ends is cut off.
        complete: whether nothing but the outputs declared is possible.
        first_run: whether a user's later runs are left out; otherwise they are refused.
        totals: ``"fixed"`` if the number of runs of each secret was decided in advance.
    """

    secrets: tuple[str, ...]
    outputs: tuple[str, ...]
    depth: int | None = None
    end: str | None = None
    complete: bool = False
    first_run: bool = False
    totals: Totals = "random"

    def check(self) -> None:
        """InputError with everything that is wrong with it."""
        if defects := list(self._defects()):
            raise InputError(defects)

    def _defects(self) -> Iterator[Defect]:
        for name, values, least in (("--secrets", self.secrets, 2), ("--outputs", self.outputs, 1)):
            if len(values) < least:
                yield Defect(name, f"{least} are needed, found {len(values)}", "declare those that are possible")
            for value, times in Counter(values).items():
                if times > 1:
                    yield Defect(name, f"{value!r} is declared {times} times", "declare it once")
                if not value:
                    yield Defect(name, "one of them is empty", "give each a name")
        if self.end is not None and not self.end.strip():
            yield Defect("--end", "it is empty", "give the end of a trace a name, such as stop")
        if self.end is not None and self.end in self.outputs:
            yield Defect("--end", f"{self.end!r} is among the outputs", "leave it out there: it ends a trace")
        if self.end is not None and self.depth is None:
            yield Defect("--end", "a run of one output has no end", "add --depth D, or drop it")
        if self.depth is None:
            return
        for value in self.outputs if self.end is None else (*self.outputs, self.end):
            if len(value.split()) > 1:
                yield Defect("--outputs", f"{value!r} has blanks, which separate the outputs of a trace", "rename it")
        if self.rows > MAX_ROWS:
            what = f"{self.rows:,} rows: every prefix of each secret has one, and they share the error"
            yield Defect("--depth", what, f"at most {MAX_ROWS:,}: give a smaller depth, or fewer outputs")

    @property
    def rows(self) -> int:
        """How many rows are declared: the prefixes of every secret."""
        steps = 1 if self.depth is None else self.depth
        return len(self.secrets) * sum(int(len(self.outputs) ** length) for length in range(steps))


@dataclass(frozen=True, slots=True)
class CountedLog:
    """What a log says of what was declared.

    Attributes:
        declared: what was declared.
        counts: by secret and prefix, how often each output came next; undeclared ones as `OTHER`.
        runs: the rows of the log.
        counted: those that were counted: of a secret that was declared, and not of a user who had one before.
        other_secrets: rows left out because their secret was not declared.
        later_runs: rows left out because their user had an earlier one.
        other_outputs: outputs that were not declared, and count as `rest`.
        cut_off: traces that end before the depth, without an output for the end.
        by_user: whether a column names users.
    """

    declared: LogDeclaration
    counts: dict[tuple[str, tuple[str, ...]], Counter[str]]
    runs: int
    counted: int
    other_secrets: int
    later_runs: int
    other_outputs: int
    cut_off: int
    by_user: bool

    def assumptions(self) -> list[str]:
        """What must be true of the log for the confidence to be."""
        rows = (
            "users are independent of each other" if self.by_user else "rows of the log are independent of each other"
        )
        found = [rows, "secrets and outputs were declared before the log was seen"]
        if self.cut_off:
            found.append("where a trace is cut off does not depend on what would have come next")
        if self.declared.complete:
            found.append("nothing but the declared outputs is possible")
        if self.declared.totals == "fixed":
            found.append("the number of rows of each secret was decided in advance")
        return found

    def list_missing(self) -> list[str]:
        """The secrets that no row has: the log says nothing of them."""
        return [secret for secret in self.declared.secrets if (secret, ()) not in self.counts]

    def document(self, confidence: str, names: tuple[str, str]) -> dict[str, Any]:
        """The model in the native format; ``names`` are the columns, and begin the names of its states."""
        secret_name, output_name = names
        declared = self.declared
        ends = () if declared.end is None else (declared.end,)
        depth = 1 if declared.depth is None else declared.depth
        states: dict[str, Any] = {}
        for secret in declared.secrets:
            for prefix in (p for length in range(depth) for p in product(declared.outputs, repeat=length)):
                name = _name(secret_name, secret, prefix)
                _refuse_twice(name, states)
                states[name] = self._row(secret, prefix, names)
        for output in (*declared.outputs, *ends):
            name = f"{output_name}={output}"
            _refuse_twice(name, states)
            states[name] = {"label": output, "to": {name: 1}}
        pairs = [[f"{secret_name}={s}", f"{secret_name}={t}"] for s, t in combinations(declared.secrets, 2)]
        head = {"format": "deltachain.chain/1", "confidence": confidence, "totals": declared.totals}
        return head | {"states": states, "relation": pairs}

    def _row(self, secret: str, prefix: tuple[str, ...], names: tuple[str, str]) -> dict[str, Any]:
        """The row of a state: steps by target, the targets that were declared, and what else is possible."""
        secret_name, output_name = names
        declared = self.declared
        last = declared.depth is None or len(prefix) == declared.depth - 1
        targets = {
            output: f"{output_name}={output}" if last else _name(secret_name, secret, (*prefix, output))
            for output in declared.outputs
        }
        if declared.end is not None:
            targets[declared.end] = f"{output_name}={declared.end}"
        found = self.counts.get((secret, prefix), Counter())
        counts = {state: found[output] for output, state in targets.items()}
        if found[OTHER]:
            counts[OTHER] = found[OTHER]
        row = {"label": prefix[-1] if prefix else "start", "counts": counts, "targets": list(targets.values())}
        return row | ({"rest": 0} if declared.complete else {})


def _refuse_twice(name: str, states: dict[str, Any]) -> None:
    """InputError if a state has this name already: its row would be lost."""
    if name in states:
        raise InputError(
            Defect("LOG", f"two states would be called {name!r}", "rename a column, a secret or an output")
        )


def _name(column: str, secret: str, prefix: Sequence[str]) -> str:
    """A state's name: what was seen, and the secret."""
    return f"{' '.join(prefix)} after {column}={secret}" if prefix else f"{column}={secret}"


def count_log(
    records: Iterable[tuple[int, list[str]]],
    declared: LogDeclaration,
    *,
    source: str,
    secret: str = "secret",  # noqa: S107 - the name of a column
    output: str = "output",
    user: str | None = None,
) -> CountedLog:
    """Count the rows of a log, whose first record names the columns; each record comes with its line.

    Raises:
        InputError: Everything that is wrong with what was declared.
        FormatError: Every line that cannot be counted; columns that are not there; users with several runs.

    >>> rows = enumerate([["secret", "output"], ["a", "heads"], ["b", "tails"], ["a", "edge"]], 1)
    >>> log = count_log(rows, LogDeclaration(("a", "b"), ("heads", "tails")), source="log.csv")
    >>> log.counts[("a", ())]["heads"], log.other_outputs
    (1, 1)
    """
    declared.check()
    counting = _Counting(declared, source, by_user=user is not None)
    remaining = iter(records)
    columns = counting.header(
        next(((line, cells) for line, cells in remaining if any(cells)), None), secret, output, user
    )
    for line, cells in remaining:
        if any(cell.strip() for cell in cells):
            counting.add(line, cells, columns)
    return counting.result()


class _Counting:
    """The counts of a log, filled line by line, with what is wrong so far."""

    def __init__(self, declared: LogDeclaration, source: str, *, by_user: bool) -> None:
        self.declared, self.source, self.by_user = declared, source, by_user
        self.known = frozenset(declared.outputs)
        self.counts: dict[tuple[str, tuple[str, ...]], Counter[str]] = {}
        self.users: dict[str, int] = {}  # user → the line of the first run
        self.defects: list[Defect] = []
        self.width = self.first_other = 0
        self.runs = self.counted = self.other_secrets = self.later_runs = self.other_outputs = self.cut_off = 0

    def header(
        self, first: tuple[int, list[str]] | None, secret: str, output: str, user: str | None
    ) -> tuple[int, int, int | None]:
        """Where the columns are; FormatError unless the first line names them."""
        if first is None:
            raise FormatError(Defect(self.source, "it is empty", f"begin with a line '{secret},{output}'"))
        line, cells = first
        names = [cell.strip() for cell in cells]
        self.width = len(names)
        wanted = [
            ("--secret-column", secret),
            ("--output-column", output),
            *([("--user", user)] if user is not None else []),
        ]
        for setting, name in wanted:
            if names.count(name) != 1:
                times = "there is no column" if name not in names else "there are several columns"
                fix = f"the first line names the columns: {', '.join(map(repr, names[:10]))}; choose with {setting}"
                self.defects.append(Defect(f"{self.source}:{line}", f"{times} {name!r}", fix))
        for name, uses in Counter(name for _, name in wanted).items():
            if uses > 1:
                what = f"column {name!r} is named {uses} times"
                fix = f"secret, output and user need a column each: {', '.join(setting for setting, _ in wanted)}"
                self.defects.append(Defect(f"{self.source}:{line}", what, fix))
        if self.defects:
            raise FormatError(self.defects)
        return names.index(secret), names.index(output), None if user is None else names.index(user)

    def add(self, line: int, cells: list[str], columns: tuple[int, int, int | None]) -> None:
        """Count a run."""
        if len(cells) != self.width:
            fix = "quote a cell that has a comma in it"
            self._wrong(line, f"expected {self.width} cells, found {len(cells)}", fix)
            return
        self.runs += 1
        where_secret, where_output, where_user = columns
        if where_user is not None and not self._first_run(line, cells[where_user].strip()):
            return
        secret, seen = cells[where_secret].strip(), cells[where_output].strip()
        if secret not in self.declared.secrets:
            self.other_secrets += 1
            return
        self.counted += 1
        if self.declared.depth is None:
            if not seen:
                self._wrong(line, "it has no output", "write what was seen, such as 'none'; a blank is not an output")
                return
            self._step(line, secret, (), seen)
            return
        self._trace(line, secret, seen.split(), self.declared.depth)

    def _trace(self, line: int, secret: str, letters: list[str], depth: int) -> None:
        """Count the steps of a trace, up to the first that was not declared."""
        for place, letter in enumerate(letters[:depth]):
            if letter == self.declared.end:
                self._wrong(line, f"{letter!r} occurs in the trace, and stands for its end", "choose another end")
                return
            if not self._step(line, secret, tuple(letters[:place]), letter):
                return
        if len(letters) < depth:
            if self.declared.end is None:
                self.cut_off += 1
            else:
                self._step(line, secret, tuple(letters), self.declared.end)

    def _step(self, line: int, secret: str, prefix: tuple[str, ...], letter: str) -> bool:
        """Count one output; whether it was declared."""
        known = letter in self.known or letter == self.declared.end
        self.counts.setdefault((secret, prefix), Counter())[letter if known else OTHER] += 1
        if not known:
            self.other_outputs += 1
            self.first_other = self.first_other or line
        return known

    def _first_run(self, line: int, user: str) -> bool:
        """Whether the run counts as far as its user is concerned."""
        if not user:
            self._wrong(line, "it names no user", "name one in each row, or drop --user if rows are independent")
            return False
        earlier = self.users.setdefault(user, line)
        if earlier == line:
            return True
        self.later_runs += 1
        if not self.declared.first_run:
            fix = "runs of one user are not independent: keep one of each, or count the first with --first-run"
            self._wrong(line, f"user {user[:40]!r} occurs again, first in line {earlier}", fix)
        return False

    def _wrong(self, line: int, what: str, fix: str) -> None:
        self.defects.append(Defect(f"{self.source}:{line}", what, fix))
        if len(self.defects) >= MAX_FAULTS:
            raise FormatError(self.defects)

    def result(self) -> CountedLog:
        """What was counted; FormatError with everything that was wrong."""
        if self.declared.complete and self.other_outputs:
            many = "1 output was" if self.other_outputs == 1 else f"{self.other_outputs:,} outputs were"
            what = f"{many} not declared, the first in line {self.first_other}"
            self.defects.append(Defect(self.source, what, "declare them with --outputs, or drop --complete"))
        if not self.runs and not self.defects:
            self.defects.append(Defect(self.source, "it has no rows", "give one line per run below the first"))
        if self.defects:
            raise FormatError(self.defects)
        return CountedLog(
            self.declared,
            self.counts,
            self.runs,
            self.counted,
            self.other_secrets,
            self.later_runs,
            self.other_outputs,
            self.cut_off,
            self.by_user,
        )
