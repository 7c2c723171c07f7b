/** The public interface of the keys. */
export { keyArea } from './keys.routes.ts';
