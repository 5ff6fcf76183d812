"""Strongly connected components of a graph (Tarjan 1972), in the order in which they can be solved.

A component is a largest set of nodes that all lead to each other. Components come out after everything that they
lead to, so that a value that depends on successors can be computed component by component.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["components"]


def components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components of the graph, each after all that it leads to. Linear time, no recursion.

    >>> components([[1], [2, 0], [2], [0]])
    [[2], [1, 0], [3]]
    """
    count = len(successors)
    number = [-1] * count
    low = [0] * count
    on_stack = [False] * count
    cursor = [0] * count
    stack: list[int] = []
    found: list[list[int]] = []
    seen = 0
    for root in range(count):
        path = [root] if number[root] < 0 else []
        while path:
            node = path[-1]
            if number[node] < 0:
                number[node] = low[node] = seen
                seen += 1
                stack.append(node)
                on_stack[node] = True
            following = successors[node]
            while cursor[node] < len(following):
                other = following[cursor[node]]
                cursor[node] += 1
                if number[other] < 0:
                    path.append(other)
                    break
                if on_stack[other]:
                    low[node] = min(low[node], number[other])
            else:
                path.pop()
                if path:
                    low[path[-1]] = min(low[path[-1]], low[node])
                if low[node] == number[node]:
                    found.append(_unstacked(stack, on_stack, node))
    return found


def _unstacked(stack: list[int], on_stack: list[bool], root: int) -> list[int]:
    """What lies on the stack from ``root`` on, taken off it: one component."""
    component = []
    while True:
        node = stack.pop()
        on_stack[node] = False
        component.append(node)
        if node == root:
            return component
