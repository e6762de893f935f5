// Tests of the removal of secrets from JSON values, and from texts that quote them.
import { expect } from 'chai';
import type { IncomingRequest } from '../../../src/kernel/model.ts';
import { Query } from '../../../src/kernel/query.ts';
import { redactJson, redactPart } from '../../../src/kernel/redaction/json.ts';
import { secretsOf, withoutSecrets } from '../../../src/kernel/redaction/request.ts';

const requestWith = (fields: object): IncomingRequest =>
  ({ headers: {}, path: '/', query: new Query(''), ...fields }) as IncomingRequest;

describe('redactJson', () => {
  const cases: readonly (readonly [body: unknown, expected: unknown])[] = [
    [
      { name: 'n', password: 'p' },
      { name: 'n', password: '***' },
    ],
    [
      { identity: { password: { user: { password: 'p', name: 'n' } } } },
      { identity: { password: { user: { password: '***', name: 'n' } } } },
    ],
    [
      { identity: { token: { id: 't', name: 'n' } } },
      { identity: { token: { id: '***', name: 'n' } } },
    ],
    [{ user: { password: { x: 'p' } } }, { user: { password: '***' } }],
    [{ server: { user_data: { x: ['p'] } } }, { server: { user_data: '***' } }],
    [
      { token: 't', adminPass: 1, passcode: ['a', 2, '', { x: 1 }] },
      { token: '***', adminPass: '***', passcode: ['***', '***', '', '***'] },
    ],
    [
      { lock_password: true, secret: null },
      { lock_password: true, secret: null },
    ],
    [
      [{ op: 'add', path: '/db_password', value: 'p' }],
      [{ op: 'add', path: '/db_password', value: '***' }],
    ],
    [[{ op: 'add', path: '/name', value: 'p' }], [{ op: 'add', path: '/name', value: 'p' }]],
    [
      { key: 'color', value: 'red' },
      { key: 'color', value: 'red' },
    ],
    [
      { key: 'api_key', value: 'k' },
      { key: 'api_key', value: '***' },
    ],
    [
      { connector: { key: 'k' }, metadata: { key: 'value', api_key: 'k' } },
      { connector: { key: '***' }, metadata: { key: 'value', api_key: '***' } },
    ],
    [
      { sort_key: 'a', key_name: 'b', public_key: 'c', keys: ['d'] },
      { sort_key: 'a', key_name: 'b', public_key: 'c', keys: ['d'] },
    ],
    [{ 'pci_passthrough:alias': 'a1:2' }, { 'pci_passthrough:alias': 'a1:2' }],
    [{ url: 'http://u:p@h' }, { url: 'http://u:***@h' }],
    [{ error: { code: 404, message: 'm' } }, { error: { code: 404, message: 'm' } }],
    ['a', 'a'],
    [null, null],
    [undefined, null],
  ];
  for (const [body, expected] of cases)
    it(`turns ${JSON.stringify(body)} into ${JSON.stringify(expected)}`, () => {
      expect(redactJson(body)).to.deep.equal(expected);
    });

  it('handles deep nesting and __proto__', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
    expect(JSON.stringify(redactJson(deep)).length).to.be.below(100);
    expect(JSON.stringify(redactJson({ password: deep })).length).to.be.below(100);
    const own = JSON.parse('{"__proto__": {"password": "p"}}') as unknown;
    expect(JSON.stringify(redactJson(own))).to.equal('{"__proto__":{"password":"***"}}');
  });
});

describe('redactPart', () => {
  it('hides a part of a secret, and secrets in a part', () => {
    expect(redactPart(['server', 'adminPass'], { x: 1 })).to.equal('***');
    expect(redactPart(['user', 'password', 'x', 0], 'p')).to.equal('***');
    expect(
      redactPart(['auth', 'identity', 'password', 'user'], { name: 'n', password: 'p' }),
    ).to.deep.equal({ name: 'n', password: '***' });
  });

  it('returns a part without secrets itself', () => {
    const part = { name: 'n', list: [1.5] };
    expect(redactPart(['server'], part)).to.equal(part);
  });
});

describe('secretsOf', () => {
  it('finds secrets in the body, the query, the path and the headers, longest first', () => {
    const password = { user: { name: 'admin', password: 'pass-word' } };
    const auth = { identity: { methods: ['password'], password, token: { id: 'a-token' } } };
    expect(
      secretsOf(
        requestWith({
          path: '/v2.0/tokens/opaque',
          query: new Query('api_key=a-long-key'),
          headers: { 'x-auth-token': 't'.repeat(30), 'x-subject-token': 'admin' },
          body: { auth },
        }),
      ),
    ).to.deep.equal(['t'.repeat(30), 'a-long-key', 'pass-word', 'a-token', 'opaque']);
  });

  it('leaves out texts of less than four characters', () => {
    expect(secretsOf(requestWith({ body: { password: ['abc', 'abcd', 12, ''] } }))).to.deep.equal([
      'abcd',
    ]);
  });

  it('reads a body that has not been parsed', () => {
    const raw = Buffer.from('{"password": "hunter2"}');
    expect(secretsOf(requestWith({ raw }))).to.deep.equal(['hunter2']);
  });
});

describe('withoutSecrets', () => {
  it('removes secrets, plain and quoted as in Python, JSON, HTML and URLs', () => {
    const secret = `a\\b"c'd<é`;
    for (const form of [
      secret,
      JSON.stringify(secret).slice(1, -1),
      String.raw`a\\b"c\'d<é`,
      'a\\b&quot;c&#x27;d&lt;é',
      encodeURIComponent(secret),
    ])
      expect(withoutSecrets(`x ${form} y`, [secret]), form).to.equal('x *** y');
    expect(withoutSecrets('x \ud800abc y', ['\ud800abc'])).to.equal('x *** y');
  });

  it('takes linear time for a great number of secrets', () => {
    const secrets = Array.from({ length: 50_000 }, (_, index) => `secret-${index}`);
    expect(withoutSecrets(secrets.join(' '), secrets)).to.equal('***');
  });
});
