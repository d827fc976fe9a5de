"""
Trains the toy on one core. Data comes in stages, each up to a share of the time:

    OPENBLAS_NUM_THREADS=1 /usr/bin/python3 train.py --out run --minutes 90 \
        --stages easy.bin:0.1,json.bin:0.7,all.bin:1 --test held-out.bin

Writes `weights.f16` and `checkpoint.pt` into the folder `--out` every few minutes. `--resume` goes on from either.
"""

import argparse
import os
import time

import numpy as np
import torch

from batches import THEMES, Batch, copying_group, read_groups
from model import forward, read_weights, write_weights
from muon import Optimizer
from start import copying_weights, held_parts

parser = argparse.ArgumentParser()
parser.add_argument("--out", required=True)
parser.add_argument("--minutes", type=float, required=True, help="how long to train")
parser.add_argument("--stages", required=True, help="file+file:share,… with shares that rise to 1")
parser.add_argument("--test", default="", help="files of held-out groups, with commas")
parser.add_argument("--vocabulary", type=int, default=912)
parser.add_argument("--groups", type=int, default=1, help="headers in one step")
parser.add_argument("--copying", type=float, default=0.0, help="share of the time that begins with pure copying")
parser.add_argument("--decay", type=float, default=0.3, help="share of the time in which the rate falls to 0")
parser.add_argument("--hold", type=float, default=1.0, help="share of the time in which the copying heads are held")
parser.add_argument("--rate", type=float, default=1.0)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--resume", help="a checkpoint, or weights alone")
parser.add_argument("--steps", type=int, default=10**9)
options = parser.parse_args()

torch.set_num_threads(1)
random = np.random.default_rng(options.seed)
if options.resume and options.resume.endswith(".pt"):
    saved = torch.load(options.resume)
    weights = {name: weight.requires_grad_() for name, weight in saved["weights"].items()}
    optimizer = Optimizer(weights, 0.02 * options.rate, 1.5e-3 * options.rate)
    optimizer.state, optimizer.steps = saved["state"], saved["steps"]
else:
    weights = read_weights(options.resume, options.vocabulary) if options.resume else copying_weights(options.vocabulary, options.seed)
    optimizer = Optimizer(weights, 0.02 * options.rate, 1.5e-3 * options.rate)

stages = [(part.rsplit(":", 1)[0], float(part.rsplit(":", 1)[1])) for part in options.stages.split(",")]
tests = [file for file in options.test.split(",") if file]
held_out = {file: read_groups(file) for file in tests}
started = time.time()


def log(text):
    print(f"{(time.time() - started) / 60:6.1f} min  step {optimizer.steps:5d}  {text}", flush=True)


def evaluate(groups):
    """Turns that greedy decoding would write exactly, by theme."""
    right, total = np.zeros(len(THEMES)), np.zeros(len(THEMES))
    with torch.no_grad():
        for group in groups:
            batch = Batch([group])
            hits = forward(weights, batch).argmax(-1) == batch.targets
            for turn in batch.turns.unique():
                inside = batch.turns == turn
                theme = int(batch.themes[inside][0])
                total[theme] += 1
                right[theme] += bool(hits[inside].all())
    shares = "  ".join(f"{THEMES[i]} {right[i] / total[i]:.2f}" for i in range(len(THEMES)) if total[i])
    return f"{right.sum() / total.sum():.3f} of {int(total.sum())} turns  {shares}"


def save():
    write_weights(f"{options.out}/weights.f16", weights)
    state = {"weights": weights, "state": optimizer.state, "steps": optimizer.steps}
    torch.save(state, f"{options.out}/checkpoint.new")
    os.replace(f"{options.out}/checkpoint.new", f"{options.out}/checkpoint.pt")


class Groups:
    """The groups of a file in random order, again and again."""

    def __init__(self, file):
        self.groups, self.order = read_groups(file), iter(())

    def next(self):
        index = next(self.order, None)
        if index is None:
            self.order = iter(random.permutation(len(self.groups)))
            index = next(self.order)
        return self.groups[index]


opened = {}


def next_group(share):
    """A group of the stage that this share of the time belongs to, of any of its files."""
    files = next((files for files, end in stages if share <= end), stages[-1][0]).split("+")
    file = files[int(random.integers(len(files)))]
    if file not in opened:
        opened[file] = Groups(file)
    return opened[file].next()


losses, counts = np.zeros(len(THEMES)), np.zeros(len(THEMES))
seen = last_log = last_save = last_test = 0
while optimizer.steps < options.steps:
    share = (time.time() - started) / 60 / options.minutes
    if share >= 1:
        break
    batch = Batch([
        copying_group(random, options.vocabulary, 24) if share < options.copying and random.random() < 0.6 else next_group(share)
        for _ in range(options.groups)
    ])
    each = torch.nn.functional.cross_entropy(forward(weights, batch), batch.targets, reduction="none")
    each.mean().backward()
    factor = min(1, (optimizer.steps + 1) / 50, (1 - share) / options.decay)
    optimizer.step(factor, held_parts() if share < options.hold else {})
    seen += len(batch.tokens)
    losses += np.bincount(batch.themes, weights=each.detach().numpy(), minlength=len(THEMES))
    counts += np.bincount(batch.themes, minlength=len(THEMES))
    now = time.time() - started
    if now - last_log > 30:
        kinds = "  ".join(f"{THEMES[i]} {losses[i] / counts[i]:.4f}" for i in range(len(THEMES)) if counts[i])
        log(f"{seen / 1e6:.2f} M tokens  loss {losses.sum() / counts.sum():.4f}  {kinds}")
        losses[:], counts[:], last_log = 0, 0, now
    if now - last_save > 60:
        last_save = now
        save()
    if now - last_test > 300:
        last_test = now
        for file in tests:
            log(f"held out, {file.split('/')[-1]}: {evaluate(held_out[file])}")
save()
for file in tests:
    log(f"held out, {file.split('/')[-1]}: {evaluate(held_out[file])}")
