"""Cells: the fields of a table's row, each with the head of its column for windows that have no room for a table."""

from django import forms


class NumberCell(forms.NumberInput):
    """``title`` is the head of its column."""

    template_name = "agentcore/admin/_number_cell.html"


def cells_name(fields: dict[str, forms.Field], *names: str) -> None:
    """Let each of these fields say its label itself."""
    for name in names:
        if name in fields:
            fields[name].widget.attrs["title"] = fields[name].label
