// Updates a server to another profile, in phases: name and metadata, image, flavor, networks.
import { isDeepStrictEqual } from 'node:util';
import type { Micros } from '../../../../kernel/clock.ts';
import * as compute from '../../clients/compute.ts';
import { findImage } from '../../clients/image.ts';
import type { DriverMemory, Json } from '../../model.ts';
import {
  createPorts,
  deletePorts,
  networkIds,
  networksOf,
  type InternalPort,
} from './nova-networks.ts';
import { firstPoll, metadataOf, pollForStatus } from './nova-polling.ts';
import { DriverFailure, type Physical, type Progress } from './types.ts';

interface Update {
  readonly physical: Physical;
  /** The properties of the new profile. */
  readonly target: Json;
  readonly name: string | undefined;
}

/**
 * What the driver remembers after a phase. `nextCheckAt` is absent if the next phase may follow.
 */
interface PhaseResult {
  readonly memory: DriverMemory;
  readonly nextCheckAt?: Micros;
}

interface Phase {
  readonly run: (update: Update) => Promise<PhaseResult>;
  /** Requests something from Compute, which the next phase waits for. Other phases poll. */
  readonly isRequest?: boolean;
}

/** Memory keeps the index of the next phase, so the order must not change. */
const phases: readonly Phase[] = [
  { run: updateFields },
  { run: requestRebuild, isRequest: true },
  { run: waitForRebuild },
  { run: requestResize, isRequest: true },
  { run: waitForResize },
  { run: waitForConfirmation },
];

/** Upstream: do_update of senlin/profiles/os/nova/server.py. */
export async function update(
  physical: Physical,
  target: Json,
  { name }: { readonly name?: string | undefined },
): Promise<Progress> {
  let { memory } = physical;
  for (let phase = Number(memory['phase'] ?? 0); phase < phases.length; phase++) {
    const { run, isRequest } = phases[phase]!;
    const result = await run({ physical: { ...physical, memory }, target, name });
    const { nextCheckAt } = result;
    const isPolling = nextCheckAt !== undefined && !isRequest;
    memory = { ...result.memory, phase: isPolling ? phase : phase + 1 };
    if (nextCheckAt !== undefined) return { nextCheckAt, memory };
  }
  return { changes: await updateNetworks(physical, target) };
}

async function updateFields({ physical, target, name }: Update): Promise<PhaseResult> {
  const { context, node, properties, memory } = physical;
  const id = node.physicalId!;
  const before = (properties['name'] as string | null) ?? node.name;
  const after = (target['name'] as string | null) ?? name ?? node.name;
  if (after !== before) await compute.renameServer(context, id, after);
  if (!isDeepStrictEqual(properties['metadata'], target['metadata'])) {
    const metadata = metadataOf(node, target['metadata'] as Json | null);
    await compute.setServerMetadata(context, id, metadata);
  }
  return { memory };
}

const failure = ({ physical }: Update): string =>
  `Failed in updating server '${physical.node.physicalId}'`;

/** Polls for a status if an earlier phase has requested it. */
async function waitFor(
  update: Update,
  request: 'rebuilds' | 'resizes',
  status: string,
): Promise<PhaseResult> {
  const { physical } = update;
  const { memory } = physical;
  const pending = memory[request]
    ? await pollForStatus(physical, status, failure(update))
    : undefined;
  return pending ?? { memory };
}

/** Rebuilds the server, unless the old and the new name resolve to the same image. */
async function requestRebuild(update: Update): Promise<PhaseResult> {
  const { physical, target } = update;
  const { context, node, properties, memory } = physical;
  const name = target['image'] as string | null;
  if (!name || name === properties['image']) return { memory };
  const image = await findImage(context, name);
  if (!image)
    throw new DriverFailure(
      `${failure(update)}: The specified image '${name}' could not be found.`,
    );
  const before = properties['image']
    ? await findImage(context, properties['image'] as string)
    : undefined;
  if (before?.id === image.id) return { memory };
  await compute.actOnServer(context, node.physicalId!, { rebuild: { imageRef: image.id } });
  return firstPoll({ ...physical, memory: { ...memory, rebuilds: true } }, 'server.rebuild');
}

function waitForRebuild(update: Update): Promise<PhaseResult> {
  return waitFor(update, 'rebuilds', 'ACTIVE');
}

/** Resizes the server, unless the old and the new name resolve to the same flavor. */
async function requestResize(update: Update): Promise<PhaseResult> {
  const { physical, target } = update;
  const { context, node, properties, memory } = physical;
  if (target['flavor'] === properties['flavor']) return { memory };
  const flavor = await compute.findFlavor(context, target['flavor'] as string);
  if (!flavor)
    throw new DriverFailure(
      `${failure(update)}: The specified flavor '${String(target['flavor'])}' could not be found.`,
    );
  if ((await compute.findFlavor(context, properties['flavor'] as string))?.id === flavor.id)
    return { memory };
  await compute.actOnServer(context, node.physicalId!, { resize: { flavorRef: flavor.id } });
  return firstPoll({ ...physical, memory: { ...memory, resizes: true } }, 'server.resize');
}

/** Confirms the resize when it has finished. */
async function waitForResize(update: Update): Promise<PhaseResult> {
  const { physical } = update;
  const result = await waitFor(update, 'resizes', 'VERIFY_RESIZE');
  if (!physical.memory['resizes'] || result.nextCheckAt !== undefined) return result;
  await compute.actOnServer(physical.context, physical.node.physicalId!, { confirmResize: null });
  const { memory } = firstPoll(physical, 'server.confirmResize');
  return { memory };
}

function waitForConfirmation(update: Update): Promise<PhaseResult> {
  return waitFor(update, 'resizes', 'ACTIVE');
}

/** Detaches the ports of networks that the new profile does not have, and attaches new ones. */
async function updateNetworks(
  { context, node, properties }: Physical,
  target: Json,
): Promise<{ readonly data?: Json }> {
  const before = networksOf(properties);
  const after = networksOf(target);
  if (isDeepStrictEqual(before, after)) return {};
  const ports = (node.data['internal_ports'] ?? []) as InternalPort[];
  const kept = ports.filter((_, index) =>
    after.some((network) => isDeepStrictEqual(network, before[index])),
  );
  const dropped = ports.filter((port) => !kept.includes(port));
  for (const { id } of dropped) await compute.detachPort(context, node.physicalId!, id);
  await deletePorts(context, dropped);
  const added = after.filter(
    (network) => !before.some((other) => isDeepStrictEqual(network, other)),
  );
  const created = await createPorts(context, added, await networkIds(context, added));
  for (const { id } of created) await compute.attachPort(context, node.physicalId!, id);
  return { data: { ...node.data, internal_ports: [...kept, ...created] } };
}
