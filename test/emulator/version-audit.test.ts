// Tests of GET /_emulator/requests/versions: which microversions clients asked for, and how the
// operations that they used differ at the newest version.
import { expect } from 'chai';
import { onEachDatabase } from '../support/cloud.ts';
import type { AuditedOperation } from '../../src/emulator/version-audit/model.ts';
import { journalOf } from './journal/support.ts';

onEachDatabase('GET /_emulator/requests/versions', { auth: 'noauth2' }, (world) => {
  const journal = journalOf(world);
  const ask = (
    service: string,
    path: string,
    version?: string,
    {
      agent = 'old/1',
      method = 'GET',
      body,
    }: { agent?: string; method?: string; body?: unknown } = {},
  ) =>
    world.ask(service, method, `/${service}${path}`, {
      headers: { 'user-agent': agent },
      ...(version ? { version } : {}),
      ...(body ? { body } : {}),
    });

  beforeEach(() => journal.keep(1000));
  afterEach(() => journal.keep(0));

  it('counts requests by service, client and version, and those without a version', async () => {
    await ask('placement', '/resource_providers');
    await ask('placement', '/resource_providers', '1.14');
    await ask('placement', '/resource_providers', '1.14');
    await ask('placement', '/resource_providers', '9.9');
    await ask('placement', '/traits', 'latest', { agent: 'new/2' });
    await ask('compute', '/v2.1/servers');
    const found = (await journal.versions()).map(
      ({ operations: _, unchanged: __, ...client }) => client,
    );
    const bounds = { min_version: '1.0', max_version: '1.39' };
    expect(found.slice(1)).to.deep.equal([
      {
        service: 'placement',
        user_agent: 'new/2',
        ...bounds,
        requests: 1,
        unversioned: 0,
        versions: [{ asked: 'latest', used: '1.39', requests: 1 }],
      },
      {
        service: 'placement',
        user_agent: 'old/1',
        ...bounds,
        requests: 4,
        unversioned: 1,
        versions: [
          { asked: '9.9', used: null, requests: 1 },
          { asked: '1.14', used: '1.14', requests: 2 },
          { asked: null, used: '1.0', requests: 1 },
        ],
      },
    ]);
    expect(found[0]).to.include({
      service: 'compute',
      user_agent: 'old/1',
      requests: 1,
      unversioned: 1,
    });
    expect(await journal.versions('service=placement&user_agent=new')).to.have.length(1);
    expect(await journal.versions('since=999999999')).to.deep.equal([]);
  });

  it('leaves out services without microversions, and version documents', async () => {
    for (const path of [
      '/identity/v3/users',
      '/network/v2.0/networks',
      '/image/v2/images',
      '/reservation/v1/leases',
    ])
      await world.http.get(path).set('x-auth-token', 'admin');
    for (const path of ['/compute/', '/compute/v2.1/', '/volume/', '/placement/', '/clustering/'])
      await world.http.get(path);
    expect(await journal.versions()).to.deep.equal([]);
  });

  const only = async (): Promise<AuditedOperation> => {
    const [client] = await journal.versions();
    expect(client!.operations).to.have.length(1);
    return client!.operations[0]!;
  };

  it('shows what changes in the request and the response, and at which versions', async () => {
    await ask('placement', '/resource_providers', '1.11');
    await ask('placement', '/resource_providers', '1.11');
    const { changes, ...operation } = await only();
    expect(operation).to.deep.equal({
      operation: 'resource_providers:list',
      action: null,
      version: '1.11',
      requests: 2,
      unversioned: 0,
      latest: 'changed',
      request: { added: ['?in_tree', '?required'], removed: [] },
      response: {
        added: ['resource_providers.parent_provider_uuid', 'resource_providers.root_provider_uuid'],
        removed: [],
      },
    });
    expect(
      changes.map(({ version, request, response }) => [version, request, response]),
    ).to.deep.equal([
      ['1.14', true, true],
      ['1.18', true, false],
      ['1.39', true, false],
    ]);
    expect(changes[0]!.summary).to.equal('providers form trees');
  });

  it('counts the operations that are the same at the newest version', async () => {
    await ask('placement', '/resource_providers', '1.39');
    await ask('placement', '/traits', '1.39');
    const [client] = await journal.versions();
    expect(client).to.deep.include({ unchanged: 2, operations: [] });
  });

  it('shows when the newest version has removed an operation', async () => {
    await ask('compute', '/v2.1/os-networks');
    const operation = await only();
    expect(operation).to.deep.include({
      operation: 'networks:list',
      latest: 'gone',
      unversioned: 1,
    });
    expect(operation.changes.map(({ version }) => version)).to.deep.equal(['2.36']);
    expect(operation.response).to.deep.equal({ added: [], removed: [] });
  });

  it('shows which later version adds an operation that the client tried to use', async () => {
    await ask('placement', '/allocation_candidates?resources=VCPU:1');
    const operation = await only();
    expect(operation).to.deep.include({
      operation: 'allocation_candidates:list',
      version: '1.0',
      latest: 'added',
      unversioned: 1,
    });
    expect(operation.changes[0]).to.deep.include({
      version: '1.10',
      summary: 'allocation candidates',
    });
  });

  it('shows an action that only later versions have, but no unknown path', async () => {
    await ask('placement', '/nowhere');
    await ask('compute', '/v2.1/servers/x/action', '2.1', {
      method: 'POST',
      body: { unshelve: { host: 'h' } },
    });
    expect((await journal.versions()).map(({ operations }) => operations.length)).to.deep.equal([
      1, 0,
    ]);
  });

  it('audits each action separately', async () => {
    const act = (body: object) =>
      ask('compute', '/v2.1/servers/x/action', '2.1', { method: 'POST', body });
    await act({ 'os-start': null });
    await act({ addFixedIp: { networkId: '1' } });
    await act({ createImage: { name: 'a' } });
    const [client] = await journal.versions();
    expect(client!.unchanged).to.equal(2);
    expect(client!.operations.map(({ action, latest }) => [action, latest])).to.deep.equal([
      ['addFixedIp', 'gone'],
    ]);
  });
});
