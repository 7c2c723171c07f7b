/** Notifications as an area. It imports no other area's engine, so that pipelines and all other areas can call `notify`. */
import type { Database } from '#db/database.ts';
import type { Handler } from '#kernel/http/handle.ts';
import type { Outgoing } from '#kernel/outgoing/outgoing.ts';
import { createSeals, DeliveryWorker } from '#modules/deliveries/index.ts';
import type { Keys } from '#ports/keys.ts';
import type { Log } from '#ports/log.ts';
import type { Mailer } from '#ports/mailer.ts';
import { channelDeliveries } from './channel-deliveries.ts';
import { NotificationWorker } from './notification-worker.ts';
import { notificationRoutes } from './notifications.routes.ts';

interface Context {
  readonly database: Database;
  readonly adapters: { readonly outgoing: Outgoing; readonly keys: Keys; readonly mailer: Mailer };
  readonly publicUrl: string;
  readonly log: Log;
}
interface Parts {
  readonly routes: readonly Handler[];
  readonly tasks: readonly { start(): void; stop(): Promise<void> }[];
}

export const notificationArea = ({ database: { db, pool }, adapters: { outgoing, keys, mailer }, publicUrl, log }: Context): Parts => {
  const deps = { db, outgoing, mailer, publicUrl, seals: createSeals(pool, keys, 'channel') };
  const deliveries = new DeliveryWorker({ db, log, of: channelDeliveries(deps) });
  const worker = new NotificationWorker({ db, log, onExpanded: () => deliveries.lookAround() });
  return { routes: notificationRoutes(deps, (team) => deliveries.look(team)), tasks: [deliveries, worker] };
};
