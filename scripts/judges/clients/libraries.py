"""Libraries that speak the APIs."""
import json

from asking import Report, function, get_weather, model, question, schema, url


def openai():
    from openai import OpenAI

    client = OpenAI(base_url=f"{url}/v1", api_key="any", _strict_response_validation=True)
    tools = [{"type": "function", "function": function}]
    asked = dict(model=model, messages=[{"role": "user", "content": question}], tools=tools, tool_choice="required")
    call = client.chat.completions.create(**asked).choices[0].message.tool_calls[0]
    assert "city" in json.loads(call.function.arguments)
    chunks = list(client.chat.completions.create(**asked, stream=True))
    assert chunks[-1].choices[0].finish_reason == "tool_calls"
    response = client.responses.create(
        model=model, input=question, tools=[{"type": "function", **function}], tool_choice="required"
    )
    assert any(item.type == "function_call" for item in response.output)
    assert model in [each.id for each in client.models.list()]


def anthropic():
    from anthropic import Anthropic

    client = Anthropic(base_url=url, api_key="any", _strict_response_validation=True)
    tools = [{"name": "get_weather", "input_schema": schema}]
    asked = dict(model=model, max_tokens=300, messages=[{"role": "user", "content": question}], tools=tools)
    message = client.messages.create(**asked, tool_choice={"type": "any"})
    assert message.stop_reason == "tool_use" and "city" in message.content[-1].input
    with client.messages.stream(**asked) as stream:
        assert stream.get_final_message().usage.output_tokens > 0


def langchain():
    from langchain_anthropic import ChatAnthropic
    from langchain_openai import ChatOpenAI

    for chat in (
        ChatOpenAI(model=model, base_url=f"{url}/v1", api_key="any"),
        ChatAnthropic(model=model, base_url=url, api_key="any", max_tokens=300),
    ):
        call = chat.bind_tools([get_weather], tool_choice="any").invoke(question).tool_calls[0]
        assert call["name"] == "get_weather"


def litellm():
    import litellm as client

    for name, base in ((f"openai/{model}", f"{url}/v1"), (f"anthropic/{model}", url)):
        answer = client.completion(
            model=name,
            api_base=base,
            api_key="any",
            max_tokens=300,
            messages=[{"role": "user", "content": question}],
            tools=[{"type": "function", "function": function}],
            tool_choice="required",
        )
        assert answer.choices[0].message.tool_calls[0].function.name == "get_weather"


def instructor():
    import instructor as client
    from openai import OpenAI
    from pydantic import BaseModel

    class Weather(BaseModel):
        city: str

    patched = client.from_openai(OpenAI(base_url=f"{url}/v1", api_key="any"), mode=client.Mode.TOOLS)
    messages = [{"role": "user", "content": question}]
    assert isinstance(patched.create(model=model, messages=messages, response_model=Weather), Weather)


def prometheus():
    from urllib.request import urlopen

    from prometheus_client.parser import text_string_to_metric_families

    families = list(text_string_to_metric_families(urlopen(f"{url}/metrics").read().decode()))
    counted = {family.name: sum(sample.value for sample in family.samples) for family in families}
    assert counted["idiolect_requests"] > 0 and counted["idiolect_completion_tokens"] > 0
    assert any(family.type == "histogram" for family in families)


def llama_index():
    from llama_index.core.llms import ChatMessage
    from llama_index.core.tools import FunctionTool
    from llama_index.llms.openai_like import OpenAILike

    named = dict(model=model, api_base=f"{url}/v1", api_key="any", is_function_calling_model=True)
    chat = OpenAILike(**named, is_chat_model=True, should_use_structured_outputs=True)
    messages = [ChatMessage(role="user", content=question)]
    streamed = [each.message.content for each in chat.stream_chat(messages)]
    assert streamed[-1] == chat.chat(messages).message.content
    assert isinstance(chat.as_structured_llm(Report).chat(messages).raw, Report)
    weather = FunctionTool.from_defaults(get_weather)
    assert chat.predict_and_call([weather], question, tool_required=True).sources[0].tool_name == "get_weather"
    # Its default is /v1/completions.
    assert OpenAILike(**named, max_tokens=9).complete(question).text


def haystack():
    from haystack.components.generators.chat import OpenAIChatGenerator, OpenAIResponsesChatGenerator
    from haystack.dataclasses import ChatMessage
    from haystack.tools import create_tool_from_function
    from haystack.utils import Secret

    named = dict(model=model, api_base_url=f"{url}/v1", api_key=Secret.from_token("any"))
    messages = [ChatMessage.from_user(question)]
    tools = [create_tool_from_function(get_weather)]
    for generator, format in ((OpenAIChatGenerator, "response_format"), (OpenAIResponsesChatGenerator, "text_format")):
        for streaming_callback in (None, lambda chunk: None):
            chat = generator(**named, tools=tools, streaming_callback=streaming_callback)
            reply = chat.run(messages, generation_kwargs={"tool_choice": "required"})["replies"][0]
            assert "city" in reply.tool_calls[0].arguments
        reply = generator(**named).run(messages, generation_kwargs={format: Report})["replies"][0]
        Report.model_validate_json(reply.text)


def mirascope():
    from mirascope import llm as client

    client.register_provider("openai", scope="openai/", base_url=f"{url}/v1", api_key="any")
    for api in ("completions", "responses"):
        chat = client.Model(f"openai/{model}:{api}")
        streamed = chat.stream(question, tools=[client.tool(get_weather)])
        streamed.finish()
        assert streamed.tool_calls or streamed.text()
        for mode in ("tool", "strict"):
            assert isinstance(chat.call(question, format=client.format(Report, mode=mode)).parse(), Report)


def llm():
    from llm.default_plugins.openai_models import Chat, Completion

    chat = Chat("chat", model_name=model, api_base=f"{url}/v1", supports_tools=True, supports_schema=True)
    for stream in (False, True):
        asked = dict(key="any", stream=stream)
        assert chat.chain(question, tools=[get_weather], **asked).text()
        Report.model_validate_json(chat.prompt(question, schema=Report, **asked).text())
    assert Completion("text", model_name=model, api_base=f"{url}/v1").prompt(question, key="any", max_tokens=9).text()


def outlines():
    from typing import Literal

    import outlines as client
    from openai import OpenAI

    server = OpenAI(base_url=f"{url}/v1", api_key="any")
    for kind in (client.from_openai, client.from_vllm, client.from_sglang):
        chat = kind(server, model)
        Report.model_validate_json(chat(question, Report))
        Report.model_validate_json("".join(chat.stream(question, Report)))
        if kind is not client.from_openai:
            assert chat(question, Literal["sun", "rain"]) in ("sun", "rain")


def guidance():
    import guidance as client

    chat = client.models.OpenAI(model, base_url=f"{url}/v1", api_key="any", echo=False)
    with client.user():
        chat += question
    with client.assistant():
        chat += client.json("report", schema=Report)
    Report.model_validate_json(chat["report"])


judges = (openai, anthropic, langchain, litellm, instructor, llama_index, haystack, mirascope, llm, outlines, guidance)
