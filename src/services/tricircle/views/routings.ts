// The views of routings.
import type { RoutingPage } from '../domain/routing-list.ts';
import type { Routing } from '../model.ts';
import { nextLink } from './links.ts';
import { timeView, timeViewOrNull } from './times.ts';

export const routingView = (routing: Routing): object => ({
  id: routing.id,
  top_id: routing.topId,
  bottom_id: routing.bottomId,
  pod_id: routing.podId,
  project_id: routing.projectId,
  resource_type: routing.resourceType,
  created_at: timeView(routing.createdAt),
  updated_at: timeViewOrNull(routing.updatedAt),
});

export const routingPageView = ({ routings, next }: RoutingPage): object => ({
  routings: routings.map(routingView),
  ...(next ? { routings_links: nextLink('/v1.0/routings', next) } : {}),
});
