// Tests of access to /_emulator: from this machine, except for web pages of other origins, and with
// the control token from anywhere.
import { networkInterfaces } from 'node:os';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { serverFor } from '../../src/kernel/http/server.ts';
import { onEachDatabase } from '../support/cloud.ts';

const headers: readonly (readonly [
  what: string,
  headers: Record<string, string>,
  status: number,
])[] = [
  ['localhost', { host: 'localhost:6060' }, 200],
  ['localhost without a port', { host: 'localhost' }, 200],
  ['an IPv6 loopback', { host: '[::1]:6060' }, 200],
  ['another host name that resolves to loopback', { host: 'evil.example:6060' }, 403],
  ['a host name that starts like loopback', { host: '127.0.0.1.evil.example' }, 403],
  ['a host name that ends like loopback', { host: 'evil.localhost' }, 403],
  [
    'a page of the emulator itself',
    { host: 'localhost:6060', origin: 'http://localhost:6060' },
    200,
  ],
  ['a page from elsewhere', { host: 'localhost:6060', origin: 'http://evil.example' }, 403],
  ['a page from another port', { host: 'localhost:6060', origin: 'http://localhost:8080' }, 403],
  ['a page with an opaque origin', { host: 'localhost:6060', origin: 'null' }, 403],
  ['a script of a page', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'script' }, 403],
  ['a frame of a page', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }, 403],
  ['an image of a page on another port', { 'sec-fetch-site': 'same-site' }, 403],
  ['a link on a page', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }, 200],
  ['an address that a user typed', { 'sec-fetch-site': 'none' }, 200],
  ['a page of the emulator that embeds it', { 'sec-fetch-site': 'same-origin' }, 200],
];

const forwarded = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-url',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-azure-clientip',
  'x-envoy-external-address',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'remote-addr',
  'client-ip',
  'cdn-loop',
  'x-proxyuser-ip',
  'x-scheme',
  'via',
];

/** Headers of ordinary clients that resemble those of proxies. */
const harmless = ['x-request-id', 'traceparent', 'x-roundtrip', 'x-address-book', 'x-original'];

onEachDatabase('/_emulator without a control token', {}, (world) => {
  for (const name of forwarded)
    it(`returns 403 for requests of a proxy on this machine, with ${name}`, async () => {
      await world.http.get('/_emulator/info').set(name, '127.0.0.1').expect(403);
    });

  for (const name of harmless)
    it(`accepts the header ${name}`, async () => {
      await world.http.get('/_emulator/info').set(name, '127.0.0.1').expect(200);
    });

  for (const [what, sent, status] of headers) {
    it(`returns ${status} for ${what}`, async () => {
      const response = await world.http.get('/_emulator/info').set(sent).expect(status);
      if (status === 403) expect(response.body).to.have.nested.property('error.code', 403);
    });
  }

  it('changes nothing when it returns 403', async () => {
    await world.http
      .put('/_emulator/clock')
      .set('origin', 'http://evil.example')
      .send({ now: '2030-01-01' })
      .expect(403);
    await world.http.post('/_emulator/reset').set('host', 'evil.example').send({}).expect(403);
    expect((await world.http.get('/_emulator/clock')).body).to.include({
      now: '2026-11-20T12:00:00.000000Z',
    });
  });

  it('names --control-token in the error for another host name', async () => {
    const remote = await world.http.get('/_emulator/info').set('host', 'cloud.example').expect(403);
    expect((remote.body as { error: { message: string } }).error.message).to.include(
      '--control-token',
    );
  });

  it('names --cors-origin in the error for a page', async () => {
    const page = await world.http
      .get('/_emulator/info')
      .set('origin', 'http://page.example')
      .expect(403);
    expect((page.body as { error: { message: string } }).error.message).to.include(
      '--cors-origin http://page.example',
    );
  });

  it('ignores X-Control-Token if no token is configured', async () => {
    await world.http
      .get('/_emulator/info')
      .set({ host: 'evil.example', 'x-control-token': '' })
      .expect(403);
    await world.http
      .get('/_emulator/info')
      .set({ host: 'evil.example', 'x-control-token': 'undefined' })
      .expect(403);
  });
});

onEachDatabase(
  '/_emulator with a control token',
  { controlToken: 'open sesame', corsOrigin: ['http://friend.example'], adminPassword: 'own' },
  (world) => {
    const get = (sent: Record<string, string>) => world.http.get('/_emulator/info').set(sent);

    it('accepts the token under any host name and origin', async () => {
      await get({ host: 'cloud.example', 'x-control-token': 'open sesame' }).expect(200);
      await get({
        host: 'cloud.example',
        origin: 'http://page.example',
        'x-control-token': 'open sesame',
      }).expect(200);
    });

    it('accepts requests of a proxy with the token only', async () => {
      for (const name of forwarded) {
        await get({ [name]: '127.0.0.1', 'x-control-token': 'open sesame' }).expect(200);
        await get({ [name]: '127.0.0.1' }).expect(403);
      }
    });

    it('returns 403 for a wrong token under another host name', async () => {
      for (const token of ['open', '', 'open sesame ,x'])
        await get({ host: 'cloud.example', 'x-control-token': token }).expect(403);
      expect((await get({ host: 'cloud.example' })).body)
        .to.have.nested.property('error.message')
        .that.includes('X-Control-Token');
    });

    it('requires the token on this machine too, whatever the path', async () => {
      for (const sent of [{}, { 'x-control-token': 'open' }, { origin: 'http://friend.example' }])
        expect((await get(sent).expect(403)).body)
          .to.have.nested.property('error.message')
          .that.includes('CUMULET_CONTROL_TOKEN');
      for (const path of ['openrc', 'health', 'metrics', 'unknown'])
        await world.http.get(`/_emulator/${path}`).expect(403);
      await world.http.post('/_emulator/reset').send({}).expect(403);
    });

    it('requires the token from other machines, whatever their headers claim', async function () {
      const outside = Object.values(networkInterfaces())
        .flat()
        .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
      if (outside === undefined) return this.skip();
      const server: Server = serverFor({ cloud: world.cloud }).listen(0, '0.0.0.0');
      await new Promise((resolve) => server.once('listening', resolve));
      const url = `http://${outside}:${(server.address() as AddressInfo).port}`;
      const status = async (path: string, sent: Record<string, string> = {}): Promise<number> =>
        (await fetch(`${url}${path}`, { headers: sent })).status;
      try {
        expect(await status('/_emulator/info')).to.equal(403);
        expect(
          await status('/_emulator/info', {
            'x-forwarded-for': '127.0.0.1',
            forwarded: 'for=127.0.0.1',
          }),
        ).to.equal(403);
        expect(await status('/_emulator/info', { 'x-control-token': 'open sesame' })).to.equal(200);
        expect(await status('/identity/v3')).to.equal(200);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  },
);
