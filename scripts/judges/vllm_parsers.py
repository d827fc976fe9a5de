"""Reads responses with vLLM's parsers; one JSON line in, one out. A byte-level tokenizer is made for each family."""
import logging
import os
import random

os.environ["VLLM_LOGGING_LEVEL"] = "CRITICAL"
logging.disable(logging.CRITICAL)

from stand_ins import answer, load, pieces, read_lines  # noqa: E402
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers  # noqa: E402
from transformers import PreTrainedTokenizerFast  # noqa: E402

REPLACED = ["torch", "xgrammar", "vllm.env_override", "vllm.utils.torch_utils"] + [
    f"vllm.{each}"
    for each in ["config", "platforms", "multimodal", "model_executor", "lora", "v1", "renderers", "engine"]
]


def imports():
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.parser.parser_manager import ParserManager

    return ParserManager, ChatCompletionRequest


Parsers, Request = load("vllm", ["vllm"], REPLACED, imports)
tokenizers = {}


def tokenizer_of(case):
    known = tokenizers.get(case["template"])
    if known is None:
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        made = Tokenizer(models.BPE(vocab={each: index for index, each in enumerate(alphabet)}, merges=[]))
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        made.decoder = decoders.ByteLevel()
        made.add_tokens([AddedToken(each, normalized=False, special=False) for each in case["markers"]])
        known = PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|endoftext|>")
        tokenizers[case["template"]] = known
    return known


def parser_of(case, request, tokenizer):
    tool, reasoning = case["vllm"]
    made = Parsers.get_parser(tool_parser_name=tool, reasoning_parser_name=reasoning, enable_auto_tools=True)
    parser = made(tokenizer, request.tools, chat_template_kwargs=request.chat_template_kwargs)
    prompt = tokenizer.encode(case["prompt"], add_special_tokens=False)
    try:
        parser.set_prompt_token_ids(prompt)
    except Exception:
        pass
    return parser, prompt


def whole(case, request, tokenizer):
    parser, _ = parser_of(case, request, tokenizer)
    ids = tokenizer.encode(case["text"], add_special_tokens=False)
    reasoning, content, calls = parser.parse(
        case["text"], request, enable_auto_tools=True, model_output_token_ids=ids
    )
    return dict(reasoning=reasoning, content=content, calls=[[each.name, each.arguments] for each in calls or []])


def streamed(case, request, tokenizer):
    parser, prompt = parser_of(case, request, tokenizer)
    reasoning, content, calls = "", "", {}
    parts = pieces(case["text"], case["markers"], random.Random(case["id"]))
    for index, part in enumerate(parts):
        ids = tokenizer.encode(part, add_special_tokens=False)
        last = index == len(parts) - 1
        delta = parser.parse_delta(part, ids, request, prompt if index == 0 else None, finished=last)
        if delta is None:
            continue
        reasoning += getattr(delta, "reasoning", None) or ""
        content += delta.content or ""
        for call in delta.tool_calls or []:
            entry = calls.setdefault(call.index, ["", ""])
            if call.function:
                entry[0] += call.function.name or ""
                entry[1] += call.function.arguments or ""
    return dict(reasoning=reasoning, content=content, calls=[calls[each] for each in sorted(calls)])


for case in read_lines():
    thinks = case["thinks"]
    request = Request(
        model="m",
        messages=[dict(role="user", content="x")],
        tools=case["tools"],
        tool_choice="auto",
        chat_template_kwargs=dict(
            enable_thinking=thinks, thinking=thinks, thinking_mode="enabled" if thinks else "disabled"
        ),
    )
    tokenizer = tokenizer_of(case)
    result = dict(id=case["id"])
    for name, read in (("whole", whole), ("streamed", streamed)):
        try:
            result[name] = read(case, request, tokenizer)
        except Exception as error:
            result[name] = dict(error=repr(error)[:200])
    answer(result)
