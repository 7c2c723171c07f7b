/** The public interface of the quickstart. */
export { quickstartArea, type QuickstartOptions } from './quickstart.routes.ts';
