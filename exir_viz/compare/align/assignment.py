"""Assign rows to columns with the least total cost."""

from __future__ import annotations

from collections.abc import Sequence


def minimum_cost(costs: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Rows and columns, each at most once and as many as possible, with the least total cost (Hungarian
    algorithm).
    """
    if not costs or not costs[0]:
        return []
    if len(costs) > len(costs[0]):
        turned = [list(column) for column in zip(*costs, strict=True)]
        return sorted((row, column) for column, row in minimum_cost(turned))
    rows, columns = len(costs), len(costs[0])
    # as in textbooks, row and column 0 mean "none"
    of_row, of_column, owner = [0.0] * (rows + 1), [0.0] * (columns + 1), [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0], column = row, 0
        least, way, used = [float("inf")] * (columns + 1), [0] * (columns + 1), [False] * (columns + 1)
        while owner[column]:
            used[column] = True
            here, step, after = owner[column], float("inf"), 0
            for other in range(1, columns + 1):
                if used[other]:
                    continue
                cost = costs[here - 1][other - 1] - of_row[here] - of_column[other]
                if cost < least[other]:
                    least[other], way[other] = cost, column
                if least[other] < step:
                    step, after = least[other], other
            for other in range(columns + 1):
                if used[other]:
                    of_row[owner[other]] += step
                    of_column[other] -= step
                else:
                    least[other] -= step
            column = after
        while column:
            owner[column] = owner[way[column]]
            column = way[column]
    return sorted((owner[column] - 1, column - 1) for column in range(1, columns + 1) if owner[column])
