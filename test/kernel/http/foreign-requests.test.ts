// Tests that a cloud without passwords of its own refuses foreign requests: under Host headers that
// name other machines, from other machines, and from pages of any site.
import { networkInterfaces } from 'node:os';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { serverFor } from '../../../src/kernel/http/server.ts';
import { serviceDefinitions } from '../../../src/services/index.ts';
import { onEachDatabase, ownCloud, type World } from '../../support/cloud.ts';
import { ask, ids, signIn } from '../../services/identity/support.ts';

const paths = serviceDefinitions
  .filter(({ type, regions }) => type && regions !== 'central')
  .map(({ prefix }) => prefix);

for (const [what, overrides] of [
  ['the default password', {}],
  ['noauth2', { auth: 'noauth2' }],
] as const) {
  onEachDatabase(`foreign Host header with ${what}`, overrides, (world) => {
    for (const path of paths)
      it(`returns 403 at ${path}, in the error format of the service`, async () => {
        const usual = await world.http.get(`${path}/v3`);
        const reply = await world.http.get(`${path}/v3`).set('host', 'evil.example:6060');
        expect(reply.status).to.equal(403);
        expect(reply.headers).to.have.property('x-openstack-request-id');
        expect(reply.text).not.to.equal('');
        for (const host of ['localhost', '[::1]:6060', '127.0.0.1:1'])
          expect((await world.http.get(`${path}/v3`).set('host', host)).status).to.equal(
            usual.status,
          );
      });
  });
}

const statusUnder = async (world: World, host: string): Promise<number> =>
  (await world.http.get('/identity/v3').set('host', host)).status;

/** Changes the password of a seeded user. */
const changePassword = async (
  world: World,
  token: string,
  name: 'admin' | 'demo',
  password: string,
): Promise<void> => {
  const body = { user: { password } };
  const id = name === 'admin' ? ids.admin : ids.demo;
  expect((await ask(world, 'PATCH', `/v3/users/${id}`, { token, body })).status).to.equal(200);
};

onEachDatabase('foreign Host header', {}, (world) => {
  it('is accepted once no user has the default password, and refused if one has it again', async () => {
    const token = await signIn(world);
    await changePassword(world, token, 'demo', 'own');
    expect(await statusUnder(world, 'cloud.example')).to.equal(403);
    await changePassword(world, token, 'admin', 'own');
    expect(await statusUnder(world, 'cloud.example')).to.equal(200);
    const again = await signIn(world, { password: 'own' });
    await changePassword(world, again, 'demo', 'secret');
    const reply = await world.http.get('/identity/v3').set('host', 'cloud.example').expect(403);
    expect((reply.body as { error: { message: string } }).error.message).to.include(
      "demo has the default password refuses this. To allow it, change it with 'openstack user " +
        "set --password PASSWORD demo'",
    );
  });
});

onEachDatabase('foreign Host header with another password', { adminPassword: 'own' }, (world) => {
  it('is accepted', async () => {
    expect(await statusUnder(world, 'cloud.example')).to.equal(200);
  });

  it('is refused after an import of a cloud with the default password', async () => {
    const usual = (await ownCloud(world.kind, {}))!;
    const { port } = usual.server.address() as AddressInfo;
    try {
      const exported = await fetch(`http://127.0.0.1:${port}/_emulator/export`);
      await world.http
        .post('/_emulator/import')
        .set('content-type', 'application/x-ndjson')
        .send(await exported.text())
        .expect(204);
    } finally {
      await usual.close();
    }
    expect(await statusUnder(world, 'cloud.example')).to.equal(403);
    expect(await statusUnder(world, 'localhost')).to.equal(200);
    await world.http.post('/_emulator/reset').send({}).expect(204);
    expect(await statusUnder(world, 'cloud.example')).to.equal(200);
  });
});

onEachDatabase('requests from other machines', {}, (world) => {
  it('are refused while a user has the default password', async function () {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
    if (outside === undefined) return this.skip();
    const server = serverFor({ cloud: world.cloud }).listen(0, '0.0.0.0');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://${outside}:${(server.address() as AddressInfo).port}/identity/v3`;
    try {
      expect((await fetch(url)).status).to.equal(403);
      const token = await signIn(world);
      await changePassword(world, token, 'demo', 'own');
      await changePassword(world, token, 'admin', 'own');
      expect((await fetch(url)).status).to.equal(200);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

onEachDatabase('requests of web pages', { corsOrigin: ['http://ui.example'] }, (world) => {
  /** What a page can send without a preflight: a body without a media type. */
  const changeFrom = (origin: string, from: string, to: string) =>
    world.http
      .post(`/identity/v3/users/${ids.demo}/password`)
      .set('origin', origin)
      .send(JSON.stringify({ user: { original_password: from, password: to } }))
      .unset('content-type');

  for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://'])
    it(`return 403 for the origin ${origin} while a user has the default password`, async () => {
      await changeFrom(origin, 'secret', 'evil').expect(403);
      await signIn(world, { name: 'demo' });
    });

  it('may read what the browser withholds from the page', async () => {
    const reply = await world.http.get('/identity/v3').set('origin', 'https://evil.example');
    expect(reply.status).to.equal(200);
    expect(reply.headers).to.not.have.property('access-control-allow-origin');
  });

  it('are accepted from this machine, and from the origins of --cors-origin', async () => {
    const passwords = ['secret', 'one', 'two', 'three'];
    for (const origin of ['http://ui.example', 'http://localhost:3000', 'https://[::1]'])
      await changeFrom(origin, passwords.shift()!, passwords[0]!).expect(204);
  });
});

onEachDatabase(
  "pages with --cors-origin '*'",
  { adminPassword: 'own', corsOrigin: ['*'] },
  (world) => {
    const page = (origin: string) => world.http.get('/identity/v3').set('origin', origin);

    it('are accepted while no user has the default password', async () => {
      const reply = await page('https://page.example').expect(200);
      expect(reply.headers['access-control-allow-origin']).to.equal('https://page.example');
      const token = await signIn(world, { password: 'own' });
      await changePassword(world, token, 'demo', 'secret');
      await page('https://page.example').expect(403);
      await world.http.get('/identity/v3').expect(200);
    });
  },
);

onEachDatabase('malformed Host header', {}, (world) => {
  for (const host of ['a b', 'a/b', 'a?b', 'user@host', 'a"b', '[', 'a:b:c', 'localhost:999999'])
    it(`returns 400 for ${host}`, async () => {
      const reply = await world.http.get('/identity/v3').set('host', host).expect(400);
      expect(reply.text).to.include('The Host header is not a host name.');
    });

  it('leaves the scheme of links at http unless X-Forwarded-Proto is https', async () => {
    const linkFor = async (protocol: string): Promise<string> => {
      const reply = await world.http.get('/').set('x-forwarded-proto', protocol).expect(200);
      return (reply.body as { cumulet: { identity: string } }).cumulet.identity;
    };
    expect(await linkFor('https')).to.match(/^https:\/\/127/);
    expect(await linkFor('https, http')).to.match(/^https:\/\/127/);
    for (const other of ['http', 'javascript', 'http://evil.example/?', 'httpsx', ''])
      expect(await linkFor(other)).to.match(/^http:\/\/127/);
  });
});
