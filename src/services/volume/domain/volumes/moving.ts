// What a move to another backend depends on, as a migration or with another type.
import type { Volume } from '../../model.ts';

/** Whether a volume is being moved to another backend. */
export const isMigrating = ({ migrationStatus }: Volume): boolean =>
  ![null, 'success', 'error'].includes(migrationStatus);

/** Whether Compute, which has to swap a volume in use, knows all of its attachments. */
export const canMove = ({ attachments }: Volume): boolean =>
  attachments.every(({ byCompute, status }) => byCompute || status !== 'attached');
