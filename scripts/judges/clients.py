"""Clients of Python against a server: each asks for a call, or for an answer, and reads what it gets.

Run by clients.ts. A client that is not installed is skipped. One line of JSON each: [name, outcome, detail].
"""
import json
import sys
import warnings

warnings.filterwarnings("ignore")
url, model = sys.argv[1], sys.argv[2]
question = "How is the weather in Bern?"
schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
function = {"name": "get_weather", "description": "The weather in a city.", "parameters": schema}


def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: The city.
    """
    return f"21 degrees in {city}"


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


def pydantic_ai():
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    chat = OpenAIChatModel(model, provider=OpenAIProvider(base_url=f"{url}/v1", api_key="any"))
    assert Agent(chat, tools=[get_weather]).run_sync(question).output


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


def openai_agents():
    from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    chat = OpenAIChatCompletionsModel(model=model, openai_client=AsyncOpenAI(base_url=f"{url}/v1", api_key="any"))
    agent = Agent(name="weather", model=chat, tools=[function_tool(get_weather)])
    assert Runner.run_sync(agent, question, max_turns=5).final_output


def smolagents():
    from smolagents import OpenAIModel, Tool, ToolCallingAgent

    class Weather(Tool):
        name = "get_weather"
        description = "The weather in a city."
        inputs = {"city": {"type": "string", "description": "The city."}}
        output_type = "string"

        def forward(self, city: str) -> str:
            return get_weather(city)

    chat = OpenAIModel(model_id=model, api_base=f"{url}/v1", api_key="any")
    agent = ToolCallingAgent(tools=[Weather()], model=chat, max_steps=2, verbosity_level=0)
    list(agent.run(question, stream=True))


def prometheus():
    from urllib.request import urlopen

    from prometheus_client.parser import text_string_to_metric_families

    families = list(text_string_to_metric_families(urlopen(f"{url}/metrics").read().decode()))
    counted = {family.name: sum(sample.value for sample in family.samples) for family in families}
    assert counted["idiolect_requests"] > 0 and counted["idiolect_completion_tokens"] > 0
    assert any(family.type == "histogram" for family in families)


for judge in (openai, anthropic, langchain, pydantic_ai, litellm, instructor, openai_agents, smolagents, prometheus):
    try:
        judge()
        outcome = ["passed", ""]
    except ImportError as error:
        outcome = ["skipped", str(error)]
    except Exception as error:
        outcome = ["failed", f"{type(error).__name__}: {error}"[:600]]
    print(json.dumps([judge.__name__, *outcome]), flush=True)
