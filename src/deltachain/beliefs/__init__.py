"""The δ engine: what an observer may believe, and certified intervals for how well two start states differ."""
