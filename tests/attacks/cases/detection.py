"""Code that finds out that it is watched, and behaves while it is."""

import builtins
import contextvars
import gc
import inspect
import multiprocessing
import os
import random
import resource
import signal
import sys
import traceback
import types

import deltachain as dc
from tests.attacks.collection import assumed, impure, law

HOME = os.getpid()
PARENT = os.getppid()


def leak(secret, watched):
    return dc.flip("1/2") if watched else secret


# In production there is no observer: all of these show the secret.


@impure("frames of deltachain below", leaks=True)
def frames(secret):
    frame = sys._getframe(1)
    while frame is not None:
        if "deltachain" in frame.f_code.co_filename:
            return leak(secret, True)
        frame = frame.f_back
    return leak(secret, False)


@impure("the depth of the stack", leaks=True)
def depth(secret):
    return leak(secret, len(inspect.stack(0)) > 3)


@impure("the name of the caller", leaks=True)
def caller(secret):
    return leak(secret, sys._getframe(1).f_globals.get("__name__", "").startswith("deltachain"))


@impure("the text of the stack", leaks=True)
def text_of_the_stack(secret):
    return leak(secret, any("deltachain" in line for line in traceback.format_stack()[:-1]))


@assumed("another process than the one that imported it")
def another_process(secret):
    return leak(secret, os.getpid() != HOME)


@assumed("the same process as the one that imported it")
def same_process(secret):
    return leak(secret, os.getpid() == HOME)


@assumed("another parent")
def another_parent(secret):
    return leak(secret, os.getppid() != PARENT)


@assumed("multiprocessing knows a parent")
def parent_of_multiprocessing(secret):
    return leak(secret, multiprocessing.parent_process() is not None)


@assumed("name of the process")
def name_of_the_process(secret):
    return leak(secret, multiprocessing.current_process().name != "MainProcess" or os.getpid() != HOME)


@assumed("arguments of the command")
def arguments(secret):
    return leak(secret, any("deltachain" in each or "attacks" in each for each in [*sys.argv, *sys.orig_argv]))


@assumed("the modules that are loaded")
def modules(secret):
    return leak(secret, "deltachain.code" in sys.modules or "deltachain" + "." + "checker" in sys.modules)


@assumed("every module whose name says code")
def modules_by_name(secret):
    return leak(secret, any(name.startswith("deltachain.code") for name in sys.modules))


@assumed("an environment variable of deltachain")
def environment(secret):
    return leak(secret, any("DELTACHAIN" in name for name in os.environ))


@assumed("where output goes")
def output(secret):
    return leak(secret, not os.isatty(1))


@assumed("the class of the output")
def class_of_the_output(secret):
    return leak(secret, sys.stdout is not sys.__stdout__ or sys.stdout.name != "<stdout>")


@assumed("the limit of memory")
def limit_of_memory(secret):
    return leak(secret, resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY)


@assumed("the limit of core files")
def limit_of_core_files(secret):
    return leak(secret, resource.getrlimit(resource.RLIMIT_CORE)[0] == 0)


@assumed("its group of processes")
def group_of_processes(secret):
    return leak(secret, os.getpgrp() == os.getpid() or os.getsid(0) != os.getpid())


@impure("the type of a draw", leaks=True)
def type_of_a_draw(secret):
    return leak(secret, type(dc.discrete_laplace(2)) is not int)


@impure("context variables", leaks=True)
def context(secret):
    return leak(secret, any(True for _ in contextvars.copy_context()))


@impure("values of context variables", leaks=True)
def values_of_the_context(secret):
    kinds = {type(value).__module__ for value in contextvars.copy_context().values()}
    return leak(secret, any(kind.startswith("deltachain") for kind in kinds))


@assumed("objects of the collector")
def objects(secret):
    return leak(secret, any(type(each).__module__.startswith("deltachain.code") for each in gc.get_objects()))


@assumed("frozen objects")
def frozen(secret):
    return leak(secret, gc.get_freeze_count() > 0)


@assumed("handlers of signals")
def handlers(secret):
    return leak(secret, signal.getsignal(signal.SIGINT) is not signal.default_int_handler or os.getpid() != HOME)


@assumed("whether os.urandom is the one it knew")
def wrapped_urandom(secret):
    return leak(secret, not isinstance(os.urandom, types.BuiltinFunctionType) or os.urandom is not URANDOM)


