"""The explorer: the report as a local page, live (extra ``web``). Programs are compiled, never run."""

PROVIDES = {
    "verbs": {
        "explore": (
            "Open a local page with the zoo, an editor, and live reports.",
            "deltachain_explore.command",
        )
    }
}
"""What `deltachain.registry` offers of it."""
