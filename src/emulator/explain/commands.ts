// The command `cumulet why`: explains decisions of a running emulator.
import type { Command } from 'commander';
import {
  addressed,
  callEmulator,
  print,
  queryOf,
  withAddress,
  type AddressOptions,
  type EmulatorAddress,
} from '../client.ts';
import type { Explanation } from './model.ts';

/** What the subcommands of `cumulet why` have in common. */
interface WhyOptions {
  readonly region?: string;
  readonly json?: boolean;
}

interface CandidatesOptions extends WhyOptions {
  readonly microversion?: string;
}

/** The subjects of decisions. */
const subjects: Readonly<Record<string, string>> = {
  server: 'the host of a server',
  action: 'an action of a cluster or node: what each policy read, decided and cut',
  lease: 'a lease: its creation, its updates, and replacements of failed hosts',
  pod: 'the pod of a server, a volume or a project',
  request: 'what a request asked for',
};

/** Adds `cumulet why`. */
export function addWhyCommands(program: Command): void {
  const why = program.command('why').description('explain decisions of a running emulator');
  for (const [name, noun] of Object.entries(subjects))
    whyCommand(
      why
        .command(name)
        .description(`explain the last decision about ${noun}`)
        .argument('<id>', name === 'request' ? 'its id' : 'its id or name'),
    ).action((id: string, options: WhyOptions & AddressOptions) =>
      whySubject(`${name}s`, id, addressed(options)),
    );
  whyCommand(
    why
      .command('action-preview')
      .description('explain what an action would do to a cluster, without taking it')
      .argument('<cluster>', 'its id or name')
      .argument('<action>', `body of the action, such as '{"scale_out": {"count": 2}}'`),
  ).action((cluster: string, action: string, options: WhyOptions & AddressOptions) =>
    previewAction(cluster, action, addressed(options)),
  );
  whyCommand(
    why
      .command('candidates')
      .description('explain which provider trees Placement offers, and why not the others')
      .argument(
        '<query>',
        "query of the candidates, such as 'resources=VCPU:8&required=HW_CPU_X86_AVX'",
      )
      .option('--microversion <version>', 'microversion of Placement; the newest by default'),
  ).action((query: string, options: CandidatesOptions & AddressOptions) =>
    whyCandidates(query, addressed(options)),
  );
}

/** Adds the options that all subcommands have. */
export const whyCommand = (command: Command): Command =>
  withAddress(
    command
      .option('--region <region>', 'region; the first one by default')
      .option('--json', 'print the explanation as JSON'),
  );

/** Explains the last decision about a subject. @throws Error as `callEmulator` */
export function whySubject(
  kind: string,
  id: string,
  options: EmulatorAddress & WhyOptions,
): Promise<void> {
  const path = `/explain/${kind}/${encodeURIComponent(id)}`;
  return showExplanation(options, path, { region: options.region });
}

/** Explains the candidates of a query. @throws Error as `callEmulator` */
export function whyCandidates(
  query: string,
  options: EmulatorAddress & CandidatesOptions,
): Promise<void> {
  const { microversion, region } = options;
  return showExplanation(options, '/explain/candidates', { query, microversion, region });
}

/** Explains what an action would do to a cluster. @throws Error as `callEmulator` */
async function previewAction(
  cluster: string,
  text: string,
  { json, region, ...address }: EmulatorAddress & WhyOptions,
): Promise<void> {
  const path = `/explain/actions${queryOf({ region })}`;
  const body = { cluster, action: parsedAction(text) };
  printExplanation(await callEmulator(address, 'POST', path, body), json);
}

/** @throws Error if the text is not a JSON object */
function parsedAction(text: string): unknown {
  try {
    const action: unknown = JSON.parse(text);
    if (typeof action === 'object' && action !== null) return action;
  } catch {
    // The message below says what is expected.
  }
  throw new Error(`'${text}' is not an action. Use JSON such as '{"scale_out": {"count": 2}}'.`);
}

/** Prints an explanation. @throws Error as `callEmulator` */
export async function showExplanation(
  { json, ...address }: EmulatorAddress & WhyOptions,
  path: string,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<void> {
  printExplanation(await callEmulator(address, 'GET', path + queryOf(parameters)), json);
}

function printExplanation(reply: unknown, asJson = false): void {
  const { explanation } = reply as { explanation: Explanation };
  if (asJson) print(JSON.stringify(explanation, null, 2));
  else for (const line of explanation.text) print(line);
}
