"""Exceptions that an observer sees (`errors="announce"`), with the secret wherever an exception can carry something."""

import asyncio
import json
import re
import subprocess
import zipfile

import deltachain as dc
from tests.attacks.collection import honest, impure, law

SEEN = dict(errors="announce")
TEXTS = (dict(secret="alice"), dict(secret="bob"))


@law(1, **SEEN)
def in_an_argument(secret):
    raise ValueError(secret)


@law(1, **SEEN)
def in_the_second_argument(secret):
    raise ValueError("failed", secret)


@law(1, **SEEN)
def deep_in_an_argument(secret):
    raise ValueError({"a": [("b", secret)]})


@law(1, **SEEN)
def in_an_attribute(secret):
    error = ValueError("failed")
    error.row = secret
    raise error


@law(1, secrets=TEXTS, **SEEN)
def in_an_attribute_that_is_an_argument(secret):
    error = ValueError("a", secret) if secret == "alice" else ValueError("a", "alice")
    error.row = secret
    raise error


@law(1, "the attribute is the same object as one of two arguments", **SEEN)
def the_same_object_as_an_argument(secret):
    arguments = ("left", "right")
    error = ValueError(*arguments)
    error.chosen = arguments[secret]
    raise error


@law(1, "small integers are one object", **SEEN)
def the_same_small_integer(secret):
    error = ValueError(0, 1)
    error.chosen = secret
    raise error


@law(1, "which attribute is there at all", **SEEN)
def the_name_of_an_attribute(secret):
    error = ValueError("failed")
    setattr(error, "left" if secret else "right", "failed")
    raise error


class Slotted(Exception):
    __slots__ = ("row",)


@law(1, **SEEN)
def in_a_slot(secret):
    error = Slotted("failed")
    error.row = secret
    raise error


class SlottedBelow(Slotted):
    __slots__ = ()


@law(1, **SEEN)
def in_a_slot_of_the_base(secret):
    error = SlottedBelow("failed")
    error.row = secret
    raise error


class Private(Exception):
    __slots__ = ("__row",)

    def __init__(self, row):
        super().__init__("failed")
        self.__row = row

    def __str__(self):
        return f"row {self.__row}"


@law(1, enumerable=False, **SEEN)
def in_a_private_slot(secret):
    raise Private(secret)


class SlotMap(Exception):
    __slots__ = {"row": "its row"}


@law(1, **SEEN)
def in_a_documented_slot(secret):
    error = SlotMap("failed")
    error.row = secret
    raise error


@law(1, **SEEN)
def import_error_name(secret):
    raise ImportError("failed", name="ab"[secret])


@law(1, **SEEN)
def import_error_path(secret):
    raise ImportError("failed", path="ab"[secret])


@law(1, **SEEN)
def module_not_found(secret):
    raise ModuleNotFoundError("failed", name="ab"[secret])


@law(1, **SEEN)
def attribute_error_name(secret):
    raise AttributeError("failed", name="ab"[secret])


@law(1, **SEEN)
def attribute_error_object(secret):
    raise AttributeError("failed", obj=secret)


@law(1, enumerable=False, **SEEN)
def attribute_error_of_python(secret):
    return ([], ())[secret].missing


@law(1, **SEEN)
def name_error_name(secret):
    raise NameError("failed", name="ab"[secret])


@law(1, **SEEN)
def syntax_error_file(secret):
    error = SyntaxError("failed")
    error.filename = "ab"[secret]
    raise error


@law(1, **SEEN)
def syntax_error_line(secret):
    error = SyntaxError("failed", ("f", 1, 1, "x"))
    error.lineno = secret
    raise error


@law(1, **SEEN)
def syntax_error_text(secret):
    error = SyntaxError("failed")
    error.text = "ab"[secret]
    raise error


@law(1, **SEEN)
def syntax_error_print_file(secret):
    error = SyntaxError("failed")
    error.print_file_and_line = secret
    raise error


@law(1, **SEEN)
def unicode_decode_reason(secret):
    raise UnicodeDecodeError("ascii", b"x", 0, 1, "ab"[secret])


@law(1, **SEEN)
def unicode_decode_reason_later(secret):
    error = UnicodeDecodeError("ascii", b"x", 0, 1, "failed")
    error.reason = "ab"[secret]
    raise error


@law(1, **SEEN)
def unicode_decode_start(secret):
    error = UnicodeDecodeError("ascii", b"xyz", 0, 1, "failed")
    error.start = secret
    raise error


