/** Public interface of event streaming. */
export { accountArea, type AccountOptions } from './access.area.ts';
export { verifyAccount, type VerifiedAccount } from './accounts/verify-account.ts';
export { streamArea, streamDeps } from './streams/stream.area.ts';
export { madeNames, madeParts, partNames, reserveParts, type StreamEntities, type StreamInput } from './streams/stream-parts.ts';
export { streamingArea, type StreamingOptions } from './streaming.area.ts';
