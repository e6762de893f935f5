// The services of a cloud, in the order in which they are looked for.
import type { Card } from '../kernel/http/service.ts';
import { compute } from './compute/index.ts';
import { emulator } from './emulator/index.ts';
import { identity } from './identity/index.ts';
import { image } from './image/index.ts';
import { network } from './network/index.ts';
import { placement } from './placement/index.ts';
import { volume } from './volume/index.ts';

export const cards: readonly Card[] = [placement, identity, image, volume, compute, network, emulator];
