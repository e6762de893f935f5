// What the journal keeps on a cloud.
import type { JournalWriter } from './writer.ts';

declare module '../../kernel/model.ts' {
  interface Cloud {
    /** Writes journal entries in batches, after the replies. */
    readonly journal: JournalWriter;
  }
}
