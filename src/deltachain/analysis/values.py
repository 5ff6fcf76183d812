"""What results have in common: they are values, and what proves them is private and made when it is asked for.

A proof as the engine holds it (belief graphs, policies) does not travel. Pickling a result therefore makes what
the proof is good for (the certificate, the witness) and leaves the engine behind: a result never loses its proof.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from ..errors import DeltachainError

Proof = TypeVar("Proof")


class ProvedValue:
    """A frozen dataclass with a field ``_proof``, and cached properties that are made from it, named by ``PROVED``."""

    PROVED: ClassVar[tuple[str, ...]] = ()

    def __getstate__(self) -> dict[str, Any]:
        for name in self.PROVED:
            getattr(self, name)
        return self.__dict__ | {"_proof": None}

    def _found(self, proof: Proof | None) -> Proof:
        if proof is None:
            raise DeltachainError("this result was built without its proof")
        return proof
