/** Public interface of the application entity. */
export { FreezeNotice } from './FreezeNotice.tsx';
export { AppDetails } from './AppDetails.tsx';
