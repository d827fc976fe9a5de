"""Prompts as OpenAI's harmony writes them, from conversations in the form of chat completions."""
import os

from stand_ins import answer, read_lines

os.environ["TIKTOKEN_ENCODINGS_BASE"] = os.environ["IDIOLECT_JUDGE_VOCABULARY"]
from openai_harmony import (  # noqa: E402
    Author,
    Conversation,
    DeveloperContent,
    HarmonyEncodingName,
    Message,
    ReasoningEffort,
    Role,
    SystemContent,
    ToolDescription,
    load_harmony_encoding,
)

encoding = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)


def described(tool):
    function = tool["function"]
    return ToolDescription.new(function["name"], function["description"], function.get("parameters"))


def beginning(case):
    """The system message, and the developer's with instructions and tools."""
    system = SystemContent.new().with_conversation_start_date(case["date"])
    yield Message.from_role_and_content(Role.SYSTEM, system.with_reasoning_effort(ReasoningEffort.MEDIUM))
    instructions = [each["content"] for each in case["messages"] if each["role"] == "system"]
    if not instructions and not case["tools"]:
        return
    developer = DeveloperContent.new()
    if instructions:
        developer = developer.with_instructions(instructions[0])
    if case["tools"]:
        developer = developer.with_function_tools([described(each) for each in case["tools"]])
    yield Message.from_role_and_content(Role.DEVELOPER, developer)


def spoken(message):
    """A message of the assistant: thoughts, a preamble or an answer, and calls."""

    def said(text, channel):
        return Message.from_role_and_content(Role.ASSISTANT, text).with_channel(channel)

    calls = message.get("tool_calls") or []
    if message.get("reasoning_content"):
        yield said(message["reasoning_content"], "analysis")
    if message.get("content"):
        yield said(message["content"], "commentary" if calls else "final")
    for call in calls:
        made = said(call["function"]["arguments"], "commentary")
        recipient = "functions." + call["function"]["name"]
        yield made.with_recipient(recipient).with_content_type("<|constrain|>json")


def reported(message, answered):
    """A result; harmony knows it by the name of its tool, and puts it after its call."""
    author = Author.new(Role.TOOL, "functions." + answered[message["tool_call_id"]])
    made = Message.from_author_and_content(author, message["content"])
    return made.with_channel("commentary").with_recipient("assistant")


def conversation(case):
    answered = {}
    results = {each["tool_call_id"]: each for each in case["messages"] if each["role"] == "tool"}
    yield from beginning(case)
    for message in case["messages"]:
        if message["role"] == "user":
            yield Message.from_role_and_content(Role.USER, message["content"])
        if message["role"] != "assistant":
            continue
        calls = iter(message.get("tool_calls") or [])
        for call in message.get("tool_calls") or []:
            answered[call["id"]] = call["function"]["name"]
        for each in spoken(message):
            yield each
            if each.recipient is not None:
                call = next(calls)
                if call["id"] in results:
                    yield reported(results[call["id"]], answered)


for case in read_lines():
    messages = Conversation.from_messages(list(conversation(case)))
    tokens = encoding.render_conversation_for_completion(messages, Role.ASSISTANT)
    answer(dict(id=case["id"], prompt=encoding.decode(tokens)))
