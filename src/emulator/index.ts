// Defines the service that controls the emulator: what a real cloud cannot do. The Keystone catalog
// does not list it.
import type { IncomingHttpHeaders } from 'node:http';
import { sameSecret } from '../kernel/auth/same-secret.ts';
import { isLoopback, isLoopbackHost } from '../kernel/http/loopback.ts';
import { reply } from '../kernel/http/reply.ts';
import { badRequest, forbidden, type ApiError } from '../kernel/errors.ts';
import { enforceContract, requireJsonType } from '../kernel/http/steps.ts';
import { versions } from '../kernel/microversion.ts';
import { explain } from '../kernel/contract/jsonschema-messages.ts';
import { emulatorRoutes } from './routes.ts';
import { emulatorOptions } from './settings.ts';
import { publishKind } from '../kernel/notifications.ts';
import { publishing } from './notifications/publish.ts';
import type { Route, ServiceDefinition, Step } from '../kernel/model.ts';

const emulatorVersions = versions('emulator', {
  '1.0':
    'health, reset, snapshots, clock, regions, fault injection, request journal, metrics ' +
    'and client configuration',
});

/**
 * Headers by which proxies show themselves: they name the client's address, say that they forward,
 * or keep what they have rewritten. The client behind a proxy may be on any machine.
 */
const proxyHeader =
  /forward|proxy|^via$|^cdn-|(?:^|-|client|socket)ip$|-addr(?:ess)?$|^x-original-|^x-(?:url-)?scheme$/;

/**
 * Accepts requests with the control token, if there is one, from anywhere, and no others. Without a
 * control token, accepts requests from this machine, except those of web pages from unknown
 * origins, those under another host name, by which a page reaches loopback (DNS rebinding), and
 * those that a proxy on this machine forwards, because the client behind it may be remote. A page
 * that embeds a reply, as a script or an image, sends no Origin: its browser sends Sec-Fetch-Site.
 */
const guard: Step = ({ cloud, headers, remoteAddress, origin: ownOrigin }) => {
  const { controlToken, corsOrigin } = cloud.config;
  if (controlToken) return requireControlToken(headers['x-control-token'], controlToken);
  const { origin, host = '' } = headers;
  const isForwarded = Object.keys(headers).some((name) => proxyHeader.test(name));
  if (isForwarded || !isLoopback(remoteAddress) || !isLoopbackHost(host))
    throw forbidden(
      '/_emulator only accepts requests from this machine. To allow others, start with ' +
        '--control-token TOKEN and send the token in X-Control-Token.',
    );
  if (origin && origin !== ownOrigin && !corsOrigin.includes(origin))
    throw forbidden(
      `Pages from ${origin} may not control the emulator. To allow them, start with ` +
        `--cors-origin ${origin}.`,
    );
  if (!origin && isEmbedded(headers))
    throw forbidden('Pages from elsewhere may not embed what the emulator replies.');
};

/** Whether a page of another origin loads the reply, other than by a link that its user follows. */
const isEmbedded = (headers: IncomingHttpHeaders): boolean =>
  /^(?:cross|same)-site$/.test(String(headers['sec-fetch-site'])) &&
  headers['sec-fetch-dest'] !== 'document';

/** @throws 403 unless the token is the configured one */
function requireControlToken(sent: string | string[] | undefined, token: string): void {
  if (typeof sent === 'string' && sameSecret(sent, token)) return;
  throw forbidden(
    'This emulator has a control token, and /_emulator needs it. Send it in X-Control-Token; ' +
      'commands take it from --control-token or CUMULET_CONTROL_TOKEN.',
  );
}

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
