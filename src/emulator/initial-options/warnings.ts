// Warns about options that have no effect, because they only matter when a cloud is filled, and
// this one was filled before, or from a file.
import { commandName } from '../../kernel/command-line.ts';
import { machineNow } from '../../kernel/clock.ts';
import { systemContext } from '../../kernel/context.ts';
import type { Cloud } from '../../kernel/model.ts';
import { defaultPassword } from '../../kernel/settings.ts';
import {
  fillOptions,
  impliedFields,
  recordedOptions,
  recordOptions,
  type Recorded,
} from './record.ts';

/**
 * Compares the options of this process with those that the cloud was filled with, and records them
 * if this process has filled it.
 * @returns a sentence or two for each option without effect
 */
export async function ineffectiveOptions(cloud: Cloud): Promise<string[]> {
  const recorded = await recordedOptions(cloud);
  if (!recorded) await recordOptions(cloud);
  return [
    ...(await passwordWarnings(cloud)),
    ...(recorded ? changeWarnings(cloud, recorded) : seedWarnings(cloud)),
    ...(await serviceWarnings(cloud)),
    ...(cloud.isNew || impliedFields(cloud).has('regions') ? [] : regionWarnings(cloud)),
  ];
}

async function passwordWarnings(cloud: Cloud): Promise<string[]> {
  const { adminPassword, auth, keystone, seed } = cloud.config;
  if (adminPassword === defaultPassword) return [];
  if (auth === 'noauth2') return ['--admin-password has no effect with --auth noauth2.'];
  if (keystone !== undefined)
    return ['--admin-password has no effect with --keystone, whose users sign in there.'];
  if ((await cloud.seededUsersWith(adminPassword)).includes('admin')) return [];
  return [
    seed === undefined
      ? '--admin-password has no effect yet: the users of this cloud have other passwords. It ' +
        'applies after a reset of the whole cloud.'
      : '--admin-password has no effect: the users have the passwords that they had in the file ' +
        'of --seed.',
  ];
}

const changeWarnings = (cloud: Cloud, recorded: Recorded): string[] =>
  fillOptions(cloud)
    .filter(({ name, digest, defaultDigest }) => digest !== (recorded[name] ?? defaultDigest))
    .map(({ name, digest, defaultDigest }) =>
      digest === defaultDigest
        ? `This cloud was created with --${name}. A reset of the whole cloud will create it ` +
          `without that, unless you start with the same --${name} again.`
        : `--${name} has no effect yet: this cloud was created with another value, or without ` +
          'it. It applies after a reset of the whole cloud, which deletes everything.',
    );

async function serviceWarnings(cloud: Cloud): Promise<string[]> {
  const context = systemContext(cloud, cloud.firstRegion, cloud.central.db, machineNow());
  const warnings: string[] = [];
  for (const { definition } of cloud.services)
    warnings.push(...((await definition.ineffectiveOptions?.(context)) ?? []));
  return warnings;
}

/** The options that name a file which describes a cloud. */
const sources = ['seed', 'preset'];

/** What a file describes cannot come from options as well. */
function seedWarnings(cloud: Cloud): string[] {
  const { seed, preset } = cloud.config;
  if (seed === undefined) return [];
  const source = preset === undefined ? `--seed ${seed}` : `--preset ${preset}`;
  return fillOptions(cloud)
    .filter(
      ({ name, digest, defaultDigest }) => !sources.includes(name) && digest !== defaultDigest,
    )
    .map(
      ({ name }) =>
        `--${name} does not change what the cloud got from ${source}. It applies to regions and ` +
        'services that are added, or reset alone.',
    );
}

function regionWarnings({ config, regions, firstRegion }: Cloud): string[] {
  const { regions: named, centralRegion } = config;
  if (!named.length) return [];
  const first = named.find((name) => name !== centralRegion);
  const others = [...regions.keys()].filter(
    (name) => !named.includes(name) && name !== firstRegion.name,
  );
  return [
    ...(first === undefined || first === firstRegion.name
      ? []
      : [
          `--regions cannot change the first region: ${firstRegion.name} keeps the paths without ` +
            'a region. Choose another --database for a cloud of other regions.',
        ]),
    ...(others.length
      ? [
          `--regions removes no regions: this cloud also has ${others.join(', ')}. ` +
            `'${commandName()} region drop NAME' removes a region.`,
        ]
      : []),
  ];
}
