// The routes of the emulator's own API.
import * as audit from './audit/handlers.ts';
import * as descriptions from './api-descriptions/handlers.ts';
import * as versionAudit from './version-audit/handlers.ts';
import * as changes from './changes/handlers.ts';
import * as clients from './client-configuration/handlers.ts';
import * as clock from './clock/handlers.ts';
import * as explanations from './explain/handlers.ts';
import * as faults from './fault-injection/handlers.ts';
import * as frontPage from './front-page/handlers.ts';
import * as failures from './host-failures/handlers.ts';
import * as health from './health/handlers.ts';
import * as jobs from './jobs/handlers.ts';
import * as notifications from './notifications/handlers.ts';
import * as outbox from './outbox/handlers.ts';
import * as page from './page/handlers.ts';
import * as projects from './projects/handlers.ts';
import * as purge from './purge/handlers.ts';
import * as regions from './regions/handlers.ts';
import * as replay from './replay/handlers.ts';
import * as requests from './journal/handlers.ts';
import * as reset from './reset/handlers.ts';
import * as whatIf from './what-if/handlers.ts';
import * as settings from './service-settings/handlers.ts';
import * as snapshots from './snapshots/handlers.ts';
import type { Route } from '../kernel/model.ts';

export const emulatorRoutes: readonly Route<'1.0'>[] = [
  { method: 'GET',    path: '/',              handler: frontPage.show,    single: true },
  { method: 'GET',    path: '/ui',            handler: page.show,         single: true },
  { method: 'GET',    path: '/ui/',           handler: page.show,         single: true },
  { method: 'GET',    path: '/ui/:file',      handler: page.showFile,     single: true },
  { method: 'GET',    path: '/changes',       handler: changes.stream,    single: true },
  { method: 'GET',    path: '/health',        handler: health.health,     single: true },
  { method: 'GET',    path: '/ready',         handler: health.ready,      single: true },
  { method: 'GET',    path: '/info',          handler: health.info,       single: true },
  { method: 'GET',    path: '/metrics',       handler: health.metrics,    single: true },
  { method: 'GET',    path: '/clouds.yaml',   handler: clients.cloudsYaml,single: true },
  { method: 'GET',    path: '/openrc',        handler: clients.openrc,    single: true },
  { method: 'GET',    path: '/environment',   handler: clients.environment, single: true },
  { method: 'POST',   path: '/reset',         handler: reset.create,      single: true },
  { method: 'GET',    path: '/regions',       handler: regions.list,      single: true },
  { method: 'POST',   path: '/regions',       handler: regions.create,    single: true },
  { method: 'GET',    path: '/regions/:name', handler: regions.show,      single: true },
  { method: 'DELETE', path: '/regions/:name', handler: regions.remove,    single: true },
  { method: 'GET',    path: '/faults',        handler: faults.list,       single: true },
  { method: 'POST',   path: '/faults',        handler: faults.create,     single: true },
  { method: 'DELETE', path: '/faults',        handler: faults.clear,      single: true },
  { method: 'GET',    path: '/faults/:id',    handler: faults.show,       single: true },
  { method: 'DELETE', path: '/faults/:id',    handler: faults.remove,     single: true },
  { method: 'GET',    path: '/fault-scenarios',       handler: faults.listScenarios, single: true },
  { method: 'POST',   path: '/fault-scenarios/:name', handler: faults.addScenario,   single: true },
  { method: 'GET',    path: '/requests',      handler: requests.list,     single: true },
  { method: 'PUT',    path: '/requests',      handler: requests.update,   single: true },
  { method: 'DELETE', path: '/requests',      handler: requests.clear,    single: true },
  { method: 'POST',   path: '/requests/assert', handler: requests.assert, single: true },
  { method: 'GET',    path: '/requests/versions', handler: versionAudit.show, single: true },
  { method: 'GET',    path: '/requests/:id',  handler: requests.show,     single: true },
  { method: 'GET',    path: '/snapshots',     handler: snapshots.list,    single: true },
  { method: 'PUT',    path: '/snapshots/:name',         handler: snapshots.save,    single: true },
  { method: 'GET',    path: '/snapshots/:name',         handler: snapshots.show,    single: true },
  { method: 'DELETE', path: '/snapshots/:name',         handler: snapshots.remove,  single: true },
  { method: 'POST',   path: '/snapshots/:name/restore', handler: snapshots.restore, single: true },
  { method: 'GET',    path: '/export',        handler: snapshots.exportDocument, single: true },
  { method: 'POST',   path: '/import',        handler: snapshots.importState,    single: true, streams: true },
  { method: 'GET',    path: '/notifications',        handler: notifications.list,   single: true },
  { method: 'PUT',    path: '/notifications',        handler: notifications.update, single: true },
  { method: 'DELETE', path: '/notifications',        handler: notifications.clear,  single: true },
  { method: 'GET',    path: '/notifications/stream', handler: notifications.stream, single: true },
  { method: 'GET',    path: '/outbox',        handler: outbox.list,       single: true },
  { method: 'POST',   path: '/purge',         handler: purge.create,      single: true },
  { method: 'GET',    path: '/projects',      handler: projects.list,     single: true },
  { method: 'POST',   path: '/projects',      handler: projects.create,   single: true },
  { method: 'DELETE', path: '/projects/:id',  handler: projects.remove,   single: true },
  { method: 'GET',    path: '/clock',         handler: clock.show,        single: true },
  { method: 'PUT',    path: '/clock',         handler: clock.update,      single: true },
  { method: 'POST',   path: '/clock/advance', handler: clock.advance,     single: true },
  { method: 'GET',    path: '/explain',       handler: explanations.list, single: true },
  { method: 'PUT',    path: '/explain',       handler: explanations.update, single: true },
  { method: 'GET',    path: '/explain/:kind/:id', handler: explanations.show, single: true },
  { method: 'GET',    path: '/audit',         handler: audit.show,        single: true },
  { method: 'GET',    path: '/host-failures/:kind',       handler: failures.list, single: true },
  { method: 'GET',    path: '/host-failures/:kind/:name', handler: failures.show, single: true },
  { method: 'GET',    path: '/capacity/timeline', handler: whatIf.timeline, single: true },
  { method: 'POST',   path: '/what-if',       handler: whatIf.create,     single: true },
  { method: 'POST',   path: '/replay',        handler: replay.create,     single: true },
  { method: 'GET',    path: '/jobs',          handler: jobs.list,         single: true },
  { method: 'DELETE', path: '/jobs/:id',      handler: jobs.remove,       single: true },
  { method: 'POST',   path: '/jobs/:id/retry', handler: jobs.retry,       single: true },
  { method: 'GET',    path: '/openapi/:service', handler: descriptions.show,   single: true },
  { method: 'GET',    path: '/:service/settings', handler: settings.show,    single: true },
  { method: 'PUT',    path: '/:service/settings', handler: settings.update,  single: true },
];
