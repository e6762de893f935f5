// What the journal has of a request: who asked for what, with which version, and what came of it;
// without what is secret.
import { emulatedNow, machineNow, type Micros } from '../../kernel/clock.ts';
import type { JournalEntry } from './store.ts';
import { versionEntry } from '../../kernel/microversion.ts';
import type { IncomingRequest, Reply, RequestSource } from '../../kernel/model.ts';
import { nameOf } from '../fault-injection/matching.ts';
import {
  secretsIn,
  secretsInHeaders,
  withoutSecretFields,
  withoutSecrets,
  withoutSecretValues,
  withoutTokens,
} from '../../kernel/redaction.ts';
import { actionNameOf } from '../../kernel/http/actions.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { isDropped, isStream } from '../../kernel/http/reply.ts';
import { isLocated } from '../../kernel/http/request.ts';

/** The longest bodies, and the longest texts besides, that an entry has. */
const longestBody = 8_192;
const longestText = 2_000;

/** The longest body of which secrets are looked for: of a longer one there is only the length. */
const longestRead = 256 * 1024;

/**
 * Notes a request in the journal, where that is on. Nobody waits for it. What a service asks of
 * another has no body to receive. The emulator's own service is not in it.
 */
export function recordRequest(
  call: IncomingRequest,
  reply: Reply,
  milliseconds: number,
  source: RequestSource,
): void {
  const { cloud, service, now } = call;
  const inside = source === 'forwarded' || source === 'service';
  if (service?.definition.database === 'none') return;
  const answeredAt = machineNow();
  const note = (): void => {
    const { journalLimit: journalKeep, journalGeneration: journalEra } = cloud.sharedState.cached;
    if (journalKeep)
      cloud.journal.add(
        journalEra,
        journalKeep,
        entryOf(call, reply, { answeredAt, milliseconds, inside }),
      );
  };
  if (now !== undefined) note();
  // Refused before the shared values were looked at: it may be that another process has switched
  // the journal on since.
  else void cloud.sharedState.read().then(note, () => {});
}

/**
 * When a request was answered, by the machine's clock, how long that took, and whether a service
 * had sent it.
 */
interface Answered {
  readonly answeredAt: Micros;
  readonly milliseconds: number;
  readonly inside: boolean;
}

function entryOf(
  call: IncomingRequest,
  reply: Reply,
  { answeredAt, milliseconds, inside }: Answered,
): JournalEntry {
  const { cloud, service, caller, query, headers } = call;
  const secrets = secretsInHeaders(headers);
  const shown = (text: string): string =>
    cut(withoutTokens(withoutSecrets(text, secrets)), longestText);
  const agent = headers['user-agent'];
  return {
    request_id: call.requestId,
    time: call.now ?? emulatedNow(cloud.sharedState.cached.clock),
    machine_time: answeredAt - Math.round(milliseconds * 1000),
    duration_ms: Math.round(milliseconds * 100) / 100,
    method: call.method,
    prefix: call.prefix,
    path: shown(call.path),
    query: shown(withoutSecretValues(query.text)),
    service: service ? nameOf(service) : null,
    region: service?.definition.database === 'region' ? call.region.name : null,
    operation: call.operation?.id ?? null,
    action: actionNameOf(call) ?? null,
    inside,
    version_asked: cut(askedOf(call) ?? '', longestText) || null,
    version: call.version?.name ?? null,
    project_id: caller?.projectId ?? null,
    project_name: caller?.projectName ?? null,
    user_id: caller?.userId ?? null,
    user_name: caller?.userName ?? null,
    user_agent: agent === undefined ? null : cut(agent, longestText),
    status: isDropped(reply) ? null : reply.status,
    dropped: isDropped(reply),
    fault_rules: call.faultRules ?? [],
    ...requestBodyOf(call),
    ...responseBodyOf(call, reply, secrets),
  };
}

/** What a request asks for as its version, in the header's words. */
function askedOf(call: IncomingRequest): string | undefined {
  if (!isLocated(call)) return undefined;
  const { definition } = call.service;
  if (definition.requestedVersion) return definition.requestedVersion(call);
  const header = call.headers['openstack-api-version'];
  return versionEntry(
    [definition.versions.service],
    Array.isArray(header) ? header.join(',') : header,
  );
}

type RequestBody = Pick<JournalEntry, 'request_body' | 'request_body_cut' | 'request_bytes'>;

function requestBodyOf({ raw, headers }: IncomingRequest): RequestBody {
  const told = headers['content-length'];
  const bytes = raw?.length ?? (told === undefined ? null : Number(told));
  const { body, isCut } = bounded(withoutSecretFields(jsonOf(raw)));
  return { request_body: body, request_body_cut: isCut, request_bytes: bytes };
}

/**
 * The body as JSON. What is none is not looked at any further: nobody can say where secrets are in
 * it.
 */
function jsonOf(raw: Buffer | undefined): unknown {
  if (!raw?.length || raw.length > longestRead) return null;
  try {
    return JSON.parse(raw.toString()) as unknown;
  } catch {
    return null;
  }
}

type ResponseBody = Pick<JournalEntry, 'response_body' | 'response_body_cut'>;

/** The body of a refusal, which may quote what it refuses. */
function responseBodyOf(
  { body: sent, raw }: IncomingRequest,
  { status, body }: Reply,
  secrets: readonly string[],
): ResponseBody {
  if (status < 400 || body === undefined || Buffer.isBuffer(body) || isStream(body))
    return { response_body: null, response_body_cut: false };
  const all = [...secrets, ...secretsIn(sent ?? jsonOf(raw))];
  const value = typeof body === 'string' ? (jsonFrom(body) ?? body) : withoutSecretFields(body);
  const { body: shown, isCut } = bounded(withoutQuoted(value as Json, all));
  return { response_body: shown, response_body_cut: isCut };
}

function jsonFrom(text: string): Json | undefined {
  try {
    return withoutSecretFields(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A value without these secrets in its texts, and without tokens. */
function withoutQuoted(value: Json, secrets: readonly string[]): Json {
  if (typeof value === 'string') return withoutTokens(withoutSecrets(value, secrets));
  if (Array.isArray(value)) return value.map((one: Json) => withoutQuoted(one, secrets));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [
      withoutSecrets(name, secrets),
      withoutQuoted(child, secrets),
    ]),
  );
}

/** A body, or the beginning of its text. */
function bounded(body: Json): { readonly body: Json; readonly isCut: boolean } {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  if (text.length <= longestBody) return { body, isCut: false };
  return { body: cut(text, longestBody), isCut: true };
}

const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;
