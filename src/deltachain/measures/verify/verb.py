"""`verify`: whether a certificate proves what it claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...certificate.claims import Claim
from ...certificate.families import is_about_integers, open_parameter, require_claimed_everywhere, verify_everywhere
from ...certificate.formal import verify_formally
from ...certificate.verification import OURS, AnyCertificate, Seen, parse_document, require_claimed
from ...certificate.views import require_sides, sandwich_of
from ...loading import load_with_notes
from ...parameters import Neighbours, Secrets, accept_spellings
from ...programs.secrets.domains import Domain
from ...settings import Settings
from .. import integers
from ..parametric.verb import loaded_open

if TYPE_CHECKING:
    from ...loading import AnyModel
    from ...model import Chain
    from ...model.sandwich import Sandwich


@accept_spellings
def verify(
    model: AnyModel,
    certificate: AnyCertificate,
    *,
    secrets: Secrets | None = None,
    neighbours: Neighbours | None = None,
    constants: Mapping[str, object] | None = None,
    formal: bool = False,
) -> list[Claim]:
    """The claims of a certificate, all of them proved about the model: values, and sentences as text.

    Args:
        model: a chain, or what `load` takes.
        certificate: a certificate, its document, or the file of one.
        secrets: the inputs of a program.
        neighbours: which of them are to be compared, as in `load`. Where it is given, or a whole ``domain(q=…)`` of
            secrets, every pair of the domain must be claimed; by a certificate about every value of a parameter, if it
            bounds δ from above at all: one pair is enough to refute.
        constants: values of the constants of a program.
        formal: use the checker extracted from the proofs in formal/ (`make formal` builds it).

    Raises:
        CertificateRejected: it does not prove what it claims, or does not claim a pair of the domain.
        InputError: a file that does not exist (also a FileNotFoundError), or the formal checker is not built.

    >>> import deltachain as dc
    >>> chain = dc.examples.coin()
    >>> [claim] = verify(chain, dc.delta(chain, exp_epsilon=1).certificate)
    >>> claim.measure, claim.subject, claim.upper
    ('delta', ('s0', 's1'), Fraction(1, 5))
    >>> print(claim)
    delta of (s0, s1) = 1/5 at exp_epsilon 1
    """
    whole = neighbours is not None or isinstance(secrets, Domain)
    document = parse_document(certificate)
    if is_about_integers(document):
        settings = Settings(secrets=secrets, neighbours=neighbours, constants=constants or {})
        return integers.verify_integers(model, settings, document, formal=formal)
    interval = open_parameter(document)
    if interval is None:
        settings = Settings(secrets=secrets, neighbours=neighbours, constants=constants or {}, sandwiched=True)
        chain, sandwich = _chain_of(model, settings, document)
        claims = (verify_formally if formal else OURS)(Seen(chain), document)
        if sandwich is not None:
            require_sides(sandwich, document, claims)
    else:
        settings = Settings(secrets=secrets, neighbours=neighbours, constants=constants or {})
        chain = loaded_open(model, interval, settings).chain
        claims = verify_everywhere(chain, document, interval, formal=formal)
    if whole:
        if interval is None:
            require_claimed(chain, claims)
        else:
            require_claimed_everywhere(chain, claims, interval)
    return claims


def _chain_of(model: AnyModel, settings: Settings, document: Any) -> tuple[Chain, Sandwich | None]:
    """The chain that the certificate is about: of a sandwich, or of the program itself.

    Pairs that are translates of others are left out, unless the certificate is about the chain with all of them.
    """
    loaded = load_with_notes(model, settings)
    sandwich = sandwich_of(loaded.chain, document)
    if sandwich is not None:
        return sandwich.fine, sandwich
    if loaded.chain.sandwiches is not None:
        loaded = load_with_notes(model, replace(settings, sandwiched=False))
    about = document.get("model") if isinstance(document, dict) else None
    if loaded.copies and about not in (None, loaded.chain.sha256):
        return _chain_of(model, replace(settings, every_pair=True), document)
    return loaded.chain, None
