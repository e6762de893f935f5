// The backends of a region. Each has one pool, which is the host of its volumes, and a volume
// service of its own.
import type { Context } from '../../../../kernel/model.ts';
import type { VolumeService } from '../../model.ts';

export interface Backend {
  readonly name: string;
  readonly service: VolumeService;
  /** The host of its volumes. */
  readonly pool: string;
}

/** The name of a backend, and of its volume type, by its number from 1 on. */
export const backendName = (number: number): string => `lvmdriver-${number}`;

const backendNamed = (name: string): Backend => ({
  name,
  service: { binary: 'cinder-volume', host: `cumulet@${name}` },
  pool: `cumulet@${name}#${name}`,
});

/** The names of the backends. */
export const backendNames = ({ cloud }: Pick<Context, 'cloud'>): string[] =>
  Array.from({ length: cloud.config.volumeBackends }, (_, index) => backendName(index + 1));

export const backendsOf = (context: Pick<Context, 'cloud'>): Backend[] =>
  backendNames(context).map(backendNamed);

/** The backend of a host, which may be named without its pool. */
export const backendAt = (context: Pick<Context, 'cloud'>, host: string): Backend | undefined =>
  backendsOf(context).find(({ pool, service }) => host === pool || host === service.host);
