"""``parametric``: δ as an exact function of one parameter; private for every value of it, or exactly where not."""

from __future__ import annotations

from ...cancel import interruptible
from ...cli import question as q
from ...cli.command import Exit, File, Reply, Session, Verb
from ...cli.options import Asked, switch, text, value
from ...numbers.fraction import as_probability
from .verb import parametric

OPEN = "the constant that is left open, and its open interval: u=0:1"
PARAMETER = text("--parameter", "NAME=A:B", OPEN).require("no parameter", "give --parameter u=0:1")
FORMULA = text("--exp-epsilon", "FORMULA", "e^ε: a number, or a formula in the parameter, 'u^-4'").require(
    "no e^ε", "give --exp-epsilon 'u^-4', or a number"
)
ALLOWED = value("--delta", "D", as_probability, "the δ that is allowed: does it hold for every value?")
MAXIMUM = switch("--maximum", explained="find the supremum of δ over the interval")
POINT = text("--at", "VALUE", "also find δ at one value, such as 'exp(-1/40)', certified")
PLOT = value("--plot", "FILE", q.plot_file, "draw δ over the interval to an .svg, .png or .pdf file")


def _parametric(asked: Asked, session: Session) -> Reply:
    """The answer for every value; 1 if what is allowed is violated at some."""
    source = asked[q.MODEL]
    with session.work(asked[q.TIMEOUT]) as cancel, interruptible(cancel):
        found = parametric(
            source,
            parameter=asked[PARAMETER],
            exp_epsilon=asked[FORMULA],
            delta=asked[ALLOWED],
            maximum=asked[MAXIMUM],
            curve=asked[PLOT] is not None,
            at=asked[POINT],
            pairs=[(s, t) for s, t in asked[q.PAIR]] or None,
            secrets=q.read_secrets(asked, cancel),
            neighbours=asked[q.NEIGHBOURS],
            constants=q.read_constants(source, asked[q.CONSTANTS]),
            max_nodes=asked[q.MAX_NODES],
            cancel=cancel,
            check=not asked[q.NO_CHECK],
        )
    own = [q.certificate_file(asked, found, asked[q.CERTIFICATE])]
    if found.against and q.names_program_alone(asked):
        from ..integers.command import files_of  # the pair was found among all integers

        own = files_of(asked, found, q.CERTIFICATE, found.against)
    files: list[File] = [*own, *([] if found.searched else [(asked[PLOT], found.plot)])]
    return Reply(result=found, code=Exit.VIOLATED if found.violated else Exit.DONE, files=files)


PARAMETRIC = Verb(
    "parametric",
    """
deltachain parametric svt.py:above --parameter u=0:1 --exp-epsilon 'u^-4' --delta 0 \\
    --secret 'q=(0, 1)' --secret 'q=(1, 0)'
deltachain parametric svt.py:above --parameter u=0:1 --exp-epsilon 'u^-4' --delta 0 \\
    --secrets 'q=[(a, b) for a in range(2) for b in range(2)]' --certificate proof.json
deltachain parametric model.json --parameter x=0:1/2 --exp-epsilon 3/2 --maximum --plot delta.svg
""",
    (
        *(q.MODEL, q.CONSTANTS, q.SECRET, q.SECRETS, q.PAIR, q.NEIGHBOURS, PARAMETER, FORMULA, ALLOWED, MAXIMUM, POINT),
        *(PLOT, q.CERTIFICATE, q.NO_CHECK, q.TIMEOUT, q.MAX_NODES),
    ),
    _parametric,
    (q.check_files(q.CERTIFICATE, PLOT),),
)
