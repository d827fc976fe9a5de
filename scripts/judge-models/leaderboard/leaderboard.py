"""The Berkeley Function Calling Leaderboard as a judge, from the package `bfcl-eval`: its questions and its `ast_checker`.

  leaderboard.py questions SEED LONGEST CATEGORY=COUNT …   one JSON object a line: {id, category, messages, tools}
  leaderboard.py judge < ANSWERS                           {id, category, calls: [[name, JSON text], …]} a line in,
                                                           {id, right, why} a line out

LONGEST leaves out questions whose tools have more characters, which take small machines too long.
"""
import json
import os
import random
import sys

os.environ.setdefault('OPENAI_API_KEY', 'none')  # The package asks for one when it is imported, and never uses it here.

import bfcl_eval
from bfcl_eval.constants.enums import Language, ModelStyle
from bfcl_eval.constants.model_config import MODEL_CONFIG_MAPPING
from bfcl_eval.constants.type_mappings import GORILLA_TO_OPENAPI
from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker
from bfcl_eval.model_handler.utils import convert_to_tool

data = os.path.join(os.path.dirname(bfcl_eval.__file__), 'data')


def read_lines(*place):
    file = os.path.join(data, *place)
    if not os.path.exists(file):
        return []
    with open(file) as lines:
        return [json.loads(line) for line in lines]


def tools_of(entry):
    return convert_to_tool(entry['function'], GORILLA_TO_OPENAPI, ModelStyle.OPENAI_COMPLETIONS)


def draw(category, count, seed, longest):
    entries = read_lines(f'BFCL_v4_{category}.json')
    random.Random(f'{seed} {category}').shuffle(entries)
    drawn = []
    for entry in entries:
        tools = tools_of(entry)
        if len(drawn) < count and len(json.dumps(tools)) <= longest:
            drawn.append({'id': entry['id'], 'category': category, 'messages': entry['question'][0], 'tools': tools})
    return drawn


def ask(seed, longest, *wanted):
    columns = [draw(*(part.split('=')[0], int(part.split('=')[1]), seed, int(longest))) for part in wanted]
    # In turn, so that a run that is stopped is still a fair sample.
    for row in range(max(map(len, columns), default=0)):
        for column in columns:
            if row < len(column):
                print(json.dumps(column[row]))


def verdict(answer, entry, truth, kind):
    calls = [{name: json.loads(text)} for name, text in answer['calls']]
    if 'irrelevance' in answer['category']:
        return not calls, 'a call'
    if not calls:
        return False, 'no call'
    checked = ast_checker(entry['function'], calls, truth, Language.PYTHON, answer['category'], kind)
    return checked['valid'], str(checked.get('error'))[:200]


def judge():
    # Names with dots reach models with underscores; the checker undoes that for models it knows to be of this kind.
    kind = next(name for name, model in MODEL_CONFIG_MAPPING.items() if model.underscore_to_dot and 'FC' in name)
    answers = [json.loads(line) for line in sys.stdin]
    entries, truths = {}, {}
    for category in {answer['category'] for answer in answers}:
        entries.update((e['id'], e) for e in read_lines(f'BFCL_v4_{category}.json'))
        truths.update((e['id'], e['ground_truth']) for e in read_lines('possible_answer', f'BFCL_v4_{category}.json'))
    for answer in answers:
        right, why = verdict(answer, entries[answer['id']], truths.get(answer['id']), kind)
        print(json.dumps({'id': answer['id'], 'right': right, 'why': '' if right else why}))


command, *rest = sys.argv[1:]
ask(*rest) if command == 'questions' else judge()
