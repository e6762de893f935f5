// Records requests in the journal, without secrets: who asked for what, at which version, and with
// what result.
import { emulatedNow, machineNow, type Micros } from '../../kernel/clock.ts';
import { versionEntry } from '../../kernel/microversion.ts';
import type { IncomingRequest, Reply, RequestSource } from '../../kernel/model.ts';
import { isLocated } from '../../kernel/http/request.ts';
import { serviceNameOf } from '../services.ts';
import { redactJson } from '../../kernel/redaction/json.ts';
import { parsed, secretsOf, withoutSecretsIn } from '../../kernel/redaction/request.ts';
import { redactPath, redactQuery } from '../../kernel/redaction/texts.ts';
import { actionNameOf } from '../../kernel/http/actions.ts';
import type { Json } from '../../kernel/json.ts';
import { isDropped, isStream } from '../../kernel/http/reply.ts';
import type { JournalEntry } from './model.ts';

/** The maximum lengths of bodies and of other texts in an entry. */
const maxBody = 8_192;
const maxText = 2_000;

/**
 * Records a request if the journal is on. The entry is written later, so the request does not wait.
 * Requests to the emulator's own API are not recorded.
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
  const record = (): void => {
    const { journalLimit: keep, journalGeneration: generation } = cloud.sharedState.cached;
    if (keep)
      cloud.journal.add(
        generation,
        keep,
        entryOf(call, reply, { answeredAt, milliseconds, inside }),
      );
  };
  if (now !== undefined) record();
  // The request was rejected before this process refreshed the shared values, so another process
  // may have switched the journal on since.
  else void cloud.sharedState.read().then(record, () => {});
}

/** How a request was answered. */
interface Answered {
  /** The machine's time. */
  readonly answeredAt: Micros;
  readonly milliseconds: number;
  /** Whether a service sent the request. */
  readonly inside: boolean;
}

function entryOf(
  call: IncomingRequest,
  reply: Reply,
  { answeredAt, milliseconds, inside }: Answered,
): JournalEntry {
  const { cloud, service, caller, query, headers } = call;
  const agent = headers['user-agent'];
  return {
    request_id: call.requestId,
    time: call.now ?? emulatedNow(cloud.sharedState.cached.clock),
    machine_time: answeredAt - Math.round(milliseconds * 1000),
    duration_ms: Math.round(milliseconds * 100) / 100,
    method: call.method,
    prefix: call.prefix,
    path: cut(redactPath(call.path), maxText),
    query: cut(redactQuery(query.text), maxText),
    service: service ? serviceNameOf(service) : null,
    region: service?.definition.database === 'region' ? call.region.name : null,
    operation: call.operation?.id ?? null,
    action: actionNameOf(call) ?? null,
    inside,
    version_asked: cut(requestedVersionOf(call) ?? '', maxText) || null,
    version: call.version?.name ?? null,
    project_id: caller?.projectId ?? null,
    project_name: caller?.projectName ?? null,
    user_id: caller?.userId ?? null,
    user_name: caller?.userName ?? null,
    user_agent: agent === undefined ? null : cut(agent, maxText),
    status: isDropped(reply) ? null : reply.status,
    dropped: isDropped(reply),
    fault_rules: call.faultRules ?? [],
    ...requestBodyOf(call),
    ...responseBodyOf(call, reply),
    explanation: call.explanation ?? null,
  };
}

/** The version that a request asks for, as its header has it. */
function requestedVersionOf(call: IncomingRequest): string | undefined {
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

/** Only JSON is recorded, because there is no telling where the secrets of another body are. */
function requestBodyOf({ raw, headers }: IncomingRequest): RequestBody {
  const length = headers['content-length'];
  const bytes = raw?.length ?? (length === undefined ? null : Number(length));
  const { body, isCut } = limited(redactJson(parsed(raw)));
  return { request_body: body, request_body_cut: isCut, request_bytes: bytes };
}

type ResponseBody = Pick<JournalEntry, 'response_body' | 'response_body_cut'>;

/** The body of an error response, which may quote secrets of the request. */
function responseBodyOf(request: IncomingRequest, { status, body }: Reply): ResponseBody {
  if (status < 400 || body === undefined || Buffer.isBuffer(body) || isStream(body))
    return { response_body: null, response_body_cut: false };
  const value = redactJson(typeof body === 'string' ? (jsonIn(body) ?? body) : body);
  const { body: shown, isCut } = limited(withoutSecretsIn(value, secretsOf(request)));
  return { response_body: shown, response_body_cut: isCut };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The body, or the beginning of its text if it is too long. */
function limited(body: Json): { readonly body: Json; readonly isCut: boolean } {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  if (text.length <= maxBody) return { body, isCut: false };
  return { body: cut(text, maxBody), isCut: true };
}

const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;
