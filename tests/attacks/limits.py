"""Wrong answers that are known: most are of functions that may be proved private, under what the answer assumes.

Whoever closes one of these gaps takes its names out of this table.
"""

from __future__ import annotations

_GAPS = {
    "of several noises, likely values are tried together, and unlikely ones by luck": """
        budgets:two_wide_noises budgets:two_in_the_middle budgets:the_second_and_fifth_of_six budgets:product_of_two
        probes:two_noises_at_one_point probes:two_noises_in_a_square probes:three_noises_at_one_point""",
    "state of the interpreter or of the process": """
        state:integer_digits state:switch_interval state:collector_threshold state:umask state:signal_handler
        state:open_descriptors state:bytes_in_a_pipe state:settrace_slot state:thread_names state:environment_of_c
        places:csv_limit places:csv_dialects places:socket_timeout places:errno_of_c places:niceness
        places:stack_of_threads places:soft_limit places:timer places:memory_of_malloc places:name_of_the_process
        places:leaks_descriptors places:numpy_options places:numpy_buffer randomness:collections_so_far""",
    "state of a library, to which no name of the code leads": """
        state:by_a_name_made_late state:attribute_of_a_class state:logging_handler state:logger_names state:logger_level
        state:single_dispatch places:logger_passed_in""",
    "state in an object that shows nothing of it": "objects:of_matches objects:of_a_socket",
    "memory that forks share": "places:shared_memory places:shared_first_call",
    "randomness that is drawn in C": "randomness:getrandom_of_c randomness:rand_of_c",
    "code that looks at the stack, the context or the recorder": """
        detection:frames detection:depth detection:caller detection:text_of_the_stack detection:context
        detection:values_of_the_context detection:source_in_force detection:traces detection:patches_code""",
}

KNOWN = {name: why for why, names in _GAPS.items() for name in names.split()}
"""Name → why its answer may be wrong."""
