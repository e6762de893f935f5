// Tests of /_emulator/export and /import: the cloud as a document, moving it to another cloud, and
// invalid documents.
import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import { kinds } from '../../support/databases.ts';
import { onEachDatabase, ownCloud, World } from '../../support/cloud.ts';
import { errorIn, snapshotsOf } from './support.ts';

type Json = Record<string, unknown>;

const linesOf = (document: string): string[] => document.split('\n').slice(0, -1);
const join = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const headOf = (document: string): Json => JSON.parse(linesOf(document)[0]!) as Json;
/**
 * The lines of a document without the header, which contains the time, and without auto-increment
 * counters, which MySQL never moves back.
 */
const stateOf = (document: string): string[] =>
  linesOf(document)
    .slice(1)
    .map((line) => line.replace(/,"next":\d+\}$/, '}'))
    .filter((line, at, all) => !line.startsWith('{"table"') || all[at + 1]!.startsWith('['));

const config = { regions: ['RegionOne', 'RegionTwo'], auth: 'noauth2', hosts: '1' } as const;

onEachDatabase('/_emulator/export and /_emulator/import', config, (world) => {
  const { save, drop, export: exported, import: imported } = snapshotsOf(world);
  const provider = (name: string, prefix = '') =>
    world
      .ask('placement', 'POST', `${prefix}/placement/resource_providers`, {
        version: '1.20',
        body: { name },
      })
      .expect(200);
  const providers = async (prefix = ''): Promise<string[]> => {
    const { body } = await world
      .ask('placement', 'GET', `${prefix}/placement/resource_providers`)
      .expect(200);
    return (body as { resource_providers: { name: string }[] }).resource_providers
      .map(({ name }) => name)
      .toSorted();
  };

  it('exports a header, databases with tables and a row on each line, and an end', async () => {
    await provider('mine', '/RegionTwo');
    const lines = linesOf(await exported()).map((line) => JSON.parse(line) as Json | unknown[]);
    const [header, end] = [lines[0] as Json, lines.at(-1) as Json];
    expect(header).to.deep.include({ format: 1, now: '2026-11-20T12:00:00.000000Z' });
    expect(header['clock']).to.deep.equal({
      frozen_at: Date.parse('2026-11-20T12:00:00Z') * 1000,
      offset: 0,
    });
    expect((header['regions'] as Json[]).map(({ name, central }) => [name, central])).to.deep.equal(
      [
        ['RegionOne', false],
        ['RegionTwo', false],
      ],
    );
    const databases = lines.flatMap((line) => ('database' in line ? line['database'] : []));
    expect(databases).to.deep.equal(['RegionOne', 'RegionTwo', 'central']);
    expect(end).to.deep.equal({
      end: true,
      rows: lines.filter((line) => Array.isArray(line)).length,
    });
    const table = lines.findLastIndex(
      (line) => 'table' in line && line['table'] === 'placement_providers',
    );
    const { columns } = lines[table] as { columns: string[] };
    const rows = lines.slice(table + 1, table + 3) as unknown[][];
    expect(rows.map((row) => row[columns.indexOf('name')])).to.have.members(['compute-1', 'mine']);
  });

  it('exports a snapshot as it was, and imports it to the same state', async () => {
    const before = await exported();
    await save('s').expect(201);
    await provider('later');
    const then = await exported('s');
    await drop('s').expect(204);
    expect(stateOf(then)).to.deep.equal(stateOf(before));
    expect(stateOf(await exported())).not.to.deep.equal(stateOf(before));
    await imported(then).expect(204);
    expect(stateOf(await exported())).to.deep.equal(stateOf(before));
    expect(await providers()).to.deep.equal(['compute-1']);
  });

  it('leaves no temporary snapshots behind', async () => {
    await exported();
    await imported(await exported()).expect(204);
    await imported('{}').expect(400);
    // The temporary snapshot is deleted once the document has been read, which may be slightly
    // later.
    for (let times = 0; times < 50; times++) {
      const [{ total }] = (await world.cloud.central
        .db('cumulet_snapshots')
        .count('* as total')) as [{ total: number }];
      if (Number(total) === 0) return;
    }
    expect.fail('A temporary snapshot still exists.');
  });

  it('imports a compressed document, with any media type', async () => {
    const document = await exported();
    await provider('later');
    await world.http
      .post('/_emulator/import')
      .set({ 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' })
      .serialize((body) => body as string)
      .send(gzipSync(document) as unknown as string)
      .expect(204);
    expect(await providers()).to.deep.equal(['compute-1']);
  });

  /** The index of a table's line in the last database that has it. */
  const table = (lines: string[], name: string): number =>
    lines.findLastIndex((line) => line.startsWith(`{"table":"${name}"`));
  const head =
    (change: (header: Json & { regions: Json[]; central: Json }) => void) => (lines: string[]) => {
      const header = JSON.parse(lines[0]!) as Json & { regions: Json[]; central: Json };
      change(header);
      return [JSON.stringify(header), ...lines.slice(1)];
    };
  const row =
    (change: (row: unknown[], columns: string[]) => void, name = 'placement_providers') =>
    (lines: string[]) => {
      const at = table(lines, name);
      const values = JSON.parse(lines[at + 1]!) as unknown[];
      change(values, (JSON.parse(lines[at]!) as { columns: string[] }).columns);
      return lines.with(at + 1, JSON.stringify(values));
    };
  /** Changes a value in the first row of a table. */
  const value = (name: string, column: string, changed: unknown) =>
    row((values, columns) => (values[columns.indexOf(column)] = changed), name);
  const invalid: readonly (readonly [
    what: string,
    change: (lines: string[]) => string[],
    message: RegExp,
  ])[] = [
    ['nothing', () => [], /^400 Not a document of 'cumulet export'/],
    ['something else', () => ['{"a": 1}'], /^400 Not a document/],
    ['text', () => ['hello'], /^400 Line 1 of the document is invalid: it is not JSON/],
    [
      'a newer format',
      head((one) => (one['format'] = 2)),
      /^400 The document has format 2, written by cumulet .*Use a newer cumulet/,
    ],
    [
      'a newer schema',
      head((one) => (one.central['migrations'] = ['kernel-1', 'new-9'])),
      /^400 .*whose central database has the migration 'new-9'.*or newer/,
    ],
    [
      'a newer schema of a region',
      head((one) => (one.regions[1]!['migrations'] = ['new-9'])),
      /^400 .*whose RegionTwo database has the migration 'new-9'/,
    ],
    [
      'another first region',
      head((one) => (one.regions = one.regions.toReversed())),
      /^409 The first region of the state to restore is RegionTwo, but that of this cloud is RegionOne. Restore it in a cloud that is started with --regions RegionTwo,RegionOne/,
    ],
    [
      'a central region',
      head((one) => one.regions.push({ name: 'Top', central: true, migrations: [] })),
      /^409 The state to restore has the central region Top, but this cloud has none/,
    ],
    [
      'an invalid region name',
      head((one) => (one.regions[1]!['name'] = '../x')),
      /^400 Line 1 .*cannot be a region's name/,
    ],
    [
      'a broken header',
      head((one) => (one['clock'] = { frozen_at: 'x' })),
      /^400 Line 1 .*clock must have/,
    ],
    ['the first half', (lines) => lines.slice(0, lines.length / 2), /^400 Line \d+ .*is truncated/],
    [
      'half a line at its end',
      (lines) => [...lines.slice(0, -1), lines.at(-1)!.slice(0, 5)],
      /^400 Line \d+ .*not JSON; the document may be truncated/,
    ],
    ['no end', (lines) => lines.slice(0, -1), /^400 .*truncated/],
    [
      'one row too few',
      (lines) => lines.toSpliced(table(lines, 'placement_traits') + 3, 1),
      /^400 .*expected \d+ rows, found \d+/,
    ],
    ['a line after the end', (lines) => [...lines, '[1]'], /^400 .*it follows the last line/],
    [
      'a missing database',
      (lines) =>
        lines.toSpliced(
          lines.indexOf('{"database":"central"}'),
          lines.length,
          '{"end":true,"rows":0}',
        ),
      /^400 .*the database central is missing/,
    ],
    [
      'a duplicate database',
      (lines) => lines.toSpliced(-1, 0, '{"database":"RegionOne"}'),
      /^400 .*RegionOne occurs twice/,
    ],
    [
      'an unknown database',
      (lines) => lines.toSpliced(1, 0, '{"database":"Mars"}'),
      /^400 Line 2 .*no database 'Mars'/,
    ],
    [
      'an unknown table',
      (lines) => lines.toSpliced(2, 0, '{"table":"x","columns":["a"]}'),
      /^400 Line 3 .*the database RegionOne has no table 'x'/,
    ],
    [
      'an excluded table',
      (lines) => lines.toSpliced(2, 0, '{"table":"cumulet_locks","columns":["name"]}'),
      /^400 Line 3 .*no table 'cumulet_locks'/,
    ],
    [
      'an unknown column',
      (lines) =>
        lines.map((line) =>
          line.replace('"can_host"', '"ghost"').replace('"generation"', '"ghost"'),
        ),
      /^400 Line \d+ .*the column 'ghost' does not exist/,
    ],
    [
      'a row before any table',
      (lines) => lines.toSpliced(2, 0, '[1]'),
      /^400 Line 3 .*no table precedes it/,
    ],
    [
      'an unknown object',
      (lines) => lines.toSpliced(2, 0, '{"x":1}'),
      /^400 Line 3 .*not a database, table, row or end/,
    ],
    ['an empty line', (lines) => lines.toSpliced(2, 0, ''), /^400 Line 3 .*it is empty/],
    [
      'a row with too few values',
      row((values) => values.pop()),
      /^400 Line \d+ .*a row of placement_providers needs \d+ values/,
    ],
    [
      'a text instead of a number',
      row((values, columns) => (values[columns.indexOf('generation')] = 'x')),
      /^400 Line \d+ .*placement_providers.generation must be a number/,
    ],
    [
      'an invalid null',
      row((values, columns) => (values[columns.indexOf('uuid')] = null)),
      /^400 Line \d+ .*placement_providers.uuid must be a value other than null/,
    ],
    [
      'an object instead of a text',
      row((values, columns) => (values[columns.indexOf('name')] = { a: 1 })),
      /^400 Line \d+ .*placement_providers.name must be a text/,
    ],
    [
      'a duplicate key',
      (lines) =>
        lines.toSpliced(
          table(lines, 'placement_traits') + 2,
          0,
          lines[table(lines, 'placement_traits') + 1]!,
        ),
      /^400 Line \d+ .*placement_traits rejects it: UNIQUE/,
    ],
    [
      'a broken foreign key',
      value('placement_providers', 'parent_id', 999),
      /^400 Line \d+ .*: placement_providers.parent_id refers to 999, which does not exist in placement_providers. Nothing was changed.$/,
    ],
    [
      'a broken foreign key of a table without a number as its key',
      value('network_subnets', 'network_id', 'none'),
      /^400 Line \d+ .*: network_subnets.network_id refers to "none", which does not exist in network_networks. Nothing/,
    ],
    [
      'a broken reference without a foreign key',
      value('placement_providers', 'root_id', 999),
      /^400 Line \d+ .*: placement_providers.root_id refers to 999, which does not exist in placement_providers \(--allow-inconsistent imports it all the same\)/,
    ],
    [
      'broken JSON',
      value('network_subnets', 'allocation_pools', '[{"start": '),
      /^400 Line \d+ .*network_subnets.allocation_pools must be a JSON list/,
    ],
    [
      'broken JSON in a job',
      (lines) =>
        lines.toSpliced(
          2,
          0,
          '{"table":"jobs","columns":["id","due_at","kind","subject","payload"]}',
          '[1,1,"toy.never","x","{"]',
        ),
      /^400 Line 4 .*: jobs.payload must be JSON/,
    ],
    [
      'a fraction instead of an integer',
      value('placement_providers', 'generation', 0.5),
      /^400 Line \d+ .*placement_providers.generation must be an integer/,
    ],
    [
      'an object instead of a list',
      value('network_subnets', 'allocation_pools', '{}'),
      /^400 Line \d+ .*network_subnets.allocation_pools must be a JSON list/,
    ],
    [
      'a list instead of an object',
      value('identity_users', 'extra', '[]'),
      /^400 Line \d+ .*identity_users.extra must be a JSON object/,
    ],
    [
      'a number of more than 32 bits',
      value('compute_flavors', 'vcpus', Number.MAX_SAFE_INTEGER),
      /^400 Line \d+ .*compute_flavors.vcpus must be a number of up to 2147483647/,
    ],
    [
      'a provider without a UUID',
      value('placement_providers', 'uuid', '{"broken'),
      /^400 Line \d+ .*placement_providers.uuid must be a UUID/,
    ],
    [
      'an unknown type of agent',
      value('network_agents', 'agent_type', ''),
      /^400 Line \d+ .*network_agents.agent_type must be one of DHCP agent, /,
    ],
    [
      'a broken key',
      value('cumulet_secrets', 'value', '{}'),
      /^400 Line \d+ .*cumulet_secrets.value must be a key of 32 bytes in base64/,
    ],
    [
      'an unknown secret',
      value('cumulet_secrets', 'name', ''),
      /^400 Line \d+ .*cumulet_secrets.name must be one of identity.token_key, /,
    ],
    [
      'an invalid time',
      value('placement_providers', 'created_at', -1),
      /^400 Line \d+ .*placement_providers.created_at must be a time in microseconds since 1970/,
    ],
    [
      'a number instead of a boolean',
      value('identity_users', 'enabled', 2),
      /^400 Line \d+ .*identity_users.enabled must be 0 or 1/,
    ],
  ];

  it('returns an error with the line of an invalid document, and changes nothing', async () => {
    await provider('mine', '/RegionTwo');
    const document = await exported();
    await world.setTime('2026-11-20T13:00:00Z');
    await provider('later');
    const before = stateOf(await exported());
    for (const [what, change, message] of invalid)
      expect(errorIn(await imported(join(change(linesOf(document))))), what).to.match(message);
    expect(stateOf(await exported())).to.deep.equal(before);
    expect((await world.http.get('/_emulator/clock')).body).to.include({
      now: '2026-11-20T13:00:00.000000Z',
    });
  });

  it('names the line of the row with a broken reference', async () => {
    const lines = linesOf(await exported());
    for (const [name, column, broken] of [
      ['network_subnets', 'network_id', 'none'],
      ['placement_providers', 'root_id', 999],
    ] as const) {
      const at = table(lines, name);
      const error = errorIn(await imported(join(value(name, column, broken)(lines))));
      expect(error, name).to.match(new RegExp(`^400 Line ${at + 2} .*${name}.${column}`));
    }
  });

  it('imports broken references that no foreign key holds, with allow_inconsistent', async () => {
    const document = join(value('placement_providers', 'root_id', 999)(linesOf(await exported())));
    const send = (query: string, body: string) =>
      world.http
        .post(`/_emulator/import?${query}`)
        .set('content-type', 'application/x-ndjson')
        .send(body);
    await send('allow_inconsistent=false', document).expect(400);
    await send('allow_inconsistent=yes', document).expect(400);
    await send('allow_inconsistent=true', document).expect(204);
    const broken = join(value('placement_providers', 'parent_id', 999)(linesOf(await exported())));
    await send('allow_inconsistent=true', broken).expect(400);
  });

  it('names the line of an invalid row within a batch', async () => {
    const lines = linesOf(await exported());
    const at = table(lines, 'placement_traits') + 70;
    expect(errorIn(await imported(join(lines.with(at, lines[at - 69]!))))).to.match(
      new RegExp(`^400 Line ${at + 1} .*UNIQUE`),
    );
  });

  it('returns 400 for a document that is not UTF-8', async () => {
    const document = Buffer.from(await exported());
    const response = await world.http
      .post('/_emulator/import')
      .set('content-type', 'application/x-ndjson')
      .serialize((body) => body as string)
      .send(
        Buffer.concat([
          document.subarray(0, 3000),
          Buffer.from([0xff]),
          document.subarray(3000),
        ]) as unknown as string,
      );
    expect(errorIn(response)).to.match(/^400 Line \d+ .*not UTF-8/);
  });

  it('migrates a document of an older emulator', async () => {
    await provider('mine');
    const lines = linesOf(await exported());
    // As before fault rules, snapshots and the revisions of flavors.
    const older = head((one) => {
      const without = (names: unknown, ...gone: string[]): string[] =>
        (names as string[]).filter((name) => !gone.includes(name));
      one.central['migrations'] = without(one.central['migrations'], 'faults-1', 'snapshots-1');
      for (const region of one.regions)
        region['migrations'] = without(region['migrations'], 'compute-flavor-revisions-1');
    })(lines);
    const isOlder = headOf(join(older));
    expect(JSON.stringify(isOlder)).not.to.equal(JSON.stringify(headOf(join(lines))));
    const document = withoutColumn(older, 'compute_flavors', 'revision').filter(
      (line) => !line.startsWith('{"table":"faults"'),
    );
    await provider('later');
    await imported(join(document)).expect(204);
    expect(await providers()).to.deep.equal(['compute-1', 'mine']);
    await world.ask('compute', 'GET', '/compute/v2.1/flavors').expect(200);
    const wrong = join(value('network_subnets', 'dns_nameservers', 'none')(document));
    expect(errorIn(await imported(wrong))).to.match(
      /network_subnets.dns_nameservers must be a JSON list/,
    );
    const dangling = join(value('placement_providers', 'root_id', 999)(document));
    expect(errorIn(await imported(dangling))).to.match(
      /^400 In the database RegionTwo, placement_providers.root_id refers to 999/,
    );
    // The column has a default, so a current document may omit it too.
    await imported(join(withoutColumn(lines, 'compute_flavors', 'revision'))).expect(204);
  });
});

/** Removes a column of a table from the lines. */
function withoutColumn(lines: readonly string[], table: string, column: string): string[] {
  let at = -1;
  return lines.map((line) => {
    const parsed = JSON.parse(line) as Json | unknown[];
    if (Array.isArray(parsed)) return at < 0 ? line : JSON.stringify(parsed.toSpliced(at, 1));
    const columns = parsed['columns'] as string[] | undefined;
    at = parsed['table'] === table ? columns!.indexOf(column) : -1;
    return at < 0 ? line : JSON.stringify({ ...parsed, columns: columns!.toSpliced(at, 1) });
  });
}

for (const [from, to] of [
  ['sqlite', 'mysql'],
  ['mysql', 'sqlite'],
  ['sqlite', 'sqlite'],
] as const) {
  describe(`export from ${from} and import into ${to}`, function () {
    const worlds: World[] = [];
    const opened: Awaited<ReturnType<typeof ownCloud>>[] = [];

    before(async function () {
      if ([from, to].some((kind) => !kinds.includes(kind))) return this.skip();
      for (const kind of [from, to]) {
        const one = await ownCloud(kind, { regions: ['One', 'Two'], hosts: '1' });
        if (!one) return this.skip();
        opened.push(one);
        const world = new World(kind);
        world.enter(one);
        worlds.push(world);
      }
    });

    after(async () => {
      for (const one of opened) await one?.close();
    });

    const signIn = (world: World) => {
      const user = { name: 'demo', domain: { id: 'default' }, password: 'secret' };
      const scope = { project: { name: 'demo', domain: { id: 'default' } } };
      const auth = { identity: { methods: ['password'], password: { user } }, scope };
      return world.http.post('/identity/v3/auth/tokens').send({ auth });
    };

    it('moves rows, signing keys, image data and auto-increment counters', async () => {
      const [first, second] = worlds as [World, World];
      const token = (await signIn(first).expect(201)).get('x-subject-token')!;
      const own = (await signIn(second).expect(201)).get('x-subject-token')!;
      const ask = (world: World, method: string, path: string, body?: object) =>
        world.ask('image', method, path, { token, body });
      const { body: made } = await ask(first, 'POST', '/image/v2/images', {
        name: 'ü',
        disk_format: 'raw',
        container_format: 'bare',
      });
      const { id } = made as { id: string };
      const data = Buffer.from(Array.from({ length: 1_500_000 }, (_, at) => (at * 31) % 256));
      const octets = { 'x-auth-token': token, 'content-type': 'application/octet-stream' };
      await first.http.put(`/image/v2/images/${id}/file`).set(octets).send(data).expect(204);
      const keypair = (name: string) =>
        ask(first, 'POST', '/compute/v2.1/os-keypairs', { keypair: { name } }).expect(200);
      await keypair('one');
      await keypair('two');
      await ask(first, 'DELETE', '/compute/v2.1/os-keypairs/two').expect(202);

      const document = await snapshotsOf(first).export();
      expect((await ask(second, 'GET', '/image/v2/images')).status).to.equal(401);
      await snapshotsOf(second).import(document).expect(204);
      expect(stateOf(await snapshotsOf(second).export())).to.deep.equal(stateOf(document));
      // The keys that sign tokens have been imported too.
      const { body: bytes } = await ask(second, 'GET', `/image/v2/images/${id}/file`).expect(200);
      expect(Buffer.compare(bytes as Buffer, data)).to.equal(0);
      await second.ask('image', 'GET', '/image/v2/images', { token: own }).expect(401);
      await signIn(second).expect(201);
      await ask(second, 'POST', '/compute/v2.1/os-keypairs', { keypair: { name: 'three' } }).expect(
        200,
      );
      const ids = (await second.cloud.firstRegion.database
        .db('compute_keypairs')
        .orderBy('id')
        .pluck('id')) as number[];
      expect(ids.map(Number)).to.deep.equal([1, 3]);
    });
  });
}
