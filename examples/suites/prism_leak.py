"""The protocols of PRISM-Leak's examples (github.com/alianoroozi/PRISM-Leak), written as PRISM models of any size.

    python examples/suites/prism_leak.py dining 3 > dining-3.prism
    python examples/suites/prism_leak.py grades 2 2 concurrent > grades-2-2.prism

Dining cryptographers: one of them, or their master, pays; each compares two coins and says whether they agree, and lies
if it paid. Grades: students add up their secret grades; each announces its own, with one random number added and the
neighbor's taken away. One module acts in a fixed order, or, if concurrent, each participant has a module and all are
enabled at once, which is read by `--uniform-choice`.
"""

import sys


def dining(n, concurrent):
    """The payer is secret, what is said is seen."""
    coins = [f"coin{i}" for i in range(n)]
    variables = [f"global secret pay : [0..{n}];"]
    variables += [f"global {coin} : [0..2];" for coin in coins]
    variables += [f"global observable agree{i} : [0..1];" for i in range(n)]
    steps = []
    for i, coin in enumerate(coins):
        other = coins[(i + 1) % n]
        throw = [(f"{coin}=0", f"1/2 : ({coin}'=1) & {{}} + 1/2 : ({coin}'=2) & {{}}")]
        both = f"{coin}>0 & {other}>0"
        says = f"({coin}={other}) != (pay={i + 1})"
        say = [(f"{both} & ({says})", f"(agree{i}'=1) & {{}}"), (f"{both} & !({says})", "{}")]
        steps.append((throw, say))
    start = [f"{coin}=0" for coin in coins] + [f"agree{i}=0" for i in range(n)]
    return model(variables, steps, start, concurrent)


def grades(students, marks, concurrent):
    """The grades are secret, announcements and the sum are seen."""
    n = (marks - 1) * students + 1
    variables = [f"global secret h{i} : [0..{marks - 1}];" for i in range(students)]
    variables += [f"global num{i} : [-1..{n - 1}];" for i in range(students)]
    variables += [f"global observable ann{i} : [0..{n - 1}];" for i in range(students)]
    variables += [f"global observable sum : [0..{n - 1}];"]
    steps = []
    for i in range(students):
        other = (i + 1) % students
        drawn = " + ".join(f"1/{n} : (num{i}'={k}) & {{}}" for k in range(n))
        ready = " & ".join(f"num{j}>-1" for j in range(students))
        announced = f"(ann{i}'=mod(h{i}+num{i}-num{other}+{n},{n})) & {{}}"
        steps.append(([(f"num{i}=-1", drawn)], [(ready, announced)], [("true", f"(sum'=mod(sum+ann{i},{n})) & {{}}")]))
    start = [f"num{i}=-1 & ann{i}=0" for i in range(students)] + ["sum=0"]
    return model(variables, steps, start, concurrent)


def model(variables, participants, start, concurrent):
    """A module for each participant, whose steps are in order; or one that takes all first steps, then all second ones.

    A step is its commands, each a guard and updates, with a place for the move to the next step.
    """
    modules = participants if concurrent else [[step for stage in zip(*participants, strict=True) for step in stage]]
    text = ["dtmc", *variables]
    for number, steps in enumerate(modules):
        at = f"s{number}"
        text += [f"module m{number}", f"  {at} : [0..{len(steps)}];"]
        for place, commands in enumerate(steps):
            moved = f"({at}'={place + 1})"
            text += [f"  [] {at}={place} & {guard} -> {update.replace('{}', moved)};" for guard, update in commands]
        text += [f"  [done] {at}={len(steps)} -> true;", "endmodule"]
        start = [*start, f"{at}=0"]
    return "\n".join([*text, f"init {' & '.join(start)} endinit"]) + "\n"


if __name__ == "__main__":
    name, *sizes = sys.argv[1:]
    together = sizes[-1] == "concurrent"
    numbers = map(int, sizes[:-1] if together else sizes)
    sys.stdout.write({"dining": dining, "grades": grades}[name](*numbers, together))
