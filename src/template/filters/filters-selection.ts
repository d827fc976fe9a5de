/** Filters that apply tests and filters to every element: `map`, `select`, `rejectattr`. */

import { attributeReader } from '../values/attributes.ts';
import { iterate } from '../values/operators.ts';
import type { Runtime } from '../values/runtime.ts';
import { type Keywords, PythonError, Stream, textOf, truthy, type Value } from '../values/values.ts';
import type { Filter, FindFilter } from './filter.ts';
import { findTest } from './tests.ts';

/** In Jinja, anything false counts as an empty list here, including `None`. */
function elementsToSelect(runtime: Runtime, value: Value): readonly Value[] {
  return truthy(value) ? iterate(runtime, value) : [];
}

function nameOf(value: Value, what: string): string {
  const name = textOf(value);
  if (name === null) throw new PythonError('TypeError', `the name of a ${what} must be text`);
  return name;
}

function mapping(findFilter: FindFilter): Filter {
  return (runtime, value, args, keywords) => {
    const attribute = keywords.get('attribute');
    if (args.length === 0 && attribute !== undefined) {
      for (const key of keywords.keys()) {
        if (key === 'attribute' || key === 'default') continue;
        throw new PythonError('FilterArgumentError', `Unexpected keyword argument '${key}'`);
      }
      const read = attributeReader(runtime, attribute, keywords.get('default'));
      return new Stream(() => elementsToSelect(runtime, value).map((item) => read(item)));
    }
    const [name, ...rest] = args;
    if (name === undefined) throw new PythonError('FilterArgumentError', 'map requires a filter argument');
    const filter = findFilter(nameOf(name, 'filter'));
    return new Stream(() =>
      elementsToSelect(runtime, value).map((item) => filter(runtime, item, rest, keywords)),
    );
  };
}

type Condition = (runtime: Runtime, item: Value) => boolean;

function testCondition(args: readonly Value[], keywords: Keywords): Condition {
  const [name, ...rest] = args;
  if (name === undefined) return (_runtime, item) => truthy(item);
  const test = findTest(nameOf(name, 'test'));
  return (runtime, item) => test(runtime, item, rest, keywords);
}

function selecting(wanted: boolean): Filter {
  return (runtime, value, args, keywords) => {
    const holds = testCondition(args, keywords);
    return new Stream(() =>
      elementsToSelect(runtime, value).filter((item) => holds(runtime, item) === wanted),
    );
  };
}

function selectingAttribute(wanted: boolean): Filter {
  return (runtime, value, args, keywords) => {
    const [attribute, ...rest] = args;
    if (attribute === undefined)
      throw new PythonError('FilterArgumentError', 'Missing parameter for attribute name');
    const read = attributeReader(runtime, attribute);
    const holds = testCondition(rest, keywords);
    return new Stream(() =>
      elementsToSelect(runtime, value).filter((item) => holds(runtime, read(item)) === wanted),
    );
  };
}

/** Selecting filters by name; `findFilter` finds the filters that `map` applies. */
export function selectionFilters(findFilter: FindFilter): readonly (readonly [string, Filter])[] {
  return [
    ['map', mapping(findFilter)],
    ['reject', selecting(false)],
    ['rejectattr', selectingAttribute(false)],
    ['select', selecting(true)],
    ['selectattr', selectingAttribute(true)],
  ];
}
