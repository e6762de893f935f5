// What Tricircle asks of the Nova and the Cinder of a pod: in this process where it is a region of this cloud, else over HTTP.
import { Fault } from '../../../kernel/fault.ts';
import { askWithin } from '../../../kernel/http/inward.ts';
import type { Card, Region, Work } from '../../../kernel/model.ts';
import { settle } from '../../../kernel/settle.ts';
import { inRegion, systemActor, workWith } from '../../../kernel/work.ts';
import { compute } from '../../compute/index.ts';
import { volume } from '../../volume/index.ts';
import type { CinderPool, NovaUsage, Pod } from '../domain/records.ts';
import { endpointIn, ownToken, type PublicEndpoint } from './identity.ts';

/** How long another cloud may take for an answer, in milliseconds. */
const patience = 10_000;

/** Why a pod could not be asked. */
export class PodFailure extends Error {}

/** One question to a service of a pod. */
interface Question {
  readonly card: Card;
  readonly serviceType: string;
  /** Below the version of the API, such as `/os-hypervisors/statistics`. */
  readonly path: string;
}

type Answer = Record<string, unknown>;

/** The sums over the pod's hypervisors; undefined where the pod has no Nova. @throws PodFailure */
export async function novaUsageOf(work: Work, pod: Pod): Promise<NovaUsage | undefined> {
  const answer = await ask(work, pod, { card: compute as Card, serviceType: 'compute', path: '/os-hypervisors/statistics' });
  return answer && (answer['hypervisor_statistics'] as NovaUsage);
}

/** The pools of the pod's Cinder; undefined where it has none. @throws PodFailure */
export async function cinderPoolsOf(work: Work, pod: Pod): Promise<CinderPool[] | undefined> {
  const answer = await ask(work, pod, { card: volume as Card, serviceType: 'volumev3', path: '/scheduler-stats/get_pools' });
  return answer && (answer['pools'] as { name: string; capabilities: Answer }[]).map(poolOf);
}

const amountOf = (value: unknown): number | string => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : String(value ?? 'unknown');
};

const poolOf = ({ name, capabilities }: { name: string; capabilities: Answer }): CinderPool => ({
  name,
  updated: typeof capabilities['timestamp'] === 'string' ? capabilities['timestamp'] : null,
  total_capacity_gb: amountOf(capabilities['total_capacity_gb']),
  free_capacity_gb: amountOf(capabilities['free_capacity_gb']),
});

async function ask(work: Work, pod: Pod, question: Question): Promise<Answer | undefined> {
  const endpoint = await endpointIn(work, pod.regionName, question.serviceType);
  if (!endpoint) return undefined;
  return endpoint.isHere ? askHere(work, endpoint, question) : askElsewhere(work, endpoint, question);
}

/** The region of this cloud in which an endpoint is. */
function regionOf({ cloud }: Work, { url }: PublicEndpoint): Region {
  return cloud.regions.get(url.split('/')[1] ?? '') ?? cloud.firstRegion;
}

async function askHere(work: Work, endpoint: PublicEndpoint, { card, path }: Question): Promise<Answer> {
  const region = regionOf(work, endpoint);
  // What is due there happens first, as before a client's request.
  await settle(work.cloud, region, work.now);
  try {
    const reply = await inRegion(workWith(work, { actor: systemActor }), region, (inner) =>
      askWithin(inner, card, {
        method: 'GET',
        path: `${card === (compute as Card) ? '/v2.1' : '/v3'}${path}`,
        query: [['detail', 'true']],
        version: card.versions.min.name,
      }),
    );
    return (typeof reply.body === 'string' ? JSON.parse(reply.body) : reply.body) as Answer;
  } catch (error) {
    if (error instanceof Fault) throw new PodFailure(error.message, { cause: error });
    throw error;
  }
}

async function askElsewhere(work: Work, { url, name }: PublicEndpoint, { path }: Question): Promise<Answer> {
  const token = await ownToken(work);
  // Of the URL only the version is known to be needed: Cinder's statistics do not depend on a project.
  const base = url.replace(/\/[$%]\((?:tenant|project)_id\)s$/, '').replace(/\/$/, '');
  const headers = { 'x-auth-token': token, accept: 'application/json' };
  try {
    const reply = await fetch(`${base}${path}?detail=true`, { headers, signal: AbortSignal.timeout(patience) });
    if (!reply.ok) throw new PodFailure(`${name} at ${base} answers with ${reply.status}.`);
    return (await reply.json()) as Answer;
  } catch (error) {
    if (error instanceof PodFailure) throw error;
    throw new PodFailure(`${name} at ${base} does not answer.`, { cause: error });
  }
}
