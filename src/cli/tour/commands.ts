// The command `cumulet tour`: guided stories, each on a cloud of its own.
import { createInterface } from 'node:readline/promises';
import { Argument, type Command } from 'commander';
import { attributeOf, configFrom, configOptions } from '../../config.ts';
import { urlVariable } from '../../emulator/client.ts';
import { commandName } from '../../kernel/command-line.ts';
import { run as runEmulator } from '../../server.ts';
import type { Config } from '../../kernel/settings.ts';
import { runStory } from './runner.ts';
import type { Story } from '../../stories/model.ts';
import { stories } from '../../stories/stories.ts';

/** Runs a command of this program, as if these words had been entered. */
export type RunCommand = (words: readonly string[]) => Promise<void>;

/** Adds `cumulet tour`. */
export function addTourCommand(program: Command, run: RunCommand): void {
  const names = stories.map(({ name }) => name);
  program
    .command('tour')
    .description('show what the emulator does, in stories of a few steps on a cloud of their own')
    .addArgument(new Argument('[story]', 'name (default: list all stories)').choices(names))
    .option('--yes', 'take all steps without waiting for you')
    .action((name: string | undefined, options: { readonly yes?: boolean }) => {
      const story = stories.find((one) => one.name === name);
      return story ? tell(story, options.yes ?? false, run) : list();
    });
}

function list(): void {
  const width = Math.max(...stories.map(({ name }) => name.length)) + 2;
  const lines = stories.map(({ name, title }) => `  ${name.padEnd(width)}${title}`);
  const start = `Start one with '${commandName()} tour NAME'. Each takes some five minutes.`;
  process.stdout.write(`${lines.join('\n')}\n\n${start}\n`);
}

/** @throws Error if nobody can answer its questions */
async function tell(story: Story, isUnattended: boolean, run: RunCommand): Promise<void> {
  if (!isUnattended && !process.stdin.isTTY)
    throw new Error('A tour waits for you at each step. Run it in a terminal, or with --yes.');
  const emulator = await runEmulator(configFor(story));
  const { origin } = emulator;
  const stopped = new AbortController();
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  lines.once('close', () => stopped.abort());
  try {
    process.stdout.write(introduction(story, origin));
    await runStory(story, origin, {
      write: (text) => void process.stdout.write(text),
      wantsStep: async () =>
        isUnattended || isWanted(await lines.question(question, { signal: stopped.signal })),
      run: (words) => run([...words, '--url', origin]),
    });
    process.stdout.write(`\nThat was it. '${commandName()} tour' lists the other stories.\n`);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    process.stdout.write('\nThe cloud of the story is gone.\n');
  } finally {
    lines.close();
    await emulator.stop();
  }
}

/** The configuration of the cloud of a story: in memory, on a free port. */
function configFor({ preset }: Story): Config {
  const { declaration } = configOptions.find((one) => attributeOf(one.declaration) === 'preset')!;
  return configFrom({
    port: 0,
    database: { kind: 'memory' },
    logLevel: 'silent',
    preset: declaration.parse(preset),
  });
}

const question = "   Enter: the tour does it. 'done' and Enter: you have done it. > ";

const isWanted = (answer: string): boolean => !/^d(?:one)?$/i.test(answer.trim());

const introduction = ({ title, preset, view }: Story, url: string): string =>
  [
    title,
    '',
    `A cloud of the preset ${preset} runs at ${url} until the story ends. Watch it at`,
    `${url}/_emulator/ui/${view}. To take the steps yourself, enter in another terminal:`,
    '',
    `   eval "$(curl -sS ${url}/_emulator/openrc)"; export ${urlVariable}=${url}`,
    '',
  ].join('\n');
