// The list of routings: its filters and its pages. Upstream: tricircle/api/controllers/routing.py.
import { parseTime, SECOND, type Micros } from '../../../kernel/clock.ts';
import type { Context } from '../../../kernel/model.ts';
import type { Query } from '../../../kernel/query.ts';
import * as store from '../store/routings.ts';
import { pythonInt } from './fields.ts';
import { filtersFrom, limitFrom } from './pages.ts';
import type { Routing } from '../model.ts';
import { typed } from './refusals.ts';

export interface RoutingPage {
  readonly routings: readonly Routing[];
  /** Where there may be more: how many a page has, and after which routing the next begins. */
  readonly next: { readonly limit: number; readonly marker: number } | undefined;
}

const filterNames = [
  'id',
  'top_id',
  'bottom_id',
  'pod_id',
  'project_id',
  'resource_type',
  'created_at',
  'updated_at',
];

/**
 * A page of the routings of the caller's own project: what the query says of projects is passed
 * over, as upstream.
 * @throws 400
 */
export async function pageOfRoutings(context: Context, query: Query): Promise<RoutingPage> {
  const limit = limitFrom(query.last('limit'));
  const before = await markerFrom(context, query.last('marker'));
  const filters = filtersFrom(query.entries(), filterNames);
  const id = filters['id'] === undefined ? undefined : idFrom(filters['id']);
  const created = timesFrom(filters['created_at']);
  const updated = timesFrom(filters['updated_at']);
  if (created === 'none' || updated === 'none') return { routings: [], next: undefined };
  const routings = await store.listRoutings(context.db, {
    id,
    topId: filters['top_id'],
    bottomId: filters['bottom_id'],
    podId: filters['pod_id'],
    resourceType: filters['resource_type'],
    projectId: context.actor.projectId ?? '',
    created,
    updated,
    before,
    limit,
  });
  const last = routings.at(-1)?.id;
  const hasNext = routings.length >= limit && last !== undefined && last !== 1;
  return { routings, next: hasNext ? { limit, marker: last } : undefined };
}

async function markerFrom({ db }: Context, text: string | undefined): Promise<number | undefined> {
  if (text === undefined) return undefined;
  const marker = pythonInt(text);
  if (marker === undefined)
    throw typed(
      400,
      `Marker should be an integer or a valid literal for int() rather than '${text}'`,
    );
  if (!(await store.findRouting(db, marker)))
    throw typed(400, `Marker ${text.trim()} is an invalid ID`);
  return marker;
}

function idFrom(text: string): number {
  const id = pythonInt(text);
  if (id === undefined)
    throw typed(400, `Id should be an integer or a valid literal for int() rather than '${text}'`);
  return id;
}

/** The second that a time names; 'none' for what is no time, which no row has. */
function timesFrom(text: string | undefined): readonly [Micros, Micros] | undefined | 'none' {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  return time === undefined ? 'none' : [time, time + SECOND];
}
