/**
 * Templates that want to cost more than they may: each is made larger by a number. Most are small sources that work on
 * texts of that length; some grow themselves.
 */

/** The source of one kind at a size; `messages[0].content` is a text, too. */
export type HostileTemplate = (size: number) => string;

/** A text of `size` thousand characters, as a template makes it. */
const text = (size: number, part = '<'): string => `{% set t = ${JSON.stringify(part)} * ${1000 * size} %}`;
/** `body` in a loop over a text of `size` thousand characters. */
const often = (size: number, body: string, part = 'a b<'): string =>
  `${text(size, part)}{% for i in range(${1000 * size}) %}${body}{% endfor %}`;
const once =
  (expression: string, part?: string): HostileTemplate =>
  (size) =>
    `${text(size, part)}{% set x = ${expression} %}done`;
const looped =
  (expression: string, part?: string): HostileTemplate =>
  (size) =>
    often(size, `{% set x = ${expression} %}`, part);
const list = (size: number): string => `{% set l = range(${1000 * size}) | list %}`;
const onList =
  (expression: string): HostileTemplate =>
  (size) =>
    `${list(size)}{% for i in range(${100 * size}) %}{% set x = ${expression} %}{% endfor %}`;

/** By name. */
export const hostileTemplates: Readonly<Record<string, HostileTemplate>> = {
  'recursive loops': (size) =>
    `{% for i in range(${size}) recursive %}{{ loop(range(${size})) }}{% endfor %}`,
  'recursive loops over text': (size) =>
    `${text(size)}{% for i in [1] recursive %}{{ t }}{{ loop([1]) }}{% endfor %}`,
  'expressions on one line': (size) => '{{ 1 }}'.repeat(300 * size),
  'statements on one line': (size) => '{% set a = 1 %}'.repeat(300 * size),
  'comments and text on one line': (size) => '{# a #}b{{ 1 }}'.repeat(300 * size),
  'blocks that do not end, on one line': (size) => '{% if a %}'.repeat(300 * size),
  'nested with': (size) => `${'{% with a=1 %}'.repeat(100 * size)}${'{% endwith %}'.repeat(100 * size)}`,
  'chains of filter blocks': (size) => `{% filter ${'upper|'.repeat(100 * size)}lower %}a{% endfilter %}`,
  xmlattr: looped('{"a": t}|xmlattr'),
  'pprint of nested lists': (size) =>
    `{% set x = ${'['.repeat(30)}1${']'.repeat(30)} %}${often(size, '{{ x|pprint }}')}`,
  // Filters of text, on one long text and in a loop.
  'striptags of openers': once('t | striptags'),
  'striptags of comments': once('t | striptags', '<!--'),
  'striptags of tags': once('t | striptags', '<a>'),
  'striptags of white space': once('t | striptags', ' \n'),
  'title in a loop': looped('t | title'),
  'title of signs in a loop': looped('t | title', '<'),
  'str.title in a loop': looped('t.title()'),
  'capitalize in a loop': looped('t | capitalize'),
  'upper in a loop': looped('t | upper', 'ß'),
  'lower in a loop': looped('t | lower', 'İ'),
  'swapcase in a loop': looped('t.swapcase()'),
  'trim in a loop': looped('t | trim', ' '),
  'trim of a set': looped('t | trim(t)'),
  'strip of a long set': looped('t.strip(t)', 'ab'),
  'escape in a loop': looped('t | e', '"'),
  'urlencode in a loop': looped('t | urlencode', 'é'),
  'wordcount in a loop': looped('t | wordcount'),
  'indent in a loop': looped('t | indent(1)', '\n'),
  'indent by much': once('t | indent(100000)', '\n'),
  'center by much': (size) => `{% set x = "a" | center(${1_000_000 * size}) %}`,
  'ljust by much': (size) => `{% set x = "a".ljust(${1_000_000 * size}) %}`,
  'zfill by much': (size) => `{% set x = "1".zfill(${1_000_000 * size}) %}`,
  'truncate in a loop': looped('t | truncate(500)'),
  'replace by longer': once('t | replace("<", t)'),
  'replace of nothing': looped('t.replace("", "<>")'),
  'replace, nearly found': once(
    `t.replace("${'a'.repeat(60)}b", "")`,
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  ),
  'split in a loop': looped('t.split("<")'),
  'split at white space': looped('t.split()', ' a'),
  'rsplit in a loop': looped('t.rsplit("<", 1)'),
  'splitlines in a loop': looped('t.splitlines()', '\r\n'),
  'partition in a loop': looped('t.partition("x")'),
  'count in a loop': looped('t.count("a")'),
  'find in a loop': looped('t.find("x", 1)', 'a🙂'),
  'startswith in a loop': looped('t.startswith(t)'),
  'reverse in a loop': looped('t | reverse'),
  'list of characters in a loop': looped('t | list'),
  'length of astral text': looped('t | length', '🙂'),
  'index of astral text': looped('t[0]', '🙂'),
  'slices in a loop': looped('t[1:-1:2]'),
  'slices of astral text': looped('t[1:]', '🙂'),
  'comparisons in a loop': looped('t < t ~ "a"'),
  'containment in a loop': looped('"x" in t'),
  'format in a loop': looped('"%s%s" | format(t, t)'),
  'format with a width': (size) => `{% set x = "%${1_000_000 * size}s" % "a" %}`,
  'str.format with a width': (size) => `{% set x = "{:>${1_000_000 * size}}".format("a") %}`,
  'tojson in a loop': looped('t | tojson', '"'),
  'tojson with an indent': once('[t, [t]] | tojson(indent=100000)'),
  'tojson of a deep list': (size) =>
    `{% set ns = namespace(l=[]) %}{% for i in range(${1000 * size}) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l | tojson }}`,
  'a printed deep list': (size) =>
    `{% set ns = namespace(l=[]) %}{% for i in range(${1000 * size}) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}`,
  'from_json in a loop': looped('("[" ~ t ~ "]") | from_json', '"a",'),
  'strftime_now with a long format': looped('strftime_now(t)', '%c'),
  // Keys, names and paths that are long.
  'a key in a loop': looped('{t ~ i: 1}'),
  'a tuple as a key': looped('{(t, i): 1}'),
  'a key that is not there': (size) => `{% set d = {} %}${looped('d.get(t ~ i)')(size)}`,
  'a tuple in a dictionary': (size) => `{% set d = {} %}${looped('(t, i) in d')(size)}`,
  'keys with a default': (size) => `{% set d = {} %}${looped('d.setdefault(t ~ "a", 1)')(size)}`,
  'keys that are taken away': (size) => `{% set d = {} %}${looped('d.pop(t ~ i, 1)')(size)}`,
  'dictionaries that differ': (size) =>
    `{% set d = {} %}{% set e = {} %}{% for i in range(${1000 * size}) %}{% set _ = d.update([[i, i]]) %}{% set _ = e.update([[i, -1]]) %}{% endfor %}{% for i in range(${1000 * size}) %}{% set x = d == e %}{% endfor %}`,
  'names of a namespace': looped('namespace({t ~ i: 1})'),
  'names of arguments': looped('dict(**{t ~ i: 1})'),
  'a member of a list': looped('[][t ~ i]'),
  'an attribute by name': looped('[] | attr(t ~ i)'),
  'a path to nothing': looped('[] | map(attribute=t) | list', 'a.'),
  'a path to sort by': looped('[] | sort(attribute=t)', 'a,'),
  'a path to select by': looped('[] | selectattr(t) | list', '1.'),
  'two long texts that are the same': looped('(t ~ "a") is sameas(t ~ "b")'),
  'many beginnings': (size) =>
    `${text(size, 'a')}{% set b = (t[1:] ~ "b",) * ${100 * size} %}{% for i in range(${1000 * size}) %}{% set x = t.startswith(b) %}{% endfor %}`,
  'many ends': (size) =>
    `${text(size, 'a')}{% set b = ("b" ~ t[1:],) * ${100 * size} %}{% for i in range(${1000 * size}) %}{% set x = t.endswith(b) %}{% endfor %}`,
  'a long key that is missing': once('{}[t].x'),
  'a long format that is none': once('("{:" ~ t ~ "}").format(1)', 'a'),
  // Numbers of 300 digits.
  'long numbers': (size) =>
    `{% set n = 9 ** 300 %}{% for i in range(${1000 * size}) %}{% set x = n ~ n ~ n ~ n %}{% endfor %}`,
  'long numbers as JSON': (size) =>
    `{% set n = [9 ** 300] * 100 %}{% for i in range(${1000 * size}) %}{% set x = n | tojson %}{% endfor %}`,
  'long numbers in groups': (size) =>
    `{% set n = 2 ** 1023 %}{% for i in range(${1000 * size}) %}{% set x = "{:,b}".format(n) %}{% endfor %}`,
  // Text of the input, whose origin is kept.
  'characters of the input': (size) =>
    `{% set t = messages[0].content * ${100_000 * size} %}{% for c in t %}{% endfor %}`,
  'pieces of the input': (size) =>
    `{% set t = (messages[0].content ~ ",") * ${100_000 * size} %}{% set x = t.split(",") %}`,
  'words of the input': (size) =>
    `{% set t = (messages[0].content ~ " ") * ${100_000 * size} %}{% set x = t.split() %}`,
  'nothing in the input': (size) =>
    `{% set t = messages[0].content * ${100_000 * size} %}{% set x = t.replace("", "") %}`,
  'texts of many origins': (size) =>
    `{% set t = ("a" ~ messages[0].content) * ${1000 * size} %}{% for i in range(${1000 * size}) %}{% set x = t.removeprefix("a") ~ "b" %}{% endfor %}`,
  // Lists.
  'sort in a loop': onList('l | sort(reverse=true)'),
  'unique in a loop': onList('l | unique | list'),
  'groupby in a loop': onList('l | map("string") | list | sum(start="")'),
  'batch in a loop': onList('l | batch(2) | list'),
  'slice in a loop': onList('l | slice(2) | list'),
  'join in a loop': onList('l | join(",")'),
  'sum in a loop': onList('l | sum'),
  'max in a loop': onList('l | max'),
  'map and select in a loop': onList('l | map("string") | select | reject | list'),
  'lists in lists': (size) =>
    `{% set ns = namespace(l=[1]) %}{% for i in range(${1000 * size}) %}{% set ns.l = ns.l + ns.l %}{% endfor %}`,
  'a list as a dictionary': onList('dict(l | map("string") | batch(2))'),
  'a large range': (size) => `{% for i in range(${10_000_000 * size}) %}{% endfor %}`,
  // Growth and nesting.
  'a text that doubles': (size) =>
    `{% set ns = namespace(t="a") %}{% for i in range(${10 * size}) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.t }}`,
  'a text that grows by a character': (size) =>
    `{% set ns = namespace(t="") %}{% for i in range(${10_000 * size}) %}{% set ns.t = ns.t ~ "a" %}{% if "b" in ns.t %}{% endif %}{% endfor %}`,
  'a number that grows': (size) =>
    `{% set ns = namespace(n=9) %}{% for i in range(${1000 * size}) %}{% set ns.n = ns.n * ns.n %}{% endfor %}{{ ns.n }}`,
  'a large power': (size) => `{{ 9 ** ${1_000_000 * size} }}`,
  'loops in loops': (size) => '{% for a in range(1000) %}'.repeat(size) + '{% endfor %}'.repeat(size),
  'conditions in conditions': (size) => '{% if true %}'.repeat(300 * size) + '{% endif %}'.repeat(300 * size),
  'calls in calls': (size) =>
    `{% macro m() %}{{ caller() }}{% endmacro %}${'{% call m() %}'.repeat(300 * size)}${'{% endcall %}'.repeat(300 * size)}`,
  'filters in filters': (size) =>
    '{% filter upper %}'.repeat(300 * size) + '{% endfilter %}'.repeat(300 * size),
  'captures in captures': (size) =>
    `${'{% set x %}'.repeat(300 * size)}${'a'.repeat(1000)}${'{% endset %}'.repeat(300 * size)}`,
  'brackets in brackets': (size) => `{{ ${'['.repeat(1000 * size)}${']'.repeat(1000 * size)} }}`,
  'parentheses in parentheses': (size) => `{{ ${'('.repeat(1000 * size)}1${')'.repeat(1000 * size)} }}`,
  'a macro that calls itself twice': (size) =>
    `{% macro m(n) %}{% if n > 0 %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(${10 * size}) }}`,
  'negations of negations': (size) => `{{ ${'not '.repeat(1000 * size)}true }}`,
  'a chain of joins': (size) => `{{ ${'"a" ~ '.repeat(1000 * size)}"a" }}`,
  'a chain of filters': (size) => `{{ "a"${' | upper'.repeat(1000 * size)} }}`,
  'a chain of attributes': (size) => `{{ messages${'.a'.repeat(1000 * size)} }}`,
  'a chain of branches': (size) => `{% if false %}${'{% elif false %}a'.repeat(1000 * size)}{% endif %}`,
  'many comments': (size) => '{# a #}'.repeat(1000 * size),
  'comments without an end': (size) => '{#'.repeat(1000 * size),
  'expressions without an end': (size) => '{{ "'.repeat(1000 * size),
  'quotes without an end': (size) => `{{ ${`"'`.repeat(1000 * size)}`,
  'blanks before tags': (size) => `${' '.repeat(1000 * size)}{%- if true -%}`.repeat(3),
  'line feeds': (size) => `${'\n'.repeat(10_000 * size)}{{ 1 }}`,
  braces: (size) => '{'.repeat(10_000 * size),
  'many names': (size) =>
    Array.from({ length: 1000 * size }, (_, index) => `{% set a${index} = a${index - 1} %}`).join(''),
  'many scopes': (size) =>
    `{% set a = 1 %}${'{% for i in [1] %}'.repeat(100 * size)}{{ a }}${'{% endfor %}'.repeat(100 * size)}`,
};

