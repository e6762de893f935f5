// The command `cumulet capture`: copies a real cloud, as far as its public APIs show it, to a file.
import type { Command } from 'commander';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { closeCloud, openCloud } from '../cloud.ts';
import { configOf } from '../config.ts';
import { anonymized } from '../emulator/capture/anonymous.ts';
import { captureInto } from '../emulator/capture/capture.ts';
import { accessOf } from '../emulator/capture/clouds-yaml.ts';
import { openSource } from '../emulator/capture/source.ts';
import { counted } from '../kernel/user/sentences.ts';
import { commandName } from '../kernel/command-line.ts';
import { print } from '../emulator/client.ts';
import { exportNow } from '../emulator/snapshots/snapshots.ts';

interface CaptureOptions {
  readonly cloud: string;
  readonly region?: string;
  readonly output: string;
  readonly anonymize?: boolean;
}

/** Adds `cumulet capture`. */
export function addCaptureCommand(program: Command): void {
  program
    .command('capture')
    .description(
      'copy a real cloud to a file for --seed: its projects, providers, hosts, flavors, servers, ' +
        'images, networks, volumes and leases; it only reads',
    )
    .requiredOption('--cloud <name>', 'cloud of clouds.yaml, with the rights of an administrator')
    .option(
      '--region <region>',
      'region of the cloud; that of clouds.yaml, or the first, by default',
    )
    .option('-o, --output <file>', 'file to write', 'my-cloud.ndjson')
    .option(
      '--anonymize',
      'replace names, ids, addresses and texts, and list what is left in clear',
    )
    .action((options: CaptureOptions) => captureCloud(options));
}

/**
 * Captures a cloud into a file that only its owner can read.
 * @throws Error if clouds.yaml does not have the cloud, or if the cloud refuses a request
 */
export async function captureCloud(options: CaptureOptions): Promise<void> {
  const { cloud: name, region, output, anonymize = false } = options;
  const source = await openSource(accessOf(name, region), (line) => console.error(line));
  const anonymous = anonymize ? anonymized(source) : undefined;
  const config = configOf({
    database: { kind: 'memory' },
    regions: [anonymize ? 'RegionOne' : regionNameOf(source.region)],
    hosts: '0',
    logLevel: 'silent',
  });
  const cloud = await openCloud(config);
  try {
    const captured = await captureInto(cloud, anonymous ?? source);
    const part = `${output}.part`;
    const file = createWriteStream(part, { mode: 0o600 });
    await pipeline(Readable.from(await exportNow(cloud)), file);
    await rename(part, output);
    const amounts = Object.entries(captured).map(([noun, count]) =>
      counted(count, noun.replace(/s$/, '')),
    );
    print(`Captured ${amounts.join(', ')} of ${source.region} in ${output}.`);
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
