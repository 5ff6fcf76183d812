"""Strongly connected components of a graph (Tarjan 1972), in the order in which they can be solved.

A component is a largest set of nodes that all lead to each other. Components come out after everything that they
lead to, so that a value that depends on successors can be computed component by component.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any


def components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components of the graph, each after all that it leads to. Linear time, no recursion.

    >>> components([[1], [2, 0], [2], [0]])
    [[2], [1, 0], [3]]
    """
    return list(reached_components(range(len(successors)), successors.__getitem__))


def reached_components(
    roots: Iterable[int], following: Callable[[int], Iterable[int]], done: Container[int] = ()
) -> Iterator[list[int]]:
    """The components that the roots reach without passing a node that is ``done``; each after all that it leads to.

    The graph may be found on the way: ``following`` is asked once for each node, when it is first met. The caller may
    add to ``done`` what has come out already.
    """
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: set[int] = set()
    stack: list[int] = []
    for root in roots:
        path: list[tuple[int, Iterator[int]]] = []
        entered = None if root in number or root in done else root
        while entered is not None or path:
            if entered is not None:
                number[entered] = low[entered] = len(number)
                stack.append(entered)
                on_stack.add(entered)
                path.append((entered, iter(following(entered))))
                entered = None
            node, targets = path[-1]
            for other in targets:
                if other not in number:
                    if other not in done:
                        entered = other
                        break
                elif other in on_stack:
                    low[node] = min(low[node], number[other])
            else:
                path.pop()
                if path:
                    before = path[-1][0]
                    low[before] = min(low[before], low[node])
                if low[node] == number[node]:
                    yield _unstacked(stack, on_stack, node)


def _unstacked(stack: list[int], on_stack: set[int], root: int) -> list[int]:
    """What lies on the stack from ``root`` on, taken off it: one component."""
    component = []
    while True:
        node = stack.pop()
        on_stack.discard(node)
        component.append(node)
        if node == root:
            return component


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
