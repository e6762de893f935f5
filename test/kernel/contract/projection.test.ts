// Tests of projecting an api-ref document to one version, by the rules of api-ref/README.md.
import { expect } from 'chai';
import { compareVersions, project, visible } from '../../../src/kernel/contract/projection.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';

const since = (from: string): JsonObject => ({ 'x-openstack': { 'min-ver': from } });
const until = (to: string): JsonObject => ({ 'x-openstack': { 'max-ver': to } });
const at = (version: string, node: Json, document: JsonObject = {}): Json | undefined =>
  project(document, node, version);

describe('compareVersions', () => {
  it('compares numerically', () => {
    expect(compareVersions('1.9', '1.10')).to.be.lessThan(0);
    expect(compareVersions('2.0', '1.99')).to.be.greaterThan(0);
    expect(compareVersions('1.10', '1.10')).to.equal(0);
  });
});

describe('visible', () => {
  it('includes both ends of a span', () => {
    const node = { 'x-openstack': { 'min-ver': '1.2', 'max-ver': '1.10' } };
    const seen = ['1.1', '1.2', '1.9', '1.10', '1.11'].filter((version) => visible(node, version));
    expect(seen).to.deep.equal(['1.2', '1.9', '1.10']);
  });

  it('accepts open and absent spans', () => {
    expect(visible(since('1.5'), '9.9')).to.equal(true);
    expect(visible(until('1.5'), '1.0')).to.equal(true);
    expect(visible({}, '1.0')).to.equal(true);
    expect(visible('text', '1.0')).to.equal(true);
  });
});

describe('project', () => {
  it('drops properties outside of their span, also from required', () => {
    const schema = {
      type: 'object',
      properties: { old: { type: 'string', ...until('1.4') }, both: {}, new: since('1.5') },
      required: ['old', 'both', 'new'],
    };
    expect(at('1.4', schema)).to.deep.equal({
      type: 'object',
      properties: { old: { type: 'string' }, both: {} },
      required: ['old', 'both'],
    });
    expect(at('1.5', schema)).to.deep.equal({
      type: 'object',
      properties: { both: {}, new: {} },
      required: ['both', 'new'],
    });
  });

  it('drops an empty required list, and keeps names without a property', () => {
    expect(at('1.0', { properties: { a: since('1.5') }, required: ['a'] })).to.deep.equal({
      properties: {},
    });
    expect(
      at('1.0', { properties: { a: since('1.5') }, required: ['a', 'elsewhere'] }),
    ).to.deep.equal({
      properties: {},
      required: ['elsewhere'],
    });
  });

  it('drops items of lists: parameters, oneOf, anyOf, allOf, prefixItems', () => {
    for (const keyword of ['parameters', 'oneOf', 'anyOf', 'allOf', 'prefixItems']) {
      const node = { [keyword]: [{ a: 1 }, { b: 1, ...since('1.5') }, { c: 1, ...until('1.4') }] };
      expect(at('1.4', node), keyword).to.deep.equal({ [keyword]: [{ a: 1 }, { c: 1 }] });
      expect(at('1.5', node), keyword).to.deep.equal({ [keyword]: [{ a: 1 }, { b: 1 }] });
    }
  });

  it('drops responses, headers and media types', () => {
    const responses = {
      200: {
        description: 'new',
        ...since('1.20'),
        headers: { Location: { ...since('1.25'), schema: {} } },
      },
      201: {
        description: 'old',
        ...until('1.19'),
        content: { 'application/json': {}, 'text/plain': since('1.5') },
      },
    };
    expect(at('1.4', { responses })).to.deep.equal({
      responses: { 201: { description: 'old', content: { 'application/json': {} } } },
    });
    expect(at('1.20', { responses })).to.deep.equal({
      responses: { 200: { description: 'new', headers: {} } },
    });
  });

  it('replaces a oneOf by version with the schema of the version', () => {
    const choice = {
      'x-openstack': { discriminator: 'microversion' },
      oneOf: [
        { type: 'array', ...until('1.18') },
        { type: 'object', ...since('1.19') },
      ],
    };
    expect(at('1.18', { schema: choice })).to.deep.equal({ schema: { type: 'array' } });
    expect(at('1.19', { schema: choice })).to.deep.equal({ schema: { type: 'object' } });
  });

  it('drops a node if a oneOf by version has no schema for the version', () => {
    const choice = {
      'x-openstack': { discriminator: 'microversion' },
      oneOf: [{ type: 'object', ...since('1.19') }],
    };
    expect(at('1.0', { properties: { a: choice, b: {} }, required: ['a', 'b'] })).to.deep.equal({
      properties: { b: {} },
      required: ['b'],
    });
  });

  it('keeps a oneOf that does not depend on the version', () => {
    expect(at('1.0', { oneOf: [{ type: 'string' }, { type: 'null' }] })).to.deep.equal({
      oneOf: [{ type: 'string' }, { type: 'null' }],
    });
  });

  it('keeps the other fields of x-openstack', () => {
    const node = { 'x-openstack': { 'min-ver': '1.1', 'name-pattern': '^a$' } };
    expect(at('1.1', node)).to.deep.equal({ 'x-openstack': { 'name-pattern': '^a$' } });
    expect(at('1.1', { a: since('1.0') })).to.deep.equal({ a: {} });
  });

  it('inlines references, and projects their targets', () => {
    const document = {
      components: {
        schemas: {
          Outer: { properties: { inner: { $ref: '#/components/schemas/Inner' } } },
          Inner: { type: 'object', properties: { x: since('1.5') } },
        },
      },
    };
    const node = { $ref: '#/components/schemas/Outer' };
    expect(at('1.4', node, document)).to.deep.equal({
      properties: { inner: { type: 'object', properties: {} } },
    });
    expect(at('1.5', node, document)).to.deep.equal({
      properties: { inner: { type: 'object', properties: { x: {} } } },
    });
  });

  it('overrides the target of a reference with its siblings, and drops one outside of its span', () => {
    const document = { components: { responses: { Fault: { description: 'wrong' } } } };
    const responses = {
      400: { $ref: '#/components/responses/Fault', description: 'here' },
      409: { $ref: '#/components/responses/Fault', ...since('1.19') },
    };
    expect(at('1.18', { responses }, document)).to.deep.equal({
      responses: { 400: { description: 'here' } },
    });
    expect(at('1.19', { responses }, document)).to.deep.equal({
      responses: { 400: { description: 'here' }, 409: { description: 'wrong' } },
    });
  });

  it('merges the siblings of a reference into its target at any depth', () => {
    const Link = {
      properties: { rel: { type: 'string' }, href: { type: 'string' } },
      required: ['rel', 'href'],
    };
    const node = { $ref: '#/components/schemas/Link', properties: { rel: { const: 'self' } } };
    const self = {
      properties: { rel: { type: 'string', const: 'self' }, href: { type: 'string' } },
      required: ['rel', 'href'],
    };
    expect(at('1.0', node, { components: { schemas: { Link } } })).to.deep.equal(self);
  });

  it('throws an error that names a missing reference', () => {
    expect(() => at('1.0', { $ref: '#/components/schemas/Missing' })).to.throw(
      '#/components/schemas/Missing does not exist',
    );
  });

  it('does not change the document', () => {
    const schema = {
      properties: { a: since('1.5'), b: { oneOf: [since('1.2')] } },
      required: ['a'],
    };
    const before = JSON.stringify(schema);
    at('1.0', schema);
    at('1.9', schema);
    expect(JSON.stringify(schema)).to.equal(before);
  });
});
