"""What can be asked about a model, a slice each: one folder holds what the project says about one measure.

`find` computes, `show` is the value that users hold, `verb` is the function that they call and how it reads its
arguments, `command` is its door on the command line.

Every verb takes what `load` takes in place of a chain: a chain, a `Program` with ``secrets``, a path, ``"example:…"``.
ε enters as ``epsilon`` (then e^ε is bracketed by two rationals, and each bound uses the one that keeps it sound) or as
``exp_epsilon``, that is e^ε itself, exactly. Pairs default to the relation that the model carries. What comes back is
a value: it prints shortly, compares, hashes, pickles, and has ``to_dict``; every number of it is a bound that a proof
stands behind. The command line and the report read by their own tables, and come in by the functions ``…_of``, which
take what is read already.
"""
