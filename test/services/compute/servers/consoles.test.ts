// Tests consoles: their URLs, tokens and pages, and the console log.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { ask, config, expectFault, member, reader } from '../support.ts';
import { act, admin, madeServer, newest } from './makers.ts';

onEachDatabase('compute: consoles', config, (world) => {
  const action = (id: string, key: string, value: unknown, version: string, as: Asked = admin) =>
    ask(world, 'POST', `/servers/${id}/action`, { ...as, version, body: { [key]: value } });
  const remote = (id: string, protocol: string, type: string, version = newest, as = admin) =>
    ask(world, 'POST', `/servers/${id}/remote-consoles`, {
      ...as,
      version,
      body: { remote_console: { protocol, type } },
    });
  const urlOf = async (id: string, protocol = 'vnc', type = 'novnc'): Promise<URL> => {
    const { body } = await remote(id, protocol, type).expect(200);
    return new URL(body.remote_console.url as string);
  };
  const tokenOf = ({ searchParams }: URL): string =>
    searchParams.get('token') ?? searchParams.get('path')!.replace('?token=', '');
  const open = ({ pathname, search }: URL) => world.http.get(pathname + search);
  const lookUp = (token: string, version = newest, as: Asked = admin) =>
    ask(world, 'GET', `/os-console-auth-tokens/${token}`, { ...as, version });
  const notFound = 'The resource could not be found.';

  describe('their URLs', () => {
    it('have a token, that of noVNC within the parameter path', async () => {
      const { id } = await madeServer(world);
      const uuid = '[0-9a-f-]{36}';
      const actions: [string, string, RegExp][] = [
        ['os-getVNCConsole', 'novnc', /\/console\/novnc\?path=%3Ftoken%3D/],
        ['os-getSPICEConsole', 'spice-html5', /\/console\/spice-html5\?token=/],
        ['os-getSerialConsole', 'serial', /\/console\/serial\?token=/],
      ];
      for (const [key, type, url] of actions) {
        const { body } = await action(id, key, { type }, '2.5').expect(200);
        expect(Object.keys(body as object)).to.deep.equal(['console']);
        expect(body.console).to.include({ type });
        expect(body.console.url).to.match(new RegExp(`^http://.*${url.source}${uuid}$`));
      }
      const types: [string, string, string][] = [
        ['vnc', 'novnc', '2.6'],
        ['spice', 'spice-html5', '2.6'],
        ['serial', 'serial', '2.7'],
        ['mks', 'webmks', '2.8'],
        ['spice', 'spice-direct', '2.99'],
      ];
      for (const [protocol, type, version] of types) {
        const { body } = await remote(id, protocol, type, version).expect(200);
        expect(body.remote_console).to.include({ protocol, type });
        expect(body.remote_console.url).to.include(`/console/${type}?`);
      }
    });

    it('are refused with 400 for types that no driver has, or of another protocol', async () => {
      const { id } = await madeServer(world);
      expectFault(await remote(id, 'rdp', 'rdp-html5'), 400, 'Unavailable console type rdp.');
      expectFault(await remote(id, 'vnc', 'xvpvnc'), 400, 'Invalid console type xvpvnc');
      expectFault(await remote(id, 'vnc', 'serial'), 400, 'Invalid console type serial');
      expectFault(
        await action(id, 'os-getVNCConsole', { type: 'xvpvnc' }, '2.1'),
        400,
        'Invalid console type xvpvnc',
      );
      expectFault(
        await action(id, 'os-getRDPConsole', { type: 'rdp-html5' }, '2.1'),
        400,
        /^The server could not comply/,
      );
    });

    it('have the types of each version; their actions end with 2.5', async () => {
      const { id } = await madeServer(world);
      for (const key of [
        'os-getVNCConsole',
        'os-getSPICEConsole',
        'os-getSerialConsole',
        'os-getRDPConsole',
      ])
        expectFault(await action(id, key, { type: 'novnc' }, '2.6'), 404, notFound);
      expectFault(await remote(id, 'vnc', 'novnc', '2.5'), 404, notFound);
      expectFault(
        await remote(id, 'mks', 'webmks', '2.7'),
        400,
        /'mks' is not one of \['vnc', 'spice', 'serial', 'rdp'\]/,
      );
      expectFault(
        await remote(id, 'spice', 'spice-direct', '2.98'),
        400,
        /'spice-direct' is not one of/,
      );
      expectFault(
        await action(id, 'os-getVNCConsole', { type: 'x' }, '2.1'),
        400,
        /'x' is not one of \['novnc', 'xvpvnc'\]/,
      );
    });

    it('require a server on a host; actions check the policy before', async () => {
      const { id } = await madeServer(world);
      await act(world, id, { shelve: null });
      const notReady = `Instance ${id} is not ready`;
      expectFault(await remote(id, 'vnc', 'novnc'), 409, notReady);
      expectFault(await remote(id, 'vnc', 'serial'), 409, notReady);
      expectFault(await remote(id, 'rdp', 'rdp-html5'), 400, 'Unavailable console type rdp.');
      expectFault(await action(id, 'os-getVNCConsole', { type: 'novnc' }, '2.1'), 409, notReady);
      expectFault(await action(id, 'os-getConsoleOutput', {}, newest), 409, notReady);
      const denied = "Policy doesn't allow os_compute_api:os-remote-consoles to be performed.";
      expectFault(
        await action('nope', 'os-getVNCConsole', { type: 'novnc' }, '2.1', reader),
        403,
        denied,
      );
      expectFault(
        await action('nope', 'os-getVNCConsole', { type: 'novnc' }, '2.1', member),
        404,
        'Instance nope could not be found.',
      );
    });
  });

  describe('their tokens', () => {
    it('can be looked up by administrators from 2.31 on', async () => {
      const { id } = await madeServer(world);
      const [vnc, direct] = [await urlOf(id), await urlOf(id, 'spice', 'spice-direct')];
      const { console: shown } = (await lookUp(tokenOf(vnc)).expect(200)).body as {
        console: object;
      };
      expect(shown).to.include({ instance_uuid: id, internal_access_path: null });
      expect(shown).to.have.all.keys('instance_uuid', 'host', 'port', 'internal_access_path');
      expect((await lookUp(tokenOf(direct)).expect(200)).body.console.tls_port).to.be.a('number');
      const before = await lookUp(tokenOf(direct), '2.98').expect(200);
      expect(before.body.console).to.not.have.property('tls_port');
      expectFault(await lookUp('nope', '2.31'), 404, 'Token not found');
      expectFault(await lookUp(tokenOf(vnc), '2.30', member), 400, /^The server could not comply/);
      expectFault(
        await lookUp(tokenOf(vnc), '2.31', member),
        403,
        "Policy doesn't allow os_compute_api:os-console-auth-tokens to be performed.",
      );
      expectFault(await lookUp(`${tokenOf(vnc)}?a=b`), 400, /'a' was unexpected/);
      await lookUp(`${tokenOf(vnc)}?a=b`, '2.98').expect(200);
    });

    it('expire by the clock of the emulator, and end with their server', async () => {
      const { id } = await madeServer(world);
      await world.setTime('2026-11-20T12:00:00Z');
      const first = await urlOf(id);
      await world.setTime('2026-11-20T12:09:59Z');
      await open(first).expect(200);
      await lookUp(tokenOf(first)).expect(200);
      await world.setTime('2026-11-20T12:10:00Z');
      await open(first).expect(403);
      expectFault(await lookUp(tokenOf(first)), 404, 'Token not found');
      const second = await urlOf(id);
      await open(second).expect(200);
      await ask(world, 'DELETE', `/servers/${id}`, admin).expect(204);
      await open(second).expect(403);
      expectFault(await lookUp(tokenOf(second)), 404, 'Token not found');
    });

    it('live as long as the setting says', async () => {
      const { id } = await madeServer(world);
      await world.http
        .put('/_emulator/compute/settings')
        .send({ console_token_ttl: 5 })
        .expect(200);
      await world.setTime('2026-11-20T12:00:00Z');
      const url = await urlOf(id);
      await world.setTime('2026-11-20T12:00:05Z');
      await open(url).expect(403);
    });

    it('end with a live migration', async () => {
      const { id } = await madeServer(world);
      const url = await urlOf(id);
      await act(world, id, { 'os-migrateLive': { host: null, block_migration: 'auto' } });
      await ask(world, 'GET', `/servers/${id}`, admin).expect(200);
      await open(url).expect(403);
    });
  });

  describe('their pages', () => {
    it('show the name, the status and the log of the server, escaped', async () => {
      const { id } = await madeServer(world, { name: '<b>"web"&' });
      const { text, headers } = await open(await urlOf(id)).expect(200);
      expect(headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(headers['content-security-policy']).to.include("default-src 'none'");
      expect(text).to.include('&lt;b&gt;&quot;web&quot;&amp;').and.not.include('<b>');
      const log = await action(id, 'os-getConsoleOutput', {}, newest);
      expect(text).to.include('ACTIVE').and.include(`${log.body.output}<span`);
      await act(world, id, { 'os-stop': null });
      expect((await open(await urlOf(id, 'serial', 'serial'))).text).to.include('SHUTOFF');
    });

    it('let nobody in with a wrong token, or that of another type', async () => {
      const { id } = await madeServer(world, { name: 'web' });
      const url = await urlOf(id, 'serial', 'serial');
      const at = url.pathname.replace('/serial', '');
      for (const path of [
        `${at}/serial`,
        `${at}/serial?token=`,
        `${at}/serial?token=00000000-0000-0000-0000-000000000000`,
        `${at}/novnc?path=%3Ftoken%3D${tokenOf(url)}`,
        `${at}/constructor?token=${tokenOf(url)}`,
      ]) {
        const { text } = await world.http.get(path).expect(403);
        expect(text, path).to.include('Console not available').and.not.include('web');
      }
    });
  });

  it('have a log that ends with a prompt, whole or in part', async () => {
    const { id } = await madeServer(world, { name: 'web' });
    const output = async (asked: object): Promise<string> => {
      const reply = await action(id, 'os-getConsoleOutput', asked, newest, member);
      expect(reply.status, JSON.stringify(asked)).to.equal(200);
      return (reply.body as { output: string }).output;
    };
    const whole = await output({});
    const lines = whole.split('\n');
    expect(lines.length).to.be.greaterThan(10);
    expect(lines[0]).to.match(/^Booting instance-[\da-f]{8}$/);
    expect(lines.at(-1)).to.equal('web login: ');
    expect(whole).to.include(`cloud-init: instance ${id}`).and.include('Memory: 524288K');
    const parts: [object, string[]][] = [
      [{ length: null }, lines],
      [{ length: 1000 }, lines],
      [{ length: '2' }, lines.slice(-2)],
      [{ length: 0 }, []],
      [{ length: -1 }, lines.slice(1)],
    ];
    for (const [asked, part] of parts)
      expect(await output(asked), JSON.stringify(asked)).to.equal(part.join('\n'));
  });
});
