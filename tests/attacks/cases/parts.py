"""`dc.each`: parts that touch one another, code that looks into them, keys that only one input has."""

import contextvars
import copy
import functools
import itertools
import json

import deltachain as dc
from tests.attacks.collection import assumed, honest, law

SEEN = contextvars.ContextVar("seen", default=0)


def both(secret):
    """Two counts, one of which is the secret's."""
    return {"a": 1, "b": 1 + secret}


def some(secret):
    """A key that is there for one secret only."""
    return {"a": 1, "b": 4} if secret else {"a": 1}


def odds(_, count):
    return dc.flip(f"{count}/10")


def maybe(_, count):
    return count if dc.flip("1/3") else None


# Honest ones.


@honest(0.1, delta="0.2")
def flips(secret):
    return dc.each(both(secret), odds)


@honest(1 / 3, delta="0.4")
def keys_of_one_input(secret):
    return dc.each(some(secret), maybe, skip_none=True)


@honest(0.26894142137, delta="0.4", epsilon=1)
def threshold(secret):
    def noisy(_, count):
        found = count + dc.discrete_laplace(1)
        return found if found >= 5 else None

    return dc.each(some(secret), noisy, skip_none=True)


@honest(0.1, delta="0.4")
def announced_inside(secret):
    def tell(key, count):
        if dc.flip(f"{count}/10"):
            dc.announce(key)

    dc.each(both(secret), tell)


@honest(0.1, delta="0.2")
def beside_a_draw(secret):
    return {"on": dc.flip("1/2"), "counts": dc.each(both(secret), odds)}


@honest(0.1, delta="0.2")
def after_a_draw(secret):
    turn = dc.flip("1/2")
    return dc.each(both(secret), lambda _, count: dc.flip(f"{count + turn}/10"))


@honest(0.1, delta="0.2")
def two_calls(secret):
    first = dc.each(both(secret), odds)
    return [dc.each([1, 2], lambda count: dc.flip(f"{count}/10")), first]


@honest(0.1, delta="0.2")
def nested(secret):
    return dc.each([[1, 2], [3, 1 + secret]], lambda row: dc.each(row, lambda count: dc.flip(f"{count}/10")))


@honest(0.1, delta="0.4")
def an_error_that_is_caught(secret):
    def part(_, count):
        try:
            if dc.flip(f"{count}/10"):
                raise ValueError
        except ValueError:
            return "error"
        return count > 5

    return dc.each(both(secret), part)


# Parts that touch one another.


@law(0.1)
def a_shared_list(secret):
    seen = []

    def part(_, count):
        seen.append(dc.flip(f"{count}/10"))
        return sum(seen)

    return dc.each(both(secret), part)


@law(0.1)
def the_part_before(secret):
    last = [None]

    def part(_, count):
        before, last[0] = last[0], dc.flip(f"{count}/10")
        return before

    return dc.each([*both(secret).items(), ("c", 1)], lambda item: part(*item))


@law(0.17000340157)
def noise_of_the_part_before(secret):
    box = []

    def part(_, count):
        box.append(count + dc.discrete_laplace(1))
        return box[0] >= 2

    return dc.each({"b": secret, "a": 1}, part)


@law(0.46211715726)
def noise_of_outside(secret):
    noise = dc.discrete_laplace(1)
    return dc.each(both(secret), lambda _, count: count + noise >= 2)


@law(0.46211715726)
def noise_used_outside(secret):
    box = []
    dc.each(both(secret), lambda _, count: box.append(count + dc.discrete_laplace(1)))
    return box[1] >= 2


@law(0.1)
def a_list_that_outlives_the_parts(secret):
    seen = []
    dc.each(both(secret), lambda _, count: seen.append(dc.flip(f"{count}/10")))
    return list(seen)


@law(0.1)
def a_counter(secret):
    turn = itertools.count()
    return dc.each(both(secret), lambda _, count: dc.flip(f"{count}/10") and next(turn))


@law(0.1)
def a_generator(secret):
    def turns():
        yield from (dc.flip("1/3") for _ in range(9))

    turn = turns()
    return dc.each(both(secret), lambda _, count: next(turn) if dc.flip(f"{count}/10") else None)


@law(0.1)
def a_default_argument(secret):
    def part(item, seen=None, memory=[]):  # noqa: B006
        del seen
        memory.append(dc.flip(f"{item}/10"))
        found = sum(memory)
        if len(memory) == 2:
            memory.clear()
        return found

    return dc.each([1, 1 + secret], part)


