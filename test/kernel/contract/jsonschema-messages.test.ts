// Tests of schema and JSON errors in Python's words. The expected strings are what Python 3.11 and
// jsonschema print.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import {
  explain,
  type Explanation,
  type ExplainOptions,
  pythonJsonError,
  pythonPprint,
  pythonReadsJson,
  pythonRepr,
  withoutAnnotations,
} from '../../../src/kernel/contract/jsonschema-messages.ts';

function failures(schema: object, instance: unknown): ErrorObject[] {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    formats: { uuid: /^[0-9a-f-]{36}$/ },
  });
  const validate = ajv.compile(schema);
  validate(instance);
  return validate.errors ?? [];
}

function tell(
  schema: object,
  instance: unknown,
  options: Partial<ExplainOptions> = {},
): Explanation {
  return explain(failures(schema, instance), { pick: 'best', schema, ...options });
}

const message = (
  schema: object,
  instance: unknown,
  options: Partial<ExplainOptions> = {},
): string => tell(schema, instance, options).message;

describe('pythonRepr', () => {
  const cases: [unknown, string][] = [
    [null, 'None'],
    [true, 'True'],
    [false, 'False'],
    ['plain', "'plain'"],
    ["it's", '"it\'s"'],
    ['say "hi"', '\'say "hi"\''],
    ['it\'s "both"', "'it\\'s \"both\"'"],
    ['\\ \n\r\t\0\u001f\u007f', "'\\\\ \\n\\r\\t\\x00\\x1f\\x7f'"],
    ['é漢😀', "'é漢😀'"],
    ['\u0085\u00a0\u200b\u2028\ufeff\u{e0001}', "'\\x85\\xa0\\u200b\\u2028\\ufeff\\U000e0001'"],
    ['\ud800', "'\\ud800'"],
    [12, '12'],
    [-0, '0'],
    [2147483648, '2147483648'],
    [1152921504606846976, '1152921504606846976'],
    [18446744073709551616n, '18446744073709551616'],
    [1.5, '1.5'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1.25e-10, '1.25e-10'],
    [3.40282e38, '3.40282e+38'],
    [5e-324, '5e-324'],
    [[], '[]'],
    [{}, '{}'],
    [[1, 'a', [null]], "[1, 'a', [None]]"],
    [{ b: 1, a: { "it's": true } }, "{'b': 1, 'a': {\"it's\": True}}"],
  ];
  for (const [value, expected] of cases) {
    it(`prints ${expected}`, () => expect(pythonRepr(value)).to.equal(expected));
  }

  it('sorts keys by code point when asked', () => {
    const value = { '😀': 1, '\ufb01': 2, b: { z: 1, a: 2 }, a: 3 };
    expect(pythonRepr(value, { sortKeys: true })).to.equal(
      "{'a': 3, 'b': {'a': 2, 'z': 1}, '\ufb01': 2, '😀': 1}",
    );
  });

  it('prints at most a hundred levels', () => {
    const deep: unknown = JSON.parse('['.repeat(20000) + ']'.repeat(20000));
    expect(pythonRepr(deep)).to.equal(`${'['.repeat(100)}[...]${']'.repeat(100)}`);
    expect(pythonPprint(deep)).to.include('[...]');
  });
});

describe('pythonPprint', () => {
  it('prints on one line what fits, with sorted keys', () => {
    expect(pythonPprint({ type: 'string', maxLength: 2 }, { width: 72 })).to.equal(
      "{'maxLength': 2, 'type': 'string'}",
    );
  });

  it('aligns the lines of dictionaries and lists with their opening bracket', () => {
    const schema = {
      type: 'object',
      properties: {
        uuid: { type: 'string', format: 'uuid' },
        name: { type: 'string', maxLength: 200 },
      },
      required: ['name'],
      additionalProperties: false,
    };
    expect(pythonPprint(schema, { width: 72 })).to.equal(
      [
        "{'additionalProperties': False,",
        " 'properties': {'name': {'maxLength': 200, 'type': 'string'},",
        "                'uuid': {'format': 'uuid', 'type': 'string'}},",
        " 'required': ['name'],",
        " 'type': 'object'}",
      ].join('\n'),
    );
    expect(pythonPprint([['aaaa', 'bbbb'], { k: 'cccc' }], { indent: 4, width: 12 })).to.equal(
      "[   [   'aaaa',\n        'bbbb'],\n    {   'k': 'cccc'}]",
    );
  });

  it('splits long strings at line ends and between words', () => {
    expect(pythonPprint('one two three\nfour five', { width: 12 })).to.equal(
      "('one two '\n 'three\\n'\n 'four '\n 'five')",
    );
    expect(pythonPprint({ k: 'one two three' }, { width: 14 })).to.equal(
      "{'k': 'one '\n      'two '\n      'three'}",
    );
  });

  it('counts an emoji as one character', () => {
    expect(pythonPprint(['😀😀', 'b'], { width: 11 })).to.equal("['😀😀', 'b']");
    expect(pythonPprint(['😀😀', 'b'], { width: 10 })).to.equal("['😀😀',\n 'b']");
  });
});

