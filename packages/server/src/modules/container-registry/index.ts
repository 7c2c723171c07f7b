/** The container registry's door. */
export { containerRegistryRoutes } from './container-registry.routes.ts';
