/** The public interface of the container registry. */
export { containerRegistryArea } from './container-registry.routes.ts';
