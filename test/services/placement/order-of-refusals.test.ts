// The order of refusals, which is part of the API: what is said first where several things are
// wrong.
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { onEachDatabase, type World } from '../../support/cloud.ts';
import { asking, expectRefusal, makeProvider, newest, provider, refusalOf } from './makers.ts';

const one = provider(1);
const unauthorized =
  'This server could not verify that you are authorized to access the document you requested. Either you supplied the wrong credentials (e.g., bad password), or your browser does not understand how to supply the credentials required.<br /><br />\n\n\n';

/** Paths, and the methods that they have, in the order in which Allow has them. */
const paths: readonly (readonly [string, string])[] = [
  ['/', 'GET'],
  ['/resource_providers', 'GET, POST'],
  [`/resource_providers/${one}`, 'GET, DELETE, PUT'],
  [`/resource_providers/${one}/inventories`, 'GET, POST, PUT, DELETE'],
  [`/resource_providers/${one}/inventories/VCPU`, 'GET, PUT, DELETE'],
  [`/resource_providers/${one}/usages`, 'GET'],
  [`/resource_providers/${one}/aggregates`, 'GET, PUT'],
  [`/resource_providers/${one}/allocations`, 'GET'],
  [`/resource_providers/${one}/traits`, 'GET, PUT, DELETE'],
  ['/traits', 'GET'],
  ['/traits/CUSTOM_A', 'GET, PUT, DELETE'],
  ['/resource_classes', 'GET, POST'],
  ['/resource_classes/CUSTOM_A', 'GET, PUT, DELETE'],
  ['/allocations', 'POST'],
  [`/allocations/${one}`, 'GET, PUT, DELETE'],
  ['/allocation_candidates', 'GET'],
  ['/reshaper', 'POST'],
  ['/usages', 'GET'],
];

/** Writes that want JSON, with the oldest version that has them. */
const writes: readonly (readonly [string, string])[] = [
  ['POST /resource_providers', '1.0'],
  [`PUT /resource_providers/${one}`, '1.0'],
  [`POST /resource_providers/${one}/inventories`, '1.0'],
  [`PUT /resource_providers/${one}/inventories`, '1.0'],
  [`PUT /resource_providers/${one}/inventories/VCPU`, '1.0'],
  [`PUT /resource_providers/${one}/aggregates`, '1.1'],
  [`PUT /resource_providers/${one}/traits`, '1.6'],
  ['POST /resource_classes', '1.2'],
  [`PUT /allocations/${one}`, '1.0'],
  ['POST /allocations', '1.13'],
  ['POST /reshaper', '1.30'],
];

/** The answer to a request that no client library would make. */
function spoken(world: World, line: string, rest: string): Promise<string> {
  const { port } = world.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const request = `${line.replace(' ', ' /placement')} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${rest}`;
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let text = '';
    socket.on('data', (data) => (text += data.toString()));
    socket.on('end', () => resolve(text)).on('error', reject);
  });
}

