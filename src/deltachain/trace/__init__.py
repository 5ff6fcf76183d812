"""What a watcher sees: exact probabilities of words, belief pairs, and the events that tell two states apart."""

from .words import Word, event_probability, skewed_difference, word_probability, words

__all__ = ["Word", "event_probability", "skewed_difference", "word_probability", "words"]
