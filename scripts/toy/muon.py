"""Two optimizers: Muon (momentum, made orthogonal) for the layers' matrices, Adam for embeddings and norms."""

import torch


def orthogonal(matrix, steps=5):
    """The nearest orthogonal matrix, roughly, by Newton and Schulz's iteration."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrix / (matrix.norm() + 1e-7)
    if x.shape[0] > x.shape[1]:
        return orthogonal(matrix.T, steps).T
    for _ in range(steps):
        square = x @ x.T
        x = a * x + (b * square + c * square @ square) @ x
    return x


class Optimizer:
    def __init__(self, weights, matrix_rate=0.02, other_rate=3e-3, decay=0.0):
        self.weights, self.matrix_rate, self.other_rate, self.decay = weights, matrix_rate, other_rate, decay
        self.state = {name: (torch.zeros_like(w), torch.zeros_like(w)) for name, w in weights.items()}
        self.steps = 0

    @torch.no_grad()
    def step(self, factor, held):
        """One step with both rates times `factor`; clears the gradients. `held`: parts of tensors that stay."""
        self.steps += 1
        kept = {name: self.weights[name][part].clone() for name, part in held.items()}
        for name, weight in self.weights.items():
            grad, (first, second) = weight.grad, self.state[name]
            if weight.dim() == 2 and name != "token_embd":
                first.mul_(0.95).add_(grad, alpha=0.05)
                update = orthogonal(grad * 0.05 + first * 0.95)
                rate = self.matrix_rate * factor
                weight.mul_(1 - rate * self.decay)
                weight.add_(update, alpha=-rate * max(1, weight.shape[0] / weight.shape[1]) ** 0.5)
            else:
                first.lerp_(grad, 0.1)
                second.mul_(0.98).addcmul_(grad, grad, value=0.02)
                denominator = (second / (1 - 0.98**self.steps)).sqrt_().add_(1e-9)
                rate = self.other_rate * factor * (5 if name == "token_embd" else 1)
                weight.addcdiv_(first, denominator, value=-rate / (1 - 0.9**self.steps))
            weight.grad = None
        for name, part in held.items():
            self.weights[name][part] = kept[name]
