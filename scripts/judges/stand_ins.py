"""Loads modules of vLLM and SGLang without their engines: what those import is replaced by stand-ins."""
import importlib.abc
import importlib.machinery
import json
import os
import sys
import types

WHEELS = os.environ["IDIOLECT_JUDGE_WHEELS"]


class StandIn:
    """Stands for anything that is imported: a class to derive from, a decorator, a value, a type."""

    def __init__(self, name):
        self.__name__ = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(name)

    def __call__(self, *args, **keywords):
        decorates = len(args) == 1 and not keywords and callable(args[0]) and not isinstance(args[0], StandIn)
        return args[0] if decorates else StandIn(self.__name__)

    def __mro_entries__(self, bases):
        return ()

    def __or__(self, other):
        return self

    __ror__ = __getitem__ = __or__

    def __iter__(self):
        return iter(())

    def __bool__(self):
        return False

    def __lt__(self, other):
        return False

    __gt__ = __ge__ = __le__ = __lt__

    def __get_pydantic_core_schema__(self, source, handler=None):
        from pydantic_core import core_schema

        return core_schema.any_schema()


class StandInModule(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = StandIn(name)
        setattr(self, name, value)
        return value


class StandInFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules in `names`, and those below them."""

    def __init__(self, names):
        self.names = set(names)

    def find_spec(self, name, path=None, target=None):
        if any(name == each or name.startswith(each + ".") for each in self.names):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return StandInModule(spec.name)

    def exec_module(self, module):
        pass


def bare_package(name, path):
    """A package whose `__init__` does not run."""
    module = types.ModuleType(name)
    module.__path__ = [path]
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    module.__spec__.submodule_search_locations = [path]
    sys.modules[name] = module


def load(package, packages, replaced, imports):
    """Calls `imports` with every module missing on the way replaced."""
    sys.path.append(WHEELS)
    for name in packages:
        bare_package(name, os.path.join(WHEELS, *name.split(".")))
    finder = StandInFinder(replaced)
    sys.meta_path.insert(0, finder)
    while True:
        try:
            return imports()
        except ModuleNotFoundError as error:
            root = error.name.split(".")[0]
            if root in finder.names or root == package:
                raise
            finder.names.add(root)
            for name in [each for each in sys.modules if each.startswith(package + ".") and each not in packages]:
                del sys.modules[name]


def read_lines():
    return [json.loads(line) for line in sys.stdin if line.strip()]


def answer(value):
    sys.stdout.write(json.dumps(value) + "\n")


def pieces(text, markers, rng):
    """The text in pieces of one to eight characters; each marker is a piece of its own."""
    import re

    pattern = "(" + "|".join(map(re.escape, sorted(markers, key=len, reverse=True))) + ")" if markers else "(?!)"
    parts = []
    for index, part in enumerate(re.split(pattern, text)):
        if index % 2:
            parts.append(part)
            continue
        while part:
            length = rng.choice([1, 2, 3, 4, 5, 8])
            parts.append(part[:length])
            part = part[length:]
    return [part for part in parts if part]
