// The Reservation service (Blazar): leases of hosts, instances and floating IPs between two dates.
import { authenticate, negotiate } from '../../kernel/http/steps.ts';
import { rehearseFailure } from './domain/rehearsal.ts';
import { captureReservation } from './domain/capture/capture.ts';
import { auditReservation } from './domain/audit.ts';
import { removeLeases } from './domain/throwaway.ts';
import type { ServiceDefinition } from '../../kernel/model.ts';
import { describeConsumers } from './domain/explanation/consumers.ts';
import { adaptToReset } from './domain/after-reset.ts';
import { releaseAll } from './domain/before-reset.ts';
import { applySettings } from './domain/settings-changes.ts';
import { reservationSettings } from './domain/settings.ts';
import { reservationControls } from './controls.ts';
import { renderReservationError } from './errors.ts';
import { reservationJobs } from './jobs.ts';
import { reservationOptions } from './options.ts';
import { reservationPolicy } from './policy.ts';
import { reservationRoutes } from './routes.ts';
import { seedReservation } from './seed.ts';
import { dropSuffix, enforceOwn, readBody } from './steps.ts';
import { reservationVersions, type ReservationVersion } from './versions.ts';

export const reservation: ServiceDefinition<ReservationVersion> = {
  name: 'reservation',
  type: 'reservation',
  description: 'Reservation',
  prefix: '/reservation',
  nativePort: 1234,
  slashes: 'redirected',
  database: 'region',
  versions: reservationVersions,
  routes: reservationRoutes,
  controls: reservationControls,
  policy: reservationPolicy,
  options: reservationOptions,
  beforeRouting: [authenticate(), dropSuffix, negotiate],
  beforeHandler: [readBody, enforceOwn],
  renderError: renderReservationError,
  headers: ({ version, route, path }): Record<string, string> =>
    version && route && path !== '/' && path !== '/versions'
      ? { 'openstack-api-version': `reservation ${version.name}`, vary: 'OpenStack-API-Version' }
      : {},
  bodyLimit: 1_048_576,
  seed: seedReservation,
  jobs: reservationJobs,
  beforeReset: releaseAll,
  describeConsumers,
  afterReset: adaptToReset,
  settings: reservationSettings,
  settingsChanged: applySettings,
  catalogPath: '/v1',
  throwaway: { remove: removeLeases },
  audit: auditReservation,
  capture: captureReservation,
  rehearseFailure,
};
