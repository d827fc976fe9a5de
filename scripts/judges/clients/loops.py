"""Agents: each may call its tool, and comes to an end."""
import asyncio

from asking import Report, get_weather, model, question, url


def pydantic_ai():
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    chat = OpenAIChatModel(model, provider=OpenAIProvider(base_url=f"{url}/v1", api_key="any"))
    assert Agent(chat, tools=[get_weather]).run_sync(question).output


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


def langgraph():
    from langchain_openai import ChatOpenAI
    from langgraph.prebuilt import create_react_agent

    for use_responses_api in (False, True):
        chat = ChatOpenAI(model=model, base_url=f"{url}/v1", api_key="any", use_responses_api=use_responses_api)
        agent = create_react_agent(chat, [get_weather], response_format=Report)
        answer = agent.invoke({"messages": [("user", question)]}, {"recursion_limit": 9})
        assert isinstance(answer["structured_response"], Report)


def autogen():
    from autogen_agentchat.agents import AssistantAgent
    from autogen_core.models import ModelFamily, ModelInfo
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    async def run(**options):
        flags = dict(vision=False, function_calling=True, json_output=True, structured_output=True)
        info = ModelInfo(**flags, family=ModelFamily.UNKNOWN)
        chat = OpenAIChatCompletionClient(model=model, base_url=f"{url}/v1", api_key="any", model_info=info)
        return (await AssistantAgent("weather", model_client=chat, **options).run(task=question)).messages[-1].content

    for model_client_stream in (False, True):
        assert asyncio.run(run(tools=[get_weather], reflect_on_tool_use=True, model_client_stream=model_client_stream))
    assert isinstance(asyncio.run(run(output_content_type=Report)), Report)


def semantic_kernel():
    from openai import AsyncOpenAI
    from semantic_kernel.agents import ChatCompletionAgent
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
    from semantic_kernel.functions import KernelArguments, kernel_function

    class Weather:
        @kernel_function(name="get_weather", description="The weather in a city.")
        def get_weather(self, city: str) -> str:
            return get_weather(city)

    async def run():
        server = AsyncOpenAI(base_url=f"{url}/v1", api_key="any")
        chat = OpenAIChatCompletion(ai_model_id=model, async_client=server)
        agent = ChatCompletionAgent(service=chat, plugins=[Weather()])
        assert (await agent.get_response(question)).content
        assert [each async for each in agent.invoke_stream(question)]
        arguments = KernelArguments(OpenAIChatPromptExecutionSettings(response_format=Report))
        answer = await ChatCompletionAgent(service=chat, arguments=arguments).get_response(question)
        Report.model_validate_json(str(answer.content))

    asyncio.run(run())


def agno():
    from agno.agent import Agent
    from agno.models.anthropic import Claude
    from agno.models.openai import OpenAIChat, OpenAIResponses

    server = dict(id=model, base_url=f"{url}/v1", api_key="any")
    claude = dict(id=model, api_key="any", client_params=dict(base_url=url), max_tokens=300)
    for kind, named in ((OpenAIChat, server), (OpenAIResponses, server), (Claude, claude)):
        agent = Agent(model=kind(**named), tools=[get_weather], tool_call_limit=3, telemetry=False)
        assert agent.run(question).content and list(agent.run(question, stream=True))
        if kind is not Claude:
            agent = Agent(model=kind(**named), output_schema=Report, telemetry=False)
            assert isinstance(agent.run(question).content, Report)


def strands():
    from strands import Agent, tool
    from strands.models.anthropic import AnthropicModel
    from strands.models.openai import OpenAIModel

    server = dict(client_args=dict(base_url=f"{url}/v1", api_key="any"))
    claude = dict(client_args=dict(base_url=url, api_key="any"), max_tokens=300)
    for kind, named in ((OpenAIModel, server), (AnthropicModel, claude)):
        agent = Agent(model=kind(model_id=model, **named), tools=[tool(get_weather)], callback_handler=None)
        assert isinstance(agent(question, structured_output_model=Report).structured_output, Report)


def google_adk():
    from google.adk.agents import LlmAgent
    from google.adk.models.lite_llm import LiteLlm
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    async def run(**options):
        chat = LiteLlm(model=f"openai/{model}", api_base=f"{url}/v1", api_key="any")
        runner = InMemoryRunner(agent=LlmAgent(name="weather", model=chat, **options), app_name="weather")
        session = await runner.session_service.create_session(app_name="weather", user_id="any")
        message = types.Content(role="user", parts=[types.Part(text=question)])
        events = [each async for each in runner.run_async(user_id="any", session_id=session.id, new_message=message)]
        return "".join(part.text or "" for part in events[-1].content.parts if not part.thought)

    assert asyncio.run(run(tools=[get_weather]))
    Report.model_validate_json(asyncio.run(run(output_schema=Report)))


judges = (pydantic_ai, openai_agents, smolagents, langgraph, autogen, semantic_kernel, agno, strands, google_adk)
