// Defines the service that controls the emulator: what a real cloud cannot do. The Keystone catalog
// does not list it.
import { reply } from '../kernel/http/reply.ts';
import { badRequest, type ApiError } from '../kernel/errors.ts';
import { enforceContract, requireJsonType } from '../kernel/http/steps.ts';
import { versions } from '../kernel/microversion.ts';
import { explain } from '../kernel/contract/jsonschema-messages.ts';
import { requireControl } from './access.ts';
import { emulatorRoutes } from './routes.ts';
import { emulatorOptions } from './settings.ts';
import { publishKind } from '../kernel/notifications.ts';
import { publishing } from './notifications/publish.ts';
import type { Route, ServiceDefinition, Step, TimedRequest } from '../kernel/model.ts';

const emulatorVersions = versions('emulator', {
  '1.0':
    'health, reset, snapshots, clock, regions, fault injection, request journal, metrics ' +
    'and client configuration',
});

/**
 * Whether a request needs no control token, because it asks for a file of the page. These contain
 * nothing of the cloud, and a browser cannot send a token for them.
 */
const isPageFile = ({ cloud, method, path }: TimedRequest): boolean =>
  cloud.config.controlToken !== undefined && method === 'GET' && /^\/ui(?:\/|$)/.test(path);

const guard: Step = (request) => {
  if (!isPageFile(request)) requireControl(request);
};

/** Renders errors as `{error: {code, message}}`. The message says what to do next. */
const renderEmulatorError = (error: ApiError): ReturnType<typeof reply> => {
  const message =
    error.message ||
    (error.status === 405
      ? `Method not allowed. Use ${error.headers?.['allow']}.`
      : 'No such endpoint. See GET /_emulator/info for a list.');
  return reply(error.status, { error: { code: error.status, message } }, error.headers);
};

/** The service definition. Its API includes the controls that other services contribute. */
export const emulatorWith = (controls: readonly Route[]): ServiceDefinition<'1.0'> => ({
  name: 'emulator',
  description: "The emulator's own",
  prefix: '/_emulator',
  database: 'none',
  versions: emulatorVersions,
  routes: [...emulatorRoutes, ...(controls as readonly Route<'1.0'>[])],
  policy: {},
  options: emulatorOptions,
  deliveries: { [publishKind]: publishing },
  beforeRouting: [guard],
  beforeHandler: [
    requireJsonType,
    enforceContract({
      malformed: (why) => badRequest(`The request body is not valid JSON: ${why}`),
      body: (failure) =>
        badRequest(`Invalid request body: ${explain(failure, { pick: 'best' }).message}`),
      query: (failure) =>
        badRequest(`Invalid query: ${explain(failure, { pick: 'best' }).message}`),
    }),
  ],
  renderError: renderEmulatorError,
  bodyLimit: 64 * 1024 * 1024,
  headers: () => ({ 'x-content-type-options': 'nosniff' }),
});
