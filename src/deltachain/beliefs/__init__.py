"""The δ engine: what a watcher may believe, and certified intervals for how far two start states can be told apart."""
