// Tests of validating requests and replies against a document, at a version.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Operation } from '../../../src/kernel/contract/contract.ts';
import { Query } from '../../../src/kernel/query.ts';
import { toyVersions, Written } from '../toy.ts';

const json = (schema: object): object => ({ 'application/json': { schema } });
const since = (from: string): object => ({ 'x-openstack': { 'min-ver': from } });

const thing = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 5 },
    size: { type: ['integer', 'null'] },
    id: { type: 'string', format: 'uuid-like' },
    color: { enum: ['red', 'blue'], ...since('1.2') },
    parts: { type: 'array', items: { type: 'number' }, uniqueItems: true },
  },
  required: ['name'],
  additionalProperties: false,
};

const contract = new Written({
  '/things': {
    get: {
      operationId: 'things:list',
      'x-openstack': { 'unknown-query': 'refused' },
      parameters: [
        { name: 'limit', in: 'query', schema: { type: 'string', pattern: '^[0-9]+$' } },
        {
          name: 'tag',
          in: 'query',
          schema: { type: 'array', items: { type: 'string', maxLength: 3 } },
        },
        {
          name: 'group',
          in: 'query',
          schema: { type: 'string', minLength: 2 },
          'x-openstack': { 'name-pattern': '^group[0-9]*$' },
        },
        {
          name: 'project',
          in: 'query',
          required: true,
          schema: { type: 'string' },
          ...since('1.1'),
        },
        { name: 'X-Other', in: 'header', required: true, schema: { type: 'string' } },
      ],
      responses: {},
    },
    post: {
      operationId: 'things:create',
      requestBody: { required: true, content: json(thing) },
      responses: {
        200: {
          content: json({
            type: 'object',
            properties: { name: { type: 'string' } },
            required: ['name'],
            additionalProperties: false,
          }),
        },
        204: { description: 'Done.' },
      },
    },
  },
  '/things/{id}': {
    get: { operationId: 'things:show', responses: {} },
    put: {
      operationId: 'things:update',
      ...since('1.1'),
      requestBody: { content: json({}) },
      responses: {},
    },
  },
});

const operation = (method: string, path: string, version = '1.0'): Operation =>
  contract.operation(method, path, toyVersions.find(version)!);
const keywords = (failure: readonly { keyword: string }[] | undefined): string[] | undefined =>
  failure?.map(({ keyword }) => keyword);

describe('contract', () => {
  it('finds operations by method and path', () => {
    expect(operation('GET', '/things').id).to.equal('things:list');
    expect(operation('GET', '/things/:id').id).to.equal('things:show');
  });

  it('reports whether a body is read, and whether it is required', () => {
    const told = ({ takesBody, needsBody }: Operation): boolean[] => [takesBody, needsBody];
    expect(told(operation('GET', '/things'))).to.deep.equal([false, false]);
    expect(told(operation('POST', '/things'))).to.deep.equal([true, true]);
    expect(told(operation('PUT', '/things/:id', '1.1'))).to.deep.equal([true, false]);
  });

  it('throws for a route without an operation', () => {
    expect(() => operation('DELETE', '/things')).to.throw('has no DELETE /things at 1.0');
    expect(() => operation('GET', '/others')).to.throw('has no GET /others');
    expect(() => operation('PUT', '/things/:id')).to.throw('at 1.0');
  });

  it('shares an operation between versions with the same description', () => {
    expect(operation('POST', '/things', '1.0')).to.equal(operation('POST', '/things', '1.1'));
    expect(operation('POST', '/things', '1.2')).to.equal(operation('POST', '/things', '1.10'));
    expect(operation('POST', '/things', '1.1')).to.not.equal(operation('POST', '/things', '1.2'));
  });
});

