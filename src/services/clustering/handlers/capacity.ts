// Clustering's part of the emulator's own API: counts how many more nodes fit.
import { replyWithCapacity } from '../../../emulator/capacity/handler.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { countNodes } from '../domain/profiles/capacity.ts';

/** GET /_emulator/capacity/nodes: counts how many more nodes of a profile fit. @throws 400, 404 */
export const nodes = (call: Call): Promise<Reply> =>
  replyWithCapacity(call, (context) => countNodes(context, call.query.last('profile')!));
