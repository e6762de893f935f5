// The effects of fault injection, one entry for each.
//
// To add an effect (one that truncates the response, say):
// 1. add its properties to `FaultEffect` in model.ts and, with their JSON schema, in
//    api-ref/emulator.yaml;
// 2. add an entry to `effectKinds` below;
// 3. add a flag to the options of `cumulet fault add`.
import { STATUS_CODES } from 'node:http';
import { pauseUnref } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { renderError } from '../../kernel/http/render-error.ts';
import { dropped } from '../../kernel/http/reply.ts';
import type { Reply, RoutedRequest } from '../../kernel/model.ts';
import type { FaultEffect } from './model.ts';

/** One kind of effect: what selects it, which effects it accepts, and what it does. */
export interface EffectKind {
  /** The property that selects this kind; a rule may combine several kinds. */
  readonly property: keyof FaultEffect;
  /** Properties that are only valid together with `property`. */
  readonly options: readonly (keyof FaultEffect)[];
  /** Whether the effect replaces the response, so that no later rule applies. */
  readonly endsRequest: boolean;
  /** Returns why the effect is invalid, and what to do about it; undefined if it is valid. */
  readonly check?: (effect: FaultEffect) => string | undefined;
  /**
   * Applies the effect: before the handler runs, or after it if the rule says `when: after`.
   * @param response the handler's response, if it has run
   * @returns the response to send instead; undefined to go on
   */
  readonly apply: (
    effect: FaultEffect,
    call: RoutedRequest,
    response: Reply | undefined,
  ) => Promise<Reply | undefined> | Reply | undefined;
}

/** All kinds of effects, in the order in which they apply to a request. */
export const effectKinds: readonly EffectKind[] = [
  {
    property: 'delay_ms',
    options: [],
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
    options: ['message', 'code', 'headers'],
    endsRequest: true,
    check: checkHeaders,
    apply: (effect, call) => {
      const response = renderError(call, errorOf(effect));
      // Some services' error formats ignore the error's headers, so they are set here.
      return { ...response, headers: { ...response.headers, ...effect.headers } };
    },
  },
  {
    property: 'drop',
    options: [],
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

/** Whether the effect replaces the response, so that no later rule applies. */
export const endsRequest = (effect: FaultEffect): boolean =>
  kindsOf(effect).some((kind) => kind.endsRequest);

/** Returns why an effect is invalid, and what to do about it; undefined if it is valid. */
export function effectProblem(effect: FaultEffect): string | undefined {
  const kinds = kindsOf(effect);
  if (!kinds.length)
    return 'The effect is empty. Give status, drop: true or delay_ms; delay_ms also combines with either of the others.';
  for (const { check } of kinds) {
    const problem = check?.(effect);
    if (problem !== undefined) return problem;
  }
  const orphans = effectKinds.find(
    (kind) => !kinds.includes(kind) && kind.options.some((option) => isGiven(effect, option)),
  );
  return (
    orphans &&
    `${listOf(orphans.options)} are only valid with ${orphans.property}. Give ${orphans.property} too.`
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