describe('body', () => {
  const check = async (body: unknown, version?: string): Promise<string[] | undefined> =>
    keywords(await operation('POST', '/things', version).checkBody(body));

  it('passes if it is valid', async () => {
    const id = '0123456789ABCDEF0123456789abcdef';
    for (const body of [
      { name: 'a' },
      { name: 'äöüß😀', size: null, id, parts: [1, 2.5] },
      { name: 'a', size: 3.0 },
    ])
      expect(await check(body)).to.equal(undefined);
  });

  it('fails with all errors', async () => {
    expect(await check({ size: 'x', other: 1 })).to.have.members([
      'required',
      'type',
      'additionalProperties',
    ]);
    expect(await check({ name: 'abcdef' })).to.deep.equal(['maxLength']);
    expect(await check({ name: 'a', id: 'x' })).to.deep.equal(['format']);
    expect(await check({ name: 'a', parts: [1, 1] })).to.deep.equal(['uniqueItems']);
  });

  it('is validated by the schema of the version', async () => {
    expect(await check({ name: 'a', color: 'red' }, '1.1')).to.deep.equal(['additionalProperties']);
    expect(await check({ name: 'a', color: 'red' }, '1.2')).to.equal(undefined);
    expect(await check({ name: 'a', color: 'green' }, '1.2')).to.deep.equal(['enum']);
  });

  it('is neither coerced nor changed', async () => {
    expect(await check({ name: 5 })).to.deep.equal(['type']);
    expect(await check({ name: 'a', size: '5' })).to.deep.equal(['type']);
    for (const size of [Infinity, -Infinity, NaN])
      expect(await check({ name: 'a', size })).to.deep.equal(['type']);
    const body = { name: 'a', size: 5 };
    await check(body);
    expect(body).to.deep.equal({ name: 'a', size: 5 });
  });

  it('has no inherited properties', async () => {
    expect(await check(JSON.parse('{"name":"a","__proto__":{"name":"b"}}'))).to.deep.equal([
      'additionalProperties',
    ]);
    expect(await check({ name: 'a', constructor: 1 })).to.deep.equal(['additionalProperties']);
    expect(await check(JSON.parse('{"__proto__":{"name":"b"}}'))).to.include('required');
  });

  it('fails if it is not an object', async () => {
    for (const body of [[], 'text', 0, 1, true, false, null, ''])
      expect(await check(body), JSON.stringify(body)).to.deep.equal(['type']);
  });

  it('fails with at least one error for random values', async () => {
    const key = fc.oneof(fc.constantFrom('name', 'size', 'id', 'parts', 'color'), fc.string());
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('a', 1, null, [1], [1, 1], Infinity, NaN),
    );
    const body = fc.oneof(fc.dictionary(key, value), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const failure = await check(sent, '1.2');
        expect(failure).to.satisfy(
          (found: unknown) => found === undefined || (Array.isArray(found) && found.length > 0),
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('query', () => {
  const check = (text: string, version?: string): string[] | undefined =>
    keywords(operation('GET', '/things', version).checkQuery(new Query(text)));

  it('passes if it is valid', () => {
    for (const text of ['', 'limit=5', 'tag=a&tag=b', 'group=ab&group1=cd'])
      expect(check(text), text).to.equal(undefined);
  });

  it('uses the last value of a repeated name, but all values of an array', () => {
    expect(check('limit=x&limit=5')).to.equal(undefined);
    expect(check('limit=5&limit=x')).to.deep.equal(['pattern']);
    expect(check('tag=toolong&tag=b')).to.deep.equal(['maxLength']);
  });

  it('may have names that match a pattern', () => {
    expect(check('group12=a')).to.deep.equal(['minLength']);
    expect(check('groupx=ab')).to.deep.equal(['additionalProperties']);
  });

  it('fails for unknown names if the operation forbids them', () => {
    for (const name of ['other', '__proto__', 'constructor', 'limit[]', 'LIMIT', ''])
      expect(check(`${name}=1`), name).to.deep.equal(['additionalProperties']);
    expect(operation('GET', '/things/:id').checkQuery(new Query('other=1&__proto__=2'))).to.equal(
      undefined,
    );
  });

  it('may require a name since a version', () => {
    expect(check('', '1.1')).to.deep.equal(['required']);
    expect(check('project=', '1.1')).to.equal(undefined);
    expect(check('project=', '1.0')).to.deep.equal(['additionalProperties']);
  });
});

describe('reply', () => {
  const check = (status: number, body?: unknown): string | undefined =>
    operation('POST', '/things').checkReply(status, body);

  it('passes if the document describes it', () => {
    expect(check(200, { name: 'a' })).to.equal(undefined);
    expect(check(204)).to.equal(undefined);
  });

  it('fails with an undocumented status', () => {
    expect(check(201)).to.include('status 201 is not in the api-ref');
  });

  it('fails with a missing or extra field, or one of another type', () => {
    for (const body of [{}, { name: 'a', more: 1 }, { name: 1 }, undefined])
      expect(check(200, body)).to.include('the body of 200 is not as in the api-ref');
  });

  it('fails with an undocumented body', () => {
    expect(check(204, {})).to.include('204 has a body');
  });
});
