/** Public interface of deliveries: signed calls to addresses that users name, their queue, retries and test sends. */
export { claimTest, recordOutcome, retryAfter, testPauseSeconds, type DueDelivery, type Outcome } from './delivery-rows.sql.ts';
export { DeliveryWorker, type DeliveryKind, type TakenTarget } from './delivery-worker.ts';
export { deliveryFailureOf, postSigned, type DeliveryTry } from './post-signed.ts';
export { createSeals, type Seals } from './seals.ts';
export { newSigningSecret } from './signature.ts';
export { checkTarget } from './check-target.ts';
