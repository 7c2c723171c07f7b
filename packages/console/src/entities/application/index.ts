/** Public interface of the application entity. */
export { AppDetails } from './AppDetails.tsx';