@law(1, **SEEN)
def unicode_encode_object(secret):
    error = UnicodeEncodeError("ascii", "xyz", 0, 1, "failed")
    error.object = "ab"[secret]
    raise error


@law(1, **SEEN)
def unicode_translate_end(secret):
    error = UnicodeTranslateError("xyz", 0, 1, "failed")
    error.end = 2 + secret
    raise error


@law(1, **SEEN)
def stop_iteration_value(secret):
    error = StopIteration("failed")
    error.value = secret
    raise error


@law(1, **SEEN)
def stop_iteration_of_a_generator(secret):
    def numbers():
        return secret
        yield

    next(numbers())


@law(1, enumerable=False, **SEEN)
def system_exit_code(secret):
    error = SystemExit("failed")
    error.code = secret
    raise error


@law(1, enumerable=False, **SEEN)
def exits_with_the_secret(secret):
    raise SystemExit(secret)


@law(1, **SEEN)
def blocking_characters(secret):
    error = BlockingIOError(11, "failed", 0)
    error.characters_written = secret
    raise error


@law(1, **SEEN)
def blocking_characters_at_once(secret):
    raise BlockingIOError(11, "failed", secret)


@law(1, **SEEN)
def operating_system_number(secret):
    error = OSError(1, "failed")
    error.errno = secret
    raise error


@law(1, **SEEN)
def operating_system_text(secret):
    error = OSError(1, "failed")
    error.strerror = "ab"[secret]
    raise error


@law(1, **SEEN)
def operating_system_file(secret):
    raise OSError(1, "failed", "ab"[secret])


@law(1, **SEEN)
def operating_system_second_file(secret):
    raise OSError(1, "failed", "a", None, "ab"[secret])


@law(1, **SEEN)
def missing_file(secret):
    raise FileNotFoundError(2, "failed", f"/data/{secret}")


@law(1, **SEEN)
def opens_a_missing_file(secret):
    open(f"/nowhere/{secret}")


@law(1, enumerable=False, **SEEN)
def in_a_note(secret):
    error = ValueError("failed")
    error.add_note(f"row {secret}")
    raise error


@law(1, "what stands behind an exception is not seen, by the documentation", enumerable=False, **SEEN)
def in_the_cause(secret):
    raise ValueError("failed" + "!" * secret) from KeyError(secret)


@law(1, **SEEN)
def in_a_group(secret):
    raise ExceptionGroup("failed", [ValueError(secret), KeyError("x")])


@law(1, enumerable=False, **SEEN)
def deep_in_a_group(secret):
    inner = ValueError("failed")
    inner.row = secret
    raise ExceptionGroup("failed", [ExceptionGroup("again", [inner])])


@law(1, enumerable=False, **SEEN)
def the_message_of_a_group(secret):
    raise ExceptionGroup("ab"[secret], [ValueError("x")])


@law(1, enumerable=False, **SEEN)
def the_slots_in_a_group(secret):
    inner = Slotted("failed")
    inner.row = secret
    raise ExceptionGroup("failed", [inner])


@law(1, enumerable=False, **SEEN)
def base_exception_group(secret):
    raise BaseExceptionGroup("failed", [KeyboardInterrupt(secret)])


@law(1, **SEEN)
def the_type_alone(secret):
    raise (ValueError, KeyError)[secret]("failed")


def _made(name):
    return type("Failed", (Exception,), {"__module__": __name__, "kind": name})


FAILED = (_made("left"), _made("right"))


@law(1, "two types of one name", enumerable=False, **SEEN)
def types_of_one_name(secret):
    raise FAILED[secret]("failed")


class Constant(Exception):
    def __str__(self):
        return "failed"

    def __repr__(self):
        return "Constant()"

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


@law(1, **SEEN)
def equal_to_every_exception(secret):
    raise Constant(secret)


class Told(Exception):
    def __init__(self, secret):
        super().__init__("failed")
        self.secret = secret

    def __reduce__(self):
        return (Told, (0,))


@law(1, **SEEN)
def reduces_to_another(secret):
    raise Told(secret)


class Getter(Exception):
    def __getattribute__(self, name):
        if name in {"args", "__dict__"}:
            return () if name == "args" else {}
        return super().__getattribute__(name)


@law(1, enumerable=False, **SEEN)
def hides_its_arguments(secret):
    raise Getter(secret)


