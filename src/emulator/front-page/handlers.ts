// The handler of /_emulator/ itself.
import type { Call, Reply } from '../../kernel/model.ts';
import { info } from '../health/handlers.ts';
import { frontPage } from './page.ts';

/** GET /_emulator/: a page for browsers, and the same as /info for other clients. */
export const show = (call: Call): Reply | Promise<Reply> => frontPage(call) ?? info(call);
