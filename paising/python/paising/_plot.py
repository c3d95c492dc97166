"""A picture of a result."""

from __future__ import annotations

from typing import Any, Optional

from ._result import Result


def plot(result: Result, column: str = "e", file: Optional[str] = None, axes: Any = None, **style: Any) -> Any:
    """Draws a column of a table against beta, with the error bars of its column err_..., by matplotlib; returns the axes.

    file: the table, by its name [result.table]. axes: those of matplotlib to draw into [the current ones]. style: arguments of
    their method errorbar. Raises ImportError without matplotlib, ValueError where the table has no such column.
    """
    try:
        from matplotlib import pyplot  # pylint: disable=import-outside-toplevel
    except ImportError as missing:
        raise ImportError("paising.plot needs matplotlib: pip install matplotlib") from missing
    table = result.table if file is None else result[file]
    names = table.dtype.names or ()
    if column not in names or "beta" not in names:
        raise ValueError(f"no column {column} against beta; there are {', '.join(names)}")
    axes = pyplot.gca() if axes is None else axes
    error = f"err_{column}"
    axes.errorbar(table["beta"], table[column], table[error] if error in names else None, **style)
    axes.set_xlabel("beta J")
    axes.set_ylabel(column)
    return axes
