// The services of a cloud, in the order in which they are looked for.
import type { Card } from '../kernel/http/service.ts';
import { emulator } from './emulator/index.ts';
import { identity } from './identity/index.ts';
import { placement } from './placement/index.ts';

export const cards: readonly Card[] = [placement, identity, emulator];
