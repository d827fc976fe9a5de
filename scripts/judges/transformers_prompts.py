"""Prompts as transformers renders them, for each form of messages that a template may read."""
import copy
import json
import logging
import os

os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
logging.disable(logging.CRITICAL)

from transformers.utils import chat_template_utils  # noqa: E402

from stand_ins import answer, read_lines  # noqa: E402

MISSING = object()


def forms(messages):
    """Arguments as an object or as text; empty content as "", None or no key."""
    found = []
    for as_object in (True, False):
        for empty in ("", None, MISSING):
            changed = copy.deepcopy(messages)
            for message in changed:
                for call in message.get("tool_calls") or []:
                    if as_object:
                        call["function"]["arguments"] = json.loads(call["function"]["arguments"])
                if message["role"] == "assistant" and message.get("content") == "":
                    if empty is MISSING:
                        del message["content"]
                    else:
                        message["content"] = empty
            if changed not in found:
                found.append(changed)
    return found


def in_parts(messages):
    """Texts as lists of parts, which some templates read and nothing else."""
    changed = copy.deepcopy(messages)
    for message in changed:
        if isinstance(message.get("content"), str):
            message["content"] = [dict(type="text", text=message["content"])] if message["content"] else []
    return changed


def rendered(case, messages):
    prompts = []
    for form in messages:
        try:
            texts, _ = chat_template_utils.render_jinja_template(
                [form],
                tools=copy.deepcopy(case["tools"]) or None,
                chat_template=case["source"],
                add_generation_prompt=not case["continues"],
                continue_final_message=case["continues"],
                bos_token="<s>",
                eos_token="</s>",
            )
            prompts.append(texts[0])
        except Exception:
            pass
    return prompts


for case in read_lines():
    prompts = rendered(case, forms(case["messages"]))
    asked = [each["content"].strip() for each in case["messages"] if each["role"] == "user"][-1]
    if prompts and not any(asked in each for each in prompts):
        prompts = rendered(case, [in_parts(each) for each in forms(case["messages"])])
    answer(dict(id=case["id"], prompts=prompts))
