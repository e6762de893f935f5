// Sample requests for each operation of the emulator's control API.
import type { Sampled } from './model.ts';

export const emulatorSamples: Sampled = {
  service: 'emulator',
  config: {},
  prepare: (client) => {
    let count = 0;
    const host = (): object => ({
      name: `host-${++count}`,
      region: 'RegionOne',
      vcpus: 4,
      ratios: { vcpus: 2.5 },
      traits: ['CUSTOM_GOLD'],
      zone: 'az',
    });
    const createHost = async (): Promise<string> => {
      await client.send(
        'POST',
        '/_emulator/hosts',
        { 'content-type': 'application/json' },
        JSON.stringify(host()),
      );
      return `host-${count}`;
    };
    let regions = 0;
    const createRegion = async (): Promise<string> => {
      const name = `Sample${++regions}`;
      await client.send(
        'POST',
        '/_emulator/regions',
        { 'content-type': 'application/json' },
        JSON.stringify({ name }),
      );
      return name;
    };
    let projects = 0;
    let snapshots = 0;
    const takeSnapshot = async (): Promise<{ params: { name: string } }> => {
      const name = `sample-${++snapshots}`;
      await client.send('PUT', `/_emulator/snapshots/${name}`, {});
      return { params: { name } };
    };
    const addFaultRule = async (): Promise<string> => {
      const body = JSON.stringify({ match: { service: 'placement' }, effect: { status: 503 } });
      const reply = await client.send(
        'POST',
        '/_emulator/faults',
        { 'content-type': 'application/json' },
        body,
      );
      return String((reply.body as { fault: { id: number } }).fault.id);
    };
    const send = (method: string, path: string, body: object) =>
      client.send(method, path, { 'content-type': 'application/json' }, JSON.stringify(body));
    const metadata = async (): Promise<string> =>
      (await client.send('GET', '/identity/v3/OS-FEDERATION/saml2/metadata', {})).text;
    /** Switches the journal on and records a request. @returns the number of its entry */
    const recordRequest = async (): Promise<string> => {
      await send('PUT', '/_emulator/requests', { keep: 10 });
      await client.send('GET', '/placement/resource_providers', { 'x-auth-token': 'admin' });
      const listed = await client.send('GET', '/_emulator/requests', {});
      return String((listed.body as { requests: { id: number }[] }).requests.at(-1)?.id);
    };
    const ofNotifications =
      'region=RegionOne&service=compute&event_type=instance.*&project=demo&request=req-1&after=1';
    const jobKind = 'reservation.watch_hosts';
    let interval = 60;
    /** Schedules the next check of Reservation's hosts. @returns the id of the job */
    const scheduleJob = async (): Promise<string> => {
      await send('PUT', '/_emulator/reservation/settings', { monitor_interval: ++interval });
      const { body } = await client.send('GET', `/_emulator/jobs?kind=${jobKind}`, {});
      return (body as { jobs: { id: string }[] }).jobs[0]!.id;
    };
    const match = {
      service: 'placement',
      region: 'RegionOne',
      operation: 'resource_providers:list',
      method: 'GET',
      path: '/resource_providers',
      status: '401',
      project: 'admin',
      user: 'admin',
      min_version: '1.0',
      max_version: '1.39',
      version_asked: '1.0',
      user_agent: 'curl',
      inside: 'any',
      since: '0',
    };
    const query = new URLSearchParams(match).toString();
    return Promise.resolve({
      token: null,
      samples: {
        'index:show': () => ({}),
        'health:show': () => ({}),
        'ready:show': () => ({}),
        'info:show': () => ({}),
        'metrics:show': () => ({}),
        'clouds_yaml:show': () => ({}),
        'openrc:show': () => ({ query: 'shell=fish' }),
        'environment:show': () => ({}),
        'reset:create': () => ({ body: { region: 'RegionOne', service: 'placement' } }),
        'regions:list': () => ({}),
        'regions:create': () => ({ body: { name: `Sample${++regions}`, from: 'RegionOne' } }),
        'regions:show': () => ({ params: { name: 'RegionOne' } }),
        'regions:delete': async () => ({ params: { name: await createRegion() } }),
        'faults:list': () => ({}),
        'faults:create': () => ({
          body: {
            match: {
              service: 'placement',
              region: 'RegionOne',
              method: 'GET',
              path: '/resource_providers/{uuid}',
              operation: 'resource_providers:show',
              project: 'admin',
              user: 'admin',
              min_version: '1.0',
              max_version: '1.39',
              headers: { 'user-agent': 'curl' },
              inside: false,
            },
            effect: {
              status: 503,
              message: 'Out of order.',
              code: 'placement.undefined_code',
              headers: { 'retry-after': '3' },
              delay_ms: 1,
              when: 'before',
            },
            count: 1,
            skip: 1,
            probability: 0.5,
            seed: 'a',
          },
        }),
        'fault_scenarios:list': () => ({}),
        'fault_scenarios:add': () => ({ params: { name: 'lost-answer' } }),
        'faults:clear': () => ({}),
        'faults:show': async () => ({ params: { id: await addFaultRule() } }),
        'faults:delete': async () => ({ params: { id: await addFaultRule() } }),
        'requests:list': async () => {
          await recordRequest();
          return { query: `${query}&limit=2&before=1000` };
        },
        'requests:update': () => ({ body: { keep: 10 } }),
        'requests:clear': () => ({}),
        'requests:show': async () => ({ params: { id: await recordRequest() } }),
        'requests:versions': async () => {
          await recordRequest();
          return { query };
        },
        'requests:assert': async () => {
          await recordRequest();
          return { body: { match: { ...match, body: { name: 'a' } }, at_least: 0, at_most: 10 } };
        },
        'snapshots:list': () => ({}),
        'snapshots:save': () => ({ params: { name: 'sample' } }),
        'snapshots:show': takeSnapshot,
        'snapshots:delete': takeSnapshot,
        'snapshots:restore': takeSnapshot,
        'export:show': async () => ({ query: `snapshot=${(await takeSnapshot()).params.name}` }),
        'import:create': async () => ({
          headers: { 'content-type': 'application/x-ndjson' },
          body: (await client.send('GET', '/_emulator/export', {})).text,
        }),
        'notifications:list': async () => {
          await send('PUT', '/_emulator/notifications', { keep: 10 });
          return { query: `${ofNotifications}&limit=10` };
        },
        'notifications:update': () => ({ body: { keep: 10 } }),
        'notifications:clear': () => ({}),
        'page:open': () => ({}),
        'page:show': () => ({}),
        'page_files:show': () => ({ params: { file: 'style.css' } }),
        'changes:stream': () => ({ query: 'seconds=0' }),
        // While none are kept, because a stream does not end.
        'notifications:stream': async () => {
          await send('PUT', '/_emulator/notifications', { keep: 0 });
          return { query: ofNotifications, refused: 409 };
        },
        'outbox:list': () => ({ query: 'region=RegionOne' }),
        'purge:create': () => ({ body: { region: 'RegionOne', older_than_seconds: 3600 } }),
        'capacity:timeline': () => ({
          query: 'flavor=m1.tiny&zone=nova&until=2030-01-01&region=RegionOne',
        }),
        'replay:create': () => ({
          body: {
            region: 'RegionOne',
            configuration: {
              name: 'fill',
              settings: { compute: { ram_weight_multiplier: -1 } },
              changes: [{ set_ratio: { resource_class: 'VCPU', ratio: 4 } }],
            },
            arrivals: [
              { at: 0, server: { name: 'web', flavor: 'm1.tiny', count: 2 }, lasts: 60 },
              { at: 30, server: { name: 'huge', flavor: 'm1.xlarge', zone: 'nova', count: 900 } },
              { at: 90, lease: { name: 'days', start: '+1d', for: '2d', hosts: 1 } },
            ],
          },
        }),
        'what_if:create': () => ({
          body: {
            region: 'RegionOne',
            changes: [
              { add_hosts: { name: 'rack', count: 2, vcpus: 8, ratios: { vcpus: 2 }, zone: 'az' } },
              { set_ratio: { resource_class: 'VCPU', ratio: 4, hosts: ['rack-1'] } },
              { resize_flavor: { name: 'm1.tiny', vcpus: 2 } },
              { advance: { days: 1 } },
            ],
            questions: [
              { servers: { flavor: 'm1.tiny', group_policy: 'anti-affinity' } },
              { candidates: 'resources=VCPU:1' },
              { n_plus_1: 'host' },
            ],
          },
        }),
        'host_failures:list': () => ({ params: { kind: 'host' }, query: 'region=RegionOne' }),
        'host_failures:show': async () => ({
          params: { kind: 'host', name: await createHost() },
          query: 'region=RegionOne',
        }),
        'audit:show': () => ({ query: 'region=RegionOne' }),
        'oidc_users:list': () => ({ params: { issuer: 'partner' } }),
        'oidc_users:update': () => ({
          params: { issuer: 'partner', name: 'ann' },
          body: { password: 'pw', claims: { email: 'ann@partner' } },
        }),
        'oidc_users:delete': async () => {
          await send('PUT', '/_emulator/oidc/partner/users/ben', { password: 'pw' });
          return { params: { issuer: 'partner', name: 'ben' } };
        },
        'saml_providers:list': () => ({}),
        'saml_providers:update': async () => ({
          params: { name: 'other' },
          body: { metadata: await metadata() },
        }),
        'saml_providers:delete': async () => {
          await send('PUT', '/_emulator/saml/providers/other', { metadata: await metadata() });
          return { params: { name: 'other' } };
        },
        'projects:list': () => ({}),
        'projects:create': () => ({
          body: {
            name: `sample-${++projects}`,
            roles: ['admin', 'reader'],
            password: 'chosen',
            quotas: { compute: { cores: 5 }, network: { port: 5 }, volume: { volumes: 5 } },
            network: true,
          },
        }),
        'projects:delete': async () => {
          const { body } = await send('POST', '/_emulator/projects', {});
          return { params: { id: (body as { project: { id: string } }).project.id } };
        },
        'clock:show': () => ({}),
        'clock:update': () => ({ body: { now: '2026-11-20T12:00:00Z', frozen: true } }),
        'clock:advance': () => ({
          body: { to: '2026-12-01', weeks: 1, days: 1, hours: 1, minutes: 1, seconds: 1 },
        }),
        'explanations:list': () => ({
          query: 'region=RegionOne&kind=server&outcome=failure&limit=10',
        }),
        'explanations:update': () => ({ body: { all: false } }),
        'explanations:show': () => ({ params: { kind: 'requests', id: 'req-1' }, refused: 404 }),
        'api_descriptions:show': () => ({
          params: { service: 'placement' },
          query: 'microversion=1.39',
        }),
        'explanations:action': () => ({
          query: 'region=RegionOne',
          body: { cluster: 'unknown', action: { scale_out: { count: 1 } } },
          refused: 404,
        }),
        'explanations:candidates': () => ({
          query: 'query=resources%3DVCPU%3A1000%26limit%3D5&microversion=1.39&region=RegionOne',
        }),
        'capacity:candidates': () => ({
          query: 'query=resources%3DVCPU%3A4&microversion=1.39&region=RegionOne',
        }),
        'capacity:servers': async () => {
          await createHost();
          return {
            query:
              'flavor=m1.tiny&image=cirros&zone=az&group_policy=anti-affinity&' +
              'max_server_per_host=2&project=demo&region=RegionOne',
          };
        },
        'capacity:nodes': () => ({ query: 'profile=none&region=RegionOne', refused: 404 }),
        'capacity:leases': () => ({
          query:
            'instances=2&vcpus=1&memory_mb=512&disk_gb=1&affinity=false&properties=&start=%2B1d&' +
            'for=2d&region=RegionOne',
        }),
        'jobs:list': async () => {
          await scheduleJob();
          return { query: `region=RegionOne&service=reservation&kind=${jobKind}&limit=10` };
        },
        'jobs:delete': async () => ({ params: { id: await scheduleJob() } }),
        'jobs:retry': async () => ({ params: { id: await scheduleJob() }, refused: 409 }),
        'service_settings:show': () => ({
          params: { service: 'reservation' },
          query: 'region=RegionOne',
        }),
        'service_settings:update': () => ({
          params: { service: 'reservation' },
          body: { region: 'RegionOne', strict: true, max_lease_duration: 3600 },
        }),
        // The cloud of these samples has no central region.
        'pods:drain': () => ({
          params: { region: 'Pod1' },
          body: { target: 'Pod2', dry_run: true },
          refused: 404,
        }),
        'migrations:show': () => ({ params: { migration_id: 'x' }, refused: 404 }),
        'hosts:list': () => ({ query: 'region=RegionOne' }),
        'hosts:create': () => ({ body: host() }),
        'hosts:delete': async () => ({
          params: { name: await createHost() },
          query: 'region=RegionOne',
        }),
      },
    });
  },
};
