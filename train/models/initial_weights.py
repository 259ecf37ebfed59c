"""Initial weights of the authors' code."""

from __future__ import annotations

from torch import Tensor, nn

DEVIATION = 0.01


def initialise(matrix: Tensor) -> None:
    """Fill one matrix in place: orthogonal when square, else N(0, 0.01²).  # arctic: norm_weight, ortho_weight

    The first key matrix of attention is orthogonal here and N(0, 0.01²) in the authors' code, whatever its shape.
    """
    if matrix.dim() == 2 and matrix.shape[0] == matrix.shape[1]:
        nn.init.orthogonal_(matrix)
    else:
        nn.init.normal_(matrix, std=DEVIATION)


def initialise_blocks(joined: Tensor, rows: list[int]) -> None:
    """The same for several matrices (rows_k, inputs) that are kept as one: each is square, or not, by itself."""
    for block in joined.split(rows):
        initialise(block)


def linear(inputs: int, outputs: int, bias: bool = True) -> nn.Linear:
    """A linear layer with these initial weights and zero bias."""
    layer = nn.Linear(inputs, outputs, bias=bias)
    initialise(layer.weight.data)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer
