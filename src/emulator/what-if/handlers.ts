// Handlers of what is answered in a copy of the cloud.
import { parseTime } from '../../kernel/clock.ts';
import { badRequest } from '../../kernel/errors.ts';
import { ok } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { regionNamed } from '../../kernel/regions.ts';
import { makeChanges } from './changes.ts';
import { clientFor, withCopy } from './copy.ts';
import { whatIfFormat, type Answer, type Question, type WhatIf } from './model.ts';
import { answer, defaultQuestions, nameOf } from './questions.ts';
import { whatIfView } from './report.ts';
import { periodLines, periodsUntil } from './timeline.ts';

/**
 * POST /_emulator/what-if: makes changes in a copy of the cloud, and answers questions before and
 * after them. @throws 400
 */
export async function create({ cloud, body }: Call): Promise<Reply> {
  const { region, changes, questions: asked } = body as WhatIf;
  const { name } = regionNamed(cloud, region);
  const result = await withCopy(cloud, async (copy) => {
    const client = clientFor(copy, name);
    const questions = asked ?? (await defaultQuestions(client));
    const ask = async (): Promise<Answer[]> => {
      const answers: Answer[] = [];
      for (const question of questions) answers.push(await answer(client, question));
      return answers;
    };
    const before = await ask();
    const made = await makeChanges(client, changes);
    const after = await ask();
    const compared = questions.map((question, index) => ({
      question: nameOf(question),
      before: before[index]!,
      after: after[index]!,
    }));
    return whatIfView(name, made, compared);
  });
  return ok({ what_if: result });
}

/**
 * GET /_emulator/capacity/timeline: how many more servers or candidates fit, now and after each
 * start and end of a lease. @throws 400
 */
export async function timeline({ cloud, query }: Call): Promise<Reply> {
  const { name } = regionNamed(cloud, query.last('region'));
  const until = parseTime(query.last('until')!);
  if (until === undefined) throw badRequest('until must be a time, such as 2026-11-20T12:00:00Z.');
  const question = questionIn(query);
  const periods = await withCopy(cloud, (copy) =>
    periodsUntil(clientFor(copy, name), question, until),
  );
  const text = periodLines(periods);
  return ok({ timeline: { format: whatIfFormat, region: name, periods, text } });
}

const ofServers = ['image', 'zone', 'group', 'group_policy', 'max_server_per_host', 'project'];
const sizes = ['vcpus', 'memory_mb', 'disk_gb', 'affinity', 'properties', 'start', 'for'];
const ofLeases = ['hosts', 'instances', 'flavor', ...sizes];

/** @throws 400 unless it names a flavor, a profile, leases or candidates */
function questionIn(query: Call['query']): Question {
  const given = (names: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = query.last(name);
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
  const {
    flavor,
    query: candidates,
    profile,
    hosts,
    instances,
  } = given([...ofLeases, 'query', 'profile']);
  const isOfLeases = hosts !== undefined || instances !== undefined;
  const subjects = [candidates, profile, isOfLeases ? 'leases' : flavor].filter(Boolean);
  if (subjects.length !== 1)
    throw badRequest('Give either query, flavor, profile, or the hosts or instances of leases.');
  if (candidates !== undefined) return { candidates };
  if (profile !== undefined) return { nodes: { profile } };
  if (isOfLeases) return { leases: given(ofLeases) };
  return { servers: { flavor: flavor!, ...given(ofServers) } };
}