@law(0.1)
def an_attribute_of_the_function(secret):
    def part(count):
        part.last = dc.flip(f"{count}/10") ^ part.last
        return part.last

    part.last = False
    return dc.each([1, 1 + secret], part)


@law(0.1)
def an_object(secret):
    class Total:
        def __init__(self):
            self.sum = 0

        def add(self, count):
            self.sum += dc.flip(f"{count}/10")
            return self.sum

    return dc.each([1, 1 + secret, 1], Total().add)


@law(0.1)
def a_context_variable(secret):
    SEEN.set(0)

    def part(count):
        SEEN.set(SEEN.get() + dc.flip(f"{count}/10"))
        return SEEN.get()

    found = dc.each([1, 1 + secret], part)
    SEEN.set(0)
    return found


@law(0.1)
def the_item_of_another_part(secret):
    rows = [[1], [1 + secret]]
    rows[0].append(rows[1])

    def part(row):
        found = dc.flip(f"{row[0]}/10")
        row[-1:] = [found]
        return found

    return dc.each([rows[0], rows[0], rows[1]], part)


@law(0.26)
def a_cache(secret):
    @functools.lru_cache
    def drawn(number):
        return dc.flip(f"{number}/10")

    return dc.each([1, 1, 1 + secret], drawn)


@law(0.01, "`is` tells one list in two places from two equal ones", enumerable=False)
def one_list_twice(secret):
    kept = [1]
    return dc.each([1, 1 + secret], lambda count: kept if dc.flip(f"{count}/10") else [1])


@law(0.09)
def raises_in_one_part(secret):
    def part(key, count):
        if dc.flip(f"{count}/10"):
            raise ValueError(key)
        return count > 5

    try:
        return dc.each(both(secret), part)
    except ValueError as error:
        return str(error)


@law(0.1)
def draws_for_its_items(secret):
    items = ((key, count + dc.flip("1/2")) for key, count in both(secret).items())
    return dc.each(items, lambda item: dc.flip(f"{item[1]}/10"))


@law(0.1)
def announces_and_returns(secret):
    def part(key, count):
        dc.announce(key)
        return dc.flip(f"{count}/10")

    return dc.each(both(secret), part)


# Code that looks into parts.


@law(1 / 3)
def filtered(secret):
    return [found for found in dc.each(both(secret).values(), lambda count: maybe(0, count)) if found is not None]


@law(2 / 9)
def counted(secret):
    return len(dc.each(some(secret), maybe, skip_none=True))


@law(2 / 9)
def asked_whether_empty(secret):
    return "some" if dc.each(some(secret), maybe, skip_none=True) else "none"


@law(0.1)
def printed(secret):
    return f"{dc.each(both(secret), odds)}"


@law(0.1)
def printed_by_percent(secret):
    return "%s" % dc.each(both(secret), odds)  # noqa: UP031


@law(0.1)
def joined(secret):
    return ",".join(dc.each([1, 1 + secret], lambda count: "yes" if dc.flip(f"{count}/10") else "no"))


@law(0.1)
def hashed(secret):
    found = dc.each([1, 1 + secret], lambda count: dc.flip(f"{count}/10"))
    try:
        return hash(found) + dc.flip("1/2")
    except TypeError:
        return found[1]


@law(0.01)
def compared(secret):
    return dc.each(both(secret), odds) == {"a": True, "b": True}


@law(0.1)
def compared_with_itself(secret):
    found = dc.each(both(secret), odds)
    return found == copy.copy(found) and found["b"]


@law(0.1)
def by_its_type(secret):
    found = dc.each(both(secret), odds)
    return found["b"] if type(found) is dict else "parts"


@law(0.1)
def by_its_type_and_one_part(secret):
    found = dc.each(both(secret), odds)
    return "leak" if type(found) is dict and found["b"] else "nothing"


@law(0.1)
def matched(secret):
    match dc.each([1 + secret, 1], lambda count: dc.flip(f"{count}/10")):
        case [True, *_]:
            return "first"
        case [*_]:
            return "other"
        case _:
            return "parts"


@law(0.1)
def matched_as_a_mapping(secret):
    match dc.each(both(secret), odds):
        case {"b": True}:
            return "on"
        case dict():
            return "off"
        case _:
            return "parts"


