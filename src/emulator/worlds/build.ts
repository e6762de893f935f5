// Makes a world in a new cloud, section by section, with requests to its services.
import { ticks } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Cloud } from '../../kernel/model.ts';
import { centralRegionOf } from '../../kernel/regions.ts';
import { RegionClient, WorldClient } from './client.ts';
import { makeClusters, makePolicies } from './makers/clustering.ts';
import {
  clockMaker,
  faultMaker,
  removeDefaults,
  removeDemo,
  settingsMaker,
} from './makers/controls.ts';
import { makeAggregates, makeHosts } from './makers/hosts.ts';
import { identityMakers } from './makers/identity.ts';
import type { At, CloudMaker, MakeSection } from './makers/model.ts';
import { makeQuotas } from './makers/quotas.ts';
import { makeLeases } from './makers/reservation.ts';
import {
  makeFlavors,
  makeImages,
  makeNetworks,
  makeVolumes,
  makeVolumeTypes,
} from './makers/resources.ts';
import { makeServerGroups, makeServers } from './makers/servers.ts';
import { bindingMaker, podMaker } from './makers/tricircle.ts';
import type { RegionSections, World, WorldFile, WorldPath } from './model.ts';
import { shownPath } from './read.ts';
import { WorldError } from './yaml-file.ts';

/** How long a part of a world took to make. */
export interface Part {
  /** Such as `hosts`, or `RegionOne hosts` in a cloud of several regions. */
  readonly name: string;
  /** How many entries it has. */
  readonly count: number;
  readonly milliseconds: number;
}

type SectionName = Exclude<keyof RegionSections, symbol>;

interface RegionMaker {
  readonly section: SectionName;
  /** Whether a central region has the section. */
  readonly isCentral: boolean;
  readonly make: MakeSection<never>;
}

const maker = <Name extends SectionName>(
  section: Name,
  make: MakeSection<NonNullable<RegionSections[Name]>>,
  isCentral = false,
): RegionMaker => ({ section, make, isCentral });

/** The sections of a region, in the order in which they are made. */
const regionMakers: readonly RegionMaker[] = [
  maker('aggregates', makeAggregates),
  maker('hosts', makeHosts),
  maker('quotas', makeQuotas, true),
  maker('flavors', makeFlavors, true),
  maker('images', makeImages, true),
  maker('networks', makeNetworks, true),
  maker('volume_types', makeVolumeTypes, true),
  maker('server_groups', makeServerGroups),
  maker('servers', makeServers),
  maker('volumes', makeVolumes),
  maker('leases', makeLeases),
  maker('policies', makePolicies),
  maker('clusters', makeClusters),
];

/** Makes a world, and returns how long each part took. @throws WorldError */
export async function buildWorld(cloud: Cloud, file: WorldFile): Promise<readonly Part[]> {
  return new Builder(cloud, file).build();
}

class Builder {
  private readonly cloud: Cloud;
  private readonly file: WorldFile;
  private readonly client: WorldClient;
  private readonly parts: Part[] = [];

  constructor(cloud: Cloud, file: WorldFile) {
    this.cloud = cloud;
    this.file = file;
    this.client = new WorldClient(cloud);
  }

  async build(): Promise<readonly Part[]> {
    const { adminPassword } = this.cloud.config;
    const { defaults } = this.file.world;
    for (const maker of [clockMaker, settingsMaker]) await this.makeCentral(maker);
    const regions = this.regions();
    if (defaults === false) {
      for (const region of regions) await this.at(['defaults'])([], () => removeDefaults(region));
      await this.makeCentral(removeDemo);
    }
    for (const one of identityMakers(adminPassword)) await this.makeCentral(one);
    const central = centralRegionOf(this.cloud)?.name;
    await this.makeCentral(podMaker(central));
    for (const region of regions) await this.makeRegion(region);
    await this.makeCentral(bindingMaker);
    await this.client.leaveProjects();
    await this.client.ask('POST', '/_emulator/clock/advance', { body: { seconds: 0 } });
    await this.makeCentral(faultMaker);
    return this.parts;
  }

  private regions(): readonly RegionClient[] {
    const { regions, firstRegion } = this.cloud;
    return [...regions.values()].map(
      (region) => new RegionClient(this.client, region, region === firstRegion),
    );
  }

  private async makeCentral({ section, make }: CloudMaker): Promise<void> {
    const { world } = this.file;
    if (world[section] === undefined) return;
    await this.timed(section, () => make(this.client, world, this.at([section])));
  }

  private async makeRegion(region: RegionClient): Promise<void> {
    const { world } = this.file;
    const own = ownSections(world, region.name);
    for (const { section, make, isCentral } of regionMakers) {
      if (region.region.isCentral && !isCentral && own?.[section] === undefined) continue;
      const [value, path] =
        own?.[section] === undefined
          ? [world[section], [section]]
          : [own[section], ['regions', region.name, section]];
      if (value === undefined || value === null) continue;
      const name = this.cloud.regions.size > 1 ? `${region.name} ${section}` : section;
      await this.timed(name, () => make(region, value as never, this.at(path)));
    }
  }

  private async timed(name: string, run: () => Promise<number>): Promise<void> {
    const started = ticks();
    const count = await run();
    this.parts.push({ name, count, milliseconds: Math.round(ticks() - started) });
  }

  /** Runs steps whose errors name the part below `root` that asked for them. */
  private at(root: WorldPath): At {
    return (path, step) =>
      step().catch((error: unknown) => {
        if (!(error instanceof ApiError) || error instanceof WorldError) throw error;
        const full = [...root, ...path];
        const status = error.status === 409 ? 409 : 400;
        const problem = `${shownPath(full)}: ${error.message}`;
        throw new WorldError(this.file.positionOf(full), problem, status);
      });
  }
}

function ownSections({ regions }: World, region: string): RegionSections | undefined {
  if (regions === undefined || Array.isArray(regions)) return undefined;
  return (regions as Readonly<Record<string, RegionSections | null>>)[region] ?? undefined;
}
