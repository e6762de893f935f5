// Defines the service that controls the emulator: what a real cloud cannot do. The Keystone catalog
// does not list it.
import { isLoopback, isLoopbackHost } from '../kernel/http/loopback.ts';
import { reply } from '../kernel/http/reply.ts';
import { badRequest, forbidden, type ApiError } from '../kernel/errors.ts';
import { sameSecret } from '../kernel/redaction.ts';
import { enforceContract, requireJsonType } from '../kernel/http/steps.ts';
import { versions } from '../kernel/microversion.ts';
import { explain } from '../kernel/contract/jsonschema-messages.ts';
import { emulatorRoutes } from './routes.ts';
import { emulatorOptions } from './settings.ts';
import type { Route, ServiceDefinition, Step } from '../kernel/model.ts';

const emulatorVersions = versions('emulator', {
  '1.0':
    'health, reset, snapshots, clock, regions, fault injection, request journal, metrics ' +
    'and client configuration',
});

/** Headers that proxies add. The client behind a proxy may be on any machine. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Accepts requests from this machine, and requests with the control token from anywhere. Without
 * the token it rejects requests that web pages from unknown origins make. It also rejects unknown
 * Host headers, because a page can reach loopback under its own host name (DNS rebinding), and
 * requests that a proxy on this machine forwards, because the client behind it may be remote.
 */
const guard: Step = (call) => {
  const { controlToken, corsOrigin } = call.cloud.config;
  const sent = call.headers['x-control-token'];
  if (controlToken && typeof sent === 'string' && sameSecret(sent, controlToken)) return;
  const { origin, host = '' } = call.headers;
  const forwarded = proxyHeaders.some((name) => call.headers[name] !== undefined);
  const isLocal = !forwarded && isLoopback(call.remoteAddress) && isLoopbackHost(host);
  if (!isLocal)
    throw forbidden(
      '/_emulator only accepts requests from this machine. ' +
        (controlToken
          ? 'From elsewhere, send the control token in X-Control-Token.'
          : 'To allow others, start with --control-token TOKEN and send the token in X-Control-Token.'),
    );
  if (origin && origin !== call.origin && !corsOrigin.includes(origin))
    throw forbidden(
      `Pages from ${origin} may not control the emulator. To allow them, start with ` +
        `--cors-origin ${origin}.`,
    );
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
});
