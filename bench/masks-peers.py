"""
Masks of llguidance and XGrammar for bench/masks.ts: reads its input, and prints their times as JSON. Asked to compile, it
reads schemas, a line each, and answers each with a line of times.
"""

import json
import sys
import time
from base64 import b64decode
from functools import cache


def measure(cases, passes, compile_schema, fill, accept):
    """
    Microseconds of each mask, the least of some passes over fresh matchers, `None` where a response does not come;
    milliseconds of each grammar.
    """
    compiled, refused = [], 0
    least = [None] * sum(len(tokens) for case in cases for tokens in case["values"])
    for turn in range(passes):
        begin = 0
        refused = 0
        for case in cases:
            before = time.process_time()
            start = compile_schema(case["schema"])
            if turn == 0:
                compiled.append(1000 * (time.process_time() - before))
            refused += start is None
            for tokens in case["values"]:
                matcher = None if start is None else start()
                for place, token in enumerate(tokens if start else [], begin):
                    before = time.perf_counter()
                    fill(matcher)
                    took = 1e6 * (time.perf_counter() - before)
                    least[place] = took if least[place] is None else min(least[place], took)
                    if not accept(matcher, token):
                        break
                begin += len(tokens)
    return {"masks": least, "compiled": compiled, "refused": refused}


def judge(cases, compile_schema, accepts):
    """How many schemas are taken and judged right, with all of their instances."""
    counts = {"right": 0, "refused": 0, "wrongly accepted": 0, "wrongly rejected": 0}
    for case in cases:
        start = compile_schema(case["schema"])
        if start is None:
            counts["refused"] += 1
            continue
        wrong = [test["valid"] for test in case["tests"] if accepts(start(), test["text"]) != test["valid"]]
        counts["wrongly accepted"] += wrong.count(False)
        counts["wrongly rejected"] += wrong.count(True)
        counts["right"] += not wrong
    return counts


def llguidance(tokens, given):
    from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

    by_text = {}
    for number, text in enumerate(tokens):
        by_text.setdefault(text, number)

    class Tokenizer:
        eos_token_id = len(tokens)
        bos_token_id = None
        special_token_ids = [len(tokens)]

        def __init__(self):
            self.tokens = [*tokens, b"<|end|>"]

        def __call__(self, text):
            data = text.encode() if isinstance(text, str) else text
            return [by_text[data[at : at + 1]] for at in range(len(data))]

    tokenizer = LLTokenizer(TokenizerWrapper(Tokenizer()))

    def compile_schema(schema):
        matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_json_schema(schema))
        return None if matcher.is_error() else matcher.deep_copy

    if "compile" in given:
        return compile_schema

    def accepts(matcher, text):
        return all(matcher.consume_token(by_text[bytes([byte])]) for byte in text.encode()) and matcher.is_accepting()

    if "judged" in given:
        return judge(given["judged"], compile_schema, accepts)
    return measure(
        given["cases"],
        given["passes"],
        compile_schema,
        lambda m: m.compute_bitmask(),
        lambda m, token: m.consume_token(token),
    )


def xgrammar(tokens, given):
    import xgrammar as xgr

    info = xgr.TokenizerInfo(
        [*tokens, b"<|end|>"], vocab_type=xgr.VocabType.RAW, stop_token_ids=[len(tokens)]
    )
    compiler = xgr.GrammarCompiler(info, max_threads=1, cache_enabled=False)
    bitmask = xgr.allocate_token_bitmask(1, info.vocab_size)

    @cache
    def compile_schema(schema):
        try:
            grammar = compiler.compile_json_schema(schema, strict_mode=False)
        except Exception:
            return None
        return lambda: xgr.GrammarMatcher(grammar)

    def accepts(matcher, text):
        return matcher.accept_string(text) and matcher.accept_token(len(tokens))

    if "compile" in given:
        return lambda schema: xgr.Grammar.from_json_schema(schema, strict_mode=False)
    if "judged" in given:
        return judge(given["judged"], compile_schema, accepts)
    # Its masks are found when it compiles, which takes minutes: once for all passes.
    return measure(
        given["cases"],
        given["passes"],
        compile_schema,
        lambda m: m.fill_next_token_bitmask(bitmask),
        lambda m, token: m.accept_token(token),
    )


def milliseconds(compile_schema, schema):
    """Of processor time; nothing for a schema that is refused."""
    before = time.process_time()
    try:
        made = compile_schema(schema)
    except Exception:
        return None
    return None if made is None else 1000 * (time.process_time() - before)


def answer_lines(compilers):
    for line in sys.stdin:
        times = {name: milliseconds(each, line.strip()) for name, each in compilers.items()}
        print(json.dumps(times), flush=True)


def main():
    with open(sys.argv[1], encoding="utf8") as file:
        given = json.load(file)
    every_byte = [bytes([byte]) for byte in range(256)]
    tokens = [b64decode(text) for text in given["tokens"]] if "tokens" in given else every_byte
    found = {}
    for name, run in (("llguidance", llguidance), ("XGrammar", xgrammar)):
        try:
            found[name] = run(tokens, given)
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    if "compile" in given:
        answer_lines(found)
    else:
        print(json.dumps(found))


main()
