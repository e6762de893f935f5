// Makes policies and clusters.
import { ApiError } from '../../../kernel/errors.ts';
import { idIn, partOf, type RegionClient } from '../client.ts';
import type { ClusterEntry, PolicyEntry } from '../model.ts';
import { each, given, type At } from './model.ts';

const root = '/clustering/v1';
const newest = 'clustering 1.14';

export const makePolicies = (
  region: RegionClient,
  entries: readonly PolicyEntry[],
  at: At,
): Promise<number> =>
  each(entries, at, async ({ name, project, type, version = '1.0', properties }) => {
    const spec = {
      type: type.includes('.') ? type : `senlin.policy.${type}`,
      version: typeof version === 'number' ? version.toFixed(1) : version,
      properties,
    };
    const body = { policy: { name, spec } };
    const reply = await region.ask('POST', `${root}/policies`, { version: newest, body, project });
    region.remember('policy', name, idIn(reply, 'policy'));
  });

export const makeClusters = (
  region: RegionClient,
  entries: readonly ClusterEntry[],
  at: At,
): Promise<number> => each(entries, at, (entry) => makeCluster(region, entry));

/** Makes a cluster with its policies, and then its nodes, so that policies place them. */
async function makeCluster(region: RegionClient, entry: ClusterEntry): Promise<void> {
  const { name, project, size = 0, min, max, policies = [] } = entry;
  const ask = (method: string, path: string, body?: object) =>
    region.ask(method, `${root}${path}`, { version: newest, body, project });
  const spec = {
    type: 'os.nova.server',
    version: '1.0',
    properties: await serverOf(region, entry),
  };
  const profile = await ask('POST', '/profiles', { profile: { name, spec } });
  const cluster = given({
    name,
    profile_id: idIn(profile, 'profile'),
    desired_capacity: policies.length ? 0 : size,
    min_size: policies.length ? 0 : min,
    max_size: max,
  });
  const id = idIn(await ask('POST', '/clusters', { cluster }), 'cluster');
  const act = (action: object) => ask('POST', `/clusters/${id}/actions`, action);
  for (const policy of policies) {
    const policyId = await region.idOf('policy', policy);
    await act({ policy_attach: { policy_id: policyId, enabled: true } });
  }
  await checkStatus(ask, id);
  if (!policies.length) return;
  const sizes = given({ min_size: min, adjustment_type: 'EXACT_CAPACITY', number: size });
  if (size > 0 || min !== undefined) await act({ resize: sizes });
  await checkStatus(ask, id);
}

type AskClustering = (method: string, path: string) => ReturnType<RegionClient['ask']>;

/** @throws ApiError with the reason why the cluster is not active */
async function checkStatus(ask: AskClustering, id: string): Promise<void> {
  const {
    name,
    status,
    status_reason: reason,
  } = partOf(await ask('GET', `/clusters/${id}`), 'cluster');
  if (status === 'ACTIVE') return;
  throw new ApiError(400, `cluster ${String(name)} is ${String(status)}: ${String(reason)}`);
}

async function serverOf(
  region: RegionClient,
  { flavor = 'm1.tiny', image, network, name }: ClusterEntry,
): Promise<object> {
  const [first] = image === undefined ? (await region.listOf('image')).slice(-1) : [];
  const usual = (await region.listOf('network')).some((one) => one['name'] === 'private');
  const onNetwork = network ?? (usual ? 'private' : undefined);
  return given({
    name,
    flavor,
    image: image ?? first?.['name'],
    networks: onNetwork === undefined ? undefined : [{ network: onNetwork }],
  });
}
