// Creates, updates and deletes OAuth consumers. Upstream: keystone/oauth1.
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/oauth/consumers.ts';
import { extraOf, nullableText, updatedText, type Fields } from '../attributes.ts';
import { recordRevocations } from '../auth/revocation-events.ts';
import type { Consumer } from '../../model.ts';
import { checkLength } from '../refusals.ts';

const apiAttributes = ['id', 'description', 'secret', 'links'];

/** Creates a consumer with a secret. @throws 400 */
export async function createConsumer({ db }: Context, fields: Fields): Promise<Consumer> {
  const consumer: Consumer = {
    id: newHexId(),
    description: nullableText(fields, 'description') ?? null,
    secret: newHexId(),
    extra: extraOf(fields, apiAttributes),
  };
  checkLength('description', consumer.description, 64);
  await store.insertConsumer(db, consumer);
  return consumer;
}

/** Updates a consumer. @throws 400 */
export async function updateConsumer(
  { db }: Context,
  consumer: Consumer,
  fields: Fields,
): Promise<Consumer> {
  const next: Consumer = {
    ...consumer,
    description: updatedText(fields, 'description', consumer.description),
    extra: { ...consumer.extra, ...extraOf(fields, apiAttributes) },
  };
  checkLength('description', next.description, 64);
  await store.updateConsumer(db, next);
  return next;
}

/** @throws 400 if a body names another consumer than the path */
export function checkConsumerId(fields: Fields, id: string): void {
  if ('id' in fields && fields['id'] !== id) throw badRequest('Cannot change consumer ID');
}

/** Deletes a consumer with its tokens. */
export async function deleteConsumer(context: Context, { id }: Consumer): Promise<void> {
  await store.deleteConsumer(context.db, id);
  await recordRevocations(context, { consumerId: id });
  await bumpAuthRevision(context.db);
}