class Computed(Exception):
    def __init__(self, secret):
        super().__init__("failed")
        object.__setattr__(self, "_hidden", secret)

    @property
    def row(self):
        return self._hidden


@law(1, **SEEN)
def in_a_property(secret):
    raise Computed(secret)


class DictError(KeyError):
    def __init__(self, **rows):
        super().__init__("failed")
        self.__dict__ = rows


@law(1, **SEEN)
def its_dict_is_exchanged(secret):
    raise DictError(row=secret)


class DictSubclass(dict):
    def items(self):
        return [].__iter__()

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0


@law(1, enumerable=False, **SEEN)
def its_dict_lies(secret):
    error = ValueError("failed")
    error.__dict__ = DictSubclass(row=secret)
    raise error


@law(0, "its arguments are then the empty tuple", enumerable=False, **SEEN)
def its_arguments_lie(secret):
    class Silent(tuple):
        def __iter__(self):
            return iter(())

        def __len__(self):
            return 0

    error = ValueError("failed")
    error.args = Silent((secret,))
    raise error


@law(1, **SEEN)
def calls_a_missing_key(secret):
    return {}[f"row {secret}"]


@law(1, **SEEN)
def indexes_too_far(secret):
    return [0][secret]


@law(1, **SEEN)
def text_to_number(secret):
    return int(f"row {secret}")


@law(1, **SEEN)
def assertion(secret):
    if secret >= 0:
        raise AssertionError({"row": secret})


@law(1, **SEEN)
def json_decode(secret):
    json.loads("[" + " " * secret + "x")


@law(1, **SEEN)
def regular_expression(secret):
    re.compile("(" + "a" * secret)


@law(1, enumerable=False, **SEEN)
def json_decode_position(secret):
    error = json.JSONDecodeError("failed", "xyz", 0)
    error.colno = secret
    raise error


@law(1, enumerable=False, **SEEN)
def called_process(secret):
    raise subprocess.CalledProcessError(secret, "ls")


@law(1, enumerable=False, **SEEN)
def timeout_expired(secret):
    error = subprocess.TimeoutExpired("ls", 1)
    error.output = secret
    raise error


@law(1, enumerable=False, **SEEN)
def incomplete_read(secret):
    raise asyncio.IncompleteReadError(b"ab"[secret : secret + 1], 10)


@law(1, **SEEN)
def bad_zip(secret):
    raise zipfile.BadZipFile(secret)


@law(0.5, **SEEN)
def on_a_coin(secret):
    if dc.flip("1/2"):
        error = LookupError("failed")
        error.row = secret
        raise error


@law(1, **SEEN)
def keyword_of_a_class(secret):
    class Local(Exception):
        row = secret

    raise Local("failed")


@law(1, "a class attribute that differs", enumerable=False, **SEEN)
def class_attribute_of_an_exception(secret):
    error = type("Local", (Exception,), {"row": secret})("failed")
    raise error


@law(1, "it announces and then raises what it announced", **SEEN)
def announced_and_raised(secret):
    dc.announce("row")
    raise RuntimeError(f"{secret}")


@law(1, "a huge argument, of which a repr shows the ends", **SEEN)
def long_argument(secret):
    raise ValueError([0] * 5000 + [secret] + [0] * 5000)


@law(1, "an argument that is an object without a letter", enumerable=False, **SEEN)
def argument_is_an_object(secret):
    class Row:
        def __init__(self):
            self.secret = secret

        def __repr__(self):
            return "Row()"

    raise ValueError(Row())


@law(1, "an argument that is a function", enumerable=False, **SEEN)
def argument_is_a_function(secret):
    raise ValueError(lambda: secret)


@law(1, "the exception is an argument of itself", enumerable=False, **SEEN)
def argument_is_itself(secret):
    error = ValueError("failed")
    error.args = (error, secret)
    raise error


@law(1, "an exception is returned", enumerable=False)
def returns_the_exception(secret):
    error = Slotted("failed")
    error.row = secret
    return error


@law(0, "the same for all", **SEEN)
def the_same_for_all(secret):
    raise OSError(2, "failed", "file")


@honest(0.5, **SEEN)
def honest_error(secret):
    if dc.flip("1/2"):
        raise KeyError("absent", secret)
    return "present"


@honest(0, **SEEN)
def honest_division(secret):
    return (1 + secret * 0) // dc.uniform(0, 3)


@impure("the exception carries an address", **SEEN)
def carries_an_address(secret):
    raise ValueError(repr(object()))
