// Calls every method of a cloud of the library, for the tests of the sources and of the package.
import type { Cloud } from '../../src/library/index.ts';

/** Calls every method of a cloud. */
export async function callEverything(cloud: Cloud): Promise<void> {
  await cloud.info();
  await cloud.ready();
  await cloud.metrics();
  await callOnJournal(cloud);
  await callOnFaults(cloud);
  await callOnClock(cloud);
  await callOnRegions(cloud);
  await callOnExplanations(cloud);
  await callOnCapacity(cloud);
  await callOnJobs(cloud);
  await callOnPods(cloud);
  await callOnProjects(cloud);
  await callOnOidcUsers(cloud);
  await callOnSamlProviders(cloud);
  await cloud.notifications.keep(5);
  await cloud.notifications.list({ region: 'RegionOne', limit: 5 });
  await cloud.notifications.clear();
  await cloud.outbox();
  await cloud.openapi('placement', { microversion: '1.10' });
  await cloud.purge({ older_than_seconds: 0 });
  await cloud.audit({ region: 'RegionOne' });
  await cloud.whatIf({ changes: [{ drain_host: 'unknown' }] });
  await cloud.replay({ arrivals: [{ at: 0, server: { name: 'web', flavor: 'm1.tiny' } }] });
  await cloud.failureDomains('host', { region: 'RegionOne' });
  await cloud.rehearseFailure('zone', 'nova').catch(() => {}); // there may be no host in it
  await cloud.snapshot('all');
  await cloud.snapshots.list();
  await cloud.snapshots.show('all');
  await cloud.restore('all');
  await cloud.import(await cloud.export({ snapshot: 'all' }));
  await cloud.snapshots.delete('all');
  await cloud.reset({ service: 'placement' });
  await cloud.reset({ preset: 'three-zones' });
  await cloud.reset();
}

async function callOnJournal({ url, requests }: Cloud): Promise<void> {
  await requests.keep(100);
  await fetch(`${url}/compute/v2.1/servers`);
  const [first] = await requests.list({ service: 'compute', limit: 1 });
  await requests.show(first!.id);
  await requests.assert({ match: { status: 401 }, times: 1 });
  await requests.versions({ service: 'compute' });
  await requests.clear();
}

async function callOnFaults({ faults }: Cloud): Promise<void> {
  const { id } = await faults.add({ match: { service: 'compute' }, effect: { status: 503 } });
  await faults.list();
  await faults.show(id);
  await faults.delete(id);
  await faults.addScenario('lost-answer');
  await faults.scenarios();
  await faults.clear();
}

async function callOnClock({ clock }: Cloud): Promise<void> {
  await clock.freeze(new Date('2030-01-01'));
  await clock.set('2030-01-02T00:00:00Z');
  await clock.advance({ hours: 1 });
  await clock.advance({ to: new Date('2030-01-03') });
  await clock.unfreeze();
  await clock.read();
}

async function callOnRegions({ hosts, regions }: Cloud): Promise<void> {
  await regions.add({ name: 'RegionTwo', from: 'RegionOne' });
  await regions.list();
  await regions.show('RegionTwo');
  await hosts.add({ region: 'RegionTwo', name: 'extra' });
  await hosts.list({ region: 'RegionTwo' });
  await hosts.delete('extra', { region: 'RegionTwo' });
  await regions.delete('RegionTwo');
}

async function callOnExplanations({ explanations }: Cloud): Promise<void> {
  await explanations.update({ all: false });
  await explanations.list({ kind: 'server' });
  await explanations.show('servers', 'unknown').catch(() => {}); // nothing was decided yet
  await explanations.candidates('resources=VCPU:1', { microversion: '1.39' });
  await explanations.action('unknown', { check: {} }).catch(() => {});
}

async function callOnCapacity({ capacity }: Cloud): Promise<void> {
  await capacity.servers('m1.tiny', { zone: 'nova', group_policy: 'anti-affinity' });
  await capacity.nodes('unknown').catch(() => {}); // there is no profile yet
  await capacity.leases({ instances: '2', vcpus: '1', memory_mb: '512', start: '+1d', for: '2d' });
  await capacity.candidates('resources=VCPU:1', { microversion: '1.39' });
  await capacity.timeline('2040-01-01', { flavor: 'm1.tiny' });
}

async function callOnJobs({ jobs, settings }: Cloud): Promise<void> {
  await settings.update('reservation', { monitor_interval: 30 });
  await settings.show('reservation');
  const [job] = await jobs.list({ kind: 'reservation.watch_hosts' });
  await jobs.retry(job!.id).catch(() => {}); // only a job that was set aside can be retried
  await jobs.delete(job!.id);
}

/** A cloud without a central region has no pods, and refuses both calls. */
async function callOnPods({ pods }: Cloud): Promise<void> {
  await pods.drain('RegionOne', { dry_run: true }).catch(() => {});
  await pods.migration('unknown').catch(() => {});
}

async function callOnSamlProviders({ url, samlProviders }: Cloud): Promise<void> {
  const metadata = await fetch(`${url}/identity/v3/OS-FEDERATION/saml2/metadata`);
  await samlProviders.set('other', await metadata.text());
  await samlProviders.list();
  await samlProviders.delete('other');
}

async function callOnOidcUsers({ oidcUsers }: Cloud): Promise<void> {
  await oidcUsers.set('partner', 'ann', { password: 'pw', claims: { email: 'ann@partner' } });
  await oidcUsers.list('partner');
  await oidcUsers.delete('partner', 'ann');
}

async function callOnProjects(cloud: Cloud): Promise<void> {
  await using project = await cloud.project({ roles: ['admin'] });
  await cloud.projects.create({ network: false });
  const other = (await cloud.projects.list()).find(({ id }) => id !== project.id);
  await cloud.projects.delete(other!.id);
}
