/** Public interface of requests. */
export { RequestInbox, type RequestScope } from './RequestInbox.tsx';
