// The update of a server to another profile: name, metadata, image, flavor and networks, one after
// the other.
import { isDeepStrictEqual } from 'node:util';
import * as compute from '../../clients/compute.ts';
import { findImage } from '../../clients/image.ts';
import type { Json } from '../../model.ts';
import {
  dropPorts,
  makePorts,
  networkIds,
  networksOf,
  type InternalPort,
} from './nova-networks.ts';
import { DriverFailure, type Physical, type Progress } from './types.ts';
import { awaited, firstPoll, metadataOf } from './nova-waiting.ts';

interface Update {
  readonly physical: Physical;
  readonly target: Json;
  readonly name: string | undefined;
}

interface Phase {
  readonly run: (update: Update) => Promise<Progress | undefined>;
  /** Asks Compute for something and is over with that; the others look until it is so. */
  readonly asks?: boolean;
}

/** What comes one after the other; each says when to look again, or undefined where it is done. */
const phases: readonly Phase[] = [
  { run: fields },
  { run: rebuild, asks: true },
  { run: rebuilt },
  { run: resize, asks: true },
  { run: resized },
  { run: confirmed },
];

/** Upstream: do_update of senlin/profiles/os/nova/server.py. */
export async function update(
  physical: Physical,
  target: Json,
  { name }: { readonly name?: string | undefined },
): Promise<Progress> {
  const { memory } = physical;
  for (let phase = Number(memory['phase'] ?? 0); phase < phases.length; phase++) {
    const { run, asks } = phases[phase]!;
    const later = await run({ physical, target, name });
    memory['phase'] = later && !asks ? phase : phase + 1;
    if (later) return later;
  }
  return { changes: await networks(physical, target) };
}

async function fields({
  physical: { context, node, properties },
  target,
  name,
}: Update): Promise<undefined> {
  const id = node.physicalId!;
  const before = (properties['name'] as string | null) ?? node.name;
  const after = (target['name'] as string | null) ?? name ?? node.name;
  if (after !== before) await compute.renameServer(context, id, after);
  if (isDeepStrictEqual(properties['metadata'], target['metadata'])) return;
  await compute.setServerMetadata(context, id, metadataOf(node, target['metadata'] as Json | null));
}

const failure = ({ physical }: Update): string =>
  `Failed in updating server '${physical.node.physicalId}'`;

/** What a name stands for may be the same as before. */
async function rebuild(update: Update): Promise<Progress | undefined> {
  const { physical, target } = update;
  const { context, node, properties, memory } = physical;
  const name = target['image'] as string | null;
  if (!name || name === properties['image']) return undefined;
  const image = await findImage(context, name);
  if (!image)
    throw new DriverFailure(
      `${failure(update)}: The specified image '${name}' could not be found.`,
    );
  const before = properties['image']
    ? await findImage(context, properties['image'] as string)
    : undefined;
  if (before?.id === image.id) return undefined;
  await compute.actOnServer(context, node.physicalId!, { rebuild: { imageRef: image.id } });
  memory['rebuilds'] = true;
  return { nextCheckAt: firstPoll(physical, 'server.rebuild') };
}

async function rebuilt(update: Update): Promise<Progress | undefined> {
  return update.physical.memory['rebuilds']
    ? awaited(update.physical, 'ACTIVE', failure(update))
    : undefined;
}

async function resize(update: Update): Promise<Progress | undefined> {
  const { physical, target } = update;
  const { context, node, properties, memory } = physical;
  if (target['flavor'] === properties['flavor']) return undefined;
  const flavor = await compute.findFlavor(context, target['flavor'] as string);
  if (!flavor)
    throw new DriverFailure(
      `${failure(update)}: The specified flavor '${String(target['flavor'])}' could not be found.`,
    );
  if ((await compute.findFlavor(context, properties['flavor'] as string))?.id === flavor.id)
    return undefined;
  await compute.actOnServer(context, node.physicalId!, { resize: { flavorRef: flavor.id } });
  memory['resizes'] = true;
  return { nextCheckAt: firstPoll(physical, 'server.resize') };
}

async function resized(update: Update): Promise<Progress | undefined> {
  const { physical } = update;
  if (!physical.memory['resizes']) return undefined;
  const later = await awaited(physical, 'VERIFY_RESIZE', failure(update));
  if (later) return later;
  await compute.actOnServer(physical.context, physical.node.physicalId!, { confirmResize: null });
  firstPoll(physical, 'server.confirmResize');
  return undefined;
}

async function confirmed(update: Update): Promise<Progress | undefined> {
  return update.physical.memory['resizes']
    ? awaited(update.physical, 'ACTIVE', failure(update))
    : undefined;
}

/** Ports of networks that are no longer asked for go, and new ones come. */
async function networks(
  { context, node, properties }: Physical,
  target: Json,
): Promise<{ data?: Json }> {
  const before = networksOf(properties);
  const after = networksOf(target);
  if (isDeepStrictEqual(before, after)) return {};
  const ports = (node.data['internal_ports'] ?? []) as InternalPort[];
  const kept = ports.filter((_, index) =>
    after.some((one) => isDeepStrictEqual(one, before[index])),
  );
  const dropped = ports.filter((port) => !kept.includes(port));
  for (const { id } of dropped) await compute.detachPort(context, node.physicalId!, id);
  await dropPorts(context, dropped);
  const wanted = after.filter((one) => !before.some((old) => isDeepStrictEqual(one, old)));
  const made = await makePorts(context, wanted, await networkIds(context, wanted));
  for (const { id } of made) await compute.attachPort(context, node.physicalId!, id);
  return { data: { ...node.data, internal_ports: [...kept, ...made] } };
}