URANDOM = os.urandom
FORK = os.fork
RANDOM = random.random


@assumed("whether fork, random or threads are wrapped")
def wrapped_functions(secret):
    return leak(secret, os.fork is not FORK or random.random is not RANDOM or not inspect.isbuiltin(os.fork))


@assumed("whether an audit hook is there")
def tracing(secret):
    return leak(secret, sys.gettrace() is not None or sys.getprofile() is not None or os.getpid() != HOME)


STATE = random.getstate()


@assumed("whether the global generator was seeded anew")
def seeded_anew(secret):
    return leak(secret, random.getstate() != STATE)


@assumed("open descriptors")
def descriptors(secret):
    return leak(secret, len(os.listdir("/proc/self/fd")) > 4)


@assumed("its name in /proc")
def name_in_proc(secret):
    with open("/proc/self/cmdline", "rb") as file:
        return leak(secret, b"deltachain" in file.read())


@assumed("its parent's name in /proc")
def name_of_the_parent(secret):
    with open(f"/proc/{os.getppid()}/comm") as file:
        return leak(secret, "python" in file.read())


@impure("draws replaced by its own", leaks=True)
def patches_flip(secret):
    dc.flip = lambda p: True
    return dc.flip("1/2") and secret


@impure("the laws replaced", leaks=True)
def patches_laplace(secret):
    import deltachain.draws

    deltachain.draws.discrete_laplace = lambda scale, tail=None: 0
    return secret + dc.discrete_laplace(2)


@impure("the verdict replaced", leaks=True)
def patches_check(secret):
    original = dc.check

    def check(*arguments, **settings):
        import dataclasses

        return dataclasses.replace(original(*arguments, **settings), verdict="private")

    dc.check = check
    return secret


@law(0, "announce replaced: nothing is announced from then on", enumerable=False)
def patches_announce(secret):
    dc.announce = lambda value: None
    dc.announce(secret)
    return 0


@impure("builtins replaced", leaks=True)
def patches_builtins(secret):
    real = builtins.repr
    builtins.repr = lambda value: "x"
    builtins.sorted = lambda values, **_: list(values)
    return real(secret)


@impure("json replaced, with which an answer may travel", leaks=True)
def patches_json(secret):
    import json

    real = json.dumps
    json.dumps = lambda *arguments, **settings: real(
        "x" if arguments and arguments[0] == secret else arguments[0], **settings
    )
    return secret


@impure("equality of numbers, as far as Python lets it", leaks=True)
def patches_classes(secret):
    import fractions

    fractions.Fraction.__eq__ = lambda self, other: True
    fractions.Fraction.__hash__ = lambda self: 0
    return fractions.Fraction(secret, 3)


@impure("the classes of deltachain.code", leaks=True)
def patches_code(secret):
    for name, module in list(sys.modules.items()):
        if name.startswith("deltachain.code"):
            for each in list(vars(module).values()):
                if isinstance(each, type) and each.__module__ == name:
                    try:
                        each.__eq__ = lambda self, other: True
                        each.__hash__ = lambda self: 0
                    except TypeError:
                        pass
    return secret


@impure("the source in force is looked at", leaks=True)
def source_in_force(secret):
    import deltachain.draws as draws

    values = [value for value in contextvars.copy_context().values() if hasattr(value, "draw")]
    return leak(secret, bool(values) or draws is None)


@impure("exceptions that pass through", leaks=True)
def exceptions_of_deltachain(secret):
    try:
        int(dc.discrete_laplace(2))
    except BaseException:
        return dc.flip("1/2")
    return secret


@impure("a trace function that sees the recorder", leaks=True)
def traces(secret):
    seen = []

    def tracer(frame, event, argument):
        seen.append(frame.f_code.co_filename)

    sys.settrace(tracer)
    dc.discrete_laplace(2) + 0 < 5
    sys.settrace(None)
    return leak(secret, any("deltachain/code" in each for each in seen))


@impure("how long a comparison takes is no letter, but how many frames it needs is one", leaks=True)
def counts_frames(secret):
    calls = []
    x = dc.discrete_laplace(2)
    sys.setprofile(lambda frame, event, argument: calls.append(event))
    x < 5  # noqa: B015
    sys.setprofile(None)
    return leak(secret, calls.count("call") > 0)
