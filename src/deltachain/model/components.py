"""Strongly connected components of a graph (Tarjan 1972), in the order in which they can be solved.

A component is a largest set of nodes that all lead to each other. Components come out after everything that they
lead to, so that a value that depends on successors can be computed component by component.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from ..cancel import spend


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
                spend(20)
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
                    yield _unstack(stack, on_stack, node)


def _unstack(stack: list[int], on_stack: set[int], root: int) -> list[int]:
    """What lies on the stack from ``root`` on, taken off it: one component."""
    component = []
    while True:
        node = stack.pop()
        on_stack.discard(node)
        component.append(node)
        if node == root:
            return component
