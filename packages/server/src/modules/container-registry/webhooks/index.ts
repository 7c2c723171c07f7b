/** Webhooks as a part of the registry's area: routes, and the worker that sends deliveries. */
import { createSeals, DeliveryWorker } from '#modules/deliveries/index.ts';
import type { Area, AreaContext } from '#modules/resources/index.ts';
import { webhookDeliveries } from './send-delivery.ts';
import { webhookRoutes } from './webhooks.routes.ts';

export { enqueueEmbeddedEvent, enqueueRegistryEvent } from './enqueue-event.ts';

export const webhooksPart = ({ database, adapters, engine, log }: AreaContext): Required<Pick<Area, 'routes' | 'tasks'>> => {
  const { db, pool } = database;
  const { registry, keys, outgoing } = adapters;
  const deps = { db, outgoing, seals: createSeals(pool, keys, 'webhook') };
  const worker = new DeliveryWorker({ db, log, of: webhookDeliveries(deps) });
  let stopHearing: (() => void) | undefined;
  return {
    routes: webhookRoutes({ ...deps, engine, look: (app) => worker.look(app) }),
    tasks: [
      {
        start() {
          worker.start();
          // Of this replica; what others hear is found by the next look at everything.
          stopHearing = registry.onPush(({ repository }) => worker.look(repository.slice(0, repository.indexOf('/'))));
        },
        async stop() {
          stopHearing?.();
          await worker.stop();
        },
      },
    ],
  };
};