describe('explain: the message of each keyword', () => {
  const cases: [object, unknown, string][] = [
    [{ type: 'array' }, 'beta', "'beta' is not of type 'array'"],
    [{ type: ['string', 'null'] }, 1, "1 is not of type 'string', 'null'"],
    [{ required: ['a', 'b'] }, { a: 1 }, "'b' is a required property"],
    [
      { additionalProperties: false },
      { x: 1 },
      "Additional properties are not allowed ('x' was unexpected)",
    ],
    [
      { properties: { c: {} }, additionalProperties: false },
      { b: 1, a: 1, c: 1 },
      "Additional properties are not allowed ('a', 'b' were unexpected)",
    ],
    [
      { patternProperties: { '^b': {}, '^a$': {} }, additionalProperties: false },
      { x: 1 },
      "'x' does not match any of the regexes: '^a$', '^b'",
    ],
    [
      { patternProperties: { '^a$': {} }, additionalProperties: false },
      { y: 1, x: 1 },
      "'x', 'y' do not match any of the regexes: '^a$'",
    ],
    [{ enum: ['none', 'isolate'] }, 'x', "'x' is not one of ['none', 'isolate']"],
    [{ const: { a: null } }, 1, "{'a': None} was expected"],
    [{ pattern: '^[A-Z0-9_]+$' }, 'instance', "'instance' does not match '^[A-Z0-9_]+$'"],
    [{ format: 'uuid' }, 'zz', "'zz' is not a 'uuid'"],
    [{ minimum: 1 }, -1, '-1 is less than the minimum of 1'],
    [{ maximum: 3.40282e38 }, 1e39, '1e+39 is greater than the maximum of 3.40282e+38'],
    [{ exclusiveMinimum: 0 }, 0, '0 is less than or equal to the minimum of 0'],
    [{ exclusiveMaximum: 2 }, 2.5, '2.5 is greater than or equal to the maximum of 2'],
    [{ multipleOf: 2 }, 3, '3 is not a multiple of 2'],
    [{ minLength: 1 }, '', "'' should be non-empty"],
    [{ minLength: 2 }, 'a', "'a' is too short"],
    [{ maxLength: 2 }, 'abc', "'abc' is too long"],
    [{ maxLength: 0 }, 'abc', "'abc' is expected to be empty"],
    [{ minItems: 1 }, [], '[] should be non-empty'],
    [{ minItems: 2 }, [1], '[1] is too short'],
    [{ maxItems: 1 }, [1, 2], '[1, 2] is too long'],
    [{ minProperties: 1 }, {}, '{} should be non-empty'],
    [{ minProperties: 2 }, { a: 1 }, "{'a': 1} does not have enough properties"],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, "{'a': 1, 'b': 2} has too many properties"],
    [{ uniqueItems: true }, ['a', 'a'], "['a', 'a'] has non-unique elements"],
    [
      { not: { type: 'string', title: 'T' } },
      'a',
      "'a' should not be valid under {'type': 'string'}",
    ],
    [
      { oneOf: [{ type: 'string' }, { minLength: 1 }] },
      'a',
      "'a' is valid under each of {'minLength': 1}, {'type': 'string'}",
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      1,
      '1 is not valid under any of the given schemas',
    ],
    [
      { oneOf: [{ type: 'string' }, { type: 'null' }] },
      1,
      '1 is not valid under any of the given schemas',
    ],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, "'b' is a dependency of 'a'"],
    [{ propertyNames: { pattern: '^a' } }, { b: 1 }, "'b' does not match '^a'"],
    [{ contains: { type: 'null' } }, [1], '[1] does not contain items matching the given schema'],
    [
      { contains: { type: 'null' }, minContains: 2 },
      [1, null],
      'Too few items match the given schema (expected at least 2 but only 1 matched)',
    ],
    [
      { contains: { type: 'null' }, maxContains: 1 },
      [1, null, null],
      'Too many items match the given schema (expected at most 1)',
    ],
    [{ prefixItems: [{}], items: false }, [1, 2], 'Expected at most 1 item but found 1 extra: 2'],
    [{ properties: { a: false } }, { a: 1 }, 'False schema does not allow 1'],
    [
      { unevaluatedProperties: false },
      { a: 1 },
      "Unevaluated properties are not allowed ('a' was unexpected)",
    ],
    [{ if: { type: 'null' }, else: { minLength: 2 } }, 'a', "'a' is too short"],
  ];
  for (const [schema, instance, expected] of cases) {
    it(expected, () => expect(message(schema, instance)).to.equal(expected));
  }

  it('can use the messages of jsonschema 4.10', () => {
    const wording = '4.10';
    expect(message({ minLength: 1 }, '', { wording })).to.equal("'' is too short");
    expect(message({ minItems: 1 }, [], { wording })).to.equal('[] is too short');
    expect(message({ minProperties: 1 }, {}, { wording })).to.equal(
      '{} does not have enough properties',
    );
    expect(message({ maxItems: 0 }, [1], { wording })).to.equal('[1] is too long');
    const pair = { prefixItems: [{}], items: false };
    expect(message(pair, [1, 2], { wording })).to.equal('Expected at most 1 items, but found 2');
  });

  it("uses Ajv's message for a keyword that jsonschema does not know", () => {
    const [error] = failures({ type: 'string' }, 1);
    const odd = {
      ...(error as ErrorObject),
      keyword: 'x-odd',
      schemaPath: '#/x-odd',
      message: 'must be odd',
    };
    expect(explain([odd], { pick: 'best' }).message).to.equal('must be odd');
  });

  it('throws if there is no error', () => {
    expect(() => explain([], { pick: 'best' })).to.throw(TypeError);
  });
});

