// The views of migrations, and of their plans.
import { steps } from '../domain/migration/steps/index.ts';
import type { MigrationPage, MigrationReport } from '../domain/migration/migrations.ts';
import type { Plan } from '../domain/migration/plan.ts';
import type { MigrationRequest } from '../domain/migration/request.ts';
import {
  dimensions,
  type Move,
  type MovedResource,
  type PlannedMove,
  type RefusedResource,
} from '../model.ts';
import { nextLink } from './links.ts';
import { timeView, timeViewOrNull } from './times.ts';

const resourceView = ({ type, id, name, projectId, size }: MovedResource): object => ({
  resource_type: type,
  id,
  name,
  project_id: projectId,
  size,
});

const plannedView = (move: PlannedMove): object => ({
  project_id: move.projectId,
  source_pod_id: move.sourcePodId,
  source_region: move.sourceRegion,
  target_pod_id: move.targetPodId,
  target_region: move.targetRegion,
  resources: move.resources.map(resourceView),
});

const moveView = (move: Move): object => ({
  id: move.id,
  status: move.status,
  step: steps[move.step]?.name ?? null,
  progress: Math.round((100 * Math.min(move.step, steps.length)) / steps.length),
  error: move.error,
  updated_at: timeView(move.updatedAt),
  ...plannedView(move),
});

const refusedView = ({ resource, region, reason }: RefusedResource): object => ({
  ...resourceView(resource),
  region,
  reason,
});

/** How much all moves need of their targets. */
function totalsOf(moves: readonly PlannedMove[]): object {
  const resources = moves.flatMap((move) => move.resources);
  const count = (type: MovedResource['type']): number =>
    resources.filter((resource) => resource.type === type).length;
  const sums = dimensions.map((dimension) => [
    dimension,
    resources.reduce((sum, { size }) => sum + (size[dimension] ?? 0), 0),
  ]);
  return {
    servers: count('server'),
    volumes: count('volume'),
    server_groups: count('server_group'),
    ...Object.fromEntries(sums),
  };
}

/** A plan that is not carried out. */
export const planView = (
  { scopeKey, scopeId }: MigrationRequest,
  { moves, refused }: Plan,
): object => ({
  id: null,
  status: 'PLANNED',
  [scopeKey]: scopeId,
  totals: totalsOf(moves),
  moves: moves.map(plannedView),
  refused: refused.map(refusedView),
});

export const migrationView = ({ migration, moves }: MigrationReport): object => ({
  id: migration.id,
  status: migration.status,
  [migration.scopeKey]: migration.scopeId,
  created_at: timeView(migration.createdAt),
  finished_at: timeViewOrNull(migration.finishedAt),
  totals: totalsOf(moves),
  moves: moves.map(moveView),
  refused: migration.refused.map(refusedView),
});

export const migrationPageView = ({ reports, next }: MigrationPage): object => ({
  migrations: reports.map(migrationView),
  ...(next ? { migrations_links: nextLink('/v1.0/migrations', next) } : {}),
});
