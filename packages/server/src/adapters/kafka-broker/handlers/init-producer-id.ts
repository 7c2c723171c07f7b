/** InitProducerId: a number for an idempotent producer. There are no transactions, and who asks for one is refused plainly. */
import { operations, resourceTypes } from '../parts.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { mayCluster, type HandlerContext } from './context.ts';

const refused = (errorCode: number) => ({ errorCode, producerId: -1, producerEpoch: -1 });

export const initProducerIdHandler = (context: HandlerContext) =>
  handler({
    api: 'InitProducerId',
    versions: [0, 4],
    handle: async ({ transactionalId }, caller) => {
      // Clients ask for the coordinator first, and its answer says why. No client retries this code.
      if (transactionalId !== null) return refused(errors.UNSUPPORTED_VERSION);
      const may =
        mayCluster(context, caller, operations.idempotentWrite) ||
        context.authorizer.mayOnAny(caller, operations.write, resourceTypes.topic);
      if (!may) return refused(errors.CLUSTER_AUTHORIZATION_FAILED);
      return { errorCode: errors.NONE, producerId: await context.producerIds.take(), producerEpoch: 0 };
    },
  });
