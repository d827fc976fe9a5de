"""Whether vLLM's structural tags for a demanded call allow texts, as XGrammar compiles them."""
import logging
import os

os.environ["VLLM_LOGGING_LEVEL"] = "CRITICAL"
logging.disable(logging.CRITICAL)

import tvm_ffi  # noqa: E402, F401 (before torch has a stand-in, which it would take for torch)

from stand_ins import answer, load, read_lines  # noqa: E402
from transformers import PreTrainedTokenizerFast  # noqa: E402
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers  # noqa: E402

REPLACED = ["torch", "psutil", "prometheus_client", "zmq", "vllm.env_override", "vllm.utils.torch_utils"] + [
    f"vllm.{each}"
    for each in ["config", "platforms", "multimodal", "model_executor", "lora", "v1", "renderers", "engine"]
]


def imports():
    import xgrammar
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.tool_parsers import ToolParserManager

    return xgrammar, ToolParserManager, ChatCompletionRequest


xgrammar, Parsers, Request = load("vllm", ["vllm"], REPLACED, imports)
from xgrammar.testing import _is_grammar_accept_string  # noqa: E402


def tokenizer_of(markers):
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={each: index for index, each in enumerate(alphabet)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_tokens([AddedToken(each, normalized=False, special=False) for each in markers])
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|endoftext|>")


def allowed(case):
    request = Request(
        model="m", messages=[dict(role="user", content="x")], tools=case["tools"], tool_choice="required"
    )
    parser = Parsers.get_tool_parser(case["parser"])(tokenizer_of(case["markers"]), request.tools)
    tag = parser.get_structural_tag(request)
    if tag is None:
        return None
    grammar = xgrammar.Grammar.from_structural_tag(tag)
    return [_is_grammar_accept_string(grammar, each) for each in case["texts"]]


for case in read_lines():
    try:
        answer(dict(id=case["id"], allowed=allowed(case)))
    except Exception as error:
        answer(dict(id=case["id"], error=repr(error)[:300]))
