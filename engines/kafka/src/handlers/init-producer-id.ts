/** InitProducerId: allocates an id for an idempotent producer. Transactions are not supported and are refused with an error. */
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
      // Clients ask for the coordinator first, whose answer has the reason. No client retries this code.
      if (transactionalId !== null) return refused(errors.UNSUPPORTED_VERSION);
      const may =
        mayCluster(context, caller, operations.idempotentWrite) ||
        context.authorizer.mayOnAny(caller, operations.write, resourceTypes.topic);
      if (!may) return refused(errors.CLUSTER_AUTHORIZATION_FAILED);
      return { errorCode: errors.NONE, producerId: await context.producerIds.take(), producerEpoch: 0 };
    },
  });
