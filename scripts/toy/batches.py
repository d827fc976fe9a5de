"""Training data as `make-data.ts` writes it, and batches of it."""

import numpy as np
import torch

THEMES = ["chat", "refusal", "call", "parallel", "loop", "several", "copy"]
LEARNED = 0x8000
LONGEST_CONVERSATION = 400


def read_groups(file):
    """Groups of one header and its conversations: (header, [(theme, tokens), …])."""
    numbers, at, groups = np.fromfile(file, dtype="<u2"), 0, []
    while at < len(numbers):
        length = int(numbers[at])
        header, at = numbers[at + 1 : at + 1 + length], at + 1 + length
        conversations, count, at = [], int(numbers[at]), at + 1
        for _ in range(count):
            theme, length = int(numbers[at]), int(numbers[at + 1])
            tokens, at = numbers[at + 2 : at + 2 + length], at + 2 + length
            if length <= LONGEST_CONVERSATION:
                conversations.append((theme, tokens))
        groups.append((header, conversations))
    return groups


def copying_group(random, vocabulary, rows):
    """Random tokens, then the same again: pure copying."""
    conversations = []
    for _ in range(rows):
        length = int(random.integers(4, 30))
        first = random.integers(10, vocabulary - 16, length)
        second = first.copy()
        if random.random() < 0.5:  # a part of it
            second = first[int(random.integers(0, length // 2)) :]
        learned = second | LEARNED
        learned[0] = second[0]
        conversations.append((THEMES.index("copy"), np.concatenate([first, learned]).astype("uint16")))
    return random.integers(10, vocabulary - 16, 4).astype("uint16"), conversations


class Batch:
    """
    Tokens of several groups in one row, without padding. `groups`: where each stands, and the lengths of its header and
    its conversations; `wanted`: places whose next token is learned.
    """

    def __init__(self, groups):
        tokens, positions, learned, themes, turns, self.groups = [], [], [], [], [], []
        start = turn = 0
        for header, conversations in groups:
            lengths = [len(header), *(len(each) for _, each in conversations)]
            self.groups.append((slice(start, start + sum(lengths)), lengths))
            tokens.append(header)
            positions.append(np.arange(len(header)))
            learned.append(np.zeros(len(header), bool))
            themes.append(np.zeros(len(header), int))
            turns.append(np.zeros(len(header), int))
            for theme, each in conversations:
                marks = (each & LEARNED) != 0
                tokens.append(each & ~np.uint16(LEARNED))
                positions.append(np.arange(len(each)) + len(header))
                learned.append(marks)
                themes.append(np.full(len(each), theme))
                begins = marks & ~np.concatenate([[False], marks[:-1]])
                turns.append(turn + np.cumsum(begins))
                turn += int(begins.sum())
            start += sum(lengths)
        self.tokens = torch.tensor(np.concatenate(tokens).astype("int64"))
        self.positions = torch.tensor(np.concatenate(positions))
        places = np.nonzero(np.concatenate(learned))[0]
        self.wanted = torch.tensor(places - 1)
        self.targets = self.tokens[places]
        self.themes = torch.tensor(np.concatenate(themes)[places])
        self.turns = torch.tensor(np.concatenate(turns)[places])
