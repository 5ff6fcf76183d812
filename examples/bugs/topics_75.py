"""Topics API (drafts of 2022), issues 75 and 121: noise that was the same for every caller, and not filtered.

With probability 5 % a site is shown a topic at random, out of 349. Callers receive only topics that they have seen the
user visit, but the random topic was not filtered. One caller has seen the user's topic, the other one nothing at all.
"""

from deltachain import announce, flip, program, uniform


@program
def not_filtered(topic, topics=349):
    noise = flip("1/20")
    shown = uniform(0, topics - 1) if noise else topic
    announce(shown)
    announce(shown if noise else "nothing")


@program
def filtered(topic, topics=349):
    noise = flip("1/20")
    announce(uniform(0, topics - 1) if noise else topic)
    announce("nothing")
