/** The identities' door. */
export { identityRoutes } from './identities.routes.ts';
