// Handler of POST /_emulator/what-if.
import { ok } from '../../kernel/http/reply.ts';
import type { Call, Cloud, Reply } from '../../kernel/model.ts';
import { regionNamed } from '../../kernel/regions.ts';
import { RegionClient, WorldClient } from '../worlds/client.ts';
import { makeChange } from './changes.ts';
import { withCopy } from './copy.ts';
import type { Answer, Made, WhatIf } from './model.ts';
import { answer, defaultQuestions, nameOf } from './questions.ts';
import { whatIfView } from './report.ts';

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
    const made: Made[] = [];
    for (const change of changes) made.push(await makeChange(client, change));
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

function clientFor(copy: Cloud, name: string): RegionClient {
  const region = copy.regions.get(name)!;
  return new RegionClient(new WorldClient(copy), region, region === copy.firstRegion);
}