describe('explain: the whole text', () => {
  it('is what Python prints for the error', () => {
    const total = { type: 'integer', minimum: 1, maximum: 2147483647, description: 'How many.' };
    const schema = { type: 'object', properties: { total }, 'x-openstack': { 'min-ver': '1.0' } };
    const told = tell(schema, { total: 0 });
    expect(told.text).to.equal(
      [
        '0 is less than the minimum of 1',
        '',
        "Failed validating 'minimum' in schema['properties']['total']:",
        "    {'maximum': 2147483647, 'minimum': 1, 'type': 'integer'}",
        '',
        "On instance['total']:",
        '    0',
      ].join('\n'),
    );
    expect(told.keyword).to.equal('minimum');
    expect(told.path).to.deep.equal(['total']);
    expect(told.schemaPath).to.deep.equal(['properties', 'total', 'minimum']);
    expect(told.schema).to.equal(total);
    expect(told.instance).to.equal(0);
  });

  it('prints keys in the order given if requested', () => {
    const { text } = tell(
      { type: 'object', maxProperties: 1 },
      { b: 1, a: 2 },
      { sortKeys: false },
    );
    expect(text).to.equal(
      "{'b': 1, 'a': 2} has too many properties\n\nFailed validating 'maxProperties' in schema:\n" +
        "    {'type': 'object', 'maxProperties': 1}\n\nOn instance:\n    {'b': 1, 'a': 2}",
    );
  });

  it('distinguishes indexes from names, and unescapes pointers', () => {
    const schema = {
      properties: { 0: { prefixItems: [{ patternProperties: { '^~/': { type: 'null' } } }] } },
    };
    const told = tell(schema, { 0: [{ '~/%': 1 }] });
    expect(told.path).to.deep.equal(['0', 0, '~/%']);
    expect(told.schemaPath).to.deep.equal([
      'properties',
      '0',
      'prefixItems',
      0,
      'patternProperties',
      '^~/',
      'type',
    ]);
    expect(told.text).to.include(
      "in schema['properties']['0']['prefixItems'][0]['patternProperties']['^~/']:",
    );
    expect(told.text).to.include("On instance['0'][0]['~/%']:");
  });

  it('names no keyword for a false schema', () => {
    const { text } = tell({ properties: { a: false } }, { a: 1 });
    expect(text).to.include("Failed validating None in schema['properties']:\n    False\n");
  });

  it('prints the paths of an error in a branch relative to that branch', () => {
    const told = tell(
      { properties: { a: { anyOf: [{ type: 'object', required: ['b'] }, { type: 'null' }] } } },
      { a: {} },
    );
    expect(told.text).to.equal(
      "'b' is a required property\n\nFailed validating 'required' in schema[0]:\n" +
        "    {'required': ['b'], 'type': 'object'}\n\nOn instance:\n    {}",
    );
    expect(told.path).to.deep.equal(['a']);
    expect(told.schemaPath).to.deep.equal(['properties', 'a', 'anyOf', 0, 'required']);
  });
});

