"""The inner loops: typed Python, compiled to machine code by Cython when the package is built.

Without a C compiler the package is installed without the machine code, and the same functions run in the interpreter:
the same numbers, some hundred times slower. This file is the only place that knows which. A kernel takes arrays and
records, releases the interpreter lock, and keeps nothing between calls.
"""

try:
    from ._compiled import (
        Equations,
        FloatRows,
        FloatSums,
        Grid,
        PairRows,
        Rows,
        Walk,
        arrange_components,
        back_up,
        choose_options,
        collect_users,
        compact,
        compare_labels,
        copy_spans,
        draw_words,
        enter_grid,
        exchange_basis,
        expand_level,
        expand_widest,
        extend_paths,
        find_expensive,
        gather_leaves,
        gather_system,
        join_level,
        level_above,
        level_below,
        link_users,
        pull_exactly,
        pull_vector,
        push_belief,
        raise_below,
        relax_component,
        round_flows,
        solve_in_order,
        solve_steps,
        spend_radius,
        surplus_of,
        unfold_bases,
        walk_on,
        wealth_of_gamblers,
    )
except ModuleNotFoundError:  # not ImportError: machine code that is there and does not load is an error
    from .betting import wealth_of_gamblers
    from .deletion import collect_users, compare_labels, link_users
    from .filters import draw_words
    from .grid import Grid, enter_grid, level_above, level_below
    from .levels import expand_level, join_level
    from .lookahead import Walk, walk_on
    from .policies import (
        Equations,
        arrange_components,
        choose_options,
        copy_spans,
        gather_system,
        relax_component,
        solve_in_order,
        spend_radius,
        unfold_bases,
    )
    from .step import FloatRows, FloatSums, Rows
    from .stones import extend_paths
    from .transport import PairRows, exchange_basis, solve_steps
    from .tree import back_up, compact, expand_widest, surplus_of
    from .vectors import gather_leaves, pull_exactly, pull_vector, push_belief, raise_below
    from .whole import find_expensive, round_flows

COMPILED = wealth_of_gamblers.__module__.endswith("._compiled")
"""Whether the kernels are machine code."""

if not COMPILED:
    import logging
    from multiprocessing import parent_process

    if parent_process() is None:  # said once, by the first search; workers leave it to the process that started them
        logging.getLogger("deltachain").warning(
            "deltachain: the kernels are not compiled, so that a search takes about a hundred times as long; install a "
            "C compiler and Python's headers (Debian: gcc, python3-dev), then deltachain again"
        )
