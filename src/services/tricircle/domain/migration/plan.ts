// Plans a migration: which resources move together, from where to where, and which cannot be moved.
// It reads the pods, and writes nothing.
import type { Context } from '../../../../kernel/model.ts';
import { centralContext } from '../../../../kernel/context.ts';
import { PodFailure } from '../../clients/pods.ts';
import {
  movedTypes,
  type MovedResource,
  type MovedType,
  type PlannedMove,
  type Pod,
  type RefusedResource,
  type Routing,
} from '../../model.ts';
import { listMoving } from '../../store/migrations.ts';
import { listPods } from '../../store/pods.ts';
import { listRoutings } from '../../store/routings.ts';
import { typed } from '../errors.ts';
import { inspect, keyOf, type Inspected } from './inspect.ts';
import type { MigrationRequest } from './request.ts';
import { Targets } from './targets.ts';

/** What a migration would do. */
export interface Plan {
  readonly moves: readonly PlannedMove[];
  readonly refused: readonly RefusedResource[];
}

/** Plans a migration. @throws 404 for an unknown server or volume; 503 if a pod does not answer */
export async function planMigration(context: Context, request: MigrationRequest): Promise<Plan> {
  const outside = centralContext(context);
  const pods = new Map((await listPods(outside.db)).map((pod) => [pod.id, pod]));
  const routings = await selectRoutings(outside, request);
  const targets = new Targets(outside, request);
  const moves: PlannedMove[] = [];
  const refused: RefusedResource[] = [];
  for (const source of pods.values()) {
    const inPod = routings.filter(({ podId }) => podId === source.id);
    const selected: Routing[] = [];
    for (const routing of inPod) {
      const target = await targets.find(routing.projectId, source);
      const stays = 'pod' in target && target.pod.id === source.id;
      if (!stays || isSingle(request)) selected.push(routing);
    }
    const part = await planPod(outside, source, selected, targets).catch((error: unknown) => {
      if (!(error instanceof PodFailure)) throw error;
      throw typed(503, `The pod ${source.regionName} does not answer: ${error.message}`);
    });
    moves.push(...part.moves);
    refused.push(...part.refused);
  }
  return { moves, refused };
}

const isSingle = ({ scopeKey }: MigrationRequest): boolean =>
  scopeKey === 'server_id' || scopeKey === 'volume_id';

/** The routings of the resources that a request selects. @throws 404 */
async function selectRoutings({ db }: Context, request: MigrationRequest): Promise<Routing[]> {
  const { scopeKey, scopeId } = request;
  if (!isSingle(request))
    return listRoutings(db, {
      ...(scopeKey === 'pod_id' ? { podId: scopeId } : { projectId: scopeId }),
      resourceType: movedTypes,
    });
  const type = scopeKey === 'server_id' ? 'server' : 'volume';
  const found = await listRoutings(db, { topId: scopeId, resourceType: type });
  if (!found.length) throw typed(404, `The ${type} ${scopeId} could not be found`);
  return found;
}

/** Plans the moves out of one pod. */
async function planPod(
  context: Context,
  source: Pod,
  routings: readonly Routing[],
  targets: Targets,
): Promise<Plan> {
  const selected = new Set(
    routings.map(({ resourceType, topId }) => keyOf(resourceType as MovedType, topId)),
  );
  const found = await inspectAll(context, source, selected);
  const moves: PlannedMove[] = [];
  const refused: RefusedResource[] = [];
  for (const unit of unitsOf(found)) {
    const { projectId } = unit[0]!.resource;
    const target = await targets.find(projectId, source);
    const resources = unit
      .map(({ resource }) => resource)
      .toSorted((a, b) => movedTypes.indexOf(a.type) - movedTypes.indexOf(b.type));
    const reason = await refusalOf(context, source, unit, selected);
    if (reason === undefined && 'pod' in target && target.pod.id !== source.id)
      moves.push({
        projectId,
        sourcePodId: source.id,
        targetPodId: target.pod.id,
        sourceRegion: source.regionName,
        targetRegion: target.pod.regionName,
        resources,
      });
    else
      for (const resource of resources)
        refused.push({
          resource,
          region: source.regionName,
          reason: reason?.(resource) ?? noTarget(target, source),
        });
  }
  return { moves, refused };
}

const noTarget = (target: Awaited<ReturnType<Targets['find']>>, { regionName }: Pod): string =>
  'reason' in target ? target.reason : `It is in ${regionName} already.`;

/** Inspects resources, and the volumes and groups that servers have to move with. */
async function inspectAll(
  context: Context,
  source: Pod,
  selected: ReadonlySet<string>,
): Promise<Map<string, Inspected>> {
  const found = new Map<string, Inspected>();
  const waiting = [...selected];
  for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
    if (found.has(key)) continue;
    const [type, id] = key.split(/:(.*)/s) as [MovedType, string];
    const inspected = await inspect(context, source, type, id);
    if (!inspected) continue; // its routing is stale
    found.set(key, inspected);
    if (type === 'server') waiting.push(...inspected.links);
  }
  return found;
}

/** The resources that have to move together. */
function unitsOf(found: ReadonlyMap<string, Inspected>): Inspected[][] {
  const neighbours = new Map<string, Set<string>>([...found.keys()].map((key) => [key, new Set()]));
  for (const [key, { links }] of found)
    for (const link of links)
      if (found.has(link)) {
        neighbours.get(key)!.add(link);
        neighbours.get(link)!.add(key);
      }
  const seen = new Set<string>();
  const units: Inspected[][] = [];
  for (const first of found.keys()) {
    if (seen.has(first)) continue;
    seen.add(first);
    const unit = [first];
    for (const key of unit)
      for (const next of neighbours.get(key)!)
        if (!seen.has(next)) {
          seen.add(next);
          unit.push(next);
        }
    units.push(unit.map((key) => found.get(key)!));
  }
  return units;
}

/** Why none of the resources of a unit can be moved, for each of them; undefined if they can. */
async function refusalOf(
  context: Context,
  source: Pod,
  unit: readonly Inspected[],
  selected: ReadonlySet<string>,
): Promise<((resource: MovedResource) => string) | undefined> {
  const moving = await listMoving(
    context.db,
    unit.map(({ resource }) => resource.id),
  );
  const keys = new Set(unit.map(({ resource }) => keyOf(resource.type, resource.id)));
  const causes = unit.flatMap(({ resource, reason, links }) => {
    const isMoving = moving.some(
      ({ resourceType, topId }) => resourceType === resource.type && topId === resource.id,
    );
    const missing = links.find(
      (link) => !keys.has(link) || (isServer(link) && !selected.has(link)),
    );
    const cause = isMoving
      ? 'It is being moved already.'
      : (reason ??
        (missing === undefined
          ? undefined
          : `The ${missing.replace('_', ' ').replace(':', ' ')} would have to move with it.`));
    return cause === undefined ? [] : [{ resource, cause }];
  });
  const [first] = causes;
  if (!first) return undefined;
  return ({ type, id }) =>
    causes.find(({ resource }) => resource.type === type && resource.id === id)?.cause ??
    `It has to move with the ${first.resource.type.replace('_', ' ')} ${first.resource.id} in ` +
      `${source.regionName}, which cannot be moved.`;
}

const isServer = (key: string): boolean => key.startsWith('server:');
