"""``examples``: the models that come with the package."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from ..cli.command import BRIEF, Reply, Session, Shown, Verb
from ..cli.options import Asked, positional
from ..errors import Defect, InputError
from ..examples import catalogue
from ..results.sections import Fields, Paragraph, Section, Table

if TYPE_CHECKING:
    from ..examples import Example

NAME = positional("NAME", "show this one in detail", optional=True)


def _examples(asked: Asked, _session: Session) -> Reply:
    """The catalogue, or one entry of it."""
    zoo = catalogue()
    name: str | None = asked[NAME]
    if name is not None:
        zoo = (_choose(zoo, name.removeprefix("example:").partition(",")[0]),)
    entries = [{"name": e.name, "parameters": dict(e.parameters), "summary": e.summary} for e in zoo]
    sections: list[Section]
    if name is None:
        rows = [[e.name, ",".join(f"{key}={given}" for key, given in e.parameters), e.summary] for e in zoo]
        line = "\n".join(e.name for e in zoo) if asked[BRIEF] else ""
        sections = [Table(("example", "parameters and defaults", "what it models"), rows)]
    else:
        line, sections = f"{zoo[0].name}: {zoo[0].summary}", _describe(zoo[0])
    return Reply(result=Shown(line, {"examples": entries}, lambda: sections))


def _choose(zoo: tuple[Example, ...], name: str) -> Example:
    for example in zoo:
        if example.name == name:
            return example
    raise InputError(Defect(f"example {name!r}", "there is none", f"examples are {', '.join(e.name for e in zoo)}"))


def _describe(example: Example) -> list[Section]:
    """Its parameters, what its builder says of it, and its size as it comes."""
    chain = example.build()
    settings = ",".join(f"{key}={given}" for key, given in example.parameters)
    asked = len({name for names in chain.inputs.values() for name in names})
    inputs = f", {asked} inputs" if asked else ""
    rows = [
        ("as it comes", f"example:{example.name}" + (f",{settings}" if settings else "")),
        ("size", f"{len(chain)} states, {chain.transitions} transitions, {len(chain.alphabet)} labels{inputs}"),
        ("try", f"deltachain delta example:{example.name} --epsilon 0.1"),
    ]
    described = inspect.getdoc(example.build) or ""
    return [Fields(rows), Paragraph(described.partition("\n>>>")[0].strip())]


EXAMPLES = Verb(
    "examples",
    """
deltachain examples
deltachain examples dining-cryptographers
deltachain info example:dining-cryptographers,n=3,p=49/100
""",
    (NAME,),
    _examples,
)
