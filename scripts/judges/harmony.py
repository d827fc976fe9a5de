"""Reads responses with OpenAI's StreamableParser, whole and, if asked, up to every token."""
import os

from stand_ins import answer, read_lines

os.environ["TIKTOKEN_ENCODINGS_BASE"] = os.environ["IDIOLECT_JUDGE_VOCABULARY"]
from openai_harmony import HarmonyEncodingName, Role, StreamableParser, load_harmony_encoding  # noqa: E402

encoding = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)


def without_prefix(recipient):
    return recipient[10:] if recipient.startswith("functions.") else recipient


def reading(parser, with_open):
    """The assistant's messages: thoughts, texts, and calls; the open one counts while its content is read."""
    found = [
        (each.channel, each.recipient, "".join(part.text for part in each.content))
        for each in parser.messages
        if each.author.role == Role.ASSISTANT
    ]
    if with_open and parser.state.value == "Content" and parser.current_role == Role.ASSISTANT:
        found.append((parser.current_channel, parser.current_recipient, parser.current_content))
    thoughts, texts, calls = [], [], []
    for channel, recipient, text in found:
        if recipient not in (None, "assistant", "all"):
            calls.append([without_prefix(recipient), text])
        else:
            (thoughts if channel == "analysis" else texts).append(text)
    return dict(reasoning="\n".join(thoughts), content="\n".join(texts), calls=calls)


for case in read_lines():
    tokens = encoding.encode(case["text"], allowed_special="all")
    parser = StreamableParser(encoding, Role.ASSISTANT, strict=False)
    cuts = []
    try:
        for index, token in enumerate(tokens):
            parser.process(token)
            text = encoding.decode(tokens[: index + 1]) if case["cuts"] else ""
            if case["cuts"] and "\ufffd" not in text:
                cuts.append(dict(text=text, reading=reading(parser, True), state=parser.state.value))
        parser.process_eos()
        answer(dict(id=case["id"], whole=reading(parser, True), cuts=cuts))
    except Exception as error:
        answer(dict(id=case["id"], whole=dict(error=str(error)[:200]), cuts=cuts))
