"""Clients of Python against a server: each asks for a call, or for an answer, and reads what it gets, alone and then
four at once.

Run by main.ts. A client that is not installed is skipped. One line of JSON each: [name, outcome, detail].
"""
import json
import os
import warnings
from concurrent.futures import ThreadPoolExecutor

warnings.filterwarnings("ignore")
# None of them reports to its makers.
for name in ("AGNO_TELEMETRY", "HAYSTACK_TELEMETRY_ENABLED"):
    os.environ[name] = "false"
os.environ.update(OTEL_SDK_DISABLED="true", LITELLM_LOCAL_MODEL_COST_MAP="true")

import libraries
import loops


def outcome(judge):
    try:
        judge()
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: judge(), range(4)))
        return ["passed", ""]
    except ImportError as error:
        return ["skipped", str(error)]
    except Exception as error:
        return ["failed", f"{type(error).__name__}: {error}"[:600]]


for judge in (*libraries.judges, *loops.judges, libraries.prometheus):
    print(json.dumps([judge.__name__, *outcome(judge)]), flush=True)
