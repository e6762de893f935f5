// The list of routings, with filters and pages. Upstream: tricircle/api/controllers/routing.py.
import { parseTime, SECOND, type Micros } from '../../../kernel/clock.ts';
import type { Context } from '../../../kernel/model.ts';
import type { Query } from '../../../kernel/query.ts';
import * as store from '../store/routings.ts';
import { pythonInt } from './fields.ts';
import { readFilters, readLimit } from './pages.ts';
import type { Routing } from '../model.ts';
import { typed } from './errors.ts';

export interface RoutingPage {
  readonly routings: readonly Routing[];
  /** The limit and marker of the next page, if there may be one. */
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
 * Lists a page of the routings of the caller's own project. As upstream, `project_id` in the query
 * is ignored.
 * @throws 400
 */
export async function listRoutingPage(context: Context, query: Query): Promise<RoutingPage> {
  const limit = readLimit(query.last('limit'));
  const before = await readMarker(context, query.last('marker'));
  const filters = readFilters(query.entries(), filterNames);
  const id = filters['id'] === undefined ? undefined : readId(filters['id']);
  const created = readSecond(filters['created_at']);
  const updated = readSecond(filters['updated_at']);
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

async function readMarker({ db }: Context, text: string | undefined): Promise<number | undefined> {
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

function readId(text: string): number {
  const id = pythonInt(text);
  if (id === undefined)
    throw typed(400, `Id should be an integer or a valid literal for int() rather than '${text}'`);
  return id;
}

/** Reads a time, as the span of its second; 'none' for an invalid time, which no row has. */
function readSecond(text: string | undefined): readonly [Micros, Micros] | undefined | 'none' {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  return time === undefined ? 'none' : [time, time + SECOND];
}