/** A chat with something before its turns, after each, and in place of its calls. */
const chat = (
  before: string,
  after = '',
  call = '<call>{{ c.function.name }} {{ c.function.arguments | tojson }}</call>',
): string =>
  `${before}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% for c in m.tool_calls %}${call}{% endfor %}${after}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`;
const many = (n: number, s: string): string => `{{ ${JSON.stringify(s)} * ${n} }}`;
/** Chats whose renders an analysis reads long: by name, the source at a size. */
export const hostileChats: Readonly<Record<string, HostileTemplate>> = {
  'long turns': (n) => chat('', many(1000 * n, 'ab')),
  'long beginnings': (n) => chat(many(1000 * n, 'ab')),
  'brackets before': (n) => chat(many(1000 * n, '{[')),
  'brackets in turns': (n) => chat('', many(100 * n, '{[')),
  'brackets around calls': (n) =>
    chat(
      '',
      '',
      `${many(100 * n, '{[')}{{ c.function.name }}{{ c.function.arguments | tojson }}${many(100 * n, ']}')}`,
    ),
  'quotes in calls': (n) =>
    chat(
      '',
      '',
      `${many(100 * n, '"')}{{ c.function.name }}{{ c.function.arguments | tojson }}${many(100 * n, '"')}`,
    ),
  'examples in prompt': (n) =>
    chat(`{% if tools %}{{ tools | tojson }}${many(20 * n, '<call>f {"a": 1}</call> ')}{% endif %}`),
  'angle prompts': (n) => chat(`{% if tools %}{{ tools | tojson }}${many(300 * n, '<a><b>')}{% endif %}`),
  thinks: (n) =>
    chat(
      '',
      `{% if m.reasoning_content %}${many(100 * n, '<think>')}{{ m.reasoning_content }}${many(100 * n, '</think>')}{% endif %}`,
    ),
  'white space': (n) => chat('', many(1000 * n, ' \\n')),
  'markers repeated': (n) =>
    chat(
      '',
      '',
      `${many(100 * n, '<call>')}{{ c.function.name }}${many(100 * n, '<args>')}{{ c.function.arguments | tojson }}${many(100 * n, '</call>')}`,
    ),
  'names repeated': (n) =>
    chat(
      '',
      '',
      `<call>{% for i in range(${20 * n}) %}{{ c.function.name }} {% endfor %}{{ c.function.arguments | tojson }}</call>`,
    ),
  'arguments repeated': (n) =>
    chat(
      '',
      '',
      `<call>{{ c.function.name }}{% for i in range(${20 * n}) %} {{ c.function.arguments | tojson }}{% endfor %}</call>`,
    ),
  'content repeated': (n) => chat('', `{% for i in range(${20 * n}) %}{{ m.content }}{% endfor %}`),
  'messages repeated': (n) => chat('', `{% for i in range(${5 * n}) %}{{ m | tojson }}{% endfor %}`),
  'work below the limit': (n) => chat('', `{% for i in range(${500 * n}) %}{% set x = i %}{% endfor %}`),
  entries: (n) =>
    chat(
      '',
      '',
      `<call>{{ c.function.name }}{% for k, v in c.function.arguments.items() %}${many(20 * n, '<k>')}{{ k }}${many(20 * n, '</k><v>')}{{ v }}</v>{% endfor %}</call>`,
    ),
  'many literals': (n) =>
    chat(
      '',
      Array.from({ length: 100 * n }, (_, i) => `{% if m.content == "<|a${i}|>" %}<|b${i}|>{% endif %}`).join(
        '',
      ),
    ),
  switches: (n) =>
    chat(Array.from({ length: 20 * n }, (_, i) => `{% if enable_${i} %}<|b${i}|>{% endif %}`).join('')),
};
