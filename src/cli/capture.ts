// The command `cumulet capture`: copies a real cloud, as far as its public APIs show it, to a file.
import { InvalidArgumentError, type Command } from 'commander';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { constants } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { closeCloud, openCloud } from '../cloud.ts';
import { configOf } from '../config.ts';
import { anonymized } from '../emulator/capture/anonymous.ts';
import { captureInto } from '../emulator/capture/capture.ts';
import { accessOf } from '../emulator/capture/clouds-yaml.ts';
import { advice, type Replies } from '../emulator/capture/replies.ts';
import { openSource, type OpenSource } from '../emulator/capture/source.ts';
import { countedAmong, someOf } from '../kernel/user/sentences.ts';
import { commandName } from '../kernel/command-line.ts';
import { print } from '../emulator/client.ts';
import { exportNow } from '../emulator/snapshots/snapshots.ts';

interface CaptureOptions {
  readonly cloud: string;
  readonly region?: string;
  readonly output: string;
  readonly anonymize?: boolean;
  readonly resume?: boolean;
  readonly rate: number;
}

/** Adds `cumulet capture`. */
export function addCaptureCommand(program: Command): void {
  program
    .command('capture')
    .description(
      'copy a real cloud to a file for --seed: its projects, users, providers, hosts, flavors, ' +
        'servers, images, networks, volumes, leases and clusters; it only reads',
    )
    .requiredOption(
      '--cloud <name>',
      'cloud of clouds.yaml; without the rights of an administrator, only what its project shows',
    )
    .option(
      '--region <region>',
      'region of the cloud; that of clouds.yaml, or the first, by default',
    )
    .option('-o, --output <file>', 'file to write', 'my-cloud.ndjson')
    .option(
      '--anonymize',
      'replace names, ids, addresses and texts, and list what is left in clear',
    )
    .option(
      '--resume',
      'continue a capture that was interrupted, with the replies that it has left beside the file',
    )
    .option('--rate <number>', 'send at most this many requests a second', rateIn, 100)
    .action((options: CaptureOptions) => captureCloud(options));
}

function rateIn(text: string): number {
  const rate = Number(text);
  if (!(rate > 0)) throw new InvalidArgumentError('Use a number above 0.');
  return rate;
}

/**
 * Captures a cloud into a file that only its owner can read.
 * @throws Error if clouds.yaml does not have the cloud, or if the cloud refuses a request
 */
export async function captureCloud(options: CaptureOptions): Promise<void> {
  const { cloud, region, output, resume = false, rate } = options;
  const source = await openSource(accessOf(cloud, region), {
    rate,
    replies: `${output}.replies`,
    resume,
    report: (line) => console.error(line),
  });
  const { replies } = source;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      console.error(interrupted(replies));
      process.exit(128 + constants.signals[signal]);
    });
  try {
    await writeCapture(source, options);
  } catch (error) {
    if (!replies.size) {
      replies.remove();
      throw error;
    }
    replies.close();
    throw new Error(`${(error as Error).message}\n${interrupted(replies)}`, { cause: error });
  }
  replies.remove();
}

/** What an interrupted capture has left, and what to do next. */
const interrupted = ({ size, file }: Replies): string =>
  `The capture was interrupted. The replies so far, ${size}, are in ${file}. ${advice}`;

async function writeCapture(source: OpenSource, options: CaptureOptions): Promise<void> {
  const { output, anonymize = false } = options;
  const anonymous = anonymize ? anonymized(source) : undefined;
  const config = configOf({
    database: { kind: 'memory' },
    regions: [anonymize ? 'RegionOne' : regionNameOf(source.region)],
    hosts: '0',
    logLevel: 'silent',
  });
  const cloud = await openCloud(config);
  try {
    const captured = await captureInto(cloud, anonymous ?? source, source.replies.startedAt);
    const part = `${output}.part`;
    const file = createWriteStream(part, { mode: 0o600 });
    await pipeline(Readable.from(await exportNow(cloud)), file);
    await rename(part, output);
    const amounts = Object.entries(captured).map(([noun, count]) => countedAmong(count, noun));
    print(`Captured ${amounts.join(', ')} of ${source.region} in ${output}.`);
    if (source.forbidden.size)
      print(`Left out, because this user may not read it: ${someOf([...source.forbidden], 30)}.`);
    for (const line of anonymous?.leftInClear() ?? []) print(line);
    print(`Start it with: ${commandName()} start --database memory: --seed ${output}`);
  } finally {
    await closeCloud(cloud);
  }
}

/** A name that a region can have here: letters, digits and _, beginning with a letter. */
const regionNameOf = (name: string): string =>
  name
    .replaceAll(/\W/g, '_')
    .replace(/^(?![A-Za-z])/, 'R')
    .slice(0, 24);
