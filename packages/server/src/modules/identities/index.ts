/** The public interface of identities. */
export { identityArea } from './identities.routes.ts';