describe('explain: the choice of the error', () => {
  const schema = {
    properties: {
      name: { type: 'string', pattern: '^a', maxLength: 1 },
      size: { type: 'integer' },
    },
    required: ['id'],
    type: 'object',
  };

  it('picks by the order of keywords in the schema for first', () => {
    const instance = { size: 'x', name: 'bb' };
    expect(message(schema, instance, { pick: 'first' })).to.equal("'bb' does not match '^a'");
    expect(
      message({ required: ['id'], properties: schema.properties }, instance, { pick: 'first' }),
    ).to.equal("'id' is a required property");
  });

  it('picks the shallowest for best', () => {
    expect(message(schema, { size: 'x' })).to.equal("'id' is a required property");
  });

  it('prefers other keywords to anyOf for best', () => {
    const weak = { anyOf: [{ type: 'null' }, { type: 'string' }], minimum: 5 };
    expect(message(weak, 1)).to.equal('1 is less than the minimum of 5');
  });

  it('descends into the most relevant branch for best, if there is exactly one', () => {
    const branches = [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'null' }];
    expect(message({ oneOf: branches }, { a: 1 })).to.equal("1 is not of type 'string'");
    expect(message({ oneOf: [{ type: 'string' }, { type: 'null' }] }, { a: 1 })).to.equal(
      "{'a': 1} is not valid under any of the given schemas",
    );
  });

  it('picks the last of equally deep siblings for best since 4.22, the first before', () => {
    const siblings = { properties: { a: { type: 'string' }, b: { type: 'string' } } };
    expect(message(siblings, { a: 1, b: 2 })).to.equal("2 is not of type 'string'");
    expect(message(siblings, { a: 1, b: 2 }, { wording: '4.10' })).to.equal(
      "1 is not of type 'string'",
    );
  });
});

describe('withoutAnnotations', () => {
  it('removes annotations of schemas, but not properties of those names or plain values', () => {
    const schema = {
      title: 'T',
      'x-openstack': {},
      properties: {
        title: { type: 'string', description: 'D' },
        description: { anyOf: [{ title: 'T' }] },
      },
      default: { title: 'kept' },
    };
    expect(withoutAnnotations(schema)).to.deep.equal({
      properties: { title: { type: 'string' }, description: { anyOf: [{}] } },
      default: { title: 'kept' },
    });
  });
});

describe('pythonJsonError', () => {
  const cases: [string, string][] = [
    ['', 'Expecting value: line 1 column 1 (char 0)'],
    ['{', 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
    ["{'a': 1}", 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
    ['{"a": 1,}', 'Expecting property name enclosed in double quotes: line 1 column 9 (char 8)'],
    ['{"a" 1}', "Expecting ':' delimiter: line 1 column 6 (char 5)"],
    ['{"a": }', 'Expecting value: line 1 column 7 (char 6)'],
    ['{"a": 1 "b"}', "Expecting ',' delimiter: line 1 column 9 (char 8)"],
    ['[1, ]', 'Expecting value: line 1 column 5 (char 4)'],
    ['[1', "Expecting ',' delimiter: line 1 column 3 (char 2)"],
    ['[[], {}]]', 'Extra data: line 1 column 9 (char 8)'],
    ['01', 'Extra data: line 1 column 2 (char 1)'],
    ['1e+', 'Extra data: line 1 column 2 (char 1)'],
    ['-', 'Expecting value: line 1 column 1 (char 0)'],
    ['nul', 'Expecting value: line 1 column 1 (char 0)'],
    ['{"a": "b', 'Unterminated string starting at: line 1 column 7 (char 6)'],
    ['"a\\', 'Unterminated string starting at: line 1 column 1 (char 0)'],
    ['"a\nb"', 'Invalid control character at: line 1 column 3 (char 2)'],
    ['"a\\x"', 'Invalid \\escape: line 1 column 3 (char 2)'],
    ['"\\u12G4"', 'Invalid \\uXXXX escape: line 1 column 3 (char 2)'],
    ['"\\u1234', 'Invalid \\uXXXX escape: line 1 column 3 (char 2)'],
    ['\ufeff{}', 'Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)'],
    ['{\n  "😀é": x\n}', 'Expecting value: line 2 column 9 (char 10)'],
  ];
  for (const [text, expected] of cases) {
    it(`${JSON.stringify(text)}: ${expected}`, () =>
      expect(pythonJsonError(text)).to.equal(expected));
  }

  it('is empty for what Python accepts', () => {
    for (const text of [
      '{"a": [1, -2.5e3, "\\ud83d\\ude00", null, true, false, {}, []]}',
      ' 0\n',
      '[NaN, -Infinity]',
    ]) {
      expect(pythonJsonError(text), text).to.equal('');
      expect(pythonReadsJson(text), text).to.equal(true);
    }
    expect(pythonReadsJson('{')).to.equal(false);
  });

  it('reads a million brackets without recursion', () => {
    expect(pythonJsonError('['.repeat(1e6))).to.equal(
      'Expecting value: line 1 column 1000001 (char 1000000)',
    );
  });
});
