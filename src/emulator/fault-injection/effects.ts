// The effects of fault injection, one entry for each.
//
// To add an effect (one that truncates the reply, say):
// 1. model.ts: add its properties to `FaultEffect`;
// 2. api-ref/emulator.yaml: describe them in the schema `FaultEffect`, then run `npm run docs`;
// 3. effects.ts: add an entry to `effectKinds`, with `appliesTo: 'reply'` if it changes the
//    handler's reply;
// 4. options.ts: add a flag for each property to `faultOptions`;
// 5. only if the reply is sent in a new way: add that way to `Reply.delivery` in kernel/model.ts,
//    implement it in kernel/http/send.ts, and let the gateway recognize such a reply of a pod
//    (services/gateway/clients/pods.ts), which it reads without a connection;
// 6. test/emulator/fault-injection/effects.test.ts and docs/guides/fault-injection.md.
import { STATUS_CODES } from 'node:http';
import { pauseUnref } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { renderError } from '../../kernel/http/render-error.ts';
import { dropped } from '../../kernel/http/reply.ts';
import type { Reply, RoutedRequest } from '../../kernel/model.ts';
import type { FaultEffect } from './model.ts';

/** What all kinds of effects declare: what selects the kind, and which effects it accepts. */
interface EffectDeclaration {
  /** The property that selects this kind; a rule may combine several kinds. */
  readonly property: keyof FaultEffect;
  /** Properties that are only valid together with `property`. */
  readonly companions: readonly (keyof FaultEffect)[];
  /** Whether the effect determines the final reply, so that no later effect or rule applies. */
  readonly endsRequest: boolean;
  /** Returns why the effect is invalid, and what to do about it; undefined if it is valid. */
  readonly check?: (effect: FaultEffect) => string | undefined;
}

/**
 * A kind that needs no reply of the handler. It applies before the handler runs, or after it if the
 * rule says `when: after`.
 */
interface RequestEffectKind extends EffectDeclaration {
  readonly appliesTo: 'request';
  /** @returns the reply to send instead of the handler's; undefined to go on */
  readonly apply: (
    effect: FaultEffect,
    request: RoutedRequest,
  ) => Promise<Reply | undefined> | Reply | undefined;
}

/**
 * A kind that changes the handler's reply, which may be an error. It always applies after the
 * handler, and not at all if another effect has ended the request.
 */
interface ReplyEffectKind extends EffectDeclaration {
  readonly appliesTo: 'reply';
  /** @returns the changed reply */
  readonly apply: (
    effect: FaultEffect,
    request: RoutedRequest,
    reply: Reply,
  ) => Promise<Reply> | Reply;
}

export type EffectKind = RequestEffectKind | ReplyEffectKind;

/** All kinds of effects, in the order in which they apply to a request. */
export const effectKinds: readonly EffectKind[] = [
  {
    property: 'delay_ms',
    appliesTo: 'request',
    companions: [],
    endsRequest: false,
    // Waits in real time, because client timeouts run in real time. A process that is shutting
    // down does not wait.
    apply: async ({ delay_ms: delay = 0 }) => {
      await pauseUnref(delay);
      return undefined;
    },
  },
  {
    property: 'status',
    appliesTo: 'request',
    companions: ['message', 'code', 'headers'],
    endsRequest: true,
    check: checkHeaders,
    apply: (effect, request) => {
      const reply = renderError(request, errorOf(effect));
      // Some services' error formats ignore the error's headers, so they are set here.
      return { ...reply, headers: { ...reply.headers, ...effect.headers } };
    },
  },
  {
    property: 'drop',
    appliesTo: 'request',
    companions: [],
    endsRequest: true,
    check: ({ status }) =>
      status === undefined
        ? undefined
        : 'A dropped connection sends no status. Leave out either status or drop.',
    apply: () => dropped,
  },
];

const isGiven = (effect: FaultEffect, property: keyof FaultEffect): boolean =>
  effect[property] !== undefined && effect[property] !== false;

/** The kinds that an effect combines, in the order in which they apply. */
export const kindsOf = (effect: FaultEffect): readonly EffectKind[] =>
  effectKinds.filter(({ property }) => isGiven(effect, property));

/** Whether an effect determines the final reply, so that no later rule applies. */
export const endsRequest = (effect: FaultEffect): boolean =>
  kindsOf(effect).some((kind) => kind.endsRequest);

/** Returns why an effect is invalid, and what to do about it; undefined if it is valid. */
export function effectProblem(effect: FaultEffect): string | undefined {
  const kinds = kindsOf(effect);
  if (!kinds.length)
    return `The effect is empty. Give at least one of ${listOf(effectKinds.map(({ property }) => property))}.`;
  for (const { check } of kinds) {
    const problem = check?.(effect);
    if (problem !== undefined) return problem;
  }
  const orphans = effectKinds.find(
    (kind) => !kinds.includes(kind) && kind.companions.some((one) => isGiven(effect, one)),
  );
  return (
    orphans &&
    `${listOf(orphans.companions)} are only valid with ${orphans.property}. Give ${orphans.property} too.`
  );
}

/** `message, code and headers`. */
const listOf = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ');

/** Headers that describe how the body is sent; the server sets them. */
const connectionHeaders = [
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

function checkHeaders({ headers = {} }: FaultEffect): string | undefined {
  const reserved = Object.keys(headers).find((name) =>
    connectionHeaders.includes(name.toLowerCase()),
  );
  return reserved && `The server sets the header ${reserved} itself. Leave it out.`;
}

const defaultMessages: Readonly<Record<number, string>> = {
  429: 'This request was rate-limited.',
  500: 'The server has either erred or is incapable of performing the requested operation.',
  503: 'The server is currently unavailable. Please try again at a later time.',
};

/** The error that an effect with a status causes. */
export function errorOf({ status = 500, message, code, headers = {} }: FaultEffect): ApiError {
  const text = message ?? defaultMessages[status] ?? `${STATUS_CODES[status] ?? 'Error'}.`;
  return new ApiError(status, text, { headers, ...(code === undefined ? {} : { code }) });
}
