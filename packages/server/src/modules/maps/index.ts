/** The public interface of maps, and their area. */
export { mapArea } from './maps.area.ts';
