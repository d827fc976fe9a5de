"""
Weights to begin with that copy already. Small transformers spend most of a short training on finding out how to repeat
what was said: heads that look for the place where the present words stood the last time. Here they are set by hand, and
held for a while; all the rest is random.

    layer 0, heads 0 and 1   look at the token before and the one before that, by position alone, and note what they are
    layer 1, heads 0 and 1   look for places that come after the last two tokens, or at least after the last one, and
                             write what stands there
"""

import torch

from model import HEAD, ROPE_BASE, new_weights

CONTENT, CONSTANT = 87, 87  # what a token is; a dimension that is the same for all tokens
NOTES = 20  # per head: what the token before was, in the dimensions from 88 on
LAST = 12  # of these, for the last token; the others are for the one before
SPREAD = 1.0  # as large as what the layers will write, or the copies drown in it
HALF = HEAD // 2
FAST = [0.5, 0.3, 0.2]  # energy in the pairs of dimensions that turn fastest with the position
# Pairs that hardly turn within a prompt.
SLOW = [*range(HALF - NOTES // 2, HALF), *range(HEAD - NOTES // 2, HEAD)]


def copying_weights(vocabulary, seed):
    weights = new_weights(vocabulary, seed)
    with torch.no_grad():
        embedding = weights["token_embd"]
        embedding[:, :CONTENT] = torch.randn(vocabulary, CONTENT) * SPREAD
        embedding[:, CONSTANT] = 4 * SPREAD
        embedding[:, CONSTANT + 1 :] = 0
        weights["output_norm"].fill_(0.1)  # the embeddings are also the output: keeps its logits small
        for name, weight in weights.items():  # all other heads and layers write nothing yet
            if name.endswith(("attn_output", "ffn_down")):
                weight.zero_()
        for layer in (0, 1):
            for name in ("attn_q_norm", "attn_k_norm"):
                weights[f"blk.{layer}.{name}"].fill_(2.2)
        projection = torch.linalg.qr(torch.randn(CONTENT, NOTES))[0].T
        set_notes(weights, projection)
        for head in (0, 1):
            set_search(weights, head, projection)
    return weights


def set_notes(weights, projection):
    """Layer 0: head 0 notes the token before, head 1 the one before that."""
    for head in (0, 1):
        rows = slice(head * HEAD, (head + 1) * HEAD)
        some = slice(head * HEAD, head * HEAD + NOTES)
        look_back(weights, rows, head + 1)
        weights["blk.0.attn_v"][rows] = 0
        weights["blk.0.attn_v"][some, :CONTENT] = projection
        weights["blk.0.attn_output"][notes(head), some] = torch.eye(NOTES) * SPREAD


def set_search(weights, head, projection):
    """Layer 1: queries of the last two tokens, keys of the two before each place."""
    rows = slice(head * HEAD, (head + 1) * HEAD)
    for name in ("attn_q", "attn_k", "attn_v"):
        weights[f"blk.1.{name}"][rows] = 0
    slow = torch.tensor(SLOW)[torch.randperm(NOTES)] + head * HEAD
    same = torch.eye(NOTES)
    first, second = slice(0, LAST), slice(LAST, NOTES)
    weights["blk.1.attn_q"][slow[first], :CONTENT] = projection[first]
    weights["blk.1.attn_k"][slow[first], notes(0)] = same[first]
    weights["blk.1.attn_q"][slow[second], notes(0)] = same[second]
    weights["blk.1.attn_k"][slow[second], notes(1)] = same[second]
    weights["blk.1.attn_v"][rows, rows] = torch.eye(HEAD)
    weights["blk.1.attn_output"][rows, rows] = torch.eye(HEAD) * SPREAD * 2


def notes(head):
    return slice(CONSTANT + 1 + head * NOTES, CONSTANT + 1 + (head + 1) * NOTES)


def look_back(weights, rows, distance):
    """Queries and keys that depend on nothing but the position, and meet best at this distance."""
    query, key = torch.zeros(HEAD), torch.zeros(HEAD)
    for index, energy in enumerate(FAST):
        angle = torch.tensor(distance * ROPE_BASE ** (-index / HALF))
        query[index] = energy**0.5
        key[index], key[index + HALF] = energy**0.5 * angle.cos(), energy**0.5 * angle.sin()
    for name, vector in (("attn_q", query), ("attn_k", key)):
        weights[f"blk.0.{name}"][rows] = 0
        weights[f"blk.0.{name}"][rows, CONSTANT] = vector


def held_parts():
    """By tensor: what stays as it was set while the rest learns to use it."""
    own = slice(0, 2 * HEAD)
    parts = {"token_embd": (slice(None), slice(CONSTANT, None))}
    for layer in (0, 1):
        for name in ("attn_q", "attn_k", "attn_v"):
            parts[f"blk.{layer}.{name}"] = (own, slice(None))
        parts[f"blk.{layer}.attn_output"] = (slice(None), own)
        for name in ("attn_q_norm", "attn_k_norm"):
            parts[f"blk.{layer}.{name}"] = (slice(None),)
    return parts
