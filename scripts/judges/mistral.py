"""Mistral's own code: its text of a message, and whether its grammar for a demanded call allows a text."""
import json
import os
import re
import tempfile
import warnings

warnings.filterwarnings("ignore")

import llguidance  # noqa: E402
import mistral_common  # noqa: E402
from mistral_common.guidance.grammar_factory import GrammarFactory  # noqa: E402
from mistral_common.integrations.chat_templates.chat_templates import generate_chat_template  # noqa: E402
from mistral_common.protocol.instruct.messages import AssistantMessage  # noqa: E402
from mistral_common.protocol.instruct.request import ChatCompletionRequest  # noqa: E402
from mistral_common.protocol.instruct.tool_calls import Function, Tool, ToolChoiceEnum  # noqa: E402
from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy, TokenizerVersion  # noqa: E402
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer  # noqa: E402
from mistral_common.tokens.tokenizers.tekken import Tekkenizer  # noqa: E402

from stand_ins import answer, read_lines  # noqa: E402

DATA = os.path.join(os.path.dirname(mistral_common.__file__), "data")
SPECIAL = ["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]"]
SENTENCEPIECE = {
    "v1spm": "tokenizer.model.v1",
    "v2spm": "mistral_instruct_tokenizer_240216.model.v2",
    "v3spm": "mistral_instruct_tokenizer_240323.model.v3",
    "v7spm": "mistral_instruct_tokenizer_241114.model.v7",
}
made = {}


def tokenizer_of(version):
    """The vocabulary of the package's data, as a tokenizer of this version: `v11`, or `v3spm` for SentencePiece."""
    if version in SENTENCEPIECE:
        made.setdefault(version, MistralTokenizer.from_file(os.path.join(DATA, SENTENCEPIECE[version])))
    if version not in made:
        with open(os.path.join(DATA, "tekken_240718.json")) as file:
            data = json.load(file)
        data["config"]["version"] = version
        known = [dict(each) for each in Tekkenizer.DEPRECATED_SPECIAL_TOKENS]
        texts = {each["token_str"] for each in known}
        for text in SPECIAL + ["[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]", "[MODEL_SETTINGS]", "[/MODEL_SETTINGS]"]:
            if text not in texts:
                known.append(dict(rank=len(known), token_str=text, is_control=True))
        data["special_tokens"] = known
        if version == "v15":
            effort = dict(type="enum", values=["none", "high"], accepts_none=True, default="none")
            data["model_settings_builder"] = dict(reasoning_effort=effort)
        path = os.path.join(tempfile.mkdtemp(), "tekken.json")
        with open(path, "w") as file:
            json.dump(data, file)
        made[version] = MistralTokenizer.from_file(path)
    return made[version]


def in_parts(message):
    """Thoughts are a part of the content there."""
    thoughts = message.pop("reasoning_content", None)
    if thoughts is not None:
        parts = [dict(type="thinking", thinking=thoughts, closed=True)]
        message["content"] = parts + ([dict(type="text", text=message["content"])] if message["content"] else [])
    return message


def official(message):
    return AssistantMessage.from_openai(in_parts(message))


def written(case):
    instruct = tokenizer_of(case["version"]).instruct_tokenizer
    tokens = instruct.encode_assistant_message(official(case["message"]), False)
    text = instruct.tokenizer.decode(tokens, SpecialTokenPolicy.KEEP)
    if case["version"] in SENTENCEPIECE:
        text = plain(text)
    return text[:-4] if text.endswith("</s>") else text


def template(case):
    """The chat template that the package makes for a version, which is what its models are published with."""
    version = case["template"]
    return generate_chat_template(
        spm=version in SENTENCEPIECE,
        tokenizer_version=TokenizerVersion(version.removesuffix("spm")),
        image_support=False,
        audio_support=False,
        thinking_support=case["thinks"],
        default_system_prompt=None,
        plain_thinking_support=False,
        use_special_token_variables=True,
        model_settings_fields=None,
        reasoning_effort_values=("none", "high") if version == "v15" else None,
        reasoning_effort_default="none" if version == "v15" else None,
    )


def in_characters(found):
    return bytes.fromhex(found[0].replace("<0x", "").replace(">", "")).decode("utf-8", "replace")


def plain(pieces):
    """SentencePiece's blanks and bytes are pieces of their own."""
    return re.sub(r"(?:<0x[0-9A-F]{2}>)+", in_characters, pieces.replace("\u2581", " "))


def prompt(case):
    """A conversation as text."""
    tokenizer = tokenizer_of(case["version"])
    messages = [in_parts(each) for each in case["messages"]]
    request = ChatCompletionRequest.from_openai(messages=messages, tools=case["tools"] or None)
    encoded = tokenizer.encode_chat_completion(request)
    if case["version"] in SENTENCEPIECE:
        return plain(encoded.text)
    return tokenizer.instruct_tokenizer.tokenizer.decode(encoded.tokens, SpecialTokenPolicy.KEEP)


def tokens_of(tokenizer, text):
    found = []
    for index, part in enumerate(re.split("(" + "|".join(map(re.escape, SPECIAL)) + ")", text)):
        if index % 2:
            if not tokenizer.is_special(part):
                return None
            found.append(tokenizer.get_special_token(part))
        elif part:
            found += tokenizer.encode(part, bos=False, eos=False)
    return found


def allowed(case):
    tokenizer = tokenizer_of(case["version"])
    factory = GrammarFactory(tokenizer)
    tools = [
        Tool(
            function=Function(
                name=each["function"]["name"],
                description="d",
                parameters=each["function"]["parameters"],
                strict=True,
            )
        )
        for each in case["tools"]
    ]
    lark = factory.get_lark_from_jinja(
        factory.select_jinja_template(), ToolChoiceEnum.required, tools, None, True, False, False
    )
    results = []
    for text in case["texts"]:
        tokens = tokens_of(tokenizer.instruct_tokenizer.tokenizer, text)
        matcher = llguidance.LLMatcher(factory.llg_tokenizer, llguidance.grammar_from("lark", lark))
        accepts = tokens is not None and all(matcher.consume_token(each) for each in tokens)
        results.append(bool(accepts and matcher.is_accepting() and not matcher.is_error()))
    return results


for case in read_lines():
    try:
        if "template" in case:
            value = dict(text=template(case))
        elif "messages" in case:
            value = dict(text=prompt(case))
        elif "message" in case:
            value = dict(text=written(case))
        else:
            value = dict(allowed=allowed(case))
    except Exception as error:
        value = dict(error=repr(error)[:300])
    answer(dict(id=case["id"], **value))
