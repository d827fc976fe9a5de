"""Reads responses with SGLang's parsers; one JSON line in, one out."""
import logging
import random

logging.disable(logging.CRITICAL)

from stand_ins import answer, load, pieces, read_lines  # noqa: E402
import transformers  # noqa: E402, F401


def imports():
    from sglang.srt.entrypoints.openai.protocol import ChatCompletionRequest, Tool
    from sglang.srt.function_call.function_call_parser import FunctionCallParser
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    return FunctionCallParser, ReasoningParser, ChatCompletionRequest, Tool


REPLACED = ["torch", "xgrammar", "IPython", "triton", "orjson", "zmq", "uvloop", "psutil", "fastapi"]
Calls, Thoughts, Request, Tool = load("sglang", ["sglang", "sglang.srt"], REPLACED, imports)


def thoughts_of(case, request):
    if case["sglang"][1] is None or not (case["thinks"] or case["open"]):
        return None
    forced = True if case["open"] else None
    return Thoughts(case["sglang"][1], stream_reasoning=True, force_reasoning=forced, request=request)


def whole(case, request, tools):
    reasoning, content, calls = "", case["text"], []
    thoughts = thoughts_of(case, request)
    if thoughts is not None:
        reasoning, content = thoughts.parse_non_stream(content)
    if case["sglang"][0] is not None and content:
        parser = Calls(tools, case["sglang"][0])
        if parser.has_tool_call(content):
            content, found = parser.parse_non_stream(content)
            calls = [[each.name, each.parameters] for each in found]
    return dict(reasoning=reasoning, content=content, calls=calls)


def streamed(case, request, tools):
    reasoning, content, calls = "", "", {}
    thoughts = thoughts_of(case, request)
    parser = Calls(tools, case["sglang"][0]) if case["sglang"][0] is not None else None
    for part in pieces(case["text"], [], random.Random(case["id"])):
        if thoughts is not None:
            thought, part = thoughts.parse_stream_chunk(part)
            reasoning += thought or ""
        if parser is None or not part:
            content += part or ""
            continue
        text, found = parser.parse_stream_chunk(part)
        content += text or ""
        for each in found:
            entry = calls.setdefault(each.tool_index, ["", ""])
            entry[0] += each.name or ""
            entry[1] += each.parameters or ""
    return dict(reasoning=reasoning, content=content, calls=[calls[each] for each in sorted(calls)])


for case in read_lines():
    tools = [Tool(**each) for each in case["tools"]]
    thinks = case["thinks"]
    request = Request(
        model="m",
        messages=[dict(role="user", content="x")],
        tools=case["tools"],
        chat_template_kwargs=dict(
            enable_thinking=thinks, thinking=thinks, thinking_mode="enabled" if thinks else "disabled"
        ),
    )
    result = dict(id=case["id"])
    for name, read in (("whole", whole), ("streamed", streamed)):
        try:
            result[name] = read(case, request, tools)
        except Exception as error:
            result[name] = dict(error=repr(error)[:200])
    answer(result)
