// OAuth consumers. Upstream: keystone/api/os_oauth1.py.
import { plainHandlers } from '../../../../kernel/http/plain-resource.ts';
import type { Call } from '../../../../kernel/model.ts';
import { normalized, type Fields } from '../../domain/attributes.ts';
import {
  checkConsumerId,
  createConsumer,
  deleteConsumer,
  updateConsumer,
} from '../../domain/oauth/consumers.ts';
import { requireConsumer } from '../../domain/oauth/tokens.ts';
import type { Consumer } from '../../model.ts';
import { listConsumers } from '../../store/oauth/consumers.ts';
import { wrapped } from '../../views/links.ts';
import { consumerView } from '../../views/oauth/oauth.ts';
import { ruleOf } from '../plain.ts';
import { bodyOf, enforce } from '../requests.ts';

/** The operations of /v3/OS-OAUTH1/consumers. Only the reply to a create has the secret. */
export const { list, show, create, update, remove } = plainHandlers<Call, Consumer, Fields>({
  authorize: (call, operation) =>
    enforce(call, operation === 'list' ? 'list_consumers' : ruleOf(operation, 'consumer')),
  list: ({ db }) => listConsumers(db),
  find: (call) => requireConsumer(call, call.params['consumer_id']!),
  fields(call, operation) {
    const fields = normalized(bodyOf(call, 'consumer'));
    if (operation === 'update') checkConsumerId(fields, call.params['consumer_id']!);
    return fields;
  },
  create: createConsumer,
  update: updateConsumer,
  remove: deleteConsumer,
  body(call, consumer, operation) {
    const secret = operation === 'create' ? { secret: consumer.secret } : {};
    return { consumer: { ...consumerView(call, consumer), ...secret } };
  },
  listBody: (call, consumers) =>
    wrapped(
      call,
      'consumers',
      consumers.map((consumer) => consumerView(call, consumer)),
    ),
});
