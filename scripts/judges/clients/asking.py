"""What clients are asked, and where: `asking.py URL MODEL`."""
import sys
from typing import Literal

from pydantic import BaseModel

url, model = sys.argv[1], sys.argv[2]
question = "How is the weather in Bern?"
schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
function = {"name": "get_weather", "description": "The weather in a city.", "parameters": schema}


class Place(BaseModel):
    # A choice, since nothing makes random weights end a string.
    city: Literal["Bern", "Oslo"]


class Report(BaseModel):
    place: Place
    sunny: bool


def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: The city.
    """
    return f"21 degrees in {city}"
