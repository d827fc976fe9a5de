"""The toy's network in torch: Qwen3's architecture (rotary positions, norms on queries and keys), small."""

import math

import numpy as np
import torch

WIDTH, LAYERS, HEADS, HEAD, HIDDEN = 128, 4, 4, 32, 384
EPSILON, ROPE_BASE, LONGEST = 1e-6, 1e6, 4096


def shapes(vocabulary):
    """Every tensor with its shape (rows, columns), in the order in which the weights are written."""
    layer = [
        ("attn_norm", (WIDTH,)),
        ("attn_q", (HEADS * HEAD, WIDTH)),
        ("attn_k", (HEADS * HEAD, WIDTH)),
        ("attn_v", (HEADS * HEAD, WIDTH)),
        ("attn_output", (WIDTH, HEADS * HEAD)),
        ("attn_q_norm", (HEAD,)),
        ("attn_k_norm", (HEAD,)),
        ("ffn_norm", (WIDTH,)),
        ("ffn_gate", (HIDDEN, WIDTH)),
        ("ffn_up", (HIDDEN, WIDTH)),
        ("ffn_down", (WIDTH, HIDDEN)),
    ]
    blocks = [(f"blk.{index}.{name}", shape) for index in range(LAYERS) for name, shape in layer]
    return [("token_embd", (vocabulary, WIDTH)), *blocks, ("output_norm", (WIDTH,))]


def new_weights(vocabulary, seed):
    torch.manual_seed(seed)
    weights = {}
    for name, shape in shapes(vocabulary):
        if len(shape) == 1:
            weights[name] = torch.ones(shape)
        elif name == "token_embd":
            weights[name] = torch.randn(shape) * 0.02 * math.sqrt(WIDTH) / 4
        else:
            scale = 1 / math.sqrt(shape[1])
            if name.endswith(("attn_output", "ffn_down")):
                scale /= math.sqrt(2 * LAYERS)
            weights[name] = torch.randn(shape) * scale
    return {name: weight.requires_grad_() for name, weight in weights.items()}


def read_weights(file, vocabulary):
    """Weights as they were written: 16-bit floats, one tensor after the other."""
    numbers, at, weights = np.fromfile(file, dtype="<f2").astype("float32"), 0, {}
    for name, shape in shapes(vocabulary):
        size = math.prod(shape)
        weights[name] = torch.tensor(numbers[at : at + size].reshape(shape)).requires_grad_()
        at += size
    if at != len(numbers):
        raise ValueError(f"{file} holds {len(numbers)} numbers instead of {at}")
    return weights


def write_weights(file, weights):
    with open(file, "wb") as out:
        for weight in weights.values():
            out.write(weight.detach().numpy().astype("<f2").tobytes())


ANGLES = torch.outer(torch.arange(LONGEST).float(), ROPE_BASE ** (-torch.arange(0, HEAD, 2).float() / HEAD))
COSINES = torch.cat([ANGLES.cos(), ANGLES.cos()], 1)[:, None, :]
SINES = torch.cat([-ANGLES.sin(), ANGLES.sin()], 1)[:, None, :]


def norm(x, weight):
    return x * (torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * weight)


def rotate(x, cosines, sines):
    half = HEAD // 2
    return x * cosines + torch.cat([x[..., half:], x[..., :half]], -1) * sines


class Attention(torch.autograd.Function):
    """
    One group: a header, and conversations of which each sees the header and its own past. q, k, v are [heads, tokens,
    HEAD], the header's tokens first, then one conversation after the other; `lengths` tells how many are of each.
    Nothing is padded. Scores are small, since queries and keys are normalised: no maximum needs to be taken off.
    """

    @staticmethod
    def forward(ctx, q, k, v, lengths):
        header = lengths[0]
        on_header = torch.exp_(q[:, header:] @ k[:, :header].transpose(1, 2))
        sums = torch.empty(q.shape[0], q.shape[1], 1)
        sums[:, header:] = on_header.sum(-1, keepdim=True)
        out = torch.empty_like(q)
        out[:, header:] = on_header @ v[:, :header]
        own, start = [], 0
        for index, length in enumerate(lengths):
            part = slice(start, start + length)
            past = torch.exp_(q[:, part] @ k[:, part].transpose(1, 2)).tril_()
            own.append(past)
            mixed = past @ v[:, part]
            if index == 0:
                sums[:, part], out[:, part] = past.sum(-1, keepdim=True), mixed
            else:
                sums[:, part] += past.sum(-1, keepdim=True)
                out[:, part] += mixed
            start += length
        out /= sums
        ctx.save_for_backward(q, k, v, out, sums, on_header, *own)
        ctx.lengths = lengths
        return out

    @staticmethod
    def backward(ctx, grad):
        q, k, v, out, sums, on_header, *own = ctx.saved_tensors
        lengths, header = ctx.lengths, ctx.lengths[0]
        grad = grad / sums
        rest = (grad * out).sum(-1, keepdim=True)
        d_q, d_k, d_v = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        start = 0
        for length, past in zip(lengths, own):
            part = slice(start, start + length)
            d = (grad[:, part] @ v[:, part].transpose(1, 2)).sub_(rest[:, part]).mul_(past)
            d_q[:, part], d_k[:, part] = d @ k[:, part], d.transpose(1, 2) @ q[:, part]
            d_v[:, part] = past.transpose(1, 2) @ grad[:, part]
            start += length
        d = (grad[:, header:] @ v[:, :header].transpose(1, 2)).sub_(rest[:, header:]).mul_(on_header)
        d_q[:, header:] += d @ k[:, :header]
        d_k[:, :header] += d.transpose(1, 2) @ q[:, header:]
        d_v[:, :header] += on_header.transpose(1, 2) @ grad[:, header:]
        return d_q, d_k, d_v, None


def forward(weights, batch):
    """Logits at the places `batch.wanted`."""
    x = weights["token_embd"][batch.tokens]
    cosines, sines = COSINES[batch.positions], SINES[batch.positions]
    for index in range(LAYERS):
        w = {name.split(".", 2)[2]: weight for name, weight in weights.items() if name.startswith(f"blk.{index}.")}
        h = norm(x, w["attn_norm"])
        q = rotate(norm((h @ w["attn_q"].T).view(-1, HEADS, HEAD), w["attn_q_norm"] * HEAD**-0.5), cosines, sines)
        k = rotate(norm((h @ w["attn_k"].T).view(-1, HEADS, HEAD), w["attn_k_norm"]), cosines, sines)
        v = (h @ w["attn_v"].T).view(-1, HEADS, HEAD)
        q, k, v = (each.transpose(0, 1).contiguous() for each in (q, k, v))
        mixed = [Attention.apply(q[:, part], k[:, part], v[:, part], lengths) for part, lengths in batch.groups]
        mixed = mixed[0] if len(mixed) == 1 else torch.cat(mixed, 1)
        x = x + mixed.transpose(0, 1).reshape(-1, HEADS * HEAD) @ w["attn_output"].T
        h = norm(x, w["ffn_norm"])
        x = x + (torch.nn.functional.silu(h @ w["ffn_gate"].T) * (h @ w["ffn_up"].T)) @ w["ffn_down"].T
    return norm(x[batch.wanted], weights["output_norm"]) @ weights["token_embd"].T
