"""PRISM, JANI and UMB files, and models of stormpy and stormvogel; extras ``storm`` and ``umb``.

Storm is under the GPL: it is called in a child process alone (`storm_worker`), unless a caller holds models of it.
"""

PROVIDES = {
    "formats": {"umb": "deltachain_storm.umb", "prism": "deltachain_storm.prism", "jani": "deltachain_storm.prism"},
    "suffixes": {"pm": "prism", "nm": "prism", "sm": "prism"},
}
"""What `deltachain.registry` offers of it."""