onEachDatabase('Placement: the order of refusals', { auth: 'noauth2' }, (world) => {
  const ask = asking(world);
  const notJson = (type: string) =>
    `The request media type ${type} is not supported by this server. \n\n The media type ${type} is not supported, use application/json`;
  const cannot = { token: 'somebody' };

  it('without a token all is refused but the root: paths and versions that there are not, too', async () => {
    for (const [line, version] of [
      ['GET /resource_providers', newest],
      ['GET /nothing', newest],
      ['PATCH /traits', newest],
      ['GET /resource_providers', '1.99'],
      ['GET /resource_providers', 'pony'],
    ] as const) {
      const { body, headers } = await ask(line, version, { token: null }).expect(401);
      expect(body).to.deep.equal({
        message: unauthorized,
        code: '401 Unauthorized',
        title: 'Unauthorized',
      });
      expect(headers['x-openstack-request-id']).to.match(/^req-/);
      expect(headers).to.not.have.any.keys('openstack-api-version', 'vary', 'www-authenticate');
    }
  });

  it('then the version is looked at, before the path', async () => {
    refusalOf(await ask('GET /nothing', '1.99'), 406);
    refusalOf(await ask('PATCH /traits', 'pony'), 400);
  });

  it('then a body must say what it is, whatever the path and the method', async () => {
    for (const line of [
      'POST /resource_providers',
      'GET /resource_providers',
      'PUT /nothing',
      'PATCH /traits',
    ]) {
      for (const type of ['', 'content-type:\r\n']) {
        const answer = await spoken(
          world,
          line,
          `x-auth-token: admin\r\n${type}content-length: 2\r\n\r\n{}`,
        );
        expect(answer, line).to.match(/^HTTP\/1\.1 400 /);
        expect(answer, line).to.contain('content-type header required when content-length > 0');
      }
    }
  });

  it('bears the version always, and `vary` only where upstream replies with the refusal, and does not raise it', async () => {
    const varies = async (line: string, version: string = newest, rest = {}): Promise<boolean> => {
      const { headers } = await ask(line, version, rest);
      expect(headers['openstack-api-version'], line).to.equal(`placement ${version}`);
      return headers['vary'] === 'openstack-api-version';
    };
    const absent = '/resource_providers/00000000-0000-4000-8000-000000000099';
    for (const line of [
      'GET /nothing',
      `GET ${absent}`,
      `GET ${absent}/aggregates`,
      'GET /resource_classes/CUSTOM_NO',
    ])
      expect(await varies(line), line).to.equal(false);
    for (const line of [`DELETE ${absent}/inventories`, `PUT ${absent}`])
      expect(
        await varies(line, newest, line.startsWith('PUT') ? { body: { name: 'x' } } : {}),
        line,
      ).to.equal(false);
    expect(await varies('GET /traits', newest, cannot)).to.equal(false);
    for (const line of [
      'PATCH /traits',
      `DELETE ${absent}`,
      `GET ${absent}/inventories`,
      `GET ${absent}/traits`,
      'GET /traits/CUSTOM_NO',
      'GET /usages',
    ])
      expect(await varies(line), line).to.equal(true);
    expect(await varies('GET /traits', '1.4')).to.equal(true);
  });

  it('a content-length that is no number is refused in the same way', async () => {
    const answer = await spoken(world, 'GET /traits', 'content-length: foo\r\n\r\n');
    expect(answer).to.match(/^HTTP\/1\.1 400 /);
    expect(answer).to.contain('content-length header must be an integer');
  });

  it('then the path, then the method', async () => {
    expectRefusal(await ask('PATCH /nothing', newest), 404, '');
    for (const [path, allow] of paths) {
      const refused = await ask(`PATCH ${path}`, newest);
      expect(refusalOf(refused, 405).detail, path).to.equal(
        'The method PATCH is not allowed for this resource. \n\n The method specified is not allowed for this resource.',
      );
      expect(refused.headers['allow'], path).to.equal(allow);
    }
  });

  it('the method is looked at before the version that the path begins with', async () => {
    for (const line of ['GET /reshaper', 'DELETE /traits', 'PUT /allocation_candidates'])
      refusalOf(await ask(line, '1.0'), 405);
  });

  it('HEAD and OPTIONS are methods like others, and not allowed', async () => {
    for (const [path] of paths) {
      const head = await ask(`HEAD ${path}`, newest).expect(405);
      expect(head.headers).to.include({
        'content-type': 'text/html; charset=UTF-8',
        'content-length': '0',
      });
      refusalOf(await ask(`OPTIONS ${path}`, newest), 405);
    }
    await ask('HEAD /nothing', newest).expect(404);
  });

  it('then the version gate, before what the caller may do and what it sent', async () => {
    for (const line of [
      'GET /traits',
      'GET /usages',
      'POST /reshaper',
      `PUT /resource_providers/${one}/traits`,
      'POST /resource_classes',
    ]) {
      expectRefusal(
        await ask(line, '1.0', {
          ...cannot,
          body: 'x',
          headers: { 'content-type': 'text/plain', accept: '*/*' },
        }),
        404,
        '',
      );
    }
  });

  it('of aggregates the media types come before the version gate', async () => {
    const line = `/resource_providers/${one}/aggregates`;
    expect(refusalOf(await ask(`PUT ${line}`, '1.0'), 415).detail).to.equal(notJson('None'));
    expect(
      (await ask(`GET ${line}`, '1.0', { headers: { accept: 'text/plain' } })).status,
    ).to.equal(406);
    expectRefusal(await ask(`PUT ${line}`, '1.0', { body: [] }), 404, '');
  });

  it('then the media type, before what the caller may do', async () => {
    for (const [line, version] of writes) {
      const none = await ask(line, version, cannot);
      expect(refusalOf(none, 415).detail, line).to.equal(notJson('None'));
      const other = await ask(line, version, {
        ...cannot,
        body: '{}',
        headers: { 'content-type': 'text/plain' },
      });
      expect(refusalOf(other, 415).detail, line).to.equal(notJson('text/plain'));
    }
  });

  it('a charset in the media type does no harm', async () => {
    await ask('POST /resource_providers', newest, {
      body: '{"name": "é"}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    }).expect(200);
  });

  it('then the caller must be allowed to, before the body and what the path names', async () => {
    for (const [line, version] of writes) {
      expectRefusal(
        await ask(line, version, { ...cannot, body: '{' }),
        403,
        /^Policy does not allow placement:[a-z_:]+ to be performed\.$/,
      );
    }
    expectRefusal(
      await ask(`GET /resource_providers/${one}`, newest, cannot),
      403,
      'Policy does not allow placement:resource_providers:show to be performed.',
    );
    expectRefusal(
      await ask('GET /resource_providers?x=1', newest, cannot),
      403,
      /resource_providers:list/,
    );
  });

  it('then the query, before what the path names', async () => {
    expectRefusal(
      await ask('GET /allocation_candidates?x=1', newest),
      400,
      /does not match any of the regexes/,
    );
  });

  describe('bodies', () => {
    const nonsense: readonly (readonly [string, string])[] = [
      ['', 'Expecting value: line 1 column 1 (char 0)'],
      ['{', 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
      [
        "{'name': 1}",
        'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)',
      ],
      ['{"name"', "Expecting ':' delimiter: line 1 column 8 (char 7)"],
      ['{"name": "a"', "Expecting ',' delimiter: line 1 column 13 (char 12)"],
      ['{"name": "a"}x', 'Extra data: line 1 column 14 (char 13)'],
      [
        '\ufeff{"name": "a"}',
        'Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)',
      ],
    ];
    for (const [text, why] of nonsense) {
      it(`that are no JSON are refused in Python's words: ${JSON.stringify(text)}`, async () => {
        const headers = { 'content-type': 'application/json' };
        expectRefusal(
          await ask('POST /resource_providers', newest, { body: text, headers }),
          400,
          `Malformed JSON: ${why}`,
        );
      });
    }

    it('that are JSON but no object are held against the schema', async () => {
      for (const [text, shown] of [
        ['"x"', "'x'"],
        ['[]', '[]'],
        ['1', '1'],
        ['null', 'None'],
        ['true', 'True'],
      ] as const) {
        expectRefusal(
          await ask('POST /resource_providers', newest, { body: text }),
          400,
          new RegExp(
            `^JSON does not validate: ${shown.replace(/[[\]]/g, '\\$&')} is not of type 'object'`,
          ),
        );
      }
    });

    it('have the last of several values of a name', async () => {
      const { body } = await ask('POST /resource_providers', newest, {
        body: '{"name": "first", "name": "last"}',
      }).expect(200);
      expect(body.name).to.equal('last');
    });

    it('may be larger than what Express takes by itself', async () => {
      const traits = Array.from({ length: 20_000 }, () => 'HW_CPU_X86_VMX');
      await makeProvider(ask, one);
      const { body } = await ask(`PUT /resource_providers/${one}/traits`, newest, {
        body: { traits, resource_provider_generation: 0 },
      }).expect(200);
      expect(body.traits).to.deep.equal(['HW_CPU_X86_VMX']);
    });
  });

  describe('Accept', () => {
    const get = (path: string, accept: string) =>
      ask(`GET ${path}`, newest, { headers: { accept } });

    it('must take JSON where the answer is JSON', async () => {
      for (const accept of [
        '*/*',
        'application/*',
        'application/json',
        'text/plain, application/json',
        'application/json;q=0.5',
      ]) {
        expect((await get('/traits', accept)).status, accept).to.equal(200);
      }
      for (const accept of ['text/plain', 'application/xml', 'application/json;q=0']) {
        const { headers, text } = await get('/traits', accept).expect(406);
        expect(headers['content-type']).to.equal('text/plain; charset=UTF-8');
        expect(text).to.equal(
          `406 Not Acceptable\n\nThe resource could not be generated that was acceptable to your browser (content of type ${accept}. \n\n Only application/json is provided`,
        );
      }
    });

    it('is not asked for a trait, nor by a write; but then errors are pages', async () => {
      await get('/traits/HW_CPU_X86_VMX', 'text/plain').expect(204);
      await ask('PUT /traits/CUSTOM_A', newest, { headers: { accept: 'text/plain' } }).expect(201);
      const page = await get('/traits/CUSTOM_NOPE', 'text/html').expect(404);
      expect(page.headers['content-type']).to.equal('text/html; charset=UTF-8');
      expect(page.text).to.match(/^<html>\n <head>\n {2}<title>404 Not Found<\/title>/);
      const plain = await ask('DELETE /traits/CUSTOM_NOPE', newest, {
        headers: { accept: 'text/plain' },
      }).expect(404);
      expect(plain.text).to.equal(
        '404 Not Found\n\nThe resource could not be found.\n\n No such trait(s): CUSTOM_NOPE.  ',
      );
    });

    it('is looked at before what the caller may do', async () => {
      expect(
        (await ask('GET /traits', newest, { ...cannot, headers: { accept: 'text/plain' } })).status,
      ).to.equal(406);
    });
  });
});

onEachDatabase('Placement: without a token, by Keystone', { auth: 'keystone' }, (world) => {
  it('is refused as Keystone’s middleware does, and not in the usual envelope', async () => {
    for (const token of [null, 'nonsense']) {
      const { body, headers } = await world
        .ask('placement', 'GET', '/placement/resource_providers', { token, version: newest })
        .expect(401);
      expect(body).to.deep.equal({
        error: {
          code: 401,
          title: 'Unauthorized',
          message: 'The request you have made requires authentication.',
        },
      });
      expect(headers['www-authenticate']).to.match(
        /^Keystone uri="http:\/\/127\.0\.0\.1:\d+\/identity"$/,
      );
      expect(headers).to.not.have.property('openstack-api-version');
    }
  });

  it('still answers at the root', async () => {
    await world.ask('placement', 'GET', '/placement', { token: null }).expect(200);
  });
});