@law(0.09)
def sorted_out(secret):
    return sorted(dc.each([1 + secret, 1], lambda count: dc.flip(f"{count}/10")))


@law(0.1)
def copied(secret):
    return copy.deepcopy(dc.each(both(secret), odds))


@law(0.1)
def mutated(secret):
    found = dc.each([1, 1 + secret], lambda count: dc.flip(f"{count}/10"))
    found.append(found.pop(0))
    return found


@law(0.1)
def as_json(secret):
    return json.dumps(dc.each(both(secret), odds))


@law(0.08)
def unpacked(secret):
    first, second = dc.each([1, 1 + secret], lambda count: dc.flip(f"{count}/10"))
    return first != second


@law(0.1)
def announced_itself(secret):
    dc.announce(dc.each(both(secret), odds))


@law(0.1, errors="announce")
def raised_itself(secret):
    raise KeyError(dc.each(both(secret), odds))


@law(0.1)
def swallows_everything(secret):
    found = dc.each([1, 1 + secret], lambda count: dc.flip(f"{count}/10"))
    try:
        return bool(found[1])
    except BaseException:
        return "swallowed"


@law(0.1)
def shown_twice(secret):
    found = dc.each(both(secret), odds)
    return [found, found]


@law(0)
def not_shown(secret):
    dc.each(both(secret), odds)
    return dc.flip("1/2")


@law(0.05)
def looked_at_in_another_call(secret):
    found = dc.each([1, 1 + secret], lambda count: dc.flip(f"{count}/10"))
    return dc.each([0, 1], lambda number: found[number] and dc.flip("1/2"))


@law(0.1)
def seen_by_letter(secret):
    return dc.each(both(secret), odds)


# What only one of the inputs has.


@law(5 / 9)
def no_call_for_one_input(secret):
    return dc.each({"a": 1, "b": 2}, maybe, skip_none=True) if secret else {}


@law(5 / 36)
def no_call_for_one_draw(secret):
    if dc.flip(f"{1 + secret}/4"):
        return dc.each({"a": 1, "b": 2}, maybe, skip_none=True)
    return {}


@law(0)
def the_same_value_without_a_call(secret):
    return dc.each([1], lambda _: dc.flip("1/2")) if secret else [dc.flip("1/2")]


@law(0.46211715726)
def the_same_dict_without_a_call(secret):
    if dc.flip("1/2"):
        return dc.each(both(secret), lambda _, count: count + dc.discrete_laplace(1) >= 2)
    return {key: count + dc.discrete_laplace(1) >= 2 for key, count in both(secret).items()}


@law(5 / 9)
def in_one_of_two_places(secret):
    found = dc.each({"a": 1, "b": 2}, maybe, skip_none=True)
    return {"x": found, "y": {}} if secret else {"x": {}, "y": found}


@law(1 / 9)
def in_another_order(secret):
    keys = ("a", "b") if secret else ("b", "a")
    return dc.each({key: 1 for key in keys}, maybe, skip_none=True)


@law(0)
def a_part_that_looks_like_another(secret):
    items = [0, 1, 1] if secret else [1, 1, 0]
    return dc.each(items, lambda item: "x" if dc.flip(f"{1 + item}/4") else None, skip_none=True)


@law(1 / 3)
def keys_in_between(secret):
    keys = ["a", "b", "c", "d"] if secret else ["a", "c", "d", "e"]
    return dc.each(dict.fromkeys(keys, 1), maybe, skip_none=True)


@law(1 / 3)
def values_without_keys(secret):
    counts = [1, 5, 1] if secret else [1, 1]
    return dc.each(counts, lambda count: count if dc.flip("1/3") else None, skip_none=True)


@law(0.5)
def lists_of_lists(secret):
    def part(count):
        return [count, dc.flip(f"{count}/10")] if dc.flip("1/2") else []

    return dc.each([1, 2 + secret], part)


@law(0.1)
def a_bracket_in_a_string(secret):
    return dc.each([1, 1 + secret], lambda count: ["]", "["][: 1 + dc.flip(f"{count}/10")])


@assumed("the type hides a look, and one of 4,096 outcomes tells")
def by_its_type_and_all_parts(secret):
    found = dc.each(range(12), lambda _: True if dc.flip("1/2") else None)
    pattern = [True, None, None, True, None, True, True, None, True, True, None, None]
    return secret if type(found) is list and found == pattern else 2
