// Tests consoles and their log. Consoles return the errors of an upstream that disables them.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { ask, config, expectFault, member, reader } from '../support.ts';
import { act, admin, madeServer, newest } from './makers.ts';

onEachDatabase('compute: consoles', config, (world) => {
  const action = (id: string, key: string, value: unknown, version: string, as: Asked = admin) =>
    ask(world, 'POST', `/servers/${id}/action`, { ...as, version, body: { [key]: value } });
  const remote = (id: string, protocol: string, type: string, version = newest) =>
    ask(world, 'POST', `/servers/${id}/remote-consoles`, {
      ...admin,
      version,
      body: { remote_console: { protocol, type } },
    });

  it('return 400 for every type, as if disabled', async () => {
    const { id } = await madeServer(world);
    expectFault(
      await action(id, 'os-getVNCConsole', { type: 'novnc' }, '2.5'),
      400,
      'Unavailable console type novnc.',
    );
    expectFault(
      await action(id, 'os-getSPICEConsole', { type: 'spice-html5' }, '2.1'),
      400,
      'Unavailable console type spice-html5.',
    );
    expectFault(
      await action(id, 'os-getSerialConsole', { type: 'serial' }, '2.1'),
      400,
      'Unavailable console type serial.',
    );
    expectFault(
      await action(id, 'os-getRDPConsole', { type: 'rdp-html5' }, '2.1'),
      400,
      /^The server could not comply/,
    );
    expectFault(await remote(id, 'vnc', 'novnc', '2.6'), 400, 'Unavailable console type novnc.');
    expectFault(await remote(id, 'rdp', 'rdp-html5'), 400, 'Unavailable console type rdp.');
    expectFault(await remote(id, 'mks', 'webmks', '2.8'), 400, 'Unavailable console type webmks.');
    expectFault(
      await remote(id, 'spice', 'spice-direct', '2.99'),
      400,
      'Unavailable console type spice-direct.',
    );
  });

  it('accept the types of each version; their actions end with 2.5', async () => {
    const { id } = await madeServer(world);
    for (const key of [
      'os-getVNCConsole',
      'os-getSPICEConsole',
      'os-getSerialConsole',
      'os-getRDPConsole',
    ])
      expectFault(
        await action(id, key, { type: 'novnc' }, '2.6'),
        404,
        'The resource could not be found.',
      );
    expectFault(await remote(id, 'vnc', 'novnc', '2.5'), 404, 'The resource could not be found.');
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
    expectFault(await remote(id, 'vnc', 'novnc'), 409, `Instance ${id} is not ready`);
    expectFault(
      await action(id, 'os-getVNCConsole', { type: 'novnc' }, '2.1'),
      409,
      `Instance ${id} is not ready`,
    );
    expectFault(
      await action(id, 'os-getConsoleOutput', {}, newest),
      409,
      `Instance ${id} is not ready`,
    );
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

  it('return a console log of three lines', async () => {
    const { id } = await madeServer(world);
    const outputs: [object, string][] = [
      [{}, 'FAKE CONSOLE OUTPUT\nANOTHER\nLAST LINE'],
      [{ length: null }, 'FAKE CONSOLE OUTPUT\nANOTHER\nLAST LINE'],
      [{ length: 5 }, 'FAKE CONSOLE OUTPUT\nANOTHER\nLAST LINE'],
      [{ length: '2' }, 'ANOTHER\nLAST LINE'],
      [{ length: 0 }, ''],
      [{ length: -1 }, 'ANOTHER\nLAST LINE'],
    ];
    for (const [asked, output] of outputs) {
      const reply = await action(id, 'os-getConsoleOutput', asked, newest, member);
      expect([reply.status, reply.body], JSON.stringify(asked)).to.deep.equal([200, { output }]);
    }
  });
});
