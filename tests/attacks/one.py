"""Ask about one attack, as a user's script would, and write the outcome: ``python -m tests.attacks.one NAME FILE``."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.attacks.collection import Attack, attacks


def ask(attack: Attack) -> dict[str, Any]:
    """The outcome in one word, with what was said."""
    import deltachain as dc
    from deltachain.errors import InputError, InternalError, Stopped

    options = {**attack.options, "timeout": attack.limit}
    try:
        chain = dc.from_code(attack.function, list(attack.secrets), **options)
        found = dc.check(chain, epsilon=attack.epsilon, delta=attack.delta, timeout=30)
        interval = dc.delta(chain, epsilon=attack.epsilon, timeout=30) if attack.truth is not None else None
    except dc.code.CodeRefused as refusal:
        return _without("refused", refusal)
    except Stopped as stop:
        return _without("stopped", stop)
    except InternalError as mistake:
        return _without("mistake", mistake)
    except InputError as refusal:
        return _without("refused", refusal)
    except BaseException as error:
        return _without("raised", error)
    answer: dict[str, Any] = {
        "outcome": found.verdict,
        "said": str(found),
        "assumes": list(getattr(found, "assumes", ())),
    }
    if interval is not None:
        answer |= {"lower": float(interval.lower), "upper": float(interval.upper)}
    return answer


def _without(outcome: str, error: BaseException) -> dict[str, Any]:
    return {"outcome": outcome, "said": f"{type(error).__name__}: {error}"}


def main() -> None:
    name, file = sys.argv[1:]
    me = os.getpid()
    (attack,) = [each for each in attacks(name.partition(":")[0]) if each.name == name]
    text = json.dumps(ask(attack))
    if os.getpid() == me:
        Path(file).write_text(text)
        os._exit(0)
    os._exit(99)


if __name__ == "__main__":
    main()
