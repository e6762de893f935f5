// The order of checks, which is part of the API: it decides the error of a request that has several
// mistakes.
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { onEachDatabase, type World } from '../../support/cloud.ts';
import { senderFor, expectRefusal, makeProvider, newest, provider, refusalOf } from './support.ts';

const one = provider(1);
const unauthorized =
  'This server could not verify that you are authorized to access the document you ' +
  'requested. Either you supplied the wrong credentials (e.g., bad password), or your ' +
  'browser does not understand how to supply the credentials required.<br /><br />\n\n\n';

/** Paths with their methods, in the order of the Allow header. */
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

/** Writes that require JSON, with the oldest version that has them. */
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

/** Sends a request that no client library would send. */
function spoken(world: World, line: string, rest: string): Promise<string> {
  const { port } = world.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const request =
      `${line.replace(' ', ' /placement')} HTTP/1.1\r\nhost: ` +
      `localhost\r\nconnection: close\r\n${rest}`;
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let text = '';
    socket.on('data', (data) => (text += data.toString()));
    socket.on('end', () => resolve(text)).on('error', reject);
  });
}

onEachDatabase('Placement: the order of refusals', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const notJson = (type: string) =>
    `The request media type ${type} is not supported by this server. \n\n The media type ` +
    `${type} is not supported, use application/json`;
  const cannot = { token: 'somebody' };

  it('first checks the token, even for unknown paths, but not at the root', async () => {
    for (const [line, version] of [
      ['GET /resource_providers', newest],
      ['GET /nothing', newest],
      ['PATCH /traits', newest],
      ['GET /resource_providers', '1.99'],
      ['GET /resource_providers', 'pony'],
    ] as const) {
      const { body, headers } = await send(line, version, { token: null }).expect(401);
      expect(body).to.deep.equal({
        message: unauthorized,
        code: '401 Unauthorized',
        title: 'Unauthorized',
      });
      expect(headers['x-openstack-request-id']).to.match(/^req-/);
      expect(headers).to.not.have.any.keys('openstack-api-version', 'vary', 'www-authenticate');
    }
  });

  it('then checks the version, before the path', async () => {
    refusalOf(await send('GET /nothing', '1.99'), 406);
    refusalOf(await send('PATCH /traits', 'pony'), 400);
  });

  it('then requires a content type for a body, for every path and method', async () => {
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

  it("returns the version header, but `vary` only if upstream's handler replies", async () => {
    const varies = async (line: string, version: string = newest, rest = {}): Promise<boolean> => {
      const { headers } = await send(line, version, rest);
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

  it('rejects a malformed content-length in the same way', async () => {
    const answer = await spoken(world, 'GET /traits', 'content-length: foo\r\n\r\n');
    expect(answer).to.match(/^HTTP\/1\.1 400 /);
    expect(answer).to.contain('content-length header must be an integer');
  });

  it('then checks the path, and then the method', async () => {
    expectRefusal(await send('PATCH /nothing', newest), 404, '');
    for (const [path, allow] of paths) {
      const refused = await send(`PATCH ${path}`, newest);
      expect(refusalOf(refused, 405).detail, path).to.equal(
        'The method PATCH is not allowed for this resource. \n\n The method specified is not ' +
          'allowed for this resource.',
      );
      expect(refused.headers['allow'], path).to.equal(allow);
    }
  });

  it('checks the method before the version in which a path was introduced', async () => {
    for (const line of ['GET /reshaper', 'DELETE /traits', 'PUT /allocation_candidates'])
      refusalOf(await send(line, '1.0'), 405);
  });

  it('returns 405 for HEAD and OPTIONS', async () => {
    for (const [path] of paths) {
      const head = await send(`HEAD ${path}`, newest).expect(405);
      expect(head.headers).to.include({
        'content-type': 'text/html; charset=UTF-8',
        'content-length': '0',
      });
      refusalOf(await send(`OPTIONS ${path}`, newest), 405);
    }
    await send('HEAD /nothing', newest).expect(404);
  });

  it('then checks the versions of the route, before policy and body', async () => {
    for (const line of [
      'GET /traits',
      'GET /usages',
      'POST /reshaper',
      `PUT /resource_providers/${one}/traits`,
      'POST /resource_classes',
    ]) {
      expectRefusal(
        await send(line, '1.0', {
          ...cannot,
          body: 'x',
          headers: { 'content-type': 'text/plain', accept: '*/*' },
        }),
        404,
        '',
      );
    }
  });

  it('checks the media types of aggregates before the versions of the route', async () => {
    const line = `/resource_providers/${one}/aggregates`;
    expect(refusalOf(await send(`PUT ${line}`, '1.0'), 415).detail).to.equal(notJson('None'));
    expect(
      (await send(`GET ${line}`, '1.0', { headers: { accept: 'text/plain' } })).status,
    ).to.equal(406);
    expectRefusal(await send(`PUT ${line}`, '1.0', { body: [] }), 404, '');
  });

  it('then checks the media type, before policy', async () => {
    for (const [line, version] of writes) {
      const none = await send(line, version, cannot);
      expect(refusalOf(none, 415).detail, line).to.equal(notJson('None'));
      const other = await send(line, version, {
        ...cannot,
        body: '{}',
        headers: { 'content-type': 'text/plain' },
      });
      expect(refusalOf(other, 415).detail, line).to.equal(notJson('text/plain'));
    }
  });

  it('accepts a charset in the media type', async () => {
    await send('POST /resource_providers', newest, {
      body: '{"name": "é"}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    }).expect(200);
  });

  it('then enforces policy, before it validates the body and looks up the resource', async () => {
    for (const [line, version] of writes) {
      expectRefusal(
        await send(line, version, { ...cannot, body: '{' }),
        403,
        /^Policy does not allow placement:[a-z_:]+ to be performed\.$/,
      );
    }
    expectRefusal(
      await send(`GET /resource_providers/${one}`, newest, cannot),
      403,
      'Policy does not allow placement:resource_providers:show to be performed.',
    );
    expectRefusal(
      await send('GET /resource_providers?x=1', newest, cannot),
      403,
      /resource_providers:list/,
    );
  });

  it('then validates the query, before it looks up the resource', async () => {
    expectRefusal(
      await send('GET /allocation_candidates?x=1', newest),
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
      it(`return 400 with Python's message: ${JSON.stringify(text)}`, async () => {
        const headers = { 'content-type': 'application/json' };
        expectRefusal(
          await send('POST /resource_providers', newest, { body: text, headers }),
          400,
          `Malformed JSON: ${why}`,
        );
      });
    }

    it('are validated against the schema if they are JSON, but not an object', async () => {
      for (const [text, shown] of [
        ['"x"', "'x'"],
        ['[]', '[]'],
        ['1', '1'],
        ['null', 'None'],
        ['true', 'True'],
      ] as const) {
        expectRefusal(
          await send('POST /resource_providers', newest, { body: text }),
          400,
          new RegExp(
            `^JSON does not validate: ${shown.replace(/[[\]]/g, '\\$&')} is not of type 'object'`,
          ),
        );
      }
    });

    it('use the last value of a repeated key', async () => {
      const { body } = await send('POST /resource_providers', newest, {
        body: '{"name": "first", "name": "last"}',
      }).expect(200);
      expect(body.name).to.equal('last');
    });

    it("can be larger than Express's default limit", async () => {
      const traits = Array.from({ length: 20_000 }, () => 'HW_CPU_X86_VMX');
      await makeProvider(send, one);
      const { body } = await send(`PUT /resource_providers/${one}/traits`, newest, {
        body: { traits, resource_provider_generation: 0 },
      }).expect(200);
      expect(body.traits).to.deep.equal(['HW_CPU_X86_VMX']);
    });
  });

  describe('Accept', () => {
    const get = (path: string, accept: string) =>
      send(`GET ${path}`, newest, { headers: { accept } });

    it('returns 406 if the reply is JSON and the client does not accept it', async () => {
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
          `406 Not Acceptable\n\nThe resource could not be generated that was acceptable to ` +
            `your browser (content of type ${accept}. \n\n Only application/json is provided`,
        );
      }
    });

    it('is not checked for a trait or a write, but errors are then HTML or text', async () => {
      await get('/traits/HW_CPU_X86_VMX', 'text/plain').expect(204);
      await send('PUT /traits/CUSTOM_A', newest, { headers: { accept: 'text/plain' } }).expect(201);
      const page = await get('/traits/CUSTOM_NOPE', 'text/html').expect(404);
      expect(page.headers['content-type']).to.equal('text/html; charset=UTF-8');
      expect(page.text).to.match(/^<html>\n <head>\n {2}<title>404 Not Found<\/title>/);
      const plain = await send('DELETE /traits/CUSTOM_NOPE', newest, {
        headers: { accept: 'text/plain' },
      }).expect(404);
      expect(plain.text).to.equal(
        '404 Not Found\n\nThe resource could not be found.\n\n No such trait(s): CUSTOM_NOPE.  ',
      );
    });

    it('is checked before policy', async () => {
      expect(
        (await send('GET /traits', newest, { ...cannot, headers: { accept: 'text/plain' } }))
          .status,
      ).to.equal(406);
    });
  });

  it('checks the capacity of an inventory before its resource class', async () => {
    await makeProvider(send, one);
    const path = `PUT /resource_providers/${one}/inventories`;
    const generation = { resource_provider_generation: 0 };
    const over = { total: 1, reserved: 2 };
    const inventories = { CUSTOM_UNKNOWN: { total: 1 }, CUSTOM_NOPE: over };
    const all = await send(path, newest, { body: { ...generation, inventories } });
    expectRefusal(all, 400, /^Unable to update inventory .* 'CUSTOM_NOPE'/);
    const single = await send(`${path}/CUSTOM_NOPE`, newest, { body: { ...generation, ...over } });
    expectRefusal(single, 400, /^Unable to update inventory .* 'CUSTOM_NOPE'/);
  });
});

onEachDatabase(
  'Placement: requests without a token, with Keystone',
  { auth: 'keystone' },
  (world) => {
    it('return 401 in the format of Keystone’s middleware', async () => {
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

    it('succeed at the root', async () => {
      await world.ask('placement', 'GET', '/placement', { token: null }).expect(200);
    });
  },
);
