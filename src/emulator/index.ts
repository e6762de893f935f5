// The emulator's own service: what no real cloud can do. The catalog does not list it.
import { isLoopback, isLoopbackHost } from '../kernel/http/loopback.ts';
import { reply } from '../kernel/http/reply.ts';
import { badRequest, forbidden, type ApiError } from '../kernel/errors.ts';
import { sameSecret } from '../kernel/redaction.ts';
import { enforceContract, requireJsonType } from '../kernel/http/steps.ts';
import { versions } from '../kernel/microversion.ts';
import { explain } from '../kernel/contract/jsonschema-messages.ts';
import { emulatorRoutes } from './routes.ts';
import { emulatorOptions } from './settings.ts';
import type { Step, ServiceDefinition } from '../kernel/model.ts';
import type { Route } from '../kernel/model.ts';

const emulatorVersions = versions('emulator', {
  '1.0':
    'health, reset, snapshots, clock, regions, faults, the journal of requests, metrics and client configuration',
});

/** Headers of a proxy: who asks it may be on any machine. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Allows requests from this machine that no foreign web page has made, and requests with the
 * control token from anywhere. A page reaches loopback under a Host name of its own (DNS
 * rebinding), so foreign Host headers are refused. A proxy on this machine sends what others ask,
 * so its requests need the token too.
 */
const guard: Step = (call) => {
  const { controlToken, corsOrigin } = call.cloud.config;
  const sent = call.headers['x-control-token'];
  if (controlToken && typeof sent === 'string' && sameSecret(sent, controlToken)) return;
  const { origin, host = '' } = call.headers;
  const forwarded = forwarding.some((name) => call.headers[name] !== undefined);
  const here = !forwarded && isLoopback(call.remoteAddress) && isLoopbackHost(host);
  if (!here)
    throw forbidden(
      `/_emulator answers on this machine only. ${controlToken ? 'Send the control token in X-Control-Token.' : 'Start with --control-token TOKEN and send it in X-Control-Token.'}`,
    );
  if (origin && origin !== call.origin && !corsOrigin.includes(origin))
    throw forbidden(
      `Pages from ${origin} may not control the emulator. Start with --cors-origin ${origin} to let them.`,
    );
};

/** The error format: one plain envelope. The message names the next step. */
const renderEmulatorError = (error: ApiError): ReturnType<typeof reply> => {
  const message =
    error.message ||
    (error.status === 405
      ? `Use ${error.headers?.['allow']}.`
      : 'There is nothing here. GET /_emulator/info tells what there is.');
  return reply(error.status, { error: { code: error.status, message } }, error.headers);
};

/** The card. Its API includes the controls of other services. */
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
      malformed: (why) => badRequest(`The body is not JSON: ${why}`),
      body: (failure) =>
        badRequest(`The body does not fit: ${explain(failure, { pick: 'best' }).message}`),
      query: (failure) =>
        badRequest(`The query does not fit: ${explain(failure, { pick: 'best' }).message}`),
    }),
  ],
  renderError: renderEmulatorError,
  bodyLimit: 64 * 1024 * 1024,
});
