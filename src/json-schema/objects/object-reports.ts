/** Reports on objects as they are written. */

import type { SchemaIssue } from '../../format/errors.ts';
import { addToGroup } from '../../format/groups.ts';
import { isObject, isSchema, type SchemaNode } from '../document/schema-document.ts';
import type { Compilation } from '../plan/compilation.ts';
import type { InstanceLocation } from '../plan/instance-locations.ts';
import type { ObjectPlan } from '../plan/object-plan.ts';
import type { ObjectShape } from '../shapes/shapes.ts';

/** An object to be written. */
export interface ReportedObject {
  readonly shape: ObjectShape;
  readonly location: InstanceLocation;
  readonly plan: ObjectPlan;
  /** For each key and class of `plan`, whether it can be written. */
  readonly usable: readonly boolean[];
}

/** Reports that only declared properties are written, because of the options or (unless `closable`) of the format. */
export function reportClosed(compilation: Compilation, location: InstanceLocation, closable: boolean): void {
  const reason = closable
    ? 'properties that the schema says nothing about are not written'
    : 'the format writes a key twice, so only declared properties are written';
  compilation.report(location.nodes[0] ?? null, 'additionalProperties', reason, 'narrowed');
}

/**
 * Reports where a duplicate key can make an object invalid: `JSON.parse` keeps only the last value, and no grammar of
 * reasonable size remembers undeclared keys.
 */
export function reportDuplicateKeys(compilation: Compilation, object: ReportedObject): void {
  const { shape, location, plan, usable } = object;
  const classes = plan.classes.filter((_, index) => usable[plan.declared.length + index]);
  if (classes.length === 0) return;
  const note = (keyword: string, reason: string) =>
    reportAt(
      compilation,
      location,
      keyword,
      `${reason}; that the other keys differ is not enforced`,
      'noted',
    );
  // A single undeclared key is distinct from all declared ones.
  if (shape.min > shape.required.size + 1) note('minProperties', 'declared keys come once');
  if (classes.some(({ some }) => some.length > 0))
    note('not', 'what a property has to be is forgotten when its key comes again');
}

/** Reports that keys which only patterns name come sorted, so that each comes once. */
export function reportSortedKeys(compilation: Compilation, location: InstanceLocation): void {
  const limitsNames = location.nodes.some(({ schema }) => isObject(schema) && 'propertyNames' in schema);
  const keyword = limitsNames ? 'propertyNames' : 'patternProperties';
  reportAt(compilation, location, keyword, 'its keys come once each, in sorted order', 'narrowed');
}

/** Reports a declared property that is never written because of the format. */
export function reportUnwritable(
  compilation: Compilation,
  location: InstanceLocation,
  key: string,
  reason: string,
): void {
  const effect = 'narrowed';
  reportAt(compilation, location, 'properties', `${JSON.stringify(key)} is left out: ${reason}`, effect);
}

/** Reports declared properties that are never written because no value is valid for them. */
export function reportNeverWritten(
  compilation: Compilation,
  { location, plan, usable }: ReportedObject,
): void {
  const properties = propertiesAt(compilation, location);
  plan.declared.forEach(({ key }, label) => {
    if (usable[label]) return;
    for (const property of properties.get(key) ?? []) {
      if (compilation.isSatisfiable(compilation.constraints.of(property))) continue;
      const reason = 'no value is valid against it, so the property is not written';
      compilation.report(property, 'schema', reason, 'noted');
    }
  });
}

/** Sub-schemas of properties, by key. */
type Properties = ReadonlyMap<string, readonly SchemaNode[]>;

// Alternatives at one location, of which there may be thousands, have these in common.
const knownProperties = new WeakMap<InstanceLocation, Properties>();

/** The properties that `location` declares, except for `false`, which excludes one on purpose. */
function propertiesAt({ document }: Compilation, location: InstanceLocation): Properties {
  const known = knownProperties.get(location);
  if (known !== undefined) return known;
  const found = new Map<string, SchemaNode[]>();
  for (const node of location.nodes) {
    const properties = isObject(node.schema) ? node.schema.properties : undefined;
    for (const [key, property] of Object.entries(isObject(properties) ? properties : {})) {
      if (isSchema(property) && property !== false)
        addToGroup(found, key, document.child(node, 'properties', key));
    }
  }
  knownProperties.set(location, found);
  return found;
}

/** Reports at the first node of `location` that has the keyword. */
export function reportAt(
  compilation: Compilation,
  { nodes }: InstanceLocation,
  keyword: string,
  reason: string,
  effect: SchemaIssue['effect'],
): void {
  const owner = nodes.find(({ schema }) => isObject(schema) && keyword in schema) ?? nodes[0];
  compilation.report(owner ?? null, keyword, reason, effect);
}
