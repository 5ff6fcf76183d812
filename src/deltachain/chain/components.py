"""Strongly connected components of a graph (Tarjan 1972), in the order in which they can be solved.

A component is a largest set of nodes that all lead to each other. Components come out after everything that they
lead to, so that a value that depends on successors can be computed component by component.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["arrange", "components"]


def components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components of the graph, each after all that it leads to. Linear time, no recursion.

    >>> components([[1], [2, 0], [2], [0]])
    [[2], [1, 0], [3]]
    """
    count = len(successors)
    head: list[int] = [0]
    target: list[int] = []
    for following in successors:
        target.extend(following)
        head.append(len(target))
    order, component = [0] * count, [0] * count
    arrange(head, target, order, component, [[-1] * count, *([0] * count for _ in range(5))])
    found: list[list[int]] = []
    for node, number in zip(order, component, strict=True):
        if number == len(found):
            found.append([])
        found[number].append(node)
    return found


def arrange(head: Any, target: Any, order: Any, component: Any, desk: Any) -> int:
    """Write the nodes component by component into ``order``, with the number of their component; how many there are.

    The successors of node i are ``target[head[i]:head[i+1]]``. ``desk`` is working space, six rows of a place a node,
    the first filled with −1. Lists will do; for millions of nodes, arrays and machine code of this very function.
    """
    number, low, stack, path, cursor, on_stack = desk[0], desk[1], desk[2], desk[3], desk[4], desk[5]
    count = len(head) - 1
    top = depth = seen = placed = found = 0
    for root in range(count):
        if number[root] >= 0:
            continue
        path[0] = root
        depth = 1
        while depth > 0:
            node = path[depth - 1]
            if number[node] < 0:
                number[node] = low[node] = seen
                seen += 1
                stack[top] = node
                top += 1
                on_stack[node] = 1
                cursor[node] = head[node]
            pushed = False
            while cursor[node] < head[node + 1] and not pushed:
                other = target[cursor[node]]
                cursor[node] += 1
                if number[other] < 0:
                    path[depth] = other
                    depth += 1
                    pushed = True
                elif on_stack[other]:
                    low[node] = min(low[node], number[other])
            if pushed:
                continue
            depth -= 1
            if depth > 0:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[node])
            if low[node] == number[node]:
                other = -1
                while other != node:
                    top -= 1
                    other = stack[top]
                    on_stack[other] = 0
                    order[placed] = other
                    component[placed] = found
                    placed += 1
                found += 1
    return found
