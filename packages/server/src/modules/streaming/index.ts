/** Public interface of event streaming. */
export { accountArea, type AccountOptions } from './access.area.ts';
export { verifyAccount, type VerifiedAccount } from './accounts/verify-account.ts';
export { streamArea } from './streams/stream.area.ts';
export { streamingArea, type StreamingOptions } from './streaming.area.ts';
