/**
 * Laws on what real templates render: exact writing, round trip, any cut, nothing lost, complete. The
 * cases are those of `idiolect verify`, so that a person who adds a model sees the same.
 */
import { describe, expect, it } from 'vitest';
import { verifyTemplate } from '../../src/generate/verify/verify-template.ts';
import { spineTemplates } from '../support/spine-templates.ts';

const templates = await spineTemplates();

describe.each(templates)('$name', ({ source }) => {
  it('keeps every law for every message that it renders', () => {
    const { breaches, rendered } = verifyTemplate(source);
    expect(breaches).toEqual([]);
    expect(rendered).toBeGreaterThan(5);
  });
});
